// Images: PNG (8- and 16-bit grey or RGB) and PGM/PPM (plain and raw). Samples are the integers in the file.
// Promises: no gamma, palette, transparency or depth conversion; images that would need one are refused by name.
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "importers/arrays/raw.hpp"

namespace outward::arrays {
namespace {

constexpr std::uint64_t max_side = 65535;

RawArray image_array(std::uint64_t height, std::uint64_t width, std::uint64_t channels) {
  RawArray array;
  array.shape = {height, width, channels};
  array.is_image = true;
  return array;
}

// What libpng's callbacks share. libpng reports errors by longjmp; nothing with a destructor lives between.
struct PngState {
  const char* data = nullptr;
  std::size_t size = 0, at = 0;
  char message[96] = {};
};

extern "C" void png_read_bytes(png_structp png, png_bytep out, png_size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (count > state->size - state->at) png_error(png, "the file ends early");
  std::memcpy(out, state->data + state->at, count);
  state->at += count;
}

extern "C" void png_keep_error(png_structp png, png_const_charp message) {
  auto* state = static_cast<PngState*>(png_get_error_ptr(png));
  std::strncpy(state->message, message, sizeof state->message - 1);
  png_longjmp(png, 1);
}

extern "C" void png_ignore_warning(png_structp, png_const_charp) {}

struct PngHeader {
  png_uint_32 width = 0, height = 0;
  int depth = 0, colour = 0, interlace = 0;
  bool transparent = false;
};

// Each step returns false after an error, with the message in state.
bool png_open_step(png_structp png, png_infop info, PngHeader* header) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, max_side, max_side);
  // Ancillary chunks change no sample and are skipped, all but tRNS. What is left must have no fault at all; by default
  // libpng only warns of wrong checksums, of more image data than the image takes and of misplaced chunks.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_chunk_malloc_max(png, 0);  // nothing is kept, so no size of a chunk is too large
  png_set_benign_errors(png, 0);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);
  png_get_IHDR(png, info, &header->width, &header->height, &header->depth, &header->colour, &header->interlace, nullptr,
               nullptr);
  header->transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  png_set_interlace_handling(png);
  return true;
}

bool png_pixels_step(png_structp png, png_infop info, png_bytepp rows, const PngState* state) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  // libpng skips what follows the end of the compressed data; empty chunks are all that may.
  for (std::size_t at = state->at; state->size - at >= 12 && std::memcmp(state->data + at + 4, "IDAT", 4) == 0;
       at += 12) {
    if (std::memcmp(state->data + at, "\0\0\0\0", 4) != 0) png_error(png, "image data after their end");
  }
  png_read_end(png, info);  // without info, libpng would skip every chunk behind the image unseen
  return true;
}

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

// The samples of a PGM/PPM file, and white space and comments between header words.
class PnmText {
 public:
  PnmText(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::uint64_t number(std::uint64_t limit, const char* what) {
    skip();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(bytes_[at_] - '0');
      if (value > limit) fail(begin, std::string(what) + " is over the limit", "at most " + std::to_string(limit));
    }
    if (at_ == begin) fail(begin, std::string(what) + " is missing", "a decimal integer");
    return value;
  }
  void begin_header() const {
    if (at_ == bytes_.size() || !is_space(bytes_[at_])) fail(at_, "no white space after the kind", "white space");
  }
  // The single white-space byte before raw samples.
  void end_header() {
    if (at_ == bytes_.size() || !is_space(bytes_[at_]))
      fail(at_, "no white space after the header", "one white-space byte");
    ++at_;
  }
  void skip() {
    while (at_ < bytes_.size()) {
      if (is_space(bytes_[at_])) {
        ++at_;
      } else if (bytes_[at_] == '#') {
        at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      } else {
        return;
      }
    }
  }
  std::size_t at() const { return at_; }
  void advance(std::size_t bytes) { at_ += bytes; }
  bool at_end() const { return at_ == bytes_.size(); }
  [[noreturn]] void fail(std::size_t at, const std::string& what, const std::string& expected) const {
    refuse(
        name_ + ": byte " + std::to_string(at), "bad-image", what, expected,
        at < bytes_.size() ? "byte " + std::to_string(static_cast<unsigned char>(bytes_[at])) : "the end of the file");
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 2;  // after the magic number
};

}  // namespace

