"""`verify` as a user sees it: first word, exit code, streams, files written and not written."""
import json
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import schema
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")
SCHEMA = json.loads(harness.read("cli", "verify_schema.json"))
HOLDS, BRANCHED, VIOLATED = "0.1", "0.12", "0.2"
LIMITED = ["--max-domains", 2]  # not enough for the second radius


def query(radius, *more):
    return [MODEL, "--radius", radius, "--input", IMAGE, "--label", 1] + list(more)


def centre():
    """The binary32 numbers of the image, around which the box lies."""
    with open(IMAGE) as file:
        return [Fraction(struct.unpack("<f", struct.pack("<f", float(v)))[0]) for v in re.split(r"[,\s]+", file.read().strip())]


class Verdicts(harness.FolderTest):
    def test_a_centre_that_the_model_calls_otherwise_is_named(self):
        """`--radius max --label 0` ended with a refuted radius of 4e-8 and no word on why."""
        done = harness.run("verify", MODEL, "--radius", "0.01", "--input", IMAGE, "--label", "0")
        self.assertEqual(done.code, 1)
        self.assertIn("the model predicts 1 at the centre, not label 0", done.err)
        self.assertNotIn("predicts", harness.run("verify", MODEL, "--radius", "0.01", "--input", IMAGE, "--label", "1").err)

    def test_holds(self):
        done = harness.run("verify", *query(HOLDS, "--certificate", self.path("c")))
        self.assertEqual(done.code, 0, done.err)
        lines = done.out.split("\n")
        self.assertEqual(lines[0], "holds (unsat: no input in the set reaches the unsafe outputs)")
        self.assertRegex(lines[1], "^covers: every binary32 execution .* not covered: ")
        self.assertIn("time: ", done.err)
        with open(self.path("c"), "rb") as file:
            self.assertEqual(lines[2], "certificate: %s (%d bytes)" % (self.path("c"), len(file.read())))

    def test_violated(self):
        done = harness.run("verify", *query(VIOLATED, "--certificate", self.path("c"), "--witness", self.path("w")))
        self.assertEqual(done.code, 1, done.err)
        self.assertTrue(done.out.startswith("violated (sat: an input of the set reaches the unsafe outputs)\n"), done.out)
        self.assertRegex(done.out, "\nunsafe in: (every execution|this order)")
        self.assertIn("\ncounterexample: " + self.path("w"), done.out)
        with open(self.path("w")) as file:
            values = dict(re.findall(r"\(([XY]_\d+) ([^()\s]+)\)", file.read()))
        self.assertEqual(len(values), 16 + 3)
        for i, c in enumerate(centre()):
            self.assertLessEqual(abs(Fraction(values["X_%d" % i]) - c), Fraction(VIOLATED))
        y = [Fraction(values["Y_%d" % j]) for j in range(3)]
        self.assertLessEqual(y[1], max(y[0], y[2]))

    def test_unknown(self):
        done = harness.run("verify", *query(BRANCHED, "--witness", self.path("w"), *LIMITED))
        self.assertEqual(done.code, 2, done.err)
        self.assertTrue(done.out.startswith("unknown ("), done.out)
        self.assertIn("reason: domain budget: 2 parts", done.err)
        self.assertIn("next: give more with --max-domains", done.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_unfinished_proof_is_incomplete(self):
        done = harness.run("verify", *query(BRANCHED, "--certificate", self.path("c"), *LIMITED))
        self.assertEqual(done.code, 2, done.err)
        self.assertRegex(done.out, r"certificate: .* bytes, INCOMPLETE: \d+ parts are open\)")
        checked = harness.run("check", self.path("c"), "--model", *query(BRANCHED))
        self.assertEqual((checked.code, checked.out.split(" ")[0]), (2, "INCOMPLETE"), checked)

    def test_branching(self):
        for threads in 1, 2:
            done = harness.run("verify", *query(BRANCHED, "--certificate", self.path("c%d" % threads), "--threads", threads,
                                                "--max-domains", 1000))
            self.assertEqual(done.code, 0, done.err)
            self.assertRegex(done.err, r"branching: \d+ parts bounded")
        with open(self.path("c1"), "rb") as one, open(self.path("c2"), "rb") as two:
            self.assertEqual(one.read(), two.read())
        checked = harness.run("check", self.path("c1"), "--model", *query(BRANCHED))
        self.assertEqual((checked.code, checked.out.split(" ")[0]), (0, "VALID"), checked)

    def test_radius_max(self):
        done = harness.run("verify", *query("max", "--timeout", 12, "--certificate", self.path("c"), "--json"))
        self.assertEqual(done.code, 0, done.err)
        value = json.loads(done.out)
        self.assertEqual(schema.faults(value, SCHEMA), [])
        certified, refuted = value["radius"]["certified"], value["radius"]["refuted"]
        self.assertTrue(float(HOLDS) < float(certified) < float(refuted) < float(VIOLATED), done.out)
        checked = harness.run("check", self.path("c"), "--model", *query(certified))
        self.assertEqual((checked.code, checked.out.split(" ")[0]), (0, "VALID"), checked)

    def test_radius_max_tries_one_radius_however_little_time_there_is(self):
        done = harness.run("verify", *query("max", "--timeout", "1e-9", "--bounds", self.path("b"), "--json"))
        value = json.loads(done.out)
        self.assertEqual(schema.faults(value, SCHEMA), [])
        self.assertEqual(value["property"]["kind"], "radius")
        if value["radius"]["certified"] is None:
            self.assertEqual((done.code, value["reason"]), (2, "timeout"), done.out)
        else:  # the first bound was good enough
            self.assertEqual((done.code, value["verdict"]), (0, "holds"), done.out)
        with open(self.path("b")) as file:
            self.assertEqual(json.load(file)["outputs"], 3)

    def test_radius_max_reports_the_refuted_query_if_none_is_certified(self):
        # The centre lies beyond the range: every radius is refuted.
        done = harness.run("verify", MODEL, "--radius", "max", "--input", IMAGE, "--output-range", "90,100", "--timeout", 5, "--json")
        value = json.loads(done.out)
        self.assertEqual((done.code, value["verdict"], value["radius"]["certified"]), (1, "violated", None), done.out)
        self.assertIsNotNone(value["counterexample"])

    def test_best_reports_and_certifies_one_run(self):
        done = harness.run("verify", *query(BRANCHED, "--semantics", "best", "--certificate", self.path("c"), "--json", *LIMITED))
        value = json.loads(done.out)
        self.assertEqual((done.code, value["verdict"]), (2, "unknown"), done.out)
        with open(self.path("c")) as file:
            records = [json.loads(line) for line in file]
        self.assertEqual(records[0]["semantics"], value["semantics"])
        self.assertEqual(sum(r["record"] == "open" for r in records), value["branching"]["open"])

    def test_bound(self):
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        done = harness.run("verify", self.path("m.onnx"), "--radius", "0.5")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(done.out.startswith("bound ("), done.out)
        low, high = map(float, re.search(r"Y_0 in \[(\S+), (\S+)\]", done.out).groups())
        self.assertTrue(low <= 0 and 0.5 <= high < 0.6, done.out)

    def test_range_and_deviation(self):
        self.assertEqual(harness.run("verify", MODEL, "--radius", "0.01", "--output-range", "-100,100").code, 0)
        self.assertEqual(harness.run("verify", MODEL, "--radius", "0.01", "--output-range", "90,100").code, 1)
        self.assertEqual(harness.run("verify", MODEL, "--radius", "0.01", "--max-deviation", "50").code, 0)

    def test_vnnlib(self):
        names = ["X_%d" % i for i in range(16)]
        text = "".join("(declare-const %s Real)\n" % n for n in names + ["Y_0", "Y_1", "Y_2"])
        text += "".join("(assert (>= %s %s))(assert (<= %s %s))\n" % (n, float(c - Fraction("0.1")), n, float(c + Fraction("0.1")))
                        for n, c in zip(names, centre())).replace("e-", "E-")
        with open(self.path("safe.vnnlib"), "w") as file:
            file.write(text.replace("E-", "e-") + "(assert (or (and (<= Y_1 Y_0)) (and (<= Y_1 Y_2))))\n")
        with open(self.path("unsafe.vnnlib"), "w") as file:
            file.write(text.replace("E-", "e-") + "(assert (>= Y_1 Y_0))\n")
        self.assertEqual(harness.run("verify", MODEL, self.path("safe.vnnlib")).code, 0)
        self.assertEqual(harness.run("verify", MODEL, self.path("unsafe.vnnlib")).code, 1)

    def test_best_beyond_the_element_type(self):
        """No binary32 input lies in the box: best went no further than to refuse it."""
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 1e39))(assert (<= X_0 1e40))(assert (<= Y_0 -0.2))")
        query = [self.path("m.onnx"), self.path("p.vnnlib"), "--certificate", self.path("c")]
        self.assertEqual(harness.run("verify", *query).code, 4)
        done = harness.run("verify", *query, "--semantics", "best")
        self.assertEqual(done.code, 0, done)
        self.assertTrue(done.out.startswith("holds (real only"), done.out)
        done = harness.run("check", self.path("c"), "--model", query[0], "--property", query[1], "--semantics", "best")
        self.assertEqual(done.code, 0, done)

    def test_vacuous(self):
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("".join("(declare-const X_%d Real)(assert (>= X_%d 1))(assert (<= X_%d 0))\n" % (i, i, i) for i in range(16)))
            file.write("".join("(declare-const Y_%d Real)\n" % j for j in range(3)) + "(assert (>= Y_0 Y_1))\n")
        done = harness.run("verify", MODEL, self.path("p.vnnlib"))
        self.assertEqual((done.code, done.out.split("\n")[0]), (2, "unknown (vacuous)"))

    def test_semantics(self):
        for semantics in ["real", "fp32_any", "best"]:
            done = harness.run("verify", *query(HOLDS, "--semantics", semantics))
            self.assertEqual(done.code, 0, semantics + done.err)
        self.assertIn("floating point is not covered", harness.run("verify", *query(HOLDS, "--semantics", "real")).out)
        self.assertEqual(harness.run("verify", *query(HOLDS, "--semantics", "fp64_any")).code, 3)

    def test_no_input_is_said(self):
        done = harness.run("verify", MODEL, "--radius", "0.001")
        self.assertIn("centre is zero", done.err)
        self.assertRegex(done.err, r"label is \d")


