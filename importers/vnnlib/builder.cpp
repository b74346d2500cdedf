// Builder of formulas, see builder.hpp.
// A comparison of an input with a number, by far the most frequent, makes no rational number.
#include "importers/vnnlib/builder.hpp"

#include <limits>

#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr std::size_t shown_unsupported = 20;
constexpr std::uint64_t large_bits = 1024;                           // numbers beyond this size …
constexpr std::uint64_t large_bits_budget = std::uint64_t{1} << 23;  // … share this many bits per file

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > std::numeric_limits<std::uint64_t>::max() / b ? std::numeric_limits<std::uint64_t>::max() : a * b;
}

}  // namespace

Frame Builder::open(Op op, const Token& token) const {
  const std::size_t start = is_connective(op) ? pending_.size() : operands_.size();
  return Frame{op, static_cast<std::uint32_t>(start), token};
}

void Builder::close(const Frame& frame, const Token& token) {
  if (is_connective(frame.op)) {
    close_connective(frame, token);
  } else if (is_comparison(frame.op)) {
    close_comparison(frame);
  } else {
    close_arithmetic(frame);
  }
}

void Builder::add_variable(std::uint32_t variable) {
  Operand operand;
  operand.kind = Operand::Kind::variable;
  operand.variable = variable;
  operands_.push_back(std::move(operand));
}

void Builder::add_number(const Token& token) {
  Operand operand;
  switch (formula_.numbers.parse(token.text, operand.number)) {
    case NumberStatus::ok:
      break;
    case NumberStatus::over_limit:
      tokens_.refuse(token, "number-too-large", "a number is over the size limits",
                     "at most " + std::to_string(max_digits) + " digits, exponents up to " +
                         std::to_string(max_exponent) + ", and a bounded sum over the file");
    case NumberStatus::malformed: {
      const char c = token.text[0];
      const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
      tokens_.refuse(
          token, digit ? "bad-number" : "unknown-symbol",
          digit ? "not a decimal number" : "not a number, and not the name of an input or output",
          digit ? "digits with at most one sign, one point and one exponent" : "a decimal number, X_i or Y_i");
    }
  }
  if (operand.number.scale == Number::pooled) spend(bits_of(formula_.numbers.value(operand.number)), token);
  operands_.push_back(std::move(operand));
}

void Builder::end_assertion(const Token& token) {
  const std::uint32_t child = pending_.back();
  pending_.clear();
  assertions_.push_back(child);
  if ((child & node_bit) == 0) {
    // A bound that holds in every case is applied once, however many cases there are.
    const Literal::Kind kind = formula_.literals[child].kind;
    if (kind == Literal::Kind::lower || kind == Literal::Kind::upper) return;
  }
  update_conjunction(formula_.root, child);
  check_size(formula_.root, token);
}

Formula Builder::finish(std::uint64_t inputs, std::uint64_t outputs) {
  formula_.inputs = inputs;
  formula_.outputs = outputs;
  formula_.root.first = static_cast<std::uint32_t>(formula_.children.size());
  formula_.root.count = static_cast<std::uint32_t>(assertions_.size());
  formula_.children.insert(formula_.children.end(), assertions_.begin(), assertions_.end());
  formula_.cases_before.resize(formula_.children.size(), 0);
  return std::move(formula_);
}

