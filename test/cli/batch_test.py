"""`verify --batch` as a user sees it: what an instance gets of the options, what is written, what a second run does."""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import schema
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
SCHEMA = json.loads(harness.read("cli", "verify_schema.json"))
NO_TEXT = os.fsdecode(b"q\xff"), os.fsdecode(b"q\xfe")  # file names that are not UTF-8


def property_text(inputs, outputs, low, high, row):
    text = "".join("(declare-const X_%d Real)(assert (>= X_%d %s))(assert (<= X_%d %s))\n" % (i, i, low, i, high) for i in range(inputs))
    return text + "".join("(declare-const Y_%d Real)\n" % j for j in range(outputs)) + row + "\n"


class BatchTest(harness.FolderTest):
    def setUp(self):
        super().setUp()
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        for name, row in ("holds", "(assert (>= Y_0 2))"), ("violated", "(assert (<= Y_0 2))"):
            self.write(name + ".vnnlib", property_text(1, 1, 0, 1, row))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read().decode()

    def lines(self, name="i.csv.results.jsonl"):
        return [json.loads(line) for line in self.read(name).split("\n")[:-1]]

    def run_list(self, text, *more):
        self.write("i.csv", text)
        return harness.run("verify", "--batch", self.path("i.csv"), *more)

    def hard(self):
        """An instance that only a limit ends."""
        models.write_wide(self.path("wide.onnx"))
        self.write("wide.vnnlib", property_text(1024, 10, -0.5, 0.5, "(assert (>= Y_0 1e10))").replace("1e10", "10000000000.0"))
        return "wide.onnx,wide.vnnlib,\n"


