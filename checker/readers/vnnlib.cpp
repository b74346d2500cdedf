// VNN-LIB 1.0 (FORMAT.md section 4): tokens, declarations, assertions to comparisons, their
// alternatives to boxes and cases. Assumes nothing about the text. Promises the property or
// ReadError "name:line:column: code: ...", recursion to the depth limit of the parentheses, limits
// checked before memory is used, and a cost per case that depends on its own comparisons only.
#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <unordered_map>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

using Class = ReadError::Class;

constexpr std::uint32_t none = 0xffffffff;  // no row; the column of constants

// A linear term: the nonzero coefficients by column, the constant last. Input i is column i, output
// j is column inputs + j.
using Linear = std::map<std::uint32_t, Fraction>;

bool is_constant(const Linear& sum) { return sum.empty() || sum.begin()->first == none; }
Fraction constant_of(const Linear& sum) {
  return !sum.empty() && sum.rbegin()->first == none ? sum.rbegin()->second : Fraction();
}

// Bits of the numerator and the denominator. REQUIRES a reduced fraction, as all below are.
std::uint64_t length(const Fraction& f) {
  return f.m.bits() + f.over.bits() + static_cast<std::uint64_t>(f.e < 0 ? -f.e : f.e);
}

// One comparison: a row if it has outputs, a bound if it has one variable, false if neither.
struct Atom {
  std::uint32_t row = none, column = 0;
  const Fraction* bound = nullptr;
  bool upper = false, strict = false;  // of the bound
};

using Alternative = std::vector<std::uint32_t>;  // numbers of atoms in file order
using Alternatives = std::vector<Alternative>;

struct Assertions {
  std::deque<Fraction> numbers;  // of the bounds; a deque, so that they stay where they are
  std::vector<Atom> atoms;
  std::vector<Row> rows;
  Alternative common;     // holds in every case
  Alternatives cases{1};  // what holds besides
};

// The tokens of a text with their places, and the errors that name the last one.
class Tokens {
 protected:
  Tokens(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // text: "code: what".
  [[noreturn]] void fail(Class kind, const std::string& text, const std::string& expected) const {
    std::string found = token_.empty() ? "end of file" : std::string(token_.substr(0, 40));
    for (char& c : found) c = c < 32 || c > 126 ? '?' : c;
    throw ReadError(kind, name_ + ":" + std::to_string(line_) + ":" + std::to_string(column_) +
                              ": vnnlib." + text + ", expected " + expected + ", found '" + found +
                              "'");
  }
  [[noreturn]] void malformed(const std::string& text, const std::string& expected) const {
    fail(Class::malformed, text, expected);
  }
  void at_most(Limit which, std::uint64_t value, const char* text) const {
    if (value > limit(which)) fail(Class::limit, text, "less, " + limit_text(which));
  }

  // "(", ")", a run of other characters, or empty at the end of the file.
  std::string_view next() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (c == '\n') {
        ++line_, line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        break;
      }
    }
    std::size_t end = std::min(text_.find_first_of("() \t\r\n;", at_), text_.size());
    if (end == at_ && at_ < text_.size()) ++end;  // a parenthesis
    token_ = text_.substr(at_, end - at_);
    column_ = at_ - line_start_ + 1;
    at_ = end;
    at_most(Limit::token_bytes, token_.size(), "token: token too long");
    if (token_ == "(") at_most(Limit::nesting, ++depth_, "depth: nested too deep");
    if (token_ == ")" && depth_-- == 0) malformed("syntax: unexpected text", "a command");
    return token_;
  }
  void expect(const char* token) {
    if (next() != token) malformed("syntax: unexpected text", token);
  }

  std::uint32_t line_ = 1;

 private:
  std::string_view text_, token_;
  const std::string& name_;
  std::size_t at_ = 0, line_start_ = 0, depth_ = 0, column_ = 1;
};

