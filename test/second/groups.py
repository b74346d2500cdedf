"""Sum groups, stored nodes and their error boxes (FORMAT.md section 3).

Assumes a finished canonical graph. Promises exact fractions (upper ends where a square root is irrational); None
stands for infinity. Ranges are a mapping node -> (list of lo, list of hi).
"""
from exact import ends, inverse, magnitude, root
from execute import conv_terms, dense_terms
from fractions import Fraction
from graph import CONTRACTION, LINEAR

ONE = Fraction(1)


def times(*factors):
    """A product in which None is infinite."""
    out = ONE
    for f in factors:
        if f is None:
            return None
        out = out * f
    return out


def plus(a, b):
    return None if a is None or b is None else a + b


def most(values, least=ONE):
    """The maximum of least and values; None is infinite."""
    for v in values:
        if v is None:
            return None
        least = max(least, v)
    return least


def bn_factors(node):
    """scale/sqrt(var+eps) and 1/sqrt(var+eps) per channel, exact or enclosed."""
    c = node.ints[0]
    scale, shift, mean, var, eps = node.parts(c, c, c, c, 1)
    inverses = [inverse(root(v + eps[0])) for v in var]
    return [i * s for i, s in zip(inverses, scale)], inverses, shift, mean


def element_range(graph, ranges, k):
    """The range of a stored node, or of a const node its values."""
    node = graph.nodes[k]
    return (node.values, node.values) if node.kind == "const" else ranges[k]


