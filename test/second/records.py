"""The file of FORMAT.md section 7: strict JSON Lines with a closed schema, and its footer.

Promises that every record returned has exactly the keys of its kind, in order, with values of the right form, and that
the text is the only spelling of it. Anything else is a Malformed with the line.
"""
import base64
import hashlib
import json
import re
from exact import DECIMAL, Refused, dyadic


class Malformed(Exception):
    pass


class Unsupported(Exception):
    pass


def text(v):
    return isinstance(v, str)


def whole(v):
    return isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 1 << 63


def one_of(*words):
    return lambda v: v in words


def listed(form):
    return lambda v: isinstance(v, list) and all(form(e) for e in v)


def digest(v):
    return text(v) and re.match(r"[0-9a-f]{64}\Z", v) is not None


def pattern(v):
    return text(v) and re.match(r"(?:[0-9a-f]{8}|[0-9a-f]{16})\Z", v) is not None


def exact(v):
    try:
        dyadic(v)
        return True
    except Refused:
        return False


def number(v):
    return text(v) and DECIMAL.match(v) is not None


def number_or_empty(v):
    return v == "" or number(v)


def slope_bytes(v):
    """The bytes of base64 text in its only spelling, or None."""
    try:
        out = base64.b64decode(v, validate=True)
        return out if base64.b64encode(out).decode() == v else None
    except ValueError:
        return None


def record(**keys):
    return lambda v: isinstance(v, dict) and list(v) == list(keys) and all(keys[k](v[k]) for k in keys)


def pair(v):
    return v == [] or listed(number)(v) and len(v) == 2


def index_list(v):
    """The elements of a list of increasing items a or a-b in maximal runs, or None."""
    out = []
    for item in v.split(",") if v else []:
        match = re.match(r"(0|[1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?\Z", item)
        if not match:
            return None
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        if match.group(2) and last <= first or out and first <= out[-1] + 1 or last - first > 1 << 22:
            return None
        out += range(first, last + 1)
    return out


FLOATS = ("real", "fp32_any", "fp64_any")
CLAIMS = FLOATS + ("capsule",)
SCHEMA = {
    "header": [dict(format=one_of("outward-certificate"), version=whole, claim=text, semantics=text, producer=text)],
    "model": [dict(files=listed(record(path=text, bytes=whole, sha256=digest)),
                   shapes=listed(record(input=text, dims=listed(whole))), element=text,
                   inputs=whole, outputs=whole, nodes=whole, graph=digest)],
    "property": [dict(kind=one_of("vnnlib"), path=text, sha256=digest, cases=whole, boxes=whole, digest=digest),
                 dict(kind=one_of("radius"), centre=listed(pattern), radius=number, scale=number_or_empty,
                      mean=listed(number), std=listed(number), layout=one_of("nchw", "nhwc", ""), clip=pair,
                      target=one_of("label", "range", "deviation", "none"), label=whole, range=pair,
                      deviation=number_or_empty, cases=whole, boxes=whole, digest=digest)],
    "numerics": [dict(format=text, rounding=text, subnormals=text, order=text, fusion=text)],
    "capsules": [dict(profile=text, names=listed(text), sha256=listed(digest))],
    "box": [dict(box=whole)],
    "slopes": [dict(id=whole, node=whole, lower=text, upper=text)],
    "step": [dict(node=whole, method=one_of("interval")),
             dict(node=whole, method=one_of("backward"), lower=text, upper=text, slopes=listed(whole))],
    "refute": [{"case": whole, "rows": listed(whole), "lambda": listed(exact), "slopes": listed(whole),
                "ranges": listed(record(node=whole, element=whole, value=exact))}],
    "split": [dict(node=whole, element=whole, at=exact)],
    "crossed": [dict(node=whole, element=whole)],
    "close": [{}], "open": [{}],
    "point": [dict(case=whole, values=listed(text))],
    "bound": [dict(output=whole, side=text, value=exact, slopes=listed(whole))],
    "footer": [dict(records=whole, sha256=digest)],
}


def spelled(v):
    """The only spelling of a value."""
    if isinstance(v, dict):
        return "{" + ",".join(spelled(k) + ":" + spelled(e) for k, e in v.items()) + "}"
    if isinstance(v, list):
        return "[" + ",".join(spelled(e) for e in v) + "]"
    if isinstance(v, str):
        out = v.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + re.sub(r"[\x00-\x1f]", lambda m: "\\u%04x" % ord(m.group()), out) + '"'
    return str(v)


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def wrong(what):
    def fail(_):
        raise ValueError(what)
    return fail


def parse(line):
    """One record from one line without its end."""
    try:
        v = json.loads(line, object_pairs_hook=unique, parse_float=wrong("a fraction"), parse_constant=wrong("NaN"))
    except (ValueError, RecursionError) as e:
        raise Malformed(str(e))
    if not isinstance(v, dict) or list(v)[:1] != ["record"] or not text(v["record"]) or v["record"] not in SCHEMA:
        raise Malformed("no record of this name is known")
    if v["record"] == "header" and v.get("format") == "outward-certificate" and whole(v.get("version")) and (
            v["version"] != 3):
        raise Unsupported("version %d" % v["version"])
    if v["record"] == "header" and (v.get("claim") not in ("holds", "violated", "bound")
                                    or v.get("semantics") not in CLAIMS):
        if record(record=text, **SCHEMA["header"][0])(v):
            raise Unsupported("the claim or semantics of the header")
    if not any(record(record=text, **keys)(v) for keys in SCHEMA[v["record"]]):
        raise Malformed("keys or values are not those of a %s record" % v["record"])
    if line != spelled(v):
        raise Malformed("not the only spelling of this record")
    return v


def read(data):
    """(records before the footer as (line, record), None or what is wrong with the end of the file)"""
    if data and data[:1] != b"{":
        raise Unsupported("no Outward certificate")
    out, at, number = [], 0, 0
    while at < len(data):
        number += 1
        end = data.find(b"\n", at)
        try:
            if end < 0:
                raise Malformed("the last line has no end")
            r = parse(data[at:end].decode())
        except (Malformed, UnicodeDecodeError) as e:
            raise Malformed("line %d: %s" % (number, e))
        if r["record"] == "footer":
            wrong_footer = r["records"] != len(out) or r["sha256"] != hashlib.sha256(data[:at]).hexdigest()
            return out, "the footer does not match the file" if wrong_footer else (
                "bytes follow the footer" if end + 1 < len(data) else None)
        out.append((number, r))
        at = end + 1
    if not out:
        raise Malformed("an empty file")
    return out, "the footer is missing"
