// Images: PGM and PPM, plain and raw (P2, P3, P5, P6), and what png.hpp reads. Samples are the integers as stored,
// channels last; see arrays.hpp.
#include "checker/translate/arrays.hpp"
#include "checker/translate/png.hpp"

namespace outward_check {

namespace {

class ImageReader : ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  RawArray pnm() {
    const char kind = text_[1];
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
      fail(Class::unsupported, std::string("a P") + kind + " file, expected P2, P3, P5 or P6 (PGM or PPM)");
    at_ = 2;
    require(is_space(peek()), "white space");
    const std::uint64_t width = word(65535), height = word(65535), most = word(65535);
    require(width > 0 && height > 0 && most > 0, "a positive size and greatest sample");
    start(height, width, kind == '3' || kind == '6' ? 3 : 1);
    const std::uint64_t count = wanted_.count, size = most > 255 ? 2 : 1;
    const bool in_text = kind < '5';
    if (!in_text) {
      require(is_space(peek()), "one white space behind the header");
      ++at_;
      require(text_.size() - at_ == count * size, "exactly the bytes of the samples");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t sample = in_text ? word(most) : 0;
      for (std::uint64_t b = 0; b < size && !in_text; ++b)
        sample = sample * 256 + static_cast<std::uint8_t>(text_[at_++]);
      require(sample <= most, "samples up to the greatest value");
      exact_integer(sample, false);
    }
    if (in_text) skip();
    require(at_end(), "nothing behind the samples");
    return std::move(array_);
  }

  RawArray png() {
    const PngImage image =
        read_png(reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size(), name_, wanted_.count);
    start(image.height, image.width, image.channels);
    for (std::uint16_t sample : image.samples) exact_integer(sample, false);
    return std::move(array_);
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void start(std::uint64_t height, std::uint64_t width, std::uint64_t channels) {
    array_.shape = {height, width, channels};
    array_.is_image = true;
    expect_count(count_of(array_.shape));
  }
  void skip() {  // white space, and comments up to the end of the line
    for (; is_space(peek()) || peek() == '#'; ++at_) {
      if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
    }
  }
  std::uint64_t word(std::uint64_t most) {
    skip();
    return integer(most);
  }
};

}  // namespace

RawArray read_pnm(std::string_view text, const std::string& name, const Wanted& wanted) {
  return ImageReader(text, name, wanted).pnm();
}
RawArray read_png_array(std::string_view text, const std::string& name, const Wanted& wanted) {
  return ImageReader(text, name, wanted).png();
}

}  // namespace outward_check
