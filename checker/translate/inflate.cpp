// Inflate. Assumes nothing about the bytes. Promises the exact output of a well-formed member or
// ReadError, and never more memory than the limits allow.
#include "checker/translate/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace outward_check {

namespace {

constexpr std::uint64_t free_output = std::uint64_t{1} << 20;

constexpr std::array<std::uint32_t, 256> make_crc32_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int k = 0; k < 8; ++k) table[i] = (table[i] & 1 ? 0xedb88320u : 0) ^ (table[i] >> 1);
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> crc32_table = make_crc32_table();

std::uint32_t little_endian(const std::uint8_t* p) {
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}

std::uint32_t adler32(const Bytes& bytes) {
  std::uint32_t a = 1, b = 0;
  for (std::uint8_t byte : bytes) a = (a + byte) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}

constexpr unsigned fast_bits = 10;
constexpr std::uint8_t length_order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// A canonical prefix code. Codes of up to fast_bits bits are looked up, longer ones counted.
struct Code {
  std::array<std::uint16_t, 16> count = {};             // codes of each length
  std::array<std::uint16_t, 320> symbols = {};          // in code order
  std::array<std::uint16_t, 1 << fast_bits> fast = {};  // symbol * 16 + length, 0 if longer
};

class Inflater {
 public:
  Inflater(const std::uint8_t* data, std::size_t size, const std::string& place)
      : data_(data), size_(size), place_(place) {}

  Bytes gzip(std::uint64_t most) {
    limit_ = std::min(most, std::max(free_output, limit(Limit::unpacked_ratio) * size_));
    gzip_header();
    if (size_ >= 8) {  // the length at the end is only a hint until it is checked
      out_.reserve(std::min<std::size_t>(little_endian(data_ + size_ - 4), limit_));
    }
    blocks();
    need(8);
    if (little_endian(data_ + at_) != crc32(out_.data(), out_.size())) fail("checksum differs");
    if (little_endian(data_ + at_ + 4) != static_cast<std::uint32_t>(out_.size())) {
      fail("length field differs from the data");
    }
    at_ += 8;
    if (at_ != size_) fail("bytes after the member (one member is expected)");
    return std::move(out_);
  }

  Bytes zlib(std::uint64_t most) {
    limit_ = most, is_gzip_ = false;
    need(2);
    if ((data_[0] & 15) != 8 || data_[0] >> 4 > 7) fail("compression method or window size");
    if ((data_[0] * 256u + data_[1]) % 31 != 0) fail("header check bits");
    if ((data_[1] & 0x20) != 0) fail("a preset dictionary");
    at_ = 2;
    blocks();
    need(4);
    const std::uint32_t sum = adler32(out_);
    for (int shift = 24; shift >= 0; shift -= 8, ++at_) {
      if (data_[at_] != (sum >> shift & 0xff)) fail("checksum differs");
    }
    if (at_ != size_) fail("bytes after the stream");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string at =
        (is_gzip_ ? ": gzip.data: byte " : ": zlib.data: byte ") + std::to_string(std::min(at_, size_)) + ": ";
    throw ReadError(ReadError::Class::malformed, place_ + at + what);
  }

  void need(std::size_t n) const {  // REQUIRES at_ <= size_
    if (size_ - at_ < n) fail("the file ends early");
  }

  void blocks() {
    for (bool last = false; !last;) {
      last = take(1) != 0;
      const std::uint32_t type = take(2);
      if (type == 0) stored();
      if (type == 1) fixed();
      if (type == 2) dynamic();
      if (type == 3) fail("unknown block type 3");
    }
    at_ -= bits_ / 8;  // whole bytes read ahead go back; the rest of the current byte is padding
    if (at_ > size_) fail("the file ends early");
  }

