"""Radius queries (FORMAT.md section 4): a centre, a radius and how the data were prepared, as exact cases.

Centres are read from CSV, JSON and .npy files. A query may come from command line options or from a radius record.
"""
import ast
import json
import os
import re
import struct
from cases import make_case, make_property
from exact import Refused, decimal, from_bits, nearest, to_bits
from execute import reference
from fractions import Fraction


def numbers(text, name, size=None):
    """Decimals joined by commas; the texts are kept as the user wrote them."""
    texts = [t.strip() for t in text.split(",")]
    values = [decimal(t, name) for t in texts]
    if size is not None and len(values) != size:
        raise Refused("%s needs %d numbers" % (name, size))
    return values


def flat(value, out):
    if isinstance(value, list):
        for v in value:
            flat(v, out)
    elif isinstance(value, str):
        out.append(decimal(value))
    else:
        raise Refused("the centre is not a list of numbers")
    return out


def read_centre(path, element, inputs):
    """Exact values in the element type: decimals rounded to nearest even, binary formats unchanged."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] == b"\x93NUMPY":
        size = struct.unpack("<H", data[8:10])[0] if data[6] == 1 else struct.unpack("<I", data[8:12])[0]
        start = 10 if data[6] == 1 else 12
        head = ast.literal_eval(data[start:start + size].decode())
        if head["fortran_order"] or head["descr"] not in ("<f4", "<f8"):
            raise Refused("the .npy centre has another layout")
        width = 32 if head["descr"] == "<f4" else 64
        body = data[start + size:]
        patterns = struct.unpack("<%d%s" % (len(body) * 8 // width, "I" if width == 32 else "Q"), body)
        values = [from_bits(p, width) for p in patterns]
        if any(nearest(v, element) != v for v in values):
            raise Refused("the .npy centre is not of the element type")
    else:
        if os.path.splitext(path)[1] == ".json":
            values = flat(json.loads(data, parse_float=str, parse_int=str), [])
        else:
            values = [decimal(t) for t in re.split(r"[,\s]+", data.decode().strip())]
        values = [nearest(v, element) for v in values]
    if len(values) != inputs or None in values:
        raise Refused("the centre has %d numbers for %d inputs" % (len(values), inputs))
    return values


def channels(query, shape, inputs):
    """The channel of every input for the layout, and how many there are."""
    if all(len(query[k]) < 2 for k in ("mean", "std")):
        return [0] * inputs, 1                        # one number for all: the layout does not matter
    if not query["layout"]:
        raise Refused("several means or deviations without a layout")
    rank = len(shape)
    if query["layout"] == "nchw" and rank in (3, 4):
        axis = rank - 3
    elif query["layout"] == "nhwc" and rank in (3, 4):
        axis = rank - 1
    else:
        raise Refused("the layout does not fit the shape of the input")
    inner = 1
    for d in shape[axis + 1:]:
        inner *= d
    return [i // inner % shape[axis] for i in range(inputs)], shape[axis]


def per_channel(texts, which, size, name, default):
    values = [decimal(t, name) for t in texts] or [default]
    if len(values) not in (1, size):
        raise Refused("%s needs one number or one per channel" % name)
    return [values[c if len(values) > 1 else 0] for c in which]


def build(query, importer):
    """(property, label) of a query: a dictionary with the keys of the radius record and exact numbers as texts."""
    graph, inputs = importer.graph, importer.graph.nodes[0].n
    outputs = graph.nodes[graph.output].n
    radius, scale = decimal(query["radius"], "radius"), decimal(query["scale"] or "1", "scale")
    shape = importer.input_shapes[0] if len(importer.input_shapes) == 1 else []
    which, size = channels(query, shape, inputs)
    mean = per_channel(query["mean"], which, size, "mean", Fraction(0))
    std = per_channel(query["std"], which, size, "std", Fraction(1))
    clip = [decimal(t, "clip") for t in query["clip"]]
    if len(query["centre"]) != inputs or clip and clip[0] > clip[1]:
        raise Refused("the centre has another size, or LO > HI")
    if radius < 0 or scale <= 0 or min(std) <= 0:
        raise Refused("radius < 0, or scale or std <= 0")
    for key, empty in ("range", []), ("deviation", ""), ("label", 0):
        if query["target"] != key and (query[key] or empty) != empty:
            raise Refused("%s is not used" % key)
    comparisons, point = [], []
    for i, c in enumerate(query["centre"]):
        v = c / scale
        lo, hi = v - radius, v + radius
        if clip:
            lo, hi = max(lo, clip[0]), min(hi, clip[1])
        lo, hi = (lo - mean[i]) / std[i], (hi - mean[i]) / std[i]
        comparisons += [(False, {i: Fraction(-1)}, {}, lo), (False, {i: Fraction(1)}, {}, -hi)]
        point.append((v - mean[i]) / std[i])
    one, rows, label = Fraction(1), [], query["label"]
    crossed = bool(clip) and clip[0] > clip[1]
    if query["target"] == "none":
        case = make_case(comparisons, inputs)
        if case is None or crossed:
            raise Refused("the box is empty")
        return make_property(inputs, outputs, [], case.bounds), 0
    if query["target"] == "label":
        if label is None:
            result = reference(graph, point)
            label = max(range(outputs), key=lambda j: (result[j], -j))
        if not 0 <= label < outputs:
            raise Refused("there is no output %d" % label)
        rows = [(False, {label: one, j: -one}, Fraction(0)) for j in range(outputs) if j != label]
    else:
        if query["target"] == "range":
            low, high = [decimal(t, "range") for t in query["range"]]
            ends = [(low, high)] * outputs
        else:
            size = decimal(query["deviation"], "deviation")
            if size < 0:
                raise Refused("deviation < 0")
            ends = [(r - size, r + size) for r in reference(graph, point)]
        for j, (low, high) in enumerate(ends):
            rows += [(True, {j: one}, -low), (True, {j: -one}, high)]
    cases = [make_case(comparisons + [(strict, {}, ys, c)], inputs) for strict, ys, c in rows]
    cases = [c for c in cases if c is not None and not crossed]
    return make_property(inputs, outputs, cases), label or 0


def patterns(values, element):
    """The centre as the record shows it."""
    return ["%0*x" % (element // 4, to_bits(v, element)) for v in values]
