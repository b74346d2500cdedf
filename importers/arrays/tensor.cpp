// ONNX TensorProto files (.pb), as used for test data of ONNX models.
// Promises: one plain tensor with one source of data of exactly the announced size; external data, segments and types
// other than binary32, binary64 and integers are refused by name.
#include <onnx/onnx_pb.h>

#include <bit>
#include <limits>

#include "importers/arrays/raw.hpp"
#include "importers/onnx/wire.hpp"

namespace outward::arrays {
namespace {

struct Format {
  std::size_t bytes;  // of one element in raw_data
  bool is_float, is_signed;
};

Format format_of(const onnx::TensorProto& tensor, const std::string& name) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return {4, true, true};
    case onnx::TensorProto::DOUBLE:
      return {8, true, true};
    case onnx::TensorProto::INT8:
      return {1, false, true};
    case onnx::TensorProto::INT16:
      return {2, false, true};
    case onnx::TensorProto::INT32:
      return {4, false, true};
    case onnx::TensorProto::INT64:
      return {8, false, true};
    case onnx::TensorProto::UINT8:
      return {1, false, false};
    case onnx::TensorProto::UINT16:
      return {2, false, false};
    case onnx::TensorProto::UINT32:
      return {4, false, false};
    case onnx::TensorProto::UINT64:
      return {8, false, false};
    default:
      break;
  }
  refuse(name, "unsupported-type", "this tensor type is not supported", "float, double or an integer type",
         "data type " + std::to_string(tensor.data_type()), "convert the tensor to float");
}

// Elements that are not raw lie in fields of 32 or 64 bits; the type must be able to hold them.
void check_range(std::uint64_t value, const Format& format, const std::string& name, std::uint64_t index) {
  if (format.bytes == 8) return;
  const std::uint64_t limit = std::uint64_t{1} << (8 * format.bytes - (format.is_signed ? 1 : 0));
  const bool fits = format.is_signed ? value + limit < 2 * limit : value < limit;  // a negative number wraps around
  if (!fits) {
    refuse(name, "bad-tensor", "element " + std::to_string(index) + " is a number its type cannot hold",
           std::to_string(8 * format.bytes) + " bits", std::to_string(static_cast<std::int64_t>(value)));
  }
}

std::uint64_t integer_bits(std::int64_t value, ElementType element, const std::string& name, std::uint64_t index) {
  const auto bits = static_cast<std::uint64_t>(value);
  return from_integer(value < 0 ? 0 - bits : bits, value < 0, element, name, index);
}

std::uint64_t raw_element(const std::string& raw, std::uint64_t index, const Format& format, ElementType element,
                          const std::string& name) {
  std::uint64_t value = 0;
  for (std::size_t b = format.bytes; b-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(raw[index * format.bytes + b]);
  }
  if (format.is_float && format.bytes == 4)
    return from_binary32_bits(static_cast<std::uint32_t>(value), element, name, index);
  if (format.is_float) return from_double(std::bit_cast<double>(value), element, name, index);
  if (!format.is_signed) return from_integer(value, false, element, name, index);
  const std::size_t shift = 64 - 8 * format.bytes;
  return integer_bits(static_cast<std::int64_t>(value << shift) >> shift, element, name, index);
}

}  // namespace

RawArray parse_tensor(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (const Blocker& blocker : onnx_import::check_tensor_wire(data, bytes.size())) {
    refuse(name, "bad-tensor", blocker.where + ": " + blocker.what, "one serialised TensorProto", blocker.found);
  }
  onnx::TensorProto tensor;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    refuse(name, "bad-tensor", "not an ONNX TensorProto", "one serialised TensorProto below 2 GiB",
           std::to_string(bytes.size()) + " bytes");
  }
  if (tensor.GetReflection()->GetUnknownFields(tensor).field_count() != 0) {
    refuse(name, "bad-tensor", "the TensorProto has unknown fields", "the fields of the ONNX definition", "others");
  }
  if (tensor.external_data_size() != 0 || tensor.data_location() == onnx::TensorProto::EXTERNAL ||
      tensor.has_segment()) {
    refuse(name, "external-data", "the tensor keeps its data elsewhere", "a tensor that contains its data",
           "external data or a segment");
  }
  const Format format = format_of(tensor, name);
  RawArray array;
  for (std::int64_t dim : tensor.dims()) {
    if (dim < 0) refuse(name, "bad-tensor", "a negative dimension", "dimensions of at least 0", std::to_string(dim));
    array.shape.push_back(static_cast<std::uint64_t>(dim));
  }
  const std::uint64_t count = element_count(array.shape, name);
  const bool has_raw = tensor.has_raw_data();
  const int typed = tensor.float_data_size() + tensor.double_data_size() + tensor.int32_data_size() +
                    tensor.int64_data_size() + tensor.uint64_data_size() + tensor.string_data_size();
  // Where ONNX puts elements that are not raw.
  const int here = tensor.data_type() == onnx::TensorProto::FLOAT    ? tensor.float_data_size()
                   : tensor.data_type() == onnx::TensorProto::DOUBLE ? tensor.double_data_size()
                   : tensor.data_type() == onnx::TensorProto::INT64  ? tensor.int64_data_size()
                   : tensor.data_type() == onnx::TensorProto::UINT64 || tensor.data_type() == onnx::TensorProto::UINT32
                       ? tensor.uint64_data_size()
                       : tensor.int32_data_size();
  const bool right = has_raw ? typed == 0 && tensor.raw_data().size() == count * format.bytes
                             : typed == here && static_cast<std::uint64_t>(here) == count;
  if (!right) {
    refuse(name, "bad-tensor", "the tensor's data do not have the size of its shape",
           std::to_string(count) + " elements in one field",
           has_raw ? std::to_string(tensor.raw_data().size()) + " raw bytes" : std::to_string(typed) + " elements");
  }
  check_count(count, request, name);
  array.bits.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const int k = static_cast<int>(i);
    if (has_raw) {
      array.bits.push_back(raw_element(tensor.raw_data(), i, format, request.element, name));
    } else if (tensor.data_type() == onnx::TensorProto::FLOAT) {
      array.bits.push_back(
          from_binary32_bits(std::bit_cast<std::uint32_t>(tensor.float_data(k)), request.element, name, i));
    } else if (tensor.data_type() == onnx::TensorProto::DOUBLE) {
      array.bits.push_back(from_double(tensor.double_data(k), request.element, name, i));
    } else if (tensor.data_type() == onnx::TensorProto::INT64) {
      array.bits.push_back(integer_bits(tensor.int64_data(k), request.element, name, i));
    } else if (tensor.data_type() == onnx::TensorProto::UINT64 || tensor.data_type() == onnx::TensorProto::UINT32) {
      check_range(tensor.uint64_data(k), format, name, i);
      array.bits.push_back(from_integer(tensor.uint64_data(k), false, request.element, name, i));
    } else {
      check_range(static_cast<std::uint64_t>(std::int64_t{tensor.int32_data(k)}), format, name, i);
      array.bits.push_back(integer_bits(tensor.int32_data(k), request.element, name, i));
    }
  }
  return array;
}

}  // namespace outward::arrays
