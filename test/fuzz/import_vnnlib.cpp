// Fuzz target: the VNN-LIB readers of prover and checker. Any input must be read or refused, and what both read is the
// same property; every other exception, a crash or a timeout is a finding.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "checker/readers/readers.hpp"
#include "checker/report/identity.hpp"
#include "importers/source/source.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "runtime/graph/property.hpp"

namespace {

void compare(std::string_view text, std::uint64_t inputs, std::uint64_t outputs) {
  std::string checker, prover;
  try {
    checker = outward_check::property_digest(outward_check::read_vnnlib(text, "fuzz", inputs, outputs));
  } catch (const outward_check::ReadError&) {
  }
  try {
    prover = outward::property_digest(outward::parse_vnnlib(text, "fuzz", inputs, outputs));
  } catch (const outward::InputRefused&) {
  }
  if (!checker.empty() && !prover.empty() && checker != prover) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    outward::summarize_vnnlib_text(outward::is_gzip(text) ? outward::gunzip(text, "fuzz") : std::string(text), "fuzz");
  } catch (const outward::InputRefused&) {
  }
  for (const auto& [inputs, outputs] : {std::pair{1, 1}, {2, 1}, {2, 2}, {3, 2}, {6, 2}})
    compare(text, static_cast<std::uint64_t>(inputs), static_cast<std::uint64_t>(outputs));
  return 0;
}
