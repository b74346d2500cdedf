// Fuzz target: the checker's reader of APTP queries. A property or ReadError, nothing else.
#include <cstdint>
#include <string_view>

#include "checker/readers/readers.hpp"
#include "checker/translate/aptp.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  outward_check::is_aptp_proof(text);
  try {
    outward_check::read_aptp_property(text, "fuzz", 2, 1);
  } catch (const outward_check::ReadError&) {
  }
  return 0;
}
