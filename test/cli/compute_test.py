"""`compute` as a user sees it: expressions in any format, test vectors, the list of formats, refusals."""
import json
import os
import struct
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness


def numbers(expression, *options):
    done = harness.run("compute", "numbers", "--json", *options, "--", expression)
    assert done.code == 0, done.err
    return json.loads(done.out)


class Compute(harness.FolderTest):
    def test_expression(self):
        done = harness.run("compute", "numbers", "fma(0.1, 3, 2^-20)", "--format", "e4m3fn", "--rounding", "up")
        self.assertEqual(done.code, 0, done.err)
        lines = done.out.split("\n")
        self.assertEqual(lines[:5], ["0.3125", "bits   0x2a", "exact  5/16", "flags  underflow inexact", "in     e4m3fn, up"])
        self.assertIn("  2^-20 = 0.001953125  0x01  underflow inexact", lines)

    def test_json_has_the_flags_of_every_operation(self):
        result = numbers("fma(0.1, 3, 2^-20)", "--format", "e4m3fn", "--rounding", "up")
        self.assertEqual((result["value"], result["bits"], result["exact"]), ("0.3125", "0x2a", "5/16"))
        self.assertEqual(result["flags"], ["underflow", "inexact"])
        self.assertEqual([s["flags"] for s in result["steps"]], [["inexact"], [], ["underflow", "inexact"], ["inexact"]])

    def intervals(self, expression, precision):
        done = harness.run("compute", "intervals", "--json", "--format", precision, "--", expression)
        self.assertEqual(done.code, 0, done.err)
        ends = json.loads(done.out)["exact"]
        return ends and [float("-inf") if e == "-inf" else float("inf") if e == "inf" else Fraction(e) for e in ends]

    def test_intervals_enclose_in_every_family(self):
        # Rational expressions with their exact value, in formats of all families.
        cases = {"[0.1, 0.2] * 3 - 1/7": (Fraction(3, 10) - Fraction(1, 7), Fraction(6, 10) - Fraction(1, 7)),
                 "pow([-2, 3], 2) / [4, 5]": (Fraction(0), Fraction(9, 4)), "abs(min([-3, 1], 0.5))": (Fraction(0), Fraction(3)),
                 "fma([1, 2], -0.3, 2)": (Fraction(14, 10), Fraction(17, 10)), "sqrt([4, 9])": (Fraction(2), Fraction(3))}
        formats = ["bfloat16", "binary64", "binary(15,200)", "e5m2", "decimal64", "posit32", "binary8p3", "int16(scale=1/256)"]
        for expression, (lo, hi) in cases.items():
            for precision in formats:
                low, high = self.intervals(expression, precision)
                self.assertTrue(low <= lo and hi <= high, (expression, precision, low, high))
        exp = self.intervals("exp([0, 1])", "decimal64")
        self.assertEqual(exp, [1, Fraction("2.718281828459046")])
        self.assertEqual(self.intervals("0.1", "decimal64"), [Fraction(1, 10)] * 2)
        narrow, wide = self.intervals("tanh([0.1, 0.2])", "binary128"), self.intervals("tanh([0.1, 0.2])", "bfloat16")
        self.assertTrue(wide[0] <= narrow[0] < narrow[1] <= wide[1])
        self.assertIsNone(self.intervals("log([-2, -1])", "binary32"))
        self.assertEqual(self.intervals("1 / [0, 2]", "binary32"), [Fraction(1, 2), float("inf")])

    def test_intervals_fail_where_nothing_encloses(self):
        for expression, precision in (("exp([5, 9])", "e4m3fn"), ("[100, 200] * 3", "int8"), ("1 / [0, 2]", "posit16"),
                                      ("[1, 500]", "e4m3fnuz"), ("[1, 2] + 1e10", "binary8p4(satfinite)")):
            done = harness.run("compute", "intervals", "--format", precision, "--", expression)
            if precision.startswith("binary8p4"):
                self.assertNotIn("[1, 224]", done.out)
                continue
            self.assertEqual((done.code, done.out), (4, ""), (expression, precision))
            self.assertIn("enclosure", done.err)
        for expression in ("[2, 1]", "[nan, 1]", "inf", "[1, 2", "rem([1, 2], 3)", "[1] + 2", "pow([1, 2], 1.5)", "", "(" * 500):
            done = harness.run("compute", "intervals", "--", expression)
            self.assertEqual((done.code, done.out), (4, ""), expression)
        self.assertEqual(harness.run("compute", "intervals", "1", "--format", "e8m0").code, 4)

    def test_binary64_is_the_arithmetic_of_this_interpreter(self):
        cases = {"0.1 + 0.2": 0.1 + 0.2, "1/3": 1 / 3, "2 - 3 * (0.1 - 7) / 9": 2 - 3 * (0.1 - 7) / 9, "-0.1 * -3": -0.1 * -3,
                 "2^-1074 / 2": 0.0, "1e308 * 10": float("inf"), "sqrt(2)": 2 ** 0.5, "0x1.8p-3 * 10^2": 18.75, "-(1 + 2)": -3.0}
        for expression, value in cases.items():
            bits = "0x" + struct.pack(">d", value).hex()
            self.assertEqual(numbers(expression)["bits"], bits, expression)
        self.assertEqual(Fraction(numbers("0.1")["exact"]), Fraction(0.1))

    def test_patterns_casts_and_comparisons(self):
        self.assertEqual(numbers("bits(0x7e)", "--format", "e4m3fn")["value"], "448")
        self.assertEqual(numbers("cast(binary16, 2048 + 1) - 2048")["value"], "0")
        self.assertEqual(numbers("cast(binary(5,10), 1) / 3", "--format", "bfloat16")["format"], "bfloat16")
        self.assertEqual(numbers("compare(-0, 0)")["value"], "equal")
        self.assertEqual(numbers("compare(nan, 0)")["value"], "unordered")
        self.assertEqual(numbers("compare(-2^500000000, 2^-500000000)", "--format", "binary(30,10)")["value"], "less")
        self.assertEqual(numbers("1/0")["flags"], ["divide_by_zero"])
        self.assertEqual(numbers("rem(5, 3)")["value"], "-1")

    def test_elementary_functions(self):
        """Correctly rounded: known digits of e, pi and ln 2, and the special cases of IEEE 754 section 9.2."""
        for expression, value in {"exp(1)": "2.718281828459045", "4 * atan(1)": "3.141592653589793", "log(2)": "0.6931471805599453",
                                  "sigmoid(0)": "0.5", "log2(8)": "3", "exp10(-3)": "0.001", "tanh(inf)": "1", "exp(-inf)": "0"}.items():
            self.assertEqual(numbers(expression)["value"], value, expression)
        self.assertEqual(numbers("exp(1)")["flags"], ["inexact"])
        self.assertEqual(numbers("log(0)")["flags"], ["divide_by_zero"])
        self.assertEqual((numbers("log(-1)")["value"], numbers("log(-1)")["flags"]), ("nan", ["invalid"]))
        self.assertEqual(numbers("exp(100)", "--format", "e4m3fn(saturate)")["value"], "448")
        digits = "2.71828182845904523536028747135266249775724709369995"
        down, up = (Fraction(numbers("exp(1)", "--format", "binary(15, 160)", "--rounding", r)["exact"]) for r in ("down", "up"))
        self.assertLess(down, Fraction(digits) + Fraction(1, 10 ** 50))
        self.assertGreater(up, Fraction(digits))
        self.assertEqual(up - down, Fraction(1, 2 ** 159))
        self.assertEqual(harness.run("compute", "numbers", "exp(1)", "--format", "decimal64").code, 4)

    def test_refusals(self):
        for expression, word in {"1 +": "missing", "(1": "not closed", "1 2": "may follow", "foo(1)": "no function",
                                 "0x10": "bits(0x10)", "fma(1,2)": "3 arguments", "1.2.3": "no number", "compare(1,2)+1": "word",
                                 "(" * 5000: "nested", "3^9999": "too large", "bits(0x1ff)": "more bits"}.items():
            done = harness.run("compute", "numbers", expression, "--format", "e4m3fn")
            self.assertEqual(done.code, 4, expression[:20])
            self.assertIn(word, done.err)
            self.assertIn("column", done.err)
        done = harness.run("compute", "numbers", "1", "--format", "binary(31,3)")
        self.assertEqual(done.code, 4)
        self.assertIn("2 to 30 bits", done.err)
        self.assertEqual(harness.run("compute", "numbers", "1", "--rounding", "sideways").code, 3)
        self.assertEqual(harness.run("compute").code, 3)

    def vectors(self, name, text, *options):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return harness.run("compute", "vectors", path, *options)

    def test_vectors(self):
        five = "3C00 1000 3C00 01 3C00 01 3C00 01 3C01 01 3C01 01\n"
        done = self.vectors("f16_add.tv", five * 3)
        self.assertEqual((done.code, done.out), (0, "equal: 3 rows, 15 results, 0 wrong\n"))
        done = self.vectors("f16_add.tv", five + five.replace("3C01 01 3C01", "3C01 00 3C01"), "--json")
        self.assertEqual(done.code, 1)
        result = json.loads(done.out)
        self.assertEqual((result["rows"], result["wrong"], result["differences"][0]["line"]), (2, 1, 2))
        self.assertIn("up:", result["differences"][0]["difference"])
        done = self.vectors("rows.txt", "7E 08 7E 5\n", "--op", "add", "--format", "e4m3fn", "--rounding", "down")
        self.assertEqual(done.code, 1)
        self.assertIn("computed 0x7e (inexact)", done.out)
        done = self.vectors("rows.txt", "42F60000 0000007B 00\n", "--function", "f32_to_i32")
        self.assertEqual(done.code, 0, done.err)

    def test_vectors_that_say_nothing_are_refused(self):
        self.assertEqual(self.vectors("f16_add.tv", "").code, 4)
        self.assertEqual(self.vectors("f16_add.tv", "# a comment\n").code, 4)
        done = self.vectors("f16_add.tv", "3C00 1000 3C00\n")
        self.assertEqual(done.code, 4)
        self.assertIn("f16_add.tv:1", done.err)
        self.assertEqual(self.vectors("f16_add.tv", "13C00 1000 3C00 01\n").code, 4)
        self.assertEqual(self.vectors("f16_add.tv", "3C00 1000 3C0G 01\n").code, 4)
        self.assertEqual(self.vectors("mystery.txt", "1 2 3\n").code, 3)

    def test_formats(self):
        done = harness.run("compute", "formats", "--json")
        rows = {row["name"]: row for row in json.loads(done.out)["formats"]}
        self.assertEqual((rows["e4m3fn"]["max"], rows["e4m3fn"]["e"], rows["e4m3fn"]["least subnormal"]), ("448", "4", "2^-9"))
        self.assertEqual(rows["binary256"]["bias"], "262143")
        self.assertEqual(rows["e8m0"]["max"], "2^127")
        text = harness.run("compute", "formats").out
        for name in rows:
            self.assertIn(name + " ", text)
            self.assertEqual(harness.run("compute", "numbers", "1", "--format", name).code, 0, name)

    def test_literals_raise_what_a_conversion_raises(self):
        """`nan` in e2m1 was 0 without a flag, where cast(binary16, nan) raised invalid; an infinity likewise."""
        for precision, literal, value, flags in (("e2m1", "nan", "0", ["invalid"]), ("e2m1", "inf", "6", ["overflow", "inexact"]),
                                                 ("e2m1", "-inf", "-6", ["overflow", "inexact"]), ("e4m3fn", "inf", "nan", ["invalid"]),
                                                 ("binary(5,10,saturate)", "inf", "65504", ["overflow", "inexact"]), ("e4m3fn", "nan", "nan", []),
                                                 ("binary16", "inf", "inf", []), ("binary16", "-nan(0x3)", "-nan(0x3)", []),
                                                 ("binary16", "snan(0x3)", "snan(0x3)", [])):
            result = numbers(literal, "--format", precision)
            self.assertEqual((result["value"], result["flags"]), (value, flags), (precision, literal))
        for precision in "e2m1", "e2m3", "e4m3fn", "e4m3fnuz", "e5m2", "e8m0", "binary16", "bfloat16", "binary(5,10,saturate)", "e4m3fn(saturate)":
            for literal in "nan", "inf", "-inf":
                own, cast = numbers(literal, "--format", precision), numbers("cast(binary64, %s)" % literal, "--format", precision)
                self.assertEqual([own[k] for k in ("value", "bits", "flags")], [cast[k] for k in ("value", "bits", "flags")], (precision, literal))

    def test_long_expressions(self):
        """Every step kept the whole text so far: 10,000 terms took 600 MB and half a minute."""
        for command in "numbers", "intervals":
            done = harness.run("compute", command, "--json", "1" + "+1" * 9999)
            self.assertEqual(done.code, 0, done.err)
            self.assertLess(len(done.out), 6000000)
        texts = [s["text"] for s in numbers("1" + "+1" * 200)["steps"]]
        self.assertEqual(texts[2], "(1 + 1)")
        self.assertRegex(texts[-1], r"^\(\(\(.* \.\.\. .*\+ 1\)$")
        self.assertLessEqual(max(len(t) for t in texts), 200)

    def test_columns_point_at_what_is_refused(self):
        """The column was the one behind a literal or a power that is none."""
        for expression, precision, column in (("3 + 1.2.3 + 4", "binary16", 5), ("1 + 0x12 + 3", "binary16", 5), ("1 + 3^x", "binary16", 5),
                                              ("1 + 3^9999 + 1", "binary16", 5), ("2 + bits(0xfffff) + 1", "binary16", 5), ("2 + 0^-1", "binary16", 5),
                                              ("1 + exp(1)", "posit16", 5), ("1 + nosuch(1)", "binary16", 5), ("2 * compare(1, 2)", "binary16", 5)):
            done = harness.run("compute", "numbers", "--format", precision, "--", expression)
            self.assertEqual((done.code, done.out), (4, ""), expression)
            self.assertIn("column %d:" % column, done.err, expression)
        done = harness.run("compute", "intervals", "[1, 2] + inf")
        self.assertIn("column 10:", done.err)

    def test_compare_is_the_whole_expression(self):
        """1 + compare(1, 2) took the word for the number 0."""
        for expression in "1 + compare(1, 2)", "2 * compare(1, 2)", "-compare(1, 2)", "(compare(1, 2))", "compare(1, 2) + 1", "sqrt(compare(1, 2))":
            self.assertEqual(harness.run("compute", "numbers", "--", expression).code, 4, expression)
        self.assertEqual(harness.run("compute", "numbers", " compare(1, 2) ").out.split("\n")[0], "less")

    def test_vectors_name_what_they_do_not_take(self):
        """It said that there is no format posit16, and to look for it in a list that has it; and a range with 300 digits."""
        with open(self.path("rows"), "w", encoding="utf-8") as file:
            file.write("3c00 3c00 4000 00\n")
        done = harness.run("compute", "vectors", self.path("rows"), "--op", "add", "--format", "posit16")
        self.assertEqual(done.code, 4)
        self.assertIn("posit16, which is posit", done.err)
        self.assertNotIn("no number format", done.err)
        done = harness.run("compute", "vectors", self.path("rows"), "--op", "add", "--format", "binary16", "--show", "-1")
        self.assertEqual(done.code, 3)
        self.assertLess(len(done.err), 200)


if __name__ == "__main__":
    harness.main()
