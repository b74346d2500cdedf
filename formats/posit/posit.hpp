// Posits of the standard of 2022 (two exponent bits at every width n from 3 to 64) with their quire of 16n bits.
// A posit is a code: an n-bit two's complement integer kept sign-extended, so that the order of values is the order
// of codes. Not-a-real (10..0) is the least. Every operation computes the exact value and rounds once, to the standard:
// the boundary between neighbours is the (n+1)-bit posit between them, ties go to the even code, and nothing but zero
// becomes zero or leaves [-maxPos, maxPos]. An operation with a NaR operand or an undefined one (x/0, sqrt(-1)) is NaR.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/exact.hpp"

namespace outward::posit {

using Code = std::int64_t;

inline constexpr int min_width = 3, max_width = 64;

inline Code not_a_real(int n) { return static_cast<Code>(~std::uint64_t{0} << (n - 1)); }
inline Code greatest(int n) { return static_cast<Code>((std::uint64_t{1} << (n - 1)) - 1); }  // maxPos = 2^(4n-8)

// The n-bit pattern (in the low bits) as a code, and back.
Code code_of_bits(std::uint64_t bits, int n);
std::uint64_t bits_of_code(Code code, int n);

// significand * 2^exponent with the sign; significand 0 for zero. What arithmetic works on.
struct Parts {
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};
// REQUIRES not NaR.
Parts decode(Code code, int n);

// Nearest posit of (-1)^negative * (significand + rest) * 2^exponent, where 0 < rest < 1 if sticky, else 0.
// REQUIRES significand > 0 and, with sticky, at least 2^(n-2).
Code round(bool negative, const Integer& significand, std::int64_t exponent, bool sticky, int n);
// The same for short significands: the fast path. REQUIRES 0 < significand < 2^126 and, with sticky, at least 2^(n-2).
__extension__ using Word = unsigned __int128;
Code round(bool negative, Word significand, std::int64_t exponent, bool sticky, int n);

Code add(Code a, Code b, int n);
Code subtract(Code a, Code b, int n);
Code multiply(Code a, Code b, int n);
Code divide(Code a, Code b, int n);
Code square_root(Code a, int n);
Code fused_multiply_add(Code a, Code b, Code c, int n);
Code negate(Code a, int n);
Code absolute(Code a, int n);
// Nearest integer, ties to even.
Code nearest_integer(Code a, int n);

// Conversions. to_rational REQUIRES not NaR.
Rational to_rational(Code code, int n);
Code from_rational(const Rational& value, int n);
Code from_integer(const Integer& value, int n);
// To a two's complement (or unsigned) integer of `bits` bits, ties to even: nullopt for NaR and out of range.
std::optional<Integer> to_integer(Code code, int n, int bits, bool is_signed);
Code resize(Code code, int from, int to);  // NaR to NaR, else one rounding

// End points of enclosures: the greatest posit <= value and the least >= value. nullopt outside [-maxPos, maxPos].
std::optional<Code> round_down(const Rational& value, int n);
std::optional<Code> round_up(const Rational& value, int n);

// The exact accumulator: a two's complement fixed-point number of 16n bits, 8n-16 of them behind the point. NaR when an
// operand was NaR or the sum left the range; stays so.
class Quire {
 public:
  explicit Quire(int n) : n_(n) {}
  void add(Code a) { accumulate(a, one(), false); }
  void subtract(Code a) { accumulate(a, one(), true); }
  void add_product(Code a, Code b) { accumulate(a, b, false); }
  void subtract_product(Code a, Code b) { accumulate(a, b, true); }
  void add(const Quire& other);
  void negate();
  bool is_nar() const { return nar_; }
  Code to_posit() const;
  Rational value() const;  // REQUIRES not NaR
  Integer bits() const;    // the 16n-bit pattern

 private:
  Code one() const { return Code{1} << (n_ - 2); }  // the code of 1
  void accumulate(Code a, Code b, bool subtract);
  void check_range();
  int n_;
  bool nar_ = false;
  Integer sum_ = 0;  // in units of 2^-(8n-16)
};

// The dot product with one rounding. REQUIRES equal lengths.
Code dot(const std::vector<Code>& a, const std::vector<Code>& b, int n);

}  // namespace outward::posit
