"""From an ONNX file to the canonical graph: names, values, attributes, inputs and outputs (FORMAT.md section 2).

The rules of the operators are in folding.py, indexing.py, operators.py and windows.py, each a function
rule(importer, node) -> list of values. Promises that what no rule covers is refused by name.
"""
from collections import namedtuple
import onnx_wire
from exact import Refused, to_bits
from fractions import Fraction
from graph import Graph
from onnx_wire import BOOL, DOUBLE, FLOAT, INT64, INTEGERS, count

# kind: int (data: integers), float (data: bit patterns) or node (data: the node's number)
Value = namedtuple("Value", "kind shape data dtype")
GREATEST = {32: 0x7f7fffff, 64: 0x7fefffffffffffff}


class OnnxNode:
    """One ONNX node with checked access to operands and attributes."""

    def __init__(self, importer, raw):
        self.importer, self.op, self.opset = importer, raw["op_type"], importer.opset
        self.outputs = raw["output"]
        self.inputs = [importer.lookup(name) for name in raw["input"]]
        self.raw, self.seen = {}, set()
        for a in raw["attribute"]:
            if a["name"] in self.raw or a["ref_attr_name"] or a["g"] is not None:
                raise Refused("%s: attribute %s is repeated or refers elsewhere" % (self.op, a["name"]))
            self.raw[a["name"]] = a

    def operand(self, i):
        return self.inputs[i] if i < len(self.inputs) else None

    def need(self, least, most):
        if not least <= len(self.inputs) <= most or any(v is None for v in self.inputs[:least]):
            raise Refused("%s: wrong number of operands" % self.op)

    def take(self, name, field, default, first, last):
        self.seen.add(name)
        a = self.raw.get(name)
        if a is None:
            return default
        if not first <= self.opset <= last:
            raise Refused("%s: attribute %s is not of opset %d" % (self.op, name, self.opset))
        return a[field] if a[field] is not None else default

    def integer(self, name, default=None, first=1, last=99):
        return self.take(name, "i", default, first, last)

    def integers(self, name, default=None, first=1, last=99):
        return self.take(name, "ints", default, first, last)

    def text(self, name, default, first=1, last=99):
        value = self.take(name, "s", default, first, last)
        return value.decode() if isinstance(value, bytes) else value

    def real(self, name, default, first=1, last=99):
        """Bits in binary32."""
        return self.take(name, "f", default, first, last)

    def finish(self):
        left = set(self.raw) - self.seen
        if left:
            raise Refused("%s: unknown attribute %s" % (self.op, sorted(left)[0]))


