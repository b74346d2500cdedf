#!/usr/bin/env python3
"""Times `check` on proofs of many leaves for a fully connected 784-256x4-10 network, and its peak memory. Standard library only.

The proof is made by `verify` without splits; its refutation is then moved into every leaf of a balanced tree of input
splits, so that a leaf costs what a leaf of a branching proof costs: one backward pass over the whole network with given
slopes and ranges. The time of a leaf is the difference between many leaves and one, divided by their number. Processor
time of the child, least of three runs. Nothing here is a test.
usage: check_leaves.py BIN [LEAVES [EXACT_LEAVES]]   default 100000 and 256 (powers of two are rounded up to)
"""
import hashlib
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "test", "cli"))
import models

SIZES = [784, 256, 256, 256, 256, 10]


def write_network(path):
    rng = random.Random(1)
    nodes, tensors, last = [], [], "x"
    for k, (n, m) in enumerate(zip(SIZES, SIZES[1:])):
        tensors += [("w%d" % k, [n, m], [rng.gauss(0, (2 / n) ** 0.5) for _ in range(n * m)]), ("b%d" % k, [m], [0.01] * m)]
        nodes.append(("Gemm", [last, "w%d" % k, "b%d" % k], "z%d" % k))
        last = "z%d" % k
        if k + 2 < len(SIZES):
            nodes.append(("Relu", [last], "a%d" % k))
            last = "a%d" % k
    models.write(path, nodes, tensors, [("x", [1, SIZES[0]])], [(last, [1, SIZES[-1]])])


def write_property(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join("(declare-const %s_%d Real)\n" % (v, i) for v, n in (("X", 784), ("Y", 10)) for i in range(n)))
        file.write("".join("(assert (>= X_%d 0.498))\n(assert (<= X_%d 0.502))\n" % (i, i) for i in range(784)))
        file.write("(assert (>= Y_0 20))\n")


def tree(depth, refute, element=0, low=0.498, high=0.502):
    """The records of a balanced tree of that depth, the refutation in each leaf."""
    if depth == 0:
        yield refute
        yield '{"record":"close"}\n'
        return
    yield '{"record":"split","node":0,"element":%d,"at":"1*2^-1"}\n' % element
    yield from tree(depth - 1, refute, element + 1)
    yield from tree(depth - 1, refute, element + 1)
    yield '{"record":"close"}\n'


def write_proof(path, lines, depth):
    at = next(i for i, line in enumerate(lines) if line.startswith('{"record":"refute"'))
    digest, count = hashlib.sha256(), 0
    with open(path, "w", encoding="utf-8") as file:
        def put(line):
            nonlocal count
            file.write(line)
            digest.update(line.encode())
            count += 1
        for line in lines[:at]:
            put(line)
        for line in tree(depth, lines[at]):
            put(line)
        file.write('{"record":"footer","records":%d,"sha256":"%s"}\n' % (count, digest.hexdigest()))
    return os.path.getsize(path)


def cost(command, runs=3):
    """Least processor seconds, and the peak memory in MiB."""
    best, peak = None, 0
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status != 0:
            sys.exit("failed: " + " ".join(command))
        seconds = usage.ru_utime + usage.ru_stime
        best, peak = seconds if best is None else min(best, seconds), max(peak, usage.ru_maxrss / 1024)
    return best, peak


def main():
    binaries = sys.argv[1]
    depths = [(int(n) - 1).bit_length() for n in (sys.argv[2:] + ["100000", "256"][len(sys.argv) - 2:])]
    with tempfile.TemporaryDirectory() as folder:
        model, query, proof = [os.path.join(folder, n) for n in ("m.onnx", "q.vnnlib", "c.jsonl")]
        write_network(model)
        write_property(query)
        subprocess.run([os.path.join(binaries, "verify"), model, query, "--certificate", proof, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(proof, encoding="utf-8") as file:
            lines = file.readlines()
        asked = [os.path.join(binaries, "check"), proof, "--model", model, "--property", query]
        for name, depth, more, runs in ("directed", depths[0], [], 3), ("exact", depths[1], ["--exact"], 1):
            one_size = write_proof(proof, lines, 0)
            one, one_peak = cost(asked + more, runs)
            size = write_proof(proof, lines, depth)
            many, peak = cost(asked + more, runs)
            leaves, seconds = 2 ** depth, many - one
            print("%s: one leaf alone %.3f s (%.0f MiB peak); %d leaves %.3f s, %.0f MiB peak, %.1f MB: %.3f ms a leaf, "
                  "%.0f leaves/s, %.2f MB/s" % (name, one, one_peak, leaves, many, peak, size / 1e6, 1e3 * seconds / (leaves - 1),
                                                (leaves - 1) / seconds, (size - one_size) / 1e6 / seconds))


if __name__ == "__main__":
    main()
