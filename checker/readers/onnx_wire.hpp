// Protobuf wire format, read only. Assumes nothing about the bytes; a Span keeps its offset in the
// file for messages. Promises: every read lies inside the span; groups, bad tags, over-long varints
// and a second occurrence of a field the message does not repeat are refused; nothing recurses.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check::onnx {

static_assert(std::endian::native == std::endian::little, "raw tensor data is little endian");

[[noreturn]] void malformed(const std::string& text);
[[noreturn]] void unsupported(const std::string& text);
[[noreturn]] void over_limit(const std::string& text);

struct Span {
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0, offset = 0;
};

// One message, field by field: while (wire.next()) switch (wire.field()) ...; every accessor throws
// ReadError when the field has another wire type than the one asked for.
class Wire {
 public:
  Wire(Span bytes, const char* message, std::initializer_list<unsigned> repeated);
  bool next();
  unsigned field() const { return field_; }
  std::int64_t integer() const;
  float real32() const;
  Span bytes() const;
  std::string text() const;
  void append_integers(std::vector<std::int64_t>* out) const;  // packed or one by one
  template <class Real>
  void append_reals(std::vector<double>* out) const {  // float or double, packed or one by one
    const Span all = reals(sizeof(Real));
    const std::size_t count = all.size / sizeof(Real), start = out->size();
    out->resize(start + count);
    for (std::size_t i = 0; i < count; ++i) {
      Real value;
      std::memcpy(&value, all.data + i * sizeof(Real), sizeof(Real));
      (*out)[start + i] = value;
    }
  }
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void unknown() const { fail("the field is not understood"); }

 private:
  std::uint64_t varint();
  void need(unsigned type) const;
  Span reals(unsigned width) const;

  Span bytes_, payload_;
  const char* message_;
  std::uint64_t at_ = 0, start_ = 0, value_ = 0, repeated_ = 0, seen_ = 0;
  unsigned field_ = 0, type_ = 0;
};

}  // namespace outward_check::onnx
