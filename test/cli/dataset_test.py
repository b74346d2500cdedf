"""`verify --dataset` and compositions as a user sees them: the counts, a second run, and what `check` and the second
checker say about a composition that was tampered with."""
import hashlib
import json
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import schema
from models import harness

sys.path.insert(0, harness.source("test", "second"))
import check as second

SCHEMA = json.loads(harness.read("cli", "verify_dataset_schema.json"))
POINTS = [[1, 0], [0, 1], [0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.5]]
LABELS = [0, 1, 0, 0, 0, 1]
RADIUS = "0.125"  # row 4 has Y_0 - Y_1 = 0.25 at its centre and 0 in a corner: violated by a tie
CLAIMS = ["holds", "holds", "violated", "misclassified", "violated", "misclassified"]


def npy(kind, shape, values, code):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (kind, ", ".join(map(str, shape)))).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%d%s" % (len(values), code), *values)


def sealed(lines):
    text = "".join(line + "\n" for line in lines)
    return text + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (len(lines), hashlib.sha256(text.encode()).hexdigest())


class DatasetTest(harness.FolderTest):
    def setUp(self):
        super().setUp()
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 2])], outputs=[("y", [1, 2])])
        self.data(POINTS, LABELS)

    def data(self, points, labels):
        self.write("x.npy", npy("<f4", [len(points), 2], sum(points, []), "f"))
        self.write("y.npy", npy("<i8", [len(labels)], labels, "q"))

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def asked(self, *more, points="x.npy", radius=RADIUS):
        return ["--model", self.path("m.onnx"), "--dataset", self.path(points), "--labels", self.path("y.npy"), "--radius", radius] + list(more)

    def verify(self, *more, **query):
        return harness.run("verify", *self.asked(*more, **query))

    def results(self):
        return [json.loads(line) for line in self.read("x.npy.results.jsonl").split("\n")[:-1]]

    def composed(self):
        self.assertEqual(self.verify("--certificate", self.path("c.jsonl")).code, 0)
        return self.read("c.jsonl").split("\n")[:-2]

    def judge(self, name="c.jsonl", *more, **query):
        """The word of `check`, which has to be that of the second checker."""
        arguments = [self.path(name)] + self.asked(*more, **query)
        done = harness.run("check", *arguments)
        word = done.out.split(" ")[0]
        self.assertEqual(second.run(arguments)[0], word, done)
        self.assertEqual(done.code, {"VALID": 0, "INVALID": 1, "MALFORMED": 4, "UNSUPPORTED": 4}.get(word, 2), done)
        return word


