"""Element-wise and matrix operators of FORMAT.md section 2: Add Sub Mul Div Neg, Relu LeakyRelu Clip Abs, MatMul, Gemm,
BatchNormalization, ReduceSum, ReduceMean.

One rule per operator, rule(importer, node) -> values, emitting canonical nodes in the order that section prescribes.
"""
import folding
from exact import Refused, from_bits
from importer import GREATEST, broadcast_indices, broadcast_shape
from indexing import axes_argument, axes_of, permuted
from onnx_wire import count


def expanded(importer, value, shape):
    return importer.select([value], broadcast_indices(value.shape, shape), shape)


def binary(importer, node):
    """Both operands and the shape of the result, or the folded integers."""
    node.need(2, 2)
    v, w = node.inputs
    if v.kind == w.kind == "int":
        return v, w, None, folding.arithmetic(node.op, v, w)
    if "int" in (v.kind, w.kind):
        raise Refused(node.op + ": an integer and a float operand")
    return v, w, broadcast_shape(v.shape, w.shape), None


def with_constant(importer, kind, x, c, shape):
    """shift, scale or divide of x (materialised if constant) by the constant c, both broadcast to shape."""
    x = expanded(importer, x, shape) if x.kind == "node" else importer.materialise(x, shape)
    return [importer.emit(kind, [x], shape, (), expanded(importer, c, shape).data)]


def negated(importer, value):
    return value._replace(data=[p ^ 1 << importer.element - 1 for p in value.data])


def add(importer, node):
    v, w, shape, folded = binary(importer, node)
    if folded:
        return folded
    if v.kind == w.kind == "node":
        v = expanded(importer, v, shape)
        return [importer.emit("add", [v, expanded(importer, w, shape)], shape, [0])]
    return with_constant(importer, "shift", *((w, v) if w.kind == "node" else (v, w)), shape)


def sub(importer, node):
    v, w, shape, folded = binary(importer, node)
    if folded:
        return folded
    if v.kind == w.kind == "node":
        v = expanded(importer, v, shape)
        return [importer.emit("add", [v, expanded(importer, w, shape)], shape, [1])]
    if w.kind == "float":
        return with_constant(importer, "shift", v, negated(importer, w), shape)
    w = importer.emit("neg", [expanded(importer, w, shape)], shape)
    return with_constant(importer, "shift", w, v, shape)


def mul(importer, node):
    v, w, shape, folded = binary(importer, node)
    if folded:
        return folded
    if v.kind == w.kind == "node":
        raise Refused("Mul of two computed values")
    return with_constant(importer, "scale", *((w, v) if w.kind == "node" else (v, w)), shape)


def div(importer, node):
    v, w, shape, folded = binary(importer, node)
    if folded:
        return folded
    if w.kind == "node" or any(p << 1 & 2 ** importer.element - 1 == 0 for p in w.data):
        raise Refused("Div by a computed value or by 0")
    return with_constant(importer, "divide", v, w, shape)


def unary(kind):
    def rule(importer, node):
        node.need(1, 1)
        x = node.inputs[0]
        if x.kind == "int":
            return folding.ranged(x.dtype, x.shape, [-v if kind == "neg" else abs(v) for v in x.data], node.op)
        x = importer.materialise(x)
        return [importer.emit(kind, [x], x.shape)]
    return rule


def leaky(importer, node):
    node.need(1, 1)
    alpha = importer.widen(node.real("alpha", 0x3c23d70a))
    if not 0 <= from_bits(alpha, importer.element) <= 1:
        raise Refused("LeakyRelu: alpha outside [0, 1]")
    x = importer.materialise(node.inputs[0])
    return [importer.emit("leaky", [x], x.shape, (), [alpha])]


def clip(importer, node):
    greatest, sign = GREATEST[importer.element], 1 << importer.element - 1
    if node.opset < 11:
        node.need(1, 1)
        bounds = [node.real("min", None), node.real("max", None)]
        bounds = [None if b is None else importer.widen(b) for b in bounds]
    else:
        node.need(1, 3)
        if any(v is not None and (v.kind != "float" or len(v.data) != 1) for v in (node.operand(1), node.operand(2))):
            raise Refused("Clip: a bound is not one float constant")
        bounds = [v and v.data[0] for v in (node.operand(1), node.operand(2))]
    infinity = 0x7f800000 if importer.element == 32 else 0x7ff << 52
    low = greatest | sign if bounds[0] in (None, infinity | sign) else bounds[0]
    high = greatest if bounds[1] in (None, infinity) else bounds[1]
    if from_bits(low, importer.element) > from_bits(high, importer.element):
        raise Refused("Clip: the lower bound is above the upper one")
    x = importer.materialise(node.inputs[0])
    return [importer.emit("clip", [x], x.shape, (), [low, high])]


def swapped(importer, x):
    rank = len(x.shape)
    return permuted(importer, x, list(range(rank - 2)) + [rank - 1, rank - 2]) if rank > 1 else x


def transposed(data, rows, columns):
    return [data[i * columns + j] for j in range(columns) for i in range(rows)]