class Parser : private Tokens {
 public:
  Parser(std::string_view text, const std::string& name, std::uint64_t inputs,
         std::uint64_t outputs)
      : Tokens(text, name), inputs_(inputs), outputs_(outputs) {
    if (inputs >= none / 2 || outputs >= none / 2)
      fail(Class::limit, "size: model too large", "at most 2^31");
    declared_.resize(inputs + outputs);
  }

  Assertions run() {
    for (std::string_view token = next(); !token.empty(); token = next()) {
      if (token != "(") malformed("syntax: unexpected text", "(");
      const std::string_view command = next();
      if (command == "assert") {
        if (next() != "(") malformed("syntax: unexpected text", "a comparison, and, or");
        Alternatives part = formula();
        if (part.size() > 1) {
          result_.cases = product(std::move(result_.cases), part);
        } else {
          result_.common.insert(result_.common.end(), part[0].begin(), part[0].end());
        }
        expect(")");
      } else if (command == "declare-const" || command == "declare-fun") {
        declaration(command == "declare-fun");
      } else if (command == "vnnlib-version" || command == "declare-network") {
        fail(Class::unsupported, "version: a VNN-LIB 2.0 file", "VNN-LIB 1.0");
      } else {
        malformed("command: unknown command", "declare-const, declare-fun or assert");
      }
    }
    const auto gap = std::find(declared_.begin(), declared_.end(), false);
    if (gap != declared_.end()) {
      const std::uint64_t c = static_cast<std::uint64_t>(gap - declared_.begin());
      const std::string name =
          c < inputs_ ? "X_" + std::to_string(c) : "Y_" + std::to_string(c - inputs_);
      malformed("size: " + name + " is not declared", "every input and output of the model");
    }
    return std::move(result_);
  }

 private:
  // X_i or Y_i with i in plain decimal, below the model's size.
  std::uint32_t column_of(std::string_view variable) const {
    const bool is_input = variable.starts_with("X_");
    const std::string_view digits = variable.substr(std::min<std::size_t>(2, variable.size()));
    const bool plain = digits == "0" || (!digits.empty() && digits[0] != '0');
    if ((!is_input && !variable.starts_with("Y_")) || !plain ||
        digits.find_first_not_of("0123456789") != std::string_view::npos) {
      malformed("symbol: unknown symbol", "a number, X_i or Y_i");
    }
    const std::uint64_t count = is_input ? inputs_ : outputs_;
    std::uint64_t index = 0;
    for (char c : digits) index = std::min(index * 10 + static_cast<std::uint64_t>(c - '0'), count);
    if (index == count)
      malformed("size: index beyond the model's size", "an index below " + std::to_string(count));
    return static_cast<std::uint32_t>(is_input ? index : inputs_ + index);
  }

  void declaration(bool is_function) {
    const std::uint32_t column = column_of(next());
    if (declared_[column]) malformed("declared: declared twice", "one declaration");
    declared_[column] = true;
    if (is_function) expect("("), expect(")");
    if (next() != "Real") malformed("type: unknown type", "Real");
    expect(")");
  }

  // ---- formulas ----

  // The rest of a formula behind its opening parenthesis, in the order of FORMAT.md section 4.
  Alternatives formula() {
    const std::string_view op = next();
    if (op != "and" && op != "or") return {comparison(op)};
    Alternatives all;
    bool first = true;
    for (std::string_view token = next(); token != ")"; token = next(), first = false) {
      if (token != "(") malformed("syntax: unexpected text", "a comparison, and, or");
      Alternatives part = formula();
      if (op == "and" && !first) {
        all = product(std::move(all), part);
      } else {
        at_most(Limit::cases, all.size() + part.size(), "cases: too many cases");
        std::move(part.begin(), part.end(), std::back_inserter(all));
      }
    }
    if (first) malformed("arity: wrong number of operands", "at least one operand");
    return all;
  }

