// PNG images (PNG specification, second edition), read by our own code. Assumes nothing about the bytes. Promises the
// samples exactly as stored: grey or RGB of 8 or 16 bits; no gamma, palette, transparency or depth conversion.
#pragma once
#include "checker/readers/readers.hpp"

namespace outward_check {

struct PngImage {
  std::uint32_t width = 0, height = 0, channels = 0;  // at most 65535 by 65535; 1 or 3 channels
  std::vector<std::uint16_t> samples;                 // height, width, channels; channels vary fastest
};

// count: the number of samples; an image of another size is refused before it is unpacked. ReadError: unsupported for
// other kinds of PNG and unknown critical chunks, malformed for the rest (order of the chunks, checksums, length of the
// data, filters, bytes after the last chunk). Ancillary chunks other than tRNS are skipped.
PngImage read_png(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t count);

}  // namespace outward_check
