"""`verify --elaborate`: APTP proofs become certificates that `check` accepts for the proof's query; what is not covered, not
true or not understood does not."""
import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness
import models

DECLARATIONS = """(declare-const X_0 Real)
(declare-const X_1 Real)
(declare-const Y_0 Real)
"""
NEURONS = "(declare-pwl N_1 ReLU)\n(declare-pwl N_2 ReLU)\n"
BOX = """(assert (<= X_0 1.0))
(assert (>= X_0 -1.0))
(assert (<= X_1 1.0))
(assert (>= X_1 -1.0))
"""
UNSAFE = "(assert (>= Y_0 %s))\n"
TREE = """(assert (or
    (and (>= N_1 0) (>= N_2 0))
    (and (>= N_1 0) (< N_2 0))
    (and (< N_1 0) (>= N_2 0))
    (and (< N_1 0) (< N_2 0))))
"""


def cases():
    return os.environ.get("OUTWARD_CASES", harness.source("..", "shared", "cases"))


class Elaborate(harness.FolderTest):
    def setUp(self):
        super().setUp()
        # y = relu(a + b) - relu(a - b - 1), at most 2, on the box reached at (1, 1).
        models.write(self.path("m.onnx"), [("Gemm", ["x", "w", "c"], "z"), ("Relu", ["z"], "h"), ("MatMul", ["h", "v"], "y")],
                     [("w", [2, 2], [1, 1, 1, -1]), ("c", [2], [0, -1]), ("v", [2, 1], [1, -1])],
                     [("x", [1, 2])], [("y", [1, 1])])

    def elaborate(self, text, *more):
        with open(self.path("p.aptp"), "w", encoding="utf-8") as file:
            file.write(text)
        return harness.run("verify", "--elaborate", "p.aptp", "--model", "m.onnx", "--certificate", "c.jsonl", *more, cwd=self.folder)

    def check(self, property_file):
        return harness.run("check", "c.jsonl", "--model", "m.onnx", "--property", property_file, cwd=self.folder)

    def proof(self, threshold="2.01", tree=TREE):
        return DECLARATIONS + NEURONS + BOX + UNSAFE % threshold + tree

    def refused(self, result, code, words):
        self.assertEqual(result.code, code, result)
        self.assertIn(words, result.out + result.err)
        self.assertFalse(os.path.exists(self.path("c.jsonl")) and code == 4, "a certificate was left")

    def test_a_true_proof_becomes_a_certificate_of_its_query(self):
        result = self.elaborate(self.proof())
        self.assertEqual(result.code, 0, result)
        self.assertTrue(result.out.startswith("elaborated (the 4 leaves cover everything"), result.out)
        self.assertEqual(self.check("p.aptp").code, 0)
        # The same certificate for another tree of the same query, not for another query or another file.
        with open(self.path("q.aptp"), "w", encoding="utf-8") as file:
            file.write(self.proof("2.5"))
        self.assertEqual(self.check("q.aptp").code, 2)
        with open(self.path("r.vnnlib"), "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + BOX + UNSAFE % "2.01")
        self.assertIn(self.check("r.vnnlib").code, (1, 2))

    def test_a_given_property_is_what_is_proved(self):
        with open(self.path("smaller.vnnlib"), "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + BOX.replace("X_0 1.0", "X_0 0.5") + UNSAFE % "2.01")
        self.assertEqual(self.elaborate(self.proof(), "--property", "smaller.vnnlib").code, 0)
        self.assertEqual(self.check("smaller.vnnlib").code, 0)
        with open(self.path("larger.vnnlib"), "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + BOX.replace("X_0 1.0", "X_0 1.5") + UNSAFE % "4.01")
        self.refused(self.elaborate(self.proof("4.01"), "--property", "larger.vnnlib"), 1, "no leaf covers 1 <= X_0 <= 1.5")
        with open(self.path("other.vnnlib"), "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + BOX + UNSAFE % "2.02")
        self.refused(self.elaborate(self.proof(), "--property", "other.vnnlib"), 1, "says nothing about the outputs")

    def test_gaps_and_false_leaves_are_rejected(self):
        self.refused(self.elaborate(self.proof(tree=TREE.replace("    (and (< N_1 0) (>= N_2 0))\n", ""))), 1,
                     "no leaf covers N_1 <= 0, 0 <= N_2")
        self.refused(self.elaborate(self.proof(tree=TREE.replace("(>= N_1 0)", "(>= N_1 0.125)"))), 1, "no leaf covers 0 <= N_1 <= 0.125")
        self.refused(self.elaborate(self.proof("1.5")), 1, "reaches the unsafe outputs")
        self.refused(self.elaborate(self.proof("1.5"), "--semantics", "real"), 1, "some leaf is false")
        self.refused(self.elaborate(self.proof("1.5", "(assert (or (and)))")), 1, "reaches the unsafe outputs")
        self.assertEqual(self.elaborate(self.proof(tree="(assert (or (and)))")).code, 0)

    def test_input_splits_need_a_property(self):
        halves = "(assert (or (and (>= X_0 -1.0) (<= X_0 0.1) (>= X_1 -1) (<= X_1 1)) (and (>= X_0 %s) (<= X_0 1.0) (>= X_1 -1) (<= X_1 1))))\n"
        with open(self.path("q.vnnlib"), "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + BOX + UNSAFE % "2.01")
        text = DECLARATIONS + UNSAFE % "2.01" + halves
        self.refused(self.elaborate(text % "0.1"), 3, "needs --property")
        self.refused(self.elaborate(text % "0.10000001", "--property", "q.vnnlib"), 1, "no leaf covers 0.1 <= X_0 <= 0.10000001")
        self.assertEqual(self.elaborate(text % "0.1", "--property", "q.vnnlib").code, 0)
        self.assertEqual(self.check("q.vnnlib").code, 0)

    def test_what_is_not_understood_is_refused(self):
        self.refused(self.elaborate(self.proof().replace("N_2 ReLU", "N_2 Sigmoid")), 4, "unsupported-pwl")
        self.refused(self.elaborate(self.proof().replace("(declare-pwl N_2 ReLU)", "")), 4, "aptp-neuron")
        self.refused(self.elaborate(DECLARATIONS + NEURONS + "(declare-pwl N_3 ReLU)\n" + BOX + UNSAFE % "2.01" + TREE), 4,
                     "expected 2 neurons")
        self.refused(self.elaborate(self.proof()[:-3]), 4, "not closed")
        self.refused(self.elaborate(self.proof(tree="")), 4, "no proof tree")
        self.refused(self.elaborate(self.proof().replace("(declare-const X_1 Real)", "")), 4, "")
        self.refused(self.elaborate(self.proof(), "--radius", "0.1"), 3, "--radius")
        self.refused(self.elaborate(self.proof(), "--json"), 3, "--json")
        self.refused(harness.run("verify", "--elaborate", "p.aptp", "--model", "m.onnx", cwd=self.folder), 3, "--certificate")

    def test_a_proof_by_itself_is_no_certificate(self):
        with open(self.path("p.aptp"), "w", encoding="utf-8") as file:
            file.write(self.proof())
        self.refused(harness.run("check", "p.aptp", cwd=self.folder), 4, "--elaborate")

    def test_outside_proofs(self):
        folder = os.path.join(cases(), "certificates", "aptp")
        if not os.path.isdir(folder):
            self.skipTest("no outside cases (OUTWARD_CASES)")
        with open(os.path.join(folder, "expected.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 20)
        for row in rows:
            model, _, asked = row["model"].partition(";")
            certificate = self.path(row["file"] + ".jsonl")
            more = ["--property", asked] if asked else []
            result = harness.run("verify", "--elaborate", row["file"], "--model", model, "--certificate", certificate, *more, cwd=folder)
            wanted = {"accept": (0,), "reject": (1, 2), "malformed": (4,), "unsupported": (4,)}[row["expected"]]
            self.assertIn(result.code, wanted, (row["file"], result))
            if result.code == 0:
                valid = harness.run("check", certificate, "--model", model, "--property", asked or row["file"], cwd=folder)
                self.assertEqual(valid.code, 0, (row["file"], valid))


if __name__ == "__main__":
    harness.main()