class Groups:
    def __init__(self, graph):
        self.graph, nodes = graph, graph.nodes
        uses = [0] * len(nodes)
        for node in nodes:
            for p in node.operands:
                uses[p] += 1
        uses[graph.output] += 1
        self.inside = set()                  # nodes whose only reader takes them into its group
        for node in nodes:
            for p in node.operands:
                child = nodes[p]
                if (child.kind in LINEAR and child.kind != "const" and node.kind in LINEAR
                        and node.kind not in CONTRACTION and uses[p] == 1):
                    self.inside.add(p)
        self.stored = [k for k, node in enumerate(nodes) if node.kind != "const" and k not in self.inside]
        self.roots = {k for k in self.stored if nodes[k].kind in LINEAR}
        self.is_stored = set(self.stored)

    def movable(self, k):
        """(count, the products of max(abs c, 1/abs c)) of the factors a runtime may move behind contraction k."""
        f, factor = 0, ONE
        at = self.graph.nodes[k].operands[0]
        while True:
            node = self.graph.nodes[at]
            if node.kind in ("scale", "divide") and len(set(node.payload)) == 1:
                c = abs(node.values[0])
                f, factor = f + 1, times(factor, None if c == 0 else max(c, 1 / c))
            elif not (node.kind == "map" and len(node.operands) == 1):
                return f, factor
            at = node.operands[0]

    def statistics(self, k, ranges):
        """T, Q, P and the list S of node k of a group, or of a leaf of one."""
        if k not in self.inside and k not in self.roots:
            return self.leaf(k, ranges)
        return self.member(k, ranges)

    def leaf(self, k, ranges):
        lo, hi = element_range(self.graph, ranges, k)
        m = [None if a is None or b is None else max(abs(a), abs(b)) for a, b in zip(lo, hi)]
        return 1, 0, most(m), m

    def member(self, k, ranges):
        node = self.graph.nodes[k]
        parts = [self.statistics(p, ranges) if p in self.inside else self.leaf(p, ranges) for p in node.operands]
        t, q, p, s = parts[0]
        kind, c = node.kind, [abs(v) for v in node.values]
        if kind == "map":
            pool = [v for part in parts for v in part[3]]
            return (max(a[0] for a in parts), max(a[1] for a in parts), most([a[2] for a in parts], Fraction(0)),
                    [pool[i] for i in node.ints])
        if kind in CONTRACTION:
            return self.contraction(k, node, p, s)
        if kind == "bn":
            a, inverses, shift, mean = bn_factors(node)
            count, inner = node.ints
            which = [i // inner % count for i in range(node.n)]
            size = times(most([ends(v)[1] for v in inverses]), most([abs(v) for v in node.values[:count]]))
            total = [plus(times(magnitude(a[j]), plus(v, abs(mean[j]))), abs(shift[j])) for v, j in zip(s, which)]
            return (t + 2, q + 6, plus(times(size, plus(p, most([abs(v) for v in mean]))),
                                       most([abs(v) for v in shift])), total)
        if kind == "add":
            t2, q2, p2, s2 = parts[1]
            return t + t2, max(q, q2), plus(p, p2), [plus(a, b) for a, b in zip(s, s2)]
        if kind == "shift":
            return t + 1, q, plus(p, most(c)), [plus(a, b) for a, b in zip(s, c)]
        if kind == "scale":
            return t, q + 1, times(p, most(c)), [times(a, b) for a, b in zip(s, c)]
        if kind == "divide":
            return t, q + 2, times(p, max(ONE, 1 / min(c))), [times(a, 1 / b) for a, b in zip(s, c)]
        return t, q, p, s                                          # neg

    def contraction(self, k, node, p, s):
        f, factor = self.movable(k)
        if node.kind == "reduce":
            length, divisors = node.ints[0], node.ints[1:]
            total = []
            for i, d in enumerate(divisors):
                part = Fraction(0)
                for v in s[i * length:i * length + length]:
                    part = plus(part, v)
                total.append(times(part, Fraction(1, d)))
            q = 0 if all(d == 1 for d in divisors) else 2
            return length + 3 * f, q, times(factor, length, p), total
        if node.kind == "dense":
            _, length, n, has_bias = node.ints
            size, terms = length * n, dense_terms
        else:
            ints = node.ints
            length, has_bias, terms = ints[1] // ints[15] * ints[5] * ints[6], ints[18], conv_terms
            size = ints[4] * length
        weights = [abs(v) for v in node.values]
        total = []
        for pairs, bias in terms(node, s):
            part = abs(bias) if bias is not None else Fraction(0)
            for w, v in pairs:
                part = plus(part, times(abs(w), v))
            total.append(part)
        bound = times(length, most(weights[:size]), p)
        if has_bias:
            bound = plus(bound, most(weights[size:]))
        return length + has_bias + 3 * f, 1, times(factor, bound), total

    def error(self, k, ranges, claim):
        """delta of every element of a stored node; None is infinite. claim: see numerics.py."""
        node = self.graph.nodes[k]
        if claim.element is None or node.kind == "input":
            return [Fraction(0)] * node.n
        if node.kind == "leaky":
            lo = element_range(self.graph, ranges, node.operands[0])[0]
            below = [None if v is None else max(Fraction(0), -v) for v in lo]
            return [None if b is None else claim.u * node.values[0] * b + claim.eta + claim.flushed * (2 + b)
                    for b in below]
        if k not in self.roots:
            return [Fraction(2 * claim.flushed)] * node.n
        t, q, p, s = self.member(k, ranges)
        n = t + q if t > 1 or q > 0 else 0
        if n == 0 and not claim.u2 and not claim.flushed:
            return [Fraction(0)] * node.n
        if 2 * n * claim.u >= 1 or p is None:
            return [None] * node.n
        gamma = n * claim.u / (1 - n * claim.u)
        only_maps = all(self.graph.nodes[m].kind == "map" for m in self.members(k))
        relative = gamma if only_maps else gamma + ((1 + claim.u2) ** 2 - 1) * (1 + gamma)
        absolute = t * ((q + 2) * claim.eta if n else 0) + 4 * t * claim.eta2
        if not only_maps:
            absolute += t * (6 * q + 16) * claim.flushed
        return [plus(times(relative, v), absolute * p) for v in s]

    def members(self, k):
        """The nodes of the group of root k."""
        return [k] + [m for p in self.graph.nodes[k].operands if p in self.inside for m in self.members(p)]

    def overflow(self, ranges, claim):
        """The first node where the overflow condition fails, or None."""
        if claim.element is None:
            return None
        omega = claim.omega
        for k in self.stored:
            node = self.graph.nodes[k]
            m = self.leaf(k, ranges)[2]
            if m is None or m >= omega:
                return k
            if k in self.roots:
                p = self.member(k, ranges)[2]
                if p is None or 2 * p >= omega:
                    return k

        def flushes(v):
            return v != 0 and abs(v) < claim.flushed

        for k, node in enumerate(self.graph.nodes):
            if node.kind == "bn" and any(v + eps >= omega or v + eps < claim.flushed or flushes(v) or flushes(eps)
                                         for eps in [node.values[-1]] for v in node.parts(*[node.ints[0]] * 4)[3]):
                return k
            if node.kind == "divide" and any(flushes(v) for v in node.values):
                return k
        return None
