"""Reads an ONNX file (a protocol buffer message) into dictionaries, without any generated code.

Assumes the field numbers of onnx.proto3. Promises to refuse wire types and fields that are not in the tables below.
"""
import struct
from exact import Refused

# field number: (name, type, repeated); a type is a basic one or the name of another table
MODEL = {1: ("ir_version", "int", 0), 2: ("producer_name", "text", 0), 3: ("producer_version", "text", 0),
         4: ("domain", "text", 0), 5: ("model_version", "int", 0), 6: ("doc_string", "text", 0),
         7: ("graph", "GRAPH", 0), 8: ("opset_import", "OPSET", 1), 14: ("metadata_props", "bytes", 1),
         20: ("training_info", "bytes", 1), 25: ("functions", "bytes", 1)}
OPSET = {1: ("domain", "text", 0), 2: ("version", "int", 0)}
GRAPH = {1: ("node", "NODE", 1), 2: ("name", "text", 0), 5: ("initializer", "TENSOR", 1), 10: ("doc_string", "text", 0),
         11: ("input", "VALUE", 1), 12: ("output", "VALUE", 1), 13: ("value_info", "bytes", 1),
         14: ("quantization_annotation", "bytes", 1), 15: ("sparse_initializer", "bytes", 1),
         16: ("metadata_props", "bytes", 1)}
NODE = {1: ("input", "text", 1), 2: ("output", "text", 1), 3: ("name", "text", 0), 4: ("op_type", "text", 0),
        5: ("attribute", "ATTRIBUTE", 1), 6: ("doc_string", "text", 0), 7: ("domain", "text", 0),
        8: ("overload", "text", 0), 9: ("metadata_props", "bytes", 1)}
ATTRIBUTE = {1: ("name", "text", 0), 2: ("f", "fixed32", 0), 3: ("i", "int", 0), 4: ("s", "bytes", 0),
             5: ("t", "TENSOR", 0), 6: ("g", "bytes", 0), 7: ("floats", "fixed32", 1), 8: ("ints", "int", 1),
             9: ("strings", "bytes", 1), 13: ("doc_string", "text", 0), 20: ("type", "int", 0),
             21: ("ref_attr_name", "text", 0)}
TENSOR = {1: ("dims", "int", 1), 2: ("data_type", "int", 0), 4: ("float_data", "fixed32", 1),
          5: ("int32_data", "int", 1), 7: ("int64_data", "int", 1), 8: ("name", "text", 0), 9: ("raw_data", "bytes", 0),
          10: ("double_data", "fixed64", 1), 11: ("uint64_data", "int", 1), 12: ("doc_string", "text", 0),
          13: ("external_data", "bytes", 1), 14: ("data_location", "int", 0)}
VALUE = {1: ("name", "text", 0), 2: ("type", "TYPE", 0), 3: ("doc_string", "text", 0),
         4: ("metadata_props", "bytes", 1)}
TYPE = {1: ("tensor_type", "TENSOR_TYPE", 0), 6: ("denotation", "text", 0)}
TENSOR_TYPE = {1: ("elem_type", "int", 0), 2: ("shape", "SHAPE", 0)}
SHAPE = {1: ("dim", "DIM", 1)}
DIM = {1: ("dim_value", "int", 0), 2: ("dim_param", "text", 0), 3: ("denotation", "text", 0)}
TABLES = {"OPSET": OPSET, "GRAPH": GRAPH, "NODE": NODE, "ATTRIBUTE": ATTRIBUTE, "TENSOR": TENSOR, "VALUE": VALUE,
          "TYPE": TYPE, "TENSOR_TYPE": TENSOR_TYPE, "SHAPE": SHAPE, "DIM": DIM}
WIRE = {"int": 0, "fixed64": 1, "fixed32": 5}

FLOAT, DOUBLE = 1, 11
# data type: (struct letter, least, greatest)
INTEGERS = {2: ("B", 0, 255), 3: ("b", -128, 127), 4: ("H", 0, 65535), 5: ("h", -32768, 32767),
            6: ("i", -2 ** 31, 2 ** 31 - 1), 7: ("q", -2 ** 63, 2 ** 63 - 1), 9: ("B", 0, 1),
            12: ("I", 0, 2 ** 32 - 1), 13: ("Q", 0, 2 ** 64 - 1)}
BOOL, INT64 = 9, 7


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Refused("the ONNX file is truncated or damaged")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & 2 ** 64 - 1, at


def signed(value):
    return value - 2 ** 64 if value >> 63 else value


def scalar(kind, data, at):
    if kind == "int":
        value, at = varint(data, at)
        return signed(value), at
    width = 4 if kind == "fixed32" else 8
    if at + width > len(data):
        raise Refused("the ONNX file is truncated")
    return int.from_bytes(data[at:at + width], "little"), at + width


def message(data, table):
    """A dictionary with every field of the table: a list if repeated, else a value or None."""
    out = {name: [] if repeated else None for name, _, repeated in table.values()}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if key >> 3 not in table:
            raise Refused("the ONNX file has an unknown field %d" % (key >> 3))
        name, kind, repeated = table[key >> 3]
        if wire == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise Refused("the ONNX file is truncated")
            body, at = data[at:at + size], at + size
            if kind in WIRE:                                       # packed numbers
                where = 0
                while where < len(body):
                    value, where = scalar(kind, body, where)
                    out[name].append(value)
                continue
            value = body if kind == "bytes" else body.decode() if kind == "text" else message(body, TABLES[kind])
        elif WIRE.get(kind) == wire:
            value, at = scalar(kind, data, at)
        else:
            raise Refused("the ONNX field %s has the wrong wire type" % name)
        if repeated:
            out[name].append(value)
        elif out[name] is not None and kind in TABLES:
            raise Refused("the ONNX field %s is given twice" % name)
        else:
            out[name] = value
    return out


def count(dims):
    n = 1
    for d in dims:
        n *= d
    return n


def tensor(t):
    """(data type, shape, values): bit patterns of float types, integers of the others."""
    kind, dims = t["data_type"], t["dims"]
    if any(d < 0 for d in dims) or t["external_data"] or t["data_location"]:
        raise Refused("a tensor has negative dimensions or external data")
    n = count(dims)
    if kind in (FLOAT, DOUBLE):
        letter, field = ("I", "float_data") if kind == FLOAT else ("Q", "double_data")
    elif kind in INTEGERS:
        letter = INTEGERS[kind][0]
        field = "int64_data" if kind == INT64 else "uint64_data" if kind in (12, 13) else "int32_data"
    else:
        raise Refused("a tensor has the data type %s" % kind)
    if t["raw_data"] is not None and len(t["raw_data"]):
        if len(t["raw_data"]) != n * struct.calcsize("<" + letter):
            raise Refused("a tensor's data has the wrong size")
        values = list(struct.unpack("<%d%s" % (n, letter), t["raw_data"]))
    else:
        values = [v & 2 ** 64 - 1 if kind == 13 else v for v in t[field]]
    if len(values) != n or kind in INTEGERS and any(not INTEGERS[kind][1] <= v <= INTEGERS[kind][2] for v in values):
        raise Refused("a tensor's data has the wrong size or a value out of its type")
    return kind, list(dims), values


def read(data):
    return message(data, MODEL)
