// Fuzz target: the importer of APTP proofs and the test of coverage. A proof, InputRefused or ResourceError.
#include <cstdint>
#include <string_view>

#include "formats/error.hpp"
#include "importers/aptp/aptp.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const outward::AptpProof proof = outward::parse_aptp({reinterpret_cast<const char*>(data), size}, "fuzz", 2, 1);
    if (proof.leaves.size() < 12) outward::cover({}, proof.leaves);
  } catch (const outward::InputRefused&) {
  } catch (const outward::ResourceError&) {
  }
  return 0;
}
