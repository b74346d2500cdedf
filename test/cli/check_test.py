"""`check` as a user sees it: it says VALID to what was proved and asked, and to nothing else."""
import gzip
import hashlib
import json
import os
import random
import re
import struct
import sys
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
HOLDS, VIOLATED = "0.1", "0.2"
WORDS = {"VALID": 0, "INVALID": 1, "INCOMPLETE": 2, "VALID_BUT_NOT_ASKED": 2, "VALID_WITH_ASSUMPTIONS": 2, "VALID(VACUOUS)": 2,
         "MALFORMED": 4, "UNSUPPORTED": 4, "RESOURCE_LIMIT": 5}


def asked(radius, *more):
    return ["--model", MODEL, "--radius", radius, "--input", IMAGE, "--label", 1] + list(more)


def refoot(lines):
    """The records with a footer that matches them, so that only their meaning can be wrong."""
    text = "".join(line + "\n" for line in lines)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return text + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (len(lines), digest)


class CheckTest(harness.FolderTest):
    """Has a proof that the example holds and a proof that it is violated at a greater radius."""

    @classmethod
    def setUpClass(cls):
        cls.proofs = {}

    def setUp(self):
        super().setUp()
        for name, radius, code in ("holds", HOLDS, 0), ("violated", VIOLATED, 1):
            arguments = [MODEL, "--radius", radius, "--input", IMAGE, "--label", 1, "--certificate", self.path(name), "--witness", self.path("witness")]
            done = harness.run("verify", *arguments)
            self.assertEqual(done.code, code, done.err)
            with open(self.path(name), encoding="utf-8") as file:
                self.proofs[name] = file.read()

    def test_every_target(self):
        """A deviation was refused with every certificate and witness: the centre's own query kept the deviation as an option."""
        for target in ["--label", 1], ["--output-range", "-20,20"], ["--output-range", "0,1"], ["--max-deviation", "3"], ["--max-deviation", "0.01"]:
            for more in [], ["--clip", "0,1"], ["--scale", "2"], ["--mean", "0.1", "--std", "1.5", "--layout", "nchw"]:
                query = ["--radius", "0.01", "--input", IMAGE] + target + more
                if "--layout" in more:
                    query = ["--radius", "0.01"] + target + more
                done = harness.run("verify", MODEL, *query, "--certificate", self.path("c"), "--witness", self.path("w"))
                if "--layout" in more and done.code in (3, 4):
                    continue  # the example's input is no image
                self.assertIn(done.code, (0, 1), done)
                expected = "holds" if done.code == 0 else "violated"
                self.judge("VALID", self.path("c"), "--model", MODEL, *query, "--expect", expected)
                if done.code == 1:
                    self.judge("VALID", self.path("w"), "--model", MODEL, *query, "--semantics", "fp32_sequential")

    def test_open_dimensions(self):
        """The shapes of the model record were one level deeper than the checker's reader allowed."""
        models.write(self.path("m.onnx"), [("GlobalAveragePool", ["x"], "p"), ("Flatten", ["p"], "y")], inputs=[("x", ["N", 3, "H", "W"])], outputs=[("y", ["N", 3])])
        query = ["--radius", "0.1", "--output-range", "-5,5", "--input-shape", "x=1,3,2,2"]
        # The option once took the model behind it for a second shape.
        done = harness.run("verify", *query, self.path("m.onnx"), "--certificate", self.path("c"))
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(harness.run("model", "info", *query[-2:], self.path("m.onnx")).code, 0)
        self.judge("VALID", self.path("c"), "--model", self.path("m.onnx"), *query)
        self.judge("INVALID", self.path("c"), "--model", self.path("m.onnx"), *query[:-1], "x=1,3,2,1")

    def lines(self, name):
        """The records of a proof without the footer."""
        return self.proofs[name].split("\n")[:-2]

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def judge(self, word, *arguments):
        done = harness.run("check", *arguments)
        self.assertEqual((done.out.split(" ")[0], done.code), (word, WORDS[word]), done)
        return done

    def judge_text(self, text, *arguments):
        """Verdict word on a changed certificate."""
        done = harness.run("check", self.write("changed", text), *arguments)
        word = done.out.split(" ")[0]
        self.assertEqual(done.code, WORDS[word], done)
        return word


