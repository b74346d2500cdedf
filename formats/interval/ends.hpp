// Ends of enclosures: numbers of one format, with every operation rounded once, up or down. Classes of one shape, so
// that code written for one (spans.hpp, bounds/precise) runs on all: words for binary formats, fixed in number up to
// 254 bits and long beyond, and rationals that are numbers of the format for every other family.
//
// Assumes: directions Rounding::up and Rounding::down only; operands of arithmetic are finite. Promises: an upper end
// is the least number of the format at or above the exact result, or unbounded where there is none; lower ends
// likewise. A saturated, flushed or NaN result never comes out as an end.
#pragma once
#include <memory>

#include "formats/interval/interval.hpp"
#include "formats/number_format.hpp"
#include "formats/words/fixed.hpp"
#include "formats/words/long_arithmetic.hpp"

namespace outward {

// Binary formats, by FixedArithmetic or LongArithmetic.
template <class Arithmetic>
class WordEnds {
 public:
  using Number = typename Arithmetic::Number;
  explicit WordEnds(const Format& format);  // throws as require_interval_format

  Number from(const Rational& x, Rounding rounding) const;
  Number add(const Number& a, const Number& b, Rounding rounding) const;
  Number multiply(const Number& a, const Number& b, Rounding rounding) const;
  Number fused(const Number& a, const Number& b, const Number& c, Rounding rounding) const;  // a * b + c
  Number divide(const Number& a, const Number& b, Rounding rounding) const;                  // REQUIRES b != 0
  Number square_root(const Number& a, Rounding rounding) const;                              // REQUIRES a >= 0
  Number negate(Number a, Rounding) const;
  int compare(const Number& a, const Number& b) const;  // -1, 0, 1; unbounded ends too
  int sign(const Number& a) const { return a.kind == ValueKind::zero ? 0 : a.negative ? -1 : 1; }
  bool is_bounded(const Number& a) const { return a.kind != ValueKind::infinite; }
  Number unbounded(bool negative) const;
  Number zero() const { return {}; }
  ExactNumber exact(const Number& a) const;

 private:
  Number end(const Number& x, const Flags& flags, Rounding rounding) const;
  Arithmetic arithmetic_;
};

template <int N>
using FixedEnds = WordEnds<FixedArithmetic<N>>;  // up to 64 N - 2 bits of precision
using LongEnds = WordEnds<LongArithmetic>;       // any precision

extern template class WordEnds<FixedArithmetic<1>>;
extern template class WordEnds<FixedArithmetic<2>>;
extern template class WordEnds<FixedArithmetic<4>>;
extern template class WordEnds<LongArithmetic>;

// Every family: exact rational arithmetic, then the neighbour in the format, found by its value. So formats whose own
// arithmetic knows no directions (posits) or saturates (grids, P3109) have outward ends too.
// Square roots may come out one number further than the least.
class RationalEnds {
 public:
  struct Number {
    Rational value = 0;
    int infinite = 0;  // -1, 1: unbounded, and value counts for nothing
  };
  explicit RationalEnds(std::shared_ptr<const NumberFormat> format);

  Number from(const Rational& x, Rounding rounding) const;
  Number add(const Number& a, const Number& b, Rounding rounding) const { return from(a.value + b.value, rounding); }
  Number multiply(const Number& a, const Number& b, Rounding rounding) const {
    return from(a.value * b.value, rounding);
  }
  Number fused(const Number& a, const Number& b, const Number& c, Rounding rounding) const {
    return from(a.value * b.value + c.value, rounding);
  }
  Number divide(const Number& a, const Number& b, Rounding rounding) const { return from(a.value / b.value, rounding); }
  Number square_root(const Number& a, Rounding rounding) const;
  Number negate(const Number& a, Rounding rounding) const;
  int compare(const Number& a, const Number& b) const;
  int sign(const Number& a) const { return a.infinite != 0 ? a.infinite : a.value.sign(); }
  bool is_bounded(const Number& a) const { return a.infinite == 0; }
  Number unbounded(bool negative) const { return {0, negative ? -1 : 1}; }
  Number zero() const { return {}; }
  ExactNumber exact(const Number& a) const;

 private:
  std::shared_ptr<const NumberFormat> format_;
};

// Calls f with the ends that suit the format (a binary one by its descriptor, any other by its interface) and returns
// what it returns. Throws InputRefused for formats that cannot hold ends.
template <class F>
auto with_ends(const std::shared_ptr<const NumberFormat>& format, F f) {
  if (format->family() != "binary") return f(RationalEnds(format));
  const Format binary_format = parse_format(format->text());
  if (binary_format.precision() <= 62) return f(FixedEnds<1>(binary_format));
  if (binary_format.precision() <= 126) return f(FixedEnds<2>(binary_format));
  if (binary_format.precision() <= 254) return f(FixedEnds<4>(binary_format));
  return f(LongEnds(binary_format));
}

}  // namespace outward
