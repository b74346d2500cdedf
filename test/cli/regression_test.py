"""The attacks that checkers of other people fell for, one test each; the number is that of the project's list of attacks.

Every test calls `check` (and `verify` where it makes the file). Numbers that ask for something this version does not have:
12 (a tanh line that is wrong near its tangent): there is no tanh rule, so the test is that the operator is refused; 5
also names a tangent point outside [l, u]: no rule takes one; 15 (capsules): no file of that kind is read, so the test is
that claim, semantics and order of sums are not taken from a field they do not belong in; 16: `check` calls no BLAS, the
test is that a rounding mode set by the parent changes nothing (in process: test/checker/report_test.cpp, as for 20).
"""
import csv
import gzip
import hashlib
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness
import models
from models import make

EXAMPLES = harness.source("certificates", "examples")
LEMMA = '{"affVar":2,"affBound":"U","bound":1,"causVar":1,"causBound":"U","constraint":0,"expl":[{"var":0,"val":-1}]}'
BY_LEMMA = '{"lemmas":[%s],"contradiction":[{"var":2,"val":-1}]}' % LEMMA
APTP = """(declare-const X_0 Real)
(declare-const Y_0 Real)
(declare-pwl N_1 ReLU)
(assert (<= X_0 1.0))
(assert (>= X_0 -1.0))
(assert (>= Y_0 2.01))
(assert (or
    (and (>= N_1 0))
    (and (< N_1 0))))
"""


def marabou(threshold, proof):
    """x0 in [-1, 1], x1 = x0, x2 = max(x1, 0), x5 = x2 >= threshold: no solution above 1."""
    return ('{"tableau":[[{"var":1,"val":1.0},{"var":0,"val":-1.0}],\n[{"var":2,"val":1},{"var":1,"val":-1},{"var":3,"val":-1},'
            '{"var":4,"val":-1}],\n[{"var":5,"val":1},{"var":2,"val":-1}]],\n"upperBounds":[1,4,4,4,0,9],"lowerBounds":'
            '[-1.0,-4,0,0,0,%s],\n"constraints":[{"constraintType":0,"vars":[1,2,3,4]}],\n"proof":%s}' % (threshold, proof))


def property_text(rows, low="0", high="1"):
    return "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 %s))(assert (<= X_0 %s))%s" % (low, high, rows)