class Verdicts(CheckTest):
    def test_every_kind_of_centre(self):
        """PNG, flat text, files told by content, --layout for colours and gzipped files were read by verify only."""
        models.write(self.path("m.onnx"), [("GlobalAveragePool", ["x"], "p"), ("Flatten", ["p"], "y")], inputs=[("x", [1, 3, 3, 3])], outputs=[("y", [1, 3])])
        samples = [(7 * i) % 27 for i in range(27)]
        lines = b"".join(b"\0" + bytes(samples[9 * y:9 * y + 9]) for y in range(3))

        def chunk(name, data):
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 3, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
        ppm = b"P6 3 3 255\n" + bytes(samples)
        text = " ".join(map(str, samples)).encode()
        npy = b"\x93NUMPY\x01\x00\x3c\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (27,)}".ljust(59) + b"\n" + bytes(samples)
        centres = {}
        for name, data, flat in [("a.png", png, False), ("a.ppm", ppm, False), ("b.dat", ppm, False), ("a.txt", text, True), ("c.dat", npy, True)]:
            for file, content in [(name, data), (name + ".gz", gzip.compress(data))]:
                self.write(file, content)
                for layout in ["nchw", "nhwc"]:
                    query = ["--input", self.path(file), "--layout", layout, "--radius", "0.5", "--output-range", "-1,255"]
                    done = harness.run("verify", self.path("m.onnx"), *query, "--certificate", self.path("c"))
                    self.assertEqual(done.code, 0, done.err)
                    self.judge("VALID", self.path("c"), "--model", self.path("m.onnx"), *query)
                    with open(self.path("c"), encoding="utf-8") as certificate:
                        centre = [json.loads(line)["centre"] for line in certificate if '"record":"property"' in line]
                    centres.setdefault(not flat and layout == "nchw", []).append(centre)
        for order in False, True:  # as stored, and with the channels first
            values = samples if not order else [samples[3 * p + c] for c in range(3) for p in range(9)]
            bits = [struct.pack(">f", v).hex() for v in values]
            self.assertEqual(centres[order], [[bits]] * len(centres[order]))
        self.assertEqual([len(centres[False]), len(centres[True])], [14, 6])
        query = ["--input", self.path("a.png"), "--radius", "0.5", "--output-range", "-1,255"]
        self.assertEqual(harness.run("verify", self.path("m.onnx"), *query).code, 4)
        self.judge("UNSUPPORTED", self.path("c"), "--model", self.path("m.onnx"), *query)

    def test_valid(self):
        done = self.judge("VALID", self.path("holds"), *asked(HOLDS))
        self.assertIn("holds under fp32_any and real", done.out)
        self.judge("VALID", self.path("holds"), *asked(HOLDS, "--exact"))
        self.judge("VALID", self.path("holds"), *asked(HOLDS, "--expect", "holds"))
        self.judge("VALID", self.path("holds"), *asked(HOLDS, "--semantics", "real"))
        self.judge("VALID", self.path("holds"), *asked(HOLDS, "--semantics", "best"))

    def test_violated(self):
        self.judge("VALID", self.path("violated"), *asked(VIOLATED, "--expect", "violated"))
        self.judge("VALID_BUT_NOT_ASKED", self.path("violated"), *asked(VIOLATED))

    def test_counterexample_file(self):
        self.judge("VALID", self.path("witness"), *asked(VIOLATED))
        self.judge("INVALID", self.path("witness"), *asked(HOLDS))

    def test_label_by_default_is_the_prediction(self):
        self.judge("VALID", self.path("holds"), "--model", MODEL, "--radius", HOLDS, "--input", IMAGE)

    def test_root_finds_the_model(self):
        done = self.judge("VALID", self.path("holds"), "--root", harness.EXAMPLES, *asked(HOLDS)[2:], "--explain")
        self.assertIn("strokes.onnx", done.out + done.err)

    def test_packed_files(self):
        """A model may be packed, for either program; the proof is about what is inside."""
        with open(MODEL, "rb") as plain:
            model = self.write("strokes.onnx.gz", gzip.compress(plain.read()))
        done = harness.run("verify", model, "--radius", HOLDS, "--input", IMAGE, "--label", 1, "--certificate", self.path("packed"))
        self.assertEqual(done.code, 0, done.err)
        for proof in "packed", "holds":
            self.judge("VALID", self.path(proof), "--model", model, *asked(HOLDS)[2:])
            self.judge("VALID", self.path(proof), *asked(HOLDS))

    def test_bound(self):
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        arguments = ["--radius", "0.5"]
        self.assertEqual(harness.run("verify", self.path("m.onnx"), *arguments, "--certificate", self.path("c")).code, 0)
        done = self.judge("VALID", self.path("c"), "--model", self.path("m.onnx"), *arguments, "--expect", "bound")
        self.assertIn("Y_0 <=", done.out)
        self.judge("VALID_BUT_NOT_ASKED", self.path("c"), "--model", self.path("m.onnx"), *arguments)

    def test_several_files_worst_code_wins(self):
        done = harness.run("check", self.path("holds"), self.write("bad", "{}\n"), self.path("holds"), *asked(HOLDS))
        self.assertEqual(done.code, 4)
        self.assertEqual([line.split(" ")[0] for line in done.out.split("\n")[:3]], ["VALID", "UNSUPPORTED", "VALID"])

    def test_json(self):
        for name, more in ("holds", []), ("violated", []), ("violated", ["--expect", "violated"]):
            done = harness.run("check", self.path(name), *asked(HOLDS if name == "holds" else VIOLATED), *more, "--json")
            value = json.loads(done.out)
            self.assertEqual(set(value), {"certificate", "verdict", "exit", "claim", "semantics", "records", "exact_decisions", "bounds", "statements", "reasons", "notes"})
            self.assertEqual((value["exit"], WORDS[value["verdict"]]), (done.code, done.code))
            self.assertEqual(value["claim"], name)

    def test_print_and_parse_give_the_same_bytes(self):
        for name in "holds", "violated":
            printed = harness.run("check", self.path(name), "--print")
            self.assertEqual(printed.code, 0, printed.err)
            parsed = harness.run("check", self.write("text", printed.out), "--parse")
            self.assertEqual((parsed.code, parsed.out), (0, self.proofs[name]))

    def test_locale_and_folder_do_not_matter(self):
        expected = harness.run("check", self.path("holds"), *asked(HOLDS))
        for env in {"LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8"}, {"LC_ALL": "tr_TR.UTF-8"}:
            self.assertEqual(harness.run("check", self.path("holds"), *asked(HOLDS), env=env), expected)
        self.assertEqual(harness.run("check", self.path("holds"), *asked(HOLDS), cwd="/"), expected)


