// Quantised integer grids behind the interface of all number formats.
#include <algorithm>

#include "formats/error.hpp"
#include "formats/exact_format.hpp"
#include "formats/grid/grid.hpp"

namespace outward {

namespace {

class GridFormat : public ExactFormat {
 public:
  explicit GridFormat(const Grid& grid) : grid_(grid) {}

  std::string text() const override {
    std::string name = (grid_.is_signed ? "int" : "uint") + std::to_string(grid_.bits);
    if (grid_.scale == 1 && grid_.zero == 0) return name;
    return name + "(scale=" + fraction_text(grid_.scale) + ",zero=" + std::to_string(grid_.zero) + ")";
  }
  std::string family() const override { return "integer"; }
  int width() const override { return grid_.bits; }
  std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"scale", fraction_text(grid_.scale)},
            {"zero", std::to_string(grid_.zero)},
            {"min", fraction_text(dequantize(grid_, grid_.least()))},
            {"max", fraction_text(dequantize(grid_, grid_.greatest()))}};
  }

 protected:
  p3109::Value value(const Integer& code) const override {
    return {p3109::Value::Kind::number, false, dequantize(grid_, integer(code))};
  }
  Integer code(const p3109::Value& x, Rounding rounding, Flags& flags) const override {
    if (x.kind == p3109::Value::Kind::nan)
      throw InputRefused(
          {"number-range", "", "an integer grid has no code for a result that is not a number", "", "", ""});
    if (x.kind == p3109::Value::Kind::infinite) {
      flags.overflow = flags.inexact = true;
      return bits(x.negative ? grid_.least() : grid_.greatest());
    }
    return bits(quantize(grid_, x.number, rounding, flags));
  }
  Integer neighbour(const Integer& from, bool upwards) const override {
    return bits(std::clamp(integer(from) + (upwards ? 1 : -1), grid_.least(), grid_.greatest()));
  }
  // The root as a multiple of the scale needs bits below the scale's.
  Rational root(const Rational& x) const override {
    return ExactFormat::root(Rational(x / (grid_.scale * grid_.scale))) * grid_.scale;
  }

 private:
  std::int64_t integer(const Integer& code) const {
    const auto raw = code.convert_to<std::int64_t>();
    return raw > grid_.greatest() ? raw - (std::int64_t{1} << grid_.bits) : raw;
  }
  Integer bits(std::int64_t q) const { return q < 0 ? q + (std::int64_t{1} << grid_.bits) : q; }

  Grid grid_;
};

std::optional<Rational> positive_rational(const std::string& text) {
  const std::size_t bar = text.find('/');
  const auto above = parse_decimal(text.substr(0, bar));
  const auto below = bar == std::string::npos ? std::optional<Rational>(1) : parse_decimal(text.substr(bar + 1));
  if (!above || !below || *above <= 0 || *below <= 0) return std::nullopt;
  return Rational(*above / *below);
}

}  // namespace

std::shared_ptr<const NumberFormat> grid_family(const std::string& plain) {
  if (!plain.starts_with("int") && !plain.starts_with("uint")) return nullptr;
  const DescriptorParts parts = split_descriptor(plain);
  Grid grid;
  grid.is_signed = plain[0] == 'i';
  const std::string width = parts.name.substr(grid.is_signed ? 3 : 4);
  if (width != "2" && width != "4" && width != "8" && width != "16")
    throw InputRefused(
        {"number-format", "", "there is no integer grid of this width", "2, 4, 8 or 16 bits", parts.name, ""});
  grid.bits = std::stoi(width);
  for (const std::string& option : parts.arguments) {
    if (option.starts_with("scale=")) {
      const auto scale = positive_rational(option.substr(6));
      if (!scale) throw InputRefused({"number-format", "", "a scale is a positive number", "0.1 or 1/16", option, ""});
      grid.scale = *scale;
    } else if (option.starts_with("zero=")) {
      grid.zero = integer_option(option.substr(5), "the zero point", grid.least(), grid.greatest());
    } else {
      throw InputRefused(
          {"number-format", "", "an option of an integer grid is unknown", "scale=..., zero=...", option, ""});
    }
  }
  return std::make_shared<GridFormat>(grid);
}

std::vector<std::string> grid_names() { return {"int2", "int4", "int8", "int16", "uint2", "uint4", "uint8", "uint16"}; }

}  // namespace outward