  // Each of the left followed by each of the right, which vary faster.
  Alternatives product(Alternatives left, const Alternatives& right) {
    Alternatives all;
    at_most(Limit::cases, left.size() * right.size(), "cases: too many cases");
    for (Alternative& start : left) {
      for (const Alternative& end : right) {
        const bool last = &end == &right.back();
        steps_ += 1 + end.size() + (last ? 0 : start.size());
        all.push_back(last ? std::move(start) : start);
        all.back().insert(all.back().end(), end.begin(), end.end());
        at_most(Limit::case_work, steps_, "cases: too much to multiply out");
        at_most(Limit::case_bytes, steps_ * sizeof end[0], "cases: too much to multiply out");
      }
    }
    return all;
  }

  // ---- comparisons ----

  Alternative comparison(std::string_view op) {
    const bool greater = op == ">=" || op == ">", equal = op == "=" || op == "==";
    if (op != "<=" && op != "<" && !greater && !equal)
      malformed("operator: unknown operator", "<=, <, >=, >, ==, and, or");
    const std::uint32_t line = line_;
    const bool strict = op == "<" || op == ">";
    Linear left = term(next());
    add(&left, term(next()), true);
    if (next() != ")") malformed("arity: wrong number of operands", "two operands");
    if (greater) negate(&left);
    Alternative atoms;
    emit(left, strict, line, &atoms);
    if (equal) negate(&left), emit(left, strict, line, &atoms);
    return atoms;
  }

  // sum <= 0 or sum < 0.
  void emit(const Linear& sum, bool strict, std::uint32_t line, Alternative* to) {
    const Fraction constant = constant_of(sum);
    const std::size_t variables = sum.size() - (constant.sign() != 0);
    if (variables == 0 && (constant.sign() < 0 || (constant.sign() == 0 && !strict))) return;
    Atom atom;
    atom.strict = strict;
    const auto& [column, coefficient] = *sum.begin();
    if (variables > 1 && column < inputs_)
      fail(Class::unsupported, "mixed: inputs with others in a row", "one input or outputs only");
    if (variables > 0 && column >= inputs_) {
      atom.row = static_cast<std::uint32_t>(result_.rows.size());
      result_.rows.push_back(row(sum, strict, line));
    }
    if (variables == 1) {  // a x + c <= 0: x <= -c/a for positive a, x >= -c/a for negative a
      atom.column = column, atom.upper = coefficient.sign() > 0;
      result_.numbers.push_back(checked(-constant / coefficient));
      atom.bound = &result_.numbers.back();
    }
    to->push_back(static_cast<std::uint32_t>(result_.atoms.size()));
    result_.atoms.push_back(atom);
  }

  // Times the least common denominator, then without the common divisor.
  Row row(const Linear& sum, bool strict, std::uint32_t line) {
    BigInt denominator = 1, common;
    for (const auto& [column, value] : sum) {
      denominator =
          checked(Fraction(denominator, value.denominator())).numerator() * value.denominator();
      common = BigInt::gcd(common, value.numerator());
    }
    const Fraction scale(denominator, common);
    Row result;
    result.strict = strict, result.line = line;
    for (const auto& [column, value] : sum) {
      const BigInt scaled = checked(scale * value).numerator();
      const std::uint32_t output = column - static_cast<std::uint32_t>(inputs_);
      if (column == none) result.constant = scaled;
      if (column != none) result.terms.emplace_back(output, scaled);
    }
    return result;
  }

  // ---- linear terms ----

  // The term that begins with the token.
  Linear term(std::string_view token) {
    if (token.empty() || token == ")")
      malformed("arity: wrong number of operands", "a number, X_i, Y_i or a term");
    if (token != "(") return simple(token);
    const std::string_view op = next();
    if (op == "/") fail(Class::unsupported, "nonlinear: division", "+, - or *");
    if (op != "+" && op != "-" && op != "*") malformed("syntax: unexpected text", "+, - or *");
    Linear sum = term(next());
    token = next();
    if (op == "-" && token == ")") negate(&sum);
    for (; token != ")"; token = next()) {
      op == "*" ? multiply(&sum, term(token)) : add(&sum, term(token), op == "-");
    }
    return sum;
  }

