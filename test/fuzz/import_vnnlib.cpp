// Fuzz entry for the VNN-LIB readers, in the form of libFuzzer (LLVMFuzzerTestOneInput).
// Any input must be read or refused; every other exception, a crash or a timeout is a finding.
#include <cstddef>
#include <cstdint>

#include "importers/source/source.hpp"
#include "importers/vnnlib/vnnlib.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    outward::summarize_vnnlib_text(outward::is_gzip(text) ? outward::gunzip(text, "fuzz") : std::string(text), "fuzz");
  } catch (const outward::InputRefused&) {
  }
  try {
    outward::parse_vnnlib(text, "fuzz", 2, 1);
  } catch (const outward::InputRefused&) {
  }
  return 0;
}
