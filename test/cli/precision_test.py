"""`verify --precision` as a user sees it: verdicts, exact bounds that nest as formats grow and contain what the network
computes, float claims, halving of inputs, and what it refuses."""
import json
import os
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
CHAIN = ["bfloat16", "binary32", "binary64", "binary128", "binary(15,200)"]
OTHERS = ["e5m2", "e4m3fn", "binary16", "decimal64", "posit16", "posit32", "binary8p3", "int16(scale=1/256)"]


def query(radius, precision, *more):
    return [MODEL, "--radius", radius, "--input", IMAGE, "--label", 1, "--precision", precision] + list(more)


def end(text, side):
    """An end of a bound as a number; None is unbounded."""
    return side * Fraction(10) ** 100 if text is None else Fraction(text)


class Precision(harness.FolderTest):
    def bounds(self, precision, radius="0.05"):
        path = self.path("bounds")
        done = harness.run("verify", *query(radius, precision, "--bounds", path))
        self.assertIn(done.code, (0, 2), done.err)
        with open(path) as file:
            found = json.load(file)
        self.assertEqual((found["schema"], found["semantics"], len(found["boxes"])), ("outward-precise-bounds-1", "real", 1))
        return found["boxes"][0]

    def test_verdicts(self):
        done = harness.run("verify", *query("0.05", "binary128"))
        self.assertEqual(done.code, 0, done.err)
        lines = done.out.split("\n")
        self.assertEqual(lines[0], "holds (unsat: no input in the set reaches the unsafe outputs)")
        self.assertIn("over the real numbers; floating point is not covered", lines[1])
        self.assertEqual(lines[2], "precision: interval arithmetic and CROWN in binary128, every operation rounded "
                         "outward; no certificate")
        done = harness.run("verify", *query("0.05", "e2m1"))
        self.assertEqual((done.code, done.out.split(" ")[0]), (2, "unknown"), done.out)
        self.assertIn("e2m1", done.err)

    def test_bounds_nest_and_contain_the_run(self):
        run = harness.run("model", "run", MODEL, "--input", IMAGE, "--exact", "--json")
        self.assertEqual(run.code, 0, run.err)
        outer = None
        for precision in CHAIN:
            box = self.bounds(precision)
            for kind in ("intervals", "linear"):
                self.assertEqual(len(box[kind]), 3)
            if outer:
                for kind in ("intervals", "linear"):
                    for (lo, hi), (lo_before, hi_before) in zip(box[kind], outer[kind]):
                        self.assertLessEqual(end(lo_before, -1), end(lo, -1), precision)
                        self.assertLessEqual(end(hi, 1), end(hi_before, 1), precision)
            for (lo, hi), (lo_outer, hi_outer) in zip(box["linear"], box["intervals"]):
                self.assertTrue(end(lo_outer, -1) <= end(lo, -1) <= end(hi, 1) <= end(hi_outer, 1))
            outer = box
        inner = outer["linear"]
        for precision in OTHERS:  # the best bounds lie inside all others
            for (lo, hi), (lo_best, hi_best) in zip(self.bounds(precision)["intervals"], outer["intervals"]):
                self.assertTrue(end(lo, -1) <= end(lo_best, -1) and end(hi_best, 1) <= end(hi, 1), precision)
        outputs = [Fraction(y["exact"]) for y in json.loads(run.out)["outputs"]]
        for (lo, hi), y in zip(inner, outputs):
            self.assertTrue(Fraction(lo) <= y <= Fraction(hi))

    def test_violated_at_the_centre(self):
        done = harness.run("verify", MODEL, "--radius", "0.05", "--input", IMAGE, "--label", 0, "--precision", "binary32",
                           "--witness", self.path("w"))
        self.assertEqual(done.code, 1, done.err)
        checked = harness.run("check", self.path("w"), "--model", MODEL, "--radius", "0.05", "--input", IMAGE, "--label", 0,
                              "--semantics", "real")
        self.assertEqual(checked.code, 0, checked.out + checked.err)

    def test_bounds_of_one_output(self):
        models.write(self.path("m.onnx"), [("MatMul", ["x", "w"], "y")], [("w", [4, 1], [0.5, 0.25, 0.125, -1])],
                     outputs=[("y", [1, 1])])
        done = harness.run("verify", self.path("m.onnx"), "--radius", "0.1", "--precision", "binary128")
        self.assertEqual(done.code, 0, done.err)
        lo, hi = done.out.split("Y_0 in [")[1].split("]")[0].split(", ")
        # 1/10 is no binary number: the ends lie just beyond, by less than 2^-110.
        for text, exact, side in ((lo, Fraction(-3, 16), -1), (hi, Fraction(3, 16), 1)):
            beyond = side * (Fraction(text) - exact)
            self.assertTrue(0 < beyond < Fraction(1, 2 ** 110), text)
        done = harness.run("verify", self.path("m.onnx"), "--radius", "0.1", "--precision", "decimal64")
        self.assertIn("Y_0 in [-0.1875, 0.1875]", done.out)

    def test_json(self):
        found = json.loads(harness.run("verify", *query("0.05", "bfloat16", "--json")).out)
        self.assertEqual((found["precision"], found["semantics"], found["certificate"]), ("bfloat16", "real", None))
        found = json.loads(harness.run("verify", MODEL, "--radius", "0.05", "--input", IMAGE, "--label", 1, "--json").out)
        self.assertIsNone(found["precision"])

    def test_refusals(self):
        for more, word in ((["--certificate", self.path("c")], "--certificate"), (["--semantics", "best"], "real"),
                           (["--semantics", "fp64_any"], "binary32")):
            done = harness.run("verify", *query("0.05", "binary64", *more))
            self.assertEqual(done.code, 3, done.out)
            self.assertIn(word, done.err)
        done = harness.run("verify", MODEL, "--radius", "max", "--input", IMAGE, "--precision", "binary64", "--timeout", 1)
        self.assertEqual(done.code, 3, done.out)
        for precision in ("nonsense", "binary(40,3)", "e8m0", "binary(5,10,flush)"):
            done = harness.run("verify", *query("0.05", precision))
            self.assertEqual((done.code, done.out), (4, ""), precision)
        self.assertFalse(os.path.exists(self.path("c")))

    def test_float_claim(self):
        done = harness.run("verify", *query("0.05", "binary128", "--semantics", "fp32_any", "--bounds", self.path("f")))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("every binary32", done.out.replace("\n", " "))
        self.assertIn("no certificate", done.out)
        with open(self.path("f")) as file:
            found = json.load(file)
        self.assertEqual(found["semantics"], "fp32_any")
        run = harness.run("model", "run", MODEL, "--input", IMAGE, "--json")
        self.assertEqual(run.code, 0, run.err)
        real = self.bounds("binary128")
        for (lo, hi), (lo_real, hi_real) in zip(found["boxes"][0]["linear"], real["linear"]):
            self.assertTrue(Fraction(lo) < Fraction(lo_real) and Fraction(hi_real) < Fraction(hi))

    def halving(self, unsafe, *more):
        """relu(x) - relu(-x) - relu(x + 1) + 1, which is 0 on [-1, 1], with one row of the property."""
        models.write(self.path("m.onnx"), [("MatMul", ["x", "w"], "a"), ("Add", ["a", "b"], "c"), ("Relu", ["c"], "d"),
                                           ("MatMul", ["d", "v"], "e"), ("Add", ["e", "o"], "y")],
                     [("w", [1, 3], [1, -1, 1]), ("b", [3], [0, 0, 1]), ("v", [3, 1], [1, -1, -1]), ("o", [1], [1])],
                     inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("(declare-const X_0 Real)(declare-const Y_0 Real)"
                       "(assert (>= X_0 -1))(assert (<= X_0 1))(assert %s)" % unsafe)
        return harness.run("verify", self.path("m.onnx"), self.path("p.vnnlib"), "--precision", "binary128", *more)

    def test_halving_of_inputs(self):
        self.assertEqual(self.halving("(>= Y_0 0.25)", "--max-domains", 1).code, 2)
        done = self.halving("(>= Y_0 0.25)")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn("2 parts", done.err)
        self.assertEqual(self.halving("(>= Y_0 0.25)", "--semantics", "fp32_any").code, 0)
        done = self.halving("(>= Y_0 -0.25)", "--semantics", "fp32_any")
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertIn("this order", done.out)

    def test_timeout(self):
        models.write_wide(self.path("wide.onnx"), width=64, depth=6)
        done = harness.run("verify", self.path("wide.onnx"), "--radius", "0.1", "--output-range=-1,1",
                           "--precision", "binary(15,200)", "--timeout", "0.5")
        self.assertEqual(done.code, 2, done.out)
        self.assertTrue(done.out.startswith("unknown (timeout)"), done.out)


if __name__ == "__main__":
    harness.main()
