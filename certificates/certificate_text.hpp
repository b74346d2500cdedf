// The text of a certificate, from its first record until it is saved. Long texts leave memory as they grow (Spool).
// Assumes one thread. Promises: the pieces that come out are what went in, or ResourceError.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/spool.hpp"

namespace outward {

class CertificateText {
 public:
  // in_memory: bytes that stay in memory before there is a temporary file.
  explicit CertificateText(std::size_t in_memory = std::size_t{1} << 20)
      : spool_(std::make_unique<Spool>("", in_memory)) {}

  void append(std::string_view text);
  // Forgets what follows the first `bytes` bytes. A temporary file that cannot be read is reported by pieces().
  void cut(std::uint64_t bytes);

  std::uint64_t size() const { return spooled_ + tail_.size(); }
  bool empty() const { return size() == 0; }
  std::uint64_t bytes_on_disk() const { return spool_->bytes_on_disk(); }

  // Calls `each` with all of the text in order.
  void pieces(const std::function<void(std::string_view)>& each) const;
  std::string whole() const;
  std::string sha256() const;  // lower case

 private:
  struct Chunk {
    Spool::Place place;
    std::uint64_t start;  // bytes of text before it
  };
  std::string read(const Chunk& chunk) const;

  std::unique_ptr<Spool> spool_;
  std::vector<Chunk> chunks_;
  std::uint64_t spooled_ = 0;  // bytes of text in chunks_
  std::string tail_, lost_;    // what follows them; why there is no text any more
};

}  // namespace outward
