"""The proof rules of FORMAT.md section 6 along the records of section 7: scopes, steps, refutations, bounds.

Assumes records that records.py accepted. Promises Wrong, with the line and rule, for the first record that does not
follow; after run() the claim is proved unless `left_open` is not 0.
"""
import sys
from backward import Pass
from exact import Refused, dyadic, nearest
from fractions import Fraction
from groups import Groups
from interval import node_image
from records import index_list, slope_bytes

sys.setrecursionlimit(20000)


class Wrong(Exception):
    pass


class Scope:
    """Ranges, slopes and refuted cases of one scope of the proof tree."""

    def __init__(self, ranges, slopes, refuted, depth):
        self.ranges = {k: (list(lo), list(hi)) for k, (lo, hi) in ranges.items()}
        self.slopes, self.refuted, self.depth = dict(slopes), set(refuted), depth
        self.split, self.errors = False, {}

    def intersect(self, k, i, lo, hi):
        old_lo, old_hi = self.ranges[k]
        if lo is not None and (old_lo[i] is None or lo > old_lo[i]):
            old_lo[i] = lo
        if hi is not None and (old_hi[i] is None or hi < old_hi[i]):
            old_hi[i] = hi
        self.errors = {}

    def half(self, k, i, lo, hi):
        scope = Scope(self.ranges, self.slopes, self.refuted, self.depth + 1)
        scope.intersect(k, i, lo, hi)
        return scope


def input_range(bounds, claim):
    """Ends of the input range of a box."""
    lows, highs = [], []
    for lo, _, hi, _ in bounds:
        if claim.element is not None:
            a, b = nearest(lo, claim.element), nearest(hi, claim.element)
            if a is None or b is None:
                raise Wrong("an end of the input range overflows")
            lo, hi = min(lo, a), max(hi, b)
        lows.append(lo)
        highs.append(hi)
    return lows, highs


