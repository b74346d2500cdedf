"""Constants and integer arithmetic: Constant, Shape, Size, ConstantOfShape, Cast; Add, Sub, Mul, Div of integers.

One rule per operator, rule(importer, node) -> values. Promises exact results or a refusal on overflow.
"""
import onnx_wire
from exact import Refused, from_bits, to_bits
from fractions import Fraction
from importer import Value, broadcast_indices, broadcast_shape
from onnx_wire import BOOL, INT64, INTEGERS, count


def constant(importer, node):
    node.need(0, 0)
    given = [a for a in node.raw if a in ("value", "value_float", "value_floats", "value_int", "value_ints")]
    if len(given) != 1:
        raise Refused("Constant: exactly one value is needed")
    name = given[0]
    if name == "value":
        return [importer.constant(*onnx_wire.tensor(node.take(name, "t", None, 1, 99)))]
    if name in ("value_int", "value_ints"):
        data = node.take(name, "i" if name == "value_int" else "ints", None, 12, 99)
        return [Value("int", [] if name == "value_int" else [len(data)], data if name[-1] == "s" else [data], INT64)]
    data = node.take(name, "f" if name == "value_float" else "floats", None, 12, 99)
    shape, data = ([], [data]) if name == "value_float" else ([len(data)], data)
    return [importer.constant(onnx_wire.FLOAT, shape, data)]


def shape(importer, node):
    node.need(1, 1)
    dims = node.inputs[0].shape
    first, last = node.integer("start", 0, 15), node.integer("end", len(dims), 15)
    first, last = [min(max(v + len(dims) if v < 0 else v, 0), len(dims)) for v in (first, last)]
    dims = list(dims[first:last])
    return [Value("int", [len(dims)], dims, INT64)]


def size(importer, node):
    node.need(1, 1)
    return [Value("int", [], [count(node.inputs[0].shape)], INT64)]


def constant_of_shape(importer, node):
    node.need(1, 1)
    dims, value = node.inputs[0], node.take("value", "t", None, 1, 99)
    if dims.kind != "int" or any(d < 0 for d in dims.data) or count(dims.data) > 1 << 22:
        raise Refused("ConstantOfShape: the shape is wrong")
    kind, _, data = onnx_wire.tensor(value) if value else (onnx_wire.FLOAT, [1], [0])
    if len(data) != 1:
        raise Refused("ConstantOfShape: one value is needed")
    return [importer.constant(kind, list(dims.data), data * count(dims.data))]


def cast(importer, node):
    node.need(1, 1)
    x, to = node.inputs[0], node.integer("to")
    node.integer("saturate", 1, 19)
    if x.kind != "int":
        if to == importer.dtype:
            return [x]
        if x.kind == "float" and to in INTEGERS and to != BOOL:
            data = [from_bits(p, importer.element) for p in x.data]
            if all(v.denominator == 1 and INTEGERS[to][1] <= v <= INTEGERS[to][2] for v in data):
                return [Value("int", x.shape, [int(v) for v in data], to)]
    elif to in INTEGERS:
        data = [int(v != 0) for v in x.data] if to == BOOL else x.data
        if all(INTEGERS[to][1] <= v <= INTEGERS[to][2] for v in data):
            return [Value("int", x.shape, data, to)]
    elif to == importer.dtype:
        return [Value("float", x.shape, [to_bits(Fraction(v), importer.element, "Cast") for v in x.data], to)]
    raise Refused("Cast: not exact, or to a type that is not covered")


def ranged(dtype, shape_, data, op):
    if any(not INTEGERS[dtype][1] <= v <= INTEGERS[dtype][2] for v in data):
        raise Refused(op + ": integer overflow")
    return [Value("int", shape_, data, dtype)]


def arithmetic(op, v, w):
    """Add, Sub, Mul or Div of two integer constants."""
    if v.dtype != w.dtype or v.dtype == BOOL:
        raise Refused(op + ": the integer types differ")
    out = broadcast_shape(v.shape, w.shape)
    left = [v.data[i] for i in broadcast_indices(v.shape, out)]
    right = [w.data[i] for i in broadcast_indices(w.shape, out)]
    if op == "Div":
        if 0 in right:
            raise Refused("Div: an integer divisor is 0")
        data = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(left, right)]
    else:
        data = [a + b if op == "Add" else a - b if op == "Sub" else a * b for a, b in zip(left, right)]
    return ranged(v.dtype, out, data, op)
