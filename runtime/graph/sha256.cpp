// SHA-256: see sha256.hpp.
#include "runtime/graph/sha256.hpp"

#include <openssl/evp.h>

#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

void require_digest(bool done) {
  if (!done) throw ResourceError("SHA-256 failed");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  require_digest(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  buffer_.reserve(buffer_size);
}

void Sha256::bytes(const void* data, std::size_t count) {
  flush();
  require_digest(count == 0 || EVP_DigestUpdate(context_.get(), data, count) == 1);
}

void Sha256::flush() {
  require_digest(buffer_.empty() || EVP_DigestUpdate(context_.get(), buffer_.data(), buffer_.size()) == 1);
  buffer_.clear();
}

std::string Sha256::hex() {
  flush();
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  require_digest(EVP_DigestFinal_ex(context_.get(), digest, &length) == 1);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(const void* data, std::size_t bytes) {
  Sha256 hash;
  hash.bytes(data, bytes);
  return hash.hex();
}

}  // namespace outward
