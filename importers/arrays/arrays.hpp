// Reads a point (one number per model input) from .npy, .csv, .json, ONNX TensorProto (.pb), PNG, PGM or PPM.
// Assumes nothing about the file; the format is told by content, the name only separates .csv, .txt, .json and .pb. A
// gzip file (by content) is unpacked first; an ending .gz of the name is then dropped.
// Promises: finite numbers only, in row-major order of the model's input; nothing is rounded silently: numbers of npy
// and pb files must be exactly representable in the element type, decimal texts (csv, json) are rounded to nearest
// even, which is what writing a decimal means; image pixels are their integer sample values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

struct ArrayRequest {
  ElementType element = ElementType::binary32;
  std::uint64_t count = 0;          // elements the model takes
  std::vector<std::int64_t> shape;  // of the model's input; {} when unknown. Arrays of another shape are refused
                                    // unless either side is flat (dimensions of 1 do not count)
  std::string layout;               // "nchw", "nhwc" or "": how the model orders image samples
  bool rows = false;                // of the readers in raw.hpp: any multiple of count, for several points
};

// Bit patterns of the element type (binary32 ones in the low half). Throws InputRefused.
std::vector<std::uint64_t> read_array(const std::string& path, const ArrayRequest& request);
std::vector<std::uint64_t> read_array(const std::string& path, ElementType element, std::uint64_t expected_count);

// The same from memory; name decides between .csv, .json and .pb and stands for the file in messages.
std::vector<std::uint64_t> parse_array(std::string_view bytes, const std::string& name, const ArrayRequest& request);

}  // namespace outward
