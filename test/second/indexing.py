"""Operators that only move elements: Reshape and its relatives, Transpose, Concat, Slice, Split, Gather, Pad, Expand.

One rule per operator, rule(importer, node) -> values, as FORMAT.md section 2 says; constants are folded by select().
"""
from exact import Refused
from importer import broadcast_indices, broadcast_shape, strides
from onnx_wire import count


def integers(value, op):
    """The elements of an operand that must be an integer constant."""
    if value is None or value.kind != "int" or len(value.shape) > 1:
        raise Refused(op + ": an operand has to be a list of integer constants")
    return value.data


def axis_of(axis, rank, op):
    if not -rank <= axis < rank:
        raise Refused(op + ": axis out of range")
    return axis % rank


def axes_of(axes, rank, op):
    out = sorted(axis_of(a, rank, op) for a in axes)
    if len(set(out)) != len(out):
        raise Refused(op + ": an axis is given twice")
    return out


def identity(importer, node):
    node.need(1, 1)
    return [node.inputs[0]]


def dropout(importer, node):
    node.need(1, 3)
    node.real("ratio", None, 1, 11), node.integer("seed", 0, 12)
    mode = node.operand(2)
    if mode is not None and (mode.kind != "int" or any(mode.data)):
        raise Refused("Dropout in training mode")
    return [node.inputs[0]]


def reshaped(value, shape, op):
    if count(shape) != count(value.shape):
        raise Refused(op + ": the number of elements changes")
    return [value._replace(shape=shape)]


def flatten(importer, node):
    node.need(1, 1)
    x, axis = node.inputs[0], node.integer("axis", 1)
    if not -len(x.shape) <= axis <= len(x.shape):
        raise Refused("Flatten: axis out of range")
    axis = axis + len(x.shape) if axis < 0 else axis
    return reshaped(x, [count(x.shape[:axis]), count(x.shape[axis:])], "Flatten")


def reshape(importer, node):
    node.need(2, 2)
    x, shape = node.inputs[0], list(integers(node.inputs[1], "Reshape"))
    if not node.integer("allowzero", 0, 14):
        if any(d == 0 and i >= len(x.shape) for i, d in enumerate(shape)):
            raise Refused("Reshape: a 0 without a dimension")
        shape = [x.shape[i] if d == 0 else d for i, d in enumerate(shape)]
    if shape.count(-1) > 1 or any(d < -1 for d in shape):
        raise Refused("Reshape: the shape is wrong")
    if -1 in shape:
        rest = count([d for d in shape if d != -1])
        if rest == 0 or count(x.shape) % rest:
            raise Refused("Reshape: the shape does not fit")
        shape[shape.index(-1)] = count(x.shape) // rest
    return reshaped(x, shape, "Reshape")


def axes_argument(node, last_attribute_opset):
    """Axes from the attribute in old opsets, from the second operand in new ones; None when absent."""
    axes = node.integers("axes", None, 1, last_attribute_opset)
    if node.opset > last_attribute_opset and node.operand(1) is not None:
        return integers(node.operand(1), node.op)
    return axes


def squeeze(importer, node):
    node.need(1, 1 if node.opset < 13 else 2)
    x, axes = node.inputs[0], axes_argument(node, 12)
    if axes is not None and not axes:
        raise Refused("Squeeze: an empty list of axes")
    axes = [i for i, d in enumerate(x.shape) if d == 1] if axes is None else axes_of(axes, len(x.shape), "Squeeze")
    if any(x.shape[i] != 1 for i in axes):
        raise Refused("Squeeze: a dimension is not 1")
    return reshaped(x, [d for i, d in enumerate(x.shape) if i not in axes], "Squeeze")


def unsqueeze(importer, node):
    node.need(1, 1 if node.opset < 13 else 2)
    x, axes = node.inputs[0], axes_argument(node, 12)
    if axes is None:
        raise Refused("Unsqueeze: no axes")
    shape = list(x.shape)
    for i in axes_of(axes, len(shape) + len(axes), "Unsqueeze"):
        shape.insert(i, 1)
    return reshaped(x, shape, "Unsqueeze")


def permuted(importer, x, perm):
    steps, indices = strides(x.shape), [0]
    for p in perm:
        indices = [base + i * steps[p] for base in indices for i in range(x.shape[p])]
    return importer.select([x], indices, [x.shape[p] for p in perm])


def transpose(importer, node):
    node.need(1, 1)
    rank = len(node.inputs[0].shape)
    perm = node.integers("perm", list(range(rank))[::-1])
    if sorted(perm) != list(range(rank)):
        raise Refused("Transpose: perm is no permutation")
    return [permuted(importer, node.inputs[0], perm)]


def concat(importer, node):
    node.need(1, 10 ** 6)
    values, axis = node.inputs, node.integer("axis")
    if axis is None or None in values:
        raise Refused("Concat: no axis or an absent operand")
    axis = axis_of(axis, len(values[0].shape), "Concat")
    for v in values:
        if len(v.shape) != len(values[0].shape) or any(
                d != e for i, (d, e) in enumerate(zip(v.shape, values[0].shape)) if i != axis):
            raise Refused("Concat: the shapes differ")
    shape = list(values[0].shape)
    shape[axis] = sum(v.shape[axis] for v in values)
    starts, at = [], 0
    for v in values:
        starts.append(at)
        at += count(v.shape)
    indices = []
    for outer in range(count(shape[:axis])):
        for v, start in zip(values, starts):
            block = count(v.shape[axis:])
            indices += range(start + outer * block, start + (outer + 1) * block)
    return [importer.select(values, indices, shape)]


