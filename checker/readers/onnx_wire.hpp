// Protobuf wire format, read only, without any library. Assumes nothing about the bytes, which must
// outlive every Message. Promises: every read lies inside the message; groups, unknown fields, wrong
// wire types and a second occurrence of a field that is not repeated are refused; nothing recurses.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check::onnx {

static_assert(std::endian::native == std::endian::little, "raw tensor data is little endian");

[[noreturn]] void malformed(const std::string& text);
[[noreturn]] void unsupported(const std::string& text);
[[noreturn]] void over_limit(const std::string& text);
inline void require(bool holds, const char* text) {
  if (!holds) malformed(text);
}
inline void support(bool holds, const char* text) {
  if (!holds) unsupported(text);
}

template <class T>
T load(const std::uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

struct Span {
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0, offset = 0;  // offset in the file, for messages
  std::string text() const { return std::string(reinterpret_cast<const char*>(data), size); }
};

// One message whose fields were all checked on construction. schema[f] is what field f may be: v one
// varint, f one 32-bit float, s bytes; capitals repeat: S bytes, I varints, F floats, D doubles (the
// numbers packed or not); '.' or beyond the end: refused.
class Message {
 public:
  Message(Span bytes, const char* name, const char* schema);
  bool has(unsigned field) const { return seen_ >> field & 1; }
  std::int64_t integer(unsigned field) const;  // 0 when absent; so for all singular fields
  Span bytes(unsigned field) const;
  std::string text(unsigned field) const { return bytes(field).text(); }
  std::vector<Span> all(unsigned field) const;
  std::vector<std::int64_t> integers(unsigned field) const;
  std::vector<double> reals(unsigned field, unsigned width) const;  // width 4 or 8 bytes

 private:
  Span bytes_;
  std::uint32_t seen_ = 0;
};

}  // namespace outward_check::onnx
