"""The files and streams `verify` and `model` write to: what they may be, and what happens when they take nothing.

The devices are reached by symbolic links in the folder of the test only: a program that replaces what it should write to
replaces the link, not the device.
"""
import json
import os
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import schema
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
QUERY = [MODEL, "--radius", "0.1", "--input", IMAGE, "--label", "1"]
VERDICT = "holds (unsat: no input in the set reaches the unsafe outputs)\n"
NO_TEXT = os.fsdecode(b"q\xff")  # a file name that is not UTF-8


def verify(*more, **options):
    return harness.run("verify", *QUERY, *more, **options)


def run_into(stdout, program, *arguments):
    """Exit status and stderr of a program whose stdout is the given file."""
    done = subprocess.run([os.path.join(harness.BIN, program)] + list(arguments), stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stderr.decode("utf-8", "replace")


class Places(harness.FolderTest):
    def setUp(self):
        super().setUp()
        verify("--certificate", self.path("expected"))
        self.expected = self.content("expected")
        os.remove(self.path("expected"))
        self.assertIn(b'"footer"', self.expected)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_links_are_followed(self):
        os.mkdir(self.path("far"))
        with open(self.path("far/old"), "w") as file:
            file.write("old")
        os.symlink("far/old", self.path("first"))
        os.symlink("first", self.path("second"))
        os.symlink("far/new", self.path("dangling"))
        done = verify("--certificate", self.path("second"), "--bounds", self.path("dangling"))
        self.assertEqual(done.code, 0, done.err)
        for name in "first", "second", "dangling":
            self.assertTrue(os.path.islink(self.path(name)), name)
        self.assertEqual(self.content("far/old"), self.expected)
        self.assertEqual(json.loads(self.content("far/new"))["schema"], "outward-bounds-1")
        self.assertEqual(sorted(os.listdir(self.path("far"))), ["new", "old"])

    def test_pipes_are_written_through(self):
        os.mkfifo(self.path("pipe"))
        os.symlink("pipe", self.path("link"))
        for name in "pipe", "link":
            got = []
            reader = threading.Thread(target=lambda: got.append(self.content("pipe")))
            reader.start()
            done = verify("--certificate", self.path(name))
            if not stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode):
                self.fail("the pipe was replaced")
            reader.join(10)
            self.assertEqual((done.code, got), (0, [self.expected]), done.err)
        self.assertTrue(os.path.islink(self.path("link")))

    def test_standard_output_is_written_to(self):
        """A pipe, and a file, which must not be replaced while the verdict goes there too."""
        os.symlink("/dev/stdout", self.path("link"))
        done = verify("--quiet", "--certificate", self.path("link"))
        self.assertEqual((done.code, done.out), (0, self.expected.decode() + VERDICT), done.err)
        with open(self.path("out"), "wb") as file:
            code, err = run_into(file, "verify", *QUERY, "--quiet", "--certificate", self.path("link"))
        self.assertEqual((code, self.content("out")), (0, self.expected + VERDICT.encode()), err)
        with open(self.path("out"), "wb") as file:
            code, err = run_into(file, "verify", *QUERY, "--quiet", "--certificate", self.path("out"))
        self.assertEqual((code, self.content("out")), (0, self.expected + VERDICT.encode()), err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "out"])

    def test_regular_files_are_replaced_whole(self):
        with open(self.path("c"), "w") as file:
            file.write("old")
        os.chmod(self.path("c"), 0o640)
        with open(self.path("c")) as before:
            self.assertEqual(verify("--certificate", self.path("c")).code, 0)
            self.assertEqual(before.read(), "old")
        self.assertEqual(self.content("c"), self.expected)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("c")).st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["c"])

    def test_long_names(self):
        for length in range(235, 256, 5):
            self.assertEqual(verify("--certificate", self.path("c" * length)).code, 0, length)
        self.assertEqual(verify("--certificate", self.path("c" * 256)).code, 3)


