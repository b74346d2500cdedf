#include "certificates/certificate_text.hpp"

#include "formats/error.hpp"
#include "runtime/graph/sha256.hpp"

namespace outward {

void CertificateText::append(std::string_view text) {
  constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
  tail_ += text;
  if (tail_.size() < chunk_bytes) return;
  chunks_.push_back({spool_->append({reinterpret_cast<const std::uint8_t*>(tail_.data()), tail_.size()}), spooled_});
  spooled_ += tail_.size();
  tail_.clear();
}

void CertificateText::cut(std::uint64_t bytes) {
  if (bytes < spooled_) {
    while (chunks_.back().start > bytes) chunks_.pop_back();
    const Chunk last = chunks_.back();
    try {
      tail_ = read(last);
    } catch (const ResourceError& error) {
      lost_ = error.what();
      tail_.clear();
    }
    spool_->rewind(last.place);
    spooled_ = last.start;
    chunks_.pop_back();
  }
  tail_.resize(bytes - spooled_);
}

std::string CertificateText::read(const Chunk& chunk) const {
  const std::vector<std::uint8_t> bytes = spool_->read(chunk.place);
  return {bytes.begin(), bytes.end()};
}

void CertificateText::pieces(const std::function<void(std::string_view)>& each) const {
  if (!lost_.empty()) throw ResourceError(lost_);
  for (const Chunk& chunk : chunks_) each(read(chunk));
  each(tail_);
}

std::string CertificateText::whole() const {
  std::string text;
  pieces([&](std::string_view piece) { text += piece; });
  return text;
}

std::string CertificateText::sha256() const {
  Sha256 hash;
  pieces([&](std::string_view piece) { hash.text(piece); });
  return hash.hex();
}

}  // namespace outward
