// SHA-256 (OpenSSL) of bytes that arrive in pieces. Throws ResourceError if the library fails.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace outward {

class Sha256 {
 public:
  Sha256();
  void bytes(const void* data, std::size_t count);
  void text(std::string_view piece) { bytes(piece.data(), piece.size()); }
  // Least significant byte first, `count` of the eight bytes.
  void word(std::uint64_t value, unsigned count = 8) {
    if (buffer_.size() + count > buffer_size) flush();
    for (unsigned i = 0; i < count; ++i) buffer_.push_back(static_cast<unsigned char>(value >> (8 * i)));
  }
  std::string hex();  // ends it; lower case

 private:
  static constexpr std::size_t buffer_size = 1 << 16;  // words are short, calls of the library are not
  void flush();
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
  std::vector<unsigned char> buffer_;
};

}  // namespace outward
