"""Exact numbers of the second certificate checker: fractions, enclosures of irrational square roots, rounding.

Assumes nothing outside the Python standard library. Promises that no function here loses a bit: what cannot be a
fraction is an Enclosure, a pair of fractions with the true number between them. An infinite end is None.
"""
import re
import sys
from fractions import Fraction
from math import isqrt

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)                  # long numbers are limited here, by name

DECIMAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
DYADIC = re.compile(r"(-?[1-9][0-9]*)\*2\^(0|-?[1-9][0-9]*)\Z")
PRECISION = {32: (24, -149, 128), 64: (53, -1074, 1024)}   # bits, exponent of the least subnormal, 2^e overflows


class Refused(Exception):
    """Input that this program does not understand; the text names it."""


class Enclosure:
    """Some number in [lo, hi]; arithmetic with fractions and enclosures keeps the true result inside."""
    __slots__ = ("lo", "hi")

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __add__(self, other):
        lo, hi = ends(other)
        return Enclosure(self.lo + lo, self.hi + hi)

    def __mul__(self, other):
        lo, hi = ends(other)
        products = (self.lo * lo, self.lo * hi, self.hi * lo, self.hi * hi)
        return Enclosure(min(products), max(products))

    def __neg__(self):
        return Enclosure(-self.hi, -self.lo)

    __radd__, __rmul__ = __add__, __mul__


def ends(number):
    return (number.lo, number.hi) if isinstance(number, Enclosure) else (number, number)


def magnitude(number):
    """The greatest absolute value that an exact or enclosed number may have."""
    lo, hi = ends(number)
    return max(abs(lo), abs(hi))


def root(value):
    """The square root of a positive fraction: exact if it is rational, else enclosed to about 200 bits."""
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    shift = max(0, 400 - value.numerator.bit_length() + value.denominator.bit_length())
    shift += shift % 2
    whole = (value.numerator << shift) // value.denominator
    below = isqrt(whole)
    return Enclosure(Fraction(below, 1 << shift // 2), Fraction(below + 1, 1 << shift // 2))


def inverse(number):
    if isinstance(number, Enclosure):
        return Enclosure(1 / number.hi, 1 / number.lo)
    return 1 / number


def power(exponent):
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(value):
    """The e with 2^e <= value < 2^(e+1), for a positive fraction."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if power(e) <= value else e - 1


def nearest(value, element):
    """Round to nearest even, gradual underflow; None if the result overflows."""
    if value == 0:
        return Fraction(0)
    bits, least, top = PRECISION[element]
    unit = power(max(floor_log2(abs(value)) - bits + 1, least))
    rounded = round(value / unit) * unit           # round() of a fraction ties to even
    return rounded if abs(rounded) < power(top) else None


def from_bits(pattern, element):
    """The exact value of a finite floating point number given by its bits."""
    fraction_bits, width = (23, 8) if element == 32 else (52, 11)
    exponent = pattern >> fraction_bits & (1 << width) - 1
    mantissa = pattern & (1 << fraction_bits) - 1
    if exponent == (1 << width) - 1:
        raise Refused("a constant is NaN or infinite")
    bias = (1 << width - 1) - 1
    value = mantissa * power(1 - bias - fraction_bits) if exponent == 0 else (
        (mantissa + (1 << fraction_bits)) * power(exponent - bias - fraction_bits))
    return Fraction(-value if pattern >> element - 1 else value)


def to_bits(value, element, what="a number"):
    """The bits of a fraction that the element type represents exactly."""
    fraction_bits, width = (23, 8) if element == 32 else (52, 11)
    if nearest(value, element) != value:
        raise Refused(what + " is not representable")
    sign = 1 << element - 1 if value < 0 else 0
    value = abs(value)
    if value == 0:
        return 0
    bias = (1 << width - 1) - 1
    e = max(floor_log2(value), 1 - bias)
    scaled = int(value / power(e - fraction_bits))
    return sign | (scaled + (e + bias - 1 << fraction_bits))


def decimal(text, what="number"):
    if not DECIMAL.match(text) or sum(c.isdigit() for c in text.lower().split("e")[0]) > 10000:
        raise Refused("%s is no decimal number: %s" % (what, text[:40]))
    exponent = re.search(r"[eE]([-+]?[0-9]+)$", text)
    if exponent and abs(int(exponent.group(1))) > 20000:
        raise Refused("%s has an exponent out of reach: %s" % (what, text[:40]))
    return Fraction(text + "0" if text.endswith(".") else text.replace(".e", ".0e").replace(".E", ".0E"))


def dyadic(text):
    """m*2^e with m odd, or 0."""
    if text == "0":
        return Fraction(0)
    match = DYADIC.match(text) if isinstance(text, str) and len(text) < 20000 else None
    if not match or len(match.group(1).lstrip("-")) > 10000 or int(match.group(1)) % 2 == 0 or (
            abs(int(match.group(2))) > 20000):
        raise Refused("not of the form m*2^e with m odd: %s" % str(text)[:40])
    return int(match.group(1)) * power(int(match.group(2)))