def matmul(importer, node):
    node.need(2, 2)
    a, b = node.inputs
    if a.kind == b.kind == "node" or "int" in (a.kind, b.kind) or not a.shape or not b.shape:
        raise Refused("MatMul of two computed values, or of integers or scalars")
    inner_a, inner_b = a.shape[-1], b.shape[-2 if len(b.shape) > 1 else 0]
    if inner_a != inner_b:
        raise Refused("MatMul: the contracted lengths differ")
    k = inner_a
    lead = broadcast_shape(a.shape[:-2], b.shape[:-2])
    shape = lead + list(a.shape[-2:-1]) + (list(b.shape[-1:]) if len(b.shape) > 1 else [])
    constant = b if b.kind == "float" else a
    if any(d != 1 for d in constant.shape[:-2]):
        raise Refused("MatMul: a constant with leading dimensions")
    if b.kind == "float":
        a = importer.materialise(a)
        n = b.shape[-1] if len(b.shape) > 1 else 1
        rows = count(a.shape) // k
        return [importer.emit("dense", [a], shape, [rows, k, n, 0], transposed(b.data, k, n))]
    m = a.shape[-2] if len(a.shape) > 1 else 1
    rows, columns = count(b.shape) // k, b.shape[-1] if len(b.shape) > 1 else 1
    turned = swapped(importer, b)
    out = importer.emit("dense", [turned], [rows * m], [rows, k, m, 0], a.data)
    if len(b.shape) > 1:
        out = swapped(importer, out._replace(shape=[rows // columns, columns, m]))
    return [out._replace(shape=shape)]


def gemm(importer, node):
    node.need(2 if node.opset >= 11 else 3, 3)
    a, b, c = node.inputs[0], node.inputs[1], node.operand(2)
    trans_a, trans_b = node.integer("transA", 0), node.integer("transB", 0)
    one = importer.number(1)
    alpha, beta = importer.widen(node.real("alpha", 0x3f800000)), importer.widen(node.real("beta", 0x3f800000))
    from_bits(alpha, importer.element), from_bits(beta, importer.element)
    no_c = c is None or beta << 1 & 2 ** importer.element - 1 == 0
    if a.kind == b.kind == "node" or len(a.shape) != 2 or len(b.shape) != 2 or "int" in (a.kind, b.kind, c and c.kind):
        raise Refused("Gemm: two computed factors, integers, or not matrices")
    m, k = a.shape[::-1] if trans_a else a.shape
    kb, n = b.shape[::-1] if trans_b else b.shape
    if k != kb:
        raise Refused("Gemm: the contracted lengths differ")
    b_constant = b.kind == "float"
    if b_constant:
        a = importer.materialise(a)
        a = swapped(importer, a) if trans_a else a
        weights = b.data if trans_b else transposed(b.data, k, n)
        fused = not no_c and c.kind == "float" and beta == alpha == one and list(c.shape) in (
            [], [1], [n], [1, 1], [1, n])
        bias = expanded(importer, c, [1, n]).data if fused else []
        out = importer.emit("dense", [a], [m, n], [m, k, n, int(fused)], weights + bias)
        if fused:
            return [out]
    else:
        weights = transposed(a.data, k, m) if trans_a else a.data
        turned = b if trans_b else swapped(importer, b)
        out = swapped(importer, importer.emit("dense", [turned], [n, m], [n, k, m, 0], weights))
    if alpha != one:
        out = importer.emit("scale", [out], [m, n], (), [alpha] * (m * n))
    if no_c:
        return [out]
    if c.kind == "float" and beta == one:
        return with_constant(importer, "shift", out, c, [m, n])
    if c.kind == "float":
        c = importer.materialise(c, [m, n])
    else:
        c = expanded(importer, c, [m, n])
    if beta != one:
        c = importer.emit("scale", [c], [m, n], (), [beta] * (m * n))
    return [importer.emit("add", [out, c], [m, n], [0])]


def batch_normalization(importer, node):
    node.need(5, 5)
    node.real("momentum", None), node.integer("training_mode", 0, 14)
    if node.integer("training_mode", 0, 14) or node.integer("spatial", 1, 1, 8) != 1:
        raise Refused("BatchNormalization in training mode or not spatial")
    x, eps = node.inputs[0], importer.widen(node.real("epsilon", 0x3727c5ac))
    if len(x.shape) < 2 or any(v.kind != "float" or v.shape != [x.shape[1]] for v in node.inputs[1:]):
        raise Refused("BatchNormalization: rank 1, or parameters that are not constants of the channels")
    payload = [p for v in node.inputs[1:] for p in v.data] + [eps]
    variances = [from_bits(p, importer.element) for p in node.inputs[4].data]
    if any(v < 0 or v + from_bits(eps, importer.element) <= 0 for v in variances):
        raise Refused("BatchNormalization: a variance is negative or zero")
    x = importer.materialise(x)
    return [importer.emit("bn", [x], x.shape, [x.shape[1], count(x.shape[2:])], payload)]


def reduction(mean):
    def rule(importer, node):
        last = 17 if mean else 12
        node.need(1, 1 if node.opset <= last else 2)
        x, keep = node.inputs[0], node.integer("keepdims", 1)
        axes, noop = axes_argument(node, last), node.integer("noop_with_empty_axes", 0, last + 1)
        if x.kind == "int":
            raise Refused(node.op + " of integers is not covered")
        if not axes:
            if noop:
                return [importer.materialise(x)]
            axes = range(len(x.shape))
        axes = axes_of(axes, len(x.shape), node.op)
        kept = [i for i in range(len(x.shape)) if i not in axes]
        k = count([x.shape[i] for i in axes])
        moved = permuted(importer, importer.materialise(x), kept + axes)
        shape = [1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes]
        return [importer.emit("reduce", [moved], shape, [k] + [k if mean else 1] * count(shape))]
    return rule
