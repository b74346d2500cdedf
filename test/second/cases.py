"""Properties as lists of cases, and their digest (FORMAT.md section 4).

Assumes exact comparisons from vnnlib.py or radius.py. Promises boxes, rows and emptiness exactly as that section says.
"""
import hashlib
from collections import namedtuple
from exact import Refused
from math import gcd

# bounds: per input (lo, lo strict, hi, hi strict); rows: (strict, {output: integer}, integer constant)
Case = namedtuple("Case", "bounds rows")
# target_none: only a box, no case (claim `bound`)
Property = namedtuple("Property", "inputs outputs cases boxes target_none digest")


def tighter(old, new, lower):
    """The stronger of two bounds (value, strict); a strict one wins over an equal non-strict one."""
    if old is None or new[0] != old[0]:
        return new if old is None or (new[0] > old[0]) == lower else old
    return old[0], old[1] or new[1]


def contradictory(lo, hi):
    return lo is not None and hi is not None and (lo[0] > hi[0] or lo[0] == hi[0] and (lo[1] or hi[1]))


def integer_row(strict, coefficients, constant):
    """Scaled by the positive rational that makes all numbers integers with gcd 1."""
    numbers = list(coefficients.values()) + [constant]
    scale, common = 1, 0
    for v in numbers:
        scale = scale * v.denominator // gcd(scale, v.denominator)
    for v in numbers:
        common = gcd(common, int(v * scale))
    return strict, {j: int(v * scale) // common for j, v in sorted(coefficients.items())}, int(
        constant * scale) // common


def make_case(comparisons, inputs):
    """A case of comparisons (strict, {x: a}, {y: b}, c), each meaning sum + c <= 0 or < 0; None if it is empty."""
    lower, upper, rows, empty = [None] * inputs, [None] * inputs, [], False
    for strict, xs, ys, constant in comparisons:
        if not xs and not ys:
            empty = empty or constant > 0 or constant == 0 and strict
        elif not ys and len(xs) == 1:
            (i, a), = xs.items()
            side = upper if a > 0 else lower
            side[i] = tighter(side[i], (-constant / a, strict), a < 0)
        elif xs:
            raise Refused("a comparison of several inputs, or of inputs and outputs")
        else:
            rows.append(integer_row(strict, ys, constant))
    for i in range(inputs):
        if lower[i] is None or upper[i] is None:
            raise Refused("input %d lacks a bound" % i)
    empty = empty or any(contradictory(lo, hi) for lo, hi in zip(lower, upper))
    low, high = {}, {}
    for strict, ys, constant in rows:
        if len(ys) == 1:
            (j, b), = ys.items()
            from fractions import Fraction
            side = high if b > 0 else low
            side[j] = tighter(side.get(j), (Fraction(-constant, b), strict), b < 0)
    empty = empty or any(contradictory(low[j], high.get(j)) for j in low)
    if empty:
        return None
    return Case([lo + hi for lo, hi in zip(lower, upper)], rows)


def box_text(bounds):
    return "".join("%s%s %s%s\n" % (lo, "!" * ls, hi, "!" * hs) for lo, ls, hi, hs in bounds)


def make_property(inputs, outputs, cases, box=None):
    """The property of the nonempty cases; `box` alone for a query without a target."""
    text = ["outward-property-1\n", "inputs %d outputs %d\n" % (inputs, outputs)]
    if box is not None:
        text += ["bound\n", box_text(box)]
    boxes = [] if box is None else [box]
    seen = set()
    for case in cases:
        lines = box_text(case.bounds)
        text += ["case\n", lines]
        for strict, ys, constant in case.rows:
            text.append(("< " if strict else "<= ") + "".join("%d:%d " % item for item in sorted(ys.items()))
                        + "%d\n" % constant)
        if lines not in seen:
            seen.add(lines)
            boxes.append(case.bounds)
    digest = hashlib.sha256("".join(text).encode()).hexdigest()
    return Property(inputs, outputs, cases, boxes, box is not None, digest)
