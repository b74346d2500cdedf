// The temporary files of this process that have no name any more, to spoil them: a disk that forgets.
#pragma once
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace outward::testing {

// Opens each of them anew and calls `spoil` with it, empty ones left out. Returns how many there were.
template <class Spoil>
int spoil_files(const Spoil& spoil) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (error || target.find("(deleted)") == std::string::npos) continue;
    const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
    struct stat s {};
    if (file >= 0 && ::fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
      spoil(file);
      ++found;
    }
    if (file >= 0) ::close(file);
  }
  return found;
}

// A file cut to its first byte.
inline void cut_short(int file) { REQUIRE(::ftruncate(file, 1) == 0); }

}  // namespace outward::testing