  Linear simple(std::string_view token) {
    if (token.find_first_of("0123456789+-.") != 0) {
      const std::uint32_t column = column_of(token);
      if (!declared_[column])
        malformed("undeclared: undeclared variable", "a declaration before the use");
      return {{column, BigInt(1)}};
    }
    Fraction value;
    const DecimalStatus status = read_decimal(token, &value);
    if (status == DecimalStatus::malformed) malformed("number: not a number", "a decimal number");
    if (status != DecimalStatus::ok)
      fail(Class::limit, "number: too many digits or too great an exponent",
           limit_text(Limit::digits) + ", exponent " + limit_text(Limit::exponent));
    if (value.sign() == 0) return {};
    return {{none, checked(std::move(value))}};
  }

  void spend(std::uint64_t work) {
    work_ += work;
    at_most(Limit::property_work, work_, "work: terms or numbers too large");
  }

  // Long numbers are paid for by the square of their length.
  Fraction checked(Fraction value) {
    value = value.reduced();
    const std::uint64_t bits = length(value);
    at_most(Limit::number_bits, bits, "number: computed number too long");
    if (bits > 1000) spend(bits * bits / 500);
    return value;
  }

  void negate(Linear* sum) {
    spend(4 * sum->size());
    for (auto& [column, value] : *sum) value = -value;
  }

  void add(Linear* sum, Linear other, bool subtract) {
    if (subtract) negate(&other);
    if (other.size() > sum->size()) std::swap(*sum, other);
    spend(8 * other.size());
    for (const auto& [column, value] : other) {
      const auto [at, fresh] = sum->try_emplace(column, value);
      if (!fresh) at->second = checked(at->second + value);
      if (at->second.sign() == 0) sum->erase(at);
    }
  }

  // At most one factor may have variables.
  void multiply(Linear* product, Linear factor) {
    if (!is_constant(factor)) std::swap(*product, factor);
    if (!is_constant(factor))
      fail(Class::unsupported, "nonlinear: product of variables", "one factor with variables");
    if (factor.empty()) product->clear();
    spend(4 * product->size());
    for (auto& [column, value] : *product) value = checked(value * factor.begin()->second);
  }

  std::uint64_t inputs_, outputs_;
  std::vector<bool> declared_;  // per column
  Assertions result_;
  std::uint64_t work_ = 0, steps_ = 0;
};

// The bounds of one column.
struct Slot {
  const Fraction *lo = nullptr, *hi = nullptr;
  bool lo_strict = false, hi_strict = false;
  bool complete() const { return lo && hi; }
  bool operator==(const Slot&) const = default;
};

// From the assertions to boxes and cases.
class Expansion {
 public:
  Expansion(const Assertions& given, const std::string& name, std::uint64_t inputs,
            std::uint64_t outputs)
      : given_(given), name_(name), slots_(inputs + outputs) {
    property_.inputs = inputs, property_.outputs = outputs;
  }

  Property run() {
    for (std::uint32_t a : given_.common) apply(given_.atoms[a]);
    const std::vector<std::uint32_t> common_rows = rows_;
    const bool common_empty = empty_;
    base_ = slots_;
    for (std::uint32_t i = 0; i < property_.inputs; ++i) {
      if (!base_[i].complete()) missing_.push_back(i);
    }
    for (const Alternative& own : given_.cases) {
      touched_.clear(), rows_.clear();
      empty_ = common_empty;
      for (std::uint32_t a : own) apply(given_.atoms[a]);
      check_complete();
      empty_ ? void(++property_.dropped) : add_case(common_rows);
      for (std::uint32_t column : touched_) slots_[column] = base_[column];
    }
    property_.vacuous = property_.cases.empty();
    return std::move(property_);
  }

