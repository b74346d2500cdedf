// Input points: what stands behind read_array, and what the readers of the formats share. Assumes nothing about the
// bytes. Promises finite numbers of the model's element type in its order: numbers stored in binary must be exact in
// it, decimal texts are rounded to nearest even, image samples are the integers as stored. All else is a ReadError.
#pragma once
#include <string_view>

#include "checker/limits/limits.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

// --input FILE: .npy, .csv, .json array, ONNX TensorProto (.pb), PNG, PGM, PPM (layout: order of colours), gzipped or
// not; values must be exact in the element type. Returns bit patterns.
std::vector<std::uint64_t> read_array(const std::string& path, const Graph& graph, const std::string& layout);

// The content chooses the format; only .csv, .txt, .json and .pb are told by the name. layout: "nchw", "nhwc" or "",
// the order of the samples of a colour image where the model's input does not tell it.
std::vector<std::uint64_t> parse_array(const Bytes& bytes, const std::string& name, const Graph& graph,
                                       const std::string& layout);

// Bit patterns as the file orders them. shape: what the file says, empty for a flat list; images: height, width,
// channels.
struct RawArray {
  std::vector<std::uint64_t> shape, bits;
  bool is_image = false;
};

// What an array is read for: numbers of the element type, `count` of them or, with rows, a multiple of it.
struct Wanted {
  bool is_binary64 = false;
  std::uint64_t count = 0;
  bool rows = false;
};

// One reader per format; text is the whole file.
RawArray read_npy(std::string_view text, const std::string& name, const Wanted& wanted);
RawArray read_csv(std::string_view text, const std::string& name, const Wanted& wanted);
RawArray read_json_array(std::string_view text, const std::string& name, const Wanted& wanted);
RawArray read_tensor(std::string_view text, const std::string& name, const Wanted& wanted);
RawArray read_pnm(std::string_view text, const std::string& name, const Wanted& wanted);
RawArray read_png_array(std::string_view text, const std::string& name, const Wanted& wanted);

// A file that holds a multiple of `count` numbers, however it orders them; no image. Gzipped or not.
RawArray read_rows(const std::string& path, bool is_binary64, std::uint64_t count);

// A place in the file, and the elements read so far.
class ArrayReader {
 public:
  ArrayReader(std::string_view text, const std::string& name, const Wanted& wanted)
      : text_(text), name_(name), wanted_(wanted) {}

 protected:
  using Class = ReadError::Class;

  [[noreturn]] void fail(Class kind, const std::string& what) const;
  [[noreturn]] void fail(Limit which, const std::string& what) const;
  void require(bool holds, const char* expected) const {
    if (!holds) fail(Class::malformed, std::string("expected ") + expected);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ == text_.size(); }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::uint64_t integer(std::uint64_t most);  // decimal digits, at least one

  void exact(double value);
  void exact_integer(std::uint64_t magnitude, bool negative);
  void exact_integer(std::int64_t value) {
    exact_integer(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value), value < 0);
  }
  void rounded(std::string_view decimal);

  void expect_count(std::uint64_t count) const;  // of elements; before they are read
  std::uint64_t count_of(const std::vector<std::uint64_t>& shape) const;

  std::string_view text_;
  const std::string& name_;
  const Wanted& wanted_;
  std::size_t at_ = 0;
  RawArray array_;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace outward_check
