// e^x and what follows from it by rational identities: see kernels.hpp.
#include <algorithm>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"

namespace outward::elementary {
namespace {

// e^x for x in [floor_x, floor_x + width] * 2^-places. With k = floor(x/ln 2): e^x = 2^k e^r, r = x - k ln 2 in [0, ln
// 2] up to some units, r as an interval of fixed-point numbers from the enclosure [L, L + e] of ln 2. REQUIRES |x| <
// 2^(out_of_range + 2) and places >= 64 more than the bits of k, so that r stays below 0.7.
Enclosure exp_fixed(const Integer& floor_x, const Integer& width, Bits places) {
  const Fixed log_two = ln2(places);
  Integer k = floor_x >= 0 ? Integer(floor_x / log_two.low) : Integer(-1 - (-floor_x) / log_two.low);
  Fixed r;
  for (;; --k) {
    r.low = floor_x - k * log_two.low - (k > 0 ? Integer(k * log_two.width) : Integer(0));
    if (r.low.sign() >= 0) break;
  }
  r.width = width + abs(k) * log_two.width;
  return scaled(enclosure_of(exp_series(r, places), places), static_cast<Bits>(k));
}

}  // namespace

Enclosure slightly_less(const Dyadic& x, Bits k) {
  const Dyadic less{x.mantissa * (shifted_left(1, k) - 1), x.exponent - k};
  return x.mantissa.sign() >= 0 ? Enclosure{less, x} : Enclosure{x, less};
}

Enclosure slightly_more(const Dyadic& x, Bits k) {
  const Dyadic more{x.mantissa * (shifted_left(1, k) + 1), x.exponent - k};
  return x.mantissa.sign() >= 0 ? Enclosure{x, more} : Enclosure{more, x};
}

// |x| < 2^-w-2: 1 + x <= e^x <= 1 + 2x for 0 <= x <= 1, and 1 + x <= e^x <= 1 for x <= 0.
// |x| >= 2^40: e^|x| > 2^(2^40).
Enclosure exp(const Dyadic& x, Bits w) {
  const int sign = x.mantissa.sign();
  if (sign == 0) return point(one);
  const Bits magnitude = floor_log2(x);
  if (magnitude >= out_of_range) {
    const Bits far = Bits{1} << out_of_range;
    if (sign > 0) return {{1, far}, {}, false, true};
    return {{}, {1, -far}};
  }
  if (magnitude < -w - 2) return sign > 0 ? slightly_more(one, w + 1) : slightly_less(one, w + 1);
  const Bits places = w + 10 + std::max<Bits>(0, magnitude + 1) + (magnitude > 0 ? 64 : 0);
  const Bits shift = x.exponent + places;
  if (shift >= 0) return exp_fixed(shifted_left(x.mantissa, shift), 0, places);
  return exp_fixed(floor_shifted_right(x.mantissa, -shift), 1, places);
}

Enclosure exp(const Enclosure& x, Bits w) {
  const Enclosure low = exp(x.lo, w);
  if (is_point(x)) return low;
  const Enclosure high = exp(x.hi, w);
  return {low.lo, high.hi, false, high.hi_infinite};
}

// |x| < 2^-w-2: x <= e^x - 1 <= x + x^2 for |x| <= 1 (Taylor, |x| + ... < 2), so within x (1 +- |x|).
// Otherwise the difference cancels as many bits as |x| is below 1: that many more are computed.
Enclosure expm1(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  const Bits magnitude = floor_log2(x);
  if (magnitude < -w - 2) return x.mantissa.sign() > 0 ? slightly_more(x, w) : slightly_less(x, w);
  const Enclosure e = exp(x, w + std::max<Bits>(0, -magnitude) + 4);
  Enclosure out = add(e, point(integer(-1)), w + 4);
  out.hi_infinite = e.hi_infinite;
  return out;
}

Enclosure expm1(const Enclosure& x, Bits w) {
  const Enclosure low = expm1(x.lo, w);
  if (is_point(x)) return low;
  const Enclosure high = expm1(x.hi, w);
  return {low.lo, high.hi, false, high.hi_infinite};
}

// 2^x = 2^n e^((x - n) ln 2), n = floor(x): x - n in [0, 1) is exact. |x| < 2^-w-2: as e^y with |y| < |x|.
Enclosure exp2(const Dyadic& x, Bits w) {
  const int sign = x.mantissa.sign();
  if (sign == 0) return point(one);
  const Bits magnitude = floor_log2(x);
  if (magnitude >= out_of_range) return exp(x, w);  // the same bounds hold: 2^(2^40) and its inverse
  if (magnitude < -w - 2) return sign > 0 ? slightly_more(one, w + 1) : slightly_less(one, w + 1);
  if (x.exponent >= 0) return point({1, static_cast<Bits>(shifted_left(x.mantissa, x.exponent))});
  const Integer whole = floor_shifted_right(x.mantissa, -x.exponent);
  const Integer rest = x.mantissa - shifted_left(whole, -x.exponent);  // (x - n) 2^-exponent
  const Bits places = w + 10;
  const Fixed log_two = ln2(places);
  const Fixed part = to_fixed({rest, x.exponent}, places);
  const Integer low = floor_shifted_right(part.low * log_two.low, places);
  const Integer high = floor_shifted_right((part.low + part.width) * (log_two.low + log_two.width), places) + 1;
  return scaled(exp_fixed(low, high - low, places), static_cast<Bits>(whole));
}

// 10^x = e^(x ln 10), the product to w + 8 places; small |x| < 2^-w-4 as e^y with |y| < 4|x|.
Enclosure exp10(const Dyadic& x, Bits w) {
  const int sign = x.mantissa.sign();
  if (sign == 0) return point(one);
  const Bits magnitude = floor_log2(x);
  if (magnitude >= out_of_range) return exp(x, w);
  if (magnitude < -w - 4) return sign > 0 ? slightly_more(one, w + 1) : slightly_less(one, w + 1);
  const Bits bits = w + 12 + std::max<Bits>(0, magnitude);
  return exp(multiply(point(x), enclosure_of(ln10(bits), bits), bits), w + 4);
}

// With E = e^|x| - 1: sinh |x| = (E + E/(E + 1))/2, without cancellation. Beyond the range of e^x: at least its
// quarter.
Enclosure sinh(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(sinh(outward::negated(x), w));
  if (floor_log2(x) < -w / 2 - 2) return slightly_more(x, w);
  const Enclosure e = expm1(x, w + 6);
  if (e.hi_infinite) return {scaled(e.lo, -2), {}, false, true};
  return scaled(add(e, divide(e, add(e, point(one), w + 6), w + 6), w + 6), -1);
}

// (e^|x| + e^-|x|)/2; |x| < 2^(-w/2 - 1): 1 <= cosh x <= 1 + x^2 for |x| <= 1.
Enclosure cosh(const Dyadic& x, Bits w) {
  if (x.mantissa.sign() < 0) return cosh(outward::negated(x), w);
  if (x.mantissa.is_zero()) return point(one);
  if (floor_log2(x) < -w / 2 - 2) return slightly_more(one, w);
  const Enclosure e = exp(x, w + 6);
  if (e.hi_infinite) return {scaled(e.lo, -1), {}, false, true};
  return scaled(add(e, divide(point(one), e, w + 6), w + 6), -1);
}

// With q = e^(-2|x|) for |x| >= 1: (1 - q)/(1 + q). Below, with E = e^(2|x|) - 1: E/(E + 2). Both monotone, so that
// each end comes from one end of q or E. |x| < 2^(-w/2 - 2): x (1 - x^2) <= tanh x <= x for x >= 0.
Enclosure tanh(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(tanh(outward::negated(x), w));
  const Bits magnitude = floor_log2(x);
  if (magnitude < -w / 2 - 2) return slightly_less(x, w);
  const Bits bits = w + 6;
  if (magnitude < 0) {
    const Enclosure e = expm1(scaled(x, 1), bits);
    const auto end = [&](const Dyadic& value, int direction) {
      return divide(value, add(value, integer(2), bits, -direction), bits, direction);
    };
    return {end(e.lo, -1), end(e.hi, 1)};
  }
  const Enclosure q = exp(outward::negated(scaled(x, 1)), bits);
  const auto end = [&](const Dyadic& value, int direction) {
    return divide(add(one, outward::negated(value), bits, direction), add(one, value, bits, -direction), bits,
                  direction);
  };
  return {end(q.hi, -1), end(q.lo, 1)};
}

// With q = e^-|x|: 1/(1 + q) for x >= 0, q/(1 + q) = 1/(1 + 1/q) below; decreasing and increasing in q.
Enclosure sigmoid(const Dyadic& x, Bits w) {
  const Bits bits = w + 6;
  if (x.mantissa.is_zero()) return point({1, -1});
  const bool negative = x.mantissa.sign() < 0;
  const Enclosure q = exp(negative ? x : outward::negated(x), bits);
  const auto end = [&](const Dyadic& value, int direction) {
    return divide(negative ? value : one, add(one, value, bits, -direction), bits, direction);
  };
  if (negative) return {end(q.lo, -1), end(q.hi, 1)};
  return {end(q.hi, -1), end(q.lo, 1)};
}

Enclosure sigmoid(const Enclosure& x, Bits w) {
  const Enclosure low = sigmoid(x.lo, w);
  return is_point(x) ? low : Enclosure{low.lo, sigmoid(x.hi, w).hi};
}

}  // namespace outward::elementary