class Proof:
    def __init__(self, graph, prop, claim, records):
        self.graph, self.groups, self.claim = graph, Groups(graph), claim
        self.property, self.records, self.at = prop, records, 0
        self.next_slopes = self.left_open = self.bounds = 0
        self.last_bound = None                 # of the bound or refute record judged last, exactly

    def take(self):
        if self.at >= len(self.records):
            raise Wrong("the file ends too early")
        self.line, record = self.records[self.at]
        self.at += 1
        return record

    def run(self):
        """Every box of a `holds` or `bound` certificate; what it says of kernels is no part of the proof."""
        while self.at < len(self.records) and self.records[self.at][1]["record"] == "capsules":
            self.at += 1
        for g, bounds in enumerate(self.property.boxes):
            record = self.take()
            if record["record"] != "box" or record["box"] != g:
                raise Wrong("the record of box %d is expected" % g)
            self.cases = {c for c, case in enumerate(self.property.cases) if case.bounds == bounds}
            ranges = {k: ([None] * self.graph.nodes[k].n, [None] * self.graph.nodes[k].n)
                      for k in self.groups.stored}
            ranges[0] = input_range(bounds, self.claim)
            scope = Scope(ranges, {}, (), 0)
            self.tree(scope)
            if not self.cases <= scope.refuted:
                raise Wrong("a case of the box is not refuted")
        if self.at != len(self.records):
            raise Wrong("records after the last box")

    def tree(self, scope):
        while True:
            record = self.take()
            kind = record["record"]
            if kind == "close":
                if not scope.split:
                    k = self.groups.overflow(scope.ranges, self.claim)
                    if k is not None:
                        raise Wrong("the overflow condition fails at node %d" % k)
                return
            if kind == "open":
                self.left_open += 1
                scope.refuted |= self.cases
                return
            if kind == "crossed":
                k, i = self.element(record["node"], record["element"])
                lo, hi = scope.ranges[k][0][i], scope.ranges[k][1][i]
                if scope.depth == 0 or lo is None or hi is None or lo <= hi:
                    raise Wrong("the range is not crossed, or not inside a split")
                scope.refuted |= self.cases
                return
            if kind == "split" and self.property.target_none:
                raise Wrong("a split under the claim bound")
            if kind == "split":
                k, i = self.element(record["node"], record["element"])
                p = dyadic(record["at"])
                above = scope.half(k, i, p, None)
                self.tree(above)
                below = scope.half(k, i, None, p)
                self.tree(below)
                scope.refuted |= above.refuted & below.refuted
                scope.split = True
            elif kind in ("slopes", "step", "refute", "bound"):
                try:
                    getattr(self, kind)(scope, record)
                except Refused as e:
                    raise Wrong(str(e))
            else:
                raise Wrong("a %s record here" % kind)

    def element(self, k, i):
        if k not in self.groups.is_stored or i >= self.graph.nodes[k].n:
            raise Wrong("node %d is not stored or has no element %d" % (k, i))
        return k, i

    def slopes(self, scope, record):
        k = record["node"]
        if record["id"] != self.next_slopes:
            raise Wrong("the id of slopes is not the next one")
        self.next_slopes += 1
        kind = self.graph.nodes[k].kind if k < len(self.graph.nodes) else ""
        if kind not in ("relu", "leaky", "abs", "clip", "max"):
            raise Wrong("node %d has no slopes" % k)
        n, lower, upper = self.graph.nodes[k].n, slope_bytes(record["lower"]), slope_bytes(record["upper"])
        if lower is None or upper is None:
            raise Wrong("slope bytes are not in base64")
        size = self.graph.nodes[k].ints[0] if kind == "max" else 1
        if len(lower) != n * size or len(upper) != (n if kind == "clip" else 0) or max(lower + upper) > 128:
            raise Wrong("slope bytes of node %d: wrong number, or above 128" % k)
        if kind == "max" and any(sum(lower[i * size:i * size + size]) != 128 for i in range(n)):
            raise Wrong("slope bytes of a maximum do not sum to 128")
        scope.slopes[record["id"]] = (k, lower, upper)

    def used_slopes(self, scope, ids):
        out = {}
        for d in ids:
            if d not in scope.slopes:
                raise Wrong("slopes %d are not known in this scope" % d)
            k, lower, upper = scope.slopes[d]
            if out and k <= max(out):
                raise Wrong("slopes are not in increasing node order")
            out[k] = (lower, upper)
        return out

    def backward(self, scope, slopes):
        def errors(k):
            if k not in scope.errors:
                scope.errors[k] = self.groups.error(k, scope.ranges, self.claim)
            return scope.errors[k]
        return Pass(self.groups, scope.ranges, errors, slopes)

    def step(self, scope, record):
        k = record["node"]
        if k not in self.groups.is_stored or k == 0:
            raise Wrong("node %d is not the target of a step" % k)
        if record["method"] == "interval":
            for i, (lo, hi) in enumerate(node_image(self.groups, k, scope.ranges, self.claim)):
                scope.intersect(k, i, lo, hi)
            return
        slopes, found = self.used_slopes(scope, record["slopes"]), []
        if index_list(record["lower"]) is None or index_list(record["upper"]) is None:
            raise Wrong("the elements of a step are not in maximal increasing runs")
        for side in ("lower", "upper"):
            for i in index_list(record[side]):
                self.element(k, i)
                run = self.backward(scope, slopes)
                run.put(k, i, Fraction(1 if side == "lower" else -1))
                bound = run.run()
                if bound is not None:
                    found.append((i, bound, None) if side == "lower" else (i, None, -bound))
        for i, lo, hi in found:
            scope.intersect(k, i, lo, hi)

    def refute(self, scope, record):
        c = record["case"]
        factors = [dyadic(v) for v in record["lambda"]]
        if self.property.target_none or c not in self.cases:
            raise Wrong("case %d is not of this box" % c)
        rows, chosen = self.property.cases[c].rows, record["rows"]
        if (len(factors) != len(chosen) or sorted(set(chosen)) != chosen or any(r >= len(rows) for r in chosen)
                or any(f < 0 for f in factors) or not any(factors)):
            raise Wrong("rows or multipliers are wrong")
        run = self.backward(scope, self.used_slopes(scope, record["slopes"]))
        for r, f in zip(chosen, factors):
            for j, b in rows[r][1].items():
                run.put(self.graph.output, j, f * b)
            run.total += f * rows[r][2]
        multiples = []
        for m in record["ranges"]:
            value = dyadic(m["value"])
            if value == 0:
                raise Wrong("a multiple of 0")
            multiples.append(self.element(m["node"], m["element"]) + (value,))
        bound = self.last_bound = run.run(multiples)
        strict = any(f > 0 and rows[r][0] for r, f in zip(chosen, factors))
        if bound is None or not (bound > 0 or strict and bound == 0):
            raise Wrong("the case is not refuted")
        scope.refuted.add(c)

    def bound(self, scope, record):
        if not self.property.target_none or scope.depth or record["output"] >= self.property.outputs:
            raise Wrong("a bound record here")
        if record["side"] not in ("lower", "upper"):
            raise Wrong("a bound is lower or upper")
        factor = Fraction(1 if record["side"] == "lower" else -1)
        run = self.backward(scope, self.used_slopes(scope, record["slopes"]))
        run.put(self.graph.output, record["output"], factor)
        bound = self.last_bound = run.run()
        if bound is None or bound < factor * dyadic(record["value"]):
            raise Wrong("the bound does not follow")
        self.bounds += 1
