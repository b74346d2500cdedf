// Fuzz target: the checker's PNG reader, on the bytes as they are and with every checksum of a chunk made right, so
// that mutants get behind them. The prover's reader (libpng) must accept the same files and read the same samples.
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "checker/translate/arrays.hpp"
#include "checker/translate/inflate.hpp"
#include "checker/translate/png.hpp"
#include "importers/arrays/arrays.hpp"

namespace {

using Bytes = outward_check::Bytes;
using Bits = std::optional<std::vector<std::uint64_t>>;

void repair(Bytes* file) {
  for (std::size_t at = 8; file->size() - at >= 12 && file->size() >= 8;) {
    const std::uint8_t* p = file->data() + at;
    const std::size_t length = std::size_t{p[0]} << 24 | std::size_t{p[1]} << 16 | std::size_t{p[2]} << 8 | p[3];
    if (length > file->size() - at - 12) return;
    const std::uint32_t crc = outward_check::crc32(p + 4, length + 4);
    for (std::size_t k = 0; k < 4; ++k) (*file)[at + 8 + length + k] = static_cast<std::uint8_t>(crc >> (24 - 8 * k));
    at += 12 + length;
  }
}

void compare(const Bytes& file, std::uint64_t count) {
  outward_check::Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].size = count;
  graph.input_shape = {static_cast<std::int64_t>(count)};
  Bits checker, prover;
  try {
    checker = outward_check::parse_array(file, "a", graph, "nhwc");
  } catch (const outward_check::ReadError&) {
  }
  try {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    prover = outward::parse_array(text, "a", {outward::ElementType::binary32, count, graph.input_shape, "nhwc"});
  } catch (const outward::InputRefused&) {
  }
  if (checker != prover) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes file(data, data + size);
  std::uint64_t count = 12;  // or what the header announces, if that is little
  if (size > 24 && data[16] == 0 && data[17] == 0 && data[18] == 0 && data[20] == 0 && data[21] == 0 && data[22] == 0)
    count = std::uint64_t{data[19]} * data[23] * (size > 25 && data[25] == 2 ? 3 : 1);
  for (int i = 0; i < 2; ++i, repair(&file)) {
    if (count > 0 && size > 0) compare(file, count);
  }
  return 0;
}
