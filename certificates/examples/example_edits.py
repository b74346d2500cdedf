"""What makes a certificate of the examples wrong: one edit each, named and with its reason.

An edit works on the list of records, or on text. `RECORD` edits are sealed with a new footer, so that only what they
change can be wrong; `BODY` edits change the text before the footer is made; `FILE` edits change the finished file.
"""
import copy


def at(records, kind, n=0):
    """The place of the n-th record of a kind; method, if given after a slash, must agree."""
    kind, _, method = kind.partition("/")
    places = [i for i, r in enumerate(records) if r["record"] == kind and method in ("", r.get("method"))]
    return places[n]


def put(kind, key, value, n=0):
    """Sets a key; value may be a function of the old one."""
    def edit(records):
        r = records[at(records, kind, n)]
        assert key in r
        r[key] = value(copy.deepcopy(r[key])) if callable(value) else value
    return edit


def rekey(kind, keys, n=0):
    """A record with its keys in another order, or other keys; None takes the value of no key."""
    def edit(records):
        i = at(records, kind, n)
        records[i] = {k: records[i].get(k, 0) for k in keys}
    return edit


def drop(kind, n=0):
    return lambda records: records.pop(at(records, kind, n))


def twice(kind, n=0):
    return lambda records: records.insert(at(records, kind, n), copy.deepcopy(records[at(records, kind, n)]))


def before(kind, record, n=0):
    return lambda records: records.insert(at(records, kind, n), dict(record))


def swap(kind, other, n=0, m=0):
    def edit(records):
        i, j = at(records, kind, n), at(records, other, m)
        records[i], records[j] = records[j], records[i]
    return edit


def several(*edits):
    def edit(records):
        for e in edits:
            e(records)
    return edit


