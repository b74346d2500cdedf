// Decimal numbers in text: lines of numbers between commas or blanks (.csv, .txt), nested arrays of equal lengths
// (.json). Promises one rounding of each exact decimal, to nearest even; see arrays.hpp.
#include "checker/translate/arrays.hpp"

namespace outward_check {

namespace {

class CsvReader : ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  RawArray run() {
    std::uint64_t rows = 0, columns = 0;
    for (; !at_end(); take('\n')) {
      const std::size_t before = array_.bits.size();
      line();
      const std::uint64_t fields = array_.bits.size() - before;
      if (fields == 0) continue;
      require(rows == 0 || fields == columns, "lines of the same length");
      ++rows, columns = fields;
    }
    if (rows > 1) array_.shape = {rows, columns};
    expect_count(array_.bits.size());
    return std::move(array_);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void line() {
    for (bool after_comma = false;;) {
      while (is_blank(peek())) ++at_;
      const std::size_t start = at_;
      while (!at_end() && !is_blank(peek()) && peek() != ',' && peek() != '\n') ++at_;
      if (at_ == start && (at_end() || peek() == '\n') && !after_comma) return;
      require(at_ > start, "a number");
      rounded(text_.substr(start, at_ - start));
      while (is_blank(peek())) ++at_;
      after_comma = take(',');
    }
  }
};

class JsonReader : ArrayReader {
 public:
  using ArrayReader::ArrayReader;

  RawArray run() {
    skip_spaces();
    require(peek() == '[', "an array");
    bool after_value = false, opened = false;
    do {
      skip_spaces();
      if ((after_value || opened) && take(']')) {
        close();
        after_value = true, opened = false;
      } else if (after_value) {
        require(take(','), ", or ]");
        after_value = false;
      } else if (take('[')) {
        open();
        opened = true;
      } else {
        number();
        after_value = true, opened = false;
      }
    } while (!lengths_.empty());
    skip_spaces();
    require(at_end(), "nothing behind the array");
    expect_count(array_.bits.size());
    return std::move(array_);
  }

 private:
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') ++at_;
  }

  // The first number, or the first array that ends, tells the depth of all numbers.
  void know_depth() {
    if (array_.shape.empty()) array_.shape.assign(lengths_.size(), unknown);
    require(lengths_.size() <= array_.shape.size(), "all numbers at one depth");
  }
  void open() {
    if (lengths_.size() == limit(Limit::array_depth)) fail(Limit::array_depth, "nested too deep");
    require(array_.shape.empty() || lengths_.size() < array_.shape.size(), "all numbers at one depth");
    if (!lengths_.empty()) ++lengths_.back();
    lengths_.push_back(0);
  }
  void close() {
    know_depth();
    std::uint64_t& length = array_.shape[lengths_.size() - 1];
    if (length == unknown) length = lengths_.back();
    require(length == lengths_.back(), "arrays of equal lengths");
    lengths_.pop_back();
  }

  void digits() {
    require(is_digit(peek()), "a digit");
    while (is_digit(peek())) ++at_;
  }
  void number() {
    const std::size_t start = at_;
    take('-');
    if (!take('0')) digits();
    require(!is_digit(peek()), "no leading zero");
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('-')) take('+');
      digits();
    }
    know_depth();
    require(lengths_.size() == array_.shape.size(), "all numbers at one depth");
    ++lengths_.back();
    rounded(text_.substr(start, at_ - start));
  }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::vector<std::uint64_t> lengths_;  // elements so far of each open array
};

}  // namespace

RawArray read_csv(std::string_view text, const std::string& name, const Wanted& wanted) {
  return CsvReader(text, name, wanted).run();
}
RawArray read_json_array(std::string_view text, const std::string& name, const Wanted& wanted) {
  return JsonReader(text, name, wanted).run();
}

}  // namespace outward_check
