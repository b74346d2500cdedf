// Fuzz entry for the array readers, in the form of libFuzzer (LLVMFuzzerTestOneInput).
// The first byte chooses the file name (and with it the reader of unmarked text) and the element type.
#include <cstddef>
#include <cstdint>

#include "importers/arrays/arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* names[] = {"a.npy", "a.csv", "a.json", "a.pb", "a.png", "a.pgm"};
  outward::ArrayRequest request;
  request.element = (data[0] & 8U) != 0 ? outward::ElementType::binary64 : outward::ElementType::binary32;
  request.count = (data[0] & 16U) != 0 ? 12 : 2;
  if ((data[0] & 32U) != 0) request.layout = "nchw";
  try {
    outward::parse_array(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1), names[data[0] % 6],
                         request);
  } catch (const outward::InputRefused&) {
  }
  return 0;
}
