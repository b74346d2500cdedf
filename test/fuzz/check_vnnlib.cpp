// Fuzz target: the checker's VNN-LIB reader for several model sizes. A property or ReadError, nothing else.
#include <cstdint>
#include <string_view>

#include "checker/readers/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::uint64_t inputs = 1; inputs <= 5; inputs += 2) {
    try {
      outward_check::read_vnnlib(text, "fuzz", inputs / 2 + 1, inputs);
    } catch (const outward_check::ReadError&) {
    }
  }
  return 0;
}
