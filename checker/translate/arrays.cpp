// Input points: the format of a file, its shape against the model's, and conversion to the element type; see
// arrays.hpp.
#include "checker/readers/readers.hpp"
#include "checker/translate/arrays.hpp"

#include <bit>
#include <cmath>

#include "checker/translate/inflate.hpp"

namespace outward_check {

namespace {

using Class = ReadError::Class;
using Shape = std::vector<std::uint64_t>;

[[noreturn]] void refuse(Class kind, const std::string& name, const std::string& what) {
  throw ReadError(kind, name + ": array.data: " + what);
}

RawArray read_any(std::string_view text, const std::string& name, const Wanted& wanted) {
  if (text.starts_with("\x93NUMPY")) return read_npy(text, name, wanted);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return read_png_array(text, name, wanted);
  if (text.starts_with("PK\x03\x04"))
    refuse(Class::unsupported, name, "zip archives (.npz) are not supported, expected a single .npy array");
  if (name.ends_with(".csv") || name.ends_with(".txt")) return read_csv(text, name, wanted);
  if (name.ends_with(".json")) return read_json_array(text, name, wanted);
  if (name.ends_with(".pb")) return read_tensor(text, name, wanted);
  if (text.size() > 1 && text[0] == 'P' && text[1] >= '1' && text[1] <= '7') return read_pnm(text, name, wanted);
  refuse(Class::unsupported, name, "unknown kind of file, expected .npy, .csv, .json, .pb, PNG, PGM or PPM");
}

// Dimensions of 1 carry no order; what is left of a flat list has at most one dimension.
template <class Integer>
Shape without_ones(const std::vector<Integer>& shape) {
  Shape rest;
  for (Integer d : shape) {
    if (d != 1) rest.push_back(static_cast<std::uint64_t>(d));
  }
  return rest;
}

bool fits(const Shape& model, const Shape& shape) { return model.size() <= 1 || model == without_ones(shape); }

// Images are stored with the channels last. The model's shape decides, and the layout where it does not.
void order_channels(RawArray* image, const std::string& name, const Shape& model, const std::string& layout) {
  const std::uint64_t channels = image->shape[2], area = image->shape[0] * image->shape[1];
  const bool last = fits(model, image->shape), first = fits(model, {channels, image->shape[0], image->shape[1]});
  if (channels > 1 && layout.empty() && last && first)
    refuse(Class::unsupported, name, "a colour image whose order the model's input does not tell, expected --layout");
  if (!(layout == "nchw" ? first : layout == "nhwc" ? last : first || last))
    refuse(Class::malformed, name, "the shape of the image is not the shape of the model's input");
  if (channels == 1 || layout == "nhwc" || (layout.empty() && last)) return;
  Shape ordered(image->bits.size());
  for (std::uint64_t i = 0; i < ordered.size(); ++i) ordered[i % channels * area + i / channels] = image->bits[i];
  image->bits = std::move(ordered);
}

}  // namespace

void ArrayReader::fail(Class kind, const std::string& what) const {
  throw ReadError(kind, name_ + ": array.data: byte " + std::to_string(at_) + ": " + what);
}

void ArrayReader::fail(Limit which, const std::string& what) const {
  fail(Class::limit, what + ", " + limit_text(which));
}

std::uint64_t ArrayReader::integer(std::uint64_t most) {
  std::uint64_t value = 0;
  require(is_digit(peek()), "a decimal integer");
  for (; is_digit(peek()); ++at_) {
    value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
    if (value > most) fail(Class::malformed, "expected an integer up to " + std::to_string(most));
  }
  return value;
}

void ArrayReader::exact(double value) {
  if (!std::isfinite(value)) fail(Class::malformed, "a number that is not finite");
  if (wanted_.is_binary64) return array_.bits.push_back(std::bit_cast<std::uint64_t>(value));
  const float narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) {
    fail(Class::malformed,
         "value " + std::to_string(array_.bits.size()) + " is no binary32 number, expected exact values (no rounding)");
  }
  array_.bits.push_back(std::bit_cast<std::uint32_t>(narrow));
}

void ArrayReader::exact_integer(std::uint64_t magnitude, bool negative) {
  const double wide = static_cast<double>(magnitude);
  if (static_cast<unsigned __int128>(wide) != magnitude)
    fail(Class::malformed, "an integer that is no number of the model's element type");
  exact(negative ? -wide : wide);
}

void ArrayReader::rounded(std::string_view decimal) {
  Fraction value;
  require(parse_decimal(decimal, &value), "a decimal number");
  std::uint64_t pattern = 0;
  require(round_to_bits(value, wanted_.is_binary64, &pattern), "a number within the element type");
  if (array_.bits.size() == wanted_.count && !wanted_.rows) expect_count(array_.bits.size() + 1);
  array_.bits.push_back(pattern);
}

void ArrayReader::expect_count(std::uint64_t count) const {
  if (wanted_.rows ? count > 0 && count % wanted_.count == 0 : count == wanted_.count) return;
  fail(Class::malformed, std::string("wrong number of values, expected ") + (wanted_.rows ? "a multiple of " : "") +
                             std::to_string(wanted_.count) + ", found " + std::to_string(count));
}

std::uint64_t ArrayReader::count_of(const Shape& shape) const {
  if (shape.size() > limit(Limit::rank)) fail(Limit::rank, "rank " + std::to_string(shape.size()));
  std::uint64_t count = 1;
  for (std::uint64_t d : shape) {
    require(d > 0, "positive dimensions");
    if (d > limit(Limit::elements) / count) fail(Limit::elements, "more elements");
    count *= d;
  }
  return count;
}

std::vector<std::uint64_t> parse_array(const Bytes& bytes, const std::string& name, const Graph& graph,
                                       const std::string& layout) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RawArray array = read_any(text, name, {graph.is_binary64, graph.nodes.at(0).size});
  if (array.bits.size() != graph.nodes.at(0).size) refuse(Class::malformed, name, "wrong number of values");
  // An array with another shape than the input's is taken only if it is flat: elements in another order (height,
  // width, channels) would go unnoticed.
  const Shape model = without_ones(graph.input_shape);
  if (array.is_image) {
    order_channels(&array, name, model, layout);
  } else if (without_ones(array.shape).size() > 1 && !fits(model, array.shape)) {
    refuse(Class::malformed, name, "the shape of the array is not the shape of the model's input");
  }
  return std::move(array.bits);
}

namespace {

// The bytes, unpacked, and the name without .gz.
std::pair<Bytes, std::string> unpacked(const std::string& path) {
  Bytes bytes = read_file(path);
  if (bytes.size() < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b) return {std::move(bytes), path};
  bytes = inflate_gzip(bytes.data(), bytes.size(), path);
  return {std::move(bytes), path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path};
}

}  // namespace

std::vector<std::uint64_t> read_array(const std::string& path, const Graph& graph, const std::string& layout) {
  const auto [bytes, name] = unpacked(path);
  return parse_array(bytes, name, graph, layout);
}

RawArray read_rows(const std::string& path, bool is_binary64, std::uint64_t count) {
  const auto [bytes, name] = unpacked(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RawArray array = read_any(text, name, {is_binary64, count, true});
  if (array.is_image) refuse(Class::unsupported, name, "an image is no list of points");
  return array;
}

}  // namespace outward_check