class Runs(DatasetTest):
    def test_counts(self):
        done = self.verify("--certificate", self.path("c.jsonl"))
        self.assertEqual(done.code, 0, done)
        self.assertTrue(done.out.startswith("certified 2 of 6 rows (33.33 %), attacked 2 (33.33 %), clean 4 (66.67 %)\n"), done)
        self.assertEqual([r["verdict"] for r in self.results()], CLAIMS)
        self.assertEqual([r["predicted"] for r in self.results()], [0, 1, 0, 1, 0, 0])
        told = harness.run("check", self.path("c.jsonl"), *self.asked())
        self.assertEqual((told.code, told.out), (0, "VALID %s: certified 2 of 6 rows, attacked 2, clean 4 under fp32_any\n" % self.path("c.jsonl")))
        self.assertEqual(self.judge(), "VALID")

    def test_a_second_run_goes_on(self):
        lines = self.composed()
        before = self.read("x.npy.results.jsonl")
        self.assertEqual(self.composed(), lines)
        self.assertEqual(self.read("x.npy.results.jsonl"), before)
        kept = before.split("\n")
        self.write("x.npy.results.jsonl", "\n".join(kept[:3]) + "\n" + kept[3][:20])
        os.remove(self.path("c.jsonl.parts/row-1.jsonl"))  # a part that is gone is made again
        self.assertEqual(self.composed(), lines)
        self.assertEqual([r["row"] for r in self.results()], [0, 1, 2, 1, 3, 4, 5])

    def test_results_of_another_query(self):
        self.assertEqual(self.verify().code, 0)
        done = self.verify(radius="0.25")
        self.assertEqual(done.code, 4, done)
        self.assertIn("another model, dataset or query", done.err)

    def test_a_failing_row_is_not_the_end(self):
        self.data([[3e38, 0], [1, 0]], [0, 0])
        done = self.verify(radius="1e38")  # the box of row 0 is beyond binary32
        self.assertEqual((done.code, [r["verdict"] for r in self.results()]), (5, ["error", "violated"]), done)
        self.assertIn("error: 1 (rows 0)", done.out)

    def test_one_row(self):
        for row, code in enumerate([0, 0, 1, 1, 1, 1]):
            done = self.verify("--row", row, "--certificate", self.path("r.jsonl"))
            self.assertEqual(done.code, code, done)
            told = harness.run("check", self.path("r.jsonl"), *self.asked("--row", row, "--expect", "violated" if code else "holds"))
            self.assertEqual(told.code, 0, told)
            other = harness.run("check", self.path("r.jsonl"), *self.asked("--row", (row + 1) % 5, "--expect", "violated" if code else "holds"))
            self.assertEqual(other.out.split(" ")[0], "VALID_BUT_NOT_ASKED", other)

    def test_other_forms(self):
        self.composed()
        self.write("x.csv", "".join("%s,%s\n" % tuple(p) for p in POINTS))
        self.assertEqual(self.judge(points="x.csv"), "VALID")
        self.write("y.npy", npy("|u1", [6, 1], LABELS, "B"))
        self.assertEqual(self.judge(), "VALID")

    def test_refused(self):
        for labels, code in ([0, 1, 0, 0, 0], 4), ([0, 1, 0, 0, 0, 2], 4), ([0, 1, 0, 0, 0, -1], 4):
            self.data(POINTS, labels)
            self.assertEqual(self.verify().code, code)
        self.data(POINTS, LABELS)
        self.write("x.npy", npy("<f4", [12], sum(POINTS, []), "f"))  # which numbers make a row is not said
        self.assertEqual(self.verify().code, 4)
        for more in ["--label", "1"], ["--input", IMAGE], ["--radius", "max"], ["--batch", "b.csv"], ["--witness", "w"], ["--competition"]:
            self.assertEqual(self.verify(*more).code, 3, more)
        self.assertEqual(harness.run("verify", self.path("m.onnx"), "--radius", "1", "--row", "1").code, 3)

    def summary(self, *more, code=0, **query):
        done = self.verify("--json", *more, **query)
        self.assertEqual(done.code, code, done)
        self.assertEqual(done.out.count("\n"), 1, done)
        value = json.loads(done.out)
        self.assertEqual(schema.faults(value, SCHEMA), [])
        return value

    def test_json(self):
        value = self.summary("--certificate", self.path("c.jsonl"))
        self.assertEqual([value[k] for k in ("rows", "clean", "attacked", "certified", "semantics")], [6, 4, 2, 2, "fp32_any"])
        self.assertEqual([value[k] for k in ("unknown", "error", "not_run", "certified_over_reals", "refuted_over_reals")], [[]] * 5)
        text = self.read("c.jsonl").encode()
        self.assertEqual(value["certificate"], {"path": self.path("c.jsonl"), "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest(),
                                                "parts": self.path("c.jsonl.parts")})
        self.assertEqual(value["results"], self.path("x.npy.results.jsonl"))
        self.assertEqual(self.judge(), "VALID")
        again = self.summary()
        self.assertIsNone(again["certificate"])
        self.assertEqual((again["certified"], again["model"]), (2, value["model"]))

    def test_json_of_failures(self):
        self.data([[3e38, 0], [1, 0]], [0, 0])
        value = self.summary(radius="1e38", code=5)
        self.assertEqual((value["error"], value["certified"], value["attacked"], value["clean"]), ([0], 0, 1, 2))

    def test_the_schema_is_closed(self):
        value = self.summary()
        for key in SCHEMA["required"]:
            self.assertNotEqual(schema.faults({k: v for k, v in value.items() if k != key}, SCHEMA), [], key)
        self.assertNotEqual(schema.faults(dict(value, more=1), SCHEMA), [])
        self.assertNotEqual(schema.faults(dict(value, unknown=[-1]), SCHEMA), [])

    def test_best_falls_back_row_by_row(self):
        # y = relu(x + 2^24) - 2^24: binary32 rounds x to a multiple of 2 about, so that row 0 is certified over the reals
        # alone. Row 1 is far from any rounding.
        big = 2.0 ** 24
        models.write(self.path("m.onnx"), [("Add", ["x", "b"], "a"), ("Relu", ["a"], "r"), ("Sub", ["r", "b"], "y")],
                     inputs=[("x", [1, 2])], outputs=[("y", [1, 2])], tensors=[("b", [1, 2], [big, big])])
        self.data([[3, 0.75], [64, 0]], [0, 0])
        value = self.summary("--semantics", "best", "--certificate", self.path("c.jsonl"), radius="0.0625")
        self.assertEqual((value["semantics"], value["certified"], value["unknown"], value["certified_over_reals"]), ("fp32_any", 1, [], [0]), value)
        self.assertEqual([(r["semantics"], r["verdict"], r["under"]) for r in self.results()], [("best", "holds", "real"), ("best", "holds", "fp32_any")])
        self.assertEqual(self.judge(radius="0.0625"), "VALID")  # of the float claim: the row is listed as unknown
        self.assertIn('"row":0,"label":0,', self.read("c.jsonl").split("\n")[2])
        self.assertIn('"claim":"unknown"', self.read("c.jsonl").split("\n")[2])
        text = self.verify("--semantics", "best", radius="0.0625")
        self.assertEqual(text.code, 0, text)
        self.assertIn("not counted, certified over the real numbers only: 1 (rows 0)\n", text.out)
        self.assertEqual(self.verify(radius="0.0625").code, 4)  # those results are of another query
        os.remove(self.path("x.npy.results.jsonl"))
        value = self.summary(radius="0.0625", code=2)
        self.assertEqual((value["certified"], value["unknown"], value["certified_over_reals"]), (1, [0], []))