class NotAsked(CheckTest):
    def test_nothing_is_asked(self):
        for arguments in [], ["--model", MODEL], asked(HOLDS)[2:]:
            self.judge("VALID_BUT_NOT_ASKED", self.path("holds"), *arguments)

    def test_nothing_is_proved_without_the_question(self):
        """A file of any records was told to prove what it claims where model or property were not at hand."""
        made = self.path("v.jsonl")
        with open(self.path("p.vnnlib"), "w", encoding="utf-8") as file:
            file.write("".join("(declare-const X_%d Real)\n(assert (>= X_%d 0))\n(assert (<= X_%d 0))\n" % (i, i, i) for i in range(16))
                       + "".join("(declare-const Y_%d Real)\n" % j for j in range(3)) + "(assert (>= Y_0 1000))\n")
        done = harness.run("verify", MODEL, self.path("p.vnnlib"), "--certificate", made)
        self.assertEqual(done.code, 0, done)
        for arguments, proved in ([], False), (["--model", MODEL], False), (["--model", MODEL, "--property", self.path("p.vnnlib")], True), \
                (["--model", MODEL, "--property", self.path("p.vnnlib"), "--expect", "violated"], True):
            done = harness.run("check", made, "--explain", *arguments)
            self.assertEqual(done.out.split(" ")[0], "VALID" if arguments and arguments[-1].endswith("lib") else "VALID_BUT_NOT_ASKED", done)
            self.assertEqual("not proved: holds under fp32_any" in done.out, not proved, done)
            self.assertEqual("nothing was proved; the file claims" in done.err, not proved, done)
            self.assertEqual(": proved: " in done.err, proved, done)

    def test_another_question(self):
        for arguments in [asked("0.2"), asked("0.05"), asked(HOLDS)[:4], asked(HOLDS)[:-1] + [0], asked(HOLDS, "--clip", "0,1"),
                          asked(HOLDS, "--scale", "2"), asked(HOLDS, "--expect", "violated"), asked(HOLDS, "--expect", "bound"),
                          ["--model", MODEL, "--radius", HOLDS, "--input", IMAGE, "--output-range", "-9,9"]]:
            self.judge("VALID_BUT_NOT_ASKED", self.path("holds"), *arguments)

    def test_the_same_question_in_other_words(self):
        self.judge("VALID", self.path("holds"), *["1e-1" if a == HOLDS else a for a in asked(HOLDS)])

    def test_another_model(self):
        with open(MODEL, "rb") as file:
            data = bytearray(file.read())
        data[data.index(b"weight0") + 30] ^= 1
        done = harness.run("check", self.path("holds"), *["" + self.write("m.onnx", bytes(data)) if a == MODEL else a for a in asked(HOLDS)])
        self.assertNotEqual(done.code, 0, done)

    def test_real_only_proof(self):
        harness.run("verify", MODEL, "--radius", HOLDS, "--input", IMAGE, "--label", 1, "--semantics", "real", "--certificate", self.path("real"))
        self.judge("VALID_BUT_NOT_ASKED", self.path("real"), *asked(HOLDS))
        self.judge("VALID", self.path("real"), *asked(HOLDS, "--semantics", "real"))
        self.judge("VALID", self.path("real"), *asked(HOLDS, "--semantics", "best"))


