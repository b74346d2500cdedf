"""`check --explain` in words, for each kind of file, and `--limit`: listed, lowered, raised, named where it is met."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

EXAMPLES = harness.source("certificates", "examples")
SEEDS = harness.source("test", "fuzz", "seeds")
DEEP = ["accepted/deep_tight.jsonl", "--model", "models/deep.onnx", "--property", "properties/deep_tight.vnnlib"]


def check(*arguments, cwd=EXAMPLES):
    return harness.run("check", *arguments, cwd=cwd)


class Explain(harness.FolderTest):
    def test_a_proof_of_ours(self):
        done = check(*DEEP, "--explain")
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(EXAMPLES, DEEP[0]), encoding="utf-8") as file:
            records = [re.match(r'\{"record":"(\w+)"', line).group(1) for line in file]
        for name in "split", "refute", "slopes", "close":
            self.assertIn(" %d %s," % (records.count(name), name), done.err)
        self.assertEqual(sum(int(n) for n in re.findall(r"(\d+) step by ", done.err)), records.count("step"))
        # In a binary tree there is a leaf more than there are splits.
        self.assertIn("tree: %d leaves" % (records.count("split") + 1), done.err)
        for words in ("no input of the set reaches", "every binary32 execution", "over the real numbers", "assumed: nothing",
                      "not covered: flush to zero", "checker/kernel/rules.cpp", "VNN-LIB"):
            self.assertIn(words, done.err)
        self.assertNotIn("radius queries", done.err)

    def test_a_counterexample(self):
        with open(self.path("m.vnnlib"), "w", encoding="utf-8") as file:
            file.write("(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 0))(assert (<= X_0 1))(assert (>= Y_0 0))")
        with open(self.path("w"), "w", encoding="utf-8") as file:
            file.write("sat\n((X_0 0.5)(Y_0 0))\n")
        done = check(self.path("w"), "--model", "models/worked.onnx", "--property", self.path("m.vnnlib"), "--explain")
        self.assertEqual(done.code, 0, done)
        self.assertIn("the point of the file was executed", done.err)
        self.assertIn("checker/kernel/execution.cpp", done.err)
        self.assertNotIn("checker/kernel/proof.cpp", done.err)

    def test_other_tools_and_their_assumptions(self):
        leaf = os.path.join(SEEDS, "check_foreign", "leaf.json")
        done = check(leaf, "--allow", "asserted-bounds", "--explain")
        self.assertEqual(done.code, 0, done)
        self.assertIn("assumed: asserted-bounds, used: ", done.err)
        self.assertIn("torchlean_leaf.cpp", done.err)
        done = check(os.path.join(SEEDS, "check_marabou", "split.json"), "--explain")
        self.assertEqual(done.code, 0, done)
        self.assertIn("assumed: nothing", done.err)
        self.assertIn("marabou.cpp", done.err)
        self.assertIn("not established", done.out)

    def test_what_does_not_follow_is_not_called_proved(self):
        done = check("rejected/worked-lambda_negative.jsonl", "--model", "models/worked.onnx", "--property",
                     "properties/worked.vnnlib", "--explain")
        self.assertNotEqual(done.code, 0)
        self.assertNotIn(": proved", done.err)

    def test_every_kind_has_its_files_and_every_file_is_there(self):
        source = harness.read("checker", "report", "explain.cpp")
        for kind in re.findall(r'^ *\{"([A-Za-z ]+)", is_', harness.read("checker", "translate", "foreign.cpp"), re.M):
            self.assertIn('{"%s", "' % kind, source)
        trust = harness.read("certificates", "TRUST.md")
        for name in re.findall(r"\b(?:checker/\w+/)?\w+\.cpp", source.split("namespace {", 1)[1]):
            self.assertIn(os.path.basename(name), trust)

    def test_limits(self):
        listed = check("--limits")
        self.assertEqual(listed.code, 0)
        names = re.findall(r"^([a-z-]+)=\d+ ", listed.out, re.M)
        self.assertEqual(len(names), len(listed.out.splitlines()))
        for needed in ("file-bytes nesting token-bytes tensors rank elements nodes unpacked-ratio unpacked-bytes digits exponent "
                       "tree-depth memory-bytes cpu-seconds").split():
            self.assertIn(needed, names)
        for limit in "tree-depth=1", "line-bytes=100", "nodes=2", "nesting=1", "file-bytes=10", "token-bytes=3":
            done = check(*DEEP, "--limit", limit)
            self.assertEqual(done.code, 5, (limit, done))
            self.assertTrue(done.out.startswith("RESOURCE_LIMIT"), done)
            self.assertIn("raised by --limit %s=N" % limit.split("=")[0], done.err)
        done = check(*DEEP, *[a for name in ("tree-depth=20000", "nesting=2000", "nodes=3000000") for a in ("--limit", name)])
        self.assertEqual(done.code, 0, done)
        for wrong in (["--limit", "nesting=3000"], ["--limit", "nests=3"], ["--limit", "nesting"], ["--limit"],
                      ["--limit", "nodes=9", "--limit", "nodes=10"]):
            self.assertEqual(check(*DEEP, *wrong).code, 3, wrong)

    def test_limits_of_a_policy_stand(self):
        with open(self.path("p.json"), "w", encoding="utf-8") as file:
            file.write('{"expect": "holds", "limit": ["tree-depth=1"]}')
        self.assertEqual(check(*DEEP, "--policy", self.path("p.json")).code, 5)
        self.assertEqual(check(*DEEP, "--policy", self.path("p.json"), "--limit", "tree-depth=100").code, 3)


if __name__ == "__main__":
    harness.main()
