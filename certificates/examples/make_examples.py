#!/usr/bin/env python3
"""Makes the certificate examples: networks, properties, accepted and rejected certificates, and expected.csv.

Standard library only. `verify` (found by OUTWARD_BIN_DIR) proves the questions of example_questions.py; the edits of
example_edits.py and example_attacks.py make its certificates wrong. Every file is judged by `check` and by the second
checker in test/second; where they differ, or accept what should be wrong, nothing is recorded and the exit status is 1.
usage: make_examples.py [FOLDER]
"""
import csv
import json
import os
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BIN = os.environ.get("OUTWARD_BIN_DIR", os.path.join(SOURCE, "build", "release", "bin"))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(SOURCE, "test", "second")]
import check as second
import example_attacks as attacks
import example_edits as edits
import example_questions as questions
from example_networks import NETWORKS
from records import spelled

VERIFY = ["--max-domains", "60", "--quiet", "--threads", "1"]


def run(program, arguments):
    done = subprocess.run([os.path.join(BIN, program)] + arguments, stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout.decode().split("\n")[0].split(" ")[0], done.stderr.decode().strip()


class Maker:
    def __init__(self):
        self.rows, self.faults, self.known = [], [], {}

    def arguments(self, network, options, expect, semantics):
        return (["--model", "models/%s.onnx" % network] + options + (["--expect", expect] if expect != "holds" else [])
                + (["--semantics", semantics] if semantics else []))

    def judge(self, path, network, options, expect, semantics, right, reason):
        """Records the file if both checkers give the same word and it is of the right kind."""
        arguments = [path] + self.arguments(network, options, expect, semantics)
        word, told = run("check", arguments)
        try:
            other, why = second.run(arguments)
        except Exception as e:
            other, why = "CRASH", repr(e)
        if word != other or word.startswith("VALID") != right and word != "VALID_BUT_NOT_ASKED":
            self.faults.append("%s: check %s (%s), second %s (%s)" % (path, word, told, other, why))
            print("FAULT", self.faults[-1], flush=True)
            return
        self.rows.append([path, network, " ".join(options), expect, semantics, word, reason])

    def accepted(self):
        for name, network, options, claim, semantics, more in questions.QUESTIONS:
            path = "accepted/%s.jsonl" % name
            asked = ["--semantics", semantics] if semantics else []
            if name == "worked_vacuous":
                with open(path, "w") as out:
                    out.write(self.vacuous(network, options))
            else:
                word, told = run("verify", ["--model", "models/%s.onnx" % network] + options + asked + more + VERIFY
                                 + ["--certificate", path])
                if word != claim:
                    self.faults.append("%s: verify says %s %s" % (name, word, told))
                    print("FAULT", self.faults[-1], flush=True)
                    continue
            self.known[name] = (path, network, options, claim, semantics)
            self.judge(path, network, options, claim, semantics, True, "made by verify")
        for base, name, edit in attacks.MADE:
            self.changed("accepted/%s-%s.jsonl" % (base, name), base, edit, True, "changed by hand and still right")

    def vacuous(self, network, options):
        """A property without a nonempty case needs no proof; verify writes none."""
        path = self.known["worked"][0]
        head = self.records(path)[:4]
        prop, lines = head[2], second.load(options[1])
        asked = second.vnnlib.read(lines, 1, 1)
        prop.update(path=os.path.basename(options[1]), sha256=second.hashlib.sha256(lines).hexdigest(), cases=0,
                    boxes=0, digest=asked.digest)
        return attacks.sealed("".join(spelled(r) + "\n" for r in head))

    def records(self, path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-2]]

    def changed(self, path, base, edit, right, reason):
        source, network, options, claim, semantics = self.known[base]
        records = self.records(source)
        edit(records)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(attacks.sealed("".join(spelled(r) + "\n" for r in records)))
        self.judge(path, network, options, claim, semantics, right, reason)

    def rejected(self):
        for base, name, edit, reason in edits.RECORD + attacks.TREE:
            if base in self.known:
                self.changed("rejected/%s-%s.jsonl" % (base, name), base, edit, False, reason)
        source, network, options, claim, semantics = self.known["worked"]
        with open(source, encoding="utf-8", newline="") as file:
            text = file.read().replace('"producer":"', '"producer":"example ', 1)
        body = text[:text.rindex('{"record":"footer"')]
        for name, edit, reason in attacks.BODY:
            self.text("worked-text_" + name, "worked", attacks.sealed(edit(body)).encode(), reason)
        for name, edit, reason in attacks.FILE:
            self.text("worked-file_" + name, "worked", edit(attacks.sealed(body).encode()), reason)
        for base in ("single_bound", "single_bound_real", "single_bound_centre", "open_bound"):
            self.just_too_tight(base)

    def text(self, name, base, data, reason):
        _, network, options, claim, semantics = self.known[base]
        path = "rejected/%s.jsonl" % name
        with open(path, "wb") as out:
            out.write(data)
        self.judge(path, network, options, claim, semantics, False, reason)

    def just_too_tight(self, base):
        """The least binary64 number beyond the exact bound, on both sides."""
        path, network, options, claim, semantics = self.known[base]
        for n, side in enumerate(("lower", "upper")):
            exact = self.exact_bound(path, network, options, semantics, n)
            value = Fraction(float(exact))
            while value <= exact:                      # a lower bound of +Y or of -Y: beyond is above
                step = Fraction(1, 2 ** 52) * (abs(value) if value else Fraction(1, 2 ** 20))
                value = Fraction(float(value + step))
            value = value if side == "lower" else -value
            e = 0
            m = value
            while m.denominator != 1:
                m, e = m * 2, e - 1
            while m % 2 == 0:
                m, e = m / 2, e + 1
            self.changed("rejected/%s-%s_one_unit.jsonl" % (base, side), base,
                         edits.put("bound", "value", "%d*2^%d" % (m, e), n), False,
                         "the bound is one unit of binary64 beyond the exact one")

    def exact_bound(self, path, network, options, semantics, n):
        arguments = second.options([path] + self.arguments(network, options, "bound", semantics))
        found = []
        original = second.Proof.bound

        def bound(proof, scope, record):
            original(proof, scope, record)
            found.append(proof.last_bound)
        second.Proof.bound = bound
        try:
            second.judge(arguments)
        finally:
            second.Proof.bound = original
        return found[n]

    def asked(self):
        for base, name, network, options, claim, semantics, reason in attacks.ASKED:
            path, known_network, known_options, _, _ = self.known[base]
            self.judge(path, network or known_network, options or known_options, claim, semantics, False, reason)


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else HERE)
    for folder in ("models", "properties", "centres", "accepted", "rejected"):
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
    for name, data in NETWORKS.items():
        with open("models/%s.onnx" % name, "wb") as out:
            out.write(data)
    questions.build()
    questions.write_properties(".")
    questions.write_centres(".")
    maker = Maker()
    maker.accepted()
    maker.rejected()
    maker.asked()
    with open("expected.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "model", "options", "expect", "semantics", "word", "reason"])
        writer.writerows(maker.rows)
    print("%d recorded, %d faults" % (len(maker.rows), len(maker.faults)))
    sys.exit(1 if maker.faults else 0)


if __name__ == "__main__":
    main()
