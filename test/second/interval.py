"""Interval images (FORMAT.md section 6): of a sum group over its leaves, and of activations.

Ends are exact fractions, rounded outward only where a square root is irrational; None is infinite.
"""
from exact import ends
from execute import activation, conv_terms, dense_terms
from fractions import Fraction
from groups import bn_factors, element_range, plus, times

ZERO = Fraction(0)


def scaled(lo, hi, factor):
    """The image of [lo, hi] times a factor, which may be an enclosure."""
    least, greatest = ends(factor)
    if least == greatest == 0:
        return ZERO, ZERO
    if least == greatest:
        return (times(lo, least), times(hi, least)) if least > 0 else (times(hi, least), times(lo, least))
    if lo is None or hi is None:
        return None, None
    products = [a * b for a in (lo, hi) for b in (least, greatest)]
    return min(products), max(products)


def summed(pairs, constant):
    """sum of w*[lo, hi] plus a constant, for pairs (w, (lo, hi))."""
    low = high = constant
    for w, (lo, hi) in pairs:
        a, b = scaled(lo, hi, w)
        low, high = plus(low, a), plus(high, b)
    return low, high


def linear(node, args):
    """A linear node over lists of intervals, one list per operand."""
    kind, x = node.kind, args[0]
    if kind == "map":
        pool = [v for a in args for v in a]
        return [pool[i] for i in node.ints]
    if kind in ("dense", "conv"):
        terms = dense_terms if kind == "dense" else conv_terms
        return [summed(pairs, ZERO if b is None else b) for pairs, b in terms(node, x)]
    if kind == "reduce":
        k = node.ints[0]
        return [scaled(*summed([(Fraction(1), v) for v in x[i * k:i * k + k]], ZERO), Fraction(1, d))
                for i, d in enumerate(node.ints[1:])]
    if kind == "bn":
        a, _, shift, mean = bn_factors(node)
        count, inner = node.ints
        out = []
        for i, (lo, hi) in enumerate(x):
            q = i // inner % count
            lo, hi = scaled(plus(lo, -mean[q]), plus(hi, -mean[q]), a[q])
            out.append((plus(lo, shift[q]), plus(hi, shift[q])))
        return out
    if kind == "add":
        sign = Fraction(-1 if node.ints[0] else 1)
        return [summed([(Fraction(1), a), (sign, b)], ZERO) for a, b in zip(x, args[1])]
    if kind == "shift":
        return [(plus(lo, c), plus(hi, c)) for (lo, hi), c in zip(x, node.values)]
    if kind == "scale":
        return [scaled(lo, hi, c) for (lo, hi), c in zip(x, node.values)]
    if kind == "divide":
        return [scaled(lo, hi, 1 / c) for (lo, hi), c in zip(x, node.values)]
    return [scaled(lo, hi, Fraction(-1)) for lo, hi in x]              # neg


def breakpoints(node):
    return node.values if node.kind == "clip" else [ZERO]


def image(node, lo, hi):
    """The image of [lo, hi] under relu, leaky, clip or abs."""
    points = [v for v in (lo, hi) if v is not None]
    points += [b for b in breakpoints(node) if (lo is None or lo < b) and (hi is None or b < hi)]
    values = [activation(node, v) for v in points]
    slope_below, slope_above = {"relu": (0, 1), "leaky": (node.values and node.values[0] or 0, 1), "clip": (0, 0),
                                "abs": (-1, 1)}[node.kind]
    low, high = min(values), max(values)
    if lo is None and slope_below:
        low, high = (None, high) if slope_below > 0 else (low, None)
    if hi is None and slope_above:
        high = None
    return low, high


def node_image(groups, k, ranges, claim):
    """Intervals of a stored node: the rule `interval` of a root or an activation."""
    graph, node = groups.graph, groups.graph.nodes[k]

    def operand(p):
        return member(p) if p in groups.inside else list(zip(*element_range(graph, ranges, p)))

    def member(p):
        return linear(graph.nodes[p], [operand(q) for q in graph.nodes[p].operands])

    if k in groups.roots:
        out = member(k)
    elif node.kind == "max":
        x, size = operand(node.operands[0]), node.ints[0]
        out = []
        for i in range(node.n):
            part = x[i * size:i * size + size]
            lows = [lo for lo, _ in part if lo is not None]
            highs = [hi for _, hi in part]
            out.append((max(lows) if lows else None, None if None in highs else max(highs)))
    else:
        out = [image(node, lo, hi) for lo, hi in operand(node.operands[0])]
    return [(None if lo is None or d is None else lo - d, plus(hi, d))
            for (lo, hi), d in zip(out, groups.error(k, ranges, claim))]
