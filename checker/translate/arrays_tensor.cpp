// ONNX TensorProto files (.pb): one tensor that contains its data, in raw_data or in the field of its type. Promises
// exactly the announced elements; element types other than float, double and integers are refused; see arrays.hpp.
#include <bit>
#include <cstring>
#include <limits>

#include "checker/readers/onnx.hpp"
#include "checker/translate/arrays.hpp"

namespace outward_check {

namespace {

// width in bytes; the field for elements that are not raw; the range of the integers (uint64: any bits).
struct ElementKind {
  std::int64_t code;
  unsigned width, field;
  std::int64_t lowest, greatest;
};

constexpr std::int64_t int64_least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();
constexpr ElementKind element_kinds[] = {
    {onnx::kFloat, 4, 4, int64_least, int64_most},
    {onnx::kDouble, 8, 10, int64_least, int64_most},
    {2, 1, 5, 0, 255},
    {3, 1, 5, -128, 127},
    {4, 2, 5, 0, 65535},
    {5, 2, 5, -32768, 32767},
    {6, 4, 5, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()},
    {onnx::kInt64, 8, 7, int64_least, int64_most},
    {12, 4, 11, 0, std::numeric_limits<std::uint32_t>::max()},
    {13, 8, 11, int64_least, int64_most},
};

class TensorReader : ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  RawArray run() {
    try {
      const onnx::Span span = {reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size(), 0};
      const onnx::Message tensor(span, "TensorProto", ".Iv.FISIssDIsSv");
      onnx::support(tensor.integer(14) == 0 && !tensor.has(13), "a tensor with external data");
      read(tensor);
    } catch (const ReadError& error) {
      throw ReadError(error.kind, name_ + ": array.tensor: " + error.what());
    }
    return std::move(array_);
  }

 private:
  // As in the typed fields: the bits of floats as binary64, integers with their sign.
  static std::vector<std::int64_t> raw_words(onnx::Span raw, const ElementKind& kind, bool is_float) {
    onnx::require(raw.size % kind.width == 0, "raw data that are no whole number of elements");
    std::vector<std::int64_t> words;
    if (is_float) {
      onnx::append_floats(raw, kind.width, &words);
      return words;
    }
    const unsigned unused = 64 - 8 * kind.width;
    for (std::uint64_t at = 0; at < raw.size; at += kind.width) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, raw.data + at, kind.width);
      bits <<= unused;
      const bool is_signed = kind.lowest < 0;
      words.push_back(is_signed ? static_cast<std::int64_t>(bits) >> unused
                                : static_cast<std::int64_t>(bits >> unused));
    }
    return words;
  }

  void read(const onnx::Message& tensor) {
    const ElementKind* kind = nullptr;
    for (const ElementKind& k : element_kinds) kind = k.code == tensor.integer(2) ? &k : kind;
    onnx::support(kind != nullptr, "the element type, expected float, double or an integer type");
    for (std::int64_t d : tensor.integers(1)) array_.shape.push_back(d < 0 ? 0 : static_cast<std::uint64_t>(d));
    const std::uint64_t count = count_of(array_.shape);
    expect_count(count);
    const unsigned source = tensor.has(9) ? 9 : kind->field;
    const std::size_t others[] = {tensor.floats(4, 4).size(), tensor.integers(5).size(),   tensor.all(6).size(),
                                  tensor.integers(7).size(),  tensor.floats(10, 8).size(), tensor.integers(11).size()};
    constexpr unsigned fields[] = {4, 5, 6, 7, 10, 11};
    for (std::size_t i = 0; i < std::size(fields); ++i)
      onnx::require(fields[i] == source || others[i] == 0, "not exactly one source of data");
    const bool is_float = onnx::is_float(static_cast<int>(kind->code));
    std::vector<std::int64_t> words;
    if (source == 9) {
      words = raw_words(tensor.bytes(9), *kind, is_float);
    } else {
      words = is_float ? tensor.floats(source, kind->width) : tensor.integers(source);
    }
    onnx::require(words.size() == count, "the number of elements and the shape differ");
    for (std::int64_t word : words) {
      if (is_float) {
        exact(std::bit_cast<double>(word));
      } else if (kind->code == 13) {
        exact_integer(static_cast<std::uint64_t>(word), false);
      } else {
        onnx::require(word >= kind->lowest && word <= kind->greatest, "a number its type cannot hold");
        exact_integer(word);
      }
    }
  }
};

}  // namespace

RawArray read_tensor(std::string_view text, const std::string& name, const Wanted& wanted) {
  return TensorReader(text, name, wanted).run();
}

}  // namespace outward_check
