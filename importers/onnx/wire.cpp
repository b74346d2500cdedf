// The wire format is that of https://protobuf.dev/programming-guides/encoding/; the schema comes from the descriptors
// of the official ONNX definitions.
#include "importers/onnx/wire.hpp"

#include <google/protobuf/descriptor.h>
#include <onnx/onnx_pb.h>

#include <set>
#include <string>

namespace outward::onnx_import {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int max_depth = 24;
constexpr std::size_t max_messages = std::size_t{1} << 22;

// Fields newer than the definitions that carry no meaning: metadata_props of these messages.
bool is_known_metadata(const std::string& message, std::uint32_t field) {
  return (message == "GraphProto" && field == 16) || (message == "NodeProto" && field == 9) ||
         (message == "TensorProto" && field == 16) || (message == "ValueInfoProto" && field == 4);
}

enum WireType : std::uint32_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

std::uint32_t wire_type_of(FieldDescriptor::Type type) {
  switch (type) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return fixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return fixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return delimited;
    default:
      return varint;
  }
}

class Scanner {
 public:
  Scanner(const std::uint8_t* data, std::vector<Blocker>& blockers) : start_(data), blockers_(blockers) {}

  // False if the wire format is broken: nothing after that point can be trusted.
  bool message(const std::uint8_t* data, const std::uint8_t* end, const Descriptor* type, int depth) {
    if (depth > max_depth)
      return broken(data, "over-limit", "nested messages", "depth at most " + std::to_string(max_depth));
    if (++messages_ > max_messages) {
      return broken(data, "over-limit", "number of messages", "at most " + std::to_string(max_messages));
    }
    std::set<int> seen;
    while (data < end) {
      const std::uint8_t* const at = data;
      std::uint64_t key = 0;
      if (!read_varint(data, end, key) || key >> 32 != 0 || key >> 3 == 0)
        return broken(at, "malformed", "field key is invalid");
      const auto number = static_cast<std::uint32_t>(key >> 3);
      const auto wire = static_cast<std::uint32_t>(key & 7);
      std::uint64_t scalar = 0, length = 0;
      if (wire == varint) {
        if (!read_varint(data, end, scalar)) return broken(at, "malformed", "number is cut off or longer than 64 bits");
      } else if (wire == delimited) {
        if (!read_varint(data, end, length)) return broken(at, "malformed", "field length is cut off");
      } else if (wire == fixed64 || wire == fixed32) {
        length = wire == fixed64 ? 8 : 4;
      } else {
        return broken(at, "malformed", "group or unknown wire type " + std::to_string(wire));
      }
      if (length > static_cast<std::uint64_t>(end - data)) {
        return broken(at, "malformed", "field is longer than the rest of its message",
                      "at most " + std::to_string(end - data), std::to_string(length) + " bytes");
      }
      const FieldDescriptor* field = type->FindFieldByNumber(static_cast<int>(number));
      if (field == nullptr) {
        if (wire != delimited || !is_known_metadata(type->name(), number))
          unknown_field(at, type, number, wire, length);
      } else if (!known_field(at, field, wire, scalar, data, data + length, seen, depth)) {
        return false;
      }
      data += length;
    }
    return true;
  }

 private:
  bool known_field(const std::uint8_t* at, const FieldDescriptor* field, std::uint32_t wire, std::uint64_t scalar,
                   const std::uint8_t* data, const std::uint8_t* end, std::set<int>& seen, int depth) {
    const bool packed = field->is_packable() && wire == delimited;
    if (wire != wire_type_of(field->type()) && !packed) {
      return broken(at, "malformed", "field " + field->full_name() + " has the wrong wire type");
    }
    if (!field->is_repeated()) {
      // All members of a oneof share one slot; real field numbers are positive.
      const int slot = field->containing_oneof() != nullptr ? -1 - field->containing_oneof()->index() : field->number();
      if (!seen.insert(slot).second) {
        add(at, "repeated-field", "field " + field->full_name() + " is given twice (two files joined together?)");
      }
    }
    if (field->type() == FieldDescriptor::TYPE_ENUM && wire == varint) {
      const bool small = scalar <= 0x7fffffffu;
      if (!small || field->enum_type()->FindValueByNumber(static_cast<int>(scalar)) == nullptr) {
        add(at, "unknown-value", "field " + field->full_name(), "a value of " + field->enum_type()->name(),
            std::to_string(scalar));
      }
    }
    if (field->type() == FieldDescriptor::TYPE_INT32) {  // protobuf would drop the upper half
      const std::uint8_t* rest = data;
      if (wire == varint) check_int32(at, field, scalar);
      while (packed && rest < end && read_varint(rest, end, scalar)) check_int32(at, field, scalar);
    }
    if (field->type() == FieldDescriptor::TYPE_MESSAGE) return message(data, end, field->message_type(), depth + 1);
    return true;
  }

  void unknown_field(const std::uint8_t* at, const Descriptor* type, std::uint32_t number, std::uint32_t wire,
                     std::uint64_t length) {
    // overload: the empty one is the default
    if (type->name() == "NodeProto" && number == 8 && wire == delimited && length == 0) return;
    add(at, "unknown-field", "field number " + std::to_string(number) + " of " + type->name() + " is not known");
  }

  void check_int32(const std::uint8_t* at, const FieldDescriptor* field, std::uint64_t scalar) {
    const auto number = static_cast<std::int64_t>(scalar);
    if (number != static_cast<std::int32_t>(number))
      add(at, "unknown-value", "field " + field->full_name(), "a number of 32 bits", std::to_string(number));
  }

  bool broken(const std::uint8_t* at, const char* code, std::string what, std::string expected = "",
              std::string found = "") {
    add(at, code, std::move(what), std::move(expected), std::move(found));
    return false;
  }

  void add(const std::uint8_t* at, const char* code, std::string what, std::string expected = "",
           std::string found = "") {
    if (blockers_.size() >= 100) return;
    Blocker blocker;
    blocker.code = code;
    blocker.where = "byte " + std::to_string(at - start_);
    blocker.what = std::move(what);
    blocker.expected = std::move(expected);
    blocker.found = std::move(found);
    blockers_.push_back(std::move(blocker));
  }

  static bool read_varint(const std::uint8_t*& data, const std::uint8_t* end, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && data < end; shift += 7) {
      const std::uint8_t byte = *data++;
      if (shift == 63 && byte > 1) return false;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  }

  const std::uint8_t* start_;
  std::vector<Blocker>& blockers_;
  std::size_t messages_ = 0;
};

}  // namespace

namespace {

std::vector<Blocker> scan(const std::uint8_t* data, std::size_t bytes, const Descriptor* type) {
  std::vector<Blocker> blockers;
  Scanner(data, blockers).message(data, data + bytes, type, 0);
  return blockers;
}

}  // namespace

std::vector<Blocker> check_wire(const std::uint8_t* data, std::size_t bytes) {
  return scan(data, bytes, onnx::ModelProto::descriptor());
}

std::vector<Blocker> check_tensor_wire(const std::uint8_t* data, std::size_t bytes) {
  return scan(data, bytes, onnx::TensorProto::descriptor());
}

}  // namespace outward::onnx_import
