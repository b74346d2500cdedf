"""`model` as a user sees it: what a network is made of, what it computes, what is supported."""
import json
import os
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
from models import harness

MODEL = os.path.join(harness.EXAMPLES, "strokes.onnx")
IMAGE = os.path.join(harness.EXAMPLES, "vertical.csv")


class Model(harness.FolderTest):
    def test_info(self):
        done = harness.run("model", "info", MODEL)
        self.assertEqual(done.code, 0, done.err)
        for text in ["opset 17", "[1,1,4,4]", "[1,3]", "Gemm 3", "parameters  399", "binary32"]:
            self.assertIn(text, done.out)
        info = json.loads(harness.run("model", "info", MODEL, "--json", "--nodes").out)
        self.assertEqual((info["opset"], info["operators"], info["parameters"]), (17, {"Flatten": 1, "Gemm": 3, "Relu": 2}, 399))
        self.assertEqual(info["nodes"], len(info["graph"]))
        self.assertEqual(info["inputs"], [{"name": "image", "shape": [1, 1, 4, 4]}])

    def test_info_and_verify_agree_on_the_digest(self):
        info = json.loads(harness.run("model", "info", MODEL, "--json").out)
        verdict = json.loads(harness.run("verify", MODEL, "--radius", "0", "--input", IMAGE, "--json").out)
        self.assertEqual(info["digest"], verdict["model"]["graph"])

    def test_run(self):
        """The outputs are those of binary32 arithmetic, left to right, which this test repeats on its own."""
        done = harness.run("model", "run", MODEL, "--input", IMAGE)
        self.assertEqual(done.code, 0, done.err)
        values = [float(v) for v in re.findall(r"^Y_\d (\S+)$", done.out, re.M)]
        self.assertEqual([round32(v) for v in values], self.by_hand())

    def test_run_exactly_encloses_and_is_close(self):
        done = harness.run("model", "run", MODEL, "--input", IMAGE, "--exact")
        ranges = re.findall(r"^Y_\d in \[(\S+), (\S+)\]$", done.out, re.M)
        for (low, high), y in zip(ranges, self.by_hand()):
            self.assertLessEqual(float(low), float(high))
            self.assertAlmostEqual(float(low), y, delta=1e-5)
            self.assertAlmostEqual(float(high), y, delta=1e-5)
        self.assertEqual(len(ranges), 3)

    def test_run_in_a_format(self):
        """binary32 in sequential order is the plain run; narrow formats come near, each in its own arithmetic."""
        plain = re.findall(r"^Y_\d (\S+)$", harness.run("model", "run", MODEL, "--input", IMAGE).out, re.M)
        same = harness.run("model", "run", MODEL, "--input", IMAGE, "--format", "fp32")
        self.assertEqual(re.findall(r"^Y_\d (\S+)$", same.out, re.M), plain)
        self.assertIn("inexact", same.err)
        for options in [["bfloat16"], ["posit16"], ["decimal64"], ["binary(15, 200)"], ["binary16", "--accumulate", "binary32", "--order", "fused"],
                        ["e5m2", "--accumulate", "binary16", "--order", "pairwise", "--rounding", "toward_zero"]]:
            done = harness.run("model", "run", MODEL, "--input", IMAGE, "--json", "--format", *options)
            self.assertEqual(done.code, 0, done.err)
            run = json.loads(done.out)
            self.assertTrue(run["finite"])
            # 201 bits hold every sum of this network: nothing is rounded.
            self.assertEqual("inexact" in run["flags"], options != ["binary(15, 200)"])
            for output, y in zip(run["outputs"], plain):
                self.assertAlmostEqual(float(output["value"]), float(y), delta=2.0 if "e5m2" in options else 0.1)

    def test_run_in_a_format_starts_from_the_element_type(self):
        """A point in decimals is the same point for every way to run: the binary32 numbers next to them. --help says so."""
        models.write(self.path("m.onnx"), [("Relu", ["x"], "y")], inputs=[("x", [1, 1])], outputs=[("y", [1, 1])])
        with open(self.path("x.csv"), "w") as file:
            file.write("0.1\n")
        run = json.loads(harness.run("model", "run", self.path("m.onnx"), "--input", self.path("x.csv"), "--format", "binary128", "--json").out)
        self.assertEqual(run["outputs"][0]["exact"], "13421773/134217728")
        self.assertIn("element type first", " ".join(harness.run("model", "run", "--help").out.split()))

    def test_run_in_a_format_with_an_open_clip(self):
        """The end of binary32, which stands for the bound that a Clip does not have, was NaN in formats without infinity."""
        clips = [("Clip", ["x", "", "hi"], "a"), ("Clip", ["a", "lo"], "y")]
        models.write(self.path("m.onnx"), clips, [("lo", [], [0.0]), ("hi", [], [6.0])], inputs=[("x", [1, 3])], outputs=[("y", [1, 3])])
        with open(self.path("x.csv"), "w") as file:
            file.write("-2,1.5,9\n")
        for precision in "e4m3fn", "binary16", "bfloat16", "binary32", "posit16":
            done = harness.run("model", "run", self.path("m.onnx"), "--input", self.path("x.csv"), "--format", precision, "--json")
            self.assertEqual(done.code, 0, done)
            run = json.loads(done.out)
            self.assertEqual([float(y["value"]) for y in run["outputs"]], [0, 1.5, 6], precision)
            self.assertEqual((run["finite"], run["flags"]), (True, []), precision)

    def test_run_in_a_format_refusals(self):
        for options, code, word in [(["--format", "binary(1, 3)"], 4, "2 to 30"), (["--format", "binary99"], 4, "binary99"),
                                    (["--order", "fused"], 3, "--format"), (["--format", "fp16", "--exact"], 3, "--exact"),
                                    (["--format", "fp16", "--rounding", "sideways"], 3, "sideways")]:
            done = harness.run("model", "run", MODEL, "--input", IMAGE, *options)
            self.assertEqual(done.code, code, (options, done.out, done.err))
            self.assertIn(word, done.err)
            self.assertEqual(done.out, "")

    def by_hand(self):
        with open(MODEL, "rb") as file:
            data = file.read()
        tensors = {}
        for name, count in [("weight0", 192), ("bias0", 12), ("weight1", 144), ("bias1", 12), ("weight2", 36), ("bias2", 3)]:
            # name, then tag and length of the raw data (one or two bytes), then the data
            at = data.index(name.encode(), data.index(b"\x42\x07" + name.encode() if name[0] == "w" else b"\x42\x05" + name.encode())) + len(name) + 1
            at += 2 if 4 * count > 127 else 1
            tensors[name] = struct.unpack_from("<%df" % count, data, at)
        with open(IMAGE) as file:
            x = [round32(float(v)) for v in re.split(r"[,\s]+", file.read().strip())]
        for k in range(3):
            weights, bias, out = tensors["weight%d" % k], tensors["bias%d" % k], []
            for j in range(len(bias)):
                products = [round32(w * v) for w, v in zip(weights[j * len(x):], x)]
                total = products[0]
                for p in products[1:]:
                    total = round32(total + p)
                total = round32(total + bias[j])
                out.append(total if k == 2 else max(total, 0.0))
            x = out
        return x

    def test_check_lists_every_blocker(self):
        self.assertEqual(harness.run("model", "check", MODEL).code, 0)
        models.write(self.path("m.onnx"), [("Softmax", ["x"], "a"), ("Relu", ["a"], "b"), ("Selu", ["b"], "y")])
        done = harness.run("model", "check", self.path("m.onnx"))
        self.assertEqual(done.code, 4)
        self.assertRegex(done.out + done.err, "(?s)Softmax.*Selu")
        blockers = json.loads(harness.run("model", "check", self.path("m.onnx"), "--json").out)["blockers"]
        self.assertEqual(len(blockers), 2)

    def test_ops(self):
        done = harness.run("model", "ops")
        self.assertEqual(done.code, 0)
        for name in ["Gemm", "MatMul", "Conv", "Relu", "MaxPool", "BatchNormalization"]:
            self.assertRegex(done.out, r"(?m)^%s " % name)
        json.loads(harness.run("model", "ops", "--json").out)

    def test_property(self):
        with open(self.path("p.vnnlib"), "w") as file:
            file.write("(declare-const X_0 Real)\n(declare-const Y_0 Real)\n(assert (<= X_0 1))\n(assert (>= X_0 0.1))\n(assert (>= Y_0 3))\n")
        self.assertEqual(harness.run("model", "property", self.path("p.vnnlib")).code, 0)
        with open(self.path("bad.vnnlib"), "w") as file:
            file.write("(declare-const X_0 Real)\n(assert (<= X_0 1)\n")
        done = harness.run("model", "property", self.path("bad.vnnlib"))
        self.assertEqual(done.code, 4)
        self.assertRegex(done.err, r"bad\.vnnlib:\d+:\d+")

    def test_usage(self):
        for arguments in [], ["infos", MODEL], ["info"], ["run", MODEL], ["info", MODEL, "--node"]:
            self.assertEqual(harness.run("model", *arguments).code, 3, arguments)
        self.assertIn("did you mean info", harness.run("model", "inof", MODEL).err)
        self.assertEqual(harness.run("model", "--help").code, 0)


def round32(value):
    """Nearest binary32 number. Exact here: sums and products of two binary32 numbers rounded to binary64 first round the
    same way (53 >= 2 * 24 + 2)."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


if __name__ == "__main__":
    harness.main()