class Compositions(DatasetTest):
    def rejected(self, lines, word, *more, **query):
        self.write("c.jsonl", sealed(lines))
        self.assertEqual(self.judge("c.jsonl", *more, **query), word)

    def test_a_least_number_of_certified_rows(self):
        lines = self.composed()
        for least, word, code in (0, "VALID", 0), (2, "VALID", 0), (3, "VALID_BUT_NOT_ASKED", 2), (999999999, "VALID_BUT_NOT_ASKED", 2):
            told = harness.run("check", self.path("c.jsonl"), *self.asked("--min-certified", least))
            self.assertEqual((told.out.split(" ")[0], told.code), (word, code), told)
        self.assertIn("expected at least", told.out + told.err)
        self.write("policy.json", '{"min-certified": "3"}')
        told = harness.run("check", self.path("c.jsonl"), *self.asked("--policy", self.path("policy.json")))
        self.assertEqual((told.out.split(" ")[0], told.code), ("VALID_BUT_NOT_ASKED", 2), told)
        for count in "", "-1", "1.5", "many", "1e3", str(2 ** 63):
            self.assertEqual(harness.run("check", self.path("c.jsonl"), *self.asked("--min-certified=" + count)).code, 3, count)
        for more in ["--row", "0"], ["--min-certified", "1"]:
            self.assertEqual(harness.run("check", self.path("c.jsonl"), *self.asked("--min-certified", "1", *more)).code, 3, more)
        self.assertEqual(harness.run("check", self.path("c.jsonl"), "--min-certified", "1").code, 3)
        # More rows claimed than proved: the number alone is no way to pass.
        more = self.counts(self.row(lines, 3, claim="unknown"), 5, 3, 3)
        self.write("c.jsonl", sealed(more))
        told = harness.run("check", self.path("c.jsonl"), *self.asked("--min-certified", 3))
        self.assertEqual((told.out.split(" ")[0], told.code), ("INVALID", 1), told)

    def row(self, lines, i, **changes):
        """The lines with other values in the record of row i; None takes a key away."""
        r = {k: v for k, v in dict(json.loads(lines[2 + i]), **changes).items() if v is not None}
        return lines[:2 + i] + [json.dumps(r, separators=(",", ":"))] + lines[3 + i:]

    def counts(self, lines, clean, attacked, certified):
        return lines[:-1] + ['{"record":"accuracy","clean":%d,"attacked":%d,"certified":%d}' % (clean, attacked, certified)]

    def test_asked(self):
        lines = self.composed()
        self.assertEqual(self.judge(radius="0.1"), "VALID_BUT_NOT_ASKED")
        self.assertEqual(self.judge("c.jsonl", "--clip", "0,1"), "VALID_BUT_NOT_ASKED")
        self.assertEqual(self.judge("c.jsonl", "--semantics", "real"), "VALID_BUT_NOT_ASKED")  # a counterexample in floats
        self.assertEqual(self.judge("c.jsonl", "--semantics", "best"), "VALID")
        self.data(POINTS[:2], LABELS[:2])
        self.rejected(self.counts(lines[:1] + [lines[1].replace('"rows":6', '"rows":2')] + lines[2:4] + lines[-1:], 2, 2, 2), "VALID", "--semantics", "real")
        for points, labels in (POINTS[:5] + [[0.5, 0.25]], LABELS), (POINTS, [1] + LABELS[1:]), (POINTS[:5], LABELS[:5]):
            self.data(points, labels)
            self.rejected(lines, "VALID_BUT_NOT_ASKED")

    def test_a_part_for_another_row(self):
        lines = self.composed()
        shutil.copy(self.path("c.jsonl.parts/row-0.jsonl"), self.path("c.jsonl.parts/again.jsonl"))
        first = json.loads(lines[2])
        self.rejected(self.row(lines, 1, path="c.jsonl.parts/again.jsonl", sha256=first["sha256"]), "INVALID")
        self.rejected(self.row(lines, 1, path=first["path"], sha256=first["sha256"]), "INVALID")
        violated = self.row(lines, 2, claim="holds")  # the part proves the opposite
        self.rejected(self.counts(violated, 4, 3, 3), "INVALID")

    def test_rows_left_out_or_renumbered(self):
        lines = self.composed()
        fewer = lines[:1] + [lines[1].replace('"rows":6', '"rows":5')] + lines[2:6] + lines[7:]
        self.rejected(fewer, "MALFORMED")  # row 5 where row 4 has to be
        self.rejected(self.counts(lines[:1] + [lines[1].replace('"rows":6', '"rows":5')] + lines[2:7] + lines[-1:], 4, 2, 2), "VALID_BUT_NOT_ASKED")
        self.rejected(lines[:2] + [lines[3], lines[2]] + lines[4:], "MALFORMED")
        self.rejected(lines[:2] + lines[3:], "MALFORMED")
        self.rejected(lines[:3] + [lines[2]] + lines[3:], "MALFORMED")

    def test_claims_that_are_not_so(self):
        lines = self.composed()
        none = dict(path=None, sha256=None)
        self.rejected(self.counts(self.row(lines, 2, claim="misclassified", **none), 3, 2, 2), "INVALID")
        self.rejected(self.counts(self.row(lines, 3, claim="unknown"), 5, 3, 2), "INVALID")
        self.rejected(self.row(lines, 0, **none), "MALFORMED")
        self.rejected(self.counts(self.row(lines, 0, claim="unknown", **none), 4, 2, 1), "VALID")  # claims less
        for clean, attacked, certified in (5, 2, 2), (4, 3, 2), (4, 2, 3), (4, 1, 2):
            self.rejected(self.counts(lines, clean, attacked, certified), "INVALID")

    def test_parts_that_are_not_those(self):
        lines = self.composed()
        part, real = self.path("c.jsonl.parts/row-0.jsonl"), json.loads(lines[2])["sha256"]
        with open(part, encoding="utf-8") as file:
            text = file.read()
        outside = os.path.join(self.folder, "sub")
        os.makedirs(outside)
        shutil.copy(part, self.path("outside.jsonl"))
        self.write("sub/c.jsonl", sealed(self.row(lines, 0, path="../outside.jsonl")))
        self.assertEqual(self.judge("sub/c.jsonl"), "INVALID")
        for path in self.path("outside.jsonl"), "./outside.jsonl", "", "c.jsonl.parts/../outside.jsonl", "nothere.jsonl", "c.jsonl.parts", "outside.jsonl\0":
            r = json.dumps(dict(json.loads(lines[2]), path=path), separators=(",", ":"))
            self.rejected(lines[:2] + [r] + lines[3:], "INVALID")
        os.symlink(part, self.path("link.jsonl"))
        self.rejected(self.row(lines, 0, path="link.jsonl"), "INVALID")
        self.rejected(self.row(lines, 0, path="outside.jsonl"), "VALID")
        body = text.split("\n")[:-2]
        for changed in sealed(body[:-1]), sealed([line for line in body if '"refute"' not in line]), text + "\n", "no certificate\n":
            self.write("c.jsonl.parts/row-0.jsonl", changed)
            self.rejected(lines, "INVALID")  # the digest is another
            self.rejected(self.row(lines, 0, sha256=hashlib.sha256(changed.encode()).hexdigest()), "INVALID")
        changed = sealed(body[:5] + ['{"record":"open"}'])
        self.write("c.jsonl.parts/row-0.jsonl", changed)
        self.rejected(self.row(lines, 0, sha256=hashlib.sha256(changed.encode()).hexdigest()), "INCOMPLETE")
        self.assertNotEqual(real, hashlib.sha256(changed.encode()).hexdigest())

    def test_form(self):
        lines = self.composed()
        graph = json.loads(lines[1])["graph"]
        self.rejected([lines[0].replace('"version":1', '"version":2')] + lines[1:], "UNSUPPORTED")
        self.rejected([lines[0].replace("fp32_any", "fp16_any")] + lines[1:], "UNSUPPORTED")
        self.rejected([lines[0].replace("fp32_any", "fp64_any")] + lines[1:], "INVALID")
        self.rejected([lines[0], lines[1].replace(graph, "0" * 64)] + lines[2:], "INVALID")
        self.rejected(lines[:2] + [lines[2].replace(",", ", ", 1)] + lines[3:], "MALFORMED")
        self.rejected(lines[:2] + [lines[2].replace('"label":0', '"label":0,"more":1')] + lines[3:], "MALFORMED")
        self.rejected(lines[:-1], "MALFORMED")
        self.write("c.jsonl", sealed(lines).replace('"sha256":"', '"sha256":"f', 1))
        self.assertEqual(self.judge(), "MALFORMED")
        self.write("c.jsonl", sealed(lines).replace('"records":9', '"records":8'))
        self.assertEqual(self.judge(), "INVALID")
        self.write("c.jsonl", sealed(lines) + "\n")
        self.assertEqual(self.judge(), "INVALID")
        self.write("c.jsonl", "\n".join(lines) + "\n")
        self.assertEqual(self.judge(), "MALFORMED")

    def test_nothing_listed(self):
        self.data([[0.25, 0.5]], [0])
        self.assertEqual(self.verify("--certificate", self.path("c.jsonl")).code, 0)
        self.assertEqual(self.judge(), "VALID(VACUOUS)")

    def test_usage(self):
        self.composed()
        for arguments in self.asked("--row", 0), self.asked("--expect", "violated"), self.asked()[:2] + self.asked()[-2:], self.asked("--label", 1):
            self.assertEqual(harness.run("check", self.path("c.jsonl"), *arguments).code, 3, arguments)
        self.assertEqual(harness.run("check", self.path("c.jsonl.parts/row-0.jsonl"), *self.asked()).code, 3)


IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")

class Shards(DatasetTest):
    """A composition in shards: every row is in exactly one, no shard is VALID, and a join takes nothing but all of them."""

    def shards(self, of, **query):
        words = []
        for k in range(1, of + 1):
            done = harness.run("check", self.path("c.jsonl"), *self.asked("--shard", "%d/%d" % (k, of), **query))
            self.assertEqual(done.code, {"INVALID": 1, "INCOMPLETE": 2, "VALID_BUT_NOT_ASKED": 2}[done.out.split(" ")[0]], done)
            self.write("s%d" % k, done.out)
            words.append(done.out.split(" ")[0] + ("+" if '{"record":"shard"' in done.out else ""))
        return words

    def join(self, *names, **query):
        records = [a for n in names for a in ("--join", self.path(n))]
        return harness.run("check", self.path("c.jsonl"), *self.asked("--allow", "shards-run-elsewhere", *records, **query)).out.split(" ")[0]

    def test_all_of_them(self):
        self.composed()
        for of in 1, 2, 3, 9:  # more shards than rows too
            self.assertEqual(self.shards(of), ["INCOMPLETE+"] * of)
            names = ["s%d" % k for k in range(1, of + 1)]
            self.assertEqual(self.join(*names), "VALID")
            for left_out in 0, of - 1:
                self.assertEqual(self.join(*(names[:left_out] + names[left_out + 1:] or ["y.npy"])), "INCOMPLETE")
        done = harness.run("check", self.path("c.jsonl"), *self.asked(*[a for n in names for a in ("--join", self.path(n))]))
        self.assertEqual((done.out.split(" ")[0], done.code), ("VALID_WITH_ASSUMPTIONS", 2), done)

    def test_every_row_is_in_a_shard(self):
        lines = self.composed()
        for row, claim in enumerate(CLAIMS):
            at = 2 + row
            if claim == "misclassified":  # said to be right, and counted so
                damaged = lines[at].replace("misclassified", "unknown")
                counts = lines[-1].replace('"clean":4,"attacked":2', '"clean":5,"attacked":3')
                self.assertNotEqual(counts, lines[-1])
                self.write("c.jsonl", sealed(lines[:at] + [damaged] + lines[at + 1:-1] + [counts]))
                self.assertEqual(self.shards(3), ["INVALID" if k == row % 3 else "INCOMPLETE+" for k in range(3)])
                self.assertEqual(self.join("s1", "s2", "s3"), "INCOMPLETE")
                self.write("c.jsonl", sealed(lines))
            else:
                part = "c.jsonl.parts/row-%d.jsonl" % row
                kept = self.read(part)
                self.write(part, kept.replace("outward verify", "outward verifY"))
                self.assertEqual(self.shards(3), ["INVALID" if k == row % 3 else "INCOMPLETE+" for k in range(3)])
                self.write(part, kept)

    def test_records_of_something_else(self):
        lines = self.composed()
        self.assertEqual(self.shards(2), ["INCOMPLETE+"] * 2)
        for old, new in ('"of":2', '"of":3'), ('"shard":2', '"shard":1'), ("composition", "holds"), ("fp32_any", "real"):
            self.write("changed", self.read("s2").replace(old, new))
            self.assertEqual(self.join("s1", "changed"), "INCOMPLETE", new)
        self.assertEqual(self.join("s1", "s2", radius="0.0625"), "VALID_BUT_NOT_ASKED")
        self.assertEqual(self.shards(2, radius="0.0625"), ["VALID_BUT_NOT_ASKED"] * 2)
        self.shards(2)
        self.write("c.jsonl", sealed([lines[0].replace("outward", "Outward", 2).replace("Outward-composition", "outward-composition")] + lines[1:]))
        self.assertEqual(self.join("s1", "s2"), "INCOMPLETE")  # another producer: other bytes, other records

    def test_without_parts_there_is_nothing_to_divide(self):
        self.data([[0.25, 0.5], [0.5, 0.5]], [0, 1])
        lines = self.composed()
        self.assertEqual(self.join("y.npy"), "VALID(VACUOUS)")
        counts = lines[-1].replace('"clean":0,"attacked":0', '"clean":1,"attacked":1')
        self.assertNotEqual(counts, lines[-1])
        self.write("c.jsonl", sealed(lines[:3] + [lines[3].replace("misclassified", "unknown"), counts]))
        self.assertEqual(self.join("y.npy"), "INVALID")


if __name__ == "__main__":
    harness.main()
