// Decoding of the ONNX messages; see onnx_model.hpp. Field numbers are those of onnx.proto
// (IR version 11). Fields without meaning for an execution are named as skipped, all others are
// read or refused.
#include "checker/readers/onnx_model.hpp"

namespace outward_check::onnx {
namespace {

void decode_string_pair(Span bytes, std::vector<std::pair<std::string, std::string>>* out) {
  auto& pair = out->emplace_back();
  for (Wire wire(bytes, "StringStringEntryProto", {}); wire.next();) {
    switch (wire.field()) {
      case 1: pair.first = wire.text(); break;
      case 2: pair.second = wire.text(); break;
      default: wire.unknown();
    }
  }
}

Tensor decode_tensor(Span bytes) {
  Tensor t;
  for (Wire wire(bytes, "TensorProto", {1, 4, 5, 6, 7, 10, 11, 13, 16}); wire.next();) {
    const unsigned field = wire.field();
    if ((field >= 4 && field <= 7) || (field >= 9 && field <= 11)) t.data_fields |= 1u << field;
    switch (field) {
      case 1: wire.append_integers(&t.shape); break;
      case 2: t.type = static_cast<int>(wire.integer()); break;
      case 4: wire.append_reals<float>(&t.reals); break;
      case 5: case 7: case 11: wire.append_integers(&t.integers); break;
      case 6: break;  // string data: no type held here uses it, so data_fields refuses it
      case 8: t.name = wire.text(); break;
      case 9: t.raw = wire.bytes(); break;
      case 10: wire.append_reals<double>(&t.reals); break;
      case 12: case 16: break;  // doc_string, metadata_props
      case 13: decode_string_pair(wire.bytes(), &t.location); break;
      case 14:
        if (wire.integer() != 0 && wire.integer() != 1) wire.fail("unknown data location");
        t.external = wire.integer() == 1;
        break;
      default: wire.unknown();  // also segment: tensors in pieces
    }
  }
  return t;
}

Attribute decode_attribute(Span bytes) {
  Attribute a;
  Wire wire(bytes, "AttributeProto", {7, 8, 9, 10, 11, 15, 23});
  while (wire.next()) {
    const unsigned field = wire.field();
    if (field >= 2 && field <= 11) a.fields |= 1u << field;
    switch (field) {
      case 1: a.name = wire.text(); break;
      case 2: a.real = wire.real32(); break;
      case 3: a.integer = wire.integer(); break;
      case 4: a.text = wire.text(); break;
      case 5: a.tensor = std::make_shared<Tensor>(decode_tensor(wire.bytes())); break;
      case 7: wire.append_reals<float>(&a.reals); break;
      case 8: wire.append_integers(&a.integers); break;
      // Subgraphs, strings, tensors, sparse tensors, types: no operator here takes them; the
      // attribute is refused by name and type, so the content is not looked at.
      case 6: case 9: case 10: case 11: case 14: case 15: case 22: case 23: break;
      case 13: break;  // doc_string
      case 20: a.type = static_cast<int>(wire.integer()); break;
      default: wire.unknown();  // also ref_attr_name: only local functions have it
    }
  }
  return a;
}

OnnxNode decode_node(Span bytes) {
  OnnxNode n;
  for (Wire wire(bytes, "NodeProto", {1, 2, 5, 9}); wire.next();) {
    switch (wire.field()) {
      case 1: n.inputs.push_back(wire.text()); break;
      case 2: n.outputs.push_back(wire.text()); break;
      case 3: n.name = wire.text(); break;
      case 4: n.op = wire.text(); break;
      case 5: n.attributes.push_back(decode_attribute(wire.bytes())); break;
      case 6: case 9: break;  // doc_string, metadata_props
      case 7: n.domain = wire.text(); break;
      case 8: n.overload = wire.text(); break;
      default: wire.unknown();
    }
  }
  return n;
}

std::optional<std::int64_t> decode_dimension(Span bytes) {
  std::optional<std::int64_t> value;
  for (Wire wire(bytes, "TensorShapeProto.Dimension", {}); wire.next();) {
    switch (wire.field()) {
      case 1: value = wire.integer(); break;
      case 2: case 3: break;  // dim_param, denotation
      default: wire.unknown();
    }
  }
  return value;
}

void decode_type(Span bytes, ValueInfo* info) {
  for (Wire wire(bytes, "TypeProto", {}); wire.next();) {
    if (wire.field() == 6) continue;                   // denotation
    if (wire.field() != 1) wire.fail("not a tensor");  // sequence, map, optional, sparse tensor
    for (Wire tensor(wire.bytes(), "TypeProto.Tensor", {}); tensor.next();) {
      switch (tensor.field()) {
        case 1: info->type = static_cast<int>(tensor.integer()); break;
        case 2:
          info->has_shape = true;
          for (Wire shape(tensor.bytes(), "TensorShapeProto", {1}); shape.next();) {
            if (shape.field() != 1) shape.unknown();
            info->shape.push_back(decode_dimension(shape.bytes()));
            if (info->shape.size() > kMaxRank) shape.fail("rank above the limit of 16");
          }
          break;
        default: tensor.unknown();
      }
    }
  }
}

ValueInfo decode_value_info(Span bytes) {
  ValueInfo info;
  for (Wire wire(bytes, "ValueInfoProto", {4}); wire.next();) {
    switch (wire.field()) {
      case 1: info.name = wire.text(); break;
      case 2: decode_type(wire.bytes(), &info); break;
      case 3: case 4: break;  // doc_string, metadata_props
      default: wire.unknown();
    }
  }
  return info;
}

void decode_graph(Span bytes, Model* model) {
  for (Wire wire(bytes, "GraphProto", {1, 5, 11, 12, 13, 14, 15, 16}); wire.next();) {
    switch (wire.field()) {
      case 1:
        if (model->nodes.size() == kMaxNodes) over_limit("more than 2^20 nodes");
        model->nodes.push_back(decode_node(wire.bytes()));
        break;
      case 5: model->initializers.push_back(decode_tensor(wire.bytes())); break;
      case 11: model->inputs.push_back(decode_value_info(wire.bytes())); break;
      case 12: model->outputs.push_back(decode_value_info(wire.bytes())); break;
      case 2: case 10: case 13: case 16: break;  // name, doc_string, value_info, metadata_props
      case 14: wire.fail("quantization annotations are not supported");
      case 15: wire.fail("sparse initializers are not supported");
      default: wire.unknown();
    }
  }
}

// Gives the version of the default domain; 0 for another domain, which nothing may use.
std::int64_t decode_opset(Span bytes) {
  std::string domain;
  std::int64_t version = 0;
  for (Wire wire(bytes, "OperatorSetIdProto", {}); wire.next();) {
    switch (wire.field()) {
      case 1: domain = wire.text(); break;
      case 2: version = wire.integer(); break;
      default: wire.unknown();
    }
  }
  if (!domain.empty() && domain != "ai.onnx") return 0;
  if (version < 7 || version > 23) {
    unsupported("opset version " + std::to_string(version) + ", supported are 7 to 23");
  }
  return version;
}

}  // namespace

Model decode_model(Span file) {
  Model model;
  std::int64_t ir_version = 0;
  Span graph;
  for (Wire wire(file, "ModelProto", {8, 14, 20, 25, 26}); wire.next();) {
    switch (wire.field()) {
      case 1: ir_version = wire.integer(); break;
      case 2: case 3: case 4: case 5: case 6: case 14: break;  // producer, model name, notes
      case 7: graph = wire.bytes(); break;
      case 8:
        if (const std::int64_t version = decode_opset(wire.bytes())) {
          if (model.opset != 0 && model.opset != version) wire.fail("two different opset versions");
          model.opset = version;
        }
        break;
      case 20: wire.fail("training information is not supported");
      case 25: wire.fail("local functions are not supported");
      default: wire.unknown();
    }
  }
  if (ir_version < 3 || ir_version > 11) {
    unsupported("IR version " + std::to_string(ir_version) + ", supported are 3 to 11");
  }
  if (graph.data == nullptr) malformed("no graph");
  if (model.opset == 0) malformed("no opset import for the default domain");
  decode_graph(graph, &model);
  return model;
}

}  // namespace outward_check::onnx
