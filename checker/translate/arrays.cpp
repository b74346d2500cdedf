// Input points from .npy, .csv, .json, .pb (ONNX TensorProto), .pgm and .ppm files. Assumes nothing
// about the bytes. Promises finite numbers of the model's element type: numbers stored in binary
// must be exact in it, decimal texts are rounded to nearest even. Anything else is a ReadError.
#include "checker/translate/arrays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "checker/readers/onnx.hpp"

namespace outward_check {

namespace {

using Class = ReadError::Class;
using Shape = std::vector<std::int64_t>;

constexpr std::size_t max_rank = 16, max_depth = 256;
constexpr std::uint64_t max_elements = std::uint64_t{1} << 31;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class ArrayReader {
 public:
  ArrayReader(const Bytes& bytes, const std::string& path, const Graph& graph)
      : path_(path),
        graph_(graph),
        bytes_(bytes),
        text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  std::vector<std::uint64_t> run() {
    std::string ending = path_.substr(std::min(path_.rfind('.'), path_.size()));
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (ending == ".npy") {
      npy();
    } else if (ending == ".csv") {
      csv();
    } else if (ending == ".json") {
      json();
    } else if (ending == ".pb") {
      tensor();
    } else if (ending == ".pgm" || ending == ".ppm" || ending == ".pnm") {
      image();
    } else {
      fail(Class::unsupported,
           "unknown kind of file '" + ending + "', expected .npy, .csv, .json, .pb, .pgm or .ppm");
    }
    if (values_.size() != graph_.nodes.at(0).size) {
      fail(Class::malformed, "wrong number of values, expected " +
                                 std::to_string(graph_.nodes[0].size) + ", found " +
                                 std::to_string(values_.size()));
    }
    return std::move(values_);
  }

 private:
  [[noreturn]] void fail(Class kind, const std::string& text) const {
    throw ReadError(kind, path_ + ": array.data: byte " + std::to_string(at_) + ": " + text);
  }
  void require(bool holds, const char* expected) const {
    if (!holds) fail(Class::malformed, std::string("expected ") + expected);
  }

  // ---- values ----

  void exact(double value) {
    if (!std::isfinite(value)) fail(Class::malformed, "a number that is not finite");
    if (graph_.is_binary64) return values_.push_back(std::bit_cast<std::uint64_t>(value));
    const float narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) != value) {
      fail(Class::malformed, "value " + std::to_string(values_.size()) +
                                 " is no binary32 number, expected exact values (no rounding)");
    }
    values_.push_back(std::bit_cast<std::uint32_t>(narrow));
  }

  template <class T>
  void exact_integer(T value) {
    const double wide = static_cast<double>(value);
    if (static_cast<__int128>(wide) != static_cast<__int128>(value)) {
      fail(Class::malformed, "an integer that is no number of the model's element type");
    }
    exact(wide);
  }

  void rounded(std::string_view text) {
    Fraction value;
    require(parse_decimal(text, &value), "a decimal number within the limits");
    std::uint64_t pattern = 0;
    require(round_to_bits(value, graph_.is_binary64, &pattern), "a number within the element type");
    values_.push_back(pattern);
  }

  // An array with another shape than the input's is taken only if it is flat: elements in another
  // order (height, width, channels) would go unnoticed. Dimensions of 1 do not matter.
  std::uint64_t elements(const Shape& shape) const {
    if (shape.size() > max_rank) fail(Class::limit, "rank over the limit 16");
    std::uint64_t count = 1, model = 1;
    for (std::int64_t d : shape) {
      require(d > 0, "positive dimensions");
      if (static_cast<std::uint64_t>(d) > max_elements / count) {
        fail(Class::limit, "number of elements over the limit 2^31");
      }
      count *= static_cast<std::uint64_t>(d);
    }
    Shape ours = shape, theirs = graph_.input_shape;
    for (std::int64_t d : theirs) model *= static_cast<std::uint64_t>(d);
    for (Shape* s : {&ours, &theirs}) s->erase(std::remove(s->begin(), s->end(), 1), s->end());
    if (ours.size() > 1 && theirs.size() > 1 && model == count && ours != theirs) {
      fail(Class::malformed, "the shape of the array is not the shape of the model's input");
    }
    return count;
  }