class Runs(BatchTest):
    def test_results(self):
        done = self.run_list("model,property,timeout\nm.onnx,holds.vnnlib,10\nnothere.onnx,holds.vnnlib,10\n\n m.onnx , violated.vnnlib\n")
        self.assertEqual(done.code, 4, done)  # one was refused, none failed
        self.assertIn("3 of 3 instances: error 1 holds 1 violated 1", done.out)
        self.assertIn("nothere.onnx", self.lines()[1]["reason"])  # it said "exit code 4"
        self.assertIn("error: " + self.lines()[1]["reason"], done.err)
        results = self.lines()
        self.assertEqual([r["verdict"] for r in results], ["holds", "error", "violated"])
        self.assertEqual(schema.faults(results[0]["result"], SCHEMA), [])
        self.assertEqual([line.split(",")[4] for line in self.read("i.csv.results.jsonl.csv").split("\n")[:-1]], ["unsat", "error", "sat"])

    def test_options_reach_the_instances(self):
        with open(os.path.join(harness.EXAMPLES, "vertical.csv")) as file:
            centre = [float(v) for v in re.split(r"[,\s]+", file.read().strip())]
        text = property_text(0, 3, 0, 0, "(assert (or (and (<= Y_1 Y_0)) (and (<= Y_1 Y_2))))")
        for i, c in enumerate(centre):
            text = "(declare-const X_%d Real)(assert (>= X_%d %.6f))(assert (<= X_%d %.6f))\n" % (i, i, c - 0.12, i, c + 0.12) + text
        self.write("branched.vnnlib", text)
        done = self.run_list(MODEL + ",branched.vnnlib\n", "--max-domains", 2, "--verbose", "--quiet", "--semantics", "real", "--threads", 1)
        self.assertEqual(done.code, 2, done)
        result = self.lines()[0]
        self.assertEqual((result["reason"].split(":")[0], result["result"]["semantics"]), ("domain budget", "real"))
        self.assertIn("progress: ", done.err)

    def test_input_shape_reaches_the_instances(self):
        models.write(self.path("open.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 0])], outputs=[("y", [1, 0])])
        open_dimension = b"\x08\x00"  # dim_value 0 as the file has it
        with open(self.path("open.onnx"), "rb") as file:
            data = file.read()
        self.assertEqual(data.count(b"\x0a\x02" + open_dimension), 2)
        with open(self.path("open.onnx"), "wb") as file:
            file.write(data.replace(b"\x0a\x02" + open_dimension, b"\x0a\x02\x12\x00"))  # dim_param ""
        text = "open.onnx,holds.vnnlib\n"
        self.assertEqual(self.run_list(text).code, 4)
        os.remove(self.path("i.csv.results.jsonl"))
        done = self.run_list(text, "--input-shape", "x=1,1")
        self.assertEqual((done.code, self.lines()[0]["verdict"]), (0, "holds"), done)

    def test_short_timeouts_are_none_the_less_timeouts(self):
        hard = self.hard()
        for number, (seconds, more) in enumerate([("", ["--timeout", "1e-7"]), ("1e-7", []), ("1000", ["--timeout", "0.0000001"])]):
            done = self.run_list(hard.replace(",\n", "," + seconds + "\n"), "--results", self.path("r%d" % number), *more)
            self.assertEqual((done.code, self.lines("r%d" % number)[0]["reason"]), (2, "timeout"), done)

    def test_names_that_are_not_text(self):
        for name, prop in zip(NO_TEXT, ("holds", "violated")):
            os.symlink("m.onnx", self.path(name + ".onnx"))
        text = "%s.onnx,holds.vnnlib\n%s.onnx,holds.vnnlib\nm.onnx,violated.vnnlib\n" % NO_TEXT
        done = self.run_list(text)
        self.assertEqual((done.code, done.out.split("\n")[0]), (0, "3 of 3 instances: holds 2 violated 1"), done)
        self.assertEqual([r["model"] for r in self.lines()], ["q\ufffd.onnx"] * 2 + ["m.onnx"])
        self.assertEqual(self.run_list(text).err, "")

    def test_names_that_look_like_options(self):
        os.symlink("m.onnx", self.path("--help"))
        self.write("i.csv", "--help,holds.vnnlib\n")
        done = harness.run("verify", "--batch", "i.csv", cwd=self.folder)
        self.assertEqual((done.code, self.lines()[0]["model"]), (0, "--help"), done)


class SecondRuns(BatchTest):
    LIST = "m.onnx,holds.vnnlib,10\nnothere.onnx,holds.vnnlib,10\nm.onnx,violated.vnnlib,10\n"

    def numbers(self, done):
        """Which instances were run."""
        return [int(n) for n in re.findall(r"(?m)^(\d+)/\d+ ", done.err)]

    def test_a_line_that_was_cut_off_is_run_again(self):
        self.assertEqual(self.numbers(self.run_list(self.LIST)), [1, 2, 3])
        lines = self.read("i.csv.results.jsonl").split("\n")
        self.write("i.csv.results.jsonl", "\n".join(lines[:2]) + "\n" + lines[2][:40])
        done = self.run_list(self.LIST)
        self.assertEqual(self.numbers(done), [3])
        self.assertIn("3 of 3 instances: error 1 holds 1 violated 1", done.out)
        self.assertEqual(len(self.lines()), 3)
        self.assertEqual(len(self.read("i.csv.results.jsonl.csv").split("\n")), 4, "one line of the table for each result")

    def test_a_first_line_that_was_cut_off(self):
        for fragment in "{", '{"model":"m', '{"model":"m.onnx","property":"ho':
            self.write("i.csv.results.jsonl", fragment)
            self.assertEqual(self.numbers(self.run_list("m.onnx,holds.vnnlib\n")), [1])
            self.assertEqual(len(self.lines()), 1)
            self.assertEqual(self.numbers(self.run_list("m.onnx,holds.vnnlib\n")), [])

    def test_a_last_line_without_end_counts(self):
        self.run_list("m.onnx,holds.vnnlib\n")
        self.write("i.csv.results.jsonl", self.read("i.csv.results.jsonl").rstrip("\n"))
        self.assertEqual(self.numbers(self.run_list("m.onnx,holds.vnnlib\nm.onnx,violated.vnnlib\n")), [2])
        self.assertEqual([r["verdict"] for r in self.lines()], ["holds", "violated"])

    def test_the_same_query_twice(self):
        text = "m.onnx,holds.vnnlib,10\nm.onnx,holds.vnnlib,20\n"
        for numbers in [1, 2], []:
            done = self.run_list(text)
            self.assertEqual((done.code, done.out.split("\n")[0], self.numbers(done)), (0, "2 of 2 instances: holds 2", numbers))
            self.assertEqual(len(self.lines()), 2)
        self.assertEqual(self.numbers(self.run_list(text + "m.onnx,holds.vnnlib,30\n")), [3])

    def test_results_of_another_list_do_not_count(self):
        self.run_list("m.onnx,violated.vnnlib\nnothere.onnx,holds.vnnlib\n")
        done = self.run_list("m.onnx,holds.vnnlib\n")
        self.assertEqual((done.code, done.out.split("\n")[0]), (0, "1 of 1 instances: holds 1"))
        self.assertEqual(len(self.lines()), 3)

    def test_results_of_files_that_have_changed_are_found_again(self):
        """Results were matched by path alone: a property that had been replaced kept its `holds`."""
        text = "m.onnx,q.vnnlib\nm.onnx,holds.vnnlib\n"
        self.write("q.vnnlib", self.read("holds.vnnlib"))
        self.assertEqual(self.run_list(text).out.split("\n")[0], "2 of 2 instances: holds 2")
        self.write("q.vnnlib", self.read("violated.vnnlib"))
        done = self.run_list(text)
        self.assertEqual((self.numbers(done), done.out.split("\n")[0]), ([1], "2 of 2 instances: holds 1 violated 1"), done)
        self.assertIn("note: 1 earlier results are of files that have changed", done.err)
        self.assertEqual([r["verdict"] for r in self.lines()], ["holds", "violated"])
        models.write(self.path("m.onnx"), [("Neg", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        done = self.run_list(text)
        self.assertEqual((self.numbers(done), len(self.lines())), ([1, 2], 2), done)
        self.assertEqual(self.numbers(self.run_list(text)), [])

    def test_results_of_other_options_are_not_taken(self):
        self.run_list("m.onnx,holds.vnnlib\n")
        before = self.read("i.csv.results.jsonl")
        done = self.run_list("m.onnx,holds.vnnlib\n", "--semantics", "real")
        self.assertEqual((done.code, done.out), (4, ""), done)
        self.assertIn("the results are those of other options", done.err)
        self.assertEqual(self.read("i.csv.results.jsonl"), before)

    def test_an_interrupted_instance_is_run_again(self):
        self.write("i.csv", self.hard() + "m.onnx,holds.vnnlib\n")
        # The signal reaches this process only, not the one it started.
        program = subprocess.Popen([os.path.join(harness.BIN, "verify"), "--batch", self.path("i.csv"), "-v"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for line in program.stderr:
            if line.startswith("progress: "):
                break
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=60)
        self.assertEqual((program.returncode, out.split("\n")[0]), (2, "0 of 2 instances:"))
        self.assertEqual(self.lines(), [])
        done = harness.run("verify", "--batch", self.path("i.csv"), "--timeout", 1)
        self.assertEqual((done.code, self.numbers(done)), (2, [1, 2]), done)
        self.assertEqual([r["verdict"] for r in self.lines()], ["unknown", "holds"])

    def test_a_link_to_the_results_stays_one(self):
        os.symlink("elsewhere", self.path("i.csv.results.jsonl"))
        self.run_list(self.LIST)
        self.assertTrue(os.path.islink(self.path("i.csv.results.jsonl")))
        self.assertEqual(len(self.lines("elsewhere")), 3)


class Refusals(BatchTest):
    def refused(self, code, pattern, text, *more):
        self.write("i.csv", text)
        before = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        done = harness.run("verify", "--batch", self.path("i.csv"), *more)
        self.assertEqual((done.code, done.out), (code, ""), done)
        self.assertRegex(done.err, pattern)
        self.assertNotIn("internal error", done.err)
        self.assertEqual({name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}, before)

    LIST = "m.onnx,holds.vnnlib\n"

    def test_options_of_one_query_are_all_named(self):
        options = {"--radius": "1", "--input": "i", "--label": "0", "--norm": "2", "--clip": "0,1", "--scale": "2", "--mean": "1",
                   "--std": "1", "--layout": "nchw", "--output-range": "0,1", "--max-deviation": "1", "--certificate": self.path("c"),
                   "--witness": self.path("w"), "--bounds": self.path("b"), "--elaborate": "a", "--model": "m", "--property": "p"}
        for option, value in options.items():
            shown = {"--model": "MODEL", "--property": "PROPERTY"}.get(option, option)
            self.refused(3, "; %s belongs to a single query" % shown, self.LIST, option, value)
        self.refused(3, "; --label, --clip, --witness, --competition, --json belong to", self.LIST, "--json", "--competition",
                     "--witness", "w", "--label", "1", "--clip", "0,1")

    def test_every_option_is_handed_on_or_refused(self):
        """What `verify --help` lists and the source of the batch names: nobody adds an option that is silently ignored."""
        listed = set(re.findall(r"(--[a-z][a-z-]+)", harness.run("verify", "--help").out)) - {"--help"}
        sources = harness.read("cli", "verify_batch.cpp") + harness.read("cli", "verify_again.cpp")
        handed_on = set(re.findall(r'"(--[a-z-]+)"', sources))
        self.assertGreater(len(listed), 25)
        undecided = []
        for option in sorted(listed - handed_on - {"--batch", "--results"}):
            value = [] if option in ("--json", "--competition", "--finite") else ["1"]
            self.write("i.csv", self.LIST)
            done = harness.run("verify", "--batch", self.path("i.csv"), option, *value)
            if done.code != 3 or "belongs to a single query" not in done.err:
                undecided.append(option)
        self.assertEqual(undecided, [])
        self.assertEqual(sorted(o for o in handed_on if o not in listed), [])

    def test_values_are_looked_at_before_any_instance(self):
        for option, value in [("--semantics", "foo"), ("--threads", "0"), ("--timeout", "nan"), ("--timeout", "-1"), ("--timeout", "1e-400"),
                              ("--max-domains", "-5"), ("--seed", "-1"), ("--device", "gpu"), ("--input-shape", "x"), ("--results", "")]:
            self.refused(3, option, self.LIST, "%s=%s" % (option, value))
            done = harness.run("verify", MODEL, "--radius", "0.1", "%s=%s" % (option, value))
            self.assertEqual((done.code, done.out), (3, ""), "the same without --batch")

    def test_lists(self):
        self.refused(4, "(?s)i.csv:2: .*seconds.*soon.*i.csv:4: no instance.*i.csv:5: .*nan.*i.csv:6: ",
                     self.LIST + "m.onnx,p,soon\n" + self.LIST + "m.onnx\nm.onnx,p,nan\nm.onnx,p,1,2\n")
        self.refused(4, "no instance", "\n")
        os.mkdir(self.path("folder"))
        for folder in "folder", ".":
            done = harness.run("verify", "--batch", folder, cwd=self.folder)
            self.assertEqual((done.code, done.out), (4, ""), done)
            self.assertIn("is a folder", done.err)
        self.assertFalse([name for name in os.listdir(self.folder) if "results" in name])

    def test_results_that_are_something_else(self):
        for text in "", "notes", "notes\n", '{"model":1,"property":"x","verdict":"holds"}\n', '{"model":"a"\n{"model":"b"':
            self.write("r", text)
            if text:
                self.refused(4, "r:1: this line is no result", self.LIST, "--results", self.path("r"))
        os.remove(self.path("r"))
        self.write("r.csv", "mine\n")
        self.refused(4, "no table of results", self.LIST, "--results", self.path("r"))
        self.refused(3, "would overwrite --batch", self.LIST, "--results", self.path("i.csv"))
        self.refused(3, "would overwrite --batch", self.LIST, "--results", self.path("i"))
        os.symlink("/dev/null", self.path("null"))
        self.refused(3, "not a regular file", self.LIST, "--results", self.path("null"))
        self.refused(3, "No such file", self.LIST, "--results", self.path("none/r"))


if __name__ == "__main__":
    harness.main()
