// Tensor data: sizes, element types and external files; see onnx_model.hpp.
#include <algorithm>
#include <cstdint>

#include "checker/readers/onnx_model.hpp"

namespace outward_check::onnx {

std::uint64_t element_count(const Shape& shape) {
  if (shape.size() > kMaxRank) {
    over_limit("rank " + std::to_string(shape.size()) + ", limit " + std::to_string(kMaxRank));
  }
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t dimension : shape) {
    if (dimension < 0) malformed("negative dimension in " + shape_text(shape));
    if (dimension == 0) empty = true;
    else if (count > kMaxElements / dimension) over_limit(shape_text(shape) + ": above 2^31 elements");
    else count *= dimension;
  }
  return empty ? 0 : static_cast<std::uint64_t>(count);
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::int64_t dimension : shape) {
    if (text.size() > 1) text += ',';
    text += std::to_string(dimension);
  }
  return text + "]";
}

const TypeInfo& type_info(int code) {
  static constexpr TypeInfo table[] = {
      {kFloat, 4, 4, 0, 0, "binary32"},
      {kDouble, 8, 10, 0, 0, "binary64"},
      {2, 1, 5, 0, UINT8_MAX, "uint8"},
      {3, 1, 5, INT8_MIN, INT8_MAX, "int8"},
      {4, 2, 5, 0, UINT16_MAX, "uint16"},
      {5, 2, 5, INT16_MIN, INT16_MAX, "int16"},
      {kInt32, 4, 5, INT32_MIN, INT32_MAX, "int32"},
      {kInt64, 8, 7, INT64_MIN, INT64_MAX, "int64"},
      {kBool, 1, 5, 0, 1, "bool"},
      {12, 4, 11, 0, UINT32_MAX, "uint32"},
      {13, 8, 11, 0, INT64_MAX, "uint64"},  // greater numbers are refused, not wrapped
  };
  for (const TypeInfo& info : table) {
    if (info.code == code) return info;
  }
  unsupported("element type " + std::to_string(code) + " is not supported");
}

Value integer_value(int type, Shape shape, std::vector<std::int64_t> values) {
  const TypeInfo& info = type_info(type);
  for (std::int64_t value : values) {
    if (value < info.lowest || value > info.greatest) {
      unsupported(std::to_string(value) + " is not a number of type " + info.name);
    }
  }
  Value v{Value::Is::integers, type, std::move(shape), nullptr, nullptr, 0};
  v.integers = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  return v;
}

Value float_value(int type, Shape shape, std::vector<double> values) {
  Value v{Value::Is::floats, type, std::move(shape), nullptr, nullptr, 0};
  v.floats = std::make_shared<const std::vector<double>>(std::move(values));
  return v;
}

namespace {

// Little endian raw bytes as numbers of one machine type.
template <class From, class To>
std::vector<To> unpack(Span raw) {
  std::vector<To> out(raw.size / sizeof(From));
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, raw.data + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);
  }
  return out;
}

std::vector<std::int64_t> unpack_integers(Span raw, const TypeInfo& info) {
  const bool is_signed = info.lowest < 0;
  switch (info.width) {
    case 1:
      return is_signed ? unpack<std::int8_t, std::int64_t>(raw) : unpack<std::uint8_t, std::int64_t>(raw);
    case 2:
      return is_signed ? unpack<std::int16_t, std::int64_t>(raw) : unpack<std::uint16_t, std::int64_t>(raw);
    case 4:
      return is_signed ? unpack<std::int32_t, std::int64_t>(raw) : unpack<std::uint32_t, std::int64_t>(raw);
    default: return unpack<std::int64_t, std::int64_t>(raw);
  }
}