def digit(text):
    """Another hex digit in front."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def more(v):
    return v + 1


CLOSE, OPEN = {"record": "close"}, {"record": "open"}


def interval(k):
    return {"record": "step", "node": k, "method": "interval"}


def backward(k, lower, upper, slopes):
    return {"record": "step", "node": k, "method": "backward", "lower": lower, "upper": upper, "slopes": slopes}


def split(k, i, p):
    return {"record": "split", "node": k, "element": i, "at": p}


def slopes(d, k, lower, upper=""):
    return {"record": "slopes", "id": d, "node": k, "lower": lower, "upper": upper}


def crossed(k, i):
    return {"record": "crossed", "node": k, "element": i}


def bound(j, side, value, ids):
    return {"record": "bound", "output": j, "side": side, "value": value, "slopes": ids}


def file_entry(key, change):
    def edit(files):
        files[0][key] = change(files[0][key])
        return files
    return edit


def multiple(k, i, v):
    return [{"node": k, "element": i, "value": v}]


# (accepted example, name, edit, reason)
RECORD = [
    ("worked", "format", put("header", "format", "outward-certificates"), "another format"),
    ("worked", "version_2", put("header", "version", 2), "another version than this page defines"),
    ("worked", "version_4", put("header", "version", 4), "another version than this page defines"),
    ("worked", "claim_unknown", put("header", "claim", "unknown"), "no such claim"),
    ("worked", "claim_violated", put("header", "claim", "violated"), "a proof tree under the claim violated"),
    ("worked", "claim_bound", put("header", "claim", "bound"), "a property with cases under the claim bound"),
    ("worked", "semantics_unknown", put("header", "semantics", "fp16_any"), "no such semantics"),
    ("worked", "semantics_fp64", put("header", "semantics", "fp64_any"), "the model is binary32"),
    ("double_easy", "semantics_fp32", put("header", "semantics", "fp32_any"), "the model is binary64"),
    ("worked", "semantics_real_numerics", put("header", "semantics", "real"), "the numerics are those of binary32"),
    ("worked_real", "semantics_float_numerics", put("header", "semantics", "fp32_any"), "the numerics are exact"),
    ("worked", "no_header", drop("header"), "the header is missing"),
    ("worked", "two_headers", twice("header"), "the header is repeated"),
    ("worked", "header_second", swap("header", "model"), "the header is not first"),
    ("worked", "key_unknown", rekey("header", ["record", "format", "version", "claim", "semantics", "producer",
     "note"]),
     "an unknown key"),
    ("worked", "key_order", rekey("header", ["record", "version", "format", "claim", "semantics", "producer"]),
     "the keys are in another order"),
    ("worked", "key_missing", rekey("header", ["record", "format", "version", "claim", "semantics"]),
     "a key is missing"),
    ("worked", "producer_number", put("header", "producer", 5), "the producer is no text"),
    ("worked", "model_bytes", put("model", "files", file_entry("bytes", more)), "the model has another size"),
    ("worked", "model_sha256", put("model", "files", file_entry("sha256", digit)), "the model has another digest"),
    ("worked", "model_sha256_upper", put("model", "files", file_entry("sha256", str.upper)), "upper case digits"),
    ("worked", "model_sha256_short", put("model", "files", file_entry("sha256", lambda v: v[1:])), "63 digits"),
    ("worked", "model_files_empty", put("model", "files", []), "no file at all"),
    ("worked", "model_files_more", put("model", "files", lambda v: v + [dict(v[0], path="more.bin")]),
     "external data that the model does not have"),
    ("worked", "model_file_keys", put("model", "files", lambda v: [{k: v[0][k] for k in ("path", "sha256", "bytes")}]),
     "the keys of a file are in another order"),
    ("open_shape_easy", "shapes_text", put("model", "shapes", lambda v: [dict(v[0], dims="1,3")]),
     "dimensions as text"),
    ("open_shape_easy", "shapes_key", put("model", "shapes", lambda v: [{"name": v[0]["input"], "dims": [1, 3]}]),
     "another key"),
    ("worked", "model_element", put("model", "element", "binary64"), "another element type"),
    ("worked", "model_element_unknown", put("model", "element", "binary16"), "no such element type"),
    ("worked", "model_inputs", put("model", "inputs", more), "another number of inputs"),
    ("worked", "model_outputs", put("model", "outputs", more), "another number of outputs"),
    ("worked", "model_nodes", put("model", "nodes", more), "another number of nodes"),
    ("worked", "model_graph", put("model", "graph", digit), "another graph digest"),
    ("image_easy", "model_graph", put("model", "graph", digit), "another graph digest"),
    ("worked", "no_model", drop("model"), "the model record is missing"),
    ("worked", "two_models", twice("model"), "the model record is repeated"),
    ("worked", "property_kind", put("property", "kind", "vnnlib2"), "no such kind"),
    ("worked", "property_sha256", put("property", "sha256", digit), "another property file"),
    ("worked", "property_digest", put("property", "digest", digit), "another property digest"),
    ("worked", "property_cases", put("property", "cases", more), "another number of cases"),
    ("worked_boxes", "property_boxes", put("property", "boxes", more), "another number of boxes"),
    ("worked", "no_property", drop("property"), "the property record is missing"),
    ("worked", "two_properties", twice("property"), "the property record is repeated"),
    ("deep_label", "centre_ulp", put("property", "centre", lambda v: ["%08x" % (int(v[0], 16) + 1)] + v[1:]),
     "the centre is moved by one unit: the digest is that of another query"),
    ("deep_label", "centre_short", put("property", "centre", lambda v: v[1:]), "a centre with a number too few"),
    ("deep_label", "centre_wide", put("property", "centre", lambda v: [p + "00000000" for p in v]),
     "binary64 patterns"),
    ("deep_label", "centre_nan", put("property", "centre", lambda v: ["7fc00000"] + v[1:]), "the centre is NaN"),
    ("deep_label", "radius", put("property", "radius", "0.03"), "another radius"),
    ("deep_label", "radius_empty", put("property", "radius", ""), "no radius"),
    ("deep_label", "radius_negative", put("property", "radius", "-0.02"), "a negative radius"),
    ("deep_label", "radius_text", put("property", "radius", "0,02"), "the radius is no decimal number"),
    ("deep_label", "label", put("property", "label", 0), "another label"),
    ("deep_label", "label_large", put("property", "label", 3), "a label beyond the outputs"),
    ("deep_label", "target", put("property", "target", "top"), "no such target"),
    ("deep_label", "target_none", put("property", "target", "none"), "no target, but a claim about cases"),
    ("deep_label", "layout", put("property", "layout", "chw"), "no such layout"),
    ("deep_clip_scale", "scale", put("property", "scale", "4"), "another scale"),
    ("deep_clip_scale", "scale_zero", put("property", "scale", "0"), "a scale of zero"),
    ("deep_clip_scale", "mean", put("property", "mean", ["0.75"]), "another mean"),
    ("deep_clip_scale", "std", put("property", "std", ["0.5"]), "another std"),
    ("deep_clip_scale", "std_zero", put("property", "std", ["0"]), "a std of zero"),
    ("deep_clip_scale", "clip", put("property", "clip", ["0", "0.25"]), "another clip"),
    ("deep_clip_scale", "clip_one", put("property", "clip", ["0"]), "a clip with one end"),
    ("deep_clip_scale", "clip_crossed", put("property", "clip", ["1", "0"]), "a clip with its ends exchanged"),
    ("colours_nchw", "mean_long", put("property", "mean", ["0.25", "0.5", "0.5"]), "three means for two channels"),
    ("colours_nchw", "layout_nhwc", put("property", "layout", "nhwc"), "another layout"),
    ("deep_range", "range_one", put("property", "range", ["-9"]), "a range with one end"),
    ("deep_range", "range_crossed", put("property", "range", ["9.5", "-9"]), "a range with its ends exchanged"),
    ("deep_range", "label_unused", put("property", "label", 1), "a label that is not used and not 0"),
    ("deep_label", "range_unused", put("property", "range", ["0", "1"]), "a range without that target"),
    ("deep_label", "deviation_unused", put("property", "deviation", "1"), "a deviation without that target"),
    ("deep_range", "range", put("property", "range", ["-9", "9.25"]), "another range"),
    ("deep_deviation", "deviation", put("property", "deviation", "1.25"), "another deviation"),
    ("deep_deviation", "deviation_negative", put("property", "deviation", "-1.5"), "a negative deviation"),
    ("worked", "numerics_format", put("numerics", "format", "binary64"), "another format"),
    ("worked", "numerics_rounding", put("numerics", "rounding", "exact"), "another rounding"),
    ("worked", "numerics_rounding_unknown", put("numerics", "rounding", "toward_zero"), "no such rounding"),
    ("worked", "numerics_subnormals", put("numerics", "subnormals", "exact"), "another treatment of subnormal numbers"),
    ("worked", "numerics_order", put("numerics", "order", "exact"), "another order"),
    ("worked", "numerics_fusion", put("numerics", "fusion", "exact"), "another fusion"),
    ("worked", "no_numerics", drop("numerics"), "the numerics record is missing"),
    ("worked", "numerics_late", swap("numerics", "box"), "the numerics record is not the fourth"),
    ("worked", "box_number", put("box", "box", 1), "not the next box"),
    ("worked", "no_box", drop("box"), "the box record is missing"),
    ("worked", "two_boxes", twice("box"), "a box inside a box"),
    ("worked_boxes", "boxes_swapped", swap("box", "box", 0, 1), "the boxes are not in order"),
    ("worked_boxes", "case_other_box", put("refute", "case", 1), "a case of another box"),
    ("worked_boxes", "box_left_out", lambda r: r.__delitem__(slice(at(r, "box", 1), len(r))), "a box has no proof"),
    ("worked_boxes", "refute_left_out", drop("refute", 1), "a case of the first box is not refuted"),
]
