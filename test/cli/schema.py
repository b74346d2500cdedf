"""A validator for the part of JSON Schema (draft 2020-12) that our schema files use. Promises: a keyword it does not
know is an error, so a schema can never be stricter than what is tested."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, root=None, where="$"):
    """Everything in value that the schema does not allow, as texts."""
    root = root or schema
    out = []
    for key, rule in schema.items():
        if key in ANNOTATIONS:
            continue
        if key == "$ref":
            target = root
            for part in rule.lstrip("#/").split("/"):
                target = target[part]
            out += faults(value, target, root, where)
        elif key == "const":
            if value != rule:
                out.append("%s: %r is not %r" % (where, value, rule))
        elif key == "enum":
            if value not in rule:
                out.append("%s: %r is none of %r" % (where, value, rule))
        elif key == "type":
            if not any(is_type(value, t) for t in ([rule] if isinstance(rule, str) else rule)):
                out.append("%s: %r is no %s" % (where, value, rule))
        elif key == "required":
            if isinstance(value, dict):
                out += ["%s: %s is missing" % (where, k) for k in rule if k not in value]
        elif key == "properties":
            if isinstance(value, dict):
                for k, sub in rule.items():
                    if k in value:
                        out += faults(value[k], sub, root, where + "." + k)
        elif key == "additionalProperties":
            further = [k for k in value if k not in schema.get("properties", {})] if isinstance(value, dict) else []
            if rule is False:
                out += ["%s: unknown key %s" % (where, k) for k in further]
            else:
                for k in further:
                    out += faults(value[k], rule, root, where + "." + k)
        elif key == "items":
            if isinstance(value, list):
                for i, item in enumerate(value):
                    out += faults(item, rule, root, "%s[%d]" % (where, i))
        elif key in ("minItems", "maxItems"):
            if isinstance(value, list) and (len(value) < rule if key == "minItems" else len(value) > rule):
                out.append("%s: %d items" % (where, len(value)))
        elif key == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                out.append("%s: %r does not match %s" % (where, value, rule))
        elif key == "minimum":
            if is_type(value, "number") and value < rule:
                out.append("%s: %r is below %r" % (where, value, rule))
        else:
            raise ValueError("keyword " + key + " is not understood")
    return out
