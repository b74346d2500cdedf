"""What `check` writes for continuous integration: SARIF, JUnit, in-toto statements, policy files."""
import hashlib
import json
import os
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
ASKED = ["--model", MODEL, "--radius", "0.1", "--input", IMAGE, "--label", "1"]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class CiTest(harness.FolderTest):
    """good is a proof, bad one with a changed record, torn a cut one, odd a bad one whose name needs every kind of escape."""

    def setUp(self):
        super().setUp()
        self.good, self.bad, self.torn = self.path("good"), self.path("bad"), self.path("torn")
        self.odd = self.path('a <b> & "c" %41.jsonl')
        harness.run("verify", MODEL, "--radius", "0.1", "--input", IMAGE, "--label", 1, "--certificate", self.good)
        with open(self.good, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-2]
        at = next(i for i, line in enumerate(lines) if '"record":"refute"' in line)
        lines[at] = lines[at].replace('"lambda":["', '"lambda":["-', 1)
        text = "".join(line + "\n" for line in lines)
        footer = '{"record":"footer","records":%d,"sha256":"%s"}\n' % (len(lines), hashlib.sha256(text.encode()).hexdigest())
        for path, content in (self.bad, text + footer), (self.torn, text[:200]), (self.odd, text + footer):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        self.line = at + 1

    def check(self, *arguments):
        return harness.run("check", *arguments)

    def test_sarif(self):
        done = self.check(self.good, self.bad, self.torn, self.odd, *ASKED, "--sarif")
        self.assertEqual(done.code, 4, done)
        report = json.loads(done.out)
        self.assertEqual(report["version"], "2.1.0")
        run = report["runs"][0]
        good, bad, torn, odd = run["results"]
        self.assertEqual((good["kind"], good["level"], good["ruleId"]), ("pass", "none", "valid"))
        self.assertEqual((bad["kind"], bad["level"], torn["level"]), ("fail", "error", "error"))
        self.assertEqual(bad["locations"][0]["physicalLocation"]["region"]["startLine"], self.line)
        uri = odd["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertTrue(uri.endswith("/a%20%3Cb%3E%20%26%20%22c%22%20%2541.jsonl"), uri)
        self.assertEqual({r["ruleId"] for r in run["results"]}, {r["id"] for r in run["tool"]["driver"]["rules"]})

    def test_a_file_that_an_option_does_not_fit_does_not_silence_the_others(self):
        """A counterexample file beside --semantics fp32_any was a usage error of the whole call: no report at all."""
        found = self.path("changed.txt")
        harness.run("verify", MODEL, "--radius", "0.2", "--input", IMAGE, "--label", 1, "--witness", found)
        options = [*ASKED, "--semantics", "fp32_any"]
        for form in "--sarif", "--junit", "--json":
            done = self.check(self.good, found, self.bad, *options, form)
            self.assertEqual(done.code, 3, done)
            for name in "good", "changed.txt", "bad":
                self.assertIn(name, done.out)
        report = json.loads(self.check(self.good, found, self.bad, *options, "--sarif").out)
        self.assertEqual([r["ruleId"] for r in report["runs"][0]["results"]][:2], ["valid", "not-judged"])
        alone = self.check(found, *options)
        self.assertEqual((alone.code, alone.out), (3, ""))

    def test_another_query_is_told_by_what_differs(self):
        """Another radius, another label and a forgotten --input all read "the certificate is about another property"."""
        query = {"--radius": "0.1", "--input": IMAGE, "--label": "1"}
        for option, value, expected in (("--radius", "0.05", "radius: the certificate has 0.1, asked was 0.05"),
                                        ("--label", "0", "label: the certificate has 1, asked was 0"),
                                        ("--input", None, "asked was zero (no --input)"),
                                        ("--clip", "0,1", "clip: the certificate has none, asked was 0,1")):
            changed = {k: v for k, v in dict(query, **{option: value}).items() if v is not None}
            done = self.check(self.good, "--model", MODEL, *[word for pair in changed.items() for word in pair])
            self.assertEqual((done.code, done.out.split()[0]), (2, "VALID_BUT_NOT_ASKED"), done)
            self.assertIn(expected, done.err)

    def test_junit(self):
        done = self.check(self.good, self.bad, self.torn, self.odd, *ASKED, "--junit")
        suite = xml.etree.ElementTree.fromstring(done.out)[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("4", "2", "1"))
        good, bad, torn, odd = suite
        self.assertEqual([len(case) for case in suite], [0, 1, 1, 1])
        self.assertEqual((bad[0].tag, bad[0].get("type"), torn[0].tag, torn[0].get("type")), ("failure", "INVALID", "error", "MALFORMED"))
        self.assertEqual(odd.get("name"), self.odd)

    def test_statement(self):
        done = self.check(self.good, *ASKED, "--statement")
        self.assertEqual(done.code, 0, done)
        self.assertFalse(done.out.endswith("\n"))
        statement = json.loads(done.out)
        self.assertEqual((statement["_type"], statement["predicate"]["result"]), ("https://in-toto.io/Statement/v1", "PASSED"))
        digests = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
        self.assertEqual((digests[self.good], digests[IMAGE]), (sha256(self.good), sha256(IMAGE)))
        self.assertIn(sha256(MODEL), digests.values())
        self.assertEqual(statement["predicate"]["configuration"][0]["annotations"]["arguments"], ASKED + ["--statement"])

    def test_no_statement_unless_all_are_valid(self):
        for files in [self.bad], [self.good, self.bad], [self.good, self.path("missing")]:
            done = self.check(*files, *ASKED, "--statement")
            self.assertNotEqual(done.code, 0)
            self.assertEqual(done.out, "")
        done = self.check(self.good, *ASKED, "--expect", "violated", "--statement")
        self.assertEqual((done.code, done.out), (2, ""))

    def test_text_names_file_line_and_rule(self):
        done = self.check(self.bad, *ASKED)
        self.assertRegex(done.err, r"^%s:%d: [a-z-]+: record refute: expected .*, found " % (self.bad, self.line))

    def test_one_format_at_a_time(self):
        for pair in ["--sarif", "--junit"], ["--json", "--sarif"], ["--statement", "--junit"]:
            self.assertEqual(self.check(self.good, *ASKED, *pair).code, 3)

    def policy(self, text):
        with open(self.path("policy.json"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.check(self.good, *ASKED, "--policy", self.path("policy.json"))

    def test_policy(self):
        self.assertEqual(self.policy('{"expect": "holds", "semantics": "fp32_any", "exact": true}').code, 0)
        self.assertEqual(self.policy('{"expect": "violated"}').code, 2)
        self.assertEqual(self.policy('{"semantics": "fp64_any"}').code, 2)
        self.assertEqual(self.policy('{"allow": ["asserted-bounds"], "max-slack": "1e-12"}').code, 0)

    def test_policy_is_not_overridden_and_not_guessed_at(self):
        self.policy('{"expect": "violated"}')
        self.assertEqual(self.check(self.good, *ASKED, "--policy", self.path("policy.json"), "--expect", "holds").code, 3)
        bad = ["", "[]", '{"model": "x"}', '{"expect": 1}', '{"expect": "true"}', '{"exact": "yes"}', '{"allow": "x"}', '{"expect":"holds","expect":"holds"}']
        for text in bad:
            self.assertEqual(self.policy(text).code, 3, text)
        self.assertEqual(self.check(self.good, *ASKED, "--policy", self.path("missing")).code, 3)


if __name__ == "__main__":
    harness.main()
