// Protobuf wire format; see onnx_wire.hpp for what is assumed and promised.
#include "checker/readers/onnx_wire.hpp"

namespace outward_check::onnx {

void malformed(const std::string& text) { throw ReadError(ReadError::Class::malformed, text); }
void unsupported(const std::string& text) { throw ReadError(ReadError::Class::unsupported, text); }
void over_limit(const std::string& text) { throw ReadError(ReadError::Class::limit, text); }

Wire::Wire(Span bytes, const char* message, std::initializer_list<unsigned> repeated)
    : bytes_(bytes), message_(message) {
  for (unsigned field : repeated) repeated_ |= std::uint64_t{1} << field;
}

void Wire::fail(const std::string& what) const {
  malformed("byte " + std::to_string(bytes_.offset + start_) + " (" + message_ + " field " +
            std::to_string(field_) + "): " + what);
}

std::uint64_t Wire::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at_ == bytes_.size) fail("the message ends inside a number");
    const std::uint64_t byte = bytes_.data[at_++];
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number of more than 64 bits");
}

bool Wire::next() {
  if (at_ == bytes_.size) return false;
  start_ = at_;
  field_ = 0;
  const std::uint64_t tag = varint();
  if (tag < 8 || tag > UINT32_MAX) fail("bad tag " + std::to_string(tag));
  field_ = static_cast<unsigned>(tag >> 3);
  type_ = static_cast<unsigned>(tag & 7);
  if (type_ == 0) {
    value_ = varint();
  } else if (type_ == 1 || type_ == 2 || type_ == 5) {
    const std::uint64_t size = type_ == 1 ? 8 : type_ == 5 ? 4 : varint();
    if (size > bytes_.size - at_) {
      fail("length " + std::to_string(size) + ", but " + std::to_string(bytes_.size - at_) +
           " bytes are left");
    }
    payload_ = {bytes_.data + at_, size, bytes_.offset + at_};
    at_ += size;
  } else {
    fail("wire type " + std::to_string(type_) + " (group or unknown)");
  }
  if (field_ < 64 && (repeated_ >> field_ & 1) == 0) {
    if (seen_ >> field_ & 1) fail("the field is given twice");
    seen_ |= std::uint64_t{1} << field_;
  }
  return true;
}

void Wire::need(unsigned type) const {
  if (type_ != type) {
    fail("wire type " + std::to_string(type_) + ", expected " + std::to_string(type));
  }
}

std::int64_t Wire::integer() const {
  need(0);
  return static_cast<std::int64_t>(value_);
}

float Wire::real32() const {
  need(5);
  float value;
  std::memcpy(&value, payload_.data, sizeof value);
  return value;
}

Span Wire::bytes() const {
  need(2);
  return payload_;
}

std::string Wire::text() const {
  need(2);
  return std::string(reinterpret_cast<const char*>(payload_.data), payload_.size);
}

void Wire::append_integers(std::vector<std::int64_t>* out) const {
  if (type_ == 0) return out->push_back(integer());
  Wire packed(bytes(), message_, {});
  packed.field_ = field_;
  while (packed.at_ < packed.bytes_.size) {
    packed.start_ = packed.at_;
    out->push_back(static_cast<std::int64_t>(packed.varint()));
  }
}

Span Wire::reals(unsigned width) const {
  if (type_ != 2) need(width == 4 ? 5 : 1);
  if (payload_.size % width != 0) fail("packed numbers do not fill the field");
  return payload_;
}

}  // namespace outward_check::onnx
