"""The networks of the certificate examples: small ONNX files that together use every operator kind of FORMAT.md.

Written with the field encoders of examples/make_model.py; every run writes the same bytes. Weights are hundredths,
drawn from a generator with a fixed seed.
"""
import importlib.util
import os
import random
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location(
    "make_model", os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples", "make_model.py"))
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)

FLOAT, INT64, DOUBLE = 1, 7, 11
LETTER = {FLOAT: "f", INT64: "q", DOUBLE: "d"}


def tensor(name, dims, values, kind):
    raw = struct.pack("<%d%s" % (len(values), LETTER[kind]), *values)
    head = b"".join(make.integer(1, d) for d in dims) + make.integer(2, kind)
    return head + make.nested(8, name) + make.nested(9, raw)


def fixed32(field, value):
    return make.varint(field << 3 | 5) + struct.pack("<f", value)


def attribute(name, value):
    """int, float, text, list of ints, or the bytes of a tensor."""
    head = make.nested(1, name)
    if isinstance(value, int):
        body = make.integer(3, value & 2 ** 64 - 1) + make.integer(20, 2)
    elif isinstance(value, float):
        body = fixed32(2, value) + make.integer(20, 1)
    elif isinstance(value, str):
        body = make.nested(4, value) + make.integer(20, 3)
    elif isinstance(value, bytes):
        body = make.nested(5, value) + make.integer(20, 4)
    else:
        body = b"".join(make.integer(8, v & 2 ** 64 - 1) for v in value) + make.integer(20, 7)
    return make.nested(5, head + body)