class Importer:
    def __init__(self, data, shapes):
        self.model = onnx_wire.read(data)
        graph = self.model["graph"]
        if graph is None or not 3 <= (self.model["ir_version"] or 0) <= 11:
            raise Refused("no ONNX model of IR versions 3 to 11")
        versions = {o["version"] for o in self.model["opset_import"] if o["domain"] in (None, "", "ai.onnx")}
        if len(versions) != 1 or not 7 <= min(versions) <= 23:
            raise Refused("opset %s" % sorted(versions))
        if self.model["functions"] or graph["sparse_initializer"]:
            raise Refused("functions or sparse initializers")
        self.opset, self.values, self.shapes = versions.pop(), {}, shapes
        initial = {}
        for t in graph["initializer"]:
            if t["name"] in initial:
                raise Refused("tensor %s is defined twice" % t["name"])
            initial[t["name"]] = onnx_wire.tensor(t)
        free = [v for v in graph["input"] if v["name"] not in initial]
        kinds = {v["type"]["tensor_type"]["elem_type"] for v in free}
        if len(kinds) != 1 or not kinds <= {FLOAT, DOUBLE}:
            raise Refused("the free inputs have element types %s" % sorted(kinds))
        self.dtype = kinds.pop()
        self.element = 32 if self.dtype == FLOAT else 64
        self.graph = Graph(self.element)
        for name, (kind, dims, values) in initial.items():
            self.values[name] = self.constant(kind, dims, values)
        self.read_inputs(free)
        for raw in graph["node"]:
            self.run(raw)
        self.finish(graph["output"])

    def constant(self, kind, dims, values):
        if kind in INTEGERS:
            return Value("int", dims, values, kind)
        if kind != self.dtype:
            raise Refused("a float tensor is not of the graph's element type")
        return Value("float", dims, values, kind)

    def define(self, name, value):
        if not name or name in self.values:
            raise Refused("tensor %s is defined twice" % name)
        self.values[name] = value

    def lookup(self, name):
        if not name:
            return None
        if name not in self.values:
            raise Refused("tensor %s is not defined" % name)
        return self.values[name]

    def read_inputs(self, free):
        shapes = []
        for v in free:
            dims, override = [], self.shapes.get(v["name"])
            for i, d in enumerate((v["type"]["tensor_type"]["shape"] or {"dim": []})["dim"]):
                dims.append(d["dim_value"] if d["dim_value"] is not None else 1 if i == 0 and not override else None)
            if override:
                if len(override) != len(dims) or any(d not in (None, o) for d, o in zip(dims, override)):
                    raise Refused("the shape given for %s does not fit" % v["name"])
                dims = override
            if any(d is None or d < 1 for d in dims):
                raise Refused("input %s has open dimensions" % v["name"])
            shapes.append(dims)
        self.input_shapes = shapes
        self.graph.emit("input", [], sum(count(s) for s in shapes))
        at = 0
        for v, dims in zip(free, shapes):
            n = count(dims)
            number = 0 if len(free) == 1 else self.graph.emit_map([0], list(range(at, at + n)))
            self.define(v["name"], Value("node", dims, number, self.dtype))
            at += n

    def run(self, raw):
        from tables import RULES
        if raw["domain"] not in (None, "", "ai.onnx") or raw["op_type"] not in RULES:
            raise Refused("operator %s is not covered" % raw["op_type"])
        node = OnnxNode(self, raw)
        results = RULES[node.op](self, node)
        node.finish()
        for name in node.outputs[len(results):]:
            if name:
                raise Refused("%s: output %s is not covered" % (node.op, name))
        for name, value in zip(node.outputs, results):
            if name:
                self.define(name, value)

    def finish(self, outputs):
        values = [self.lookup(v["name"]) for v in outputs]
        numbers = []
        for v, value in zip(outputs, values):
            declared = v["type"]["tensor_type"]["shape"] if v["type"] and v["type"]["tensor_type"] else None
            dims = [d["dim_value"] for d in declared["dim"]] if declared else None
            if value.kind == "int" or dims is not None and (len(dims) != len(value.shape) or any(
                    d not in (None, e) for d, e in zip(dims, value.shape))):
                raise Refused("output %s is not as declared" % v["name"])
            numbers.append(self.materialise(value).data)
        if not numbers:
            raise Refused("no outputs")
        total = sum(self.graph.nodes[k].n for k in numbers)
        self.graph.finish(self.graph.emit_map(numbers, list(range(total))))

    # What the rules use.
    def materialise(self, value, shape=None):
        """A node for a value; a float constant becomes a new const node, broadcast to shape if given."""
        if value.kind == "int":
            raise Refused("an integer constant where a float tensor is needed")
        if value.kind == "node":
            return value
        if shape is not None:
            value = self.select([value], broadcast_indices(value.shape, shape), shape)
        return Value("node", value.shape, self.graph.emit("const", [], len(value.data), (), value.data), self.dtype)

    def select(self, values, indices, shape):
        """The elements `indices` of the concatenation: folded for constants, else one map."""
        kinds = {v.kind for v in values}
        if kinds == {"int"} or kinds == {"float"}:
            pool = [e for v in values for e in v.data]
            return Value(values[0].kind, shape, [pool[i] for i in indices], values[0].dtype)
        values = [self.materialise(v) for v in values]
        return Value("node", shape, self.graph.emit_map([v.data for v in values], indices), self.dtype)

    def emit(self, kind, operands, shape, ints=(), payload=()):
        number = self.graph.emit(kind, [v.data for v in operands], count(shape), ints, payload)
        return Value("node", shape, number, self.dtype)

    def widen(self, pattern32):
        """A binary32 attribute as bits of the element type."""
        if self.element == 32:
            return pattern32
        if pattern32 & 0x7fffffff == 0x7f800000:
            return (pattern32 >> 31) << 63 | 0x7ff << 52
        from exact import from_bits
        return to_bits(from_bits(pattern32, 32), 64) | (pattern32 >> 31) << 63

    def number(self, value):
        return to_bits(Fraction(value), self.element)


def strides(shape):
    out = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        out[i] = out[i + 1] * shape[i + 1]
    return out


def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a, b = [1] * (rank - len(a)) + list(a), [1] * (rank - len(b)) + list(b)
    if any(p != q and 1 not in (p, q) for p, q in zip(a, b)):
        raise Refused("shapes %s and %s do not broadcast" % (a, b))
    return [q if p == 1 else p for p, q in zip(a, b)]


def broadcast_indices(shape, target):
    """For every element of target the element of shape that it repeats."""
    pad = [1] * (len(target) - len(shape)) + list(shape)
    if len(shape) > len(target) or any(p not in (1, t) for p, t in zip(pad, target)):
        raise Refused("shape %s does not expand to %s" % (shape, target))
    steps = [0 if p == 1 else s for p, s in zip(pad, strides(pad))]
    out = [0]
    for t, s in zip(target, steps):
        out = [base + i * s for base in out for i in range(t)]
    return out


__all__ = ["BOOL", "INT64", "Importer", "Value", "broadcast_indices", "broadcast_shape", "strides"]
