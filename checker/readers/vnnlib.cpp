// VNN-LIB 1.0 in one pass: tokens, declarations, assertions to atoms. Assumes nothing about the text. Promises the
// property of FORMAT.md section 4 or ReadError "name:line:column: code: ...", recursion only to the depth limit of the
// parentheses, and every limit checked before the memory is used.
#include "checker/readers/vnnlib.hpp"

#include <algorithm>
#include <map>

namespace outward_check {

namespace {

using Kind = Atom::Kind;
using Class = ReadError::Class;

constexpr std::uint32_t none = 0xffffffff;  // the column of constants

// A linear term: the nonzero coefficients by column, the constant last.
using Linear = std::map<std::uint32_t, Fraction>;

bool is_constant(const Linear& sum) { return sum.empty() || sum.begin()->first == none; }
Fraction constant_of(const Linear& sum) {
  return !sum.empty() && sum.rbegin()->first == none ? sum.rbegin()->second : Fraction();
}

// The tokens of a text with their places, and the errors that name the last one.
class Tokens {
 protected:
  Tokens(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (!text.starts_with("\xef\xbb\xbf")) return;
    token_ = text.substr(0, 3);
    malformed("bom: byte order mark", "text without one");
  }

  // text: "code: what".
  [[noreturn]] void fail(Class kind, const std::string& text, const std::string& expected) const {
    std::string found = token_.empty() ? "end of file" : std::string(token_.substr(0, 40));
    for (char& c : found) c = c < 32 || c > 126 ? '?' : c;
    throw ReadError(kind, name_ + ":" + std::to_string(line_) + ":" + std::to_string(column_) + ": vnnlib." + text +
                              ", expected " + expected + ", found '" + found + "'");
  }
  [[noreturn]] void malformed(const std::string& text, const std::string& expected) const {
    fail(Class::malformed, text, expected);
  }
  [[noreturn]] void over_limit(const std::string& text, Limit which) const {
    fail(Class::limit, text, "less, " + limit_text(which));
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
    std::size_t end = at_;
    while (end < text_.size() && !ends_token(text_[end])) ++end;
    if (end == at_ && at_ < text_.size()) ++end;  // a parenthesis
    token_ = text_.substr(at_, end - at_);
    column_ = at_ - line_start_ + 1;
    at_ = end;
    if (token_.size() > limit(Limit::token_bytes)) over_limit("token: token too long", Limit::token_bytes);
    if (token_ == "(" && ++depth_ > limit(Limit::nesting)) over_limit("depth: nested too deep", Limit::nesting);
    if (token_ == ")" && depth_-- == 0) malformed("syntax: unexpected text", "a command");
    return token_;
  }
  void expect(const char* token) {
    if (next() != token) malformed("syntax: unexpected text", token);
  }

  std::uint64_t line() const { return line_; }
  const std::string& name() const { return name_; }

 private:
  static bool ends_token(char c) {
    return c == '(' || c == ')' || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';';
  }

  std::string_view text_, token_;
  const std::string& name_;
  std::size_t at_ = 0, line_start_ = 0, depth_ = 0, line_ = 1, column_ = 1;
};

class Parser : private Tokens {
 public:
  Parser(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs)
      : Tokens(text, name), inputs_(inputs), outputs_(outputs) {
    if (inputs >= none / 2 || outputs >= none / 2) fail(Class::limit, "size: model too large", "at most 2^31");
    declared_.resize(inputs + outputs);
  }

