// Parser of VNN-LIB 1.0 text, see v1.hpp.
// One loop over tokens with an explicit stack of open parentheses: `and`/`or` collect children, comparisons and
// arithmetic collect operands. A comparison of a variable with a number, by far the most frequent, allocates nothing.
// Grammar (certificates/FORMAT.md section 4 gives the meaning):
//   file    = { "(" "declare-const" NAME "Real" ")" | "(" "declare-fun" NAME "(" ")" "Real" ")" | "(" "assert" formula ")" }
//   formula = "(" ("and" | "or") formula {formula} ")" | "(" ("<=" | "<" | ">=" | ">" | "=" | "==") term term ")"
//   term    = NAME | NUMBER | "(" "+" term {term} ")" | "(" "-" term {term} ")" | "(" "*" term {term} ")"
//   NAME    = ("X_" | "Y_") index without leading zeros
#include "importers/vnnlib/v1.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "importers/vnnlib/linear.hpp"
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr std::size_t shown_unsupported = 20;
constexpr std::uint64_t large_bits = 1024;                          // numbers beyond this size …
constexpr std::uint64_t large_bits_budget = std::uint64_t{1} << 23;  // … share this many bits per file

enum class Op : std::uint8_t { conjunction, disjunction, le, lt, ge, gt, eq, plus, minus, times };

bool is_connective(Op op) { return op == Op::conjunction || op == Op::disjunction; }
bool is_comparison(Op op) { return op >= Op::le && op <= Op::eq; }

struct OpName {
  std::string_view text;
  Op op;
};
constexpr OpName op_names[] = {{"<=", Op::le},  {">=", Op::ge}, {"<", Op::lt},   {">", Op::gt},
                               {"=", Op::eq},   {"==", Op::eq}, {"+", Op::plus}, {"-", Op::minus},
                               {"*", Op::times}, {"and", Op::conjunction}, {"or", Op::disjunction}};

// A number, a variable, or a linear form.
struct Operand {
  enum class Kind : std::uint8_t { number, variable, form };
  Kind kind = Kind::number;
  std::uint32_t variable = 0;
  Number number;
  std::unique_ptr<LinearForm> form;
};

