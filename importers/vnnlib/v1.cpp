// Parser of VNN-LIB 1.0 text, see v1.hpp.
// One loop over tokens with an explicit stack of open parentheses; what they contain is collected by the builder.
// Grammar (certificates/FORMAT.md section 4 gives the meaning):
//   file    = { "(" "declare-const" NAME "Real" ")" | "(" "declare-fun" NAME "(" ")" "Real" ")" | "(" "assert" formula
//   ")" } formula = "(" ("and" | "or") formula {formula} ")" | "(" ("<=" | "<" | ">=" | ">" | "=" | "==") term term ")"
//   term    = NAME | NUMBER | "(" "+" term {term} ")" | "(" "-" term {term} ")" | "(" "*" term {term} ")"
//   NAME    = ("X_" | "Y_") index without leading zeros
#include "importers/vnnlib/v1.hpp"

#include <algorithm>

#include "importers/vnnlib/builder.hpp"
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

struct OpName {
  std::string_view text;
  Op op;
};
constexpr OpName op_names[] = {{"<=", Op::le},   {">=", Op::ge},           {"<", Op::lt},          {">", Op::gt},
                               {"=", Op::eq},    {"==", Op::eq},           {"+", Op::plus},        {"-", Op::minus},
                               {"*", Op::times}, {"and", Op::conjunction}, {"or", Op::disjunction}};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const Sizes& sizes)
      : tokens_(text, name, Dialect::v1), builder_(tokens_), sizes_(sizes) {}

  Formula run() {
    Token token = tokens_.next();
    if (token.kind == Token::Kind::end) {
      tokens_.refuse(token, "empty-file", "the file contains no commands", "declarations and assertions");
    }
    for (; token.kind != Token::Kind::end; token = tokens_.next()) command(token);
    check_all_declarations();
    return builder_.finish(input_count_, output_count_);
  }

 private:
  void expect(Token::Kind kind, const char* expected) {
    const Token token = tokens_.next();
    if (token.kind != kind) tokens_.refuse(token, "syntax", "unexpected text", expected);
  }

  void command(const Token& open) {
    if (open.kind == Token::Kind::close) {
      tokens_.refuse(open, "syntax", "a closing parenthesis without an opening one",
                     "a command or the end of the file");
    }
    if (open.kind != Token::Kind::open) {
      tokens_.refuse(open, "syntax", "text outside of a command", "'(' and a command");
    }
    const Token word = tokens_.next();
    if (word.is("assert")) {
      assertion();
    } else if (word.is("declare-const")) {
      declaration(false);
    } else if (word.is("declare-fun")) {
      declaration(true);
    } else if (word.is("vnnlib-version") || word.is("declare-network")) {
      tokens_.refuse(word, "missing-version", "a version 2 command in a file that does not start with its version",
                     "(vnnlib-version <2.0>) as the first command");
    } else {
      tokens_.refuse(word, "unknown-command", "a command that is not part of VNN-LIB 1.0",
                     "declare-const, declare-fun or assert", "remove the command");
    }
  }

  // X_i or Y_i, with output_bit for the latter. nullopt: not a name of this form.
  static std::optional<std::uint32_t> variable(std::string_view text) {
    if (text.size() < 3 || (text[0] != 'X' && text[0] != 'Y') || text[1] != '_') return std::nullopt;
    if (text.size() > 3 && text[2] == '0') return std::nullopt;
    std::uint64_t index = 0;
    for (char c : text.substr(2)) {
      if (c < '0' || c > '9') return std::nullopt;
      index = index * 10 + static_cast<std::uint64_t>(c - '0');
      if (index > vnnlib_limits::index) return std::nullopt;
    }
    return static_cast<std::uint32_t>(index) | (text[0] == 'Y' ? output_bit : 0U);
  }

  void declaration(bool function) {
    const Token name = tokens_.next();
    const auto id = name.kind == Token::Kind::symbol ? variable(name.text) : std::nullopt;
    if (!id) {
      tokens_.refuse(
          name, "bad-name", "not the name of an input or output",
          "X_0, X_1, … or Y_0, Y_1, … without leading zeros, index at most " + std::to_string(vnnlib_limits::index));
    }
    if (function) {
      expect(Token::Kind::open, "'()', a function without arguments");
      expect(Token::Kind::close, "'()', a function without arguments");
    }
    const Token type = tokens_.next();
    if (!type.is("Real")) tokens_.refuse(type, "unsupported-type", "not the type of VNN-LIB 1.0 variables", "Real");
    expect(Token::Kind::close, "')' after the type");
    const std::uint32_t index = *id & ~output_bit;
    auto& declared = (*id & output_bit) != 0 ? outputs_ : inputs_;
    auto& count = (*id & output_bit) != 0 ? output_count_ : input_count_;
    if (index >= declared.size()) declared.resize(index + 1, false);
    if (declared[index]) {
      tokens_.refuse(name, "multiple-declaration", "this variable is already declared", "every variable declared once");
    }
    declared[index] = true;
    ++count;
  }

  void assertion() {
    Token token = tokens_.next();
    if (token.kind != Token::Kind::open) {
      tokens_.refuse(token, "syntax", "an assertion without a comparison", "'(' and a comparison, and, or or");
    }
    for (;;) {
      switch (token.kind) {
        case Token::Kind::open:
          open_frame();
          break;
        case Token::Kind::close:
          close_frame(token);
          break;
        case Token::Kind::symbol:
          add_symbol(token);
          break;
        default:
          unexpected_end(token);
      }
      if (frames_.empty()) break;
      token = tokens_.next();
    }
    expect(Token::Kind::close, "')' at the end of the assertion");
    builder_.end_assertion(token);
  }

  [[noreturn]] void unexpected_end(const Token& token) {
    if (token.kind != Token::Kind::end) tokens_.refuse(token, "syntax", "unexpected text", "an operator or ')'");
    const Token& inner = frames_.back().token;
    tokens_.refuse(token, "syntax", "the file ends inside an assertion",
                   "')' for the '(' before '" + std::string(inner.text) + "' in line " + std::to_string(inner.line));
  }

  // After '('.
  void open_frame() {
    const Token token = tokens_.next();
    if (token.kind == Token::Kind::end) {
      tokens_.refuse(token, "syntax", "the file ends inside an assertion", "an operator");
    }
    const OpName* found = nullptr;
    for (const OpName& candidate : op_names) {
      if (token.is(candidate.text)) {
        found = &candidate;
        break;
      }
    }
    if (found == nullptr) {
      tokens_.refuse(
          token, token.kind == Token::Kind::symbol ? "unknown-operator" : "syntax",
          token.kind == Token::Kind::open ? "an extra opening parenthesis" : "not an operator of VNN-LIB 1.0",
          "and, or, <=, <, >=, >, =, ==, +, - or *");
    }
    const bool in_formula = frames_.empty() || is_connective(frames_.back().op);
    const bool is_formula = is_connective(found->op) || is_comparison(found->op);
    if (in_formula != is_formula) {
      tokens_.refuse(token, "syntax",
                     in_formula ? "a number where a truth value is needed" : "a truth value where a number is needed",
                     in_formula ? "and, or or a comparison" : "a number, a variable, +, - or *");
    }
    if (frames_.size() == vnnlib_limits::depth) {
      tokens_.refuse(token, "too-deep", "the nesting is over the limit",
                     "at most " + std::to_string(vnnlib_limits::depth) + " open parentheses");
    }
    frames_.push_back(builder_.open(found->op, token));
  }

  void add_symbol(const Token& token) {
    if (is_connective(frames_.back().op)) {
      tokens_.refuse(token, "syntax", "a number or name where a truth value is needed",
                     "'(' and a comparison, and or or");
    }
    if (token.text[0] != 'X' && token.text[0] != 'Y') {
      builder_.add_number(token);
      return;
    }
    const auto id = variable(token.text);
    if (!id || !is_declared(*id)) {
      tokens_.refuse(token, "undeclared-variable", "this variable is not declared above",
                     "a name declared as X_i or Y_i without leading zeros");
    }
    builder_.add_variable(*id);
  }

  bool is_declared(std::uint32_t id) const {
    const auto& declared = (id & output_bit) != 0 ? outputs_ : inputs_;
    const std::uint32_t index = id & ~output_bit;
    return index < declared.size() && declared[index];
  }

  void close_frame(const Token& token) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    builder_.close(frame, token);
  }

  // The first undeclared index below the greatest declared one, or the number of variables.
  static std::uint64_t first_gap(const std::vector<bool>& declared) {
    return static_cast<std::uint64_t>(std::find(declared.begin(), declared.end(), false) - declared.begin());
  }

  void check_declarations(char letter, const std::vector<bool>& declared, std::uint64_t count,
                          std::optional<std::uint64_t> wanted, std::vector<Blocker>& blockers) const {
    const std::string what = letter == 'X' ? "inputs" : "outputs";
    const std::uint64_t gap = first_gap(declared);
    const std::string missing = std::string(1, letter) + "_" + std::to_string(gap) + " is not declared";
    if (gap < declared.size()) {
      blockers.push_back(Blocker{"undeclared-variable", tokens_.name(), "the declared " + what + " have a gap",
                                 "indices 0, 1, 2, … without gaps", missing,
                                 "declare every " + what.substr(0, what.size() - 1)});
    } else if (wanted && count != *wanted) {
      blockers.push_back(Blocker{"wrong-" + what.substr(0, what.size() - 1) + "-count", tokens_.name(),
                                 "the declared " + what + " do not match the model",
                                 std::to_string(*wanted) + " " + what, std::to_string(count),
                                 "use the property written for this model"});
    } else if (count == 0) {
      blockers.push_back(Blocker{"no-" + what, tokens_.name(), "no " + what + " are declared",
                                 "at least " + std::string(1, letter) + "_0", "none", ""});
    }
  }

  void check_all_declarations() const {
    std::vector<Blocker> blockers;
    check_declarations('X', inputs_, input_count_, sizes_ ? std::optional(sizes_->first) : std::nullopt, blockers);
    check_declarations('Y', outputs_, output_count_, sizes_ ? std::optional(sizes_->second) : std::nullopt, blockers);
    if (!blockers.empty()) throw InputRefused(std::move(blockers));
  }

  Tokens tokens_;
  Builder builder_;
  Sizes sizes_;
  std::vector<bool> inputs_, outputs_;  // declared indices
  std::uint64_t input_count_ = 0, output_count_ = 0;
  std::vector<Frame> frames_;
};

}  // namespace

Formula parse_v1(std::string_view text, const std::string& name, const Sizes& sizes) {
  return Parser(text, name, sizes).run();
}

}  // namespace outward::vnnlib