def picked(importer, x, lists):
    """The elements whose coordinates are in lists, one list per dimension."""
    indices = [0]
    for step, choice in zip(strides(x.shape), lists):
        indices = [base + i * step for base in indices for i in choice]
    return importer.select([x], indices, [len(choice) for choice in lists])


def slice_(importer, node):
    x = node.inputs[0]
    if node.opset < 10:
        node.need(1, 1)
        starts, ends, axes, steps = node.integers("starts"), node.integers("ends"), node.integers("axes"), None
    else:
        node.need(3, 5)
        starts, ends = integers(node.inputs[1], "Slice"), integers(node.inputs[2], "Slice")
        axes = integers(node.operand(3), "Slice") if node.operand(3) else None
        steps = integers(node.operand(4), "Slice") if node.operand(4) else None
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise Refused("Slice: the lists do not fit")
    axes = [axis_of(a, len(x.shape), "Slice") for a in axes]
    if len(set(axes)) != len(axes):
        raise Refused("Slice: an axis is given twice")
    lists = [range(d) for d in x.shape]
    for a, first, last, step in zip(axes, starts, ends, steps):
        d = x.shape[a]
        first, last = first + d if first < 0 else first, last + d if last < 0 else last
        low, high = (0, d) if step > 0 else (-1, d - 1)
        first = min(max(first, 0), high)
        last = min(max(last, low), high if step < 0 else d)
        lists[a] = range(first, last, step)
    if any(len(choice) == 0 for choice in lists):
        raise Refused("Slice: an empty result")
    return [picked(importer, x, lists)]


def split(importer, node):
    node.need(1, 1 if node.opset < 13 else 2)
    x = node.inputs[0]
    axis = axis_of(node.integer("axis", 0), len(x.shape), "Split")
    sizes, parts = node.integers("split", None, 1, 12), node.integer("num_outputs", None, 18)
    if node.opset >= 13 and node.operand(1) is not None:
        sizes = integers(node.operand(1), "Split")
    d = x.shape[axis]
    if sizes is None:
        parts = parts or len(node.outputs)
        size = -(-d // parts)
        if node.opset < 18 and d % parts:
            raise Refused("Split: the parts are not equal")
        sizes = [min(size, d - size * i) for i in range(parts)]
    if len(sizes) != len(node.outputs) or sum(sizes) != d or min(sizes) < 1:
        raise Refused("Split: the sizes do not fit")
    out, at = [], 0
    for size in sizes:
        out.append(picked(importer, x, [range(at, at + size) if i == axis else range(e)
                                        for i, e in enumerate(x.shape)]))
        at += size
    return out


def gather(importer, node):
    node.need(2, 2)
    x, choice = node.inputs
    axis = axis_of(node.integer("axis", 0), len(x.shape), "Gather")
    if choice.kind != "int" or any(not -x.shape[axis] <= i < x.shape[axis] for i in choice.data):
        raise Refused("Gather: the indices are not constant or out of range")
    value = picked(importer, x, [[i % e for i in choice.data] if a == axis else range(e)
                                 for a, e in enumerate(x.shape)])
    return [value._replace(shape=x.shape[:axis] + choice.shape + x.shape[axis + 1:])]


def pad(importer, node):
    x, rank = node.inputs[0], len(node.inputs[0].shape)
    if node.text("mode", "constant") != "constant":
        raise Refused("Pad: only the constant mode is covered")
    axes, fill = list(range(rank)), None
    if node.opset < 11:
        node.need(1, 1)
        pads, fill = node.integers("pads"), importer.widen(node.real("value", 0))
    else:
        node.need(2, 4 if node.opset >= 18 else 3)
        pads, value = integers(node.inputs[1], "Pad"), node.operand(2)
        if value is not None:
            if value.kind != x.kind and value.kind != "float" or count(value.shape) != 1:
                raise Refused("Pad: the value has to be one constant")
            fill = value.data[0]
        if node.operand(3) is not None:
            axes = [axis_of(a, rank, "Pad") for a in integers(node.operand(3), "Pad")]
    if x.kind == "int" or len(pads) != 2 * len(axes) or len(set(axes)) != len(axes):
        raise Refused("Pad: the lists do not fit")
    lists = [range(d) for d in x.shape]
    for i, a in enumerate(axes):
        low, high, d = pads[i], pads[len(axes) + i], x.shape[a]
        if -low > d or -high > d or d + low + high < 1:
            raise Refused("Pad: a crop of more than there is")
        lists[a] = range(-low, d + high)
    indices, outside = [(0, True)], count(x.shape)
    for step, choice, d in zip(strides(x.shape), lists, x.shape):
        indices = [(base + i * step, ok and 0 <= i < d) for base, ok in indices for i in choice]
    shape = [len(choice) for choice in lists]
    if all(ok for _, ok in indices):
        return [importer.select([x], [i for i, _ in indices], shape)]
    filling = importer.constant(importer.dtype, [1], [fill or 0])
    return [importer.select([x, filling], [i if ok else outside for i, ok in indices], shape)]


def expand(importer, node):
    node.need(2, 2)
    x = node.inputs[0]
    shape = broadcast_shape(x.shape, integers(node.inputs[1], "Expand"))
    return [importer.select([x], broadcast_indices(x.shape, shape), shape)]
