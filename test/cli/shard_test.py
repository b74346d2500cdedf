"""`check --shard` and `--join`: every record of a proof is followed by some shard, no shard is VALID by itself, and a
join takes nothing but the complete set of records of one certificate and one question."""
import hashlib
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
from models import harness

ALLOW = ["--allow", "shards-run-elsewhere"]
# Y_0 is the absolute value of X_0, as the sum of two Relus.
PROPERTY = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 -1))(assert (<= X_0 1))(assert (<= Y_0 -0.25))\n"


def sealed(lines):
    text = "".join(line + "\n" for line in lines)
    return text + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (len(lines), hashlib.sha256(text.encode()).hexdigest())


class ShardTest(harness.FolderTest):
    def setUp(self):
        super().setUp()
        models.write(self.path("m.onnx"), [("Neg", ["x"], "n"), ("Relu", ["x"], "p"), ("Relu", ["n"], "q"), ("Add", ["p", "q"], "y")],
                     inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        self.write("p.vnnlib", PROPERTY)
        self.asked = ["--model", self.path("m.onnx"), "--property", self.path("p.vnnlib")]
        done = harness.run("verify", *self.asked, "--certificate", self.path("v.jsonl"))
        self.assertEqual(done.code, 0, done)
        with open(self.path("v.jsonl"), encoding="utf-8") as file:
            self.head = file.read().split("\n")[:4]
        interval = ['{"record":"step","node":%d,"method":"interval"}' % k for k in range(1, 5)]
        self.refute = '{"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]}'
        self.leaf = interval + [self.refute, '{"record":"close"}']
        split = '{"record":"split","node":0,"element":0,"at":"%s"}'
        self.halves = [split % "0"] + [split % "-1*2^-1"] + self.leaf + self.leaf + ['{"record":"close"}'] + [split % "1*2^-1"] + self.leaf + self.leaf + ['{"record":"close"}']
        self.tree = ['{"record":"box","box":0}'] + self.halves + ['{"record":"close"}']

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def judge(self, *more, asked=None, name="c.jsonl"):
        done = harness.run("check", self.path(name), *(asked or self.asked), *more)
        return done.out.split(" ")[0], done

    def shards(self, tree, of=2, **how):
        """The words of all shards; what they print is kept in s1, s2, ..."""
        self.write("c.jsonl", sealed(self.head + tree))
        words = []
        for k in range(1, of + 1):
            word, done = self.judge("--shard", "%d/%d" % (k, of), **how)
            self.assertNotIn("VALID", (word,))
            self.assertEqual(done.code, {"INVALID": 1, "INCOMPLETE": 2}[word], done)
            self.write("s%d" % k, done.out)
            words.append(word + ("+" if '{"record":"shard"' in done.out else ""))
        return words

    def join(self, *names, **how):
        return self.judge(*[a for n in names for a in ("--join", self.path(n))], *ALLOW, **how)[0]

    def test_all_of_them(self):
        for of in 1, 2, 3, 7, 100:
            self.assertEqual(self.shards(self.tree, of), ["INCOMPLETE+"] * of)
            names = ["s%d" % k for k in range(1, of + 1)]
            self.assertEqual(self.join(*names), "VALID")
            self.assertEqual(self.judge()[0], "VALID")
            for left_out in {0, of // 2, of - 1}:
                self.assertIn(self.join(*(names[:left_out] + names[left_out + 1:] or [self.path("p.vnnlib")])), ("INCOMPLETE",))
        word, done = self.judge(*[a for k in range(1, 101) for a in ("--join", self.path("s%d" % k))])
        self.assertEqual((word, done.code), ("VALID_WITH_ASSUMPTIONS", 2), done)
        self.assertIn("shards-run-elsewhere", done.out)

    def test_every_record_is_followed_by_some_shard(self):
        """Damage one refutation or step after the other: one shard at least sees it, as the whole check does."""
        for i, line in enumerate(self.tree):
            if '"refute"' in line:
                damaged = line.replace('"1*2^0"', '"0"')
            elif '"step"' in line:
                damaged = line.replace("interval", "backward").replace("}", ',"lower":"7","upper":"","slopes":[]}')
            else:
                continue
            words = self.shards(self.tree[:i] + [damaged] + self.tree[i + 1:], 3)
            self.assertEqual(self.judge()[0], "INVALID", line)
            self.assertIn("INVALID", words, line)

    def test_what_open_takes_for_granted(self):
        """A leaf that refutes nothing is noticed by all shards, also where two splits side by side hide it."""
        i = len(self.tree) - 1 - self.tree[::-1].index(self.refute)
        nothing = self.tree[:i] + self.tree[i + 1:]
        self.assertEqual(self.shards(nothing, 3), ["INVALID"] * 3)
        side_by_side = nothing[:-1] + nothing[1:]
        self.assertEqual(self.shards(side_by_side, 2), ["INVALID"] * 2)
        self.assertEqual(self.judge()[0], "INVALID")

    def test_trees_that_are_none(self):
        for tree in self.tree[:-1], self.tree + ['{"record":"close"}'], self.tree + self.tree, self.tree[1:], self.tree[:-2] + self.tree[-1:]:
            self.assertEqual(self.shards(tree), ["INVALID"] * 2)
        i = self.tree.index(self.refute)
        self.assertEqual(self.shards(self.tree[:i] + ['{"record":"open"}'] + self.tree[i + 2:]), ["INCOMPLETE"] * 2)  # no record
        slopes = '{"record":"slopes","id":1,"node":3,"lower":"gA==","upper":""}'
        self.assertEqual(self.shards(self.tree[:i] + [slopes] + self.tree[i:]), ["INVALID"] * 2)

    def test_records_of_something_else(self):
        self.assertEqual(self.shards(self.tree), ["INCOMPLETE+"] * 2)
        os.rename(self.path("s2"), self.path("kept"))
        other = self.tree[:1] + self.leaf[:4] + self.tree[1:]
        self.assertEqual(self.shards(other), ["INCOMPLETE+"] * 2)
        self.assertEqual(self.join("s1", "s2"), "VALID")
        self.assertEqual(self.join("s1", "kept"), "INCOMPLETE")  # of another certificate
        self.assertEqual(self.join("s1", "s1"), "INCOMPLETE")
        self.assertEqual(self.join("s1", "s2", "kept"), "INCOMPLETE")
        with open(self.path("s2"), encoding="utf-8") as file:
            text = file.read()
        for old, new in ('"of":2', '"of":3'), ('"shard":2', '"shard":1'), ("fp32_any", "real"), ("outward check 1", "outward check 2"):
            self.write("changed", text.replace(old, new))
            self.assertEqual(self.join("s1", "changed"), "INCOMPLETE", new)
        self.write("q.vnnlib", PROPERTY.replace("-0.25", "-0.5"))
        self.assertEqual(self.join("s1", "s2", asked=self.asked[:3] + [self.path("q.vnnlib")]), "VALID_BUT_NOT_ASKED")
        self.assertEqual(self.judge("--shard", "1/2", asked=self.asked[:3] + [self.path("q.vnnlib")])[0], "VALID_BUT_NOT_ASKED")

    def test_usage(self):
        self.write("c.jsonl", sealed(self.head + self.tree))
        for more in ["0/2"], ["3/2"], ["1"], ["1/2", "--join", "x"], ["1/2", "--statement"], ["1/2", "--expect", "violated"]:
            self.assertEqual(self.judge("--shard", *more)[1].code, 3, more)
        self.assertEqual(self.judge("--shard", "1/2", asked=self.asked[:2])[1].code, 3)
        self.assertEqual(self.judge("--shard", "1/2", name="p.vnnlib")[1].code, 3)


if __name__ == "__main__":
    harness.main()
