// VNN-LIB 1.0 in one pass: tokens, declarations, assertions to atoms. Assumes nothing about the
// text. Promises the property of FORMAT.md section 4 or ReadError "name:line:column: code: ...",
// without recursion and with every limit checked before the memory is used.
#include <algorithm>

#include "checker/readers/decimal.hpp"
#include "checker/readers/vnnlib_formula.hpp"
#include "checker/readers/vnnlib_tokens.hpp"

namespace outward_check {

namespace {

using Kind = Atom::Kind;

constexpr std::uint64_t max_cases = 1000000;
constexpr std::uint64_t max_work = std::uint64_t{1} << 28;  // term operations and long numbers
constexpr std::uint64_t max_bits = 1 << 18;                 // of a computed coefficient

struct Term {
  std::uint32_t column = none;  // none: the constant
  Fraction value;
};
using Linear = std::vector<Term>;

bool is_constant(const Linear& merged) { return merged.empty() || merged[0].column == none; }

struct TermFrame {
  char op;
  std::uint32_t count = 0;
  Linear sum;
};

// An open `and` or `or`. The children of an outermost `and` go straight to the formula.
struct Connective {
  bool is_or, outermost;
  std::uint32_t count = 0;
  Alternatives all;
};

class Parser : private Tokens {
 public:
  Parser(std::string_view text, const std::string& name, std::uint64_t inputs,
         std::uint64_t outputs)
      : Tokens(text, name), inputs_(inputs), outputs_(outputs) {
    if (inputs >= none / 2 || outputs >= none / 2) limit("size: model too large", none / 2);
    declared_.resize(inputs + outputs);
    recent_.resize(4096);
  }

  Formula run() {
    for (Token token = next(); !token.text.empty(); token = next()) {
      if (!token.is("(")) syntax("(", token);
      token = next();
      if (token.is("assert")) {
        formula();
        close();
      } else if (token.is("declare-const") || token.is("declare-fun")) {
        declaration(token.is("declare-fun"));
      } else if (token.is("vnnlib-version") || token.is("declare-network")) {
        unsupported("version: a VNN-LIB 2.0 file", "VNN-LIB 1.0", token);
      } else {
        malformed("command: unknown command", "declare-const, declare-fun or assert", token);
      }
    }
    const auto gap = std::find(declared_.begin(), declared_.end(), false);
    if (gap != declared_.end()) {
      const std::uint64_t c = static_cast<std::uint64_t>(gap - declared_.begin());
      const std::string variable =
          c < inputs_ ? "X_" + std::to_string(c) : "Y_" + std::to_string(c - inputs_);
      malformed("size: " + variable + " is not declared",
                "the model's " + std::to_string(inputs_) + " inputs and " +
                    std::to_string(outputs_) + " outputs",
                last());
    }
    if (!mixed_.empty()) {
      throw ReadError(Class::unsupported, name() + mixed_ +
                                              ": vnnlib.mixed: rows with inputs and outputs or "
                                              "several inputs, expected one input or outputs only");
    }
    return std::move(result_);
  }

 private:
  // X_i or Y_i with i in plain decimal, below the model's size.
  std::uint32_t column_of(const Token& token) const {
    const std::string_view name = token.text;
    if (name.size() < 3 || (name[0] != 'X' && name[0] != 'Y') || name[1] != '_' ||
        name.find_first_not_of("0123456789", 2) != std::string_view::npos ||
        (name[2] == '0' && name.size() > 3)) {
      malformed("symbol: unknown symbol", "a number, X_i or Y_i", token);
    }
    const std::uint64_t count = name[0] == 'X' ? inputs_ : outputs_;
    std::uint64_t index = 0;
    for (char c : name.substr(2)) {
      index = std::min(index * 10 + static_cast<std::uint64_t>(c - '0'), count);
    }
    if (index == count) {
      malformed("size: index beyond the model's size", "an index below " + std::to_string(count),
                token);
    }
    return static_cast<std::uint32_t>(name[0] == 'X' ? index : inputs_ + index);
  }

