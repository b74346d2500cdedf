// Fuzz target: the checker's inflate, as a whole member and as the body behind a plain header.
#include <cstdint>

#include "checker/translate/inflate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  outward_check::Bytes member = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  member.insert(member.end(), data, data + size);
  member.insert(member.end(), 8, 0);
  for (int whole = 0; whole < 2; ++whole) {
    try {
      outward_check::inflate_gzip(whole ? data : member.data(), whole ? size : member.size(), "fuzz", 1 << 24);
    } catch (const outward_check::ReadError&) {
    }
  }
  return 0;
}