class Tampering(CheckTest):
    def words(self, texts, *arguments):
        """Verdicts on many changed certificates in one run."""
        names = [self.write("t%05d" % i, text) for i, text in enumerate(texts)]
        done = harness.run("check", "--json", *names, *arguments, timeout=300)
        self.assertIn(done.code, (0, 1, 2, 4, 5), done.err)
        return [json.loads(line)["verdict"] for line in done.out.split("\n") if line]

    def test_no_changed_byte_is_overlooked(self):
        rng = random.Random(3)
        for name, more in ("holds", asked(HOLDS)), ("violated", asked(VIOLATED, "--expect", "violated")):
            data = self.proofs[name].encode()
            changed = []
            for at in range(len(data)):
                copy = bytearray(data)
                copy[at] ^= 1 << rng.randrange(8)
                changed.append(bytes(copy))
            words = self.words(changed, *more)
            self.assertEqual(len(words), len(data))
            self.assertNotIn("VALID", words)
            self.assertNotIn("VALID_BUT_NOT_ASKED", words)

    def test_no_missing_or_extra_byte_is_overlooked(self):
        data = self.proofs["holds"].encode()
        changed = [data[:n] for n in range(0, len(data), 7)] + [data + b"\n", data + b" ", data + data, b"\n" + data, b"\xef\xbb\xbf" + data,
                                                                data.replace(b"\n", b"\r\n"), data.replace(b",", b", "), data[:-1]]
        self.assertEqual(set(self.words(changed, *asked(HOLDS))) & {"VALID", "VALID_BUT_NOT_ASKED"}, set())

    def test_right_footer_but_a_record_less_twice_or_moved(self):
        lines = self.lines("holds")
        kept = [i for i, line in enumerate(lines) if re.search('"record":"(slopes|step)"', line)]
        # A proof may do without a step or have it twice; what it may never do is lose anything else.
        changed = [refoot(lines[:i] + lines[i + 1:]) for i in range(len(lines)) if i not in kept]
        changed += [refoot(lines[:i] + [lines[i]] + lines[i:]) for i in range(len(lines)) if i not in kept and '"refute"' not in lines[i]]
        changed += [refoot(lines[:i] + [lines[i + 1], lines[i]] + lines[i + 2:]) for i in range(4)]
        words = self.words(changed, *asked(HOLDS))
        self.assertEqual(set(words) & {"VALID", "VALID_BUT_NOT_ASKED"}, set())

    def test_right_footer_but_another_meaning(self):
        text = "\n".join(self.lines("holds"))
        for old, new in [('"claim":"holds"', '"claim":"violated"'), ('"version":3', '"version":2'), ('"fp32_any"', '"fp64_any"'),
                         ('"element":"binary32"', '"element":"binary64"'), ('"inputs":16', '"inputs":15'), ('"outputs":3', '"outputs":4'),
                         ('"radius":"0.1"', '"radius":"0.01"'), ('"label":1', '"label":0'), ('"cases":2', '"cases":1'), ('"boxes":1', '"boxes":2'),
                         ('"rounding":"nearest_even"', '"rounding":"exact"'), ('"box":0', '"box":1'), ('"case":0', '"case":1'),
                         ('"path":"strokes.onnx"', '"path":"strokes.onnx","more":1'), ('"record":"close"', '"record":"crossed","node":0,"element":0'),
                         ('"sha256":"', '"sha256":"0'), ('"graph":"', '"graph":"0'), ('"digest":"', '"digest":"0')]:
            self.assertIn(old, text)
            changed = text.replace(old, new, 1)
            word = self.judge_text(refoot(changed.split("\n")), *asked(HOLDS))
            self.assertNotIn(word, ("VALID", "VALID_BUT_NOT_ASKED"), (old, new))

    def test_a_proof_does_not_stretch_to_a_greater_radius(self):
        """The record of a property that is false, with its right digest, above the proof of a smaller one."""
        small, great = self.lines("holds"), self.lines("violated")
        at = next(i for i, line in enumerate(small) if '"record":"property"' in line)
        self.assertIn('"radius":"0.2"', great[at])
        word = self.judge_text(refoot(small[:at] + [great[at]] + small[at + 1:]), *asked(VIOLATED))
        self.assertIn(word, ("INVALID", "INCOMPLETE"))

    def test_a_point_outside_the_box_is_no_counterexample(self):
        lines = self.lines("violated")
        at = next(i for i, line in enumerate(lines) if '"record":"point"' in line)
        record = json.loads(lines[at])
        for value in ["0.321", "-0.081", "1e3", "nan", "inf", "", "0x0"]:
            changed = dict(record, values=[value] + record["values"][1:])
            word = self.judge_text(refoot(lines[:at] + [json.dumps(changed, separators=(",", ":"))]), *asked(VIOLATED, "--expect", "violated"))
            self.assertIn(word, ("INVALID", "MALFORMED"), value)


