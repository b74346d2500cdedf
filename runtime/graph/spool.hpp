// Bytes of a proof that leave memory while it grows: in an unlinked temporary file, which disappears with the process
// however that ends. Few bytes stay in memory, and so does everything from the first failure of the file system on.
// Assumes one thread. Promises: what read() returns is what append() got, or it throws.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace outward {

class Spool {
 public:
  using Place = std::uint64_t;  // below 2^61
  static constexpr Place nowhere = (Place{1} << 61) - 1;

  // folder: where the file goes; empty: TMPDIR, or else /var/tmp or /tmp, whichever can be used. A folder that is
  // itself in memory cannot: --memory would not see it. in_memory: bytes kept before there is a file.
  explicit Spool(std::string folder = "", std::size_t in_memory = std::size_t{1} << 20);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  Place append(std::span<const std::uint8_t> bytes);
  // Throws ResourceError if the file cannot be read or does not hold what was written.
  std::vector<std::uint8_t> read(Place place) const;

  // Forgets what was appended since end() was `end`.
  Place end() const { return file_end_ + memory_.size(); }
  void rewind(Place end);

  std::size_t bytes_in_memory() const { return memory_.size(); }
  std::uint64_t bytes_on_disk() const { return file_end_; }
  // Why bytes stay in memory that should not; empty if all is well.
  const std::string& failure() const { return failure_; }

 private:
  bool open_file();
  void flush();

  std::string folder_, failure_;
  std::size_t in_memory_;
  int file_ = -1;
  std::uint64_t file_end_ = 0;        // bytes of the file that count
  std::vector<std::uint8_t> memory_;  // what follows them; a blob is in one of the two as a whole
};

}  // namespace outward