RawArray parse_png(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  PngState state{bytes.data(), bytes.size(), 0, {}};
  PngReader reader;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, png_keep_error, png_ignore_warning);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw ResourceError("libpng could not be started");
  png_set_read_fn(reader.png, &state, png_read_bytes);
  const auto damaged = [&] {
    refuse(name + ": byte " + std::to_string(state.at), "bad-image", "the PNG file is damaged",
           "a well-formed PNG image", state.message);
  };
  PngHeader header;
  if (!png_open_step(reader.png, reader.info, &header)) damaged();
  if (bytes.substr(12, 4) != "IHDR") {
    refuse(name + ": byte 12", "bad-image", "the PNG file is damaged", "IHDR as the first chunk", "another chunk");
  }
  const bool grey = header.colour == PNG_COLOR_TYPE_GRAY, rgb = header.colour == PNG_COLOR_TYPE_RGB;
  if ((!grey && !rgb) || (header.depth != 8 && header.depth != 16) || header.transparent) {
    refuse(name, "unsupported-image", "this kind of PNG is not supported",
           "8 or 16 bit grey or RGB without transparency",
           "colour type " + std::to_string(header.colour) + ", " + std::to_string(header.depth) + " bit" +
               (header.transparent ? ", transparency" : ""),
           "convert the image to plain grey or RGB");
  }
  RawArray array = image_array(header.height, header.width, rgb ? 3 : 1);
  const std::uint64_t count = element_count(array.shape, name);
  check_count(count, request, name);
  const std::size_t sample = header.depth == 16 ? 2 : 1;
  const std::size_t row_bytes = static_cast<std::size_t>(header.width) * (rgb ? 3 : 1) * sample;
  std::vector<unsigned char> pixels(row_bytes * header.height);
  std::vector<png_bytep> rows(header.height);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.data() + y * row_bytes;
  if (!png_pixels_step(reader.png, reader.info, rows.data(), &state)) damaged();
  if (state.at != state.size) {
    refuse(name + ": byte " + std::to_string(state.at), "trailing-bytes", "there are bytes after the image",
           "the end of the file", std::to_string(state.size - state.at) + " bytes");
  }
  array.bits.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = sample == 1 ? pixels[i] : std::uint64_t{pixels[2 * i]} << 8 | pixels[2 * i + 1];
    array.bits.push_back(from_integer(value, false, request.element, name, i));
  }
  return array;
}

RawArray parse_pnm(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  const char kind = bytes[1];
  if (kind != '2' && kind != '3' && kind != '5' && kind != '6') {
    refuse(name, "unsupported-image", "this kind of PNM file is not supported", "P2, P3, P5 or P6 (grey or RGB)",
           std::string("P") + kind);
  }
  PnmText text(bytes, name);
  text.begin_header();
  const std::uint64_t width = text.number(max_side, "the width"), height = text.number(max_side, "the height");
  const std::uint64_t maximum = text.number(65535, "the greatest sample");
  if (width == 0 || height == 0 || maximum == 0)
    text.fail(text.at(), "a size or the greatest sample is 0", "positive numbers");
  RawArray array = image_array(height, width, kind == '3' || kind == '6' ? 3 : 1);
  const std::uint64_t count = element_count(array.shape, name);
  check_count(count, request, name);
  array.bits.reserve(count);
  if (kind == '2' || kind == '3') {
    for (std::uint64_t i = 0; i < count; ++i) {
      array.bits.push_back(from_integer(text.number(maximum, "a sample"), false, request.element, name, i));
    }
    text.skip();
  } else {
    text.end_header();
    const std::size_t sample = maximum > 255 ? 2 : 1;
    if (bytes.size() - text.at() < count * sample)
      text.fail(bytes.size(), "the samples end early", std::to_string(count * sample) + " bytes");
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t value = static_cast<unsigned char>(bytes[text.at()]);
      if (sample == 2) value = value << 8 | static_cast<unsigned char>(bytes[text.at() + 1]);
      if (value > maximum)
        text.fail(text.at(), "a sample is above the greatest sample", "at most " + std::to_string(maximum));
      array.bits.push_back(from_integer(value, false, request.element, name, i));
      text.advance(sample);
    }
  }
  if (!text.at_end()) text.fail(text.at(), "there are bytes after the image", "the end of the file");
  return array;
}

}  // namespace outward::arrays