class Regression(harness.FolderTest):
    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def judged(self, code, *arguments, words=""):
        result = harness.run("check", *arguments, cwd=self.folder)
        self.assertEqual(result.code, code, (arguments, result))
        self.assertIn(words, result.out + result.err)
        return result

    def foreign(self, code, text, *more, words=""):
        return self.judged(code, self.write("foreign.json", text), *more, words=words)

    def example(self, name):
        with open(os.path.join(EXAMPLES, "expected.csv"), newline="", encoding="utf-8") as file:
            row = next(r for r in csv.DictReader(file) if r["file"] == name)
        return harness.run("check", row["file"], "--model", "models/%s.onnx" % row["model"], *row["options"].split(),
                           *(["--semantics", row["semantics"]] if row["semantics"] else []), cwd=EXAMPLES)

    def relu(self, name="m.onnx"):
        models.write(self.path(name), [("Relu", ["x"], "y")], [], [("x", [1, 1])], [("y", [1, 1])])
        return name

    def weighted(self, values, name="m.onnx", inputs=(("x", [1, 1]),)):
        models.write(self.path(name), [("MatMul", ["x", "w"], "y")], [("w", [1, 1], values)], inputs, [("y", [1, 1])])
        return name

    def proof(self, model, query, *more):
        """A certificate c for a property that holds."""
        done = harness.run("verify", model, query, "--certificate", "c", *more, cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        return "c"

    def test_regression_01_sibling_leak_in_both_orders(self):
        good = '{"split":[{"var":0,"val":0.0,"bound":"L"}],"contradiction":[{"var":0,"val":-1.0}]}'
        bad = '{"split":[{"var":0,"val":0.0,"bound":"U"}],"contradiction":[{"var":0,"val":-1}]}'
        for children in good + "," + bad, bad + "," + good:
            self.foreign(1, '{"tableau":[[{"var":0,"val":1.0},{"var":1,"val":-1.0}]],"upperBounds":[1,-0.5],"lowerBounds":'
                            '[-1,-2],"constraints":[],"proof":{"children":[%s]}}' % children, words="does not close")

    def test_regression_02_tableau_with_a_comma_more_or_less_or_a_decimal_inward(self):
        good = marabou("1.5", BY_LEMMA)
        self.foreign(0, good)
        self.foreign(4, good.replace('"val":-1.0}]', '"val":-1.0},]', 1))
        self.foreign(4, good.replace('"val":1.0},{', '"val":1.0}{', 1))
        self.foreign(0, marabou("1." + "0" * 40 + "1", BY_LEMMA))
        self.foreign(1, marabou("1", BY_LEMMA), words="reaches 0, must be below 0")
        self.foreign(1, marabou("0." + "9" * 40, BY_LEMMA))

    def test_regression_03_node_with_neither_children_nor_contradiction(self):
        self.assertIn(self.foreign_code(marabou("1.5", '{"lemmas":[%s]}' % LEMMA)), (1, 4))
        self.assertEqual(self.example("rejected/worked-no_close.jsonl").code, 1)

    def foreign_code(self, text):
        return harness.run("check", self.write("foreign.json", text), cwd=self.folder).code

    def test_regression_04_lemma_used_out_of_its_scope(self):
        with_lemma = '{"split":[{"var":0,"val":0,"bound":"L"}],"lemmas":[%s],"contradiction":[{"var":2,"val":-1}]}' % LEMMA
        without = '{"split":[{"var":0,"val":0,"bound":"U"}],"contradiction":[{"var":2,"val":-1}]}'
        for children in with_lemma + "," + without, without + "," + with_lemma:
            self.foreign(1, marabou("1.5", '{"children":[%s]}' % children), words="does not close")
        for name in "worked-ranges_leave_half", "worked-slopes_leave_half", "deep_tight-slopes_sibling":
            if os.path.exists(os.path.join(EXAMPLES, "rejected", name + ".jsonl")):
                self.assertEqual(self.example("rejected/%s.jsonl" % name).code, 1, name)

    def test_regression_05_negative_multiplier_and_slopes_above_one(self):
        for name in "worked-lambda_negative", "worked-slopes_129", "elementwise_easy-slopes_clip_upper_129", "worked-range_large":
            self.assertIn(self.example("rejected/%s.jsonl" % name).code, (1, 4), name)

    def test_regression_06_boxes_with_a_gap_an_overlap_or_a_missing_quadrant(self):
        def leaves(*boxes):
            return json.dumps({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 2, "root": {"lo": [-1, -1], "hi": [1, 1]},
                               "leaves": [{"lo": lo, "hi": hi, "lb": [1], "threshold": [0]} for lo, hi in boxes]})
        allow = ("--allow", "asserted-bounds")
        right = ([0, -1], [1, 1])
        self.foreign(0, leaves(([-1, -1], [0, 1]), right), *allow)
        self.foreign(0, leaves(([-1, -1], [0.5, 1]), right), *allow)
        self.foreign(1, leaves(([-1, -1], [-5e-324, 1]), right), *allow)
        self.foreign(1, leaves(([-1, -1], [0, 0]), right), *allow)

    def test_regression_07_neurons_numbered_from_zero(self):
        models.write(self.path("m.onnx"), [("Relu", ["x"], "h"), ("MatMul", ["h", "v"], "y")], [("v", [1, 1], [2])],
                     [("x", [1, 1])], [("y", [1, 1])])
        for text, code in (APTP, 0), (APTP.replace("N_1", "N_0"), 4), (APTP.replace("(< N_1 0)", "(< N_2 0)"), 4):
            done = harness.run("verify", "--elaborate", self.write("p.aptp", text), "--model", "m.onnx", "--certificate", "c",
                               cwd=self.folder)
            self.assertEqual(done.code, code, done)

    def test_regression_08_same_model_file_other_external_weights(self):
        entry = lambda key, value: make.nested(13, make.nested(1, key) + make.nested(2, value))
        tensor = (make.integer(1, 1) * 2 + make.integer(2, 1) + make.nested(8, "w") + entry("location", "weights.bin")
                  + entry("length", "4") + make.integer(14, 1))
        graph = (make.nested(1, make.node("MatMul", ["x", "w"], "y")) + make.nested(2, "test") + make.nested(5, tensor)
                 + make.nested(11, models.value_info("x", [1, 1])) + make.nested(12, models.value_info("y", [1, 1])))
        self.write("m.onnx", make.integer(1, 8) + make.nested(7, graph) + make.nested(8, make.integer(2, 17)))
        self.write("weights.bin", struct.pack("<f", 0.5))
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 0.75))"))
        self.proof("m.onnx", query)
        self.judged(0, "c", "--model", "m.onnx", "--property", query)
        self.write("weights.bin", struct.pack("<f", 0.500001))
        self.judged(1, "c", "--model", "m.onnx", "--property", query)

    def test_regression_09_initializer_override(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 0.75))"))
        listed = self.weighted([0.5], "listed.onnx", (("x", [1, 1]), ("w", [1, 1])))
        self.proof(listed, query)
        self.judged(0, "c", "--model", listed, "--property", query)
        models.write(self.path("free.onnx"), [("MatMul", ["x", "w"], "y")], [], [("x", [1, 1]), ("w", [1, 1])], [("y", [1, 1])])
        self.judged(4, "c", "--model", "free.onnx", "--property", query)

    def test_regression_10_nan_weight_infinite_bound_empty_box(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 2))"))
        self.proof(self.weighted([0.5]), query)
        for value in float("nan"), float("inf"):
            self.judged(4, "c", "--model", self.weighted([value], "bad.onnx"), "--property", query)
        for high in "inf", "1e999999", "nan":
            self.assertIn(harness.run("check", "c", "--model", "m.onnx", "--property",
                                      self.write("i.vnnlib", property_text("(assert (>= Y_0 2))", "0", high)), cwd=self.folder).code, (4, 5))
        empty = self.write("e.vnnlib", property_text("(assert (>= Y_0 2))", "1", "0"))
        self.assertNotEqual(harness.run("check", "c", "--model", "m.onnx", "--property", empty, cwd=self.folder).code, 0)

    def absorb(self):
        """y = (x + 2^24) - 2^24: over the reals x, in binary32 rounded to an even number."""
        models.write(self.path("absorb.onnx"), [("Add", ["x", "b"], "h"), ("Relu", ["h"], "r"), ("Sub", ["r", "b"], "y")],
                     [("b", [1, 1], [16777216.0])], [("x", [1, 1])], [("y", [1, 1])])
        return "absorb.onnx"

    def test_regression_11_absorbed_sum_is_a_real_claim_only(self):
        query = self.write("q.vnnlib", property_text("(assert (<= Y_0 0.5))", "0.75", "0.75"))
        self.proof(self.absorb(), query, "--semantics", "real")
        self.judged(0, "c", "--model", "absorb.onnx", "--property", query, "--semantics", "real")
        self.judged(2, "c", "--model", "absorb.onnx", "--property", query, "--semantics", "fp32_any")
        self.assertNotEqual(harness.run("verify", "absorb.onnx", query, "--max-domains", "20", cwd=self.folder).code, 0)

    def test_regression_12_tanh_is_refused(self):
        models.write(self.path("t.onnx"), [("Tanh", ["x"], "y")], [], [("x", [1, 1])], [("y", [1, 1])])
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 2))"))
        self.proof(self.relu(), query)
        self.judged(4, "c", "--model", "t.onnx", "--property", query, words="Tanh")

    def test_regression_13_strict_and_not_at_equality(self):
        text = harness.read("certificates", "examples", "properties", "worked_strict.vnnlib")
        self.assertIn("(> Y_0 ", text)
        for name, query, code in ("strict", text, 0), ("closed", text.replace("(> Y_0 ", "(>= Y_0 "), 2):
            done = harness.run("check", "accepted/worked_strict.jsonl", "--model", "models/worked.onnx", "--property",
                               self.path(self.write(name, query)), cwd=EXAMPLES)
            self.assertEqual(done.code, code, done)
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], [], [("x", [1, 1])], [("y", [1, 1])])
        self.write("w", "sat\n((X_0 1.0)(Y_0 1.0))\n")
        for row, code in (">", 1), (">=", 0):
            self.judged(code, "w", "--model", "m.onnx", "--property", self.write("q", property_text("(assert (%s Y_0 1.0))" % row)))

    def test_regression_14_duplicate_key_overflowing_number_depth_and_wrapping_index(self):
        good = marabou("1.5", BY_LEMMA)
        self.foreign(0, good)
        self.foreign(4, good.replace('"proof":', '"proof":{"contradiction":[5]},"proof":', 1))
        self.assertIn(self.foreign_code(good.replace("[1,4,4,4,0,9]", "[1,4,4,4,0,1e99999]")), (4, 5))
        self.foreign(5, "[" * 1000000, words="RESOURCE_LIMIT")
        self.assertIn(self.foreign_code(good.replace('"var":5', '"var":%d' % (2 ** 64 + 5))), (1, 4))
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 2))"))
        self.proof(self.relu(), query)
        for wrong, codes in (("(assert " + "(and " * 1000000, (5,)), (property_text("(assert (>= Y_%d 2))" % 2 ** 64), (4,)),
                             (property_text("(assert (>= Y_0 1e999999))"), (5,))):
            self.assertIn(harness.run("check", "c", "--model", "m.onnx", "--property", self.write("w.vnnlib", wrong),
                                      cwd=self.folder).code, codes)

    def test_regression_15_claim_and_semantics_only_in_their_own_fields(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 2))"))
        self.proof(self.relu(), query)
        with open(self.path("c"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (('"claim":"holds","semantics":"fp32_any"', '"claim":"fp32_any","semantics":"holds"'),
                         ('"claim":"holds"', '"claim":"verified"'), ('"order":"any"', '"order":"left"'),
                         ('"order":"any","fusion":"any"', '"order":"exact","fusion":"exact"')):
            self.assertIn(old, text)
            forged = self.sealed(text.replace(old, new))
            self.assertIn(harness.run("check", self.write("f", forged), "--model", "m.onnx", "--property", query,
                                      cwd=self.folder).code, (1, 4))

    @staticmethod
    def sealed(text):
        body = text[:text.rindex('{"record":"footer"')]
        return body + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (body.count("\n"), hashlib.sha256(body.encode()).hexdigest())

    def test_regression_17_import_with_holes_is_not_valid(self):
        text = json.dumps({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 1, "root": {"lo": [0], "hi": [1]},
                           "leaves": [{"lo": [0], "hi": [1], "lb": [1], "threshold": [0]}]})
        self.foreign(2, text, words="VALID_WITH_ASSUMPTIONS")
        self.foreign(2, text, "--allow", "shards-run-elsewhere", words="VALID_WITH_ASSUMPTIONS")
        self.foreign(0, text, "--allow", "asserted-bounds")
        self.assertTrue(self.example("rejected/worked-open.jsonl").out.startswith("INCOMPLETE"))

    def test_regression_18_witness_outside_by_a_unit_and_true_in_one_arithmetic_only(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 0.5))"))
        asked = ("--model", self.relu(), "--property", query)
        self.judged(0, self.write("w", "sat\n((X_0 1.0)(Y_0 1.0))\n"), *asked)
        self.judged(1, self.write("w", "sat\n((X_0 1.0000000000000000000000001)(Y_0 1.0))\n"), *asked)
        self.judged(1, self.write("w", "sat\n((X_0 -1e-30)(Y_0 1.0))\n"), *asked)
        model = self.absorb()
        for rows, x, real, fp32 in (("(assert (<= Y_0 0.5))", "0.75", 1, 0), ("(assert (>= Y_0 0.5))", "0.75", 0, 1)):
            query = self.write("q.vnnlib", property_text(rows))
            self.write("w", "sat\n((X_0 %s)(Y_0 0))\n" % x)
            self.judged(real, "w", "--model", model, "--property", query, "--semantics", "real")
            self.judged(fp32, "w", "--model", model, "--property", query, "--semantics", "fp32_sequential")

    def test_regression_19_decompression_bomb_symbolic_link_wrapping_offset(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 2))"))
        self.proof(self.relu(), query)
        self.write("bomb.vnnlib.gz", gzip.compress(b" " * (1 << 28)))
        self.judged(5, "c", "--model", "m.onnx", "--property", "bomb.vnnlib.gz", words="--limit unpacked-ratio=N")
        os.makedirs(self.path("data"))
        self.write("data/w.bin", struct.pack("<f", 0.5))
        os.symlink("data", self.path("link"))
        for location, offset, length, code in (("data/w.bin", "0", "4", 0), ("link/w.bin", "0", "4", 4), ("../data/w.bin", "0", "4", 4),
                                               ("data/w.bin", "18446744073709551612", "8", 4), ("data/w.bin", "4", "4", 4),
                                               ("data/w.bin", "-4", "4", 4)):
            entries = b"".join(make.nested(13, make.nested(1, k) + make.nested(2, v))
                               for k, v in (("location", location), ("offset", offset), ("length", length)))
            tensor = make.integer(1, 1) * 2 + make.integer(2, 1) + make.nested(8, "w") + entries + make.integer(14, 1)
            graph = (make.nested(1, make.node("MatMul", ["x", "w"], "y")) + make.nested(2, "test") + make.nested(5, tensor)
                     + make.nested(11, models.value_info("x", [1, 1])) + make.nested(12, models.value_info("y", [1, 1])))
            self.write("e.onnx", make.integer(1, 8) + make.nested(7, graph) + make.nested(8, make.integer(2, 17)))
            self.write("w", "sat\n((X_0 1.0)(Y_0 0.5))\n")
            asked = self.write("a.vnnlib", property_text("(assert (>= Y_0 0.25))"))
            self.judged(code, "w", "--model", "e.onnx", "--property", asked)

    def test_regression_20_locale_with_a_decimal_comma(self):
        query = self.write("q.vnnlib", property_text("(assert (>= Y_0 0.75))", "0.25", "0.5"))
        self.proof(self.relu(), query)
        for locale in "C", "de_DE.UTF-8", "tr_TR.UTF-8":
            done = harness.run("check", "c", "--model", "m.onnx", "--property", query, cwd=self.folder, env={"LC_ALL": locale})
            self.assertEqual((done.code, done.out[:5]), (0, "VALID"), locale)


if __name__ == "__main__":
    harness.main()