// One open parenthesis.
struct Frame {
  Op op;
  std::uint32_t start;  // first child or operand
  Token token;          // of the operator
};

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > std::numeric_limits<std::uint64_t>::max() / b ? std::numeric_limits<std::uint64_t>::max() : a * b;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const Sizes& sizes)
      : tokens_(text, name, Dialect::v1), sizes_(sizes) {}

  Formula run() {
    Token token = tokens_.next();
    if (token.kind == Token::Kind::end) {
      tokens_.refuse(token, "empty-file", "the file contains no commands", "declarations and assertions");
    }
    for (; token.kind != Token::Kind::end; token = tokens_.next()) command(token);
    finish();
    return std::move(formula_);
  }

 private:
  void expect(Token::Kind kind, const char* expected) {
    const Token token = tokens_.next();
    if (token.kind != kind) tokens_.refuse(token, "syntax", "unexpected text", expected);
  }

  void command(const Token& open) {
    if (open.kind == Token::Kind::close) {
      tokens_.refuse(open, "syntax", "a closing parenthesis without an opening one", "a command or the end of the file");
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
      tokens_.refuse(name, "bad-name", "not the name of an input or output",
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
    auto& count = (*id & output_bit) != 0 ? formula_.outputs : formula_.inputs;
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
        case Token::Kind::open: open_frame(); break;
        case Token::Kind::close: close_frame(token); break;
        case Token::Kind::symbol: add_symbol(token); break;
        default: unexpected_end(token);
      }
      if (frames_.empty()) break;
      token = tokens_.next();
    }
    expect(Token::Kind::close, "')' at the end of the assertion");
    assertions_.push_back(pending_.back());
    pending_.clear();
    const std::uint32_t child = assertions_.back();
    update_conjunction(formula_.root, child);
    check_size(formula_.root, token);
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
      tokens_.refuse(token, token.kind == Token::Kind::symbol ? "unknown-operator" : "syntax",
                     token.kind == Token::Kind::open ? "an extra opening parenthesis" : "not an operator of VNN-LIB 1.0",
                     "and, or, <=, <, >=, >, =, ==, +, - or *");
    }
    const bool in_formula = frames_.empty() || is_connective(frames_.back().op);
    const bool is_formula = is_connective(found->op) || is_comparison(found->op);
    if (in_formula != is_formula) {
      tokens_.refuse(token, "syntax", in_formula ? "a number where a truth value is needed" : "a truth value where a number is needed",
                     in_formula ? "and, or or a comparison" : "a number, a variable, +, - or *");
    }
    if (frames_.size() == vnnlib_limits::depth) {
      tokens_.refuse(token, "too-deep", "the nesting is over the limit",
                     "at most " + std::to_string(vnnlib_limits::depth) + " open parentheses");
    }
    const std::size_t start = is_connective(found->op) ? pending_.size() : operands_.size();
    frames_.push_back(Frame{found->op, static_cast<std::uint32_t>(start), token});
  }

  void add_symbol(const Token& token) {
    if (is_connective(frames_.back().op)) {
      tokens_.refuse(token, "syntax", "a number or name where a truth value is needed", "'(' and a comparison, and or or");
    }
    Operand operand;
    const char c = token.text[0];
    if (c == 'X' || c == 'Y') {
      const auto id = variable(token.text);
      if (!id || !is_declared(*id)) {
        tokens_.refuse(token, "undeclared-variable", "this variable is not declared above",
                       "a name declared as X_i or Y_i without leading zeros");
      }
      operand.kind = Operand::Kind::variable;
      operand.variable = *id;
    } else {
      switch (formula_.numbers.parse(token.text, operand.number)) {
        case NumberStatus::ok: break;
        case NumberStatus::over_limit:
          tokens_.refuse(token, "number-too-large", "a number is over the size limits",
                         "at most " + std::to_string(max_digits) + " digits, exponents up to " +
                             std::to_string(max_exponent) + ", and a bounded sum over the file");
        case NumberStatus::malformed: {
          const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
          tokens_.refuse(token, digit ? "bad-number" : "unknown-symbol",
                         digit ? "not a decimal number" : "not a number, and not the name of an input or output",
                         digit ? "digits with at most one sign, one point and one exponent" : "a decimal number, X_i or Y_i");
        }
      }
      if (operand.number.scale == Number::pooled) spend(bits_of(formula_.numbers.value(operand.number)), token);
    }
    operands_.push_back(std::move(operand));
  }

  // Large numbers are legal but slow; a file may use a bounded amount of them.
  void spend(std::uint64_t bits, const Token& token) {
    if (bits > vnnlib_limits::number_bits) {
      tokens_.refuse(token, "number-too-large", "a computed coefficient is over the size limit",
                     "at most " + std::to_string(vnnlib_limits::number_bits) + " bits");
    }
    if (bits <= large_bits) return;
    large_bits_spent_ += bits;
    if (large_bits_spent_ > large_bits_budget) {
      tokens_.refuse(token, "number-too-large", "the long numbers of the file are over the size limit",
                     "at most " + std::to_string(large_bits_budget) + " bits in all numbers above " +
                         std::to_string(large_bits) + " bits");
    }
  }

  bool is_declared(std::uint32_t id) const {
    const auto& declared = (id & output_bit) != 0 ? outputs_ : inputs_;
    const std::uint32_t index = id & ~output_bit;
    return index < declared.size() && declared[index];
  }

  void close_frame(const Token& token) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (is_connective(frame.op)) {
      close_connective(frame, token);
    } else if (is_comparison(frame.op)) {
      close_comparison(frame);
    } else {
      close_arithmetic(frame);
    }
  }

  std::uint64_t cases_of(std::uint32_t child) const {
    return (child & node_bit) != 0 ? formula_.nodes[child & ~node_bit].cases : 1;
  }
  std::uint64_t terms_of(std::uint32_t child) const {
    return (child & node_bit) != 0 ? formula_.nodes[child & ~node_bit].terms
                                   : literal_terms(formula_, formula_.literals[child]);
  }

  // Sizes of the product with one more factor.
  void update_conjunction(Node& node, std::uint32_t child) const {
    node.terms = saturating_add(saturating_multiply(node.terms, cases_of(child)),
                                saturating_multiply(terms_of(child), node.cases));
    node.cases = saturating_multiply(node.cases, cases_of(child));
  }

  // Refused as soon as the part read so far is too large: nothing is expanded yet.
  void check_size(const Node& node, const Token& token) const {
    if (node.cases > vnnlib_limits::cases) {
      tokens_.refuse(token, "too-many-cases", "the alternatives multiply to too many cases",
                     "at most " + std::to_string(vnnlib_limits::cases) + " cases",
                     "split the property into several files");
    }
    if (node.terms > vnnlib_limits::expanded_terms) {
      tokens_.refuse(token, "too-many-terms", "the expanded property is over the size limit",
                     "at most " + std::to_string(vnnlib_limits::expanded_terms) + " terms in all cases",
                     "split the property into several files");
    }
  }

  // A node over the children pending_[start …]; they are removed.
  std::uint32_t make_node(bool disjunction, std::size_t start, const Token& token) {
    Node node;
    node.disjunction = disjunction;
    node.first = static_cast<std::uint32_t>(formula_.children.size());
    node.count = static_cast<std::uint32_t>(pending_.size() - start);
    if (disjunction) node.cases = 0;
    for (std::size_t i = start; i < pending_.size(); ++i) {
      formula_.cases_before.push_back(disjunction ? node.cases : 0);
      if (disjunction) {
        node.cases = saturating_add(node.cases, cases_of(pending_[i]));
        node.terms = saturating_add(node.terms, terms_of(pending_[i]));
      } else {
        update_conjunction(node, pending_[i]);
      }
    }
    check_size(node, token);
    formula_.children.insert(formula_.children.end(), pending_.begin() + static_cast<std::ptrdiff_t>(start), pending_.end());
    pending_.resize(start);
    formula_.nodes.push_back(node);
    return static_cast<std::uint32_t>(formula_.nodes.size() - 1) | node_bit;
  }

  void close_connective(const Frame& frame, const Token& token) {
    const std::size_t count = pending_.size() - frame.start;
    if (count == 0) {
      tokens_.refuse(token, "syntax", "'" + std::string(frame.token.text) + "' without operands", "at least one comparison");
    }
    if (count > 1) {
      const std::uint32_t node = make_node(frame.op == Op::disjunction, frame.start, token);
      pending_.push_back(node);
    }
  }

  static void add_to(LinearForm& form, const Operand& operand, const NumberPool& numbers, bool negated) {
    switch (operand.kind) {
      case Operand::Kind::number: {
        Rational value = numbers.value(operand.number);
        if (negated) value = -value;
        if (form.constant.is_zero()) {
          form.constant = std::move(value);  // Rational addition reduces by a gcd, slow for long numbers
        } else {
          form.constant += value;
        }
        break;
      }
      case Operand::Kind::variable: form.terms.emplace_back(operand.variable, negated ? -1 : 1); break;
      case Operand::Kind::form: form.append(*operand.form, negated); break;
    }
  }

  void close_arithmetic(const Frame& frame) {
    const std::size_t count = operands_.size() - frame.start;
    if (count == 0) {
      tokens_.refuse(frame.token, "syntax", "an operator without operands", "at least one number or variable");
    }
    auto form = std::make_unique<LinearForm>();
    if (frame.op == Op::times) {
      add_to(*form, operands_[frame.start], formula_.numbers, false);
      form->normalise();
      for (std::size_t i = frame.start + 1; i < operands_.size(); ++i) {
        LinearForm factor;
        add_to(factor, operands_[i], formula_.numbers, false);
        factor.normalise();
        if (!form->is_constant() && !factor.is_constant()) {
          tokens_.refuse(frame.token, "nonlinear", "a product of variables", "at most one factor with variables");
        }
        if (form->is_constant()) std::swap(*form, factor);
        form->multiply(factor.constant);
        spend(form->bits(), frame.token);
      }
    } else {
      const bool minus = frame.op == Op::minus;
      for (std::size_t i = frame.start; i < operands_.size(); ++i) {
        add_to(*form, operands_[i], formula_.numbers, minus && (i > frame.start || count == 1));
      }
      form->normalise();
      spend(form->bits(), frame.token);
    }
    operands_.resize(frame.start);
    Operand result;
    result.kind = Operand::Kind::form;
    result.form = std::move(form);
    operands_.push_back(std::move(result));
  }

  void push_literal(const Literal& literal) {
    if (formula_.literals.size() >= node_bit) throw ResourceError(tokens_.name() + ": more comparisons than fit in memory");
    pending_.push_back(static_cast<std::uint32_t>(formula_.literals.size()));
    formula_.literals.push_back(literal);
  }

  void close_comparison(const Frame& frame) {
    if (operands_.size() - frame.start != 2) {
      tokens_.refuse(frame.token, "syntax", "a comparison with " + std::to_string(operands_.size() - frame.start) + " operands",
                     "two operands");
    }
    const Operand& a = operands_[frame.start];
    const Operand& b = operands_[frame.start + 1];
    if (!simple_bound(frame, a, b)) general_comparison(frame, a, b);
    operands_.resize(frame.start);
  }

  // Input against number, without rationals.
  bool simple_bound(const Frame& frame, const Operand& a, const Operand& b) {
    const bool left = a.kind == Operand::Kind::variable && b.kind == Operand::Kind::number;
    const bool right = b.kind == Operand::Kind::variable && a.kind == Operand::Kind::number;
    const Operand& v = left ? a : b;
    if ((!left && !right) || (v.variable & output_bit) != 0 || frame.op == Op::eq) return false;
    Literal literal;
    const bool less = frame.op == Op::le || frame.op == Op::lt;
    literal.kind = less == left ? Literal::Kind::upper : Literal::Kind::lower;
    literal.strict = frame.op == Op::lt || frame.op == Op::gt;
    literal.index = v.variable;
    literal.value = left ? b.number : a.number;
    literal.line = frame.token.line;
    push_literal(literal);
    return true;
  }

  void general_comparison(const Frame& frame, const Operand& a, const Operand& b) {
    const bool greater = frame.op == Op::ge || frame.op == Op::gt;
    LinearForm form;  // <= 0
    add_to(form, a, formula_.numbers, greater);
    add_to(form, b, formula_.numbers, !greater);
    form.normalise();
    spend(form.bits(), frame.token);
    const std::size_t start = pending_.size();
    add_literal(form, frame);
    if (frame.op == Op::eq) {
      form.negate();
      add_literal(form, frame);
      const std::uint32_t node = make_node(false, start, frame.token);
      pending_.push_back(node);
    }
  }

  void add_literal(const LinearForm& form, const Frame& frame) {
    Literal literal;
    const bool strict = frame.op == Op::lt || frame.op == Op::gt;
    const LiteralStatus status = make_literal(form, strict, frame.token.line, formula_, literal);
    if (status == LiteralStatus::number_too_large) {
      tokens_.refuse(frame.token, "number-too-large", "the numbers of the file are over the size limit",
                     "at most " + std::to_string(vnnlib_limits::number_bytes) + " bytes of long numbers");
    }
    if (status != LiteralStatus::ok) note_unsupported(status, frame);
    row_words_ = saturating_add(row_words_, literal_terms(formula_, literal));
    if (literal.kind == Literal::Kind::row && row_words_ > vnnlib_limits::expanded_terms) {
      tokens_.refuse(frame.token, "too-many-terms", "the rows of the file are over the size limit",
                     "at most " + std::to_string(vnnlib_limits::expanded_terms) + " terms");
    }
    push_literal(literal);
  }

  void note_unsupported(LiteralStatus status, const Frame& frame) {
    ++formula_.unsupported_count;
    if (formula_.unsupported.size() == shown_unsupported) return;
    const bool mixed = status == LiteralStatus::inputs_and_outputs;
    formula_.unsupported.push_back(Blocker{
        mixed ? "row-mixes-inputs-and-outputs" : "row-with-several-inputs", tokens_.where(frame.token),
        mixed ? "a comparison of inputs with outputs is valid VNN-LIB, but not supported"
              : "a comparison of several inputs is valid VNN-LIB, but not supported",
        "bounds of single inputs, and comparisons of outputs only", "'" + std::string(frame.token.text) + "'",
        mixed ? "add the compared inputs as further outputs of the model" : "enclose the input set in boxes"});
  }

  // The first undeclared index below the greatest declared one, or the number of variables.
  static std::uint64_t first_gap(const std::vector<bool>& declared) {
    return static_cast<std::uint64_t>(std::find(declared.begin(), declared.end(), false) - declared.begin());
  }

  void check_declarations(char letter, const std::vector<bool>& declared, std::uint64_t count, std::optional<std::uint64_t> wanted,
                          std::vector<Blocker>& blockers) const {
    const std::string what = letter == 'X' ? "inputs" : "outputs";
    const std::uint64_t gap = first_gap(declared);
    const std::string missing = std::string(1, letter) + "_" + std::to_string(gap) + " is not declared";
    if (gap < declared.size()) {
      blockers.push_back(Blocker{"undeclared-variable", tokens_.name(), "the declared " + what + " have a gap",
                                 "indices 0, 1, 2, … without gaps", missing, "declare every " + what.substr(0, what.size() - 1)});
    } else if (wanted && count != *wanted) {
      blockers.push_back(Blocker{"wrong-" + what.substr(0, what.size() - 1) + "-count", tokens_.name(),
                                 "the declared " + what + " do not match the model", std::to_string(*wanted) + " " + what,
                                 std::to_string(count), "use the property written for this model"});
    } else if (count == 0) {
      blockers.push_back(Blocker{"no-" + what, tokens_.name(), "no " + what + " are declared",
                                 "at least " + std::string(1, letter) + "_0", "none", ""});
    }
  }

  void finish() {
    std::vector<Blocker> blockers;
    check_declarations('X', inputs_, formula_.inputs, sizes_ ? std::optional(sizes_->first) : std::nullopt, blockers);
    check_declarations('Y', outputs_, formula_.outputs, sizes_ ? std::optional(sizes_->second) : std::nullopt, blockers);
    if (!blockers.empty()) throw InputRefused(std::move(blockers));
    formula_.root.first = static_cast<std::uint32_t>(formula_.children.size());
    formula_.root.count = static_cast<std::uint32_t>(assertions_.size());
    formula_.children.insert(formula_.children.end(), assertions_.begin(), assertions_.end());
    formula_.cases_before.resize(formula_.children.size(), 0);
  }

  Tokens tokens_;
  Sizes sizes_;
  Formula formula_;
  std::vector<bool> inputs_, outputs_;  // declared indices
  std::vector<Frame> frames_;
  std::vector<Operand> operands_;
  std::vector<std::uint32_t> pending_;     // children of the open connectives
  std::vector<std::uint32_t> assertions_;  // children of the root
  std::uint64_t large_bits_spent_ = 0, row_words_ = 0;
};

}  // namespace

Formula parse_v1(std::string_view text, const std::string& name, const Sizes& sizes) {
  return Parser(text, name, sizes).run();
}

}  // namespace outward::vnnlib
