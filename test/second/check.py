#!/usr/bin/env python3
"""A second checker of Outward certificates, written from certificates/FORMAT.md alone, in exact arithmetic.

usage: check.py CERTIFICATE --model M (--property P | --radius R [--input FILE] ...) [--expect W] [--semantics S]
       check.py COMPOSITION --model M --radius R --dataset X --labels Y ...
Prints the verdict first, as `check` does, with its exit codes. Slow and plain on purpose; reads no options but these:
--clip --scale --mean --std --layout --label --output-range --max-deviation --input-shape.
"""
import argparse
import gzip
import hashlib
import sys

import dataset
import radius
import records
import vnnlib
from exact import Refused, decimal, from_bits
from execute import reference
from fractions import Fraction
from groups import Groups
from importer import Importer
from interval import linear, node_image
from numerics import REAL, numerics
from proof import Proof, Wrong

CODES = {"VALID": 0, "INVALID": 1, "MALFORMED": 4, "UNSUPPORTED": 4}


class Usage(Exception):
    pass


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as e:
        raise Refused("%s: %s" % (path, e))


def query_of_options(a, element, inputs):
    """A dictionary like a radius record, with an exact centre; label None when it is to be executed."""
    def split(text):
        return text.split(",") if text else []
    target = "range" if a.output_range else "deviation" if a.max_deviation else "label"
    if a.expect == "bound":
        target = "none"
    centre = radius.read_centre(a.input, element, inputs) if a.input else [Fraction(0)] * inputs
    return {"centre": centre, "radius": a.radius, "scale": a.scale, "mean": split(a.mean), "std": split(a.std),
            "layout": a.layout, "clip": split(a.clip), "target": target, "label": a.label,
            "range": split(a.output_range), "deviation": a.max_deviation}


