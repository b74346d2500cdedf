// Fuzz target for the checker's ONNX reader. Whatever the bytes are: a graph without fault, or ReadError; and where the
// prover's importer takes the same bytes, both have the same digest. Anything else is a finding.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "checker/readers/readers.hpp"
#include "checker/report/identity.hpp"
#include "importers/onnx/onnx.hpp"

namespace {

std::string checker_digest(const std::string& path) {
  try {
    const outward_check::ModelRead read = outward_check::read_model(path, {});
    if (!outward_check::graph_fault(read.graph).empty()) std::abort();
    return outward_check::graph_digest(read.graph);
  } catch (const outward_check::ReadError&) {
    return "";
  }
}

std::string prover_digest(const std::string& path) {
  try {
    return outward::graph_digest(outward::import_onnx(path, {}).graph);
  } catch (const outward::InputRefused&) {
    return "";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("model", 0);
  if (file < 0) std::abort();
  if (write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const std::string checker = checker_digest(path), prover = prover_digest(path);
  if (!checker.empty() && !prover.empty() && checker != prover) std::abort();
  close(file);
  return 0;
}
