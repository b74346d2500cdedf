"""`roundoff` as a user sees it: reports of models and operators, JSON by its schema, the plot, targets, the coverage of
operators, refusals."""
import json
import os
import sys
import unittest
import xml.dom.minidom

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import models
import schema
from records import seal, shipped

SCHEMA = json.loads(harness.read("cli", "roundoff_schema.json"))


class Roundoff(harness.FolderTest):
    def network(self):
        path = self.path("net.onnx")
        weights = [((i * 37) % 19 - 9) / 8 for i in range(24)]
        models.write(path, [("MatMul", ["x", "w"], "z"), ("Add", ["z", "b"], "s"), ("Relu", ["s"], "a"),
                            ("MatMul", ["a", "v"], "y")],
                     [("w", [4, 6], weights), ("b", [6], [0.1, -0.2, 0.3, 0, 1, -1]), ("v", [6, 2], weights[:12])],
                     [("x", [1, 4])], [("y", [1, 2])])
        return path

    def report(self, *arguments, code=0):
        done = harness.run("roundoff", *arguments, "--json")
        self.assertEqual(done.code, code, done.err)
        result = json.loads(done.out)
        self.assertEqual(schema.faults(result, SCHEMA), [])
        self.assertEqual(result["observed"]["violations"], 0)
        return result

    def test_model(self):
        path = self.network()
        bounds = {}
        for name in ("binary32", "binary16", "bfloat16"):
            r = self.report(path, "--format", name, "--range=-1,1")
            self.assertEqual(len(r["outputs"]), 2)
            self.assertGreater(len(r["observed"]["orders"]), 5)
            for y in r["outputs"]:
                self.assertEqual(y["bound"], min(y["forward"], y["mean_value"], y["difference"]))
                self.assertLessEqual(y["observed"], y["bound"])
            self.assertAlmostEqual(sum(o["share"] for o in r["operators"]), 1, 6)
            bounds[name] = r["bound"]
        self.assertLess(bounds["binary32"], bounds["binary16"])
        self.assertLess(bounds["binary16"], bounds["bfloat16"])
        wide = self.report(path, "--format", "bfloat16", "--accumulate", "binary32", "--range=-1,1")
        self.assertLess(wide["bound"], bounds["bfloat16"])
        text = harness.run("roundoff", path, "--format", "binary32", "--range=-1,1")
        self.assertEqual(text.code, 0, text.err)
        for word in ("share", "headroom", "mean-value", "bound / worst", "assumes:"):
            self.assertIn(word, text.out)

    def test_margin_is_the_sum_of_the_shares(self):
        r = self.report(self.network(), "--format", "binary32", "--range", "0.5,0.75")
        self.assertEqual(len(r["margins"]), 2)
        for m in r["margins"]:
            self.assertGreater(m["shares"], 0)
            self.assertLess(abs(m["difference"] - m["shares"]), 1e-9 * m["shares"])

    def test_parts_and_orders(self):
        path = self.network()
        whole = self.report(path, "--format", "binary16", "--range=-1,1")
        parts = self.report(path, "--format", "binary16", "--range=-1,1", "--parts", "64")
        self.assertLess(parts["bound"], whole["bound"])
        for order in ("sequential", "pairwise", "fused"):
            one = self.report(path, "--format", "binary16", "--range=-1,1", "--order", order)
            self.assertLessEqual(one["bound"], whole["bound"])
        core = self.report(path, "--format", "binary16", "--range=-1,1", "--order", "tensorcore:h100_f16")
        self.assertTrue(any("h100_f16" in a for a in core["assumptions"]))

    def test_profile(self):
        path = self.network()
        bounds = {}
        for profile, label in (("reference_cpu", "fuzzed"), ("checked_cpu", "fuzzed"), ("onnxruntime_cpu", "external"),
                               ("cublas_cuda", "external"), ("deployed_fma_chain", "external"),
                               ("deployed_tf32", "external"), ("cublas_h100_bf16", "external")):
            r = self.report(path, "--profile", profile, "--range=-1,1")
            bounds[profile] = r["bound"]
            self.assertEqual((r["plan"]["profile"], r["plan"]["weakest"]), (profile, label))
            for o in r["operators"]:
                self.assertEqual(o["capsule"] is None, o["kind"] in ("input", "constant"), o)
                if o["capsule"]:
                    self.assertIn("." + o["kind"] + ".", o["capsule"])
                    self.assertIn(o["trust"], ("fuzzed", "external"))
                    self.assertTrue(o["policy"].startswith("binary32"))
            # Margins are those of fp32_any, which covers no operands rounded first.
            self.assertEqual(len(r["margins"]), 0 if "operands" in json.dumps(r) else 2)
            self.assertGreater(r["observed"]["runs"], 0)
        for profile, order in (("reference_cpu", "sequential"), ("onnxruntime_cpu", "any"), ("deployed_fma_chain", "fused")):
            self.assertEqual(bounds[profile], self.report(path, "--format", "binary32", "--range=-1,1", "--order", order)["bound"])
        self.assertGreater(bounds["deployed_tf32"], 50 * bounds["onnxruntime_cpu"])
        self.assertGreater(bounds["cublas_h100_bf16"], 2 * bounds["deployed_tf32"])
        onnx = self.report(path, "--profile", "onnxruntime_cpu", "--range=-1,1")
        self.assertIn("onnxruntime-cpu-any-order", onnx["assumptions"])
        self.assertTrue(self.report(path, "--profile", "cublas_cuda", "--range=-1,1")["plan"]["requires_off"])
        text = harness.run("roundoff", path, "--profile", "checked_cpu", "--range=-1,1")
        for word in ("plan: profile=checked_cpu", "weakest label: fuzzed", "fast.dense.binary32 (fuzzed)", "reference.relu.binary32 (fuzzed)"):
            self.assertIn(word, text.out)

    def test_profile_of_the_user(self):
        """A file with a profile and a record: the record's policy bounds its node; it counts on the allow-list only."""
        path = self.network()
        record = shipped("reference.dense.binary32")
        record.update(name="mine.dense", policy="binary32 contraction=fma reduction=sequential")
        profile = dict(shipped("reference_cpu"), name="mine", order=["mine.dense"])
        os.mkdir(self.path("records"))

        def write(name, text):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        line = seal(record)
        for name, text in (("records/mine.jsonl", line), ("profile.jsonl", seal(profile)), ("allow", line[-66:-2])):
            write(name, text)
        query = (path, "--profile", self.path("profile.jsonl"), "--records", self.path("records"), "--range=-1,1")
        refused = harness.run("roundoff", *query)
        self.assertEqual((refused.code, refused.out), (4, ""))
        self.assertIn("mine.dense", refused.err)
        r = self.report(*query, "--allow", self.path("allow"))
        self.assertEqual({o["capsule"] for o in r["operators"] if o["kind"] == "dense"}, {"mine.dense"})
        self.assertEqual({o["capsule"] for o in r["operators"] if o["kind"] == "relu"}, {"reference.relu.binary32"})
        self.assertEqual(r["bound"], self.report(path, "--format", "binary32", "--order", "fused", "--range=-1,1")["bound"])
        record["policy"] = "binary32 accumulator=tf32 reduction=sequential"
        line = seal(record)
        write("records/mine.jsonl", line)
        write("allow", line[-66:-2])
        done = harness.run("roundoff", *query, "--allow", self.path("allow"))
        self.assertEqual(done.code, 4, done.out)
        self.assertIn("mine.dense", done.err)

    def test_profiles_that_are_refused(self):
        path = self.network()
        done = harness.run("roundoff", path, "--profile", "deployed_flush", "--range=-1,1")
        self.assertEqual((done.code, done.out), (4, ""))
        # Every node by its name, with its kernel.
        for word in ("custom.dense.flush", "custom.shift.flush", "custom.relu.flush", "flushes subnormal"):
            self.assertIn(word, done.err)
        for extra, code in ((["--profile", "none_such"], 3), (["--profile", "checked_cuda"], 4),
                            (["--profile", "reference_cpu", "--format", "binary32"], 3),
                            (["--profile", "reference_cpu", "--order", "fused"], 3),
                            (["--profile", "reference_cpu", "--policy", "binary32"], 3),
                            (["--policy", "binary32", "--order", "fused"], 3),
                            (["--profile", "reference_cpu", "--target", "1"], 3), (["--records", "x", "--format", "binary32"], 3),
                            (["--profile", "reference_cpu", "--records", self.path("missing")], 3)):
            done = harness.run("roundoff", path, "--range=-1,1", *extra)
            self.assertEqual(done.code, code, (extra, done.out, done.err))
            self.assertNotEqual(done.err, "")
        for arguments in (["--op", "softmax", "--format", "binary32"], ["--expression", "(FPCore (x) x)"]):
            self.assertEqual(harness.run("roundoff", *arguments, "--profile", "reference_cpu").code, 3, arguments)

    def test_options_of_other_subjects_are_refused(self):
        """They were passed over: `--op softmax --radius 1` reported the default range."""
        path = self.network()
        for subject, options in ((["--op", "softmax", "--format", "binary32"], (["--radius", "1"], ["--input", path], ["--target", "1"], ["--parts", "2"], ["--arg", "x=0,1"], ["--timeout", "3"])),
                                 ([path, "--format", "binary32", "--range", "0,1"], (["--n", "3"], ["--d", "3"], ["--block", "2"], ["--arg", "x=0,1"], ["--boxes", "3"], ["--core", "f"]))):
            for option in options:
                done = harness.run("roundoff", *subject, *option)
                self.assertEqual(done.code, 3, (subject, option))
                self.assertIn(option[0] + ": not of ", done.err)

    def test_one_option_says_where_the_inputs_lie(self):
        """`--input X --radius 0.1 --range 0,1` passed over the range."""
        path, point = self.network(), self.path("x.csv")
        with open(point, "w", encoding="utf-8") as file:
            file.write(",".join(["0"] * 8))
        for options in (["--input", point, "--range=0,1"], ["--range=0,1", "--radius", "1"], ["--radius", "1"],
                        ["--property", point, "--range=0,1"], ["--property", point, "--input", point]):
            self.assertEqual(harness.run("roundoff", path, "--format", "binary32", *options).code, 3, options)

    def test_target(self):
        path = self.network()
        r = self.report(path, "--format", "binary32", "--range=-1,1", "--target", "0.5")
        self.assertTrue(r["target"]["reached"])
        self.assertLessEqual(r["target"]["bound"], 0.5)
        self.assertTrue({o["recommended"] for o in r["operators"]} - {"binary32"})
        missed = self.report(path, "--format", "bfloat16", "--range=-1,1", "--target", "1e-9", code=2)
        self.assertFalse(missed["target"]["reached"])

    def test_overflow_leaves_no_bound(self):
        r = self.report(self.network(), "--format", "e4m3fn", "--accumulate", "binary32", "--range=-400,400", code=2)
        self.assertIsNone(r["bound"])
        self.assertIsNotNone(r["overflow"])

    def test_plot(self):
        svg = self.path("errors.svg")
        bound = self.report(self.network(), "--format", "binary32", "--range=-1,1", "--plot", svg)["bound"]
        with open(svg, encoding="utf-8") as file:
            text = file.read()
        root = xml.dom.minidom.parseString(text).documentElement
        self.assertEqual(root.tagName, "svg")
        self.assertGreater(len(root.getElementsByTagName("rect")), 8)
        self.assertNotIn("script", text)
        # It was rounded to nearest: below the bound as often as not.
        self.assertGreaterEqual(float(text.split("greatest output error ")[1].split("<")[0]), bound)

    def test_operators(self):
        for name in ("softmax", "log-softmax", "online-softmax", "layernorm", "rmsnorm", "batchnorm", "batchnorm-folded", "gelu", "attention"):
            r = self.report("--op", name, "--n", "24", "--format", "bfloat16", "--accumulate", "binary32", "--samples", "4")
            self.assertGreater(r["bound"], 0, name)
            self.assertGreater(r["observed"]["runs"], 0)
        block = self.report("--op", "transformer-block", "--format", "binary32", "--samples", "2")
        self.assertIsNotNone(block["bound"])
        wide = self.report("--op", "attention", "--n", "16", "--format", "binary32", "--samples", "8")
        for operands in ("bfloat16 reduction=any_order_any_fusion", "tf32 reduction=block(h100_tf32)", "binary16 reduction=sequential"):
            r = self.report("--op", "attention", "--n", "16", "--policy", "binary32 operands=" + operands, "--samples", "8")
            self.assertGreater(r["bound"], 100 * wide["bound"])
        done = harness.run("roundoff", "--op", "online-softmax", "--policy", "binary32 operands=tf32 reduction=sequential")
        self.assertEqual(done.code, 4)  # its products have no rule with operands rounded first
        self.assertIn("online-softmax", done.err)
        listed = harness.run("roundoff", "--operators")
        self.assertEqual(listed.code, 0)
        self.assertIn("Jeannerod", listed.out)

    def test_coverage(self):
        baseline = harness.source("bounds", "roundoff", "baseline.jsonl")
        done = harness.run("roundoff", "--coverage", baseline)
        self.assertEqual(done.code, 0, done.out + done.err)
        with open(baseline, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        next(r for r in rows if r["op"] == "dense")["bound"] /= 2
        worse = self.path("worse.jsonl")
        with open(worse, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(r) + "\n" for r in rows[:-1])
        done = harness.run("roundoff", "--coverage", worse, "--json")
        self.assertEqual(done.code, 1)
        faults = json.loads(done.out)["faults"]
        self.assertTrue(any("worse" in f for f in faults) and any("not in the baseline" in f for f in faults), faults)

    def test_verify_deploy(self):
        path = self.network()
        query = [path, "--radius", "0.5", "--semantics", "real", "--output-range=-%s,%s" % (("9.6",) * 2)]
        exact = harness.run("verify", *query)
        self.assertEqual(exact.code, 0, exact.out + exact.err)
        words = {}
        for name in ("binary32", "binary16", "bfloat16"):
            done = harness.run("verify", *query, "--deploy", name, "--accumulate", "binary32")
            words[name] = done.out.split()[0]
            self.assertIn(name, done.err)
            self.assertIn(words[name], ("holds", "unknown"), done.out)  # never violated
            if words[name] == "holds":  # it said beside the note that floating point is not covered
                self.assertIn("its executions in " + name, done.out)
        self.assertEqual(words["binary32"], "holds")
        narrow = harness.run("verify", path, "--radius", "0.5", "--semantics", "real", "--output-range=-0.01,0.01",
                             "--deploy", "binary32")
        self.assertEqual(narrow.code, 2, narrow.out)
        for extra, code in ((["--certificate", self.path("c")], 3), (["--accumulate", "bfloat16"], 4)):
            done = harness.run("verify", *query, "--deploy", "binary32", *extra)
            self.assertEqual(done.code, code, done.err)
        done = harness.run("verify", path, "--radius", "0.5", "--output-range=-9,9", "--deploy", "binary32")
        self.assertEqual(done.code, 3)
        overflow = harness.run("verify", path, "--radius", "400", "--semantics", "real", "--output-range=-90000,90000",
                               "--deploy", "e4m3fn", "--accumulate", "binary32")
        self.assertEqual(overflow.code, 4, overflow.out + overflow.err)

    def test_text_is_not_below_the_bound(self):
        # 0.028449 was printed as 0.0284, which is below what is proved.
        for name in ("batchnorm", "exp", "tanh", "softmax"):
            query = ("--op", name, "--format", "bfloat16", "--n", "5", "--range", "0.25,0.5")
            r = self.report(*query)
            text = harness.run("roundoff", *query).out
            row, = [line.split() for line in text.splitlines() if line.startswith("Y_")]
            y = max(r["outputs"], key=lambda y: y["bound"])  # the worst one stands for all
            for printed, key in zip(row[2:6], ("forward", "mean_value", "difference", "bound")):
                if printed != "-":
                    self.assertGreaterEqual(float(printed), y[key])
                    self.assertLess(float(printed), y[key] * 1.02)

    def test_batch_norm_says_that_it_is_not_folded(self):
        # Folded into one factor and one sum, bfloat16 loses what the written order does not: that is another operator.
        for extra, said in (((), True), (("--order", "sequential"), False)):
            r = self.report("--op", "batchnorm", "--format", "bfloat16", *extra)
            self.assertEqual(any("not folded" in a for a in r["assumptions"]), said)
            r = self.report("--op", "softmax", "--format", "bfloat16", *extra)
            self.assertEqual(any("no product with its rounded reciprocal" in a for a in r["assumptions"]), said)

    def test_refusals(self):
        path = self.network()
        for arguments, code in (((path, "--range", "0,1"), 3), ((path, "--format", "binary32"), 3),
                                ((path, "--format", "nonsense", "--range", "0,1"), 4),
                                ((path, "--format", "binary32", "--range", "1,0"), 3),
                                ((path, "--format", "binary32", "--range", "nan,1"), 3),
                                ((path, "--format", "binary32", "--range", "0,1e999"), 3),
                                ((path, "--format", "binary32", "--accumulate", "bfloat16", "--range", "0,1"), 4),
                                ((path, "--format", "bfloat16", "--accumulate", "tf32", "--range", "0,1"), 4),
                                ((path, "--policy", "bfloat16 rounding=nearest_away", "--range", "0,1"), 4),
                                ((path, "--policy", "binary32 subnormals=flush", "--range", "0,1"), 4),
                                ((path, "--format", "e4m3fn(saturate)", "--range", "0,1"), 4),
                                ((path, "--format", "binary32", "--range", "0,1", "--order", "tensorcore:x"), 3),
                                ((path, "--format", "binary32", "--range", "0,1", "--ulps", "0"), 3),
                                (("--op", "nothing", "--format", "binary32"), 3), (("--op", "relu", "--d", "3", "--format", "binary32"), 3),
                                (("--op", "softmax", "--n", "100000000", "--format", "binary32"), 3),
                                (("--coverage", self.path("missing")), 4), ((self.path("missing.onnx"), "--format", "binary32", "--range", "0,1"), 4),
                                ((), 3)):
            done = harness.run("roundoff", *arguments)
            self.assertEqual(done.code, code, (arguments, done.out, done.err))
            self.assertNotEqual(done.err, "")


if __name__ == "__main__":
    harness.main()