class Output(harness.FolderTest):
    def test_json_matches_the_schema(self):
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("".join("(declare-const X_%d Real)(assert (>= X_%d 1))(assert (<= X_%d 0))\n" % (i, i, i) for i in range(16)))
            file.write("".join("(declare-const Y_%d Real)\n" % j for j in range(3)) + "(assert (>= Y_0 Y_1))\n")
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        files = ["--certificate", self.path("c"), "--witness", self.path("w")]
        for verdict, arguments in [("holds", query(HOLDS)), ("violated", query(VIOLATED)), ("unknown", query(BRANCHED, *LIMITED)),
                                   ("unknown", [MODEL, self.path("p.vnnlib")]), ("bound", [self.path("m.onnx"), "--radius", 1])]:
            for more in [], files:
                done = harness.run("verify", *arguments, *more, "--json")
                value = json.loads(done.out)
                self.assertEqual(schema.faults(value, SCHEMA), [])
                self.assertEqual(value["verdict"], verdict)
                self.assertEqual(done.code, {"holds": 0, "bound": 0, "violated": 1, "unknown": 2}[verdict])
                unfinished = value["branching"]["open"] > 0
                self.assertEqual(value["certificate"] is not None, bool(more) and (verdict != "unknown" or unfinished))

    def test_schema_can_fail(self):
        value = json.loads(harness.run("verify", *query(HOLDS, "--json")).out)
        for key in value:
            self.assertNotEqual(schema.faults({k: v for k, v in value.items() if k != key}, SCHEMA), [], key)
        self.assertNotEqual(schema.faults(dict(value, more=1), SCHEMA), [])
        self.assertNotEqual(schema.faults(dict(value, verdict="safe"), SCHEMA), [])
        self.assertNotEqual(schema.faults(dict(value, model=dict(value["model"], sha256="0")), SCHEMA), [])

    def test_bounds_file(self):
        harness.run("verify", *query(HOLDS, "--bounds", self.path("b")))
        with open(self.path("b")) as file:
            bounds = json.load(file)
        self.assertEqual(bounds["schema"], "outward-bounds-1")
        for low, high in bounds["boxes"][0]["outputs"]:
            self.assertLess(low, high)

    def test_competition_words(self):
        for radius, word, more in (HOLDS, "unsat", []), (VIOLATED, "sat", []), (BRANCHED, "unknown", LIMITED):
            self.assertEqual(harness.run("verify", *query(radius, "--competition", *more)).out.split("\n")[0], word)

    def test_quiet(self):
        done = harness.run("verify", *query(HOLDS, "--quiet"))
        self.assertEqual(done.out, "holds (unsat: no input in the set reaches the unsafe outputs)\n")

    def test_same_output_in_every_locale_folder_and_thread_count(self):
        def proof(name, threads=2, env=None, cwd=None):
            done = harness.run("verify", *query(HOLDS, "--certificate", self.path(name), "--threads", threads), env=env, cwd=cwd)
            with open(self.path(name), "rb") as file:
                return done.out.replace(self.path(name), "FILE"), file.read()

        expected = proof("a", cwd=self.folder)
        self.assertIn(b'"footer"', expected[1])
        for number, env in enumerate([{"LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}, {"LC_ALL": "tr_TR.UTF-8"}, {"TZ": "Asia/Tokyo"}]):
            self.assertEqual(proof("l%d" % number, env=env), expected, env)
        self.assertEqual(proof("d", cwd="/"), expected)
        self.assertEqual(proof("t", threads=1), expected)

    def test_start_up_time(self):
        times = {"verify --help": ["--help"], "verify, the example": query(HOLDS)}
        for name, arguments in times.items():
            best, cpu = map(min, zip(*(self.seconds(arguments) for _ in range(20))))
            print("start-up: %s: %.1f ms, of which processor %.1f ms (best of 20)" % (name, 1000 * best, 1000 * cpu))
            self.assertLess(best, 0.3, name)
            self.assertLess(cpu, 0.06, name)

    def seconds(self, arguments):
        """Elapsed and processor time of one run."""
        def cpu():
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        start, start_cpu = time.perf_counter(), cpu()
        harness.run("verify", *arguments)
        return time.perf_counter() - start, cpu() - start_cpu


class Refusals(harness.FolderTest):
    def refused(self, code, pattern, *arguments):
        before = sorted(os.listdir(self.folder))
        done = harness.run("verify", *arguments, "--certificate", self.path("c"), "--witness", self.path("w"), "--bounds", self.path("b"))
        self.assertEqual(done.code, code, done)
        self.assertEqual(done.out, "", arguments)
        self.assertRegex(done.err, pattern)
        self.assertEqual(sorted(os.listdir(self.folder)), before, "a refusal writes no file")

    def test_usage(self):
        self.refused(3, "MODEL")
        self.refused(3, "PROPERTY|--radius", MODEL)
        self.refused(3, "did you mean --radius", MODEL, "--raduis", "1")
        self.refused(3, "not both", MODEL, IMAGE, "--radius", "1")
        self.refused(3, "decimal", MODEL, "--radius", "a lot")
        self.refused(3, "negative", MODEL, "--radius", "-1")
        self.refused(3, "label 9", MODEL, "--radius", "1", "--label", "9")
        self.refused(3, "norm", *query("1", "--norm", "2"))
        self.refused(3, "device", *query("1", "--device", "cuda"))
        self.refused(3, "threads", *query("1", "--threads", "0"))
        self.refused(3, "semantics", *query("1", "--semantics", "exact"))
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        self.refused(3, "--radius max needs a question.*--output-range or --max-deviation", self.path("m.onnx"), "--radius", "max")

    def test_input(self):
        self.refused(4, "no-such-file", self.path("no-such-file"), "--radius", "1")
        self.refused(4, "make_model", os.path.join(harness.EXAMPLES, "make_model.py"), "--radius", "1")
        self.refused(4, "vertical", MODEL, IMAGE)
        self.refused(4, "unknown-array-format", MODEL, "--radius", "1", "--input", MODEL)
        with open(self.path("short.csv"), "w") as file:
            file.write("1,2,3\n")
        self.refused(4, "expected .*16.*found .*3", MODEL, "--radius", "1", "--input", self.path("short.csv"))
        self.refused(4, "input-overflow", MODEL, "--radius", "1e400")

    def test_all_blockers_are_listed(self):
        models.write(self.path("m.onnx"), [("Softmax", ["x"], "a"), ("Relu", ["a"], "b"), ("Selu", ["b"], "y")])
        self.refused(4, "(?s)Softmax.*Selu", self.path("m.onnx"), "--radius", "1")

    def test_truncated_model(self):
        with open(MODEL, "rb") as file:
            data = file.read()
        for size in range(0, len(data), 97):
            with open(self.path("m.onnx"), "wb") as file:
                file.write(data[:size])
            self.refused(4, "error: ", self.path("m.onnx"), "--radius", "0.01")


class Limits(harness.FolderTest):
    # A range the outputs stay in by far, and the bounds by far do not: neither verdict comes before the limit.
    QUERY = ["--radius", "0.5", "--output-range=-1e10,1e10"]

    def setUp(self):
        super().setUp()
        models.write_wide(self.path("wide.onnx"))

    def test_interrupt(self):
        program = subprocess.Popen([os.path.join(harness.BIN, "verify"), self.path("wide.onnx"), *self.QUERY, "-v",
                                    "--certificate", self.path("c")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in program.stderr:
            if line.startswith("progress: "):
                break
        program.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, _ = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 2)
        self.assertEqual(out.split("\n")[0], "unknown (interrupted)")
        self.assertEqual(os.listdir(self.folder), ["wide.onnx"])
        print("interrupt: stopped after %.1f s" % (time.monotonic() - start))

    def test_timeout(self):
        start = time.monotonic()
        done = harness.run("verify", self.path("wide.onnx"), *self.QUERY, "--timeout", "1.5")
        seconds = time.monotonic() - start
        print("timeout: 1.5 s asked, %.1f s taken" % seconds)
        self.assertEqual((done.code, done.out.split("\n")[0]), (2, "unknown (timeout)"))
        self.assertLess(seconds, 15)


    def test_memory(self):
        """A run that fills the memory once ended with exit code 5 and without the proof it had."""
        done = harness.run("verify", self.path("wide.onnx"), *self.QUERY, "--timeout", "60", "--memory", "10M")
        self.assertEqual((done.code, done.out.split("\n")[0]), (2, "unknown (memory)"), done)
        self.assertIn("--memory", done.err)
        for bad in "0", "x", "5Q", "-1", "1.5G", "4GB", "", "999999999999T", "99999999999999999999":
            self.assertEqual(harness.run("verify", self.path("wide.onnx"), *self.QUERY, "--memory=" + bad).code, 3, bad)
        for good in "1000000000", "4000M", "2G", "1T":
            self.assertEqual(harness.run("verify", self.path("wide.onnx"), *self.QUERY, "--timeout", "0.2", "--memory", good).out.split("\n")[0], "unknown (timeout)")


class Help(unittest.TestCase):
    def test_help_has_examples_and_exit_codes(self):
        done = harness.run("verify", "--help")
        self.assertEqual(done.code, 0)
        for text in ["examples:", "exit codes:", "--certificate", "--radius"]:
            self.assertIn(text, done.out)


if __name__ == "__main__":
    harness.main()
