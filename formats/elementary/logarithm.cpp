// Logarithms and the inverse hyperbolic functions: see kernels.hpp.
#include <algorithm>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"

namespace outward::elementary {
namespace {

Enclosure monotone(Enclosure (*f)(const Dyadic&, Bits), const Enclosure& x, Bits w) {
  const Enclosure low = f(x.lo, w);
  return is_point(x) ? low : Enclosure{low.lo, f(x.hi, w).hi};
}

}  // namespace

// x = 2^k m with m in [181/256, 181/128): log x = k ln 2 + 2 atanh((m - 1)/(m + 1)), |(m - 1)/(m + 1)| < 0.172, the
// quotient of exact integers cut off at one unit. When k = 0 the result is as small as m - 1: that many more places.
Enclosure log(const Dyadic& x, Bits w) {
  const Bits long_of = length(x.mantissa);
  Bits k = x.exponent + long_of - 1;
  Dyadic m{x.mantissa, -(long_of - 1)};
  if (compare(m, {181, -7}) >= 0) {
    ++k;
    --m.exponent;
  }
  const Integer unit = shifted_left(1, -m.exponent);  // m.exponent <= 0: m = mantissa / unit
  Integer difference = m.mantissa - unit;
  if (difference.is_zero() && k == 0) return point({});
  Bits places = w + 10;
  if (k == 0) places += -m.exponent - length(difference) + 1;
  Bits k_bits = 0;
  while ((std::abs(k) >> k_bits) != 0) ++k_bits;
  places += k_bits;
  const bool below = difference.sign() < 0;
  const Fixed t{shifted_left(abs(difference), places) / (m.mantissa + unit), 1};
  const Fixed series = atanh_series(t, places);
  Integer lo = below ? Integer(-2 * (series.low + series.width)) : Integer(2 * series.low);
  Integer hi = below ? Integer(-2 * series.low) : Integer(2 * (series.low + series.width));
  if (k != 0) {
    const Fixed log_two = ln2(places);
    lo += k * (k > 0 ? log_two.low : Integer(log_two.low + log_two.width));
    hi += k * (k > 0 ? Integer(log_two.low + log_two.width) : log_two.low);
  }
  return {{lo, -places}, {hi, -places}};
}

// |x| < 2^-w-2: x - x^2 <= log(1 + x) <= x for |x| <= 1/2. Otherwise 1 + x to w bits more than |x| is below 1, so that
// its relative error is one of the result.
Enclosure log1p(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  const Bits magnitude = floor_log2(x);
  if (magnitude < -w - 2) return x.mantissa.sign() > 0 ? slightly_less(x, w + 1) : slightly_more(x, w + 1);
  const Bits bits = w + 8 + std::max<Bits>(0, -magnitude);
  return monotone(log, add(point(one), point(x), bits), w + 4);
}

Enclosure log1p(const Enclosure& x, Bits w) { return monotone(log1p, x, w); }

Enclosure log2(const Dyadic& x, Bits w) {
  const Dyadic odd = normalised(x);
  if (odd.mantissa == 1) return point(integer(odd.exponent));
  return divide(log(x, w + 4), enclosure_of(ln2(w + 8), w + 8), w + 4);
}

Enclosure log10(const Dyadic& x, Bits w) { return divide(log(x, w + 4), enclosure_of(ln10(w + 8), w + 8), w + 4); }

// asinh x = log1p(x + x^2/(1 + sqrt(1 + x^2))) for x >= 0: no term cancels.
// |x| < 2^(-w/2 - 2): x (1 - x^2) <= asinh x <= x for x >= 0.
Enclosure asinh(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(asinh(outward::negated(x), w));
  if (floor_log2(x) < -w / 2 - 2) return slightly_less(x, w);
  const Bits bits = w + 8;
  const Enclosure square = multiply(point(x), point(x), bits);
  const Enclosure root = square_root(add(point(one), square, bits), bits);
  return log1p(add(point(x), divide(square, add(point(one), root, bits), bits), bits), bits);
}

// acosh x = log1p(t + sqrt(t (t + 2))), t = x - 1.
Enclosure acosh(const Dyadic& x, Bits w) {
  const Bits bits = w + 8;
  const Enclosure t = add(point(x), point(integer(-1)), bits);
  if (t.hi.mantissa.is_zero()) return point({});
  const Enclosure product = multiply(t, add(t, point(integer(2)), bits), bits);
  return log1p(add(t, square_root(product, bits), bits), bits);
}

// atanh x = log1p(2x/(1 - x))/2 for x >= 0. |x| < 2^(-w/2 - 2): x <= atanh x <= x (1 + x^2) for 0 <= x <= 1/2.
Enclosure atanh(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(atanh(outward::negated(x), w));
  if (floor_log2(x) < -w / 2 - 2) return slightly_more(x, w);
  const Bits bits = w + 8;
  const Enclosure rest = add(point(one), point(outward::negated(x)), bits);
  return scaled(log1p(divide(point(scaled(x, 1)), rest, bits), bits), -1);
}

}  // namespace outward::elementary
