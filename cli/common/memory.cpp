#include "cli/common/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace outward::cli {

namespace {

// The number in a file that holds nothing else; 0 if there is none (a control group without limit says "max").
std::uint64_t number_in(const char* path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  return in >> value ? value : 0;
}

std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string name; in >> name;) {
    std::uint64_t kilobytes = 0;
    if (name == "MemAvailable:" && in >> kilobytes) return kilobytes * 1024;
    in.ignore(1000, '\n');
  }
  return 0;
}

}  // namespace

std::uint64_t parse_bytes(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0 || end > 18 || text.size() > end + 1) return 0;
  const std::size_t unit = end == text.size() ? 0 : std::string("KMGT").find(text[end]) + 1;
  if (end < text.size() && unit == 0) return 0;
  const std::uint64_t value = std::stoull(text), most = (std::uint64_t{1} << 60) >> (10 * unit);
  return value > most ? 0 : value << (10 * unit);
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  return in >> all >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t default_memory_limit() {
  std::uint64_t free = available_memory();
  const std::uint64_t group = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (group > 0) free = std::min(free, group > used ? group - used : 0);
  return free / 5 * 4;
}

}  // namespace outward::cli
