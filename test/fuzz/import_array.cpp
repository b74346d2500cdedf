// Fuzz target: the prover's readers of input arrays. Bits or InputRefused, nothing else; and where the checker's
// readers take the same bytes, both read the same. Whole for seed files; for mutants the first byte chooses name, type,
// layout.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "checker/translate/arrays.hpp"
#include "importers/arrays/arrays.hpp"

namespace {

using Bits = std::optional<std::vector<std::uint64_t>>;

void compare(const std::uint8_t* data, std::size_t size, const char* name, bool is_binary64, const char* layout) {
  constexpr std::uint64_t count = 12;
  outward_check::Graph graph;
  graph.is_binary64 = is_binary64;
  graph.nodes.resize(1);
  graph.nodes[0].size = count;
  graph.input_shape = {1, 3, 2, 2};
  Bits checker, prover;
  try {
    checker = outward_check::parse_array({data, data + size}, name, graph, layout);
  } catch (const outward_check::ReadError&) {
  }
  try {
    const auto element = is_binary64 ? outward::ElementType::binary64 : outward::ElementType::binary32;
    prover = outward::parse_array({reinterpret_cast<const char*>(data), size}, name,
                                  {element, count, graph.input_shape, layout});
  } catch (const outward::InputRefused&) {
  }
  if (checker && prover && checker != prover) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const names[] = {"a.npy", "a.csv", "a.json", "a.pb", "a.png", "a.pgm"};
  static const char* const layouts[] = {"", "nchw", "nhwc"};
  for (const char* name : names) compare(data, size, name, false, "nchw");
  compare(data + 1, size - 1, names[data[0] % 6], (data[0] & 8) != 0, layouts[data[0] / 16 % 3]);
  return 0;
}
