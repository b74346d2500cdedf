// decimal32, decimal64 and decimal128 behind the interface of all number formats. Codes are BID unless the descriptor
// says dpd.
#include <array>

#include "formats/decimal/codec.hpp"
#include "formats/decimal/fast64.hpp"
#include "formats/error.hpp"
#include "formats/families.hpp"

namespace outward {

namespace {

class DecimalFormat : public NumberFormat {
 public:
  DecimalFormat(int width, decimal::Encoding encoding)
      : width_(width), encoding_(encoding), context_(decimal::context_of(width)) {}

  std::string text() const override {
    return "decimal" + std::to_string(width_) + (encoding_ == decimal::Encoding::dpd ? "(dpd)" : "");
  }
  std::string family() const override { return "decimal"; }
  int width() const override { return width_; }

  std::vector<std::pair<std::string, std::string>> parameters() const override {
    const auto power = [](std::int64_t e) { return "1E" + std::to_string(e); };
    return {{"digits", std::to_string(context_.precision)},
            {"emax", std::to_string(context_.emax)},
            {"max", "9." + std::string(static_cast<std::size_t>(context_.precision - 1), '9') + "E+" +
                        std::to_string(context_.emax)},
            {"least normal", power(context_.emin)},
            {"least subnormal", power(context_.least_exponent())},
            {"unit roundoff", "5E" + std::to_string(-context_.precision)}};
  }

  Integer apply(Operation operation, std::span<const Integer> codes, Rounding rounding, Flags& flags) const override {
    if (width_ == 64 && encoding_ == decimal::Encoding::bid)
      if (const auto code = fast_result(operation, codes, rounding, flags)) return Integer(*code);
    std::array<decimal::Number, 3> x;
    for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) x[i] = decimal::decode(codes[i], width_, encoding_);
    return decimal::encode(result(operation, x, rounded(rounding), flags), width_, encoding_);
  }

  Integer from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const override {
    decimal::Number value;
    if (x.kind == ExactNumber::Kind::number)
      value = decimal::from_rational(bounded_rational(x), rounded(rounding), flags);
    if (x.kind == ExactNumber::Kind::infinite) value.kind = decimal::Kind::infinite;
    if (x.kind == ExactNumber::Kind::nan) value.kind = decimal::Kind::quiet_nan;
    value.negative = x.negative;
    return decimal::encode(value, width_, encoding_);
  }

  std::optional<Integer> from_text(std::string_view text, Rounding rounding, Flags& flags) const override {
    if (const auto value = decimal::parse(text, rounded(rounding), flags))
      return decimal::encode(*value, width_, encoding_);
    const auto exact = exact_literal(text);
    if (!exact) return std::nullopt;
    return from_exact(*exact, rounding, flags);
  }

  ExactNumber to_exact(const Integer& code) const override {
    const decimal::Number x = decimal::decode(code, width_, encoding_);
    ExactNumber exact;
    if (x.is_nan()) exact.kind = ExactNumber::Kind::nan;
    if (x.is_infinite()) exact.kind = ExactNumber::Kind::infinite;
    if (x.is_finite()) exact.factor = decimal::to_rational(x);
    exact.negative = x.negative;
    return exact;
  }

  std::string value_text(const Integer& code) const override {
    return decimal::scientific_text(decimal::decode(code, width_, encoding_));
  }

 private:
  decimal::Context rounded(Rounding rounding) const {
    decimal::Context context = context_;
    context.rounding = rounding;
    return context;
  }

  // decimal64 in words; nullopt: not decided there, flags as they were.
  static std::optional<decimal::Code64> fast_result(Operation operation, std::span<const Integer> codes,
                                                    Rounding rounding, Flags& flags) {
    std::array<decimal::Code64, 3> x{};
    for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) {
      if (codes[i].sign() < 0 || codes[i].backend().size() > 1) return std::nullopt;
      x[i] = *codes[i].backend().limbs();
    }
    switch (operation) {
      case Operation::add:
        return decimal::add64(x[0], x[1], rounding, flags);
      case Operation::subtract:
        if ((x[1] >> 59 & 15) == 15) return std::nullopt;  // a NaN keeps its sign
        return decimal::add64(x[0], x[1] ^ decimal::Code64{1} << 63, rounding, flags);
      case Operation::multiply:
        return decimal::multiply64(x[0], x[1], rounding, flags);
      case Operation::divide:
        return decimal::divide64(x[0], x[1], rounding, flags);
      case Operation::square_root:
        return decimal::square_root64(x[0], rounding, flags);
      case Operation::fused_multiply_add:
        return decimal::fused_multiply_add64(x[0], x[1], x[2], rounding, flags);
      default:
        return std::nullopt;
    }
  }

  static decimal::Number result(Operation operation, const std::array<decimal::Number, 3>& x,
                                const decimal::Context& context, Flags& flags) {
    decimal::Number copy = x[0];
    switch (operation) {
      case Operation::add:
        return decimal::add(x[0], x[1], context, flags);
      case Operation::subtract:
        return decimal::subtract(x[0], x[1], context, flags);
      case Operation::multiply:
        return decimal::multiply(x[0], x[1], context, flags);
      case Operation::divide:
        return decimal::divide(x[0], x[1], context, flags);
      case Operation::square_root:
        return decimal::square_root(x[0], context, flags);
      case Operation::fused_multiply_add:
        return decimal::fused_multiply_add(x[0], x[1], x[2], context, flags);
      case Operation::remainder:
        return decimal::remainder_near(x[0], x[1], context, flags);
      case Operation::minimum:
        return decimal::minimum(x[0], x[1], context, flags);
      case Operation::maximum:
        return decimal::maximum(x[0], x[1], context, flags);
      case Operation::minimum_number:
        return decimal::minimum_number(x[0], x[1], false, context, flags);
      case Operation::maximum_number:
        return decimal::maximum_number(x[0], x[1], false, context, flags);
      case Operation::round_to_integral:
        return decimal::round_to_integral_exact(x[0], context, flags);
      case Operation::negate:
        copy.negative = !copy.negative;
        return copy;
      case Operation::absolute:
        copy.negative = false;
        return copy;
      case Operation::next_up:
        return decimal::next_up(x[0], context, flags);
      case Operation::next_down:
        return decimal::next_down(x[0], context, flags);
    }
    return copy;
  }

  int width_;
  decimal::Encoding encoding_;
  decimal::Context context_;
};

}  // namespace

std::shared_ptr<const NumberFormat> decimal_family(const std::string& plain) {
  if (!plain.starts_with("decimal")) return nullptr;
  const DescriptorParts parts = split_descriptor(plain);
  auto encoding = decimal::Encoding::bid;
  for (const std::string& option : parts.arguments) {
    if (option != "bid" && option != "dpd")
      throw InputRefused({"number-format", "", "an option of a decimal format is unknown", "bid or dpd", option, ""});
    encoding = option == "dpd" ? decimal::Encoding::dpd : decimal::Encoding::bid;
  }
  for (const int width : {32, 64, 128})
    if (parts.name == "decimal" + std::to_string(width)) return std::make_shared<DecimalFormat>(width, encoding);
  throw InputRefused({"number-format", "", "there is no decimal format of this width",
                      "decimal32, decimal64 or decimal128", parts.name, ""});
}

std::vector<std::string> decimal_names() { return {"decimal32", "decimal64", "decimal128"}; }

}  // namespace outward