  void gzip_header() {
    need(10);
    if (data_[0] != 0x1f || data_[1] != 0x8b) fail("not a gzip file");
    if (data_[2] != 8) fail("compression method is not deflate");
    const unsigned flags = data_[3];
    if ((flags & 0xe0) != 0) fail("reserved header flags");
    at_ = 10;
    if ((flags & 4) != 0) {  // extra field
      need(2);
      const std::size_t extra = 2u + data_[at_] + 256u * data_[at_ + 1];
      need(extra);
      at_ += extra;
    }
    for (unsigned flag : {8u, 16u}) {  // file name, comment: up to a zero byte
      if ((flags & flag) == 0) continue;
      for (need(1); data_[at_] != 0; need(1)) ++at_;
      ++at_;
    }
    if ((flags & 2) == 0) return;
    need(2);
    if ((crc32(data_, at_) & 0xffff) != data_[at_] + 256u * data_[at_ + 1]) {
      fail("header checksum differs");
    }
    at_ += 2;
  }

  // At least 57 bits in the buffer; a few zero bytes stand for what is behind the end of the file.
  void fill() {
    for (; bits_ <= 56; bits_ += 8, ++at_) {
      if (at_ < size_) buffer_ |= std::uint64_t{data_[at_]} << bits_;
      if (at_ > size_ + 16) fail("the file ends early");
    }
  }

  std::uint32_t take(unsigned n) {  // n <= 16
    if (bits_ < n) fill();
    const std::uint32_t value = static_cast<std::uint32_t>(buffer_ & ((1u << n) - 1));
    buffer_ >>= n, bits_ -= n;
    return value;
  }

  void room(std::size_t n) const {
    if (n <= limit_ - out_.size()) return;
    if (!is_gzip_) fail("more than the expected " + std::to_string(limit_) + " bytes");
    const bool by_ratio = limit_ < limit(Limit::unpacked_bytes);
    over(by_ratio ? Limit::unpacked_ratio : Limit::unpacked_bytes, place_ + ": gzip.size: output too large");
  }

  void stored() {
    take(bits_ % 8);
    std::uint32_t left = take(16);
    if (take(16) != (left ^ 0xffff)) fail("stored block length and its complement differ");
    room(left);
    for (; left != 0 && bits_ != 0; --left) out_.push_back(static_cast<std::uint8_t>(take(8)));
    if (left == 0) return;
    if (at_ > size_) fail("the file ends early");
    need(left);
    out_.insert(out_.end(), data_ + at_, data_ + at_ + left);
    at_ += left;
  }

  // Over-full codes are refused; incomplete ones too, except no code and, if allowed, one code of one bit.
  Code build(const std::uint8_t* lengths, std::size_t n, bool one_is_enough) const {
    Code code;
    for (std::size_t i = 0; i < n; ++i) ++code.count[lengths[i]];
    const std::size_t used = n - code.count[0];
    code.count[0] = 0;
    std::array<std::uint32_t, 16> first = {}, offset = {};
    std::int32_t left = 1;
    for (std::size_t l = 1; l < 16; ++l) {
      left = left * 2 - code.count[l];
      if (left < 0) fail("over-full prefix code");
      first[l] = (first[l - 1] + code.count[l - 1]) * 2;
      offset[l] = offset[l - 1] + code.count[l - 1];
    }
    if (left != 0 && used != 0 && !(one_is_enough && used == 1 && code.count[1] == 1)) fail("incomplete prefix code");
    for (std::size_t i = 0; i < n; ++i) {
      const unsigned l = lengths[i];
      if (l == 0) continue;
      code.symbols[offset[l]++] = static_cast<std::uint16_t>(i);
      std::uint32_t reversed = 0;
      for (unsigned b = 0; b < l; ++b) reversed |= (first[l] >> b & 1) << (l - 1 - b);
      ++first[l];
      for (; l <= fast_bits && reversed < code.fast.size(); reversed += 1u << l) {
        code.fast[reversed] = static_cast<std::uint16_t>(i * 16 + l);
      }
    }
    return code;
  }

