"""Regression: what a policy forbids, the command line could ask for. `--allow` adds to a list, so that "allow": [] forbade
nothing: a proof put together from records of shards and a leaf artifact with asserted bounds were VALID, and `--slack`
was no key of a policy at all, so that beside "max-slack": "0" a slack of 1000 was VALID and was even signed with
`--statement`. Here every option is given beside policies that it would weaken. Also: what a certificate of another tool
says nothing about was not missed when it was asked for (a float semantics, a model, weights, binary32 numbers)."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
ASKED = ["--model", MODEL, "--radius", "0.1", "--input", IMAGE, "--label", "1"]
LEAF = {"format": "abcrown_leaf_artifact_v0_1", "input_dim": 1, "root": {"lo": [-1.0], "hi": [1.0]},
        "leaves": [{"lo": [-1.0], "hi": [1.0], "lb": [1.0], "threshold": [0.0]}]}
# The network of this name is fixed by the format; the true upper end is 699.
NET = {"graph": "mlp_graph_workflow_v1", "input_box": {"id": 0, "dim": 3, "lo": [0.0, 1.0, 2.0], "hi": [2.0, 3.0, 4.0]},
       "result": {"node_id": 3, "dim": 2, "lo": [230.0, 291.0], "hi": [554.0, 699.0]}}


class JudgeTest(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.leaf, self.net, self.short = self.write("leaf.json", LEAF), self.write("net.json", NET), json.loads(json.dumps(NET))
        self.short["result"]["hi"][1] = 698.0
        self.short = self.write("short.json", self.short)
        self.knots = self.write("knots.json", {"format": "piecewise_poly_v0", "degree": 1, "xs": ["0", "1"], "ys": ["0", "1"],
                                               "pieces": [{"lo": "0", "hi": "1", "coeffs": ["0", "1"]}]})

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def judge(self, code, *arguments, policy=None, word=None):
        more = [] if policy is None else ["--policy", self.write("policy.json", policy)]
        done = harness.run("check", *arguments, *more)
        self.assertEqual(done.code, code, (arguments, policy, done))
        if word is not None:
            self.assertEqual(done.out.split(" ")[0], word, done)
        return done

    def refused(self, policy, option, *arguments):
        """A usage error that names the option and the policy."""
        done = self.judge(3, *arguments, policy=policy)
        self.assertIn(option, done.err.split("\n")[0])
        self.assertIn(self.path("policy.json"), done.err.split("\n")[0])
        self.assertEqual(done.out, "")


class PolicyTest(JudgeTest):
    def test_allow(self):
        self.judge(0, self.leaf, "--allow", "asserted-bounds", word="VALID")
        for policy in {"allow": []}, {"max-slack": "0"}, {}, {"allow": ["shards-run-elsewhere"]}, {"semantics": "fp32_any", "allow": []}:
            self.refused(policy, "--allow asserted-bounds", self.leaf, "--allow", "asserted-bounds")
            self.refused(policy, "--allow asserted-bounds", self.leaf, "--allow=asserted-bounds")
            self.judge(2, self.leaf, policy=policy)
            self.judge(3, "--policy=" + self.path("policy.json"), "--allow=asserted-bounds", self.leaf)
        self.judge(0, self.leaf, policy={"allow": ["asserted-bounds"]}, word="VALID")
        self.judge(0, self.leaf, "--allow", "asserted-bounds", policy={"allow": ["asserted-bounds"]}, word="VALID")

    def test_allow_takes_its_names_only(self):
        done = self.judge(3, self.leaf, "--allow", "nonsense")
        self.assertIn("asserted-bounds, shards-run-elsewhere", done.err)
        self.judge(3, self.leaf, policy={"allow": ["nonsense"]})

    def test_shards(self):
        proof = self.path("proof.jsonl")
        self.assertEqual(harness.run("verify", MODEL, *ASKED[2:], "--certificate", proof).code, 0)
        records = []
        for k, more in (1, []), (2, ["--json"]):  # what --json prints was no record for --join
            done = self.judge(2, proof, *ASKED, "--shard", "%d/2" % k, *more)
            if not more:  # the line once read like a verdict
                self.assertIn("INCOMPLETE %s: not proved: " % proof, done.out)
            records += ["--join", self.write("s%d" % k, done.out)]
        self.judge(0, proof, *ASKED, *records, "--allow", "shards-run-elsewhere", word="VALID")
        self.judge(2, proof, *ASKED, *records, word="VALID_WITH_ASSUMPTIONS")
        strict = {"expect": "holds", "semantics": "fp32_any", "allow": []}
        self.refused(strict, "--allow", proof, *ASKED, *records, "--allow", "shards-run-elsewhere")
        self.judge(2, proof, *ASKED, *records, policy=strict, word="VALID_WITH_ASSUMPTIONS")
        done = self.judge(0, proof, *ASKED, *records, "--explain", policy={"allow": ["shards-run-elsewhere"]})
        self.assertIn("assumed: shards-run-elsewhere, used: ", done.err)
        self.write("s2", '{"certificate":"cut')
        self.assertIn("s2", self.judge(4, proof, *ASKED, *records).err)

    def test_slack(self):
        self.judge(1, self.short, word="INVALID")
        self.judge(0, self.short, "--slack", "1", word="VALID(SLACK")
        for policy in {"max-slack": "0"}, {"max-slack": "1000"}, {"expect": "holds"}, {"slack": "0.5"}:
            self.refused(policy, "--slack 1", self.short, "--slack", "1")
            self.refused(policy, "--slack 1", self.short, "--slack", "1", "--statement")
        self.judge(0, self.short, policy={"slack": "1"}, word="VALID(SLACK")
        self.judge(0, self.short, "--slack", "1", policy={"slack": "1.5"}, word="VALID(SLACK")
        self.judge(1, self.short, "--slack", "0.5", policy={"slack": "1.5"}, word="INVALID")

    def test_max_slack(self):
        for policy, most in ({}, "0"), ({"max-slack": "1e-9"}, "1e-9"), ({"slack": "1"}, "0"):
            self.judge(0, self.net, "--max-slack", most, policy=policy)
            self.judge(0, self.net, "--max-slack", "0", policy=policy)
            self.refused(policy, "--max-slack 2e-9", self.net, "--max-slack", "2e-9")

    def test_expect_semantics_and_counts(self):
        for key, values in ("expect", ["holds", "violated", "bound"]), ("semantics", ["real", "fp32_any", "fp64_any", "best"]), ("under", ["binary32", "binary64"]):
            for named in values:
                for given in values:
                    if given != named:
                        self.refused({key: named}, "--%s %s" % (key, given), self.net, "--" + key, given)
        self.judge(0, self.net, "--semantics", "real", policy={"semantics": "real"})
        self.judge(0, self.net, "--semantics", "real", policy={"allow": []})
        self.refused({"min-certified": "2"}, "--min-certified 1", self.net, "--min-certified", "1")

    def test_limits(self):
        policy = {"limit": ["digits=500"]}
        self.judge(0, self.net, "--limit", "digits=499", "--limit", "cases=77", policy=policy)
        self.refused(policy, "--limit digits=501", self.net, "--limit", "digits=501")
        self.judge(3, self.net, "--limit", "digits=499", "--limit", "digits=498", policy=policy)

    def test_what_only_strengthens(self):
        for option in "--exact", "--recompute", "--ieee32", "--quiet", "--json":
            self.judge(0, self.net, option, policy={"exact": False, "recompute": False, "ieee32": False})
        for key in "exact", "recompute", "ieee32":
            self.judge(0, self.net, policy={key: True})

    def test_what_judges_nothing(self):
        """--print ends with 0 without a word about the certificate."""
        for option in "--print", "--parse", "--limits", "--help", "-h":
            self.refused({"expect": "holds"}, option, self.net, option)

    def test_empty_policy(self):
        for text in "", " \n":
            done = self.judge(3, self.net, policy=text)
            self.assertIn("the file is empty", done.err)

    def test_every_option_was_thought_of(self):
        rows = re.findall(r'\{"(--[a-z0-9-]+)",\s*(?:&Options::\w+(?:, )?)?(?:Beside::(\w+))?',
                          harness.read("checker", "report", "options.cpp"))
        found = {}
        for name, rule in rows:
            found.setdefault(rule or "open", set()).add(name)
        self.assertEqual((found["same"], found["named"]), ({"--expect", "--semantics", "--under", "--fail-below"}, {"--allow-records"}))
        self.assertEqual(found["at_most"], {"--slack", "--max-slack"})
        self.assertEqual(found["at_least"], {"--min-certified"})
        self.assertEqual((found["listed"], found["limit"]), ({"--allow"}, {"--limit"}))
        self.assertEqual(found["refused"], {"--print", "--parse", "--limits", "--help"})
        question = "model property root input dataset labels row radius label clip scale mean std layout norm output-range max-deviation weights input-shape"
        how = "trust shard join exact json quiet explain recompute ieee32 sarif junit statement"
        self.assertEqual(found["open"], {"--" + name for name in (question + " " + how).split()})


class OtherTools(JudgeTest):
    """`--semantics fp64_any` beside a statement over the reals was VALID, and so was any model beside a proof about none."""

    def not_asked(self, word, *arguments, policy=None):
        done = self.judge(2, *arguments, policy=policy, word="VALID_BUT_NOT_ASKED")
        self.assertIn(word, done.err)

    def test_semantics(self):
        for file in self.leaf, self.net, self.knots:
            allow = ["--allow", "asserted-bounds"]
            for semantics in [], ["--semantics", "real"], ["--semantics", "best"]:
                self.judge(0, file, *allow, *semantics, word="VALID")
            for semantics in "fp32_any", "fp64_any", "fp32_sequential", "fp64_sequential":
                self.not_asked("--semantics " + semantics, file, *allow, "--semantics", semantics)
            self.not_asked("fp32_any", file, policy={"semantics": "fp32_any", "allow": ["asserted-bounds"]})

    def test_files_it_says_nothing_about(self):
        for file in self.net, self.knots:
            self.not_asked("--model", file, "--model", MODEL)
            self.not_asked("--weights", file, "--weights", self.path("nowhere"))
        self.not_asked("--weights", self.leaf, "--allow", "asserted-bounds", "--weights", self.path("nowhere"))
        self.not_asked("--recompute", self.leaf, "--allow", "asserted-bounds", "--recompute")


if __name__ == "__main__":
    harness.main()
