"""The backward pass from a linear form (FORMAT.md section 6): a lower bound of it over the current ranges.

Coefficients are fractions, or enclosures behind an irrational square root. Promises a true lower bound or None (no
bound). A node that needs a slope byte and has none is a Refused.
"""
from exact import Enclosure, Refused, ends, magnitude
from execute import activation, conv_terms, dense_terms
from fractions import Fraction
from graph import LINEAR
from groups import bn_factors, element_range
from interval import breakpoints

ZERO, ONE = Fraction(0), Fraction(1)


def sign(v):
    """1, -1, 0, or None for an enclosure with 0 strictly inside."""
    lo, hi = ends(v)
    return 0 if lo == hi == 0 else 1 if lo >= 0 else -1 if hi <= 0 else None


def line(node, lo, hi, lower, byte):
    """(s, t) of the line of relu, leaky, clip or abs over [lo, hi]; byte is a function that gives the slope byte."""
    kind = node.kind
    inside = [b for b in breakpoints(node) if lo < b < hi]
    alpha = {"relu": ZERO, "abs": -ONE, "leaky": node.values and node.values[0]}.get(kind)
    if not inside:
        if kind == "clip":
            return (ZERO, node.values[0]) if hi <= node.values[0] else (
                (ZERO, node.values[1]) if lo >= node.values[1] else (ONE, ZERO))
        return (ONE, ZERO) if lo >= 0 else (alpha, ZERO)
    points = [lo, hi] + inside
    if lower or kind == "clip":
        b = Fraction(byte(), 128)
        s = b if kind == "clip" else alpha + (1 - alpha) * b
    else:
        rise = (activation(node, hi) - activation(node, lo)) / (hi - lo)
        s = Fraction((2 ** 24 * rise).__floor__(), 2 ** 24)
    rest = [activation(node, v) - s * v for v in points]
    return s, min(rest) if lower else max(rest)


class Pass:
    """One backward pass; slopes is a mapping node -> (lower bytes, upper bytes)."""

    def __init__(self, groups, ranges, errors, slopes):
        self.groups, self.graph, self.ranges = groups, groups.graph, ranges
        self.errors, self.slopes = errors, slopes
        self.total, self.pending = ZERO, {}
        self.unbounded = False           # the bound is minus infinity; the pass goes on to see which bytes it needs

    def put(self, k, i, value):
        row = self.pending.setdefault(k, [ZERO] * self.graph.nodes[k].n)
        row[i] = row[i] + value

    def byte(self, k, upper, i):
        def take():
            if k not in self.slopes or not self.slopes[k][upper]:
                raise Refused("node %d needs a slope byte" % k)
            return self.slopes[k][upper][i]
        return take

    def run(self, multiples=()):
        """The bound of what was put, as a fraction or None; multiples are (node, element, v)."""
        for k, i, v in multiples:
            lo, hi = self.ranges[k][0][i], self.ranges[k][1][i]
            end = lo if v > 0 else hi
            if end is None:
                raise Refused("a multiple of an infinite range end")
            self.total += v * end
            self.put(k, i, -v)
        for k in range(len(self.graph.nodes) - 1, -1, -1):
            row = self.pending.pop(k, None)
            if row is not None:
                self.node(k, self.graph.nodes[k], [(i, v) for i, v in enumerate(row) if sign(v) != 0])
        return None if self.unbounded else ends(self.total)[0]

    def node(self, k, node, row):
        if node.kind == "input":
            lo, hi = self.ranges[0]
            for i, v in row:
                self.total += min(a * b for a in ends(v) for b in (lo[i], hi[i]))
        elif node.kind == "const":
            for i, v in row:
                self.total += v * node.values[i]
        else:
            if k in self.groups.is_stored:
                delta = self.errors(k)
                for i, v in row:
                    self.unbounded = self.unbounded or delta[i] is None
                    self.total += -(magnitude(v) * (delta[i] or 0))
            if node.kind == "max":
                self.maximum(k, node, row)
            elif node.kind in LINEAR:
                self.linear(node, row)
            else:
                self.activation(k, node, row)

    def activation(self, k, node, row):
        p = node.operands[0]
        low, high = element_range(self.graph, self.ranges, p)
        for i, v in row:
            lo, hi, direction = low[i], high[i], sign(v)
            if lo is None or hi is None:
                self.unbounded = True
                continue
            if direction is None:
                values = [activation(node, x) for x in [lo, hi] + [b for b in breakpoints(node) if lo < b < hi]]
                self.total += min(a * b for a in ends(v) for b in (min(values), max(values)))
                continue
            s, t = line(node, lo, hi, direction > 0, self.byte(k, int(direction < 0), i))
            self.put(p, i, v * s)
            self.total += v * t

    def maximum(self, k, node, row):
        p, size = node.operands[0], node.ints[0]
        low, high = element_range(self.graph, self.ranges, p)
        for i, v in row:
            at = range(i * size, i * size + size)
            first = [j for j in at if all(m == j or low[j] is not None and high[m] is not None and low[j] >= high[m]
                                          for m in at)]
            direction = sign(v)
            if first:
                self.put(p, first[0], v)
            elif direction is None or any(high[j] is None for j in at) and direction < 0:
                self.unbounded = True
            elif direction > 0:
                for j in at:
                    self.put(p, j, v * Fraction(self.byte(k, 0, j)(), 128))
            else:
                self.total += v * max(high[j] for j in at)

    def linear(self, node, row):
        kind, x = node.kind, node.operands[0]
        if kind == "map":
            where = [(p, i) for p in node.operands for i in range(self.graph.nodes[p].n)]
            for i, v in row:
                self.put(*where[node.ints[i]], v)
        elif kind in ("dense", "conv"):
            terms = dense_terms if kind == "dense" else conv_terms
            outputs = list(terms(node, range(self.graph.nodes[x].n)))
            for i, v in row:
                pairs, bias = outputs[i]
                for w, j in pairs:
                    if w:
                        self.put(x, j, v * w)
                if bias is not None:
                    self.total += v * bias
        elif kind == "reduce":
            k = node.ints[0]
            for i, v in row:
                for j in range(i * k, i * k + k):
                    self.put(x, j, v * Fraction(1, node.ints[1 + i]))
        elif kind == "bn":
            a, _, shift, mean = bn_factors(node)
            count, inner = node.ints
            for i, v in row:
                q = i // inner % count
                self.put(x, i, v * a[q])
                self.total += -(v * a[q] * mean[q]) + v * shift[q]
        elif kind == "add":
            for i, v in row:
                self.put(x, i, v)
                self.put(node.operands[1], i, -v if node.ints[0] else v)
        else:
            for i, v in row:
                if kind == "shift":
                    self.total += v * node.values[i]
                    factor = ONE
                else:
                    factor = {"scale": lambda: node.values[i], "divide": lambda: 1 / node.values[i],
                              "neg": lambda: -ONE}[kind]()
                self.put(x, i, v * factor)


__all__ = ["Enclosure", "Pass"]