  std::uint32_t symbol(const Code& code) {
    if (bits_ < 15) fill();
    const std::uint32_t entry = code.fast[buffer_ & (code.fast.size() - 1)];
    if (entry != 0) {
      buffer_ >>= entry & 15, bits_ -= entry & 15;
      return entry >> 4;
    }
    std::uint32_t value = 0, first = 0, index = 0;
    for (std::size_t l = 1; l < 16; ++l, value *= 2, first *= 2) {
      value |= take(1);
      if (value - first < code.count[l]) return code.symbols[index + value - first];
      index += code.count[l], first += code.count[l];
    }
    fail("a code that stands for nothing");
  }

  void fixed() {
    std::array<std::uint8_t, 288> lengths;
    for (std::size_t i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    const Code literals = build(lengths.data(), 288, false);
    lengths.fill(5);
    block(literals, build(lengths.data(), 32, false));
  }

  void dynamic() {
    const std::size_t literals = take(5) + 257, all = literals + take(5) + 1, n = take(4) + 4;
    if (literals > 286 || all - literals > 30) fail("too many code lengths");
    std::array<std::uint8_t, 320> lengths = {};
    for (std::size_t i = 0; i < n; ++i) {
      lengths[length_order[i]] = static_cast<std::uint8_t>(take(3));
    }
    const Code meta = build(lengths.data(), std::size(length_order), false);
    for (std::size_t i = 0; i < all;) {
      const std::uint32_t s = symbol(meta);
      if (s == 16 && i == 0) fail("repeat of a length before the first");
      const int value = s < 16 ? static_cast<int>(s) : s == 16 ? lengths[i - 1] : 0;
      const std::size_t times = s < 16 ? 1 : s == 16 ? 3 + take(2) : s == 17 ? 3 + take(3) : 11 + take(7);
      if (times > all - i) fail("code lengths run over their end");
      std::memset(lengths.data() + i, value, times);
      i += times;
    }
    if (lengths[256] == 0) fail("no code for the end of the block");
    const Code code = build(lengths.data(), literals, true);
    block(code, build(lengths.data() + literals, all - literals, true));
  }

  void block(const Code& literals, const Code& distances) {
    for (std::uint32_t s = symbol(literals); s != 256; s = symbol(literals)) {
      if (s < 256) {
        room(1);
        out_.push_back(static_cast<std::uint8_t>(s));
        continue;
      }
      // Length codes from 4 on cover ranges of 2^(c/4 - 1) lengths, distance codes from 2 on ranges
      // of 2^(d/2 - 1) distances; the last length code is the single length 258.
      const std::uint32_t c = s - 257;
      if (c > 28) fail("unknown length code");
      const unsigned bits = c < 4 || c == 28 ? 0 : c / 4 - 1;
      const std::size_t length = c == 28 ? 258 : 3 + (c < 4 ? c : (4 + c % 4) << bits) + take(bits);
      const std::uint32_t d = symbol(distances);
      if (d > 29) fail("unknown distance code");
      const unsigned more = d < 2 ? 0 : d / 2 - 1;
      const std::size_t distance = 1 + (d < 2 ? d : (2 + d % 2) << more) + take(more);
      if (distance > out_.size()) fail("distance reaches before the start of the output");
      room(length);
      out_.resize(out_.size() + length);
      std::uint8_t* p = out_.data() + out_.size() - length;
      const std::uint8_t* from = p - distance;
      for (std::size_t i = 0; i < length; ++i) p[i] = from[i];  // may overlap on purpose
    }
  }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  const std::string& place_;
  std::uint64_t limit_ = 0, buffer_ = 0;
  bool is_gzip_ = true;
  unsigned bits_ = 0;
  Bytes out_;
};

}  // namespace

Bytes inflate_gzip(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t max_output) {
  return Inflater(data, size, place).gzip(max_output);
}

Bytes inflate_zlib(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t max_output) {
  return Inflater(data, size, place).zlib(max_output);
}

std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  std::uint32_t c = 0xffffffffu;
  for (; size != 0; --size, ++data) c = crc32_table[(c ^ *data) & 0xff] ^ (c >> 8);
  return ~c;
}

}  // namespace outward_check
