"""Every row of the limits of `check` has an effect: a command for each that runs under the defaults, and that a lower
value of that limit ends, with a message that names it. A row without a command, or without an effect, fails."""
import csv
import gzip
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

EXAMPLES = harness.source("certificates", "examples")
FOREIGN = harness.source("test", "fuzz", "seeds", "check_foreign", "")
DEEP = ["accepted/deep_tight.jsonl", "--model", "models/deep.onnx", "--property"]
MARABOU = [harness.source("test", "fuzz", "seeds", "check_marabou", "split.json")]
WORKED = ["accepted/worked.jsonl", "--model", "models/worked.onnx"]
HEAD = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= X_0 1))(assert (>= X_0 0))"


class Limits(harness.FolderTest):
    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def query(self, body):
        return WORKED + ["--property", self.write("query.vnnlib", HEAD + body)]

    def exact_bound(self):
        """An example with a bound that doubles do not reach: the question that it answers."""
        with open(os.path.join(EXAMPLES, "expected.csv"), encoding="utf-8", newline="") as file:
            row = next(r for r in csv.DictReader(file) if r["file"] == "accepted/narrow_bound_real-lower_exact.jsonl")
        return [row["file"], "--model", "models/%s.onnx" % row["model"], "--expect", row["expect"], "--semantics",
                row["semantics"]] + row["options"].split()

    def centre(self, name, content):
        return WORKED + ["--radius", "0.1", "--label", "0", "--input", self.write(name, content)]

    def table(self):
        """The setting, and the command it ends."""
        deep = DEEP + ["properties/deep_tight.vnnlib"]
        text = harness.read("certificates", "examples", "properties", "deep_tight.vnnlib")
        npy = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(117) + "\n"
        noise = ";" + "%x" % random.Random(1).getrandbits(1 << 23)  # a comment of 2 MiB that does not get much shorter
        with open(harness.source("test", "fuzz", "seeds", "check_png", "grey.png"), "rb") as file:
            picture = file.read()
        with open(FOREIGN + "decay.json", encoding="utf-8") as file:
            decay = file.read().replace('"-u"', '"-u+0*exp(t)"')
        several = "(assert (or (>= Y_0 1) (>= Y_0 2)))"
        yield "file-bytes=10", deep
        yield "unpacked-bytes=10", DEEP + [self.write("a.vnnlib.gz", gzip.compress(text.encode()))]
        yield "unpacked-ratio=1", DEEP + [self.write("b.vnnlib.gz", gzip.compress((text + noise).encode()))]
        yield "line-bytes=100", deep
        yield "token-bytes=3", deep
        yield "nesting=1", deep
        yield "digits=1", self.query("(assert (>= Y_0 25))")
        yield "exponent=1", self.query("(assert (>= Y_0 2e2))")
        yield "number-bits=4", self.query("(assert (>= (* 3 Y_0) 100))")
        yield "cases=1", self.query(several)
        yield "case-bytes=10", self.query(several)
        yield "case-work=1", self.query(several * 2)
        yield "property-work=1", self.query(several)
        yield "rank=1", deep
        yield "elements=1", deep
        yield "nodes=2", deep
        yield "tensors=1", deep
        yield "tree-depth=1", deep
        yield "kept-ranges=1", deep
        yield "exact-work=1", self.exact_bound()
        yield "json-depth=1", [FOREIGN + "leaf.json"]
        yield "array-depth=1", self.centre("c.json", "[[1]]")
        yield "header-bytes=10", self.centre("c.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + npy.encode() + bytes(4))
        yield "image-side=1", self.centre("c.png", picture)
        yield "layer-weights=1", [FOREIGN + "leaf.json", "--model", FOREIGN + "chain.onnx"]
        yield "decimal-places=1", MARABOU
        yield "variables=1", MARABOU
        yield "proof-work=1", MARABOU
        yield "number-work=1", [FOREIGN + "leaf.json"]
        yield "exp-argument=0", [self.write("decay.json", decay), "--root", FOREIGN]
        yield "memory-bytes=1000000", self.query(several * 11)
        yield "cpu-seconds=1", self.query("(assert (or (>= Y_0 1) (>= Y_0 2) (>= Y_0 3)))" * 12)

    def test_each_has_an_effect(self):
        listed = re.findall(r"^([a-z-]+)=\d+ ", harness.run("check", "--limits").out, re.M)
        tried = []
        for setting, command in self.table():
            name = setting.split("=")[0]
            tried.append(name)
            with self.subTest(setting):
                if name != "cpu-seconds":  # the command is there to take long
                    done = harness.run("check", *command, cwd=EXAMPLES)
                    self.assertNotEqual(done.code, 5, done)
                done = harness.run("check", *command, "--limit", setting, cwd=EXAMPLES)
                self.assertEqual(done.code, 2 if name == "exact-work" else 5, done)
                self.assertIn("limit " + setting.split("=")[1] if name == "image-side" else name, done.out + done.err)
        self.assertEqual(tried, listed)

    def test_numbers_wherever_they_stand(self):
        """A number over the limit of digits or of the exponent was MALFORMED, or a usage error, everywhere but in VNN-LIB."""
        centre, query = self.write("c.csv", "0.25\n"), WORKED[1:] + ["--radius", "0.12", "--label", "0"]
        cases = [WORKED[:1] + query + ["--input", centre], WORKED[:1] + WORKED[1:] + ["--radius", "1", "--input", centre],
                 WORKED[:1] + query, WORKED[:1] + query[:-4] + ["--radius", "1", "--output-range", "0,0.25"],
                 WORKED[:1] + query[:-4] + ["--radius", "1", "--scale", "2.55"],
                 [self.write("w.txt", "sat\n((X_0 0.25))")] + query[:-4] + ["--radius", "1"],
                 [FOREIGN + "decay.json", "--slack", "0.25", "--root", FOREIGN]]
        for command in cases:
            for order in (lambda c, l: c + l), (lambda c, l: l + c):
                done = harness.run("check", *order(command, ["--limit", "digits=1"]), cwd=EXAMPLES)
                self.assertEqual(done.code, 5, done)
                self.assertIn("raised by --limit digits=N", done.err)
        done = harness.run("check", *WORKED, "--radius", "1e9", "--limit", "exponent=5", cwd=EXAMPLES)
        self.assertEqual((done.code, "raised by --limit exponent=N" in done.err), (5, True), done)
        self.assertEqual(harness.run("check", *WORKED, "--radius", "1e", cwd=EXAMPLES).code, 3)


if __name__ == "__main__":
    harness.main()