class Obstacles(harness.FolderTest):
    def refused(self, patterns, *arguments):
        before = sorted(os.listdir(self.folder))
        done = harness.run("verify", *arguments)
        self.assertEqual((done.code, done.out), (3, ""), done)
        for pattern in patterns:
            self.assertRegex(done.err, pattern)
        self.assertEqual(done.err.count("error: "), len(patterns), done.err)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_are_all_named_before_any_work(self):
        # The model is not even looked at.
        missing = ["no-such-model", "--radius", "1"]
        self.refused(["--certificate: cannot write .*none/c: No such file", "--witness: cannot write .*: it is a folder",
                      "--bounds: cannot write .*x/: "],
                     *missing, "--certificate", self.path("none/c"), "--witness", self.folder, "--bounds", self.path("x/"))
        os.symlink("loop", self.path("loop"))
        os.symlink("none/target", self.path("dangling"))
        self.refused(["--certificate: .*symbolic links", "--bounds: cannot write .*dangling: No such file"],
                     *missing, "--certificate", self.path("loop"), "--bounds", self.path("dangling"))

    def test_nothing_that_is_read_is_overwritten(self):
        for name in "m.onnx", "p.vnnlib", "i.csv":
            with open(self.path(name), "w") as file:
                file.write(name)
        os.symlink("m.onnx", self.path("link"))
        self.refused(["--certificate would overwrite MODEL"], self.path("m.onnx"), self.path("p.vnnlib"), "--certificate", self.path("link"))
        self.refused(["--witness would overwrite PROPERTY"], self.path("m.onnx"), self.path("p.vnnlib"), "--witness", self.path("p.vnnlib"))
        self.refused(["--bounds would overwrite --input"], self.path("m.onnx"), "--radius", "1", "--input", self.path("i.csv"),
                     "--bounds", os.path.join(self.folder, ".", "i.csv"))
        self.refused(["--certificate and --bounds are one file"], self.path("m.onnx"), self.path("p.vnnlib"),
                     "--certificate", self.path("new"), "--bounds", os.path.join(self.folder, ".", "new"))

    def test_empty_names(self):
        done = verify("--certificate", "")
        self.assertEqual((done.code, done.out), (3, ""))
        self.assertIn("--certificate", done.err)


class Failures(harness.FolderTest):
    """Writing fails at the end: the verdict comes first, then the error, with exit code 5."""

    def setUp(self):
        super().setUp()
        os.symlink("/dev/full", self.path("full"))

    def test_verdict_comes_first(self):
        done = verify("--quiet", "--certificate", self.path("full"), "--bounds", self.path("b"))
        self.assertEqual((done.code, done.out), (5, VERDICT))
        self.assertRegex(done.err, "^error: cannot write .*full: No space left on device\n$")
        self.assertTrue(os.path.islink(self.path("full")))
        self.assertTrue(os.path.exists(self.path("b")), "one failure does not stop the others")
        done = harness.run("verify", *QUERY[:2], "0.2", *QUERY[3:], "--witness", self.path("full"), "--bounds", self.path("full"))
        self.assertEqual((done.code, done.out.split(" ")[0]), (5, "violated"))
        self.assertEqual(done.err.count("error: cannot write"), 2, done.err)
        self.assertIn("\nX_15 = ", done.out, "the counterexample is printed when its file is not there")

    def test_json(self):
        done = verify("--json", "--certificate", self.path("full"))
        value = json.loads(done.out)
        self.assertEqual(schema.faults(value, json.loads(harness.read("cli", "verify_schema.json"))), [])
        self.assertEqual((done.code, value["verdict"], value["certificate"]), (5, "holds", None))

    def test_standard_output_that_takes_nothing(self):
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("(declare-const X_0 Real)\n(declare-const Y_0 Real)\n(assert (<= X_0 1))\n(assert (>= X_0 0))\n(assert (>= Y_0 3))\n")
        commands = [["verify"] + QUERY + more for more in ([], ["--json"], ["--quiet"], ["--competition"])]
        commands += [["model", "info", MODEL], ["model", "check", MODEL], ["model", "check", "--json", "no-such-file"],
                     ["model", "run", MODEL, "--input", IMAGE], ["model", "ops"], ["model", "property", self.path("p.vnnlib")]]
        commands += [[program, "--help"] for program in ("verify", "model")]
        for command in commands:
            with open("/dev/full", "w") as full:
                code, err = run_into(full, *command)
            self.assertEqual(code, 5, command)
            self.assertIn("error: cannot write to standard output", err)

    def test_standard_output_that_is_closed(self):
        """The first file a program opens takes the place of a closed stream, unless it takes care."""
        verify("--certificate", self.path("open"))
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", os.path.join(harness.BIN, "verify"), *QUERY, "--certificate",
                               self.path("closed")], stderr=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, 5)
        with open(self.path("open")) as one, open(self.path("closed")) as two:
            self.assertEqual(one.read(), two.read())

    def test_reader_that_went_away(self):
        os.symlink("/dev/stdout", self.path("link"))
        read, write = os.pipe()
        os.close(read)
        code, err = run_into(write, "verify", *QUERY, "--certificate", self.path("link"))
        os.close(write)
        self.assertEqual(code, 5, err)
        self.assertIn("link: Broken pipe", err)