std::uint64_t decimal(const std::string& text) {
  if (text.empty() || text.size() > 18) malformed("external data: bad number '" + text + "'");
  std::uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') malformed("external data: bad number '" + text + "'");
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// The location as a path below the folder: no "..", not absolute, "." dropped; every component must
// exist, folders must be folders and the last one a regular file, none a symbolic link.
std::string contained(const std::filesystem::path& folder, const std::string& location) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const char* why) { malformed("external data '" + location + "': " + why); };
  if (location.empty() || location.front() == '/' || location.back() == '/' ||
      location.find('\0') != std::string::npos || location.find('\\') != std::string::npos) {
    refuse("not a relative path of a file");
  }
  fs::path clean;
  for (const fs::path& part : fs::path(location)) {
    if (part == "..") refuse("leaves the model's folder");
    if (part != ".") clean /= part;
  }
  fs::path at = folder;
  std::size_t left = static_cast<std::size_t>(std::distance(clean.begin(), clean.end()));
  if (left == 0) refuse("not a relative path of a file");
  for (const fs::path& part : clean) {
    at /= part;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(at, error);
    if (!fs::exists(status)) refuse("does not exist");
    if (fs::is_symlink(status)) refuse("a symbolic link is on the way");
    if (--left == 0 ? !fs::is_regular_file(status) : !fs::is_directory(status)) {
      refuse("not a regular file");
    }
  }
  return clean.generic_string();
}

}  // namespace

Span ExternalFiles::find(const Tensor& tensor, std::uint64_t bytes) {
  std::map<std::string, std::string> keys;
  for (const auto& [key, value] : tensor.location) {
    if (key != "location" && key != "offset" && key != "length" && key != "checksum") {
      malformed("external data: unknown key '" + key + "'");
    }
    if (!keys.emplace(key, value).second) malformed("external data: key '" + key + "' twice");
  }
  const std::string path = contained(folder_, keys["location"]);
  auto found = files_.find(path);
  if (found == files_.end()) found = files_.emplace(path, read_file((folder_ / path).string())).first;
  const Bytes& file = found->second;
  const std::uint64_t offset = keys.count("offset") ? decimal(keys["offset"]) : 0;
  if (offset > file.size()) malformed("external data '" + path + "': offset beyond the file");
  const std::uint64_t left = file.size() - offset;
  const std::uint64_t length = keys.count("length") ? decimal(keys["length"]) : left;
  if (length > left || length != bytes) {
    malformed("external data '" + path + "': length " + std::to_string(length) + ", " +
              std::to_string(left) + " bytes after the offset, the shape needs " + std::to_string(bytes));
  }
  return {file.data() + offset, length, offset};
}

std::uint64_t ExternalFiles::total_bytes() const {
  std::uint64_t total = 0;
  for (const auto& [path, bytes] : files_) total += bytes.size();
  return total;
}

void ExternalFiles::list(std::vector<ModelFile>* out) const {
  for (const auto& [path, bytes] : files_) {
    out->push_back({path, sha256_hex(bytes.data(), bytes.size()), bytes.size()});
  }
}

Value tensor_value(const Tensor& tensor, ExternalFiles* files) {
  const std::uint64_t count = element_count(tensor.shape);
  const TypeInfo& info = type_info(tensor.type);
  const std::uint32_t raw_bit = 1u << 9, typed_bit = 1u << info.field;
  Span raw = tensor.raw;
  if (tensor.external) {
    if (tensor.data_fields != 0) malformed("external data and data in the tensor");
    raw = files->find(tensor, count * info.width);
  } else if (!tensor.location.empty()) {
    malformed("external data keys in a tensor that is not external");
  } else if (tensor.data_fields == typed_bit || (tensor.data_fields == 0 && count == 0)) {
    if ((is_float(tensor.type) ? tensor.reals.size() : tensor.integers.size()) != count) {
      malformed("the number of values does not match the shape " + shape_text(tensor.shape));
    }
    return is_float(tensor.type) ? float_value(tensor.type, tensor.shape, tensor.reals)
                                 : integer_value(tensor.type, tensor.shape, tensor.integers);
  } else if (tensor.data_fields != raw_bit) {
    malformed(std::string("no data, or not in the field for ") + info.name);
  }
  if (raw.size != count * info.width) {
    malformed(std::to_string(raw.size) + " bytes of raw data, shape " + shape_text(tensor.shape) + " of " +
              info.name + " needs " + std::to_string(count * info.width));
  }
  if (tensor.type == kFloat) return float_value(kFloat, tensor.shape, unpack<float, double>(raw));
  if (tensor.type == kDouble) return float_value(kDouble, tensor.shape, unpack<double, double>(raw));
  return integer_value(tensor.type, tensor.shape, unpack_integers(raw, info));
}

}  // namespace outward_check::onnx
