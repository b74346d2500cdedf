// Counterexample files: see witness.hpp.
#include "checker/report/witness.hpp"

#include <algorithm>
#include <string>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr std::string_view blanks = " \t\r\n";

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n()", at_), text_.size());
    const std::string_view w = text_.substr(at_, end - at_);
    return at_ = end, w;
  }
  bool at_end() { return skip_blanks(), at_ == text_.size(); }
  void require(bool good, const std::string& expected) const {
    if (good) return;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
    throw ReadError(ReadError::Class::malformed, "line " + std::to_string(line) + ": expected " + expected);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The index of X_0, Y_12 and so on; size if it is not below size.
std::size_t parse_index(std::string_view digits, std::size_t size) {
  const bool good = !digits.empty() && digits.size() <= 10 && (digits.size() == 1 || digits[0] != '0') &&
                    digits.find_first_not_of("0123456789") == std::string_view::npos;
  return good ? std::min<std::size_t>(std::stoull(std::string(digits)), size) : size;
}

}  // namespace

bool looks_like_witness(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.starts_with("sat") || text.starts_with("(") || text.empty();
}

WitnessText parse_witness(std::string_view text, std::size_t inputs, std::size_t outputs) {
  std::vector<std::optional<Fraction>> x(inputs), y(outputs);
  Scanner in(text);
  in.require(!in.at_end(), "a witness, found an empty file");
  if (!in.take('(')) {
    in.require(in.word() == "sat", "`sat` or `(`");
    in.require(in.take('('), "`(`");
  }
  while (in.take('(')) {
    const std::string_view name = in.word();
    const bool is_input = name.starts_with("X_");
    in.require(is_input || name.starts_with("Y_"), "X_i or Y_j");
    std::vector<std::optional<Fraction>>& values = is_input ? x : y;
    const std::size_t i = parse_index(name.substr(2), values.size());
    in.require(i < values.size(),
               "an index below " + std::to_string(values.size()) + ", found " + std::string(name.substr(0, 40)));
    in.require(!values[i], std::string(name) + " only once");
    Fraction value;
    in.require(parse_decimal(in.word(), &value), "a decimal number for " + std::string(name));
    values[i] = value;
    in.require(in.take(')'), "`)`");
  }
  in.require(in.take(')'), "`(` or `)`");
  in.require(in.at_end(), "nothing after the list");
  WitnessText w;
  for (std::size_t i = 0; i < x.size(); ++i) {
    in.require(x[i].has_value(), "a value for X_" + std::to_string(i));
    w.inputs.push_back(*x[i]);
  }
  w.outputs = std::move(y);
  return w;
}

}  // namespace outward_check
