"""`verify`, `model` and `audit` on operators that no certificate speaks of, and `--finite`."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import schema
from models import harness

SCHEMA = json.loads(harness.read("cli", "verify_schema.json"))
SOFT = [("MatMul", ["x", "w"], "a"), ("Tanh", ["a"], "t"), ("Exp", ["t"], "e"), ("ReduceSum", ["e"], "s"),
        ("Div", ["e", "s"], "q"), ("Mul", ["q", "q"], "y")]
WEIGHTS = [("w", [2, 3], [1.0, -0.5, 0.25, 0.5, 1.0, -1.0])]


def property_text(inputs, outputs, *rows):
    text = "".join("(declare-const X_%d Real)\n" % i for i in range(len(inputs)))
    text += "".join("(declare-const Y_%d Real)\n" % i for i in range(outputs))
    for i, (lo, hi) in enumerate(inputs):
        text += "(assert (>= X_%d %s))\n(assert (<= X_%d %s))\n" % (i, lo, i, hi)
    return text + "".join("(assert %s)\n" % row for row in rows)


class QueryTest(harness.FolderTest):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)


class Opaque(QueryTest):
    def setUp(self):
        super().setUp()
        self.net = self.path("soft.onnx")
        models.write(self.net, SOFT, WEIGHTS, [("x", [1, 2])], [("y", [1, 3])], opset=11)
        # The squares of three shares that add up to 1.
        self.safe = self.write("safe.vnnlib", property_text([("0.5", "0.51"), ("0", "0.01")], 3, "(<= Y_0 Y_1)"))

    def word(self, *arguments):
        done = harness.run("verify", *arguments)
        self.assertEqual({"holds": 0, "violated": 1, "unknown": 2}[done.out.split()[0]], done.code, done.out + done.err)
        return done.out.split()[0], done

    def test_a_plan_says_how_far_off_functions_are(self):
        """Tanh is a few ulps off in every library: without a plan a float claim about it has no meaning."""
        for profile in "reference_cpu", "onnxruntime_cpu", "deployed_tf32", "deployed_flush":
            word, done = self.word(self.net, self.safe, "--profile", profile)
            self.assertEqual(word, "holds", done.err)
            self.assertIn("no program re-checks this verdict: `check` has no rule for node 1 't' (Tanh)", done.err)
            self.assertIn(".tanh.", done.out)
        word, done = self.word(self.net, self.safe, "--timeout", "20")
        self.assertEqual(word, "unknown")
        self.assertRegex(done.err, "how exact tanh is .* no standard says; a plan")
        self.assertNotIn("timeout", done.err)
        self.assertEqual(self.word(self.net, self.safe, "--semantics", "real")[0], "holds")
        self.assertEqual(self.word(self.net, self.safe, "--semantics", "best")[0], "holds")

    def test_violations_are_found_over_the_reals_too(self):
        unsafe = self.write("unsafe.vnnlib", property_text([("0.5", "0.51"), ("0", "0.01")], 3, "(>= Y_0 Y_1)"))
        for options in [], ["--semantics", "real"], ["--profile", "reference_cpu"]:
            self.assertEqual(self.word(self.net, unsafe, "--witness", self.path("w"), *options)[0], "violated")
            self.assertTrue(os.path.exists(self.path("w")))

    def test_a_certificate_is_refused_before_any_work(self):
        done = harness.run("verify", self.net, self.safe, "--certificate", self.path("c"), "--profile", "reference_cpu")
        self.assertEqual(done.code, 4)
        for node in "Tanh", "Exp", "Div", "Mul":
            self.assertIn(node + "): no certificate can speak of this operator [no-certificate]", done.err)
        self.assertFalse(os.path.exists(self.path("c")))

    def test_no_kernel_no_plan(self):
        models.write(self.path("s.onnx"), [("Sin", ["x"], "y")], [], [("x", [1, 1])], [("y", [1, 1])])
        done = harness.run("verify", self.path("s.onnx"), "--radius", "0.1", "--profile", "onnxruntime_cpu")
        self.assertEqual(done.code, 4)
        self.assertIn("no admissible capsule for operator sin on device cpu", done.err)

    def test_runs(self):
        with open(self.path("x.csv"), "w") as file:
            file.write("0.5,0\n")
        plain = harness.run("model", "run", self.net, "--input", self.path("x.csv"))
        planned = harness.run("model", "run", self.net, "--input", self.path("x.csv"), "--profile", "reference_cpu")
        self.assertEqual(plain.code, 0, plain.err)
        single = [struct.unpack("<f", struct.pack("<f", float(w)))[0] for w in plain.out.split()[1::2]]
        self.assertEqual(single, [float(w) for w in planned.out.split()[1::2]])
        exact = harness.run("model", "run", self.net, "--input", self.path("x.csv"), "--exact")
        self.assertEqual(exact.code, 0, exact.err)
        half = harness.run("model", "run", self.net, "--input", self.path("x.csv"), "--format", "binary16")
        self.assertEqual(half.code, 0, half.err)
        own = harness.run("model", "run", self.net, "--input", self.path("x.csv"), "--observe", "own", "--profile", "reference_cpu")
        self.assertEqual(own.code, 0, own.out + own.err)
        self.assertTrue(own.out.startswith("inside"), own.out)
        report = harness.run("roundoff", self.net, "--format", "binary32", "--input", self.path("x.csv"), "--radius", "0.1")
        self.assertEqual(report.code, 4)  # no rule for a quotient
        self.assertIn("no rounding error rule for the operator quotient", report.err)


class Finite(QueryTest):
    """x + x overflows and inf - inf is no number: neither safe nor, without --finite, unsafe."""
    def setUp(self):
        super().setUp()
        self.net = self.path("nan.onnx")
        models.write(self.net, [("Add", ["x", "x"], "a"), ("Sub", ["a", "a"], "b"), ("Add", ["b", "one"], "y")],
                     [("one", [1, 1], [1.0])], [("x", [1, 1])], [("y", [1, 1])])
        self.query = self.write("q.vnnlib", property_text([("3e38", "3e38")], 1, "(<= Y_0 0.5)"))

    def test_finite(self):
        for options in [], ["--profile", "reference_cpu"], ["--profile", "deployed_flush"]:
            done = harness.run("verify", self.net, self.query, *options)
            self.assertEqual(done.code, 2)
            self.assertIn("of box 0 an execution gives an infinity, first at node 0 'a' (Add), and NaN as an output (--finite", done.err)  # it named a wrong cause
        for options in [], ["--profile", "reference_cpu"], ["--profile", "deployed_bf16"]:
            done = harness.run("verify", self.net, self.query, "--finite", "--witness", self.path("w"), "--certificate",
                               self.path("c"), *options)
            self.assertEqual((done.code, done.out.split()[0]), (1, "violated"), done.out + done.err)
            self.assertIn("margin: none, the outputs are not all finite", done.out)
            self.assertIn("Y_0 = nan", done.out)
            self.assertIn("an execution that is not finite is no counterexample for `check`", done.err)
            self.assertFalse(os.path.exists(self.path("w")) or os.path.exists(self.path("c")))
        result = json.loads(harness.run("verify", self.net, self.query, "--finite", "--json").out)
        self.assertEqual(schema.faults(result, SCHEMA), [])
        self.assertIsNone(result["counterexample"]["margin"])
        self.assertEqual(result["counterexample"]["output"], [None])

    def test_finite_outputs_behind_an_infinity(self):
        """--finite is about outputs: it was advised though an inner value overflows and the output does not."""
        models.write(self.path("clip.onnx"), [("Add", ["x", "x"], "a"), ("Clip", ["a", "zero", "one"], "y")],
                     [("zero", [], [0.0]), ("one", [], [1.0])], [("x", [1, 1])], [("y", [1, 1])])
        done = harness.run("verify", self.path("clip.onnx"), self.query)
        self.assertEqual(done.code, 2, done.out + done.err)
        self.assertIn("gives an infinity, first at node 0 'a' (Add), and finite outputs", done.err)
        self.assertNotIn("--finite", done.err)

    def test_a_safe_network_stays_safe(self):
        calm = self.write("calm.vnnlib", property_text([("1", "2")], 1, "(<= Y_0 0.5)"))
        done = harness.run("verify", self.net, calm, "--finite", "--certificate", self.path("c"))
        self.assertEqual(done.code, 0, done.err)
        done = harness.run("check", self.path("c"), "--model", self.net, "--property", calm)
        self.assertEqual(done.code, 0, done.out)

    def test_usage(self):
        for options in (["--semantics", "real"], ["--semantics", "best"], ["--precision", "binary128"]):
            self.assertEqual(harness.run("verify", self.net, self.query, "--finite", *options).code, 3, options)
        self.assertEqual(harness.run("verify", "--batch", self.query, "--finite").code, 3)


if __name__ == "__main__":
    harness.main()
