"""More edits of the examples: proof trees, steps, slopes, refutations, points, bounds, and the text itself.

TREE edits work on records like RECORD of example_edits.py; MADE are edits that leave a certificate right; BODY and FILE
edits change text; ASKED are right certificates that answer another question.
"""
import hashlib
import re
from example_edits import (CLOSE, OPEN, at, backward, before, bound, crossed, drop, interval, multiple, put, several,
                           slopes, split, swap, twice)


def listed_before(kind, records, n=0):
    def edit(r):
        i = at(r, kind, n)
        r[i:i] = [dict(e) for e in records]
    return edit


REFUTE = {"record": "refute", "case": 0, "rows": [0], "lambda": ["1*2^0"], "slopes": [0], "ranges": []}
STEPS = [interval(1), interval(2)]

CLOSERS = ("close", "open", "crossed")
BINARY32 = several(put("header", "semantics", "fp32_any"), put("numerics", "format", "binary32"),
                   put("numerics", "rounding", "nearest_even"), put("numerics", "subnormals", "gradual"),
                   put("numerics", "order", "any"), put("numerics", "fusion", "any"))



def capsule(first="binary32", rounding="nearest_even", subnormals="gradual"):
    """The words of the claim capsule; the steps are what they were, so that only the error boxes change."""
    return several(put("header", "semantics", "capsule"), put("numerics", "format", first),
                   put("numerics", "rounding", rounding), put("numerics", "subnormals", subnormals))


# For every proof that has room to spare, one after the other: words that make its error boxes larger.
WORDS = [
    ("tf32", (" operands=tf32",)),
    ("flush", ("", "nearest_even", "flush")),
    ("binary16_any", (" operands=binary16", "any")),
    ("bfloat16_any_flush", (" operands=bfloat16", "any", "flush")),
]


def halves_swapped(records):
    """The trees of the first split change places."""
    def end(i):
        while records[i]["record"] not in CLOSERS:
            i = end(end(i + 1)) if records[i]["record"] == "split" else i + 1
        return i + 1
    first = at(records, "split") + 1
    second = end(first)
    records[first:end(second)] = records[second:end(second)] + records[first:second]


# Names a kernel; whether there is such a record is no matter of the proof.
KERNELS = {"record": "capsules", "profile": "own", "names": ["own.dense"], "sha256": ["0" * 64]}

MADE = [
    ("worked", "capsule", capsule()),
    ("worked", "capsule_any", capsule("binary32", "any", "flush")),
    ("worked", "capsules", before("box", KERNELS)),
    ("worked_tie", "both_rows", several(put("refute", "rows", [0, 1]), put("refute", "lambda", ["1*2^0", "1*2^0"]))),
    ("worked_open", "point_inside", put("point", "values", ["0.99999999999"])),
    ("worked", "crossed", listed_before("refute", [split(1, 0, "1*2^1"), crossed(1, 0), CLOSE])),
    ("worked", "both_halves", listed_before("refute", [split(0, 0, "1*2^-1"), REFUTE, CLOSE, REFUTE, CLOSE])),
    ("worked", "only_in_halves", several(listed_before("refute", [split(1, 0, "0"), REFUTE, CLOSE, REFUTE, CLOSE]),
                                         drop("refute", 2))),
    ("worked", "multiple_lower", put("refute", "ranges", multiple(1, 0, "1*2^-3"))),
    ("worked", "multiple_upper", put("refute", "ranges", multiple(2, 0, "-1*2^-3"))),
    ("worked", "multiple_input", put("refute", "ranges", multiple(0, 0, "1*2^0"))),
    ("worked", "multiplier_large", put("refute", "lambda", ["3*2^100"])),
    ("worked", "backward_steps", listed_before("refute", [backward(1, "0", "0", []), backward(2, "0", "0", [0])])),
    ("worked", "producer_escaped", put("header", "producer", 'a "quoted" \\ text\twith \u00e4')),
    ("worked", "path_other", put("model", "files", lambda v: [dict(v[0], path="/another/name.onnx")])),
    ("deep_label", "radius_spelled", put("property", "radius", "2e-2")),
]