  void declaration(bool is_function) {
    const Token name = next();
    const std::uint32_t column = column_of(name);
    if (declared_[column]) {
      malformed("declared: declared twice", "one declaration", name);
    }
    declared_[column] = true;
    if (is_function) {
      if (!next().is("(")) syntax("()", last());
      close();
    }
    if (!next().is("Real")) malformed("type: unknown type", "Real", last());
    close();
  }

  // ---- formulas ----

  void formula() {
    std::vector<Connective> open;
    do {
      const Token token = next();
      if (token.is(")") && !open.empty()) {
        if (open.back().count == 0) arity("at least one operand", token);
        const Connective done = std::move(open.back());
        open.pop_back();
        if (!done.outermost) deliver(done.all, &open);
        continue;
      }
      if (!token.is("(")) syntax("a comparison, and, or", token);
      if (!open.empty()) ++open.back().count;
      const Token op = next();
      const bool is_or = op.is("or");
      if (is_or || op.is("and")) {
        const bool outermost = !is_or && (open.empty() || open.back().outermost);
        open.push_back({is_or, outermost, 0, {}});
        if (!is_or) open.back().all.ends.push_back(0);
        continue;
      }
      const std::uint32_t first = static_cast<std::uint32_t>(result_.atoms.size());
      comparison(op);
      const AtomRange range = {first, static_cast<std::uint32_t>(result_.atoms.size())};
      if (open.empty() || open.back().outermost) {
        append(range, &result_.common, 0);
      } else if (Alternatives& all = open.back().all; !open.back().is_or && all.ends.size() == 1) {
        append(range, &all.ranges, 0);
        all.ends[0] = static_cast<std::uint32_t>(all.ranges.size());
      } else {
        deliver({{range}, {1}}, &open);
      }
    } while (!open.empty());
  }

  // Adjacent ranges behind `from` become one.
  static void append(AtomRange range, std::vector<AtomRange>* to, std::size_t from) {
    if (range.first == range.last) return;
    const bool joins = to->size() > from && to->back().last == range.first;
    joins ? void(to->back().last = range.last) : to->push_back(range);
  }

  // A disjunction is appended under `or`, multiplied under `and`, the right side varying fastest.
  void deliver(const Alternatives& value, std::vector<Connective>* open) {
    if (open->empty() || open->back().outermost) {
      cases_ *= value.ends.size();
      check_cases(cases_);
      if (value.ends.size() > 1) return result_.factors.push_back(value);
      for (const AtomRange& range : value.ranges) append(range, &result_.common, 0);
      return;
    }
    Alternatives& all = open->back().all;
    if (open->back().is_or) {
      const std::uint32_t base = static_cast<std::uint32_t>(all.ranges.size());
      for (std::uint32_t end : value.ends) all.ends.push_back(base + end);
      check_cases(all.ends.size());
      all.ranges.insert(all.ranges.end(), value.ranges.begin(), value.ranges.end());
      return;
    }
    check_cases(all.ends.size() * value.ends.size());
    spend(4 * (all.ranges.size() * value.ends.size() + value.ranges.size() * all.ends.size()));
    Alternatives result;
    for (std::size_t i = 0, a = 0; i < all.ends.size(); a = all.ends[i++]) {
      for (std::size_t j = 0, b = 0; j < value.ends.size(); b = value.ends[j++]) {
        const std::size_t from = result.ranges.size();
        for (std::size_t r = a; r < all.ends[i]; ++r) append(all.ranges[r], &result.ranges, from);
        for (std::size_t r = b; r < value.ends[j]; ++r) {
          append(value.ranges[r], &result.ranges, from);
        }
        result.ends.push_back(static_cast<std::uint32_t>(result.ranges.size()));
      }
    }
    all = std::move(result);
  }

  void check_cases(std::uint64_t cases) const {
    if (cases > max_cases) limit("cases: too many cases", max_cases);
  }

  // ---- comparisons ----

