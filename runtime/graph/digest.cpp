// SHA-256 (OpenSSL) and the graph digest of certificates/FORMAT.md section 1.
// Assumes: a graph that validate() accepts. Promises: the digest depends on nothing but what section 1 lists.
#include <openssl/evp.h>

#include <bit>
#include <memory>
#include <vector>

#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw ResourceError("SHA-256 failed");
    buffer_.reserve(buffer_size);
  }
  void bytes(const void* data, std::size_t count) {
    flush();
    update(data, count);
  }
  // Least significant byte first, `count` of the eight bytes.
  void word(std::uint64_t value, unsigned count = 8) {
    if (buffer_.size() + count > buffer_size) flush();
    for (unsigned i = 0; i < count; ++i) buffer_.push_back(static_cast<unsigned char>(value >> (8 * i)));
  }
  std::string hex() {
    flush();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest, &length) != 1) throw ResourceError("SHA-256 failed");
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      text += digits[digest[i] >> 4];
      text += digits[digest[i] & 15];
    }
    return text;
  }

 private:
  static constexpr std::size_t buffer_size = 1 << 16;
  void update(const void* data, std::size_t count) {
    if (count > 0 && EVP_DigestUpdate(context_.get(), data, count) != 1) throw ResourceError("SHA-256 failed");
  }
  void flush() {
    update(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  std::vector<unsigned char> buffer_;
};

}  // namespace

std::string sha256_hex(const void* data, std::size_t bytes) {
  Sha256 hash;
  hash.bytes(data, bytes);
  return hash.hex();
}

std::string graph_digest(const Graph& graph) {
  const bool single = graph.element == ElementType::binary32;
  Sha256 hash;
  hash.bytes("outward-graph-1\n", 16);
  hash.word(single ? 32 : 64);
  hash.word(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    hash.word(static_cast<std::uint64_t>(node.kind));
    hash.word(node.operands.size());
    for (std::uint32_t operand : node.operands) hash.word(operand);
    hash.word(node.size);
    hash.word(node.ints.size());
    for (std::int64_t value : node.ints) hash.word(static_cast<std::uint64_t>(value));
    hash.word(node.payload.size());
    for (double value : node.payload) {
      if (single)
        hash.word(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
      else
        hash.word(std::bit_cast<std::uint64_t>(value));
    }
  }
  hash.word(graph.output);
  return hash.hex();
}

}  // namespace outward