class Refusals(CheckTest):
    def test_usage(self):
        for arguments in [[], [self.path("holds"), "--raduis", "1"], [self.path("holds"), "--radius"], [self.path("holds"), "--radius", "x"],
                          [self.path("holds"), "--expect", "safe"], [self.path("holds"), "--semantics", "exact"],
                          [self.path("holds"), "--radius", "1", "--property", "p"], [self.path("holds"), "--input", IMAGE]]:
            done = harness.run("check", *arguments)
            self.assertEqual((done.code, done.out), (3, ""), done)
            self.assertIn("check: ", done.err)
        # A model that is not there was MALFORMED beside the name of every proof of a CI job.
        for option in "--model", "--property", "--dataset":
            more = ["--labels", IMAGE, "--radius", "1"] if option == "--dataset" else []
            done = harness.run("check", self.path("holds"), self.path("holds"), option, self.path("not-there"), *more)
            self.assertEqual((done.code, done.out), (3, ""), done)
            self.assertIn("%s %s: cannot be opened" % (option, self.path("not-there")), done.err)

    def test_files(self):
        for text in [b"", b"{", b"{}\n", b"\x00" * 100, os.urandom(1000), b"sat\n((X_0 1))\n"]:
            self.assertIn(self.judge_text(text, *asked(HOLDS)), ("MALFORMED", "UNSUPPORTED"))
        self.assertEqual(self.judge_text(b"[" * 100000, *asked(HOLDS)), "RESOURCE_LIMIT")
        self.assertEqual(harness.run("check", self.path("nothing"), *asked(HOLDS)).code, 4)
        self.assertEqual(harness.run("check", self.folder, *asked(HOLDS)).code, 4)

    def test_model_that_is_none(self):
        done = harness.run("check", self.path("holds"), "--model", IMAGE, "--radius", HOLDS)
        self.assertEqual(done.code, 4, done)

    def test_help(self):
        done = harness.run("check", "--help")
        self.assertEqual(done.code, 0)
        self.assertIn("exit codes:", done.out)


if __name__ == "__main__":
    harness.main()
