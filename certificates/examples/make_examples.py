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
import shutil
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
import example_compositions as compositions
import example_edits as edits
import example_questions as questions
from example_networks import NETWORKS
from records import spelled

VERIFY = ["--max-domains", "60", "--quiet", "--threads", "1"]


def run(program, arguments):
    done = subprocess.run([os.path.join(BIN, program)] + arguments, stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout.decode().split("\n")[0].split(" ")[0], done.stderr.decode().strip()


def str_of(text):
    """The number that a property of the form Y_0 >= number gives."""
    return text[text.index("(>= Y_0 ") + 8:].split(")")[0]


def decimal_text(value):
    """A fraction with a power of ten below it, written out."""
    digits = 0
    while (value * 10 ** digits).denominator != 1:
        digits += 1
    whole = "%0*d" % (digits + 1, abs(int(value * 10 ** digits)))
    return ("-" if value < 0 else "") + whole[:len(whole) - digits] + ("." + whole[len(whole) - digits:]) * (digits > 0)


def dyadic_text(value):
    """A dyadic fraction as certificates write it."""
    if value == 0:
        return "0"
    zeros = (value.numerator & -value.numerator).bit_length() - 1
    return "%d*2^%d" % (value.numerator >> zeros, zeros - value.denominator.bit_length() + 1)


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
                    out.write(self.vacuous(options))
            elif name == "worked_tie":
                with open(path, "w") as out:
                    out.write(self.about("worked_real", options))
            else:
                word, told = run("verify", ["--model", "models/%s.onnx" % network] + options + asked + more + VERIFY
                                 + ["--certificate", path])
                if word != claim:
                    self.faults.append("%s: verify says %s %s" % (name, word, told))
                    print("FAULT", self.faults[-1], flush=True)
                    continue
            self.known[name] = (path, network, options, claim, semantics)
            self.judge(path, network, options, claim, semantics, True,
                       "made by hand" if name in ("worked_vacuous", "worked_tie") else "made by verify")
        for base, name, edit in attacks.MADE:
            self.changed("accepted/%s-%s.jsonl" % (base, name), base, edit, True, "changed by hand and still right")

    def vacuous(self, options):
        """A property without a nonempty case needs no proof; verify writes none."""
        return self.about("worked", options, records=4, cases=0, boxes=0)

    def about(self, base, options, records=None, **values):
        """The first records of a certificate, about another property of one input and one output."""
        head = self.records(self.known[base][0])[:records]
        lines = second.load(options[1])
        head[2].update(path=os.path.basename(options[1]), sha256=second.hashlib.sha256(lines).hexdigest(),
                       digest=second.vnnlib.read(lines, 1, 1).digest, **values)
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
        for base in ("single_bound", "single_bound_real", "single_bound_centre", "open_bound", "narrow_bound_real"):
            self.just_too_tight(base)

    def text(self, name, base, data, reason):
        _, network, options, claim, semantics = self.known[base]
        path = "rejected/%s.jsonl" % name
        with open(path, "wb") as out:
            out.write(data)
        self.judge(path, network, options, claim, semantics, False, reason)

    def just_too_tight(self, base):
        """The exact bound, if it is dyadic, and the least binary64 number beyond it, on both sides."""
        path, network, options, claim, semantics = self.known[base]
        for n, side in enumerate(("lower", "upper")):
            exact = self.exact_bound(path, network, options, semantics, n)
            if exact.denominator & (exact.denominator - 1) == 0:
                self.changed("accepted/%s-%s_exact.jsonl" % (base, side), base,
                             edits.put("bound", "value", dyadic_text(exact if side == "lower" else -exact), n), True,
                             "the bound is the exact one")
            value = Fraction(float(exact))
            while value <= exact:                      # a lower bound of +Y or of -Y: beyond is above
                step = Fraction(1, 2 ** 52) * (abs(value) if value else Fraction(1, 2 ** 20))
                value = Fraction(float(value + step))
            self.changed("rejected/%s-%s_one_unit.jsonl" % (base, side), base,
                         edits.put("bound", "value", dyadic_text(value if side == "lower" else -value), n), False,
                         "the bound is one unit of binary64 beyond the exact one")

    def exact_bound(self, path, network, options, semantics, n):
        return self.bounds_of("bound", second.options([path] + self.arguments(network, options, "bound", semantics)))[n]

    def bounds_of(self, rule, arguments):
        """The exact bounds that the records of a kind (bound, refute) reach in an accepted certificate."""
        found = []
        original = getattr(second.Proof, rule)

        def watched(proof, scope, record):
            original(proof, scope, record)
            found.append(proof.last_bound)
        setattr(second.Proof, rule, watched)
        try:
            second.judge(arguments)
        finally:
            setattr(second.Proof, rule, original)
        return found

    def under_words(self, base, name, words):
        """The same proof under a claim `capsule`."""
        source, network, options, claim, _ = self.known[base]
        element = self.records(source)[1]["element"]
        made, path = "%s-%s" % (base, name), "accepted/%s-%s.jsonl" % (base, name)
        self.known[made] = path, network, options, claim, "capsule"
        before, self.known[base] = self.known[base], (source, network, options, claim, "capsule")
        self.changed(path, base, attacks.capsule(element + words[0], *words[1:]), True, "larger error boxes")
        self.known[base] = before
        return made

    def limits(self, base):
        """The same proof for a property just weaker, and one just stronger, than what it proves exactly."""
        path, network, options, claim, semantics = self.known[base]
        arguments = second.options([path] + self.arguments(network, options, claim, semantics))
        left = self.bounds_of("refute", arguments)[0]
        old = options[1]
        with open(old) as file:
            text = file.read()
        value = Fraction(str_of(text))
        inputs, outputs = text.count("const X_"), text.count("const Y_")
        row = second.vnnlib.read(text.encode(), inputs, outputs).cases[0].rows[0]
        reached = value - left / -row[1][0]                  # the exact upper bound of Y_0 that the proof gives
        digits = 12 if network != "double" else 20
        below = Fraction((reached * 10 ** digits).__floor__(), 10 ** digits)
        above = Fraction((reached * 10 ** 9).__floor__() + 1, 10 ** 9) if network != "double" else (
            Fraction((reached * 10 ** 14).__floor__() + 1, 10 ** 14))
        for kind, number, right in (("accepted", above, True), ("rejected", below, False)):
            name = "%s-limit_%s" % (base, kind)
            body = text.replace("(>= Y_0 %s)" % str_of(text), "(>= Y_0 %s)" % decimal_text(number)).encode()
            with open("properties/%s.vnnlib" % name, "wb") as out:
                out.write(body)
            asked = second.vnnlib.read(body, inputs, outputs)
            records = self.records(path)
            records[2].update(path=name + ".vnnlib", sha256=second.hashlib.sha256(body).hexdigest(),
                              digest=asked.digest)
            made = "%s/%s.jsonl" % (kind, name)
            with open(made, "w", newline="") as out:
                out.write(attacks.sealed("".join(spelled(r) + "\n" for r in records)))
            asked_with = ["--property", "properties/%s.vnnlib" % name] + options[2:]
            self.judge(made, network, asked_with, claim, semantics, right,
                       "the threshold is just %s the exact bound" % ("above" if right else "below"))

    def compositions(self):
        path, options = "accepted/composed.jsonl", compositions.OPTIONS
        run("verify", ["--model", "models/pair.onnx"] + options + VERIFY + ["--certificate", path])
        os.remove("rows/points.csv.results.jsonl")
        shutil.copytree("accepted/" + compositions.PARTS, "rejected/" + compositions.PARTS)
        self.judge(path, "pair", options, "holds", "", True, "made by verify")
        body = attacks.sealed("".join(spelled(r) + "\n" for r in compositions.records_of(path)))
        for kind, edits_of_kind in ("accepted", compositions.ACCEPTED), ("rejected", compositions.REJECTED):
            for name, edit, reason in edits_of_kind:
                records = compositions.records_of(path)
                edit(records)
                self.composition(kind, name, attacks.sealed("".join(spelled(r) + "\n" for r in records)), reason)
        for name, edit, reason in compositions.FOOTER:
            self.composition("rejected", name, edit(body), reason)

    def composition(self, kind, name, text, reason):
        path = "%s/composed-%s.jsonl" % (kind, name)
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        self.judge(path, "pair", compositions.OPTIONS, "holds", "", kind == "accepted", reason)

    def asked(self):
        for base, name, network, options, claim, semantics, reason in attacks.ASKED:
            path, known_network, known_options, _, _ = self.known[base]
            self.judge(path, network or known_network, options or known_options, claim, semantics, False, reason)


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else HERE)
    for folder in ("models", "properties", "centres", "rows", "accepted", "rejected"):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    for name, data in NETWORKS.items():
        with open("models/%s.onnx" % name, "wb") as out:
            out.write(data)
    questions.build()
    questions.write_properties(".")
    questions.write_centres(".")
    compositions.write_rows(".")
    maker = Maker()
    maker.accepted()
    maker.rejected()
    for name in sorted(maker.known):
        if name.endswith("_easy"):
            maker.limits(name)
    for n, name in enumerate(sorted(k for k in maker.known if k.endswith("_easy"))):
        maker.limits(maker.under_words(name, *attacks.WORDS[n % len(attacks.WORDS)]))
    maker.compositions()
    maker.asked()
    with open("expected.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["file", "model", "options", "expect", "semantics", "word", "reason"])
        writer.writerows(maker.rows)
    print("%d recorded, %d faults" % (len(maker.rows), len(maker.faults)))
    sys.exit(1 if maker.faults else 0)


if __name__ == "__main__":
    main()