  void comparison(const Token& op) {
    const std::string_view o = op.text;
    const bool less = o == "<=" || o == "<", greater = o == ">=" || o == ">";
    const bool equal = o == "=" || o == "==", strict = o.size() == 1 && !equal;
    if (!less && !greater && !equal) {
      malformed("operator: unknown operator", "<=, <, >=, >, ==, and, or", op);
    }
    Operand left = operand(), right = operand();
    if (!next().is(")")) arity("two operands", last());
    const bool flipped = left.column == none;
    const Operand &variable = flipped ? right : left, &number = flipped ? left : right;
    if (!left.compound && !right.compound && variable.column < inputs_ && number.column == none) {
      // An input and a number, the bulk of every file.
      if (equal || less != flipped) bound(Kind::upper, variable.column, number.number, strict);
      if (equal || greater != flipped) bound(Kind::lower, variable.column, number.number, strict);
      return;
    }
    Linear sum = linear(&left);
    add(&sum, linear(&right), true);
    merge(&sum);
    if (greater) negate(&sum);
    emit(sum, strict, op.line);
    if (equal) negate(&sum), emit(sum, strict, op.line);
  }

  void bound(Kind kind, std::uint32_t column, std::uint32_t number, bool strict) {
    result_.atoms.push_back({kind, strict, column, number});
  }

  // sum <= 0 or sum < 0, sum merged.
  void emit(const Linear& sum, bool strict, std::uint32_t line) {
    const std::size_t n = sum.size() - (!sum.empty() && sum.back().column == none);
    const Fraction constant = n < sum.size() ? sum.back().value : Fraction();
    if (n == 0) {
      if (constant.sign() > 0 || (constant.sign() == 0 && strict)) result_.atoms.push_back({});
      return;
    }
    const bool has_input = sum[0].column < inputs_;  // sorted: inputs first
    if (has_input && n > 1) {
      if (line != mixed_line_ && mixed_.size() < 200) {
        mixed_ += (mixed_.empty() ? ":" : ",") + std::to_string(line);
      }
      mixed_line_ = line;
      return;
    }
    if (!has_input) {
      result_.atoms.push_back(
          {Kind::row, false, static_cast<std::uint32_t>(result_.rows.size()), 0});
      result_.rows.push_back(row(sum, n, strict, line));
    }
    if (n > 1) return;
    // a x + c <= 0: x <= -c/a for positive a, x >= -c/a for negative a.
    const Kind kind = sum[0].value.sign() > 0 ? Kind::upper : Kind::lower;
    bound(kind, sum[0].column, result_.numbers.id(checked(-constant / sum[0].value)), strict);
  }

  // Times the least common denominator, then without the common divisor.
  Row row(const Linear& sum, std::size_t n, bool strict, std::uint32_t line) {
    BigInt denominator = 1, common;
    for (const Term& t : sum) {
      const Fraction more = checked(Fraction(denominator, t.value.denominator));
      denominator = more.denominator * denominator;
      common = BigInt::gcd(common, t.value.numerator);
    }
    const Fraction scale(denominator, common);
    Row result;
    for (const Term& t : sum) {
      BigInt value = checked(scale * t.value).numerator;
      if (&t - sum.data() == static_cast<std::ptrdiff_t>(n)) {
        result.constant = std::move(value);
      } else {
        result.terms.emplace_back(static_cast<std::uint32_t>(t.column - inputs_), std::move(value));
      }
    }
    result.strict = strict, result.line = line;
    return result;
  }

  // ---- linear terms ----

  // A number (column none), a variable, or a compound term in `sum` (empty for zero).
  struct Operand {
    bool compound = false;
    std::uint32_t column = none, number = 0;
    Linear sum;
  };

  Operand operand() {
    const Token token = next();
    if (token.is("(")) return {true, none, 0, term()};
    return simple(token);
  }

  Operand simple(const Token& token) {
    const char c = token.text.empty() ? ')' : token.text[0];
    if (c == ')') arity("a number, X_i, Y_i or a term", token);
    if ((c < '0' || c > '9') && c != '-' && c != '+' && c != '.') {
      const std::uint32_t column = column_of(token);
      if (!declared_[column]) {
        malformed("undeclared: undeclared variable", "a declaration before the use", token);
      }
      return {false, column, 0, {}};
    }
    auto& [text, id] = recent_[std::hash<std::string_view>()(token.text) % recent_.size()];
    if (text != token.text) {
      Fraction value;
      const DecimalStatus status = read_decimal(token.text, &value);
      if (status == DecimalStatus::malformed) {
        malformed("number: not a number", "a decimal number", token);
      }
      if (status != DecimalStatus::ok) {
        fail(Class::limit, "number: number over a limit", "at most 10000 digits and exponent 20000",
             token);
      }
      id = result_.numbers.id(checked(std::move(value)));
      text = token.text;
    }
    return {false, none, id, {}};
  }

