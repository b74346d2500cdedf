"""Reads VNN-LIB 1.0: declarations of X_i and Y_j, assertions of and, or, comparisons and linear terms.

Promises the cases in the order of FORMAT.md section 4. Anything else in the file is refused by name.
"""
import re
from cases import make_case, make_property
from exact import DECIMAL, Refused, decimal

TOKEN = re.compile(r"\s*(?:;[^\n]*|([()]|[^\s();]+))")
LIMIT = 10 ** 6


def parse(text):
    """Nested lists of words."""
    stack, at = [[]], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match or match.end() == at:
            if text[at:].strip():
                raise Refused("VNN-LIB: unreadable text")
            break
        at = match.end()
        word = match.group(1)
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) < 2:
                raise Refused("VNN-LIB: too many closing parentheses")
            done = stack.pop()
            stack[-1].append(done)
        elif word:
            stack[-1].append(word)
    if len(stack) != 1:
        raise Refused("VNN-LIB: an open parenthesis")
    return stack[0]


class Reader:
    def __init__(self, inputs, outputs):
        self.declared, self.size = set(), {"X": inputs, "Y": outputs}

    def declare(self, form):
        sort = form[2:] if form[0] == "declare-const" else form[3:] if form[2:3] == [[]] else []
        match = re.match(r"([XY])_(0|[1-9][0-9]*)\Z", form[1]) if sort and isinstance(form[1], str) else None
        if not match or sort != ["Real"] or form[1] in self.declared:
            raise Refused("VNN-LIB: declaration %s" % form)
        if int(match.group(2)) >= self.size[match.group(1)]:
            raise Refused("VNN-LIB: %s is more than the model has" % form[1])
        self.declared.add(form[1])

    def term(self, e):
        """(x coefficients, y coefficients, constant)"""
        if isinstance(e, str):
            if e in self.declared:
                key = int(e[2:])
                return ({key: decimal("1")}, {}, decimal("0")) if e[0] == "X" else ({}, {key: decimal("1")},
                                                                                    decimal("0"))
            if not DECIMAL.match(e):
                raise Refused("VNN-LIB: %s is neither declared nor a number" % e)
            return {}, {}, decimal(e)
        if len(e) < 2 or e[0] not in ("+", "-", "*"):
            raise Refused("VNN-LIB: term %s" % str(e)[:60])
        parts = [self.term(p) for p in e[1:]]
        if e[0] == "*":
            total = parts[0]
            for p in parts[1:]:
                if (p[0] or p[1]) and (total[0] or total[1]):
                    raise Refused("VNN-LIB: a product of variables")
                linear, factor = (p, total[2]) if p[0] or p[1] else (total, p[2])
                total = scaled(linear, factor)
            return total
        if e[0] == "-":
            parts = [scaled(parts[0], -1)] if len(parts) == 1 else parts[:1] + [scaled(p, -1) for p in parts[1:]]
        total = parts[0]
        for p in parts[1:]:
            total = (merged(total[0], p[0]), merged(total[1], p[1]), total[2] + p[2])
        return total

    def alternatives(self, e):
        """The disjunctive normal form: a list of lists of comparisons."""
        if not isinstance(e, list) or not e or not isinstance(e[0], str):
            raise Refused("VNN-LIB: formula %s" % str(e)[:60])
        if e[0] in ("and", "or") and len(e) < 2:
            raise Refused("VNN-LIB: %s of nothing" % e[0])
        if e[0] == "and":
            return self.product([self.alternatives(p) for p in e[1:]])
        if e[0] == "or":
            out = [a for p in e[1:] for a in self.alternatives(p)]
            if len(out) > LIMIT:
                raise Refused("VNN-LIB: too many cases")
            return out
        if e[0] not in ("<=", "<", ">=", ">", "==", "=") or len(e) != 3:
            raise Refused("VNN-LIB: formula %s" % str(e)[:60])
        a, b = self.term(e[1]), self.term(e[2])
        less, greater = difference(a, b), difference(b, a)
        if e[0] in ("==", "="):
            return [[(False,) + less, (False,) + greater]]
        return [[(len(e[0]) == 1,) + (less if e[0][0] == "<" else greater)]]

    def product(self, factors):
        out = [[]]
        for factor in factors:
            if len(out) * len(factor) > LIMIT:
                raise Refused("VNN-LIB: too many cases")
            out = [a + b for a in out for b in factor]
        return out


def scaled(t, factor):
    return {k: v * factor for k, v in t[0].items()}, {k: v * factor for k, v in t[1].items()}, t[2] * factor


def merged(a, b):
    out = dict(a)
    for k, v in b.items():
        out[k] = out.get(k, 0) + v
    return out


def difference(a, b):
    minus = scaled(b, -1)
    x, y = merged(a[0], minus[0]), merged(a[1], minus[1])
    return {k: v for k, v in x.items() if v}, {k: v for k, v in y.items() if v}, a[2] + minus[2]


def read(data, inputs, outputs):
    """The property of a VNN-LIB file for a model of so many inputs and outputs."""
    reader, factors = Reader(inputs, outputs), []
    for form in parse(data.decode()):
        if isinstance(form, list) and form[:1] in (["declare-const"], ["declare-fun"]):
            reader.declare(form)
        elif isinstance(form, list) and form[:1] == ["assert"] and len(form) == 2:
            factors.append(reader.alternatives(form[1]))
        else:
            raise Refused("VNN-LIB: %s" % str(form)[:60])
    if not factors or len(reader.declared) != inputs + outputs:
        raise Refused("VNN-LIB: declarations do not match the model")
    cases = [make_case(c, inputs) for c in reader.product(factors)]
    return make_property(inputs, outputs, [c for c in cases if c is not None])
