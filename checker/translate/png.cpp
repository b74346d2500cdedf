// PNG: chunks, then the inflated scan lines of one or (interlaced) seven passes, then samples; see png.hpp.
#include "checker/translate/png.hpp"

#include <cstdlib>
#include <string_view>

#include "checker/translate/inflate.hpp"

namespace outward_check {

namespace {

using Class = ReadError::Class;

// Where a pass has its first sample, and the distance to the next ones.
struct Pass {
  std::uint32_t x, y, dx, dy;
};
constexpr Pass whole_image[] = {{0, 0, 1, 1}};
constexpr Pass adam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                          {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

class PngReader {
 public:
  PngReader(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t count)
      : data_(data), size_(size), place_(place), count_(count) {}

  PngImage run() {
    static constexpr std::string_view mark = "\x89PNG\r\n\x1a\n";
    require(size_ >= mark.size() && std::string_view(reinterpret_cast<const char*>(data_), mark.size()) == mark,
            "the mark of a PNG file");
    at_ = mark.size();
    while (name_ != "IEND") chunk();
    require(at_ == size_, "nothing behind the last chunk");
    require(has_data_, "an IDAT chunk");
    pixels();
    return std::move(image_);
  }

 private:
  [[noreturn]] void fail(Class kind, const std::string& what) const {
    throw ReadError(kind, place_ + ": png.data: byte " + std::to_string(at_) + ": " + what);
  }
  void require(bool holds, const char* expected) const {
    if (!holds) fail(Class::malformed, std::string("expected ") + expected);
  }
  std::uint32_t word(std::size_t at) const {
    return std::uint32_t{data_[at]} << 24 | std::uint32_t{data_[at + 1]} << 16 | std::uint32_t{data_[at + 2]} << 8 |
           data_[at + 3];
  }

  // ---- chunks: length, name, data, checksum of name and data ----

  void chunk() {
    require(size_ - at_ >= 12, "a whole chunk");
    const std::uint32_t length = word(at_);
    require(length <= 0x7fffffff && length <= size_ - at_ - 12, "the chunk inside the file");
    const std::string before = name_;
    name_.assign(reinterpret_cast<const char*>(data_) + at_ + 4, 4);
    for (char c : name_) require((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'), "letters as the name of a chunk");
    require(word(at_ + 8 + length) == crc32(data_ + at_ + 4, length + std::size_t{4}), "the checksum of the chunk");
    require((name_ == "IHDR") == before.empty(), "one IHDR chunk, as the first");
    at_ += 8;
    if (name_ == "IHDR") {
      header(length);
    } else if (name_ == "PLTE") {  // what an RGB image suggests to a screen of few colours; it changes no sample
      require(image_.channels == 3 && !has_palette_ && !has_data_ && length % 3 == 0 && length >= 3 && length <= 768,
              "at most one palette, of an RGB image, before the image");
      has_palette_ = true;
    } else if (name_ == "IDAT") {
      require(!has_data_ || before == "IDAT", "IDAT chunks one after the other");
      has_data_ = true;
      packed_.insert(packed_.end(), data_ + at_, data_ + at_ + length);
    } else if (name_ == "IEND") {
      require(length == 0, "an empty IEND chunk");
    } else if (name_ == "tRNS") {
      fail(Class::unsupported, "transparency (tRNS), expected plain grey or RGB");
    } else if (name_[0] < 'a') {
      fail(Class::unsupported, "unknown critical chunk " + name_);
    }
    at_ += length + std::size_t{4};
  }

  void header(std::uint32_t length) {
    require(length == 13, "an IHDR chunk of 13 bytes");
    image_.width = word(at_), image_.height = word(at_ + 4);
    const unsigned depth = data_[at_ + 8], colour = data_[at_ + 9];
    require(image_.width > 0 && image_.height > 0, "a positive width and height");
    if (image_.width > limit(Limit::image_side) || image_.height > limit(Limit::image_side))
      fail(Class::limit, "width or height over the " + limit_text(Limit::image_side));
    if ((depth != 8 && depth != 16) || (colour != 0 && colour != 2)) {
      fail(Class::unsupported, "colour type " + std::to_string(colour) + " of " + std::to_string(depth) +
                                   " bits, expected grey or RGB (0 or 2) of 8 or 16 bits");
    }
    require(data_[at_ + 10] == 0 && data_[at_ + 11] == 0 && data_[at_ + 12] <= 1,
            "compression 0, filter method 0 and interlace method 0 or 1");
    is_interlaced_ = data_[at_ + 12] == 1;
    bytes_ = depth / 8;
    image_.channels = colour == 0 ? 1 : 3;
    const std::uint64_t samples = std::uint64_t{image_.width} * image_.height * image_.channels;
    if (samples != count_) {
      fail(Class::malformed,
           "wrong number of values, expected " + std::to_string(count_) + ", found " + std::to_string(samples));
    }
  }

  // ---- scan lines ----

  static std::uint32_t steps(std::uint32_t size, std::uint32_t first, std::uint32_t step) {
    return size > first ? (size - first - 1) / step + 1 : 0;
  }

  template <std::size_t n>
  void pixels_of(const Pass (&passes)[n]) {
    const std::size_t pixel = image_.channels * bytes_;
    std::uint64_t total = 0;
    for (const Pass& p : passes) {
      const std::uint64_t columns = steps(image_.width, p.x, p.dx), rows = steps(image_.height, p.y, p.dy);
      if (columns > 0) total += rows * (columns * pixel + 1);
    }
    lines_ = inflate_zlib(packed_.data(), packed_.size(), place_, total);
    require(lines_.size() == total, "all lines of the image");
    image_.samples.resize(count_);
    std::uint8_t* line = lines_.data();
    for (const Pass& p : passes) {
      const std::size_t length = steps(image_.width, p.x, p.dx) * pixel;
      const std::uint8_t* above = nullptr;
      for (std::uint32_t y = p.y; y < image_.height && length > 0; y += p.dy, above = line + 1, line += length + 1) {
        restore(line, above, length, pixel);
        store(line + 1, p, y);
      }
    }
  }
  void pixels() { is_interlaced_ ? pixels_of(adam7) : pixels_of(whole_image); }

  // Undoes the filter of one line in place; what lies left of or above the pass counts as 0.
  void restore(std::uint8_t* line, const std::uint8_t* above, std::size_t length, std::size_t pixel) const {
    const std::uint8_t filter = *line++;
    require(filter <= 4, "filter 0 to 4");
    for (std::size_t i = 0; i < length; ++i) {
      const int left = i < pixel ? 0 : line[i - pixel], up = above == nullptr ? 0 : above[i];
      const int corner = i < pixel || above == nullptr ? 0 : above[i - pixel];
      const int guess = filter == 1   ? left
                        : filter == 2 ? up
                        : filter == 3 ? (left + up) / 2
                        : filter == 4 ? paeth(left, up, corner)
                                      : 0;
      line[i] = static_cast<std::uint8_t>(line[i] + guess);
    }
  }

  // The neighbour nearest to left + up - corner; of equally near ones the first in this order.
  static int paeth(int left, int up, int corner) {
    const int by_left = std::abs(up - corner), by_up = std::abs(left - corner),
              by_corner = std::abs(left + up - 2 * corner);
    if (by_left <= by_up && by_left <= by_corner) return left;
    return by_up <= by_corner ? up : corner;
  }

  void store(const std::uint8_t* from, const Pass& p, std::uint32_t y) {
    for (std::uint32_t x = p.x; x < image_.width; x += p.dx) {
      std::uint16_t* to = image_.samples.data() + (std::size_t{y} * image_.width + x) * image_.channels;
      for (std::uint32_t c = 0; c < image_.channels; ++c, from += bytes_)
        to[c] = static_cast<std::uint16_t>(bytes_ == 1 ? from[0] : from[0] * 256 + from[1]);
    }
  }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  const std::string& place_;
  std::uint64_t count_;
  std::string name_;  // of the last chunk
  Bytes packed_, lines_;
  bool is_interlaced_ = false, has_palette_ = false, has_data_ = false;
  std::size_t bytes_ = 1;  // of a sample
  PngImage image_;
};

}  // namespace

PngImage read_png(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t count) {
  return PngReader(data, size, place, count).run();
}

}  // namespace outward_check