// Large numbers are legal but slow; a file may use a bounded amount of them.
void Builder::spend(std::uint64_t bits, const Token& token) {
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

std::uint64_t Builder::cases_of(std::uint32_t child) const {
  return (child & node_bit) != 0 ? formula_.nodes[child & ~node_bit].cases : 1;
}
std::uint64_t Builder::terms_of(std::uint32_t child) const {
  return (child & node_bit) != 0 ? formula_.nodes[child & ~node_bit].terms
                                 : literal_terms(formula_, formula_.literals[child]);
}

// Sizes of the product with one more factor.
void Builder::update_conjunction(Node& node, std::uint32_t child) const {
  node.terms = saturating_add(saturating_multiply(node.terms, cases_of(child)),
                              saturating_multiply(terms_of(child), node.cases));
  node.cases = saturating_multiply(node.cases, cases_of(child));
}

// Refused as soon as the part read so far is too large: nothing is expanded yet.
void Builder::check_size(const Node& node, const Token& token) const {
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
std::uint32_t Builder::make_node(bool disjunction, std::size_t start, const Token& token) {
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
  formula_.children.insert(formula_.children.end(), pending_.begin() + static_cast<std::ptrdiff_t>(start),
                           pending_.end());
  pending_.resize(start);
  formula_.nodes.push_back(node);
  return static_cast<std::uint32_t>(formula_.nodes.size() - 1) | node_bit;
}

void Builder::close_connective(const Frame& frame, const Token& token) {
  const std::size_t count = pending_.size() - frame.start;
  if (count == 0) {
    tokens_.refuse(token, "syntax", "'" + std::string(frame.token.text) + "' without operands",
                   "at least one comparison");
  }
  if (count > 1) {
    const std::uint32_t node = make_node(frame.op == Op::disjunction, frame.start, token);
    pending_.push_back(node);
  }
}

void Builder::add_to(LinearForm& form, const Operand& operand, bool negated) const {
  switch (operand.kind) {
    case Operand::Kind::number: {
      Rational value = formula_.numbers.value(operand.number);
      if (negated) value = -value;
      if (form.constant.is_zero()) {
        form.constant = std::move(value);  // Rational addition reduces by a gcd, slow for long numbers
      } else {
        form.constant += value;
      }
      break;
    }
    case Operand::Kind::variable:
      form.terms.emplace_back(operand.variable, negated ? -1 : 1);
      break;
    case Operand::Kind::form:
      form.append(*operand.form, negated);
      break;
  }
}

void Builder::close_arithmetic(const Frame& frame) {
  const std::size_t count = operands_.size() - frame.start;
  if (count == 0) {
    tokens_.refuse(frame.token, "syntax", "an operator without operands", "at least one number or variable");
  }
  auto form = std::make_unique<LinearForm>();
  if (frame.op == Op::times) {
    add_to(*form, operands_[frame.start], false);
    form->normalise();
    for (std::size_t i = frame.start + 1; i < operands_.size(); ++i) {
      LinearForm factor;
      add_to(factor, operands_[i], false);
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
      add_to(*form, operands_[i], minus && (i > frame.start || count == 1));
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

void Builder::push_literal(const Literal& literal) {
  if (formula_.literals.size() >= node_bit)
    throw ResourceError(tokens_.name() + ": more comparisons than fit in memory");
  pending_.push_back(static_cast<std::uint32_t>(formula_.literals.size()));
  formula_.literals.push_back(literal);
}

void Builder::close_comparison(const Frame& frame) {
  if (operands_.size() - frame.start != 2) {
    tokens_.refuse(frame.token, "syntax",
                   "a comparison with " + std::to_string(operands_.size() - frame.start) + " operands", "two operands");
  }
  const Operand& a = operands_[frame.start];
  const Operand& b = operands_[frame.start + 1];
  if (!simple_bound(frame, a, b)) general_comparison(frame, a, b);
  operands_.resize(frame.start);
}

// Input against number, without rationals.
bool Builder::simple_bound(const Frame& frame, const Operand& a, const Operand& b) {
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

void Builder::general_comparison(const Frame& frame, const Operand& a, const Operand& b) {
  const bool greater = frame.op == Op::ge || frame.op == Op::gt;
  LinearForm form;  // <= 0
  add_to(form, a, greater);
  add_to(form, b, !greater);
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

void Builder::add_literal(const LinearForm& form, const Frame& frame) {
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

void Builder::note_unsupported(LiteralStatus status, const Frame& frame) {
  ++formula_.unsupported_count;
  if (formula_.unsupported.size() == shown_unsupported) return;
  const bool mixed = status == LiteralStatus::inputs_and_outputs;
  formula_.unsupported.push_back(
      Blocker{mixed ? "row-mixes-inputs-and-outputs" : "row-with-several-inputs", tokens_.where(frame.token),
              mixed ? "a comparison of inputs with outputs is valid VNN-LIB, but not supported"
                    : "a comparison of several inputs is valid VNN-LIB, but not supported",
              "bounds of single inputs, and comparisons of outputs only", "'" + std::string(frame.token.text) + "'",
              mixed ? "add the compared inputs as further outputs of the model" : "enclose the input set in boxes"});
}

}  // namespace outward::vnnlib
