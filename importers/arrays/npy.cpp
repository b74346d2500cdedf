// NumPy .npy files, format versions 1 to 3 (numpy.lib.format): "\x93NUMPY", version, header length, a Python dict
// literal with the keys descr, fortran_order and shape, then the raw data.
// Promises: the header is read as that one literal and never evaluated; exactly the announced bytes must follow it.
#include <algorithm>
#include <bit>
#include <limits>

#include "importers/arrays/raw.hpp"

namespace outward::arrays {
namespace {

constexpr std::size_t max_header = 64 * 1024;

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name, std::size_t offset)
      : text_(text), name_(name), offset_(offset) {}

  Header run() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    take('{');
    while (!try_take('}')) {
      const std::string key = string_literal();
      take(':');
      if (key == "descr") {
        once(has_descr, key);
        if (peek() == '[') fail("unsupported-type", "a structured data type", "a plain number type such as '<f4'");
        header.descr = string_literal();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = tuple();
      } else {
        fail("bad-header", "unknown key '" + key.substr(0, 40) + "'", "descr, fortran_order and shape");
      }
      if (!try_take(',')) {
        take('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size()) fail("bad-header", "text after the dictionary", "spaces to the end of the header");
    for (const auto& [present, key] :
         {std::pair{has_descr, "descr"}, {has_order, "fortran_order"}, {has_shape, "shape"}}) {
      if (!present) fail("bad-header", std::string("key '") + key + "' is missing", "descr, fortran_order and shape");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& code, const std::string& what, const std::string& expected) const {
    std::string found = at_ < text_.size() ? "'" + std::string(text_.substr(at_, 20)) + "'" : "the end of the header";
    std::replace_if(
        found.begin(), found.end(), [](char c) { return c < 0x20 || c == 0x7f; }, '?');
    refuse(name_ + ": byte " + std::to_string(offset_ + at_), code, "npy header: " + what, expected, found);
  }
  void once(bool& seen, const std::string& key) const {
    if (seen) fail("bad-header", "key '" + key + "' occurs twice", "every key once");
    seen = true;
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool try_take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void take(char c) {
    if (!try_take(c)) fail("bad-header", "not the literal of an array header", std::string("'") + c + "'");
  }
  std::string string_literal() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("bad-header", "not a string", "a quoted string");
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos || text_.substr(begin, end - begin).find('\\') != std::string_view::npos) {
      fail("bad-header", "a string that does not end or has escapes", "a plain quoted string");
    }
    at_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }
  bool boolean() {
    skip();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("bad-header", "not a truth value", "True or False");
  }
  std::uint64_t dimension() {
    skip();
    std::uint64_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > std::numeric_limits<std::uint32_t>::max() * std::uint64_t{1024}) {
        at_ = begin;
        fail("too-many-elements", "a dimension is over the limit",
             "at most " + std::to_string(max_elements) + " elements");
      }
    }
    if (at_ == begin) fail("bad-header", "not a dimension", "a decimal integer");
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> shape;
    take('(');
    while (!try_take(')')) {
      if (shape.size() == max_rank)
        fail("rank-too-large", "too many dimensions", "at most " + std::to_string(max_rank));
      shape.push_back(dimension());
      if (try_take(',')) continue;
      if (shape.size() == 1) fail("bad-header", "a number in parentheses is no tuple", "'(n,)'");
      take(')');
      break;
    }
    return shape;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Type {
  char kind = 'f';  // f, i, u
  std::size_t bytes = 4;
};

Type type_of(const std::string& descr, const std::string& name) {
  if (!descr.empty() && descr[0] == '>' && descr != ">i1" && descr != ">u1") {
    refuse(name, "big-endian", "big-endian numbers are not supported", "'<f4', '<f8' or a little-endian integer type",
           "'" + descr.substr(0, 40) + "'", "save a.astype(a.dtype.newbyteorder('<'))");
  }
  if (descr == "<f4") return {'f', 4};
  if (descr == "<f8") return {'f', 8};
  for (const char kind : {'i', 'u'}) {
    for (const char size : {'1', '2', '4', '8'}) {
      const std::string text = {size == '1' ? '|' : '<', kind, size};
      if (descr == text) return {kind, static_cast<std::size_t>(size - '0')};
    }
  }
  refuse(name, "unsupported-type", "this data type is not supported", "'<f4', '<f8', '|u1', '|i1' or '<i2' … '<u8'",
         "'" + descr.substr(0, 40) + "'", "convert the array to float32 or float64");
}

std::uint64_t read_element(std::string_view bytes, const Type& type, ElementType element, const std::string& name,
                           std::uint64_t index) {
  const std::uint64_t raw = little_endian(bytes);
  if (type.kind == 'f') {
    return type.bytes == 4 ? from_binary32_bits(static_cast<std::uint32_t>(raw), element, name, index)
                           : from_double(std::bit_cast<double>(raw), element, name, index);
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * type.bytes - 1);
  if (type.kind == 'u' || (raw & sign) == 0) return from_integer(raw, false, element, name, index);
  const std::uint64_t magnitude = (sign << 1) - raw;  // two's complement of that width; 2^64 wraps to 0 as intended
  return from_integer(magnitude, true, element, name, index);
}

}  // namespace

RawArray parse_npy(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  const auto truncated = [&](std::size_t needed) {
    refuse(name, "truncated", "the npy file ends early", "at least " + std::to_string(needed) + " bytes",
           std::to_string(bytes.size()) + " bytes");
  };
  if (bytes.size() < 10) truncated(10);
  const int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(name + ": byte 6", "unsupported-version", "this npy format version is not supported", "1.0, 2.0 or 3.0",
           std::to_string(major) + "." + std::to_string(minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start) truncated(start);
  const std::uint64_t header_bytes = little_endian(bytes.substr(8, length_bytes));
  if (header_bytes > max_header) {
    refuse(name + ": byte 8", "header-too-large", "the npy header is over the limit",
           "at most " + std::to_string(max_header) + " bytes", std::to_string(header_bytes));
  }
  if (bytes.size() - start < header_bytes) truncated(start + header_bytes);
  const Header header = HeaderParser(bytes.substr(start, header_bytes), name, start).run();
  const Type type = type_of(header.descr, name);
  const std::uint64_t count = element_count(header.shape, name);
  const std::string_view data = bytes.substr(start + header_bytes);
  if (data.size() != count * type.bytes) {
    refuse(name, data.size() < count * type.bytes ? "truncated" : "trailing-bytes",
           "the npy data do not have the size the header announces",
           std::to_string(count * type.bytes) + " bytes for shape " + shape_text(header.shape),
           std::to_string(data.size()) + " bytes");
  }
  check_count(count, request, name);
  RawArray array;
  array.shape = header.shape;
  array.bits.resize(count);
  const auto element_at = [&](std::uint64_t k) {
    return read_element(data.substr(k * type.bytes, type.bytes), type, request.element, name, k);
  };
  if (!header.fortran) {
    for (std::uint64_t k = 0; k < count; ++k) array.bits[k] = element_at(k);
    return array;
  }
  // Fortran order: the first index is the fastest in the file. Walk the file, and keep the row-major position.
  const std::size_t rank = header.shape.size();
  std::vector<std::uint64_t> stride(rank, 1), index(rank, 0);
  for (std::size_t d = rank; d-- > 1;) stride[d - 1] = stride[d] * header.shape[d];
  std::uint64_t position = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    array.bits[position] = element_at(k);
    for (std::size_t d = 0; d < rank; ++d) {
      position += stride[d];
      if (++index[d] < header.shape[d]) break;
      position -= stride[d] * header.shape[d];
      index[d] = 0;
    }
  }
  return array;
}

}  // namespace outward::arrays