class Names(harness.FolderTest):
    """File names are bytes; JSON and certificates are UTF-8."""

    def setUp(self):
        super().setUp()
        self.model, self.property = self.path(NO_TEXT + ".onnx"), self.path(NO_TEXT + ".vnnlib")
        models.write(self.model, [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        with open(self.property, "w") as file:
            file.write("(declare-const X_0 Real)\n(declare-const Y_0 Real)\n(assert (<= X_0 1))\n(assert (>= X_0 0))\n(assert (>= Y_0 3))\n")

    def test_json_replaces_what_is_not_text(self):
        done = harness.run("verify", self.model, self.property, "--json")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(json.loads(done.out)["model"]["path"].endswith("/q\ufffd.onnx"))
        with open(self.path("i.csv"), "w") as file:
            file.write("0.5\n")
        for command in ["info", self.model], ["check", self.model], ["run", self.model, "--input", self.path("i.csv")], \
                ["run", self.model, "--input", self.path("i.csv"), "--exact"], ["property", self.property]:
            done = harness.run("model", *command, "--json")
            self.assertEqual(done.code, 0, done.err)
            self.assertIn("q\ufffd" if "\ufffd" in done.out else "q\\ufffd", done.out)
            json.loads(done.out)

    def test_certificates_are_refused_before_any_work(self):
        for model, prop in (self.model, self.property), ("no-such-model", self.property), (self.model, "no-such-property"):
            before = sorted(os.listdir(self.folder))
            done = harness.run("verify", model, prop, "--certificate", self.path("c"))
            self.assertEqual((done.code, done.out), (3, ""), done)
            self.assertEqual(done.err.count("the name is not UTF-8"), (model == self.model) + (prop == self.property), done.err)
            self.assertEqual(sorted(os.listdir(self.folder)), before)
        # The certificate's own name is not in it.
        os.rename(self.model, self.path("m.onnx"))
        os.rename(self.property, self.path("p.vnnlib"))
        done = harness.run("verify", self.path("m.onnx"), self.path("p.vnnlib"), "--certificate", self.path(NO_TEXT), "--json")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(json.loads(done.out)["certificate"]["path"].endswith("q\ufffd"))
        checked = harness.run("check", self.path(NO_TEXT), "--model", self.path("m.onnx"), "--property", self.path("p.vnnlib"))
        self.assertEqual((checked.code, checked.out.split(" ")[0]), (0, "VALID"), checked)


if __name__ == "__main__":
    harness.main()
