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

}  // namespace

template <int N>
FixedEnds<N>::FixedEnds(const Format& format) : arithmetic_(format) {
  require_interval_format(format);
}

template <int N>
Fixed<N> FixedEnds<N>::end(Fixed<N> x, const Flags& flags, Rounding rounding) const {
  return is_lost(x.kind, x.negative, flags, rounding) ? unbounded(rounding == Rounding::down) : x;
}

template <int N>
Fixed<N> FixedEnds<N>::from(const Rational& x, Rounding rounding) const {
  Flags flags;
  return end(arithmetic_.number(round(arithmetic_.format(), x, rounding, flags)), flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::add(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding) const {
  Flags flags;
  const Fixed<N> x = arithmetic_.add(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::multiply(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding) const {
  Flags flags;
  const Fixed<N> x = arithmetic_.multiply(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::fused(const Fixed<N>& a, const Fixed<N>& b, const Fixed<N>& c, Rounding rounding) const {
  Flags flags;
  const Fixed<N> x = arithmetic_.fused_multiply_add(a, b, c, rounding, flags);
  return end(x, flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::divide(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding) const {
  Flags flags;
  const Fixed<N> x = arithmetic_.divide(a, b, rounding, flags);
  return end(x, flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::square_root(const Fixed<N>& a, Rounding rounding) const {
  Flags flags;
  const Fixed<N> x = arithmetic_.square_root(a, rounding, flags);
  return end(x, flags, rounding);
}

template <int N>
Fixed<N> FixedEnds<N>::negate(Fixed<N> a, Rounding) const {
  if (a.kind != ValueKind::zero) a.negative = !a.negative;
  return a;
}

template <int N>
int FixedEnds<N>::compare(const Fixed<N>& a, const Fixed<N>& b) const {
  const int x = sign(a), y = sign(b);
  if (x != y || x == 0) return x < y ? -1 : x > y ? 1 : 0;
  int magnitude = 0;
  if (a.kind != b.kind) {
    magnitude = a.kind == ValueKind::infinite ? 1 : -1;
  } else if (a.kind == ValueKind::finite) {
    if (a.exponent != b.exponent) magnitude = a.exponent < b.exponent ? -1 : 1;
    for (std::size_t i = N; magnitude == 0 && i-- > 0;)
      if (a.words[i] != b.words[i]) magnitude = a.words[i] < b.words[i] ? -1 : 1;
  }
  return x * magnitude;
}

template <int N>
ExactNumber FixedEnds<N>::exact(const Fixed<N>& a) const {
  return exact_number(arithmetic_.value(a));
}

template class FixedEnds<1>;
template class FixedEnds<2>;
template class FixedEnds<4>;

namespace {
Value value_end(Value x, const Flags& flags, Rounding rounding) {
  return is_lost(x.kind, x.negative, flags, rounding) ? infinite_value(rounding == Rounding::down) : x;
}
}  // namespace

ValueEnds::ValueEnds(const Format& format) : format_(format) { require_interval_format(format); }

Value ValueEnds::from(const Rational& x, Rounding rounding) const {
  Flags flags;
  Value out = round(format_, x, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::add(const Value& a, const Value& b, Rounding rounding) const {
  Flags flags;
  Value out = outward::add(format_, a, b, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::multiply(const Value& a, const Value& b, Rounding rounding) const {
  Flags flags;
  Value out = outward::multiply(format_, a, b, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::fused(const Value& a, const Value& b, const Value& c, Rounding rounding) const {
  Flags flags;
  Value out = fused_multiply_add(format_, a, b, c, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::divide(const Value& a, const Value& b, Rounding rounding) const {
  Flags flags;
  Value out = outward::divide(format_, a, b, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::square_root(const Value& a, Rounding rounding) const {
  Flags flags;
  Value out = outward::square_root(format_, a, rounding, flags);
  return value_end(std::move(out), flags, rounding);
}

Value ValueEnds::negate(Value a, Rounding) const {
  if (a.kind != ValueKind::zero) a.negative = !a.negative;
  return a;
}

int ValueEnds::compare(const Value& a, const Value& b) const {
  Flags flags;
  const Order order = compare_quiet(a, b, flags);
  return order == Order::less ? -1 : order == Order::greater ? 1 : 0;
}

ExactNumber ValueEnds::exact(const Value& a) const { return exact_number(a); }

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
