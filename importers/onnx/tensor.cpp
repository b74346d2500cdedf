// Decoding of tensors; see tensor.hpp. Numbers in raw and external data are little endian whatever the machine.
#include "importers/onnx/tensor.hpp"

#include <bit>
#include <set>

namespace outward::onnx_import {
namespace {

using Proto = onnx::TensorProto;

std::size_t element_bytes(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8:
    case Type::boolean:
      return 1;
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::f32:
    case Type::i32:
    case Type::u32:
      return 4;
    default:
      return 8;
  }
}

std::uint64_t little_endian(const std::uint8_t* data, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{data[i]} << (8 * i);
  return value;
}

std::int64_t sign_extend(std::uint64_t bits, std::size_t bytes) {
  const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Refuses integers outside the declared type, among them uint64 values above 2^63 - 1.
void check_integers(Type type, const Integers& values) {
  for (std::int64_t value : values) {
    if (value < least(type) || value > greatest(type)) {
      refuse("bad-tensor", std::string("element of a ") + type_name(type) + " tensor",
             std::to_string(least(type)) + " to " + std::to_string(greatest(type)), std::to_string(value));
    }
  }
}

Value from_bytes(Type type, const Shape& shape, const std::uint8_t* data, std::size_t count) {
  const std::size_t size = element_bytes(type);
  if (is_float(type)) {
    Floats floats(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = little_endian(data + i * size, size);
      floats[i] = type == Type::f32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                    : std::bit_cast<double>(bits);
    }
    return float_value(type, shape, std::move(floats));
  }
  const bool is_signed = least(type) < 0;
  Integers ints(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = little_endian(data + i * size, size);
    ints[i] = is_signed ? sign_extend(bits, size) : static_cast<std::int64_t>(bits);
  }
  check_integers(type, ints);
  return integer_value(type, shape, std::move(ints));
}

void check_length(std::uint64_t bytes, std::uint64_t needed, const char* what) {
  if (bytes != needed) {
    refuse("bad-tensor", std::string("length of the ") + what, std::to_string(needed) + " (from shape and type)",
           std::to_string(bytes));
  }
}

std::uint64_t parse_size(const std::string& key, const std::string& text) {
  std::uint64_t value = 0;
  bool good = !text.empty() && text.size() <= 19;
  for (char c : text) {
    good = good && c >= '0' && c <= '9';
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (!good) refuse("external-data", "entry " + key, "a decimal number below 2^63", in_quotes(text));
  return value;
}

Value from_external(const Proto& tensor, Type type, const Shape& shape, std::size_t count, ExternalData& external) {
  std::string location, checksum;
  std::uint64_t offset = 0, length = 0;
  std::set<std::string> seen;
  for (const auto& entry : tensor.external_data()) {
    if (!seen.insert(entry.key()).second)
      refuse("external-data", "entry " + in_quotes(entry.key()) + " is given twice");
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = parse_size("offset", entry.value());
    else if (entry.key() == "length")
      length = parse_size("length", entry.value());
    else if (entry.key() == "checksum")
      checksum = entry.value();
    else
      refuse("external-data", "entry", "location, offset, length or checksum", in_quotes(entry.key()));
  }
  if (seen.count("location") == 0) refuse("external-data", "there is no entry location");
  const Bytes& bytes = external.open(location);
  if (seen.count("checksum") != 0 && checksum != sha1_hex(bytes)) {
    refuse("external-data", "checksum of " + in_quotes(location), sha1_hex(bytes), in_quotes(checksum));
  }
  // Both are below 2^63: the sum cannot wrap.
  if (seen.count("length") == 0) length = offset <= bytes.size() ? bytes.size() - offset : 0;
  if (offset > bytes.size() || offset + length > bytes.size()) {
    refuse("external-data", "offset + length in " + in_quotes(location), "at most " + std::to_string(bytes.size()),
           std::to_string(offset) + " + " + std::to_string(length));
  }
  check_length(length, count * element_bytes(type), "external data");
  return from_bytes(type, shape, bytes.data() + offset, count);
}

// The typed field that holds elements of this type, as integers.
Integers typed_integers(const Proto& tensor, Type type) {
  Integers ints;
  if (type == Type::i64) {
    ints.assign(tensor.int64_data().begin(), tensor.int64_data().end());
  } else if (type == Type::u32 || type == Type::u64) {
    for (std::uint64_t value : tensor.uint64_data()) ints.push_back(static_cast<std::int64_t>(value));
  } else {
    ints.assign(tensor.int32_data().begin(), tensor.int32_data().end());
  }
  check_integers(type, ints);
  return ints;
}

std::uint64_t typed_elements(const Proto& tensor) {
  std::uint64_t total = 0;
  for (int size : {tensor.float_data_size(), tensor.int32_data_size(), tensor.int64_data_size(),
                   tensor.double_data_size(), tensor.uint64_data_size(), tensor.string_data_size()}) {
    total += static_cast<std::uint64_t>(size);
  }
  return total;
}

Value from_typed(const Proto& tensor, Type type, const Shape& shape, std::size_t count) {
  check_length(typed_elements(tensor), count, "typed data, all fields together");
  if (type == Type::f32) {
    check_length(static_cast<std::uint64_t>(tensor.float_data_size()), count, "float_data");
    return float_value(type, shape, Floats(tensor.float_data().begin(), tensor.float_data().end()));
  }
  if (type == Type::f64) {
    check_length(static_cast<std::uint64_t>(tensor.double_data_size()), count, "double_data");
    return float_value(type, shape, Floats(tensor.double_data().begin(), tensor.double_data().end()));
  }
  Integers ints = typed_integers(tensor, type);
  check_length(ints.size(), count, "typed data");
  return integer_value(type, shape, std::move(ints));
}

}  // namespace

Type type_of(std::int32_t data_type) {
  switch (data_type) {
    case Proto::FLOAT:
      return Type::f32;
    case Proto::DOUBLE:
      return Type::f64;
    case Proto::INT8:
      return Type::i8;
    case Proto::INT16:
      return Type::i16;
    case Proto::INT32:
      return Type::i32;
    case Proto::INT64:
      return Type::i64;
    case Proto::UINT8:
      return Type::u8;
    case Proto::UINT16:
      return Type::u16;
    case Proto::UINT32:
      return Type::u32;
    case Proto::UINT64:
      return Type::u64;
    case Proto::BOOL:
      return Type::boolean;
    default:
      return Type::other;
  }
}

std::string data_type_text(std::int32_t data_type) {
  if (type_of(data_type) != Type::other) return type_name(type_of(data_type));
  switch (data_type) {
    case 0:
      return "no data type";
    case Proto::STRING:
      return "string";
    case Proto::FLOAT16:
      return "float16";
    case Proto::BFLOAT16:
      return "bfloat16";
    case Proto::COMPLEX64:
      return "complex64";
    case Proto::COMPLEX128:
      return "complex128";
    default:
      return "data type " + std::to_string(data_type);
  }
}

Value read_tensor(const Proto& tensor, ExternalData& external) {
  const Type type = type_of(tensor.data_type());
  if (type == Type::other) {
    refuse("unsupported-type", "tensor " + in_quotes(tensor.name()),
           "float32, float64, an integer type of 8 to 64 bits, or bool", data_type_text(tensor.data_type()));
  }
  if (tensor.has_segment()) refuse("bad-tensor", "tensor " + in_quotes(tensor.name()) + " is segmented");
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  const auto count = static_cast<std::size_t>(element_count(shape));
  const bool typed = typed_elements(tensor) > 0;
  if (tensor.data_location() == Proto::EXTERNAL) {
    if (typed || tensor.has_raw_data()) refuse("bad-tensor", "external data and data in the file");
    return from_external(tensor, type, shape, count, external);
  }
  if (tensor.external_data_size() > 0) refuse("bad-tensor", "external data entries without data location EXTERNAL");
  if (tensor.has_raw_data()) {
    if (typed) refuse("bad-tensor", "raw data and typed data");
    check_length(tensor.raw_data().size(), count * element_bytes(type), "raw data");
    return from_bytes(type, shape, reinterpret_cast<const std::uint8_t*>(tensor.raw_data().data()), count);
  }
  return from_typed(tensor, type, shape, count);
}

}  // namespace outward::onnx_import
