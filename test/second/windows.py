"""Conv, AveragePool, GlobalAveragePool and MaxPool of one and two dimensions (FORMAT.md section 2).

One rule per operator, rule(importer, node) -> values. A 1-D operator is a 2-D one with height 1.
"""
from exact import Refused
from importer import Value
from onnx_wire import count


def geometry(node, x, kernel, dilation_first, ceil_first):
    """(H, W, strides, pads as top left bottom right, dilations, OH, OW); refuses what section 2 refuses."""
    rank = len(x.shape) - 2
    if rank not in (1, 2) or len(kernel) != rank:
        raise Refused(node.op + ": only one and two dimensions are covered")
    auto = node.text("auto_pad", "NOTSET")
    pads, steps = node.integers("pads"), node.integers("strides", [1] * rank)
    gaps = node.integers("dilations", [1] * rank, dilation_first)
    ceil = node.integer("ceil_mode", 0, ceil_first) if ceil_first else 0
    if pads and auto != "NOTSET" or auto not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise Refused(node.op + ": pads together with auto_pad")
    pads = pads or [0] * (2 * rank)
    if len(pads) != 2 * rank or len(steps) != rank or len(gaps) != rank or min(pads) < 0 or min(steps + gaps) < 1:
        raise Refused(node.op + ": pads, strides or dilations are wrong")
    if node.op != "Conv" and auto.startswith("SAME") and max(gaps) > 1:
        raise Refused(node.op + ": SAME padding together with dilations")
    low, high, out = pads[:rank], pads[rank:], []
    for i in range(rank):
        size, reach = x.shape[2 + i], (kernel[i] - 1) * gaps[i] + 1
        if auto.startswith("SAME"):
            total = max((-(-size // steps[i]) - 1) * steps[i] + reach - size, 0)
            low[i], high[i] = (total // 2, total - total // 2) if auto == "SAME_UPPER" else (
                total - total // 2, total // 2)
        room = size + low[i] + high[i] - reach
        if room < 0 or ceil and room % steps[i]:
            raise Refused(node.op + ": an empty result, or ceil_mode that matters")
        out.append(room // steps[i] + 1)
    if rank == 1:
        return 1, x.shape[2], [1] + steps, [0, low[0], 0, high[0]], [1] + gaps, 1, out[0]
    return x.shape[2], x.shape[3], steps, low + high, gaps, out[0], out[1]


def conv(importer, node):
    node.need(2, 3)
    x, w, b = node.inputs[0], node.inputs[1], node.operand(2)
    if w.kind != "float" or b is not None and b.kind != "float" or len(w.shape) != len(x.shape):
        raise Refused("Conv: weight and bias have to be constants")
    kernel, group = w.shape[2:], node.integer("group", 1)
    if node.integers("kernel_shape", kernel) != kernel:
        raise Refused("Conv: kernel_shape contradicts the weight")
    high, wide, steps, pads, gaps, oh, ow = geometry(node, x, kernel, 1, 0)
    batch, channels, m = x.shape[0], x.shape[1], w.shape[0]
    if group < 1 or channels % group or m % group or w.shape[1] != channels // group or b and b.shape != [m]:
        raise Refused("Conv: channels and groups do not fit")
    kh, kw = kernel if len(kernel) == 2 else [1] + kernel
    ints = [batch, channels, high, wide, m, kh, kw] + steps + pads + gaps + [group, oh, ow, int(b is not None)]
    shape = [batch, m] + ([oh, ow] if len(kernel) == 2 else [ow])
    return [importer.emit("conv", [importer.materialise(x)], shape, ints, w.data + (b.data if b else []))]


def window_entries(x, kernel, place):
    """Per output the list of (inside the image, element) in kernel row-major order; outputs in row-major order."""
    high, wide, steps, pads, gaps, oh, ow = place
    kh, kw = kernel if len(kernel) == 2 else [1] + kernel
    for plane in range(x.shape[0] * x.shape[1]):
        for oy in range(oh):
            for ox in range(ow):
                entries = []
                for ky in range(kh):
                    for kx in range(kw):
                        y, z = oy * steps[0] - pads[0] + ky * gaps[0], ox * steps[1] - pads[1] + kx * gaps[1]
                        inside = 0 <= y < high and 0 <= z < wide
                        entries.append((inside, (plane * high + y) * wide + z))
                if not any(ok for ok, _ in entries):
                    raise Refused("a pooling window lies outside the image")
                yield entries


def pooled_shape(x, kernel, place):
    return [x.shape[0], x.shape[1]] + ([place[5], place[6]] if len(kernel) == 2 else [place[6]])


def average(importer, node, kernel, place, all_count):
    x = node.inputs[0]
    n, indices, divisors, padded = count(x.shape), [], [], False
    for entries in window_entries(x, kernel, place):
        indices += [i if ok else n for ok, i in entries]
        inside = sum(ok for ok, _ in entries)
        padded = padded or inside < len(entries)
        divisors.append(len(entries) if all_count else inside)
    operands = [importer.materialise(x)]
    if padded:
        operands.append(importer.materialise(Value("float", [1], [0], importer.dtype)))
    moved = importer.select(operands, indices, [len(indices)])
    return [importer.emit("reduce", [moved], pooled_shape(x, kernel, place), [count(kernel)] + divisors)]


def average_pool(importer, node):
    node.need(1, 1)
    kernel = node.integers("kernel_shape")
    if not kernel or min(kernel) < 1 or node.inputs[0].kind == "int":
        raise Refused("AveragePool: no kernel_shape")
    place = geometry(node, node.inputs[0], kernel, 19, 10)
    return average(importer, node, kernel, place, node.integer("count_include_pad", 0))


def global_average_pool(importer, node):
    node.need(1, 1)
    kernel = list(node.inputs[0].shape[2:])
    return average(importer, node, kernel, geometry(node, node.inputs[0], kernel, 99, 0), 0)


def max_pool(importer, node):
    node.need(1, 1)
    x, kernel = node.inputs[0], node.integers("kernel_shape")
    if not kernel or min(kernel) < 1 or x.kind == "int" or node.integer("storage_order", 0, 8):
        raise Refused("MaxPool: no kernel_shape, or another storage order")
    place = geometry(node, x, kernel, 10, 10)
    indices = []
    for entries in window_entries(x, kernel, place):
        first = next(i for ok, i in entries if ok)
        indices += [i if ok else first for ok, i in entries]
    moved = importer.select([importer.materialise(x)], indices, [len(indices)])
    return [importer.emit("max", [moved], pooled_shape(x, kernel, place), [count(kernel)])]
