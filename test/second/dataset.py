"""Compositions (FORMAT.md section 9): parts for the rows of a dataset, counted.

Points and labels are read from .npy files in C order and from CSV. Promises that a word other than INVALID is given only
after every part was judged for exactly its row.
"""
import ast
import hashlib
import json
import os
import radius
import struct
from exact import Refused, decimal, from_bits, nearest
from execute import reference
from records import FLOATS, Malformed, Unsupported, digest, one_of, record, spelled, text, unique, whole, wrong

ROW = dict(record=one_of("row"), row=whole, label=whole, property=digest)
SCHEMA = {
    "composition": [dict(record=text, format=one_of("outward-composition"), version=whole, semantics=text, producer=text)],
    "dataset": [dict(record=text, rows=whole, inputs=whole, outputs=whole, graph=digest)],
    "row": [dict(ROW, claim=one_of("holds", "violated"), path=text, sha256=digest),
            dict(ROW, claim=one_of("unknown", "misclassified"))],
    "accuracy": [dict(record=text, clean=whole, attacked=whole, certified=whole)],
    "footer": [dict(record=text, records=whole, sha256=digest)],
}
NPY = {"<f4": "f", "<f8": "d", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I", "<i8": "q",
       "<u8": "Q"}


def read_table(path, element):
    """(shape, exact values) of a file; shape [] for a flat list."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        lines = [line.replace(",", " ").split() for line in data.decode().split("\n") if line.strip()]
        if len({len(line) for line in lines}) != 1:
            raise Refused("the lines of %s differ in length" % path)
        values = [nearest(decimal(t), element) for line in lines for t in line]
        return ([len(lines), len(lines[0])] if len(lines) > 1 else []), values
    size, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    head = ast.literal_eval(data[start:start + size].decode())
    kind, body = NPY.get(head["descr"]), data[start + size:]
    if head["fortran_order"] or kind is None:
        raise Refused("the array %s has another layout" % path)
    width = struct.calcsize("<" + kind)
    if kind in "fd":
        bits = struct.unpack("<%d%s" % (len(body) // width, "I" if kind == "f" else "Q"), body)
        values = [from_bits(b, 8 * width) for b in bits]
    else:
        values = [decimal(str(v)) for v in struct.unpack("<%d%s" % (len(body) // width, kind), body)]
    if any(nearest(v, element) != v for v in values):
        raise Refused("%s holds numbers that are not of the element type" % path)
    return list(head["shape"]), values


def read_dataset(points, labels, graph, shape):
    """A list of (centre, label)."""
    inputs = graph.nodes[0].n
    dims, values = read_table(points, graph.element)
    rows = len(values) // inputs
    point, model = [d for d in dims[1:] if d != 1], [d for d in shape if d != 1]
    fits = rows == 1 if not dims else dims[0] == rows and (len(point) < 2 or len(model) < 2 or point == model)
    if not fits or rows * inputs != len(values) or not rows:
        raise Refused("the rows do not have the shape of the input")
    dims, numbers = read_table(labels, 64)
    if len(numbers) != rows or len([d for d in dims if d != 1]) > 1:
        raise Refused("not one label for each row")
    if any(v.denominator != 1 or not 0 <= v < graph.nodes[graph.output].n for v in numbers):
        raise Refused("a label is no output")
    return [(values[i * inputs:(i + 1) * inputs], int(numbers[i])) for i in range(rows)]


def parse(data):
    """(records, None or what is wrong with the end of the file)"""
    out, at = [], 0
    while at < len(data):
        end = data.find(b"\n", at)
        try:
            line = data[at:end].decode() if end >= 0 else ""
            v = json.loads(line, object_pairs_hook=unique, parse_float=wrong("a fraction"), parse_constant=wrong("NaN"))
        except (ValueError, RecursionError) as e:
            raise Malformed(str(e))
        expected = "composition" if not out else "dataset" if len(out) == 1 else (
            "row" if len(out) < 2 + out[1]["rows"] else "accuracy" if len(out) == 2 + out[1]["rows"] else "footer")
        if not isinstance(v, dict) or v.get("record") != expected:
            raise Malformed("expected a record " + expected)
        if expected == "composition" and whole(v.get("version")) and v["version"] != 1 and (
                v.get("format") == "outward-composition"):
            raise Unsupported("version")
        if not any(record(**keys)(v) for keys in SCHEMA[expected]) or spelled(v) != line:
            raise Malformed("not the form of a record " + expected)
        if expected == "row" and v["row"] != len(out) - 2:
            raise Malformed("rows out of order")
        if expected == "footer":
            if v["records"] != len(out) or v["sha256"] != hashlib.sha256(data[:at]).hexdigest():
                return out, "the footer does not match"
            return out, "bytes follow the footer" if end + 1 < len(data) else None
        out.append(v)
        at = end + 1
    raise Malformed("the file ends early")


def part_path(folder, path):
    """The path of a part, or None if it is none that may be followed."""
    parts = path.split("/")
    if "\0" in path or any(p in ("", ".", "..") for p in parts):
        return None
    for i in range(len(parts)):
        if os.path.islink(os.path.join(folder, *parts[:i + 1])):
            return None
    return os.path.join(folder, path)


def judge(a, data, importer, judge_part):
    """(word, reason). a: the options; judge_part(path, query, claim, semantics) gives the word for a part."""
    try:
        lines, fault = parse(data)
    except Malformed as e:
        return "MALFORMED", str(e)
    except Unsupported as e:
        return "UNSUPPORTED", str(e)
    if fault:
        return "INVALID", fault
    graph, head, stated, rows, counts = importer.graph, lines[0], lines[1], lines[2:-1], lines[-1]
    native, semantics = "fp%d_any" % graph.element, head["semantics"]
    if semantics not in FLOATS:
        return "UNSUPPORTED", "the semantics"
    shape = importer.input_shapes[0] if len(importer.input_shapes) == 1 else []
    dataset = read_dataset(a.dataset, a.labels, graph, shape)
    claims, paths = [r["claim"] for r in rows], [r["path"] for r in rows if "path" in r]
    if semantics not in ("real", native) or len(set(paths)) != len(paths) or (
            stated["graph"], stated["inputs"], stated["outputs"], counts["clean"], counts["attacked"],
            counts["certified"]) != (graph.digest(), graph.nodes[0].n, graph.nodes[graph.output].n,
                                     len(rows) - claims.count("misclassified"),
                                     claims.count("holds") + claims.count("unknown"), claims.count("holds")):
        return "INVALID", "model, counts or paths"
    wanted = a.semantics or native
    if len(dataset) != len(rows) or not (wanted in ("best", semantics) or wanted == "real" and "violated" not in claims):
        return "VALID_BUT_NOT_ASKED", "another number of rows or another semantics"

    def split(value):
        return value.split(",") if value else []
    queries = [{"centre": centre, "radius": a.radius, "scale": a.scale, "mean": split(a.mean), "std": split(a.std),
                "layout": a.layout, "clip": split(a.clip), "target": "label", "label": label, "range": [],
                "deviation": ""} for centre, label in dataset]
    properties = [radius.build(query, importer)[0] for query in queries]
    if any((r["label"], r["property"]) != (q["label"], p.digest) for r, q, p in zip(rows, queries, properties)):
        return "VALID_BUT_NOT_ASKED", "another dataset or query"
    left_open = False
    for r, query, prop in zip(rows, queries, properties):
        if (r["claim"] == "misclassified") == is_clean(importer, query):
            return "INVALID", "row %d is misclassified, or is not" % r["row"]
        if "path" in r:
            path = part_path(os.path.dirname(a.certificate), r["path"])
            if path is None or not os.path.isfile(path):
                return "INVALID", "row %d: no such part" % r["row"]
            with open(path, "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != r["sha256"]:
                    return "INVALID", "row %d: another part" % r["row"]
            word = judge_part(path, prop, r["claim"], semantics)
            if word not in ("VALID", "INCOMPLETE"):
                return "INVALID", "row %d: the part is %s" % (r["row"], word)
            left_open = left_open or word == "INCOMPLETE"
    if left_open:
        return "INCOMPLETE", "a part is left open"
    return ("VALID", "counts") if paths else ("VALID(VACUOUS)", "no part")


def is_clean(importer, query):
    """Whether the reference execution at the centre gives the label as its first greatest output."""
    at = dict(query, radius="0", clip=[], target="none", label=0)
    point = [lo for lo, _, _, _ in radius.build(at, importer)[0].boxes[0]]
    try:
        out = reference(importer.graph, point)
    except Refused:
        return False
    return out.index(max(out)) == query["label"]