TREE = [
    ("worked", "capsule_operands_unknown", capsule("binary32 operands=e4m3fn"), "no operands that the claim knows"),
    ("worked", "capsule_operands_own", capsule("binary32 operands=binary32"), "operands of the element type are not said"),
    ("worked", "capsule_operands_twice", capsule("binary32 operands=tf32 operands=tf32"), "operands said twice"),
    ("worked", "capsule_element", capsule("binary64"), "the model is binary32"),
    ("worked", "capsule_tf32", capsule("tf32"), "no element type"),
    ("worked", "capsule_rounding_named", capsule("binary32", "up"), "one direction is no word of the claim"),
    ("worked", "capsule_subnormals_exact", capsule("binary32", "nearest_even", "exact"), "no treatment of a capsule"),
    ("worked", "capsule_order", several(capsule(), put("numerics", "order", "sequential")), "the order is not any"),
    ("worked", "capsule_fusion", several(capsule(), put("numerics", "fusion", "none")), "the fusion is not any"),
    ("worked_violated", "capsule_point", capsule(), "a point shows one execution, the words allow many"),
    ("worked", "flush_unclaimed", put("numerics", "subnormals", "flush"), "flushing is for the claim capsule"),
    ("worked", "operands_unclaimed", put("numerics", "format", "binary32 operands=tf32"), "operands, likewise"),
    ("worked", "rounding_unclaimed", put("numerics", "rounding", "any"), "rounding either way, likewise"),
    ("worked_real", "capsule_exact", put("header", "semantics", "capsule"), "the numerics are exact"),
    ("worked_tie", "row_not_strict", put("refute", "rows", [1]), "a bound of 0 for a row that is not strict"),
    ("worked_tie", "strict_row_unused", several(put("refute", "rows", [0, 1]), put("refute", "lambda", ["0", "1*2^0"])),
     "a bound of 0, and the strict row has no part in it"),
    ("worked_open", "point_upper_end", put("point", "values", ["1"]), "the upper end does not belong to the box"),
    ("worked_open", "point_lower_end", put("point", "values", ["0"]), "the lower end does not belong to the box"),
    ("worked_huge", "binary32", BINARY32, "an end of the box overflows binary32"),
    ("large", "binary32", BINARY32, "sums may overflow binary32"),
    ("large_violated", "point_overflow", put("point", "values", ["4"]), "the execution overflows"),
    ("deep_tight", "halves_swapped", halves_swapped, "each half has the proof of the other"),
    ("worked", "step_backward_input", before("refute", backward(0, "0", "", [])), "the input is no target of a step"),
    ("worked", "step_backward_node", before("refute", backward(3, "0", "", [])), "no such node"),
    ("elementwise_easy", "step_backward_inside", before("refute", backward(1, "0", "", [])),
     "a node inside a group is no target"),
    ("worked", "crossed_node", listed_before("refute", [split(1, 0, "1*2^1"), crossed(3, 0), CLOSE]), "no such node"),
    ("elementwise_easy", "crossed_inside", listed_before("refute", [split(0, 0, "1*2^1"), crossed(1, 0), CLOSE]),
     "a node inside a group has no range"),
    ("worked", "refute_after", lambda r: r.append(dict(REFUTE)), "a refutation outside of all boxes"),
    ("worked", "step_after", lambda r: r.append(interval(1)), "a step outside of all boxes"),
    ("worked_boxes", "box_repeated", lambda r: r.extend([{"record": "box", "box": 1}, CLOSE]), "a box is proved twice"),
    ("single_bound", "value_decimal", put("bound", "value", "0.5"), "the value is not dyadic"),
    ("single_bound", "slopes_unknown", put("bound", "slopes", [9]), "no such slopes"),
    ("single_bound", "bound_after", lambda r: r.append(bound(0, "lower", "-1*2^9", [])), "a bound outside of the box"),
    ("worked", "no_close", drop("close"), "the box is not closed"),
    ("worked", "two_closes", twice("close"), "a close too many"),
    ("worked", "open", put("close", "record", "open"), "the scope is left open"),
    ("worked_boxes", "open", put("close", "record", "open", 1), "a box is left open"),
    ("worked", "open_half", listed_before("refute", [split(0, 0, "1*2^-1"), OPEN, CLOSE]), "a half is left open"),
    ("worked", "crossed_outside", put("close", "record", "crossed"), "a crossed record without its keys"),
    ("worked", "crossed_top", lambda r: r.__setitem__(at(r, "close"), crossed(1, 0)), "crossed outside a split"),
    ("worked", "crossed_not", listed_before("refute", [split(1, 0, "1*2^-1"), crossed(1, 0), CLOSE]),
     "the range is not crossed"),
    ("worked", "crossed_point", listed_before("refute", [split(0, 0, "1*2^0"), crossed(0, 0), CLOSE]),
     "the range is one point, not crossed"),
    ("worked", "crossed_element", listed_before("refute", [split(1, 0, "1*2^1"), crossed(1, 1), CLOSE]),
     "no such element"),
    ("worked", "refute_missing", drop("refute"), "a case is not refuted"),
    ("worked", "half_missing", listed_before("refute", [split(0, 0, "1*2^-1"), CLOSE]), "a split with one half"),
    ("worked", "half_not_refuted", several(listed_before("refute", [split(0, 0, "1*2^-1"), REFUTE, CLOSE, CLOSE]),
                                           drop("refute", 1)), "one half does not refute the case"),
    ("worked", "first_half_not_refuted", several(listed_before("refute", [split(0, 0, "1*2^-1"), CLOSE, REFUTE, CLOSE]),
                                                 drop("refute", 1)), "one half does not refute the case"),
    ("worked", "three_halves", listed_before("refute", [split(0, 0, "1*2^-1"), CLOSE, CLOSE, CLOSE]),
     "a half too many"),
    ("worked", "split_element", listed_before("refute", [split(0, 1, "1*2^-1"), CLOSE, CLOSE]), "no such element"),
    ("worked", "split_node", listed_before("refute", [split(3, 0, "1*2^-1"), CLOSE, CLOSE]), "no such node"),
    ("elementwise_easy", "split_inside", listed_before("refute", [split(1, 0, "0"), CLOSE, CLOSE]),
     "a node inside a group has no range"),
    ("constants_easy", "split_constant", listed_before("refute", [split(1, 0, "0"), CLOSE, CLOSE]),
     "a constant has no range"),
    ("worked", "split_decimal", listed_before("refute", [split(0, 0, "0.5"), CLOSE, CLOSE]), "the point is not dyadic"),
    ("worked", "split_even", listed_before("refute", [split(0, 0, "2*2^-2"), CLOSE, CLOSE]), "the mantissa is even"),
    ("worked", "split_no_exponent", listed_before("refute", [split(0, 0, "1"), CLOSE, CLOSE]),
     "the exponent is missing"),
    ("worked", "split_plus", listed_before("refute", [split(0, 0, "+1*2^-1"), CLOSE, CLOSE]), "a plus sign"),
    ("worked", "split_zero", listed_before("refute", [split(0, 0, "0*2^0"), CLOSE, CLOSE]), "zero is spelled 0"),
    ("worked", "split_huge", listed_before("refute", [split(0, 0, "1*2^99999999"), CLOSE, CLOSE]), "out of reach"),
    ("worked", "slopes_leave_half", several(listed_before("slopes", [split(0, 0, "1*2^-1")]),
                                            listed_before("refute", [CLOSE, CLOSE])), "slopes of a half used above it"),
    ("worked", "ranges_leave_half", several(listed_before("step", [split(0, 0, "1*2^-1")]),
                                            listed_before("slopes", [CLOSE] + STEPS + [CLOSE])),
     "ranges of a half used above it"),
    ("worked", "refuted_in_half_only", several(listed_before("refute", [split(0, 0, "1*2^-1")]),
                                               listed_before("close", [CLOSE, CLOSE])), "refuted in one half only"),
    ("worked", "overflow_unknown", drop("step", 1), "a range is infinite where the scope is closed"),
    ("worked", "no_steps", several(drop("step"), drop("step")), "no ranges at all"),
    ("deep_easy", "overflow_output", drop("step", 4), "the output's range is infinite where the scope is closed"),
    ("worked", "step_input", put("step", "node", 0), "the input is no target of an interval step"),
    ("worked", "step_node", put("step", "node", 3), "no such node"),
    ("elementwise_easy", "step_inside", put("step", "node", 1), "a node inside a group is no target"),
    ("constants_easy", "step_constant", put("step", "node", 1), "a constant is no target"),
    ("worked", "step_method", put("step", "method", "forward"), "no such method"),
    ("worked", "step_interval_keys", lambda r: r[at(r, "step")].update(lower="", upper=""), "keys of another method"),
    ("worked", "steps_order", swap("step", "step", 0, 1), "a step before what it needs"),
    ("deep_tight", "index_large", put("step/backward", "lower", "1-5"), "no such element"),
    ("deep_tight", "index_decreasing", put("step/backward", "lower", "4,1"), "the elements do not increase"),
    ("deep_tight", "index_twice", put("step/backward", "lower", "1,1"), "an element is repeated"),
    ("deep_tight", "index_run", put("step/backward", "lower", "1,2,3,4"), "runs are not maximal"),
    ("deep_tight", "index_adjacent", put("step/backward", "lower", "1-2,3-4"), "runs are not maximal"),
    ("deep_tight", "index_single_run", put("step/backward", "lower", "1-1"), "a run of one"),
    ("deep_tight", "index_backward_run", put("step/backward", "lower", "4-1"), "a run that decreases"),
    ("deep_tight", "index_space", put("step/backward", "lower", "1, 4"), "a space in a list"),
    ("deep_tight", "index_comma", put("step/backward", "lower", "1,"), "an item is missing"),
    ("deep_tight", "index_zero", put("step/backward", "lower", "01"), "a leading zero"),
    ("deep_tight", "step_slopes_missing", put("step/backward", "slopes", []), "a slope byte is needed"),
    ("deep_tight", "step_slopes_unknown", put("step/backward", "slopes", [9]), "slopes of a later record"),
    ("deep_tight", "step_slopes_twice", put("step/backward", "slopes", [0, 0]), "slopes of one node twice"),
    ("deep_tight", "refute_slopes_order", put("refute", "slopes", [1, 0]), "slopes in decreasing node order"),
    ("deep_tight", "refute_slopes_same", put("refute", "slopes", [1, 2], 1), "two slopes of one node"),
    ("deep_tight", "slopes_sibling", put("refute", "slopes", [2, 3], 2), "slopes of the other half"),
    ("deep_tight", "refute_row", put("refute", "rows", [3]), "no such row"),
    ("worked", "slopes_id", put("slopes", "id", 1), "the first id is 0"),
    ("worked", "slopes_id_repeated", twice("slopes"), "an id is repeated"),
    ("deep_easy", "slopes_id_skipped", put("slopes", "id", 2, 1), "an id is left out"),
    ("worked", "slopes_node", put("slopes", "node", 1), "a dense node has no slopes"),
    ("worked", "slopes_node_large", put("slopes", "node", 3), "no such node"),
    ("worked", "slopes_129", put("slopes", "lower", "gQ=="), "a slope byte of 129"),
    ("worked", "slopes_255", put("slopes", "lower", "/w=="), "a slope byte of 255"),
    ("worked", "slopes_short", put("slopes", "lower", ""), "a slope byte too few"),
    ("worked", "slopes_long", put("slopes", "lower", "AAA="), "a slope byte too many"),
    ("worked", "slopes_unpadded", put("slopes", "lower", "AA"), "the padding is missing"),
    ("worked", "slopes_trailing_bits", put("slopes", "lower", "AB=="), "bits after the last byte"),
    ("worked", "slopes_alphabet", put("slopes", "lower", "_w=="), "another alphabet"),
    ("worked", "slopes_upper", put("slopes", "upper", "gA=="), "a relu has no upper byte"),
    ("elementwise_easy", "slopes_clip_upper", put("slopes", "upper", ""), "a clip needs upper bytes"),
    ("elementwise_easy", "slopes_clip_upper_129", put("slopes", "upper", "gV0oAA=="), "an upper byte of 129"),
    ("image_easy", "slopes_sum", put("slopes", "lower", lambda v: "gQAAAACAAACAAAAAgAAAAIAAAACAAAAAgAAAAIAAAAA=", 1),
     "a byte of a maximum above 128"),
    ("image_easy", "slopes_sum_127", put("slopes",
     "lower", lambda v: "fwAAAACAAACAAAAAgAAAAIAAAACAAAAAgAAAAIAAAAA=", 1),
     "the bytes of a maximum sum to 127"),
    ("image_easy", "slopes_sum_256", put("slopes",
     "lower", lambda v: "gIAAAACAAACAAAAAgAAAAIAAAACAAAAAgAAAAIAAAAA=", 1),
     "the bytes of a maximum sum to 256"),
    ("image_easy", "slopes_max_upper", put("slopes", "upper", "gA==", 1), "a maximum has no upper bytes"),
    ("image_easy", "slopes_max_short", put("slopes", "lower", "gAAAAA==", 1), "bytes of one window for eight"),
    ("worked", "refute_case", put("refute", "case", 1), "no such case"),
    ("worked", "refute_row", put("refute", "rows", [1]), "no such row"),
    ("worked", "refute_rows_empty", several(put("refute", "rows", []), put("refute", "lambda", [])), "no row"),
    ("worked", "refute_rows_more", put("refute", "rows", [0, 0]), "more rows than multipliers"),
    ("worked", "refute_rows_twice", several(put("refute", "rows", [0, 0]), put("refute", "lambda", ["1*2^0", "1*2^0"])),
     "a row is repeated"),
    ("worked", "lambda_missing", put("refute", "lambda", []), "no multiplier"),
    ("worked", "lambda_negative", put("refute", "lambda", ["-1*2^0"]), "a negative multiplier"),
    ("worked", "lambda_zero", put("refute", "lambda", ["0"]), "all multipliers are zero"),
    ("worked", "lambda_decimal", put("refute", "lambda", ["0.5"]), "the multiplier is not dyadic"),
    ("worked", "lambda_number", put("refute", "lambda", [1]), "the multiplier is no text"),
    ("worked", "lambda_even", put("refute", "lambda", ["4*2^0"]), "the mantissa is even"),
    ("worked_violated", "proof", drop("point"), "the point is missing"),
    ("worked", "refute_unknown_slopes", put("refute", "slopes", [1]), "no such slopes"),
    ("worked", "range_node", put("refute", "ranges", multiple(3, 0, "1*2^0")), "no such node"),
    ("worked", "range_element", put("refute", "ranges", multiple(1, 1, "1*2^0")), "no such element"),
    ("constants_easy", "range_constant", put("refute", "ranges", multiple(1, 0, "1*2^0")), "a constant has no range"),
    ("elementwise_easy", "range_inside", put("refute", "ranges", multiple(1, 0, "1*2^0")), "not a stored node"),
    ("worked", "range_infinite", several(drop("step", 1), put("refute", "ranges", multiple(2, 0, "1*2^0"))),
     "a multiple of an infinite end"),
    ("worked", "range_large", put("refute", "ranges", multiple(1, 0, "3*2^1")), "the multiple spoils the bound"),
    ("worked", "range_zero", put("refute", "ranges", multiple(1, 0, "0")), "a multiple of zero"),
    ("worked", "bound_in_proof", before("close", bound(0, "lower", "-1*2^0", [0])), "a bound under the claim holds"),
    ("worked", "capsules_late", before("close", KERNELS), "kernels are named inside a box"),
    ("worked", "capsules_digest", before("box", dict(KERNELS, sha256=["0"])), "no digest"),
    ("worked_violated", "capsules_point", before("point", KERNELS), "kernels beside a counterexample"),
    ("worked", "point_in_proof", before("close", {"record": "point", "case": 0, "values": ["1"]}),
     "a point in a proof"),
    ("worked_violated", "point_outside", put("point", "values", ["1.25"]), "the point is outside the box"),
    ("worked_violated", "point_just_outside", put("point", "values", ["1.00000000000000000000000001"]),
     "the point is outside the decimal box, though it rounds into it"),
    ("worked_violated", "point_safe", put("point", "values", ["0.5"]), "the row is false at the point"),
    ("worked_violated", "point_just_safe", put("point", "values", ["0.7499"]), "the row is false at the point"),
    ("worked_violated_real", "point_safe", put("point", "values", ["0.74999999999999999999999"]),
     "the row is false over the reals"),
    ("worked_violated", "point_long", put("point", "values", ["1", "1"]), "a value too many"),
    ("worked_violated", "point_empty", put("point", "values", []), "no value"),
    ("worked_violated", "point_number", put("point", "values", [1]), "the value is no text"),
    ("worked_violated", "point_hex", put("point", "values", ["0x1p0"]), "the value is no decimal"),
    ("worked_violated", "point_nan", put("point", "values", ["nan"]), "the value is no number"),
    ("worked_violated", "point_fraction", put("point", "values", ["1/1"]), "the value is no decimal"),
    ("worked_violated", "point_case", put("point", "case", 1), "no such case"),
    ("worked_violated", "two_points", twice("point"), "two points"),
    ("worked_violated", "point_and_box", before("point", {"record": "box", "box": 0}),
     "a box under the claim violated"),
    ("deep_violated", "point_moved", put("point", "values", ["0", "0", "0"]), "the row is false at the point"),
    ("wide_violated", "point_moved", put("point", "values", lambda v: ["0"] * len(v)), "the row is false at the point"),
    ("single_bound", "side", put("bound", "side", "upper"), "the bound does not follow"),
    ("single_bound", "side_unknown", put("bound", "side", "both"), "no such side"),
    ("single_bound", "output", put("bound", "output", 1), "no such output"),
    ("elementwise_easy", "refute_slopes_missing", put("refute", "slopes", []), "slope bytes are needed"),
    ("image_easy", "refute_slopes_missing", put("refute", "slopes", [0]), "slope bytes of a maximum are needed"),
    ("single_bound", "refute", before("close", REFUTE), "a refutation under the claim bound"),
    ("single_bound", "value_far", put("bound", "value", "1*2^0"), "the bound does not follow"),
    ("single_bound", "in_half", listed_before("close", [split(0, 0, "0"), bound(0, "lower",
     "-1*2^3", [0]), CLOSE, CLOSE]),
     "a bound of a half is no bound"),
    ("single_bound", "split", listed_before("close", [split(0, 0, "0"), CLOSE, CLOSE]),
     "a split under the claim bound"),
    ("single_bound", "open", put("close", "record", "open"), "the scope is left open"),
    ("single_bound", "no_close", drop("close"), "the box is not closed"),
    ("single_bound", "claim_holds", put("header", "claim", "holds"), "no property under the claim holds"),
]


