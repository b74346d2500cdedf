// Ends of enclosures: see the header.
#include "formats/interval/ends.hpp"

#include <array>
#include <utility>

#include "formats/error.hpp"
#include "formats/exact_number.hpp"
#include "formats/families.hpp"
#include "formats/words/long_root.hpp"

namespace outward {
namespace {

// Whether a rounded result of finite operands is no bound on the side asked for: the format had nothing further out.
bool is_lost(ValueKind kind, bool negative, const Flags& flags, Rounding rounding) {
  if (kind != ValueKind::zero && kind != ValueKind::finite) return true;
  // Rounded toward zero the greatest number is a bound; rounded away it would be a saturated one.
  return flags.invalid || flags.divide_by_zero || (flags.overflow && negative != (rounding == Rounding::up));
}

Rational rational_of(const ExactNumber& x) {
  const auto bits = static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
  if (bits == 0) return x.factor;
  const Integer power = Integer(1) << bits;
  return x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power);
}

template <int N>
std::size_t word_count(const Fixed<N>&) {
  return N;
}
std::size_t word_count(const Long& x) { return x.size; }

}  // namespace

template <class A>
typename A::Number WordEnds<A>::unbounded(bool negative) const {
  Number x;
  x.kind = ValueKind::infinite;
  x.negative = negative;
  return x;
}

template <class A>
WordEnds<A>::WordEnds(const Format& format) : arithmetic_(format) {
  require_interval_format(format);
}

template <class A>
typename A::Number WordEnds<A>::end(const Number& x, const Flags& flags, Rounding rounding) const {
  return is_lost(x.kind, x.negative, flags, rounding) ? unbounded(rounding == Rounding::down) : x;
}

template <class A>
typename A::Number WordEnds<A>::from(const Rational& x, Rounding rounding) const {
  Flags flags;
  return end(arithmetic_.number(round(arithmetic_.format(), x, rounding, flags)), flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::add(const Number& a, const Number& b, Rounding rounding) const {
  Flags flags;
  const Number x = arithmetic_.add(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::multiply(const Number& a, const Number& b, Rounding rounding) const {
  Flags flags;
  const Number x = arithmetic_.multiply(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::fused(const Number& a, const Number& b, const Number& c, Rounding rounding) const {
  Flags flags;
  const Number x = arithmetic_.fused_multiply_add(a, b, c, rounding, flags);
  return end(x, flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::divide(const Number& a, const Number& b, Rounding rounding) const {
  Flags flags;
  const Number x = arithmetic_.divide(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::square_root(const Number& a, Rounding rounding) const {
  Flags flags;
  const Number x = arithmetic_.square_root(a, rounding, flags);
  return end(x, flags, rounding);
}

template <class A>
typename A::Number WordEnds<A>::negate(Number a, Rounding) const {
  if (a.kind != ValueKind::zero) a.negative = !a.negative;
  return a;
}

template <class A>
int WordEnds<A>::compare(const Number& a, const Number& b) const {
  const int x = sign(a), y = sign(b);
  if (x != y || x == 0) return x < y ? -1 : x > y ? 1 : 0;
  int magnitude = 0;
  if (a.kind != b.kind) {
    magnitude = a.kind == ValueKind::infinite ? 1 : -1;
  } else if (a.kind == ValueKind::finite) {
    if (a.exponent != b.exponent) magnitude = a.exponent < b.exponent ? -1 : 1;
    for (std::size_t i = word_count(a); magnitude == 0 && i-- > 0;)
      if (a.words[i] != b.words[i]) magnitude = a.words[i] < b.words[i] ? -1 : 1;
  }
  return x * magnitude;
}

template <class A>
ExactNumber WordEnds<A>::exact(const Number& a) const {
  return exact_number(arithmetic_.value(a));
}

template class WordEnds<FixedArithmetic<1>>;
template class WordEnds<FixedArithmetic<2>>;
template class WordEnds<FixedArithmetic<4>>;
template class WordEnds<LongArithmetic>;

RationalEnds::RationalEnds(std::shared_ptr<const NumberFormat> format) : format_(std::move(format)) {}

RationalEnds::Number RationalEnds::from(const Rational& x, Rounding rounding) const {
  const bool upper = rounding == Rounding::up;
  Flags flags;
  try {
    const Integer code = format_->from_exact(exact_number(x), rounding, flags);
    const ExactNumber found = format_->to_exact(code);
    if (found.kind == ExactNumber::Kind::number) {
      Rational value = rational_of(found);
      if (upper ? value >= x : value <= x) return {std::move(value), 0};
    }
  } catch (const InputRefused&) {  // families without infinities may refuse what lies beyond their numbers
  }
  return unbounded(!upper);
}

RationalEnds::Number RationalEnds::square_root(const Number& a, Rounding rounding) const {
  if (a.value.is_zero()) return a;
  // The end of an enclosure far narrower than the numbers of the format lie apart; rounding it stays outward.
  const Integer n = numerator(a.value), d = denominator(a.value);
  const unsigned more = 2 * static_cast<unsigned>(format_->width()) + 64 + static_cast<unsigned>(msb(n) + msb(d));
  bool exact = false;
  // sqrt(n/d) = sqrt(n d) / d
  Integer root = integer_square_root(Integer((n * d) << 2 * more), exact);
  if (!exact && rounding == Rounding::up) ++root;
  return from(Rational(root, d << more), rounding);
}

RationalEnds::Number RationalEnds::negate(const Number& a, Rounding rounding) const {
  // Not all families are symmetric: int8 ends at -128 and 127.
  return a.infinite != 0 ? Number{0, -a.infinite} : from(Rational(-a.value), rounding);
}

int RationalEnds::compare(const Number& a, const Number& b) const {
  if (a.infinite != b.infinite) return a.infinite < b.infinite ? -1 : 1;
  if (a.infinite != 0) return 0;
  const int order = a.value.compare(b.value);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

ExactNumber RationalEnds::exact(const Number& a) const {
  ExactNumber out = exact_number(a.value);
  if (a.infinite != 0) out.kind = ExactNumber::Kind::infinite;
  out.negative = sign(a) < 0;
  return out;
}

}  // namespace outward
