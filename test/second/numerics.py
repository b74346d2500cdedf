"""The figures of FORMAT.md section 3 behind the words of a numerics record.

Assumes nothing. Promises None for words that a claim does not allow.
"""
from collections import namedtuple
from exact import power

# Bits of precision, least and greatest exponent of normal numbers.
FORMATS = {"binary32": (24, -126, 127), "binary64": (53, -1022, 1023), "tf32": (11, -126, 127),
           "bfloat16": (8, -126, 127), "binary16": (11, -14, 15)}

# element: bits of the inputs, None over the reals; u2, eta2: of operands; flushed: the least normal number or 0.
Numerics = namedtuple("Numerics", "element u eta omega u2 eta2 flushed")
REAL = Numerics(None, 0, 0, None, 0, 0, 0)


def numerics(semantics, element, words):
    """words: format, rounding, subnormals, order, fusion."""
    if semantics == "real":
        return REAL if words == ["real"] + ["exact"] * 4 else None
    own = "binary%d" % element
    first, rounding, subnormals, order, fusion = words
    parts = first.split(" operands=")
    fits = parts[0] == own and [order, fusion] == ["any", "any"]
    if semantics == "capsule":
        fits = (fits and rounding in ("nearest_even", "any") and subnormals in ("gradual", "flush")
                and parts[1:] in ([], ["tf32"], ["bfloat16"], ["binary16"]))
    else:
        fits = fits and len(parts) == 1 and [rounding, subnormals] == ["nearest_even", "gradual"]
    if not fits:
        return None
    twice = 2 if rounding == "any" else 1
    used = [FORMATS[name] for name in parts]
    scales = [(twice * power(-bits), twice * power(least + 1 - bits)) for bits, least, _ in used]
    return Numerics(element, *scales[0], power(min(greatest for _, _, greatest in used)),
                    *(scales[1] if len(parts) == 2 else (0, 0)),
                    power(max(least for _, least, _ in used)) if subnormals == "flush" else 0)
