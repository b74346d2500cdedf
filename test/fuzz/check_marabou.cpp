// Fuzz target: Marabou proofs, from JSON text to judgement. A judgement or ReadError, nothing else.
#include <cstdint>
#include <string_view>

#include "checker/readers/readers.hpp"
#include "checker/translate/marabou.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const outward_check::JsonText document =
        outward_check::parse_json_text({reinterpret_cast<const char*>(data), size});
    if (outward_check::is_marabou_proof(document)) outward_check::judge_marabou(document, {});
  } catch (const outward_check::ReadError&) {
  }
  return 0;
}
