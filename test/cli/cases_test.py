"""The programs on outside data: known answers, hostile files, networks whose real and binary32 answers differ.

Assumes: OUTWARD_CASES names the folder, or it is ../shared/cases; without it every test says SKIPPED. Promises: a verdict
that contradicts a known answer, a `holds` or `violated` that `check` does not confirm, a crash, a hang or a file left
behind by a refusal fails. Not proving something is no failure here."""
import concurrent.futures
import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

CASES = os.path.abspath(os.environ.get("OUTWARD_CASES") or harness.source("..", "shared", "cases"))
WORDS = {"holds": 0, "bound": 0, "violated": 1, "unknown": 2}


def rows(*parts):
    with open(os.path.join(CASES, *parts), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(program, arguments, cwd, seconds, memory=None):
    """(exit status, stdout, stderr); a program that does not end in time has status None."""
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    try:
        done = subprocess.run([os.path.join(harness.BIN, program)] + arguments, cwd=cwd, timeout=seconds, preexec_fn=limit,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return None, "", "no answer in %s s" % seconds
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


class Outside(harness.FolderTest):
    needs = None

    def setUp(self):
        super().setUp()
        if not os.path.isdir(os.path.join(CASES, self.needs)):
            self.skipTest("no folder %s in the outside test data (OUTWARD_CASES)" % self.needs)


class KnownAnswers(Outside):
    needs = "vnncomp"

    def judge(self, row):
        """What is wrong with the answers on one row (None: nothing), and the verdict."""
        folder = tempfile.mkdtemp(dir=self.folder)
        model, prop = row["onnx"], row["vnnlib"]
        proof, witness = os.path.join(folder, "proof"), os.path.join(folder, "witness")
        code, out, err = run("verify", [model, prop, "--timeout", "3", "--certificate", proof, "--witness", witness], os.path.join(CASES, "vnncomp"), 60)
        word = out.split(" ")[0].strip() if out else "refused"
        name = "%s %s: " % (model, prop)
        if word == "refused":
            return (None if code == 4 and err else name + "exit %s %s" % (code, err[:200])), word
        truth = {"unsat": "holds", "sat": "violated"}[row["expected_f32"] or row["expected"]]
        if WORDS.get(word) != code or {word, truth} == {"holds", "violated"}:
            return name + "expected %s, got %s (exit %s)" % (truth, word, code), word
        files = ["--model", model, "--property", prop]
        if word == "holds":
            code, out, err = run("check", [proof] + files, os.path.join(CASES, "vnncomp"), 120)
        elif word == "violated":
            code, out, err = run("check", [witness] + files + ["--semantics", "fp32_sequential"], os.path.join(CASES, "vnncomp"), 120)
        else:
            code = 0
        return (None if code == 0 else name + "check says %s %s" % (out.strip(), err[:200])), word

    def test_one_of_each_kind(self):
        chosen = {}
        for row in rows("vnncomp", "instances.csv"):
            if row["expected"] in ("sat", "unsat") and row["tier"] == "smoke" and not row["onnx"].startswith("["):
                chosen.setdefault((row["category"], row["expected"]), row)
        answers = in_parallel(self.judge, chosen.values())
        verdicts = [verdict for _, verdict in answers]
        print("known answers: %d rows, %s" % (len(answers), ", ".join("%d %s" % (verdicts.count(v), v) for v in sorted(set(verdicts)))))
        self.assertEqual([fault for fault, _ in answers if fault], [])
        self.assertGreater(verdicts.count("holds"), 0)
        self.assertGreater(verdicts.count("violated"), 0)


class Hostile(Outside):
    needs = "hostile"

    def judge(self, row):
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            folder = os.path.join(scratch, "h")
            shutil.copytree(os.path.join(CASES, "hostile"), folder)
            for link, target in ("link.bin", "weights.bin"), ("linkdir", "sub"):
                if not os.path.lexists(os.path.join(folder, link)):
                    os.symlink(target, os.path.join(folder, link))
            before = set(os.listdir(folder))
            code, out, err = run(row["program"], row["arguments"].split(), folder, 30, memory=4 << 30)
            left = set(os.listdir(folder)) - before
        allowed = {"refused": (3, 4, 5) if row["program"] == "verify" else (1, 2, 3, 4, 5), "accepted": (0, 1, 2), "either": (0, 1, 2, 4),
                   "not_holds": (1, 2, 4), "vacuous": (2, 4)}[row["expected"]]
        if code not in allowed or (row["expected"] == "refused" and (left or not err)):
            return "%s: expected %s, exit %s, left %s, %s" % (row["file"], row["expected"], code, sorted(left), (out + err)[:200])
        return None

    def test_every_file(self):
        answers = in_parallel(self.judge, rows("hostile", "expected.csv"))
        print("hostile files: %d" % len(answers))
        self.assertEqual([fault for fault in answers if fault], [])


class Traps(Outside):
    needs = "float_traps"

    def test_no_trap_catches_us(self):
        faults, counts = [], {}
        for row in rows("float_traps", "expected.csv"):
            for semantics in "real", "fp32_any":
                code, out, err = run("verify", [row["onnx"], row["vnnlib"], "--semantics", semantics, "--timeout", "10"],
                                     os.path.join(CASES, "float_traps"), 60)
                word = out.split(" ")[0].strip() if out else "refused"
                counts[word] = counts.get(word, 0) + 1
                wrong = (word == "holds") != (row[semantics] == "holds") if word in ("holds", "violated") else code not in (2, 4)
                if wrong:
                    faults.append("%s under %s: expected %s, got %s (exit %s) %s" % (row["onnx"], semantics, row[semantics], word, code, err[:200]))
        print("traps: " + ", ".join("%d %s" % (n, w) for w, n in sorted(counts.items())))
        self.assertEqual(faults, [])


class Witnesses(Outside):
    needs = os.path.join("certificates", "witness")

    def test_every_file(self):
        faults = []
        for row in rows("certificates", "witness", "expected.csv"):
            for semantics, column in ("real", "expected_real"), ("fp32_sequential", "expected_fp32"):
                code, out, err = run("check", [row["file"], "--model", row["model"], "--property", row["property"], "--semantics", semantics],
                                     os.path.join(CASES, self.needs), 60)
                if (code == 0) != (row[column] == "accept") or code not in (0, 1, 2, 4):
                    faults.append("%s under %s: expected %s, exit %s %s" % (row["file"], semantics, row[column], code, (out + err)[:200]))
        self.assertEqual(faults, [])


if __name__ == "__main__":
    harness.main()