  // ---- characters ----

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool eat(std::string_view expected) {
    skip_spaces();
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  std::int64_t integer() {  // up to 18 digits
    skip_spaces();
    const std::size_t start = at_;
    std::int64_t value = 0;
    for (; is_digit(peek()) && at_ - start < 18; ++at_) value = value * 10 + (peek() - '0');
    require(at_ > start && !is_digit(peek()), "an integer of at most 18 digits");
    return value;
  }

  // ---- formats ----

  template <class T>
  T load(std::size_t index) const {
    T value;
    std::memcpy(&value, text_.data() + at_ + index * sizeof(T), sizeof(T));
    return value;
  }

  void element(const std::string& type, std::size_t index) {
    if (type == "f4") exact(load<float>(index));
    if (type == "f8") exact(load<double>(index));
    if (type == "i1") exact_integer(load<std::int8_t>(index));
    if (type == "u1") exact_integer(load<std::uint8_t>(index));
    if (type == "i2") exact_integer(load<std::int16_t>(index));
    if (type == "u2") exact_integer(load<std::uint16_t>(index));
    if (type == "i4") exact_integer(load<std::int32_t>(index));
    if (type == "u4") exact_integer(load<std::uint32_t>(index));
    if (type == "i8") exact_integer(load<std::int64_t>(index));
    if (type == "u8") exact_integer(load<std::uint64_t>(index));
  }

  // Format 1, 2 or 3: magic, version, header length, a literal dictionary, the elements.
  void npy() {
    require(text_.substr(0, 6) == "\x93NUMPY" && text_.size() >= 12, "a .npy file");
    const int version = text_[6];
    if (version < 1 || version > 3 || text_[7] != 0) {
      fail(Class::unsupported, "format version, expected 1.0, 2.0 or 3.0");
    }
    at_ = 8;
    const std::size_t length = version == 1 ? load<std::uint16_t>(0) : load<std::uint32_t>(0);
    at_ += version == 1 ? 2 : 4;
    require(length <= text_.size() - at_, "a header inside the file");
    const std::size_t data = at_ + length;
    const std::string_view whole = text_;
    text_ = text_.substr(0, data);
    std::string type;
    bool fortran = false, seen[3] = {};
    Shape shape;
    require(eat("{"), "{");
    while (!eat("}")) {
      if (!seen[0] && eat("'descr':")) {
        require(eat("'"), "a simple element type in quotes");
        const std::size_t end = std::min(text_.find('\'', at_), text_.size());
        type = text_.substr(at_, end - at_);
        at_ = end;
        require(seen[0] = eat("'"), "'");
      } else if (!seen[1] && eat("'fortran_order':")) {
        fortran = eat("True");
        require(fortran || eat("False"), "True or False");
        seen[1] = true;
      } else if (!seen[2] && eat("'shape':")) {
        require(eat("("), "a tuple of integers");
        while (!eat(")")) {
          shape.push_back(integer());
          if (eat(",")) continue;
          require(shape.size() > 1 && eat(")"), ", or )");
          break;
        }
        seen[2] = true;
      } else {
        fail(Class::malformed, "expected each of the keys descr, fortran_order, shape once");
      }
      if (!eat(",")) require(peek() == '}', ", or }");
    }
    skip_spaces();
    require(seen[0] && seen[1] && seen[2], "the keys descr, fortran_order and shape");
    require(at_ == data, "nothing behind the dictionary");
    text_ = whole;
    npy_elements(type, fortran, shape);
  }

  void npy_elements(const std::string& type, bool fortran, const Shape& shape) {
    if (type.substr(0, 1) == ">")
      fail(Class::unsupported, "big-endian elements, expected little-endian");
    static const std::set<std::string> known = {"<f4", "<f8", "|i1", "|u1", "<i1", "<u1",
                                                "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"};
    if (known.count(type) == 0) {
      fail(Class::unsupported, "element type '" + type.substr(0, 20) +
                                   "', expected float32, float64 or an integer type");
    }
    const std::string code = type.substr(1);
    const std::uint64_t count = elements(shape);
    require(text_.size() - at_ == count * static_cast<std::uint64_t>(code[1] - '0'),
            "exactly the bytes of the elements");
    std::vector<std::int64_t> index(shape.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t from = i;
      if (fortran) {  // the first index varies fastest in the file
        from = 0;
        for (std::size_t d = shape.size(); d-- > 0;) {
          from = from * static_cast<std::uint64_t>(shape[d]) + static_cast<std::uint64_t>(index[d]);
        }
        for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
      }
      element(code, from);
    }
  }

  void csv() {
    while (skip_spaces(), at_ < text_.size()) {
      const std::size_t start = at_;
      while (at_ < text_.size() && peek() != ',' && !is_space(peek())) ++at_;
      rounded(text_.substr(start, at_ - start));
      while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
      if (at_ == text_.size() || peek() == '\n') continue;
      require(peek() == ',', "a comma or the end of the line");
      for (++at_; peek() == ' ' || peek() == '\t';) ++at_;
      require(at_ < text_.size() && !is_space(peek()), "a number behind the comma");
    }
  }

  void json() {
    std::size_t depth = 0;
    bool after_value = false, opened = false;
    require(eat("["), "an array");
    for (++depth, opened = true; depth != 0;) {
      if ((after_value || opened) && eat("]")) {
        --depth, after_value = true, opened = false;
      } else if (after_value) {
        require(eat(","), ", or ]");
        after_value = false;
      } else if (eat("[")) {
        opened = true;
        if (++depth > max_depth) fail(Class::limit, "nested too deep, limit 256");
      } else {
        json_number();
        after_value = true, opened = false;
      }
    }
    skip_spaces();
    require(at_ == text_.size(), "nothing behind the array");
  }

  void json_number() {
    skip_spaces();
    const std::size_t start = at_;
    const auto digits = [this] {
      require(is_digit(peek()), "a digit");
      while (is_digit(peek())) ++at_;
    };
    if (peek() == '-') ++at_;
    require(peek() != '0' || at_ + 1 >= text_.size() || !is_digit(text_[at_ + 1]),
            "no leading zero");
    digits();
    if (peek() == '.') ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      digits();
    }
    rounded(text_.substr(start, at_ - start));
  }

