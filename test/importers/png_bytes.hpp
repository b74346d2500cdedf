// PNG files by libpng, for the tests of readers that must agree with it.
#pragma once
#include <png.h>

#include <cstdint>
#include <string>
#include <vector>

namespace outward::testing {

extern "C" inline void append_png(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

// every_filter: libpng chooses among all filters, row by row.
inline std::string png_bytes(std::uint32_t width, std::uint32_t height, int colour, int depth,
                             std::vector<unsigned char> samples, bool interlaced = false, bool every_filter = false) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, append_png, nullptr);
  png_set_IHDR(png, info, width, height, depth, colour, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (every_filter) png_set_filter(png, 0, PNG_ALL_FILTERS);
  std::vector<png_bytep> rows(height);
  for (std::uint32_t y = 0; y < height; ++y) rows[y] = samples.data() + y * (samples.size() / height);
  png_write_info(png, info);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

}  // namespace outward::testing