  Assertions run() {
    for (std::string_view token = next(); !token.empty(); token = next()) {
      if (token != "(") malformed("syntax: unexpected text", "(");
      const std::string_view command = next();
      if (command == "assert") {
        if (next() != "(") malformed("syntax: unexpected text", "a comparison, and, or");
        add_part(&result_.all, formula());
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
      malformed(
          "size: " + (c < inputs_ ? "X_" + std::to_string(c) : "Y_" + std::to_string(c - inputs_)) + " is not declared",
          "the model's " + std::to_string(inputs_) + " inputs and " + std::to_string(outputs_) + " outputs");
    }
    if (!mixed_.empty()) {
      throw ReadError(Class::unsupported, name() + mixed_ +
                                              ": vnnlib.mixed: rows with inputs and outputs or several "
                                              "inputs, expected one input or outputs only");
    }
    return std::move(result_);
  }

 private:
  // X_i or Y_i with i in plain decimal, below the model's size.
  std::uint32_t column_of(std::string_view variable) const {
    const bool is_input = variable.starts_with("X_");
    const std::string_view digits = variable.substr(std::min<std::size_t>(2, variable.size()));
    if ((!is_input && !variable.starts_with("Y_")) || digits.empty() || (digits[0] == '0' && digits.size() > 1) ||
        digits.find_first_not_of("0123456789") != std::string_view::npos) {
      malformed("symbol: unknown symbol", "a number, X_i or Y_i");
    }
    const std::uint64_t count = is_input ? inputs_ : outputs_;
    std::uint64_t index = 0;
    for (char c : digits) index = std::min(index * 10 + static_cast<std::uint64_t>(c - '0'), count);
    if (index == count) malformed("size: index beyond the model's size", "an index below " + std::to_string(count));
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

  // The rest of a formula behind its opening parenthesis.
  Formula formula() {
    const std::string_view op = next();
    Formula f;
    f.is_or = op == "or";
    if (!f.is_or && op != "and") {
      f.first = static_cast<std::uint32_t>(result_.atoms.size());
      comparison(op);
      f.last = static_cast<std::uint32_t>(result_.atoms.size());
      return f;
    }
    if (f.is_or) f.cases = 0;
    std::string_view token = next();
    for (; token != ")"; token = next()) {
      if (token != "(") malformed("syntax: unexpected text", "a comparison, and, or");
      add_part(&f, formula());
    }
    if (f.parts.empty()) malformed("arity: wrong number of operands", "at least one operand");
    return f.parts.size() == 1 ? Formula(std::move(f.parts[0])) : f;
  }

  void add_part(Formula* to, Formula part) {
    if (!to->is_or && !part.is_or && !part.parts.empty()) {  // a conjunction in a conjunction
      for (Formula& inner : part.parts) add_part(to, std::move(inner));
      return;
    }
    part.before = to->is_or ? to->cases : 0;
    to->cases = to->is_or ? to->cases + part.cases : to->cases * part.cases;
    if (to->cases > limit(Limit::cases)) over_limit("cases: too many cases", Limit::cases);
    Formula* const before = to->parts.empty() ? nullptr : &to->parts.back();
    if (!to->is_or && before && before->parts.empty() && part.parts.empty() && before->last == part.first) {
      before->last = part.last;
    } else {
      to->parts.push_back(std::move(part));
    }
  }

  // ---- comparisons ----

  void comparison(std::string_view op) {
    const bool less = op == "<=" || op == "<", greater = op == ">=" || op == ">";
    const bool equal = op == "=" || op == "==", strict = op.size() == 1 && !equal;
    if (!less && !greater && !equal) malformed("operator: unknown operator", "<=, <, >=, >, ==, and, or");
    const std::uint32_t line = static_cast<std::uint32_t>(this->line());
    Linear left = term(next()), right = term(next());
    if (next() != ")") malformed("arity: wrong number of operands", "two operands");
    const bool flipped = is_constant(left);
    const Linear &variable = flipped ? right : left, &number = flipped ? left : right;
    if (is_constant(number) && variable.size() == 1 && variable.begin()->first < inputs_ &&
        variable.begin()->second == Fraction(1)) {  // an input and a number, the bulk of every file
      if (equal || less != flipped) bound(Kind::upper, variable.begin()->first, constant_of(number), strict);
      if (equal || greater != flipped) bound(Kind::lower, variable.begin()->first, constant_of(number), strict);
      return;
    }
    add(&left, std::move(right), true);
    if (greater) negate(&left);
    emit(left, strict, line);
    if (equal) negate(&left), emit(left, strict, line);
  }

  void bound(Kind kind, std::uint32_t column, const Fraction& value, bool strict) {
    result_.numbers.push_back(value);
    result_.atoms.push_back({kind, strict, column, &result_.numbers.back()});
  }

  // sum <= 0 or sum < 0.
  void emit(const Linear& sum, bool strict, std::uint32_t line) {
    const Fraction constant = constant_of(sum);
    const std::size_t variables = sum.size() - (constant.sign() != 0);
    if (variables == 0) {
      if (constant.sign() > 0 || (constant.sign() == 0 && strict)) result_.atoms.push_back({});
      return;
    }
    const auto& [column, coefficient] = *sum.begin();
    if (column < inputs_ && variables > 1) {
      if (line != mixed_line_ && mixed_.size() < 200) {
        mixed_ += (mixed_.empty() ? ":" : ",") + std::to_string(line);
      }
      mixed_line_ = line;
      return;
    }
    if (column >= inputs_) {
      result_.atoms.push_back({Kind::row, false, static_cast<std::uint32_t>(result_.rows.size()), nullptr});
      result_.rows.push_back(row(sum, strict, line));
    }
    // a x + c <= 0: x <= -c/a for positive a, x >= -c/a for negative a.
    if (variables == 1) {
      bound(coefficient.sign() > 0 ? Kind::upper : Kind::lower, column, checked(-constant / coefficient), strict);
    }
  }

  // Times the least common denominator, then without the common divisor.
  Row row(const Linear& sum, bool strict, std::uint32_t line) {
    BigInt denominator = 1, common;
    for (const auto& [column, value] : sum) {
      denominator = checked(Fraction(denominator, value.denominator())).numerator() * value.denominator();
      common = BigInt::gcd(common, value.numerator());
    }
    const Fraction scale(denominator, common);
    Row result;
    result.strict = strict, result.line = line;
    for (const auto& [column, value] : sum) {
      BigInt scaled = checked(scale * value).numerator();
      if (column == none) {
        result.constant = std::move(scaled);
      } else {
        result.terms.emplace_back(static_cast<std::uint32_t>(column - inputs_), std::move(scaled));
      }
    }
    return result;
  }

  // ---- linear terms ----

  // The term that begins with the token.
  Linear term(std::string_view token) {
    if (token.empty() || token == ")") malformed("arity: wrong number of operands", "a number, X_i, Y_i or a term");
    if (token != "(") return simple(token);
    const std::string_view op = next();
    if (op == "/") fail(Class::unsupported, "nonlinear: division", "+, - or *");
    if (op != "+" && op != "-" && op != "*") malformed("syntax: unexpected text", "+, - or *");
    Linear sum = term(next());
    token = next();
    if (op == "-" && token == ")") negate(&sum);
    for (; token != ")"; token = next()) {
      if (op == "*") {
        multiply(&sum, term(token));
      } else {
        add(&sum, term(token), op == "-");
      }
    }
    return sum;
  }

  Linear simple(std::string_view token) {
    if ((token[0] < '0' || token[0] > '9') && token[0] != '-' && token[0] != '+' && token[0] != '.') {
      const std::uint32_t column = column_of(token);
      if (!declared_[column]) malformed("undeclared: undeclared variable", "a declaration before the use");
      return {{column, BigInt(1)}};
    }
    Fraction value;
    const DecimalStatus status = read_decimal(token, &value);
    if (status == DecimalStatus::malformed) malformed("number: not a number", "a decimal number");
    if (status != DecimalStatus::ok)
      over_limit("number: too many digits, or an exponent over the " + limit_text(Limit::exponent), Limit::digits);
    if (value.sign() == 0) return {};
    return {{none, checked(std::move(value))}};
  }

  void spend(std::uint64_t work) {
    work_ += work;
    if (work_ > limit(Limit::property_work)) over_limit("work: terms or numbers too large", Limit::property_work);
  }

  // Long numbers are paid for by the square of their length.
  Fraction checked(Fraction value) {
    value = value.reduced();
    const std::uint64_t bits = length(value);
    if (bits > limit(Limit::number_bits)) over_limit("number: computed number too long", Limit::number_bits);
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
    if (!is_constant(factor)) {
      fail(Class::unsupported, "nonlinear: product of variables", "one factor with variables");
    }
    if (factor.empty()) product->clear();
    spend(4 * product->size());
    for (auto& [column, value] : *product) value = checked(value * factor.begin()->second);
  }

  std::uint64_t inputs_, outputs_;
  std::vector<bool> declared_;  // per column
  Assertions result_;
  std::uint64_t work_ = 0;
  std::uint32_t mixed_line_ = 0;
  std::string mixed_;  // ":line,line,..."
};

}  // namespace

Property read_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  Property property = expand_cases(Parser(text, name, inputs, outputs).run(), name, inputs, outputs);
  property.file_sha256 = sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return property;
}

}  // namespace outward_check
