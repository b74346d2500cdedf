// NumPy .npy arrays, format 1, 2 or 3: magic, version, length of the header, a literal dictionary, the elements.
// Promises that the dictionary is read as that one literal and that exactly its elements follow; see arrays.hpp.
#include <bit>
#include <cstring>
#include <set>

#include "checker/translate/arrays.hpp"

namespace outward_check {

namespace {

static_assert(std::endian::native == std::endian::little, "elements of the file are little-endian");

class NpyReader : ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  RawArray run() {
    require(text_.size() >= 12, "a .npy file");
    const int version = text_[6];
    if (version < 1 || version > 3 || text_[7] != 0)
      fail(Class::unsupported, "format version, expected 1.0, 2.0 or 3.0");
    at_ = 8;
    const std::size_t length = version == 1 ? load<std::uint16_t>(0) : load<std::uint32_t>(0);
    at_ += version == 1 ? 2 : 4;
    if (length > limit(Limit::header_bytes)) fail(Limit::header_bytes, "a longer header");
    require(length <= text_.size() - at_, "a header inside the file");
    const std::string_view whole = text_;
    text_ = text_.substr(0, at_ + length);
    dictionary();
    text_ = whole;
    elements();
    return std::move(array_);
  }

 private:
  template <class T>
  T load(std::size_t index) const {
    T value;
    std::memcpy(&value, text_.data() + at_ + index * sizeof(T), sizeof(T));
    return value;
  }

  void eat_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') ++at_;
  }
  bool eat(char c) {
    eat_spaces();
    return take(c);
  }

  std::string quoted() {
    const bool single = eat('\'');
    require(single || eat('"'), "a simple string in quotes");
    const std::size_t end = text_.find(single ? '\'' : '"', at_);
    require(end != std::string_view::npos, "the end of the string");
    const std::string text(text_.substr(at_, end - at_));
    require(text.find('\\') == std::string::npos, "no escapes");
    at_ = end + 1;
    return text;
  }

  void tuple() {
    require(eat('('), "a tuple of integers");
    while (!eat(')')) {
      eat_spaces();
      array_.shape.push_back(integer(std::uint64_t{1} << 42));
      if (eat(',')) continue;
      require(array_.shape.size() > 1 && eat(')'), ", or )");
      return;
    }
  }

  bool truth() {
    eat_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail(Class::malformed, "expected True or False");
  }

  void dictionary() {
    std::set<std::string> seen;
    require(eat('{'), "{");
    while (!eat('}')) {
      const std::string key = quoted();
      require(seen.insert(key).second, "every key once");
      require(eat(':'), ":");
      if (key == "descr") {
        type_ = quoted();
      } else if (key == "fortran_order") {
        fortran_ = truth();
      } else if (key == "shape") {
        tuple();
      } else {
        fail(Class::malformed, "unknown key, expected the keys descr, fortran_order and shape");
      }
      if (eat(',')) continue;
      require(eat('}'), ", or }");
      break;
    }
    eat_spaces();
    require(at_end(), "nothing behind the dictionary");
    require(seen.size() == 3, "the keys descr, fortran_order and shape");
  }

  void element(std::size_t index) {
    const std::string code = type_.substr(1);
    if (code == "f4") exact(load<float>(index));
    if (code == "f8") exact(load<double>(index));
    if (code == "i1") exact_integer(load<std::int8_t>(index));
    if (code == "u1") exact_integer(load<std::uint8_t>(index), false);
    if (code == "i2") exact_integer(load<std::int16_t>(index));
    if (code == "u2") exact_integer(load<std::uint16_t>(index), false);
    if (code == "i4") exact_integer(load<std::int32_t>(index));
    if (code == "u4") exact_integer(load<std::uint32_t>(index), false);
    if (code == "i8") exact_integer(load<std::int64_t>(index));
    if (code == "u8") exact_integer(load<std::uint64_t>(index), false);
  }

  void elements() {
    if (type_.starts_with('>')) fail(Class::unsupported, "big-endian elements, expected little-endian");
    static const std::set<std::string> known = {"<f4", "<f8", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"};
    if (known.count(type_) == 0) {
      fail(Class::unsupported,
           "element type '" + type_.substr(0, 20) + "', expected float32, float64 or an integer type");
    }
    const std::vector<std::uint64_t>& shape = array_.shape;
    const std::uint64_t count = count_of(shape), size = static_cast<std::uint64_t>(type_[2] - '0');
    require(text_.size() - at_ == count * size, "exactly the bytes of the elements");
    expect_count(count);
    std::vector<std::uint64_t> index(shape.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t from = i;
      if (fortran_) {  // the first index varies fastest in the file
        from = 0;
        for (std::size_t d = shape.size(); d-- > 0;) from = from * shape[d] + index[d];
        for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
      }
      element(from);
    }
  }

  std::string type_;
  bool fortran_ = false;
};

}  // namespace

RawArray read_npy(std::string_view text, const std::string& name, const Wanted& wanted) {
  return NpyReader(text, name, wanted).run();
}

}  // namespace outward_check