  Linear linear(Operand* operand) const {
    if (operand->compound) return std::move(operand->sum);
    return {
        {operand->column, operand->column == none ? result_.numbers[operand->number] : BigInt(1)}};
  }

  // The rest of a compound term behind its opening parenthesis.
  Linear term() {
    std::vector<TermFrame> open;
    open.push_back(term_frame());
    for (;;) {
      const Token token = next();
      if (token.is("(")) {
        open.push_back(term_frame());
        continue;
      }
      Linear value;
      if (token.is(")")) {
        if (open.back().count == 0) arity("at least one operand", token);
        if (open.back().op == '-' && open.back().count == 1) negate(&open.back().sum);
        value = std::move(open.back().sum);
        open.pop_back();
        if (open.empty()) return value;
      } else {
        Operand single = simple(token);
        value = linear(&single);
      }
      TermFrame& frame = open.back();
      if (frame.op == '*' && frame.count != 0) {
        multiply(&frame.sum, std::move(value), token);
      } else {
        add(&frame.sum, std::move(value), frame.op == '-' && frame.count != 0);
      }
      ++frame.count;
    }
  }

  TermFrame term_frame() {
    const Token op = next();
    if (op.is("/")) unsupported("nonlinear: division", "+, - or *", op);
    if (!op.is("+") && !op.is("-") && !op.is("*")) syntax("+, - or *", op);
    return {op.text[0], 0, {}};
  }

  void spend(std::uint64_t work) {
    work_ += work;
    if (work_ > max_work) limit("work: terms or numbers too large in all", max_work);
  }

  // Long numbers are paid for by the square of their length.
  Fraction checked(Fraction value) {
    const std::uint64_t bits = value.numerator.bits() + value.denominator.bits();
    if (bits > max_bits) limit("number: computed number too long (bits)", max_bits);
    if (bits > 1000) spend(bits * bits / 500);
    return value;
  }

  void negate(Linear* value) {
    spend(4 * value->size());
    for (Term& t : *value) t.value = -t.value;
  }

  void add(Linear* sum, Linear value, bool subtract) {
    if (subtract) negate(&value);
    if (value.size() > sum->size()) std::swap(*sum, value);
    spend(4 * value.size());
    sum->insert(sum->end(), value.begin(), value.end());
  }

  // At most one factor may have variables.
  void multiply(Linear* product, Linear value, const Token& token) {
    merge(product), merge(&value);
    if (is_constant(value)) std::swap(*product, value);
    if (!is_constant(*product)) {
      unsupported("nonlinear: product of variables", "one factor with variables", token);
    }
    if (product->empty()) return;
    const Fraction factor = product->front().value;
    for (Term& t : value) t.value = checked(t.value * factor);
    *product = std::move(value);
  }

  // Sorted by column, one nonzero term each, the constant last.
  void merge(Linear* sum) {
    spend(4 * sum->size());
    std::sort(sum->begin(), sum->end(),
              [](const Term& a, const Term& b) { return a.column < b.column; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sum->size();) {
      Term total = std::move((*sum)[i]);
      for (++i; i < sum->size() && (*sum)[i].column == total.column; ++i) {
        total.value = checked(total.value + (*sum)[i].value);
      }
      if (total.value.sign() != 0) (*sum)[kept++] = std::move(total);
    }
    sum->resize(kept);
  }

  std::uint64_t inputs_, outputs_;
  std::vector<bool> declared_;  // per column
  Formula result_;
  std::vector<std::pair<std::string_view, std::uint32_t>> recent_;  // number texts, by hash
  std::uint64_t cases_ = 1, work_ = 0;
  std::uint32_t mixed_line_ = 0;
  std::string mixed_;  // ":line,line,..."
};

}  // namespace

Property read_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs,
                     std::uint64_t outputs) {
  const Formula formula = Parser(text, name, inputs, outputs).run();
  Property property = expand_cases(formula, name, inputs, outputs);
  property.file_sha256 =
      sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return property;
}

}  // namespace outward_check