class Network:
    """Collects nodes and constants; names are made up here."""

    def __init__(self, inputs, element=FLOAT, opset=17):
        self.inputs, self.element, self.opset = inputs, element, opset
        self.nodes, self.tensors, self.made = [], [], 0

    def name(self):
        self.made += 1
        return "t%d" % self.made

    def constant(self, dims, values, kind=None):
        name = self.name()
        self.tensors.append(tensor(name, dims, values, kind or self.element))
        return name

    def ints(self, *values):
        return self.constant([len(values)], values, INT64)

    def node(self, op, inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(b"".join(make.nested(1, i) for i in inputs) + b"".join(make.nested(2, o) for o in names)
                          + make.nested(4, op) + b"".join(attribute(k, v) for k, v in sorted(attributes.items())))
        return names[0] if outputs == 1 else names

    def value_info(self, name, dims):
        shape = b"".join(make.nested(1, make.nested(2, d) if isinstance(d, str) else make.integer(1, d)) for d in dims)
        body = make.nested(1, make.integer(1, self.element) + (make.nested(2, shape) if dims is not None else b""))
        return make.nested(1, name) + make.nested(2, body)

    def file(self, output, dims):
        graph = (b"".join(make.nested(1, n) for n in self.nodes) + make.nested(2, "example")
                 + b"".join(make.nested(5, t) for t in self.tensors)
                 + b"".join(make.nested(11, self.value_info(n, d)) for n, d in self.inputs)
                 + make.nested(12, self.value_info(output, dims)))
        return make.integer(1, 8) + make.nested(7, graph) + make.nested(8, make.integer(2, self.opset))


def weights(rng, n, size=1.0):
    return [rng.randrange(-100, 101) / 100 * size for _ in range(n)]


def layers(net, rng, last, sizes, activation="Relu", **attributes):
    """Gemm layers of the given sizes with an activation between them."""
    for k, (a, b) in enumerate(zip(sizes, sizes[1:])):
        last = net.node("Gemm", [last, net.constant([b, a], weights(rng, a * b)), net.constant([b], weights(rng, b))],
                        transB=1)
        if k < len(sizes) - 2:
            last = net.node(activation, [last], **attributes)
    return last


def dense(seed, sizes, activation="Relu", element=FLOAT, **attributes):
    net, rng = Network([("x", [1, sizes[0]])], element), random.Random(seed)
    return net.file(layers(net, rng, "x", sizes, activation, **attributes), [1, sizes[-1]])


def worked():
    """The example of FORMAT.md section 8."""
    net = Network([("x", [1, 1])])
    z = net.node("Gemm", ["x", net.constant([1, 1], [2.0]), net.constant([1], [-1.0])])
    return net.file(net.node("Relu", [z]), [1, 1])


def large():
    """Its sums over [0, 1] have values and the bound 2P of FORMAT.md just at the greatest binary32 numbers."""
    net = Network([("x", [1, 1])])
    z = net.node("Relu", [net.node("Gemm", ["x", net.constant([1, 1], [2.0 ** 100]), net.constant([1], [0.0])])])
    return net.file(net.node("Gemm", [z, net.constant([1, 1], [2.0 ** 26]), net.constant([1], [0.0])]), [1, 1])


def elementwise():
    """MatMul, Add, Sub, Mul, Div, Neg, Clip, Abs, LeakyRelu, a residual sum of two nodes."""
    net, rng = Network([("x", [1, 3])]), random.Random(21)
    z = net.node("MatMul", ["x", net.constant([3, 4], weights(rng, 12))])
    z = net.node("Add", [z, net.constant([4], weights(rng, 4))])
    a = net.node("Clip", [z, net.constant([], [-0.5]), net.constant([], [0.75])])
    b = net.node("Abs", [net.node("Mul", [z, net.constant([1, 4], weights(rng, 4))])])
    c = net.node("Sub", [a, net.node("Div", [b, net.constant([], [3.0])])])
    d = net.node("LeakyRelu", [net.node("Sub", [net.constant([4], weights(rng, 4)), c])], alpha=0.1)
    e = net.node("Sub", [net.node("Neg", [d]), z])
    return net.file(net.node("MatMul", [e, net.constant([4, 2], weights(rng, 8))]), [1, 2])


def image():
    """Conv with padding, BatchNormalization, Relu, MaxPool, AveragePool with padding, Flatten."""
    net, rng = Network([("x", [1, 1, 4, 4])]), random.Random(22)
    z = net.node("Conv", ["x", net.constant([2, 1, 3, 3], weights(rng, 18)), net.constant([2], weights(rng, 2))],
                 pads=[1, 1, 1, 1])
    z = net.node("BatchNormalization", [z] + [net.constant([2], v) for v in (
        [0.5, -0.75], weights(rng, 2), weights(rng, 2), [0.5, 2.0])], epsilon=0.001)
    z = net.node("MaxPool", [net.node("Relu", [z])], kernel_shape=[2, 2], strides=[2, 2])
    z = net.node("AveragePool", [z], kernel_shape=[2, 2], pads=[0, 0, 1, 1])
    return net.file(layers(net, rng, net.node("Flatten", [z]), [8, 2]), [1, 2])


def colours():
    """Two channels, a grouped and a strided convolution, GlobalAveragePool."""
    net, rng = Network([("x", [1, 2, 3, 3])]), random.Random(23)
    z = net.node("Conv", ["x", net.constant([4, 1, 2, 2], weights(rng, 16))], group=2)
    z = net.node("Conv", [net.node("Relu", [z]), net.constant([3, 4, 2, 2], weights(rng, 48))], auto_pad="SAME_UPPER",
                 strides=[2, 2])
    z = net.node("GlobalAveragePool", [net.node("Relu", [z])])
    return net.file(net.node("Reshape", [z, net.ints(1, -1)]), [1, 3])


def colours_last():
    """An image with its channels last."""
    net, rng = Network([("x", [1, 2, 2, 2])]), random.Random(24)
    z = net.node("Transpose", ["x"], perm=[0, 3, 1, 2])
    z = net.node("Conv", [z, net.constant([2, 2, 1, 1], weights(rng, 4)), net.constant([2], weights(rng, 2))])
    return net.file(layers(net, rng, net.node("Flatten", [net.node("Relu", [z])]), [8, 2]), [1, 2])


def signal():
    """A 1-D convolution, MaxPool, AveragePool with padding counted."""
    net, rng = Network([("x", [1, 1, 6])]), random.Random(25)
    z = net.node("Conv", ["x", net.constant([2, 1, 3], weights(rng, 6)), net.constant([2], weights(rng, 2))],
                 pads=[1, 1], dilations=[1])
    z = net.node("MaxPool", [z], kernel_shape=[3], pads=[1, 1], strides=[1])
    z = net.node("AveragePool", [z], kernel_shape=[2], strides=[2], pads=[1, 1], count_include_pad=1)
    return net.file(net.node("ReduceSum", [z, net.ints(2)], keepdims=0), [1, 2])


def moving():
    """Transpose, Slice, Split, Concat, Gather, Pad, Expand, Squeeze, Unsqueeze, and a shape computed at run time."""
    net, rng = Network([("x", [2, 3])]), random.Random(26)
    t = net.node("Transpose", ["x"], perm=[1, 0])
    a, b = net.node("Split", [t, net.ints(1, 2)], outputs=2, axis=0)
    c = net.node("Concat", [b, a, net.constant([1, 2], [0.25, -0.5])], axis=0)
    d = net.node("Slice", [c, net.ints(3), net.ints(-5), net.ints(0), net.ints(-2)])
    g = net.node("Gather", [c, net.ints(0, 2, -1)], axis=0)
    p = net.node("Pad", [g, net.ints(0, 1, 0, -1), net.constant([], [0.125])])
    u = net.node("Squeeze", [net.node("Unsqueeze", [p, net.ints(0)]), net.ints(0)])
    e = net.node("Expand", [net.node("Gather", [u, net.ints(1)], axis=1), net.ints(3, 2)])
    s = net.node("Relu", [net.node("Add", [u, e])])
    whole = net.node("Concat", [net.node("Flatten", [s], axis=0), net.node("Flatten", [d], axis=0)], axis=1)
    n = net.node("Gather", [net.node("Shape", [whole]), net.constant([], [0], INT64)])
    shape = net.node("Concat", [net.node("Unsqueeze", [n, net.ints(0)]), net.ints(-1)], axis=0)
    whole = net.node("Identity", [net.node("Reshape", [whole, shape])])
    return net.file(layers(net, rng, whole, [10, 2]), [1, 2])


def matrices():
    """Gemm with alpha, beta and a constant first factor; MatMul likewise; ReduceMean; two inputs."""
    net, rng = Network([("x", [2, 3]), ("w", [2, 2])]), random.Random(27)
    z = net.node("Gemm", [net.constant([2, 3], weights(rng, 6)), "x", net.constant([2, 1], weights(rng, 2))], transB=1,
                 alpha=0.5, beta=2.0)
    z = net.node("Gemm", ["w", net.constant([2, 2], weights(rng, 4)), net.node("Relu", [z])], transA=1, alpha=1.5)
    z = net.node("MatMul", [net.constant([3, 2], weights(rng, 6)), z])
    return net.file(net.node("ReduceMean", [net.node("Relu", [z])], axes=[0]), [1, 2])


def constants():
    """A sum of constants that the canonical graph keeps as a node, Dropout, Constant, Cast and ConstantOfShape."""
    net = Network([("x", [1, 2])])
    a = net.node("Constant", [], value=tensor("", [2], [0.5, -1.0], FLOAT))
    c = net.node("Add", [a, net.constant([2], [0.1, 0.2])])
    ones = net.node("Cast", [net.node("ConstantOfShape", [net.ints(2)], value=tensor("", [1], [1], INT64))], to=1)
    z = net.node("Add", [net.node("Mul", [net.node("Dropout", ["x"]), ones]), net.node("Relu", [c])])
    c = net.node("Unsqueeze", [c, net.ints(0)])
    return net.file(net.node("Concat", [net.node("Relu", [z]), c], axis=1), [1, 4])


def factors():
    """Equal factors in front of a convolution and a dense layer, which a runtime may move."""
    net, rng = Network([("x", [1, 1, 2, 2])]), random.Random(28)
    z = net.node("Div", ["x", net.constant([], [255.0])])
    z = net.node("Conv", [z, net.constant([2, 1, 2, 2], weights(rng, 8)), net.constant([2], weights(rng, 2))])
    z = net.node("Flatten", [net.node("Mul", [net.node("Relu", [z]), net.constant([], [0.3])])])
    return net.file(layers(net, rng, z, [2, 2]), [1, 2])


def pair():
    """Two outputs that are the parts above 0 of two inputs."""
    net = Network([("x", [1, 2])])
    return net.file(net.node("Relu", ["x"]), [1, 2])


def open_shape():
    """An input whose second dimension is left open."""
    net = Network([("x", ["batch", "width"])])
    z = net.node("ReduceSum", [net.node("Relu", ["x"]), net.ints(1)], keepdims=1)
    return net.file(z, ["batch", 1])


NETWORKS = {
    "worked": worked(), "dense": dense(1, [2, 4, 2]), "deep": dense(2, [3, 5, 5, 3]), "single": dense(3, [2, 4, 1]),
    "wide": dense(4, [70, 6, 6, 2]), "double": dense(5, [2, 4, 3, 2], element=DOUBLE),
    "leaky": dense(6, [2, 4, 4, 2], "LeakyRelu", alpha=0.125), "folded": dense(7, [2, 4, 2], "Abs"),
    "elementwise": elementwise(), "image": image(), "colours": colours(), "colours_last": colours_last(),
    "signal": signal(), "moving": moving(), "matrices": matrices(), "constants": constants(), "factors": factors(),
    "open_shape": open_shape(), "large": large(), "narrow": dense(8, [2, 3, 3, 1]),
    "pair": pair(),
}
