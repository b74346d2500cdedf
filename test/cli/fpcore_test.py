"""`roundoff` on FPCore expressions as a user sees it: text, JSON, exit codes, refusals."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import schema

SCHEMA = json.loads(harness.read("cli", "roundoff_expression_schema.json"))
TWO = """; two expressions
(FPCore first (x) :pre (<= 1 x 2) (* x x))
(FPCore (y)
  :name "second" :precision binary32 :pre (<= 0 y 4)
  (* y (sin y)))
"""


def expression(body, *options):
    return harness.run("roundoff", "--expression", body, *options)


class Expressions(harness.FolderTest):
    def file(self, text):
        path = self.path("some.fpcore")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def test_report(self):
        done = harness.run("roundoff", self.file(TWO), "--core", "first", "--input-error", "none")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(done.out.startswith("first: |computed - exact| <= 2.221e-16\n"), done.out)  # 2^-52, up
        for word in "relative   <= ", "interval", "taylor", "result     in [1, 4]", "input      x in [1, 2]", "overflow", "100.0%  2.221e-16  2:35 (* x x)", "assumed":
            self.assertIn(word, done.out)
        self.assertNotIn("second", done.out)

    def test_json(self):
        done = harness.run("roundoff", self.file(TWO), "--json", "--ulps", "0.75")
        self.assertEqual(done.code, 0, done.err)
        first, second = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual(schema.faults(first, SCHEMA) + schema.faults(second, SCHEMA), [])
        self.assertEqual((first["name"], second["name"]), ("first", "second"))
        self.assertEqual((first["format"], second["format"]), ("binary64", "binary32"))
        self.assertLess(first["absolute"], second["absolute"])
        self.assertLessEqual(second["absolute"], min(b for b in second["forms"].values() if b is not None))
        self.assertIsNone(second["relative"])
        self.assertIn("sin) are within 0.75 ulp", "".join(second["assumptions"]))
        self.assertAlmostEqual(sum(row["share"] for row in second["operations"]), 1, places=6)
        self.assertEqual(done.out, harness.run("roundoff", self.path("some.fpcore"), "--json", "--ulps", "0.75").out)

    def test_ranges_and_formats_of_the_command_line(self):
        wide = json.loads(expression("(FPCore (x) (* x x))", "--arg", "x=1,2", "--json").out)
        narrow = json.loads(expression("(FPCore (x) :pre (<= 1 x 9) (* x x))", "--arg", "x=1,2", "--format", "bfloat16", "--json").out)
        self.assertEqual(narrow["format"], "bfloat16")
        self.assertGreater(narrow["absolute"], 2**40 * wide["absolute"])

    def test_no_bound_is_said(self):
        done = expression("(FPCore (x) :pre (<= -1 x 1) (/ 1 x))")
        self.assertEqual(done.code, 2)
        self.assertIn("no bound", done.out.splitlines()[0])
        self.assertIn("the divisor may be zero: (/ 1 x) (expression:1:30)", done.out)
        done = expression("(FPCore (x) :precision binary16 :pre (<= 1 x 300) (* x x))", "--json")
        self.assertEqual(done.code, 2)
        self.assertIsNone(json.loads(done.out)["absolute"])
        self.assertIn("overflow", json.loads(done.out)["reason"])
        self.assertEqual(schema.faults(json.loads(done.out), SCHEMA), [])
        done = expression("(FPCore (x) :pre (<= -1 x 1) (/ 1 x))", "--json")
        self.assertEqual(schema.faults(json.loads(done.out), SCHEMA), [])

    def test_refusals(self):
        done = expression("(FPCore (x) :precision posit8\n (+ (floor x) (hypot x y)))")
        self.assertEqual((done.code, done.out), (4, ""))
        for word in "expression:1:24", "posit8", "expression:1:10", "expression:2:5", "floor", "expression:2:15", "hypot", "expression:2:24":
            self.assertIn(word, done.err)
        for text in "", "(", ")", "\"", "(FPCore", "x", "(FPCore (x) :pre (<= nan x inf) x)", "(FPCore (x) :pre (<= 0 x 1e999999) x)", "[" * 5000:
            self.assertEqual(harness.run("roundoff", self.file(text)).code, 4, text[:40])
        self.assertEqual(harness.run("roundoff", self.path("missing.fpcore")).code, 4)

    def test_usage(self):
        good = "(FPCore (x) :pre (<= 0 x 1) x)"
        for options in ["--arg", "x"], ["--ulps", "0"], ["--ulps", "nan"], ["--input-error", "some"], ["--boxes", "-1"], ["--timeout", "-1"], ["--timeout", "nan"]:
            self.assertEqual(expression(good, *options).code, 3, options)
        self.assertEqual(harness.run("roundoff", self.file(TWO), "--expression", good).code, 3)
        # What says nothing about expressions was once passed over: the report was about another arithmetic than asked.
        for options in (["--accumulate", "binary64"], ["--order", "any"], ["--policy", "bfloat16"], ["--range", "0,1"],
                        ["--radius", "0.1"], ["--target", "1"], ["--plot", self.path("x.svg")], ["--samples", "3"], ["--n", "3"]):
            done = expression(good, *options)
            self.assertEqual(done.code, 3, options)
            self.assertIn(options[0] + ": not of expressions", done.err)
        for options in ["--arg", "y=0,1"], ["--arg", "x=1,0"], ["--arg", "x=0,nan"], ["--core", "g"], ["--format", "float99"]:
            self.assertEqual(expression(good, *options).code, 4, options)


if __name__ == "__main__":
    harness.main()