 private:
  // Of bounds the greatest lower and the least upper bound count, a strict one before an equal
  // other.
  void apply(const Atom& atom) {
    if (atom.row != none) rows_.push_back(atom.row);
    empty_ = empty_ || (atom.row == none && !atom.bound);
    if (!atom.bound) return;
    Slot& slot = slots_[atom.column];
    touched_.push_back(atom.column);
    const Fraction*& end = atom.upper ? slot.hi : slot.lo;
    bool& strict = atom.upper ? slot.hi_strict : slot.lo_strict;
    const int order = !end ? 1 : Fraction::compare(*atom.bound, *end) * (atom.upper ? -1 : 1);
    if (order > 0) end = atom.bound, strict = atom.strict;
    if (order == 0) strict = strict || atom.strict;
    if (!slot.complete()) return;
    const int gap = Fraction::compare(*slot.lo, *slot.hi);
    empty_ = empty_ || gap > 0 || (gap == 0 && (slot.lo_strict || slot.hi_strict));
  }

  void check_complete() const {
    for (std::uint32_t i : missing_) {
      if (slots_[i].complete()) continue;
      throw ReadError(Class::malformed,
                      name_ + ": vnnlib.unbounded: X_" + std::to_string(i) + " has no " +
                          (slots_[i].lo ? "upper" : "lower") +
                          " bound in some case, expected two bounds of every input");
    }
  }

  void add_case(const std::vector<std::uint32_t>& common_rows) {
    Case next;
    next.box = box();
    std::vector<std::uint32_t> rows;  // in file order
    std::merge(common_rows.begin(), common_rows.end(), rows_.begin(), rows_.end(),
               std::back_inserter(rows));
    spend(sizeof(Case) + rows.size() * sizeof(Row));
    next.rows.reserve(rows.size());
    for (std::uint32_t r : rows) {
      next.rows.push_back(given_.rows[r]);
      spend(next.rows.back().constant.bits() / 8);
      for (const auto& term : next.rows.back().terms) spend(sizeof(term) + term.second.bits() / 8);
    }
    property_.cases.push_back(std::move(next));
  }

  // Equal for equal values, without ambiguity.
  static std::string key_of(const Fraction& f) {
    return f.m.decimal() + "*2^" + std::to_string(f.e) + "/" + f.over.decimal();
  }

  // Two boxes are equal when they differ from the common one in the same inputs by the same ends.
  // Only a tighter bound replaces another, so an end that stayed the same in value is still the
  // same object.
  std::uint32_t box() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    std::string key;
    for (std::uint32_t c : touched_) {
      const Slot& s = slots_[c];
      if (c >= property_.inputs || s == base_[c]) continue;
      key += std::to_string(c) + (s.lo_strict ? "(" : "[") + key_of(*s.lo) + "," + key_of(*s.hi) +
             (s.hi_strict ? ")" : "]");
    }
    spend(key.size());
    const std::uint32_t number = static_cast<std::uint32_t>(property_.boxes.size());
    const auto [at, fresh] = boxes_.emplace(std::move(key), number);
    if (!fresh) return at->second;
    spend(property_.inputs * sizeof(InputRange));
    std::vector<InputRange> ranges(property_.inputs);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const Slot& s = slots_[i];
      ranges[i] = {*s.lo, *s.hi, s.lo_strict, s.hi_strict};
      spend((length(*s.lo) + length(*s.hi)) / 8);
    }
    property_.boxes.push_back(std::move(ranges));
    return number;
  }

  void spend(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > limit(Limit::case_bytes))
      over(Limit::case_bytes, name_ + ": vnnlib.cases: the cases multiplied out are too large");
  }

  const Assertions& given_;
  const std::string& name_;
  Property property_;
  std::vector<Slot> slots_, base_;      // per column: in the current case, common to all cases
  std::vector<std::uint32_t> missing_;  // inputs without both bounds common to all cases
  std::vector<std::uint32_t> touched_, rows_;  // columns and rows of the current case
  std::unordered_map<std::string, std::uint32_t> boxes_;
  std::uint64_t bytes_ = 0;
  bool empty_ = false;
};

}  // namespace

Property read_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs,
                     std::uint64_t outputs) {
  const Assertions assertions = Parser(text, name, inputs, outputs).run();
  Property property = Expansion(assertions, name, inputs, outputs).run();
  property.file_sha256 =
      sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return property;
}

}  // namespace outward_check
