"""Networks made for the tests, written with the functions of examples/make_model.py."""
import importlib.util
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness

_spec = importlib.util.spec_from_file_location("make_model", os.path.join(harness.EXAMPLES, "make_model.py"))
make = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)


def value_info(name, dims):
    """Dimensions with a name instead of a number are left open."""
    shape = b"".join(make.nested(1, make.nested(2, d) if isinstance(d, str) else make.integer(1, d)) for d in dims)
    return make.nested(1, name) + make.nested(2, make.nested(1, make.integer(1, 1) + make.nested(2, shape)))


def write(path, nodes, tensors=(), inputs=(("x", [1, 4]),), outputs=(("y", [1, 4]),), opset=17):
    """Writes an ONNX file: nodes as (op, inputs, output), tensors as (name, dims, values)."""
    graph = b"".join(make.nested(1, make.node(op, i, o)) for op, i, o in nodes) + make.nested(2, "test")
    graph += b"".join(make.nested(5, make.tensor(*t)) for t in tensors)
    graph += b"".join(make.nested(11, value_info(*i)) for i in inputs)
    graph += b"".join(make.nested(12, value_info(*o)) for o in outputs)
    with open(path, "wb") as file:
        file.write(make.integer(1, 8) + make.nested(7, graph) + make.nested(8, make.integer(2, opset)))


def write_wide(path, width=1024, depth=8):
    """A fully connected network large enough to keep verify busy for a while; its bounds say nothing."""
    rng = random.Random(2)
    row = [rng.random() - 0.5 for _ in range(997)]
    weights = (row * (width * width // len(row) + 1))[:width * width]
    nodes, tensors, last = [], [("w", [width, width], weights), ("v", [width, 10], weights[:width * 10])], "x"
    for k in range(depth):
        nodes += [("MatMul", [last, "w"], "z%d" % k), ("Relu", ["z%d" % k], "a%d" % k)]
        last = "a%d" % k
    nodes.append(("MatMul", [last, "v"], "y"))
    write(path, nodes, tensors, [("x", [1, width])], [("y", [1, 10])])
