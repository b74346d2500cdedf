// Fuzz target: the checker's readers of input arrays; the first byte chooses the name and the layout.
#include <cstdint>

#include "checker/translate/arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const names[] = {"a.npy", "a.csv", "a.json", "a.pb", "a.pgm", "a.txt"};
  static const char* const layouts[] = {"", "nchw", "nhwc"};
  outward_check::Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].size = 12;
  graph.input_shape = {1, 3, 2, 2};
  const outward_check::Bytes all(data, data + size), rest(data + (size != 0), data + size);
  for (int i = 0; i < 2; ++i) {  // whole for seed files, without the choosing byte for mutants
    graph.is_binary64 = i == 0;
    for (const char* name : names) {
      if (i == 1 && (size == 0 || name != names[data[0] % 6])) continue;
      try {
        outward_check::parse_array(i == 0 ? all : rest, name, graph, layouts[i == 0 ? 0 : data[0] / 6 % 3]);
      } catch (const outward_check::ReadError&) {
      }
    }
  }
  return 0;
}