def replace(old, new, count=1):
    def edit(text):
        assert old in text
        return text.replace(old, new, count)
    return edit


BODY = [
    ("space_after_colon", replace('"box":0', '"box": 0'), "white space"),
    ("space_before", replace('{"record":"box"', ' {"record":"box"'), "white space"),
    ("space_behind", replace('"box":0}', '"box":0} '), "white space"),
    ("tab", replace('"box":0}', '"box":0}\t'), "white space"),
    ("carriage_return", replace("\n", "\r\n", -1), "lines end with a carriage return"),
    ("blank_line", replace('{"record":"box"', '\n{"record":"box"'), "an empty line"),
    ("two_records_a_line", replace('"box":0}\n', '"box":0}'), "two records in a line"),
    ("record_over_lines", replace('"box":0', '\n"box":0'), "a record over two lines"),
    ("leading_zero", replace('"box":0', '"box":00'), "a leading zero"),
    ("minus_zero", replace('"box":0', '"box":-0'), "a sign"),
    ("plus", replace('"node":1', '"node":+1'), "a sign"),
    ("fraction", replace('"node":1', '"node":1.0'), "a fraction"),
    ("exponent", replace('"node":1', '"node":1e0'), "an exponent"),
    ("negative", replace('"node":1', '"node":-1'), "a negative number"),
    ("true", replace('"node":1', '"node":true'), "a truth value"),
    ("null", replace('"node":1', '"node":null'), "a null"),
    ("integer_text", replace('"node":1', '"node":"1"'), "an integer as text"),
    ("integer_huge", replace('"node":1', '"node":18446744073709551617'), "an integer beyond 64 bits"),
    ("key_twice", replace('"box":0', '"box":0,"box":0'), "a key twice"),
    ("key_escaped", replace('"box":0', '"b\\u006fx":0'), "an escape that is not allowed"),
    ("escape_letter", replace('"interval"', '"\\u0069nterval"'), "an escape that is not allowed"),
    ("escape_slash", replace('"example', '"\\/example', 1), "an escape that is not allowed"),
    ("escape_newline", replace('"example', '"\\nexample', 1), "an escape that is not allowed"),
    ("escape_upper_case", replace('"example', '"\\u001Fexample', 1), "an escape with an upper case digit"),
    ("raw_control", replace('"example', '"\x01example', 1), "a control character"),
    ("comment", replace('{"record":"box"', '// box\n{"record":"box"'), "a comment"),
    ("array", replace('{"record":"box","box":0}', '["box",0]'), "a line that is no object"),
    ("trailing_comma", replace('"box":0}', '"box":0,}'), "a comma too many"),
    ("unclosed", replace('"box":0}', '"box":0'), "an object without end"),
    ("record_unknown", replace('"record":"close"', '"record":"done"'), "no such record"),
    ("record_case", replace('"record":"close"', '"record":"Close"'), "no such record"),
    ("nested", replace('"box":0', '"box":' + "[" * 300 + "]" * 300), "deep nesting"),
]

