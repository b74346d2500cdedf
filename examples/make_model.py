#!/usr/bin/env python3
"""Makes strokes.onnx and vertical.csv, the example of the README. Standard library only; every run writes the same bytes.

The network sees a 4x4 grey image, values 0 to 1, and tells which stroke is drawn in it: 0 horizontal, 1 vertical,
2 diagonal. It is trained here, from scratch: 16-12-12-3, ReLU, multi-class hinge loss, plain gradient descent. Only
additions, multiplications and comparisons are used, so that the result does not depend on a mathematical library.
usage: make_model.py [FOLDER]
"""
import os
import random
import struct
import sys

SIZE = 4
LAYERS = [SIZE * SIZE, 12, 12, 3]
STEPS, BATCH, RATE = 3000, 16, 0.02


def stroke(kind, rng):
    """A dark noisy background with a bright, slightly uneven stroke in a random place."""
    image = [[0.15 * rng.random() for _ in range(SIZE)] for _ in range(SIZE)]
    at = rng.randrange(SIZE)
    for i in range(SIZE):
        row, column = [(at, i), (i, at), (i, i if at % 2 else SIZE - 1 - i)][kind]
        image[row][column] = 0.8 + 0.2 * rng.random()
    return [value for row in image for value in row]


def dot(a, b, start=0.0):
    """Left to right; sum() is not used because its rounding differs between Python versions."""
    total = start
    for v, w in zip(a, b):
        total += v * w
    return total


def forward(net, x):
    """Activations of all layers."""
    values = [x]
    for k, (weights, bias) in enumerate(net):
        z = [dot(row, values[-1], b) for row, b in zip(weights, bias)]
        values.append(z if k == len(net) - 1 else [max(v, 0.0) for v in z])
    return values


def train(rng):
    net = [([[(rng.random() - 0.5) * 1.2 / n ** 0.5 * 2 for _ in range(n)] for _ in range(m)], [0.0] * m)
           for n, m in zip(LAYERS, LAYERS[1:])]
    for _ in range(STEPS):
        for _ in range(BATCH):
            label = rng.randrange(3)
            values = forward(net, stroke(label, rng))
            y = values[-1]
            grad = [0.0] * 3
            for j in range(3):
                if j != label and y[j] + 4.0 > y[label]:
                    grad[j] += 1.0
                    grad[label] -= 1.0
            for k in reversed(range(len(net))):
                weights, bias = net[k]
                below = [dot((row[i] for row in weights), grad) for i in range(len(values[k]))]
                for j, g in enumerate(grad):
                    if g != 0.0:
                        bias[j] -= RATE / BATCH * g
                        for i, v in enumerate(values[k]):
                            weights[j][i] -= RATE / BATCH * (g * v + 0.002 * weights[j][i])
                grad = [g if v > 0.0 else 0.0 for g, v in zip(below, values[k])]
    return net


# The ONNX file is a protocol buffer message; three kinds of fields are enough to write one.
def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field, number):
    return varint(field << 3) + varint(number)


def nested(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, values):
    raw = struct.pack("<%df" % len(values), *values)
    return b"".join(integer(1, d) for d in dims) + integer(2, 1) + nested(8, name) + nested(9, raw)


def value_info(name, dims):
    shape = b"".join(nested(1, integer(1, d)) for d in dims)
    return nested(1, name) + nested(2, nested(1, integer(1, 1) + nested(2, shape)))


def node(op, inputs, output, attributes=b""):
    return b"".join(nested(1, i) for i in inputs) + nested(2, output) + nested(3, output) + nested(4, op) + attributes


def model(net):
    nodes, tensors, last = [node("Flatten", ["image"], "flat")], [], "flat"
    transposed = nested(5, nested(1, "transB") + integer(3, 1) + integer(20, 2))
    for k, (weights, bias) in enumerate(net):
        tensors.append(tensor("weight%d" % k, [len(weights), len(weights[0])], [w for row in weights for w in row]))
        tensors.append(tensor("bias%d" % k, [len(bias)], bias))
        out = "scores" if k == len(net) - 1 else "dense%d" % k
        nodes.append(node("Gemm", [last, "weight%d" % k, "bias%d" % k], out, transposed))
        last = out
        if k < len(net) - 1:
            nodes.append(node("Relu", [last], "relu%d" % k))
            last = "relu%d" % k
    graph = (b"".join(nested(1, n) for n in nodes) + nested(2, "strokes") + b"".join(nested(5, t) for t in tensors)
             + nested(11, value_info("image", [1, 1, SIZE, SIZE])) + nested(12, value_info("scores", [1, 3])))
    return integer(1, 8) + nested(2, "examples/make_model.py") + nested(7, graph) + nested(8, integer(2, 17))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    rng = random.Random(1)
    net = train(rng)
    with open(os.path.join(folder, "strokes.onnx"), "wb") as out:
        out.write(model(net))
    image = stroke(1, rng)
    with open(os.path.join(folder, "vertical.csv"), "w", newline="\n") as out:
        for row in range(SIZE):
            out.write(",".join("%.2f" % v for v in image[row * SIZE:row * SIZE + SIZE]) + "\n")
    right = sum(max(range(3), key=forward(net, stroke(i % 3, rng))[-1].__getitem__) == i % 3 for i in range(999))
    print("%d of 999 fresh images told right" % right)


if __name__ == "__main__":
    main()
