// Tensors of the file as constants: sizes, element types, data fields, external files.
#include <algorithm>
#include <cstring>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {
namespace {

// width in bytes; the field of TensorProto that may carry the type besides raw_data (field 9).
struct TypeInfo {
  int code;
  unsigned width, field;
  Int lowest, greatest;  // of the integers; any bit pattern of a float
};

const TypeInfo& type_info(int code) {
  static constexpr TypeInfo table[] = {
      {kFloat, 4, 4, INT64_MIN, INT64_MAX},
      {kDouble, 8, 10, INT64_MIN, INT64_MAX},
      {2, 1, 5, 0, UINT8_MAX},
      {3, 1, 5, INT8_MIN, INT8_MAX},
      {4, 2, 5, 0, UINT16_MAX},
      {5, 2, 5, INT16_MIN, INT16_MAX},
      {6, 4, 5, INT32_MIN, INT32_MAX},
      {kInt64, 8, 7, INT64_MIN, INT64_MAX},
      {kBool, 1, 5, 0, 1},
      {12, 4, 11, 0, UINT32_MAX},
      {13, 8, 11, 0, INT64_MAX},  // greater numbers are refused, not wrapped
  };
  for (const TypeInfo& info : table) {
    if (info.code == code) return info;
  }
  unsupported("element type " + std::to_string(code) + " is not supported");
}

Message tensor_message(Span bytes) { return Message(bytes, "TensorProto", ".Iv.FISIssDIsSv.S"); }

Shape raw_data(Span raw, const TypeInfo& info) {
  Shape out;
  if (is_float(info.code)) {
    append_floats(raw, info.width, &out);
    return out;
  }
  const unsigned unused = 64 - 8 * info.width;
  for (const std::uint8_t *p = raw.data, *end = p + raw.size; p < end; p += info.width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, p, info.width);
    const bool is_signed = info.lowest < 0 || info.width == 8;
    out.push_back(is_signed ? static_cast<Int>(bits << unused) >> unused : static_cast<Int>(bits));
  }
  return out;
}

std::uint64_t decimal(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  require(digits && !text.empty() && text.size() <= 18, "external data: bad number");
  return std::stoull(text);
}

// The location as a path below the folder, "." dropped; every component exists, the last one is a
// regular file, the others are folders, none is a symbolic link.
std::string contained(std::filesystem::path at, const std::string& location) {
  const std::string forbidden("\\\0", 2);
  require(!location.empty() && location.find_first_of(forbidden) == std::string::npos &&
              location.front() != '/' && location.back() != '/',
          "external data: the location is not a relative path of a file");
  std::filesystem::path clean;
  std::filesystem::file_status status;
  for (const auto& part : std::filesystem::path(location)) {
    require(part != "..", "external data: the location leaves the model's folder");
    if (part == ".") continue;
    require(clean.empty() || is_directory(status), "external data: not a folder on the way");
    clean /= part;
    std::error_code ignored;
    status = symlink_status(at /= part, ignored);
    require(!is_symlink(status), "external data: a symbolic link on the way");
  }
  require(is_regular_file(status), "external data: no such regular file");
  return clean.generic_string();
}

}  // namespace

Int element_count(const Shape& shape) {
  if (shape.size() > max_rank()) over(Limit::rank, "rank " + std::to_string(shape.size()));
  Int count = 1;
  bool empty = false;
  for (Int d : shape) {
    require(d >= 0, "a negative dimension");
    empty = empty || d == 0;
    if (d > 0 && count > max_elements() / d) over(Limit::elements, shape_text(shape));
    count *= std::max<Int>(d, 1);
  }
  return empty ? 0 : count;
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (Int d : shape) text += (text.empty() ? "" : ",") + std::to_string(d);
  return "[" + text + "]";
}

Reals Value::reals() const {
  Reals out(data->size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = real(i);
  return out;
}

Value make_constant(int type, Shape shape, Shape data) {
  const TypeInfo& info = type_info(type);
  for (Int v : data)
    support(v >= info.lowest && v <= info.greatest, "a number its type cannot hold");
  return {type, std::move(shape), std::make_shared<const Shape>(std::move(data))};
}

Span ExternalFiles::find(const Message& tensor, std::uint64_t bytes) {
  std::map<std::string, std::string> keys;
  for (Span entry : tensor.all(13)) {
    const Message pair(entry, "StringStringEntryProto", ".ss");
    const std::string key = pair.text(1);
    require(key == "location" || key == "offset" || key == "length" || key == "checksum",
            "external data: unknown key");
    require(keys.emplace(key, pair.text(2)).second, "external data: a key twice");
  }
  keys.emplace("offset", "0");
  const std::string path = contained(folder, keys["location"]);
  if (files.count(path) == 0) files[path] = read_file((folder / path).string());
  const Bytes& file = files[path];
  const std::uint64_t offset = decimal(keys["offset"]);
  require(offset <= file.size(), "external data: the offset is beyond the end of the file");
  const std::uint64_t left = file.size() - offset;
  const std::uint64_t length = keys.count("length") ? decimal(keys["length"]) : left;
  require(length <= left, "external data: the length is beyond the end of the file");
  require(length == bytes, "external data: the length does not match the shape");
  return {file.data() + offset, length, offset};
}

std::string tensor_name(Span tensor) { return tensor_message(tensor).text(8); }

Value tensor_value(Span tensor, ExternalFiles* external) {
  const Message t = tensor_message(tensor);
  const Shape shape = t.integers(1);
  const Int count = element_count(shape), location = t.integer(14), code = t.integer(2);
  const int type = code < 0 || code > 99 ? 0 : static_cast<int>(code);
  const TypeInfo& info = type_info(type);
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * info.width;
  unsigned sources = 0, source = 0;
  for (unsigned field : {4, 5, 6, 7, 9, 10, 11, 13}) {
    if (t.has(field)) ++sources, source = field;
  }
  require(location == 0 || location == 1, "unknown data location");
  require(t.has(13) == (location == 1), "external data keys without external data, or none");
  require(sources == 1 || (sources == 0 && count == 0), "not exactly one source of data");
  Shape data;
  if (source == 9 || source == 13) {
    const Span raw = source == 9 ? t.bytes(9) : external->find(t, bytes);
    require(raw.size == bytes, "the length of the raw data does not match the shape");
    data = raw_data(raw, info);
  } else {
    require(sources == 0 || source == info.field, "data in the field of another type");
    data = is_float(type) ? t.floats(info.field, info.width) : t.integers(info.field);
    require(std::ssize(data) == count, "number of values and shape differ");
  }
  return make_constant(type, shape, std::move(data));
}

}  // namespace outward_check::onnx
