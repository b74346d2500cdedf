"""The canonical graph of FORMAT.md section 1: nodes, exact constants, digest.

Assumes that whoever adds nodes obeys section 2. Promises the digest of exactly the nodes that are kept.
"""
import hashlib
import struct
from exact import Refused, from_bits

KINDS = ["input", "const", "map", "dense", "conv", "reduce", "bn", "add", "shift", "scale", "divide", "neg", "relu",
         "leaky", "clip", "abs", "max"]
LINEAR = set(KINDS[1:12])
CONTRACTION = {"dense", "conv", "reduce"}
LIMIT = 1 << 22


class Node:
    """kind (a name of KINDS), operands, n elements, ints, payload as bit patterns and as exact fractions."""

    def __init__(self, kind, operands, n, ints, payload, element):
        self.kind, self.operands, self.n, self.ints, self.payload = kind, operands, n, ints, payload
        self.values = [from_bits(p, element) for p in payload]

    def parts(self, *sizes):
        """The payload cut into parts of the given sizes."""
        at, out = 0, []
        for size in sizes:
            out.append(self.values[at:at + size])
            at += size
        return out


class Graph:
    def __init__(self, element):
        self.element, self.nodes, self.output = element, [], None

    def emit(self, kind, operands, n, ints=(), payload=()):
        if n > LIMIT or len(self.nodes) > 1 << 20:
            raise Refused("the model is larger than this program reads")
        self.nodes.append(Node(kind, list(operands), n, list(ints), list(payload), self.element))
        return len(self.nodes) - 1

    def emit_map(self, operands, indices):
        """A map, or the operand itself where the map would be the identity."""
        if len(operands) == 1 and indices == list(range(self.nodes[operands[0]].n)):
            return operands[0]
        return self.emit("map", operands, len(indices), indices)

    def finish(self, output):
        """Keeps what the output depends on, and node 0."""
        needed = {0, output}
        for k in range(len(self.nodes) - 1, -1, -1):
            if k in needed:
                needed.update(self.nodes[k].operands)
        number = {}
        for k in sorted(needed):
            number[k] = len(number)
        self.nodes = [self.nodes[k] for k in sorted(needed)]
        for node in self.nodes:
            node.operands = [number[p] for p in node.operands]
        self.output = number[output]

    def digest(self):
        out = [b"outward-graph-1\n", struct.pack("<2q", self.element, len(self.nodes))]
        letter = "I" if self.element == 32 else "Q"
        for node in self.nodes:
            words = [KINDS.index(node.kind), len(node.operands)] + node.operands + [node.n, len(node.ints)]
            words += node.ints + [len(node.payload)]
            out.append(struct.pack("<%dq" % len(words), *words))
            out.append(struct.pack("<%d%s" % (len(node.payload), letter), *node.payload))
        out.append(struct.pack("<q", self.output))
        return hashlib.sha256(b"".join(out)).hexdigest()
