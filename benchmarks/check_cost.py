#!/usr/bin/env python3
"""What `check` pays for proofs by branching, beside what they cost to find and beside one CROWN pass of the same run.

For each query: leaves (nodes of the split trees without children), which splits, bytes a leaf, processor seconds of
`verify` and `check`, of `check` for 1,000 leaves, and (processor time of check) / (leaves x one CROWN pass on one
thread, as crown_pass times it: every unstable pre-activation bounded backwards, then the rows). Then the totals over
proofs that took at least a second. Standard library only; nothing here is a test.
usage: check_cost.py BUILD CASES [TIMEOUT]     BUILD has the programs and crown_pass; CASES the folder vnncomp
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

QUERIES = [
    ("acasxu", "ACASXU_run2a_1_1_batch_2000", "prop_3"), ("acasxu", "ACASXU_run2a_1_1_batch_2000", "prop_4"),
    ("acasxu", "ACASXU_run2a_3_3_batch_2000", "prop_4"), ("acasxu", "ACASXU_run2a_1_1_batch_2000", "prop_5"),
    ("acasxu", "ACASXU_run2a_1_1_batch_2000", "prop_6"), ("acasxu", "ACASXU_run2a_1_9_batch_2000", "prop_7"),
    ("acasxu", "ACASXU_run2a_3_3_batch_2000", "prop_9"), ("mnist_fc", "mnist-net_256x2", "prop_10_0.05"),
    ("mnist_fc", "mnist-net_256x4", "prop_10_0.03"), ("oval21", "cifar_base_kw", "cifar_base_kw-img2578-eps0.021176470588235297"),
    ("oval21", "cifar_deep_kw", "cifar_deep_kw-img7878-eps0.009934640522875817"),
    ("cifar10_resnet_2021", "resnet_2b", "prop_47_eps_0.008"), ("safenlp", "ruarobot_perturbations_0", "ruarobot_hyperrectangle_4090"),
    ("safenlp", "medical_perturbations_0", "medical_hyperrectangle_1590"),
    ("tllverifybench", "tllBench_n=2_N=M=32_m=1_instance_3_2", "property_N=32_2"),
]


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    word = done.stdout.split(None, 1)[0] if done.stdout.split() else "(%d)" % done.returncode
    return word.rstrip(":"), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shape(certificate):
    """Leaves, splits of inputs, splits of neurons. Every box is one leaf, and every split one more."""
    boxes = inputs = neurons = 0
    with open(certificate, encoding="utf-8") as file:
        for line in file:
            boxes += line.startswith('{"record":"box"')
            if line.startswith('{"record":"split"'):
                inputs += '"node":0,' in line
                neurons += '"node":0,' not in line
    return boxes + inputs + neurons, inputs, neurons


def crown_pass(build, cases, model, query):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
        table.write("onnx,vnnlib,what,peer_bound,peer_seconds\n%s,%s,margin,,0\n" % (model, query))
        table.flush()
        done = subprocess.run([os.path.join(build, "bin", "crown_pass"), table.name, cases, "9"], capture_output=True, text=True)
    columns = done.stdout.splitlines()[-1].split()
    return float(columns[6]) if len(columns) > 6 and re.fullmatch(r"[0-9.]+", columns[6]) else None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, cases, timeout = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "60"
    print("%-28s %-24s %7s %7s %7s %8s %8s %8s %9s %9s" % (
        "model", "property", "leaves", "inputs", "neurons", "B/leaf", "prove s", "check s", "s/1000", "of a pass"))
    totals = [0.0, 0.0, 0]
    with tempfile.TemporaryDirectory() as folder:
        proof = os.path.join(folder, "proof")
        for category, model, query in QUERIES:
            m, q = "%s/onnx/%s.onnx.gz" % (category, model), "%s/vnnlib/%s.vnnlib.gz" % (category, query)
            files = [os.path.join(cases, m), os.path.join(cases, q)]
            plain = [os.path.join(folder, os.path.basename(f)[:-3]) for f in files]
            for packed, unpacked in zip(files, plain):  # check reads models as they are
                with open(unpacked, "wb") as out:
                    subprocess.run(["gzip", "-dc", packed], stdout=out, check=True)
            word, prove = processor_seconds([os.path.join(build, "bin", "verify"), *plain, "--certificate", proof, "--timeout", timeout, "--quiet"])
            if word != "holds":
                print("%-28.28s %-24.24s %s after %.1f s" % (model, query, word, prove))
                continue
            verdict, check = processor_seconds([os.path.join(build, "bin", "check"), proof, "--model", plain[0], "--property", plain[1]])
            leaves, inputs, neurons = shape(proof)
            one = crown_pass(build, cases, m, q)
            print("%-28.28s %-24.24s %7d %7d %7d %8.0f %8.2f %8.2f %9.2f %9s %s" % (
                model, query, leaves, inputs, neurons, os.path.getsize(proof) / leaves, prove, check, 1000 * check / leaves,
                "%.2f" % (check / leaves / one) if one and leaves > 1 else "-", "" if verdict == "VALID" else verdict), flush=True)
            if prove >= 1:
                totals = [totals[0] + prove, totals[1] + check, totals[2] + 1]
    if totals[2]:
        print("proofs of at least 1 s: %d, check %.1f s / prove %.1f s = %.2f" % (totals[2], totals[1], totals[0], totals[1] / totals[0]))


if __name__ == "__main__":
    main()
