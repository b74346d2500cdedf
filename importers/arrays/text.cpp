// Numbers in text: comma- or blank-separated lines (.csv) and nested JSON arrays (.json).
// Promises: every number is read as an exact decimal and rounded once, to nearest even in the element type.
#include <nlohmann/json.hpp>

#include "importers/arrays/raw.hpp"

namespace outward::arrays {
namespace {

constexpr std::size_t max_json_depth = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void refuse_byte_order_mark(std::string_view bytes, const std::string& name) {
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") {
    refuse(name + ":1:1", "byte-order-mark", "the file has a byte order mark", "plain text", "bytes ef bb bf",
           "save the file without a byte order mark");
  }
}

// Collects the numbers of nested arrays of equal lengths. Events come from nlohmann's iterative parser.
class NumberCollector : public nlohmann::json_sax<nlohmann::json> {
 public:
  NumberCollector(const std::string& name, const ArrayRequest& request) : name_(name), request_(request) {}

  RawArray finish() {
    RawArray array;
    array.shape = shape_;
    array.bits = std::move(bits_);
    return array;
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool string(string_t&) override { unexpected("a string"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool start_object(std::size_t) override { unexpected("an object"); }
  bool key(string_t&) override { unexpected("an object"); }
  bool end_object() override { unexpected("an object"); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return number(text); }

  bool start_array(std::size_t) override {
    if (lengths_.size() == max_json_depth) {
      refuse(name_, "too-deep", "the JSON arrays are nested too deeply", "at most " + std::to_string(max_json_depth),
             "more");
    }
    if (!lengths_.empty()) ++lengths_.back();
    if (depth_known_ && lengths_.size() == shape_.size()) ragged();
    lengths_.push_back(0);
    return true;
  }

  bool end_array() override {
    const std::size_t level = lengths_.size() - 1;
    // The first array that ends is one of numbers; its level is that of all numbers.
    if (!depth_known_) {
      if (numbers_level_ != 0 && numbers_level_ != lengths_.size()) ragged();
      depth_known_ = true;
      shape_.assign(lengths_.size(), unknown);
    }
    if (shape_[level] == unknown) shape_[level] = lengths_[level];
    if (shape_[level] != lengths_[level]) ragged();
    lengths_.pop_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const std::string what = error.what();
    refuse(name_ + ": byte " + std::to_string(position), "bad-json", "not a JSON array of numbers",
           "nested arrays of numbers", "'" + token.substr(0, 40) + "'",
           what.find("number overflow") != std::string::npos ? "the number is beyond binary64" : "");
  }

 private:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  [[noreturn]] void unexpected(const std::string& what) const {
    refuse(name_, "bad-json", "not a JSON array of numbers", "nested arrays of numbers", what);
  }
  [[noreturn]] void ragged() const {
    refuse(name_, "ragged-array", "the JSON arrays of one level differ in length or depth",
           "nested arrays of equal lengths", "element " + std::to_string(bits_.size()) + " out of place");
  }

  bool number(const std::string& text) {
    if (lengths_.empty()) unexpected("a single number");
    if (depth_known_ && lengths_.size() != shape_.size()) ragged();
    if (!depth_known_ && numbers_level_ != 0 && numbers_level_ != lengths_.size()) ragged();
    numbers_level_ = lengths_.size();
    ++lengths_.back();
    if (bits_.size() == request_.count && !request_.rows) {
      refuse(name_, "wrong-count", "the array does not have the size of the model's input",
             std::to_string(request_.count) + " numbers", "more than that");
    }
    bits_.push_back(from_decimal(text, request_.element, name_ + ": element " + std::to_string(bits_.size())));
    return true;
  }

  const std::string& name_;
  const ArrayRequest& request_;
  std::vector<std::uint64_t> lengths_;  // elements so far of each open array
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> bits_;
  std::size_t numbers_level_ = 0;
  bool depth_known_ = false;
};

}  // namespace

RawArray parse_csv(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  refuse_byte_order_mark(bytes, name);
  RawArray array;
  std::uint64_t rows = 0, columns = 0;
  std::size_t at = 0;
  for (std::uint64_t line = 1; at < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view text = bytes.substr(at, end - at);
    at = end + 1;
    std::uint64_t fields = 0;
    std::size_t i = 0;
    bool after_comma = false;
    for (;;) {
      while (i < text.size() && is_blank(text[i])) ++i;
      const std::size_t begin = i;
      while (i < text.size() && !is_blank(text[i]) && text[i] != ',') ++i;
      const std::string where = name + ":" + std::to_string(line) + ":" + std::to_string(begin + 1);
      if (i == begin) {
        if (i == text.size() && !after_comma) break;  // blanks at the end of the line
        refuse(where, "bad-number", "an empty field", "a decimal number",
               i < text.size() ? "','" : "the end of the line");
      }
      if (array.bits.size() == request.count && !request.rows) {
        refuse(where, "wrong-count", "the file does not have the size of the model's input",
               std::to_string(request.count) + " numbers", "more than that", "a label column has to be removed");
      }
      array.bits.push_back(from_decimal(text.substr(begin, i - begin), request.element, where));
      ++fields;
      while (i < text.size() && is_blank(text[i])) ++i;
      after_comma = i < text.size() && text[i] == ',';
      if (after_comma) ++i;
    }
    if (fields == 0) continue;
    if (rows != 0 && fields != columns) {
      refuse(name + ":" + std::to_string(line), "ragged-array", "the lines differ in length",
             std::to_string(columns) + " numbers", std::to_string(fields));
    }
    ++rows;
    columns = fields;
  }
  if (rows > 1) array.shape = {rows, columns};
  check_count(array.bits.size(), request, name);
  return array;
}

RawArray parse_json(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  refuse_byte_order_mark(bytes, name);
  // nlohmann's parser takes a zero byte for the end of the text.
  if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos) {
    refuse(name + ": byte " + std::to_string(zero), "bad-json", "not a JSON array of numbers",
           "nested arrays of numbers", "a zero byte");
  }
  NumberCollector collector(name, request);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &collector);
  RawArray array = collector.finish();
  check_count(array.bits.size(), request, name);
  return array;
}

}  // namespace outward::arrays
