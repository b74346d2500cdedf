"""Executions of a canonical graph (FORMAT.md section 5): the reference order of binary32 and binary64, exactly.

Zeros carry no sign here: nothing in the canonical graph tells +0 from -0 in a value. An overflow is a Refused.
"""
from exact import Refused, nearest, power, root


def rounded_root(value, element):
    """The square root rounded to nearest even; an exact tie cannot happen to an irrational root."""
    exact = root(value)
    if not hasattr(exact, "lo"):
        return nearest(exact, element)
    lo, hi = nearest(exact.lo, element), nearest(exact.hi, element)
    if lo != hi:
        raise Refused("a square root is too close to a tie")
    return lo


class Machine:
    def __init__(self, element):
        self.element = element

    def round(self, value):
        out = nearest(value, self.element)
        if out is None:
            raise Refused("the execution overflows")
        return out

    def sum(self, terms):
        total = None
        for t in terms:
            total = t if total is None else self.round(total + t)
        return power(0) * 0 if total is None else total

    def products(self, pairs, bias):
        total = self.sum(self.round(w * x) for w, x in pairs)
        return total if bias is None else self.round(total + bias)

    def node(self, node, args):
        """The values of a node from those of its operands."""
        x, r = args[0] if args else None, self.round
        kind, n = node.kind, node.n
        if kind == "const":
            return list(node.values)
        if kind == "map":
            pool = [v for a in args for v in a]
            return [pool[i] for i in node.ints]
        if kind == "dense":
            return [self.products(pairs, b) for pairs, b in dense_terms(node, x)]
        if kind == "conv":
            return [self.products(pairs, b) for pairs, b in conv_terms(node, x)]
        if kind == "reduce":
            k = node.ints[0]
            sums = [self.sum(x[i * k:i * k + k]) for i in range(n)]
            return [s if d == 1 else r(s / d) for s, d in zip(sums, node.ints[1:])]
        if kind == "bn":
            c, inner = node.ints
            scale, shift, mean, var, eps = node.parts(c, c, c, c, 1)
            deviation = [rounded_root(r(v + eps[0]), self.element) for v in var]
            which = [i // inner % c for i in range(n)]
            return [r(r(r(r(v - mean[q]) / deviation[q]) * scale[q]) + shift[q]) for v, q in zip(x, which)]
        if kind == "add":
            sign = -1 if node.ints[0] else 1
            return [r(a + sign * b) for a, b in zip(x, args[1])]
        if kind in ("shift", "scale", "divide"):
            return [r(v + c if kind == "shift" else v * c if kind == "scale" else v / c)
                    for v, c in zip(x, node.values)]
        if kind == "neg":
            return [-v for v in x]
        if kind == "leaky":
            return [v if v >= 0 else r(v * node.values[0]) for v in x]
        if kind == "max":
            k = node.ints[0]
            return [max(x[i * k:i * k + k]) for i in range(n)]
        return [activation(node, v) for v in x]


def activation(node, v):
    """relu, leaky, clip and abs over the reals."""
    if node.kind == "relu":
        return max(v, 0 * v)
    if node.kind == "leaky":
        return v if v >= 0 else node.values[0] * v
    if node.kind == "abs":
        return abs(v)
    return min(max(v, node.values[0]), node.values[1])


def dense_terms(node, x):
    """Per output element the pairs (weight, operand) in order, and the bias or None."""
    rows, k, n, has_bias = node.ints
    w = node.values
    for r in range(rows):
        part = x[r * k:r * k + k]
        for j in range(n):
            yield list(zip(w[j * k:j * k + k], part)), w[n * k + j] if has_bias else None


def conv_terms(node, x):
    batch, c, h, wd, m, kh, kw, sh, sw, pt, pl, _, _, dh, dw, g, oh, ow, has_bias = node.ints
    w, deep = node.values, c // g
    for b in range(batch):
        for o in range(m):
            first = o // (m // g) * deep
            for oy in range(oh):
                for ox in range(ow):
                    pairs = []
                    for d in range(deep):
                        for ky in range(kh):
                            y = oy * sh - pt + ky * dh
                            for kx in range(kw):
                                z = ox * sw - pl + kx * dw
                                if 0 <= y < h and 0 <= z < wd:
                                    pairs.append((w[((o * deep + d) * kh + ky) * kw + kx],
                                                  x[((b * c + first + d) * h + y) * wd + z]))
                    yield pairs, w[m * deep * kh * kw + o] if has_bias else None


def reference(graph, point):
    """Outputs at fl(point) in the reference order, as exact fractions."""
    machine, values = Machine(graph.element), []
    for node in graph.nodes:
        values.append([machine.round(v) for v in point] if node.kind == "input" else
                      machine.node(node, [values[p] for p in node.operands]))
    return values[graph.output]
