// One element of a Microscaling block under a given scale exponent, behind the interface of all number formats.
#include "formats/blocks/blocks.hpp"
#include "formats/error.hpp"
#include "formats/exact_format.hpp"

namespace outward {

namespace {

class ElementFormat : public ExactFormat {
 public:
  ElementFormat(const blocks::Kind& kind, int scale)
      : kind_(kind), scale_(scale), unit_(Integer(1) << std::abs(scale)) {
    if (scale < 0) unit_ = 1 / unit_;
  }

  std::string text() const override {
    return kind_.name + (scale_ == 0 ? "" : "(scale=" + std::to_string(scale_) + ")");
  }
  std::string family() const override { return "block"; }
  int width() const override { return kind_.width; }
  std::vector<std::pair<std::string, std::string>> parameters() const override {
    const Rational greatest = blocks::element_value(kind_, blocks::element_code(kind_, Rational(1 << 20))).number;
    return {{"block", std::to_string(blocks::block_size)},
            {"scale", "2^" + std::to_string(scale_)},
            {"largest element", fraction_text(greatest)}};
  }

 protected:
  p3109::Value value(const Integer& code) const override {
    return p3109::multiply(blocks::element_value(kind_, code.convert_to<std::uint8_t>()),
                           {p3109::Value::Kind::number, false, unit_});
  }
  Integer code(const p3109::Value& x, Rounding rounding, Flags& flags) const override {
    const bool nan = x.kind == p3109::Value::Kind::nan;
    if (nan && (kind_.integer || !kind_.element.has_nan()))
      throw InputRefused(
          {"number-range", "", "elements of " + kind_.name + " have no code for what is not a number", "", "", ""});
    if (nan) return kind_.element.convention == Convention::ieee ? 0x7e : 0x7f;
    Rational scaled = x.number / unit_;
    if (x.kind == p3109::Value::Kind::infinite) scaled = x.negative ? -(1 << 20) : 1 << 20;  // saturates
    const std::uint8_t result = blocks::element_code(kind_, scaled, rounding);
    const Rational got = blocks::element_value(kind_, result).number;
    flags.inexact |= got != scaled;
    flags.overflow |=
        abs(got) == abs(blocks::element_value(kind_, blocks::element_code(kind_, Rational(1 << 20))).number) &&
        abs(scaled) > abs(got);
    return result;
  }
  Integer neighbour(const Integer&, bool upwards) const override {
    refuse_operation("block", upwards ? Operation::next_up : Operation::next_down);
  }

 private:
  blocks::Kind kind_;
  int scale_;
  Rational unit_;
};

}  // namespace

std::shared_ptr<const NumberFormat> block_family(const std::string& plain) {
  if (!plain.starts_with("mx")) return nullptr;
  const DescriptorParts parts = split_descriptor(plain);
  int scale = 0;
  for (const std::string& option : parts.arguments) {
    if (!option.starts_with("scale="))
      throw InputRefused({"number-format", "", "an option of a block format is unknown", "scale=EXPONENT", option, ""});
    scale = static_cast<int>(integer_option(option.substr(6), "the exponent of a scale", -127, 127));
  }
  for (const blocks::Kind& kind : blocks::kinds())
    if (kind.name == parts.name) return std::make_shared<ElementFormat>(kind, scale);
  throw InputRefused({"number-format", "", "there is no block format of this name",
                      "mxfp8e4m3, mxfp8e5m2, mxfp6e3m2, mxfp6e2m3, mxfp4e2m1 or mxint8", parts.name, ""});
}

std::vector<std::string> block_names() {
  std::vector<std::string> names;
  for (const blocks::Kind& kind : blocks::kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace outward
