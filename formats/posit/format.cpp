// Posits behind the interface of all number formats. They round to nearest only; from_exact also gives the end points
// of enclosures, up and down, and refuses what lies beyond maxPos. No flags: a NaR result raises invalid.
#include <array>

#include "formats/error.hpp"
#include "formats/families.hpp"
#include "formats/posit/posit.hpp"

namespace outward {

namespace {

using posit::Code;

class PositFormat : public NumberFormat {
 public:
  explicit PositFormat(int n) : n_(n) {}

  std::string text() const override {
    const bool named = n_ == 8 || n_ == 16 || n_ == 32 || n_ == 64;
    return named ? "posit" + std::to_string(n_) : "posit(" + std::to_string(n_) + ")";
  }
  std::string family() const override { return "posit"; }
  int width() const override { return n_; }

  std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"exponent bits", "2"},
            {"max", "2^" + std::to_string(4 * n_ - 8)},
            {"min", "2^-" + std::to_string(4 * n_ - 8)},
            {"fraction bits at 1", std::to_string(std::max(0, n_ - 5))},
            {"quire bits", std::to_string(16 * n_)}};
  }

  Integer apply(Operation operation, std::span<const Integer> codes, Rounding rounding, Flags& flags) const override {
    if (rounding != Rounding::nearest_even) refuse_rounding("posit", "nearest, ties to even codes");
    std::array<Code, 3> x{};
    bool nar = false;
    for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) {
      x[i] = posit::code_of_bits(codes[i].convert_to<std::uint64_t>(), n_);
      nar |= x[i] == posit::not_a_real(n_);
    }
    const Code result = value(operation, x, nar);
    flags.invalid |= !nar && result == posit::not_a_real(n_);
    return posit::bits_of_code(result, n_);
  }

  Integer from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const override {
    if (x.kind != ExactNumber::Kind::number) {
      flags.invalid |= x.kind == ExactNumber::Kind::infinite;
      return posit::bits_of_code(posit::not_a_real(n_), n_);
    }
    const Rational exact = bounded_rational(x);
    Code code = posit::from_rational(exact, n_);
    if (rounding == Rounding::up || rounding == Rounding::down) {
      const auto end = rounding == Rounding::up ? posit::round_up(exact, n_) : posit::round_down(exact, n_);
      if (!end)
        throw InputRefused({"number-range", "", "no posit bounds this value", "at most 2^" + std::to_string(4 * n_ - 8),
                            "", "use a wider posit"});
      code = *end;
    } else if (rounding != Rounding::nearest_even) {
      refuse_rounding("posit", "nearest, ties to even codes");
    }
    flags.inexact |= posit::to_rational(code, n_) != exact;
    return posit::bits_of_code(code, n_);
  }

  std::optional<Integer> from_text(std::string_view text, Rounding rounding, Flags& flags) const override {
    if (text == "nar") return posit::bits_of_code(posit::not_a_real(n_), n_);
    const auto exact = exact_literal(text);
    if (!exact) return std::nullopt;
    return from_exact(*exact, rounding, flags);
  }

  ExactNumber to_exact(const Integer& code) const override {
    const Code x = posit::code_of_bits(code.convert_to<std::uint64_t>(), n_);
    if (x == posit::not_a_real(n_)) return {ExactNumber::Kind::nan, false, 0, 0};
    return exact_number(posit::to_rational(x, n_));
  }

  std::string value_text(const Integer& code) const override {
    const Code x = posit::code_of_bits(code.convert_to<std::uint64_t>(), n_);
    if (x == posit::not_a_real(n_)) return "NaR";
    const Target target{x, n_};
    return shortest_text(
        posit::to_rational(x, n_),
        [](const Rational& text, const void* context) {
          const auto* wanted = static_cast<const Target*>(context);
          return posit::from_rational(text, wanted->n) == wanted->code;
        },
        &target);
  }

 private:
  struct Target {
    Code code;
    int n;
  };

  Code value(Operation operation, const std::array<Code, 3>& x, bool nar) const {
    switch (operation) {
      case Operation::add:
        return posit::add(x[0], x[1], n_);
      case Operation::subtract:
        return posit::subtract(x[0], x[1], n_);
      case Operation::multiply:
        return posit::multiply(x[0], x[1], n_);
      case Operation::divide:
        return posit::divide(x[0], x[1], n_);
      case Operation::square_root:
        return posit::square_root(x[0], n_);
      case Operation::fused_multiply_add:
        return posit::fused_multiply_add(x[0], x[1], x[2], n_);
      case Operation::minimum:
        return nar ? posit::not_a_real(n_) : std::min(x[0], x[1]);
      case Operation::maximum:
        return nar ? posit::not_a_real(n_) : std::max(x[0], x[1]);
      case Operation::round_to_integral:
        return posit::nearest_integer(x[0], n_);
      case Operation::negate:
        return posit::negate(x[0], n_);
      case Operation::absolute:
        return posit::absolute(x[0], n_);
      case Operation::next_up:
        return posit::code_of_bits(static_cast<std::uint64_t>(x[0]) + 1, n_);  // maxPos is followed by NaR
      case Operation::next_down:
        return posit::code_of_bits(static_cast<std::uint64_t>(x[0]) - 1, n_);
      default:
        refuse_operation("posit", operation);
    }
  }

  int n_;
};

}  // namespace

std::shared_ptr<const NumberFormat> posit_family(const std::string& plain) {
  if (!plain.starts_with("posit")) return nullptr;
  const DescriptorParts parts = split_descriptor(plain);
  std::string width = parts.name.substr(5);
  if (width.empty() && parts.arguments.size() == 1)
    width = parts.arguments[0];
  else if (!parts.arguments.empty())
    throw InputRefused(
        {"number-format", "", "a posit has one parameter, its width", "posit32 or posit(32)", plain, ""});
  return std::make_shared<PositFormat>(
      static_cast<int>(integer_option(width, "the width of a posit", posit::min_width, posit::max_width)));
}

std::vector<std::string> posit_names() { return {"posit8", "posit16", "posit32", "posit64"}; }

}  // namespace outward
