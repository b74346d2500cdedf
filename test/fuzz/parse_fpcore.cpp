// Fuzz target: FPCore texts. What is read is analysed over a few boxes; everything else is InputRefused, and nothing
// else happens.
#include <cstdint>
#include <string_view>

#include "bounds/roundoff/fpcore/analyse.hpp"
#include "bounds/roundoff/fpcore/parse.hpp"
#include "formats/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fpcore = outward::fpcore;
  if (size > 20000) return 0;  // as many nested constants as fit into the time of one input
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const fpcore::Core& core : fpcore::parse_cores(text, "fuzz"))
      if (core.nodes.size() < 500) fpcore::analyse(core, {}, {12, 1, 1e-2});
  } catch (const outward::InputRefused&) {
  }
  return 0;
}
