// Protobuf wire format, read only, without any library; see onnx.hpp for what is promised. Nothing
// recurses.
#include <cstring>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {

void malformed(const std::string& text) { throw ReadError(ReadError::Class::malformed, text); }
void unsupported(const std::string& text) { throw ReadError(ReadError::Class::unsupported, text); }

namespace {

// Walks over the fields of one message, or over a run of numbers.
struct Cursor {
  Span bytes, payload = {};
  std::uint64_t at = 0, field = 0;
  unsigned type = 0;

  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      require(at < bytes.size, "the message ends inside a number");
      const std::uint64_t byte = bytes.data[at++];
      require(shift < 63 || byte <= 1, "a number of more than 64 bits");
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

  bool next() {
    if (at == bytes.size) return false;
    const std::uint64_t tag = varint();
    field = tag >> 3;
    type = tag & 7;
    require(type == 0 || type == 1 || type == 2 || type == 5, "a group, or an unknown wire type");
    std::uint64_t size = type == 1 ? 8 : 4, start = at;
    if (type == 2) size = varint(), start = at;
    if (type == 0) varint(), size = at - start;
    require(size <= bytes.size - start, "a field is longer than its message");
    payload = {bytes.data + start, size, bytes.offset + start};
    at = start + size;
    return true;
  }
};

}  // namespace

Message::Message(Span bytes, const char* name, const char* schema) : bytes_(bytes) {
  Cursor c{bytes};
  std::uint64_t start = 0;
  try {
    for (; c.next(); start = c.at) {
      const char kind = c.field > 0 && c.field < std::strlen(schema) ? schema[c.field] : '.';
      require(kind != '.', "the field is not understood or not supported");
      const bool repeated = kind < 'a', packed = c.type == 2 && repeated;
      const unsigned width = kind == 'F' || kind == 'f' ? 4 : kind == 'D' ? 8 : 1;
      const unsigned type = kind == 's' || kind == 'S' ? 2 : width == 4 ? 5 : width == 8 ? 1 : 0;
      require(c.type == type || packed, "wrong wire type");
      require(!packed || c.payload.size % width == 0, "packed numbers do not fill the field");
      require(repeated || !has(static_cast<unsigned>(c.field)), "the field is given twice");
      if (type == 2 || c.type != 2 || c.payload.size != 0)
        seen_ |= 1u << c.field;  // no numbers: as if absent
      if (kind != 'I' || !packed) continue;
      for (Cursor inner{c.payload}; inner.at < inner.bytes.size;) inner.varint();
    }
  } catch (const ReadError& e) {
    malformed("byte " + std::to_string(bytes.offset + start) + " (" + name + " field " +
              std::to_string(c.field) + "): " + e.what());
  }
}

std::vector<Span> Message::all(unsigned field) const {
  std::vector<Span> out;
  for (Cursor c{bytes_}; c.next();) {
    if (c.field == field) out.push_back(c.payload);
  }
  return out;
}

Shape Message::integers(unsigned field) const {
  Shape out;
  for (Span run : all(field)) {
    for (Cursor c{run}; c.at < run.size;) out.push_back(static_cast<Int>(c.varint()));
  }
  return out;
}

Shape Message::floats(unsigned field, unsigned width) const {
  Shape out;
  for (Span run : all(field)) append_floats(run, width, &out);
  return out;
}

void append_floats(Span run, unsigned width, Shape* out) {
  out->reserve(out->size() + run.size / width);
  for (const std::uint8_t *p = run.data, *end = p + run.size; p < end; p += width) {
    float narrow = 0;
    double wide = 0;
    width == 4 ? std::memcpy(&narrow, p, 4) : std::memcpy(&wide, p, 8);
    out->push_back(word(width == 4 ? narrow : wide));
  }
}

}  // namespace outward_check::onnx