  void tensor() {
    const onnx::Span span = {bytes_.data(), bytes_.size(), 0};
    onnx::ExternalFiles no_files;
    onnx::Value value;
    try {
      const onnx::Message message(span, "TensorProto", ".Iv.FISIssDIsSv.S");
      onnx::support(message.integer(14) == 0, "a tensor with external data");
      value = onnx::tensor_value(span, &no_files);
      onnx::support(!value.is_integer(), "an integer tensor, expected float or double");
    } catch (const ReadError& error) {
      throw ReadError(error.kind, path_ + ": array.tensor: " + error.what());
    }
    elements(value.shape);
    for (double v : value.reals()) exact(v);
  }

  std::int64_t image_number(std::int64_t least, std::int64_t most) {
    for (skip_spaces(); peek() == '#'; skip_spaces())
      at_ = std::min(text_.find('\n', at_), text_.size());
    const std::int64_t value = integer();
    require(value >= least && value <= most, "a number inside its range");
    return value;
  }

  // P2, P5 grey, P3, P6 colour; P2, P3 in text. Samples are the integers as stored, channels last.
  void image() {
    require(text_.size() > 2 && text_[0] == 'P' && std::strchr("2356", text_[1]) != nullptr,
            "P2, P3, P5 or P6 (PGM or PPM)");
    const bool in_text = text_[1] < '5', colour = text_[1] == '3' || text_[1] == '6';
    at_ = 2;
    require(is_space(peek()), "white space");
    const std::int64_t width = image_number(1, 65535), height = image_number(1, 65535);
    const std::int64_t most = image_number(1, 65535), planes = colour ? 3 : 1;
    const std::size_t count = static_cast<std::size_t>(width * height * planes);
    const std::size_t size = most > 255 ? 2 : 1;
    if (!in_text) {
      require(is_space(peek()), "one white space behind the header");
      ++at_;
      require(text_.size() - at_ == count * size, "exactly the bytes of the samples");
    }
    require(count <= text_.size(), "all samples");
    std::vector<std::int64_t> samples(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (in_text) {
        samples[i] = image_number(0, most);
        continue;
      }
      for (std::size_t b = 0; b < size; ++b, ++at_) {
        samples[i] = samples[i] * 256 + static_cast<std::uint8_t>(text_[at_]);
      }
      require(samples[i] <= most, "samples up to the greatest value");
    }
    skip_spaces();
    require(at_ == text_.size(), "nothing behind the samples");
    // The model's input tells the order of the channels.
    Shape shape = graph_.input_shape;
    if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
    const bool last = shape == Shape{height, width, planes};
    const bool first = shape == Shape{planes, height, width};
    if (last == first && planes > 1) {
      fail(Class::unsupported, "a colour image needs an input of shape [1,3,H,W] or [1,H,W,3]");
    }
    if (planes == 1) elements({height, width});
    const std::size_t area = count / static_cast<std::size_t>(planes);
    for (std::size_t i = 0; i < count; ++i) {
      exact_integer(samples[first && planes > 1 ? i % area * 3 + i / area : i]);
    }
  }

  const std::string& path_;
  const Graph& graph_;
  const Bytes& bytes_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::uint64_t> values_;
};

}  // namespace

std::vector<std::uint64_t> parse_array(const Bytes& bytes, const std::string& name,
                                       const Graph& graph) {
  return ArrayReader(bytes, name, graph).run();
}

std::vector<std::uint64_t> read_array(const std::string& path, const Graph& graph) {
  return parse_array(read_file(path), path, graph);
}

}  // namespace outward_check
