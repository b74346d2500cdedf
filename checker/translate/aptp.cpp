// Reading the query of an APTP proof: see aptp.hpp.
#include "checker/translate/aptp.hpp"

#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/readers/readers.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

namespace {

// Tokens with their offsets: a parenthesis, a run of other characters, or empty at the end.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string_view next() {
    constexpr std::string_view blank = " \t\r\n";
    while (at_ < text_.size() && (blank.find(text_[at_]) != std::string_view::npos || text_[at_] == ';')) {
      if (text_[at_] == ';') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      ++at_;
    }
    begin_ = at_;
    at_ = std::min(text_.find_first_of("() \t\r\n;", at_), text_.size());
    if (at_ == begin_ && at_ < text_.size()) ++at_;
    return text_.substr(begin_, at_ - begin_);
  }
  std::size_t begin() const { return begin_; }  // of the last token
  std::size_t end() const { return at_; }
  void go_to(std::size_t offset) { begin_ = at_ = offset; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
};

class QueryReader {
 public:
  QueryReader(std::string_view text, const std::string& name) : text_(text), name_(name), scan_(text) {
    query_.vnnlib = text;
  }

  AptpQuery read() {
    for (std::string_view token = scan_.next(); !token.empty(); token = scan_.next()) {
      const std::size_t from = scan_.begin();
      if (token != "(") fail("syntax: expected (");
      const std::string_view command = scan_.next();
      if (command == "declare-pwl") {
        declaration();
        erase(from);
      } else if (command == "assert" && is_tree()) {
        if (query_.leaves != 0) fail("tree: a second proof tree");
        tree();
        erase(from);
      } else {
        skip_command();
      }
    }
    if (query_.leaves == 0) fail("tree: no assertion (or (and ...) ...) over neurons or inputs");
    if (greatest_ > query_.neurons)
      fail("neuron: the tree names N_" + std::to_string(greatest_) + ", declared are " +
           std::to_string(query_.neurons));
    return std::move(query_);
  }

 private:
  std::string_view text_;
  const std::string& name_;
  Scanner scan_;
  AptpQuery query_;
  std::uint64_t greatest_ = 0;  // neuron in the tree

  [[noreturn]] void fail(const std::string& what, ReadError::Class kind = ReadError::Class::malformed) const {
    const std::string_view before = text_.substr(0, std::min(scan_.begin(), text_.size()));
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
    throw ReadError(kind, name_ + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
                              std::to_string(before.size() - line_start + 1) + ": aptp." + what);
  }

  void expect(std::string_view token) {
    if (scan_.next() != token) fail("syntax: expected " + std::string(token));
  }

  void erase(std::size_t from) {
    for (std::size_t i = from; i < scan_.end(); ++i)
      if (query_.vnnlib[i] != '\n') query_.vnnlib[i] = ' ';
  }

  // Up to the parenthesis that closes the command; the reader of the query looks at what is between. Whether a token of
  // it starts with the letter and an underscore, is told in `seen`.
  void skip_command(std::string_view letters = "N", bool* seen = nullptr) {
    for (std::size_t depth = 1; depth > 0;) {
      const std::string_view token = scan_.next();
      if (token.empty()) fail("syntax: a parenthesis is not closed");
      depth += token == "(", depth -= token == ")";
      if (token.size() < 2 || token[1] != '_') continue;
      for (std::size_t i = 0; i < letters.size(); ++i)
        if (token[0] == letters[i] && seen != nullptr) seen[i] = true;
      if (token[0] == 'N' && seen == nullptr) fail("neuron: a condition on a neuron outside the proof tree");
    }
  }

  // Whether the assertion that begins here is a disjunction without outputs. The place does not move.
  bool is_tree() {
    const std::size_t here = scan_.end();
    bool seen[2] = {false, false};
    bool is_or = scan_.next() == "(" && scan_.next() == "or";
    scan_.go_to(here);
    if (is_or) {
      skip_command("NY", seen);
      if (seen[0] && seen[1]) fail("tree: a disjunction over neurons and outputs", ReadError::Class::unsupported);
    }
    scan_.go_to(here);
    return is_or && !seen[1];
  }

  void declaration() {
    const std::string expected = "N_" + std::to_string(query_.neurons + 1);
    if (scan_.next() != expected) fail("neuron: expected the declaration of " + expected);
    const std::string_view function = scan_.next();
    if (function == "(" || function == ")" || function.empty()) fail("syntax: expected ReLU");
    if (function != "ReLU")
      fail("pwl: the function " + json_string(function.substr(0, 40)) + ", known is ReLU",
           ReadError::Class::unsupported);
    expect(")");
    ++query_.neurons;
  }

  // After `(assert`: (or D D ...)) with D = (and L ...) or L.
  void tree() {
    expect("("), expect("or");
    std::string_view token = scan_.next();
    for (; token == "("; token = scan_.next(), ++query_.leaves) {
      const std::string_view word = scan_.next();
      if (word != "and") {
        literal(word);
        continue;
      }
      for (token = scan_.next(); token == "("; token = scan_.next()) literal(scan_.next());
      if (token != ")") fail("syntax: expected a literal or )");
    }
    if (token != ")") fail("syntax: expected a disjunct or )");
    if (query_.leaves == 0) fail("tree: no disjunct");
    expect(")");
  }

  void literal(std::string_view comparison) {
    if (comparison != "<" && comparison != "<=" && comparison != ">" && comparison != ">=")
      fail("tree: expected a comparison of one variable and a number");
    std::string_view variable = scan_.next();
    const bool neuron = variable.starts_with("N_");
    std::uint64_t index = 0;
    std::string_view digits = variable.substr(std::min<std::size_t>(2, variable.size()));
    if ((!neuron && !variable.starts_with("X_")) || !take_integer(&digits, 0xffffffff, &index) || !digits.empty())
      fail("tree: expected N_k or X_i");
    if (neuron && index == 0) fail("neuron: neurons count from 1");
    if (neuron) greatest_ = std::max(greatest_, index);
    Fraction value;
    if (!parse_decimal(scan_.next(), &value)) fail("tree: expected a decimal number");
    expect(")");
  }
};

}  // namespace

bool is_aptp_proof(std::string_view text) {
  if (text.find("declare-pwl") == std::string_view::npos) return false;
  Scanner scan(text);
  bool opened = false;
  for (std::string_view token = scan.next(); !token.empty(); token = scan.next()) {
    if (opened && token == "declare-pwl") return true;
    opened = token == "(";
  }
  return false;
}

AptpQuery read_aptp_query(std::string_view text, const std::string& name) { return QueryReader(text, name).read(); }

Property read_aptp_property(std::string_view text, const std::string& name, std::uint64_t inputs,
                            std::uint64_t outputs) {
  return read_vnnlib(read_aptp_query(text, name).vnnlib, name, inputs, outputs);
}

}  // namespace outward_check