def query_of_record(r, element):
    if any(len(p) != element // 4 for p in r["centre"]):
        raise Refused("the centre is not of the element type")
    query = dict(r)
    query["centre"] = [from_bits(int(p, 16), element) for p in r["centre"]]
    return query


def real_outputs(graph, point):
    """Outputs over the reals as intervals: points, but behind a batch norm."""
    groups, ranges = Groups(graph), {}
    values = []
    for k, node in enumerate(graph.nodes):
        if node.kind == "input":
            out = [(v, v) for v in point]
        elif node.kind == "const":
            out = [(v, v) for v in node.values]
        elif node.kind in ("relu", "leaky", "clip", "abs", "max"):
            p = node.operands[0]
            ranges[p] = tuple(zip(*values[p]))
            out = node_image(groups, k, ranges, REAL)
        else:
            out = linear(node, [values[p] for p in node.operands])
        values.append(out)
    return values[graph.output]


def check_point(graph, prop, semantics, record):
    if record["case"] >= len(prop.cases) or len(record["values"]) != prop.inputs:
        raise Wrong("no such case, or the point has another size")
    bounds, rows = prop.cases[record["case"]]
    point = [decimal(v) for v in record["values"]]
    for v, (lo, lo_strict, hi, hi_strict) in zip(point, bounds):
        if v < lo or v > hi or v == lo and lo_strict or v == hi and hi_strict:
            raise Wrong("the point is outside the box")
    out = [(v, v) for v in reference(graph, point)] if semantics != "real" else real_outputs(graph, point)
    for strict, ys, constant in rows:
        greatest = constant + sum(b * out[j][1 if b > 0 else 0] for j, b in ys.items())
        if greatest > 0 or greatest == 0 and strict:
            raise Wrong("a row of the case is false at the point")


def compare(facts):
    for name, found, expected in facts:
        if found != expected:
            raise Wrong("%s: expected %s, found %s" % (name, expected, found))


def check_model(lines, importer, model):
    """The model record against the model file."""
    described, graph = lines[1][1], importer.graph
    files, nodes = described["files"], graph.nodes
    compare([("files", len(files), 1), ("bytes", [f["bytes"] for f in files], [len(model)]),
             ("sha256", [f["sha256"] for f in files], [hashlib.sha256(model).hexdigest()]),
             ("element", described["element"], "binary%d" % graph.element), ("inputs", described["inputs"], nodes[0].n),
             ("outputs", described["outputs"], nodes[graph.output].n), ("nodes", described["nodes"], len(nodes)),
             ("graph", described["graph"], graph.digest()),
             ("shapes", [(s["input"], s["dims"]) for s in described["shapes"]], sorted(importer.shapes.items()))])


def check_statement(lines, importer, prop, vnnlib_file):
    """Header, property and numerics against what they are about."""
    header, stated, words = lines[0][1], lines[2][1], lines[3][1]
    graph, semantics = importer.graph, header["semantics"]
    facts = [("semantics", semantics in ("real", "fp%d_any" % graph.element)
              or semantics == "capsule" and header["claim"] != "violated", True),
             ("cases", stated["cases"], len(prop.cases)), ("boxes", stated["boxes"], len(prop.boxes)),
             ("digest", stated["digest"], prop.digest),
             ("target", header["claim"] == "bound", prop.target_none)]
    if stated["kind"] == "vnnlib":
        facts.append(("property file", stated["sha256"], hashlib.sha256(vnnlib_file).hexdigest()))
    compare(facts)
    claim = numerics(semantics, graph.element, list(words.values())[1:])
    if claim is None:
        raise Wrong("numerics: these words are not those of the claim")
    return claim


def judge(a):
    """(verdict word, reason)"""
    data = load(a.certificate)
    if data.startswith(b'{"record":"composition",'):
        if not a.dataset:
            raise Usage("a composition needs --dataset and --labels")
        model, importer = read_model(a)
        return dataset.judge(a, data, importer, lambda path, prop, claim, semantics: judge_certificate(
            load(path), argparse.Namespace(**dict(vars(a), expect=claim, semantics=semantics)), model, importer, prop)[0])
    if a.dataset:
        raise Usage("--dataset is for a composition")
    return judge_certificate(data, a)


def read_model(a):
    model = load(a.model)
    shapes = dict([a.input_shape.split("=", 1)] if a.input_shape else [])
    return model, Importer(model, {k: [int(d) for d in v.split(",")] for k, v in shapes.items()})


def judge_certificate(data, a, model=None, importer=None, asked=None):
    """(verdict word, reason); model and question are read by the options if they are not given."""
    try:
        lines, fault = records.read(data)
    except records.Malformed as e:
        return "MALFORMED", str(e)
    except records.Unsupported as e:
        return "UNSUPPORTED", str(e)
    if fault:
        return "INVALID", fault
    found = [r["record"] for _, r in lines[:4]]
    if found[:1] != ["header"]:
        return "MALFORMED", "the first record is no header"
    if found != ["header", "model", "property", "numerics"]:
        return "INVALID", "the first four records are not header, model, property, numerics"
    if importer is None:
        model, importer = read_model(a)
    graph, header, stated = importer.graph, lines[0][1], lines[2][1]
    inputs, outputs = graph.nodes[0].n, graph.nodes[graph.output].n
    vnnlib_file = load(a.property) if a.property else b""
    if asked is None:
        if a.property:
            asked = vnnlib.read(vnnlib_file, inputs, outputs)
        else:
            asked = radius.build(query_of_options(a, graph.element, inputs), importer)[0]
    try:
        if stated["kind"] == "radius":
            try:
                prop = radius.build(query_of_record(stated, graph.element), importer)[0]
            except Refused as e:
                return "MALFORMED", "the query of the certificate: %s" % e
        else:
            prop = asked
        check_model(lines, importer, model)
        if stated["kind"] == "vnnlib" and (not a.property or stated["digest"] != asked.digest):
            # Only its digest is known, so nothing can be proved of it.
            return "VALID_BUT_NOT_ASKED", "the certificate is about another property"
        proof = Proof(graph, prop, check_statement(lines, importer, prop, vnnlib_file), lines[4:])
        if header["claim"] == "violated":
            record = proof.take()
            if record["record"] != "point" or proof.at != len(proof.records):
                raise Wrong("exactly one point is expected")
            check_point(graph, prop, header["semantics"], record)
        else:
            proof.run()
    except (Wrong, Refused) as e:
        return "INVALID", str(e)
    if proof.left_open:
        return "INCOMPLETE", "a scope is left open"
    return answer(a, header, prop, asked, graph.element)


def answer(a, header, prop, asked, element):
    wanted = a.semantics or "fp%d_any" % element
    covers = {header["semantics"]} | ({"real"} if header["claim"] != "violated" else set())
    if header["semantics"] == "capsule":
        covers.add("fp%d_any" % element)
    if prop.digest != asked.digest:
        return "VALID_BUT_NOT_ASKED", "another property"
    if header["claim"] != a.expect:
        return "VALID_BUT_NOT_ASKED", "the claim is %s" % header["claim"]
    if wanted != "best" and wanted not in covers:
        return "VALID_BUT_NOT_ASKED", "the claim is about %s" % header["semantics"]
    if header["claim"] == "holds" and not prop.cases:
        return "VALID(VACUOUS)", "no input satisfies the property's conditions"
    return "VALID", "%s under %s" % (header["claim"], header["semantics"])


NAMES = ("model property expect semantics label input_shape radius input clip scale mean std layout output_range "
         "max_deviation dataset labels").split()


def options(arguments):
    """The options as attributes, "" when not given; every option takes one value, which may begin with a minus."""
    a = argparse.Namespace(certificate="", **{name: "" for name in NAMES})
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name = word[2:].replace("-", "_")
        if word.startswith("--") and name in NAMES and rest:
            setattr(a, name, rest.pop(0))
        elif word.startswith("--") or a.certificate:
            raise Usage(word)
        else:
            a.certificate = word
    if not a.certificate or not a.model or bool(a.property) == bool(a.radius):
        raise Usage("a certificate, --model, and --property or --radius are needed")
    if bool(a.dataset) != bool(a.labels) or a.dataset and (not a.radius or a.input or a.label or a.expect):
        raise Usage("--dataset and --labels belong together, with --radius and without --input, --label and --expect")
    a.expect, a.label = a.expect or "holds", int(a.label) if a.label else None
    if a.expect not in ("holds", "violated", "bound") or a.semantics not in ("", "best") + records.CLAIMS:
        raise Usage("--expect or --semantics")
    return a


def run(arguments):
    """(verdict word, reason) for command line arguments; a model or property that is not covered is UNSUPPORTED."""
    try:
        return judge(options(arguments))
    except Refused as e:
        return "UNSUPPORTED", str(e)


def main():
    try:
        word, reason = run(sys.argv[1:])
    except Usage as e:
        sys.stderr.write("check.py: %s\n%s" % (e, __doc__))
        sys.exit(3)
    print("%s: %s" % (word, reason))
    sys.exit(CODES.get(word, 2))


if __name__ == "__main__":
    main()