FILE = [
    ("footer_missing", lambda b: b[:b.rindex(b'{"record":"footer"')], "the footer is missing"),
    ("footer_count", lambda b: re.sub(rb'"records":(\d+)', lambda m: b'"records":%d' % (int(m.group(1)) + 1), b),
     "another number of records"),
    ("footer_sha256", lambda b: b[:-67] + (b"0" if b[-67:-66] != b"0" else b"1") + b[-66:], "another digest"),
    ("footer_twice", lambda b: b + b[b.rindex(b'{"record":"footer"'):], "two footers"),
    ("after_footer", lambda b: b + b'{"record":"close"}\n', "a record after the footer"),
    ("no_last_newline", lambda b: b[:-1], "the last line has no end"),
    ("byte_order_mark", lambda b: b"\xef\xbb\xbf" + b, "a byte order mark"),
    ("not_utf8", lambda b: b.replace(b'"example', b'"\xff', 1), "no UTF-8"),
    ("nul", lambda b: b + b"\0", "a zero byte at the end"),
    ("empty", lambda b: b"", "an empty file"),
    ("truncated", lambda b: b[:len(b) // 2], "half a file"),
    ("body_changed", lambda b: b.replace(b'"lambda":["1*2^0"]', b'"lambda":["1*2^1"]'),
     "the footer is of another text"),
]

# (accepted example, name, network or None, options or None, claim expected, semantics asked, reason)
ASKED = [
    ("worked", "expect_violated", None, None, "violated", "", "the claim is holds"),
    ("worked_violated", "expect_holds", None, None, "holds", "", "the claim is violated"),
    ("worked_real", "fp32", None, None, "holds", "fp32_any", "a proof over the reals says nothing about binary32"),
    ("worked_violated_real", "fp32", None, None, "violated", "fp32_any", "an exact point says nothing about binary32"),
    ("worked_violated", "real", None, None, "violated", "real", "a binary32 execution says nothing about the reals"),
    ("worked", "fp64", None, None, "holds", "fp64_any", "a binary32 proof says nothing about binary64"),
    ("worked", "other_property", None, ["--property", "properties/worked_boxes.vnnlib"], "holds", "",
     "another property"),
    ("worked", "other_model", "constants", ["--property", "properties/constants_easy.vnnlib"], "holds", "",
     "another model"),
    ("deep_label", "smaller_radius", None, ["--radius", "0.01", "--input", "centres/three.csv", "--label", "1"],
     "holds",
     "", "a proof for a larger box answers another question"),
    ("deep_label", "other_label", None, ["--radius", "0.02", "--input", "centres/three.csv", "--label", "2"], "holds",
     "",
     "another label"),
    ("deep_label", "other_centre", None, ["--radius", "0.02", "--label", "1"], "holds", "", "another centre"),
    ("single_bound", "expect_holds", None, None, "holds", "", "a bound is no proof of a property"),
    ("worked_vacuous", "semantics_real", None, None, "violated", "", "nothing is violated"),
]


def sealed(body):
    """The body with the footer that belongs to it."""
    footer = '{"record":"footer","records":%d,"sha256":"%s"}\n' % (
        body.count("\n"), hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest())
    return body + footer


__all__ = ["ASKED", "BODY", "FILE", "MADE", "TREE", "sealed", "slopes"]
