// Formats whose arithmetic is: decode, compute with exact rationals, encode once. A family that derives from this
// defines its codes only. NaN, where it has one, comes out of every undefined operation and of NaN operands.
#pragma once
#include <array>

#include "formats/families.hpp"
#include "formats/p3109/p3109.hpp"

namespace outward {

class ExactFormat : public NumberFormat {
 public:
  Integer apply(Operation operation, std::span<const Integer> codes, Rounding rounding, Flags& flags) const override;
  Integer from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const override;
  std::optional<Integer> from_text(std::string_view text, Rounding rounding, Flags& flags) const override;
  ExactNumber to_exact(const Integer& code) const override;
  std::string value_text(const Integer& code) const override;

 protected:
  virtual p3109::Value value(const Integer& code) const = 0;
  // Throws InputRefused for what has no code (NaN where there is none).
  virtual Integer code(const p3109::Value& x, Rounding rounding, Flags& flags) const = 0;
  // The square root of x > 0 that is no rational; any rational that lies between the same neighbours of codes.
  virtual Rational root(const Rational& x) const;
  // The codes around one, for next_up and next_down; the end stays.
  virtual Integer neighbour(const Integer& code, bool upwards) const = 0;
};

}  // namespace outward
