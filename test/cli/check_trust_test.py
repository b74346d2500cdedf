"""`check --trust`: the records of kernels that a certificate names, looked up, compared and weighed."""
import glob
import hashlib
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

sys.path.insert(0, harness.source("test", "second"))
import check as second

EXAMPLES = harness.source("certificates", "examples")
RECORDS = harness.source("certificates", "records")
ASKED = ["--model", EXAMPLES + "/models/worked.onnx", "--property", EXAMPLES + "/properties/worked.vnnlib"]


def sealed_record(record):
    """The line of a record with the digest that belongs to it."""
    head = json.dumps({k: v for k, v in record.items() if k != "sha256"}, separators=(",", ":"), ensure_ascii=False)[:-1]
    digest = hashlib.sha256(head.encode()).hexdigest()
    return '%s,"sha256":"%s"}' % (head, digest), digest


def shipped():
    found = {}
    for path in glob.glob(RECORDS + "/*.jsonl"):
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                if record["record"] == "capsule":
                    found[record["name"]] = record
    return found


class TrustTest(harness.FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.records = shipped()

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def certificate(self, capsules, at=4, times=1):
        """The worked example that names these (name, digest)."""
        lines = harness.read("certificates", "examples", "accepted", "worked.jsonl").split("\n")[:-2]
        record = {"record": "capsules", "profile": "p", "names": [n for n, _ in capsules], "sha256": [d for _, d in capsules]}
        lines[at:at] = [json.dumps(record, separators=(",", ":"))] * times
        body = "".join(line + "\n" for line in lines)
        footer = '{"record":"footer","records":%d,"sha256":"%s"}\n' % (len(lines), hashlib.sha256(body.encode()).hexdigest())
        return self.write("c.jsonl", body + footer)

    def named(self, *names):
        return [(n, self.records[n]["sha256"]) for n in names]

    def judge(self, certificate, *more, word):
        """The line of `check`, which has to begin with the word."""
        done = harness.run("check", certificate, *ASKED, *more)
        self.assertEqual(done.out.split(" ")[0], word, done)
        self.assertEqual(done.code, {"VALID": 0, "INVALID": 1, "MALFORMED": 4}.get(word, 2), done)
        return done.out + done.err

    def refused(self, certificate, reason, *more):
        told = self.judge(certificate, "--trust", self.path("records") if os.path.isdir(self.path("records")) else RECORDS, *more,
                          word="VALID_BUT_NOT_ASKED")
        self.assertIn(reason, told)

    def own(self, allow=True, **changes):
        """A certificate that rests on the reference kernels, one of them changed; and options for its record."""
        record = dict(self.records["reference.dense.binary32"], name="own.dense", **changes)
        line, digest = sealed_record(record)
        self.write("records/own.jsonl", line + "\n")
        for path in glob.glob(RECORDS + "/*.jsonl"):
            with open(path, encoding="utf-8") as file:
                self.write("records/" + os.path.basename(path), file.read())
        more = ["--allow-records", self.write("allowed", digest + "\n")] if allow else []
        return self.certificate([("own.dense", digest)] + self.named("reference.relu.binary32")), more

    def test_the_shipped_files_are_those_of_the_checker(self):
        source = harness.read("checker", "report", "capsules.cpp")
        known = set(re.findall(r'"([0-9a-f]{64})"', source))
        files = [p for p in glob.glob(RECORDS + "/*.jsonl") if os.path.basename(p) != "profiles.jsonl"]
        found = set()
        for path in files:
            with open(path, "rb") as file:
                found.add(hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(known, found)

    def test_accepted(self):
        for provider, label in ("reference", "fuzzed"), ("fast", "fuzzed"):
            certificate = self.certificate(self.named(provider + ".dense.binary32", "reference.relu.binary32"))
            self.assertIn("names 2 records of kernels", self.judge(certificate, "--explain", word="VALID"))
            told = self.judge(certificate, "--trust", RECORDS, "--explain", word="VALID")
            self.assertIn("trust of what it rests on: " + label, told)
            self.judge(certificate, "--trust", RECORDS, "--fail-below", "fuzzed", word="VALID")
            self.assertIn("asked was at least checked",
                          self.judge(certificate, "--trust", RECORDS, "--fail-below", "checked", word="VALID_BUT_NOT_ASKED"))
            self.assertEqual(second.run([certificate] + ASKED)[0], "VALID")

    def test_what_verify_writes(self):
        """--semantics capsule names the records of its plan, and --trust finds them."""
        for profile, word in ("reference_cpu", "VALID"), ("checked_cpu", "VALID"), ("onnxruntime_cpu", "VALID_WITH_ASSUMPTIONS"):
            done = harness.run("verify", ASKED[1], ASKED[3], "--semantics", "capsule", "--profile", profile,
                               "--certificate", self.path("v.jsonl"))
            self.assertEqual((done.out.split(" ")[0], done.code), ("holds", 0), done)
            told = self.judge(self.path("v.jsonl"), "--trust", RECORDS, "--explain", word=word)
            self.assertIn("trust of what it rests on: " + ("external" if "onnx" in profile else "fuzzed"), told)
            self.assertEqual(second.run([self.path("v.jsonl")] + ASKED)[0], "VALID")

    def test_the_record_is_no_part_of_the_proof(self):
        two = self.certificate(self.named("fast.dense.binary32"), times=2)
        self.judge(two, word="VALID")
        for at in 3, 5, 8:  # before the numerics, in a box, behind it
            late = self.certificate(self.named("fast.dense.binary32"), at=at)
            word = second.run([late] + ASKED)[0]
            self.assertIn(word, ("INVALID", "MALFORMED"))
            self.judge(late, word=word)

    def test_named_and_not_there(self):
        good = self.named("fast.dense.binary32", "reference.relu.binary32")
        self.refused(EXAMPLES + "/accepted/worked.jsonl", "names no records")
        self.refused(self.certificate(good + [("fast.conv.binary32", "0" * 64)]), "no record with SHA-256 " + "0" * 64)
        self.refused(self.certificate([("fast.conv.binary32", good[0][1]), good[1]]), "the record of this digest is fast.dense.binary32")
        self.refused(self.certificate(good[:1]), "no capsule runs its relu nodes")
        self.refused(self.certificate(good[1:]), "no capsule runs its dense nodes")

    def test_policies_beyond_the_claim(self):
        relu = self.named("reference.relu.binary32")
        for name in self.records:
            record = self.records[name]
            words = record["policy"].split(" ")
            beyond = words[0] != "binary32" or any(re.match("operands|accumulator|subnormals=flush|ulp|rounding|reduction=block", w) for w in words)
            if record["op"] == "dense" and beyond:
                self.refused(self.certificate(self.named(name) + relu), "not covered by the claim")
        for policy in "binary32 speed=high", "binary32 reduction=strassen", "binary64", "", "binary32  reduction=sequential":
            certificate, more = self.own(policy=policy)
            self.refused(certificate, "not covered by the claim", *more)

    def test_records_of_ones_own(self):
        certificate, more = self.own(allow=False)
        self.refused(certificate, "not shipped with this checker")
        self.refused(certificate, "not shipped with this checker", "--allow-records", self.write("none", "\n" + "1" * 64 + "\n"))
        certificate, more = self.own()
        self.judge(certificate, "--trust", self.path("records"), *more, word="VALID")
        base = self.records["reference.dense.binary32"]
        certificate, more = self.own(trust="proved")
        self.refused(certificate, "stronger than its evidence", *more)
        certificate, more = self.own(forward=False)
        self.refused(certificate, "does not run forward", *more)
        certificate, more = self.own(trust="sure")
        self.refused(certificate, "its label sure is none", *more)
        for field in "shape", "layout", "value":
            # The first ones are of no cases, without an artefact's digest, and nowhere: they were believed.
            for change in {"evidence": "fuzz", "cases": 0}, {"evidence": "proof"}, {"provenance": []}, {"evidence": "none"}, {"evidence": "hearsay"}, {"claim": "vjp_refinement"}, {"op": "conv"}:
                contracts = dict(base["contracts"], **{field: dict(base["contracts"][field], **change)})
                certificate, more = self.own(contracts=contracts)
                self.refused(certificate, "its contract " + field, *more)

    def test_a_record_outside_the_schema(self):
        """Records that `audit` refuses as no records were believed here, once on an allow-list: -1 or 0.0 cases are not
        "0", "zz" is a digest that is not empty, and a policy could name two orders of its sums."""
        value = self.records["reference.dense.binary32"]["contracts"]["value"]
        nowhere = {"file": "", "symbol": "", "sha256": "", "note": ""}
        for change, reason in [({"cases": -1}, "does not state"), ({"cases": 0.0}, "does not state"),
                               ({"evidence": "proof", "provenance": [dict(nowhere, file="x", sha256="zz")]}, "does not state"),
                               ({"provenance": [nowhere]}, "names a file"), ({"more": ""}, "more")]:
            contracts = dict(self.records["reference.dense.binary32"]["contracts"], value=dict(value, **change))
            certificate, more = self.own(contracts=contracts)
            self.refused(certificate, reason, *more)
        for change, reason in [({"more": ""}, "more"), ({"policy": "binary32 reduction=sequential reduction=pairwise"}, "twice")]:
            certificate, more = self.own(**change)
            self.refused(certificate, reason, *more)

    def test_a_tampered_record(self):
        for old, new in ('"trust":"fuzzed"', '"trust":"checked"'), ("reference order", "any order"), ('"provider":"', '"provider":"x'):
            certificate, more = self.own()
            text = harness.read("certificates", "records", "reference_cpu.jsonl")
            line = next(l for l in text.split("\n") if '"name":"reference.relu.binary32"' in l)
            if old not in line:
                continue
            self.write("records/reference_cpu.jsonl", text.replace(line, line.replace(old, new)))
            self.refused(certificate, "no record with SHA-256", *more)          # its text has another digest
        certificate, more = self.own()
        with open(self.path("records/own.jsonl"), encoding="utf-8") as file:
            line = file.read()
        self.write("records/own.jsonl", line[:-4] + ("0" if line[-4] != "0" else "1") + '"}\n')
        self.refused(certificate, "its digest is not that of its text", *more)

    def test_policies_beyond_the_float_claim(self):
        """A plan of TF32, bfloat16 or flushing kernels has a certificate of its own claim; its words are looked at."""
        asked = ["--model", harness.source("examples", "strokes.onnx"), "--radius", "0.05", "--label", "1",
                 "--input", harness.source("examples", "vertical.csv")]
        words = {"deployed_tf32": "binary32 operands=tf32 nearest_even gradual any any",
                 "deployed_bf16": "binary32 operands=bfloat16 nearest_even gradual any any",
                 "deployed_flush": "binary32 nearest_even flush any any"}
        for profile, claimed in words.items():
            made = self.path(profile + ".jsonl")
            done = harness.run("verify", asked[1], *asked[2:], "--semantics", "capsule", "--profile", profile,
                               "--certificate", made)
            self.assertEqual(done.code, 0, done)
            self.assertIn("claims capsule (binary32 ", done.out + done.err)
            allowed = ["--allow", profile.replace("deployed_", "deployment-"), "--trust", RECORDS]
            for semantics in "capsule", "best", "fp32_any", "real":
                done = harness.run("check", made, *asked, *allowed, "--semantics", semantics)
                self.assertEqual(done.code, 0, done)
                self.assertIn("holds under capsule (%s) and fp32_any and real" % claimed, done.out)
                self.assertEqual(second.run([made] + asked + ["--semantics", semantics])[0], "VALID")
            self.assertEqual(harness.run("check", made, *asked, "--semantics", "fp64_any").code, 2)
            self.assertIn("execution that keeps to the words", harness.run("check", made, *asked, "--explain").err)
            # Two shards are one proof.
            shards = [self.write("shard%d" % k, harness.run("check", made, *asked, "--shard", "%d/2" % k).out) for k in (1, 2)]
            done = harness.run("check", made, *asked, *[w for s in shards for w in ("--join", s)], "--semantics", "capsule",
                               "--allow", "shards-run-elsewhere")
            self.assertIn("capsule", done.out + done.err)
            with open(made, encoding="utf-8") as file:
                lines = file.read().split("\n")[:-2]
            # An operator that multiplies no factors has no operands to round: such a record means nothing that is covered.
            for op, told in ("relu", "operands=bfloat16 of relu"), ("dense", ""):
                line, digest = sealed_record(dict(self.records["reference.%s.binary32" % op], name="own", policy="binary32 operands=bfloat16"))
                self.write("own/own.jsonl", line + "\n")
                for path in glob.glob(RECORDS + "/*.jsonl"):
                    with open(path, encoding="utf-8") as file:
                        self.write("own/" + os.path.basename(path), file.read())
                named = json.dumps({"record": "capsules", "profile": "p", "names": ["own"], "sha256": [digest]}, separators=(",", ":"))
                body = "".join(l + "\n" for l in lines[:4] + [named] + lines[4:])
                more = self.write("more.jsonl", body + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (
                    len(lines) + 1, hashlib.sha256(body.encode()).hexdigest()))
                done = harness.run("check", more, *asked, *allowed[:2], "--trust", self.path("own"), "--semantics", "best",
                                   "--allow-records", self.write("digests", digest + "\n"))
                self.assertEqual(done.code, 0 if "bf16" in profile and not told else 2, done)
                self.assertIn(told, done.err)
            # The kernels named allow more than a claim with other words.
            header, numerics = json.loads(lines[0]), json.loads(lines[3])
            for semantics, first, subnormals in (("capsule", "binary32", "gradual"), ("fp32_any", "binary32", "gradual"),
                                                 ("capsule", "binary32 operands=binary16", "gradual")):
                header["semantics"] = semantics
                numerics.update(format=first, subnormals=subnormals)
                lines[0], lines[3] = (json.dumps(r, separators=(",", ":"), ensure_ascii=False) for r in (header, numerics))
                body = "".join(line + "\n" for line in lines)
                less = self.write("less.jsonl", body + '{"record":"footer","records":%d,"sha256":"%s"}\n' % (
                    len(lines), hashlib.sha256(body.encode()).hexdigest()))
                done = harness.run("check", less, *asked, *allowed, "--semantics", "best")
                self.assertEqual(done.code, 2, done)
                self.assertIn("not covered by the claim: the policy says", done.err)

    def test_sums_in_a_wider_format(self):
        """A kernel that adds in binary64 and rounds once keeps to rounding `any`: its plan has a certificate of that claim."""
        asked = ["--model", harness.source("examples", "strokes.onnx"), "--radius", "0.05", "--label", "1",
                 "--input", harness.source("examples", "vertical.csv")]
        line, digest = sealed_record(dict(self.records["reference.dense.binary32"], name="own.dense", support="planner_only",
                                          policy="binary32 accumulator=binary64 reduction=any_order"))
        profile = json.loads(harness.read("certificates", "records", "profiles.jsonl").splitlines()[0])
        profile.update(name="wide", order=["own.dense"])
        own = self.write("profile.jsonl", sealed_record(profile)[0] + "\n")
        for folder in "mine", "records":
            self.write(folder + "/own.jsonl", line + "\n")
        allow = self.write("allow", digest + "\n")
        made = self.path("wide.jsonl")
        done = harness.run("verify", asked[1], *asked[2:], "--semantics", "capsule", "--profile", own, "--records", self.path("mine"),
                           "--allow", allow, "--certificate", made)
        self.assertEqual(done.code, 0, done)
        self.assertIn("claims capsule (binary32 rounding=toward_zero", done.err)
        for path in glob.glob(RECORDS + "/*.jsonl"):
            with open(path, encoding="utf-8") as file:
                self.write("records/" + os.path.basename(path), file.read())
        trust = ["--trust", self.path("records"), "--allow-records", allow]
        wide = "binary32 accumulator=binary64"
        for policy, word in ((wide, "VALID"), (wide + " reduction=any_order", "VALID"), (wide + " rounding=up", "VALID_BUT_NOT_ASKED"),
                             ("binary32 rounding=up", "VALID"), ("binary64 " + wide[9:], "VALID_BUT_NOT_ASKED"),
                             ("binary32 accumulator=binary16", "VALID_BUT_NOT_ASKED"), (wide + " subnormals=flush", "VALID_BUT_NOT_ASKED")):
            done = harness.run("check", made, *asked, "--semantics", "capsule", *trust, "--under", policy)
            self.assertEqual(done.out.split(" ")[0], word, (policy, done))
        self.assertEqual(second.run([made] + asked + ["--semantics", "capsule"])[0], "VALID")
        done = harness.run("audit", "certificate", made, "--records", self.path("mine"), "--allow", allow)
        self.assertEqual((done.code, done.out.split(" ")[0]), (0, "covered"), done)

    def test_what_the_network_runs_under(self):
        """A certificate chooses the words of its claim and the records that it names, so that --semantics capsule alone,
        and --trust with records of other kernels than those that run, were VALID whatever the network runs under."""
        asked = ["--model", harness.source("examples", "strokes.onnx"), "--radius", "0.05", "--label", "1",
                 "--input", harness.source("examples", "vertical.csv")]
        flush, tf32 = "binary32 subnormals=flush", "binary32 operands=tf32 contraction=fma reduction=any_order"
        any32 = "binary32 contraction=fma reduction=any_order_any_fusion"
        covered = {"reference_cpu": [any32, "binary32"], "deployed_flush": [any32, flush, flush + " reduction=pairwise"],
                   "deployed_tf32": [any32, tf32]}
        for profile, policies in covered.items():
            made = self.path(profile + ".jsonl")
            done = harness.run("verify", asked[1], *asked[2:], "--semantics", "capsule", "--profile", profile, "--certificate", made)
            self.assertEqual(done.code, 0, done)
            for policy in any32, "binary32", flush, flush + " reduction=pairwise", tf32, flush + " operands=tf32", "binary64", \
                    "binary32 rounding=up", "binary32 accumulator=binary64", "binary32 reduction=block(h100_tf32)":
                done = harness.run("check", made, *asked, "--semantics", "best", "--under", policy)
                fits = policy in policies or policy == "binary32"
                self.assertEqual((done.out.split(" ")[0], done.code), ("VALID", 0) if fits else ("VALID_BUT_NOT_ASKED", 2), (profile, policy, done))
                self.assertEqual("not all covered" in done.err, not fits, done)
        made, q = self.path("deployed_tf32.jsonl"), ["--under", any32]
        done = harness.run("check", made, *asked, "--semantics", "real", *q)
        self.assertEqual(done.code, 0, done)
        real = self.path("real.jsonl")
        harness.run("verify", asked[1], *asked[2:], "--semantics", "real", "--certificate", real)
        done = harness.run("check", real, *asked, "--semantics", "real", *q)
        self.assertIn("the claim is about the reals", done.err)
        self.assertEqual(done.code, 2)
        wide = [a if a != "0.05" else "0.2" for a in asked]
        harness.run("verify", wide[1], *wide[2:], "--certificate", real, "--witness", self.path("w.txt"))
        done = harness.run("check", real, *wide, "--expect", "violated", *q)
        self.assertIn("a counterexample is about one execution", done.err)
        self.assertEqual(done.code, 2)
        self.assertEqual(harness.run("check", self.path("w.txt"), *wide, *q).code, 3)
        self.assertEqual(harness.run("check", made, *asked, "--shard", "1/2", *q).code, 3)
        for policy in ("", " ", "garbage", "bfloat16", "binary32 fast=yes", "tf32", "binary32 subnormals=flsh", "binary32 operand=tf32", "binary32,subnormals=flush",
                       "binary32 operands=", "binary32 flush"):  # they were policies that nothing covers
            done = harness.run("check", made, *asked, "--under", policy)
            self.assertEqual((done.code, done.out), (3, ""), policy)

    def test_assumptions(self):
        names = [n for n in self.records if n.startswith("onnxruntime.") and self.records[n]["op"] in ("dense", "relu")]
        certificate = self.certificate(self.named(*names))
        told = self.judge(certificate, "--trust", RECORDS, word="VALID_WITH_ASSUMPTIONS")
        assumption = self.records[names[0]]["assumption"]
        self.assertIn("--allow " + assumption, told)
        self.judge(certificate, "--trust", RECORDS, "--allow", assumption, word="VALID")
        self.judge(certificate, "--trust", RECORDS, "--allow", assumption, "--fail-below", "fuzzed", word="VALID_BUT_NOT_ASKED")

    def test_usage(self):
        certificate = self.certificate(self.named("fast.dense.binary32", "reference.relu.binary32"))
        for more in (["--fail-below", "fuzzed"], ["--allow-records", certificate], ["--trust", RECORDS, "--fail-below", "best"],
                     ["--allow", "onnxruntime-cpu-any-order"], ["--trust", RECORDS, "--shard", "1/2"], ["--trust", RECORDS, "--allow", "a\nb"]):
            self.assertEqual(harness.run("check", certificate, *ASKED, *more).code, 3, more)
        for more in ["--trust", self.folder + "/nowhere"], ["--trust", EXAMPLES + "/models"], ["--trust", RECORDS, "--allow-records", certificate]:
            self.assertEqual(harness.run("check", certificate, *ASKED, *more).code, 4, more)
        self.write("bad/x.jsonl", '{"record":"capsule","name":1,"sha256":"' + "0" * 64 + '"}\n')
        self.assertEqual(harness.run("check", certificate, *ASKED, "--trust", self.path("bad")).code, 4)

    def test_policy_files(self):
        certificate = self.certificate(self.named("fast.dense.binary32", "reference.relu.binary32"))
        policy = self.write("policy.json", json.dumps({"trust": RECORDS, "fail-below": "checked"}))
        self.judge(certificate, "--policy", policy, word="VALID_BUT_NOT_ASKED")
        for more in ["--fail-below", "external"], ["--allow-records", certificate]:
            self.assertEqual(harness.run("check", certificate, *ASKED, "--policy", policy, *more).code, 3, more)


if __name__ == "__main__":
    harness.main()
