// Fuzz target for the ONNX importer (libFuzzer entry point, driven by driver.cpp or by clang's -fsanitize=fuzzer).
// Whatever the bytes are: a valid graph that runs, or InputRefused. Any other exception or a crash is a finding.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "importers/onnx/onnx.hpp"
#include "runtime/cpu/reference.hpp"
#include "runtime/graph/groups.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("model", 0);
  if (file < 0) std::abort();
  if (write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const outward::Model model = outward::import_onnx("/proc/self/fd/" + std::to_string(file), {});
    outward::find_groups(model.graph);
    if (model.graph.nodes[0].size < 10000)
      outward::run_reference(model.graph, std::vector<double>(model.graph.nodes[0].size, 0.5));
  } catch (const outward::InputRefused& refused) {
    if (refused.blockers.empty()) std::abort();
  }
  close(file);
  return 0;
}
