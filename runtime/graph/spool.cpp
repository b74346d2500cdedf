#include "runtime/graph/spool.hpp"

#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "formats/error.hpp"

namespace outward {

namespace {

constexpr std::size_t head_bytes = 8;  // length and checksum, 32 bits each

// FNV-1a over words of eight bytes, folded: a disk that forgets is noticed, a forger is not the point.
std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    sum = (sum ^ word) * prime;
    sum ^= sum >> 32;
  }
  return static_cast<std::uint32_t>(sum ^ (sum >> 32));
}

bool lives_in_memory(int file) {
  constexpr long tmpfs = 0x01021994, ramfs = static_cast<long>(0x858458f6);
  struct statfs s {};
  return ::fstatfs(file, &s) == 0 && (static_cast<long>(s.f_type) == tmpfs || static_cast<long>(s.f_type) == ramfs);
}

int open_unlinked(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = folder + "/outward-XXXXXX";  // file systems without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

Spool::Spool(std::string folder, std::size_t in_memory) : folder_(std::move(folder)), in_memory_(in_memory) {}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

bool Spool::open_file() {
  const char* const wished = std::getenv("TMPDIR");
  std::vector<std::string> folders = {folder_};
  if (folder_.empty()) folders = {"/var/tmp", "/tmp"};
  if (folder_.empty() && wished != nullptr && *wished != '\0') folders.insert(folders.begin(), wished);
  std::string why;
  for (const std::string& folder : folders) {
    file_ = open_unlinked(folder);
    if (file_ >= 0 && !lives_in_memory(file_)) return true;
    why += (why.empty() ? "" : "; ") + folder + ": " + (file_ < 0 ? std::strerror(errno) : "is in memory itself");
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  failure_ = "no temporary file: " + why;
  return false;
}

// Leaves memory_ as it is when anything goes wrong, for good: a file system that failed once is not asked again.
void Spool::flush() {
  constexpr std::uint64_t to_leave_free = std::uint64_t{256} << 20;
  if (!failure_.empty() || (file_ < 0 && !open_file())) return;
  struct statfs s {};
  if (::fstatfs(file_, &s) == 0 &&
      static_cast<std::uint64_t>(s.f_bavail) * static_cast<std::uint64_t>(s.f_bsize) < memory_.size() + to_leave_free) {
    failure_ = "less than 256 MiB of disk would be left free";
    return;
  }
  for (std::size_t done = 0; done < memory_.size();) {
    const ssize_t n =
        ::pwrite(file_, memory_.data() + done, memory_.size() - done, static_cast<off_t>(file_end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failure_ = std::string("cannot write the temporary file: ") + std::strerror(errno);
      return;
    }
    done += static_cast<std::size_t>(n);
  }
  file_end_ += memory_.size();
  memory_.clear();
}

Spool::Place Spool::append(std::span<const std::uint8_t> bytes) {
  if (bytes.size() >> 32 != 0) throw ResourceError("one part of the proof takes more than 4 GiB");
  if (memory_.size() >= in_memory_) flush();
  const Place place = end();
  const std::array<std::uint32_t, 2> head = {static_cast<std::uint32_t>(bytes.size()), checksum(bytes)};
  static_assert(sizeof head == head_bytes);
  const std::size_t at = memory_.size();
  memory_.resize(at + head_bytes);
  std::memcpy(memory_.data() + at, head.data(), head_bytes);
  memory_.insert(memory_.end(), bytes.begin(), bytes.end());
  return place;
}

std::vector<std::uint8_t> Spool::read(Place place) const {
  if (place >= file_end_) {
    const std::uint8_t* const blob = memory_.data() + (place - file_end_);
    return {blob + head_bytes, blob + head_bytes + word_at(blob)};
  }
  constexpr std::size_t usual = 4096;
  std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(usual, file_end_ - place));
  std::size_t have = 0, wanted = head_bytes;
  for (bool sized = false; have < wanted;) {
    const ssize_t n = ::pread(file_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(place + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw ResourceError("the temporary file of the proof cannot be read");
    have += static_cast<std::size_t>(n);
    if (sized || have < head_bytes) continue;
    sized = true;
    wanted = head_bytes + word_at(bytes.data());
    if (place + wanted > file_end_) throw ResourceError("the temporary file of the proof holds something else");
    if (bytes.size() < wanted) bytes.resize(wanted);
  }
  const std::uint32_t sum = word_at(bytes.data() + 4);
  bytes.resize(wanted);
  bytes.erase(bytes.begin(), bytes.begin() + head_bytes);
  if (checksum(bytes) != sum) throw ResourceError("the temporary file of the proof holds something else");
  return bytes;
}

void Spool::rewind(Place end) {
  if (end >= file_end_) {
    memory_.resize(end - file_end_);
    return;
  }
  memory_.clear();
  file_end_ = end;
}

}  // namespace outward
