// The error function and the normal distribution: see kernels.hpp. Both are written in z = y^2, which is a dyadic
// number for y = x and for y = x/sqrt 2 alike:
//   erf(y)  = 2/sqrt(pi) y e^-z S(z), S of series.hpp;
//   erfc(y) = e^-z / (y sqrt(pi)) A(z), A(z) = sum of (-1)^n (2n - 1)!!/(2z)^n, whose partial sums lie on alternating
//   sides of it (Abramowitz & Stegun 7.1.6, 7.1.23 and the remark after it), for y > 0.
#include <algorithm>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"

namespace outward::elementary {
namespace {

const Dyadic half{1, -1};

// Which y a function of x means: y = x, or y = x / sqrt 2.
enum class Scale { plain, by_root_two };

Dyadic square_of(const Dyadic& x, Scale scale) {
  return {x.mantissa * x.mantissa, 2 * x.exponent - (scale == Scale::by_root_two ? 1 : 0)};
}

Enclosure pi_enclosure(Bits w) { return enclosure_of(pi(w + 4), w + 4); }

// erf(|y|), relative to about w bits. z below 2^(w + 6) or so: the number of terms grows with z.
Enclosure erf_small(const Dyadic& x, const Dyadic& z, Scale scale, Bits w) {
  const Bits bits = w + 8;
  const Enclosure series = rounded(enclosure_of(erf_series(to_fixed(z, bits + 8), bits + 8), bits + 8), bits);
  const Enclosure decay = exp(outward::negated(z), bits);
  // 2/sqrt(pi) |x|, or sqrt(2/pi) |x|, as the square root of 4/pi or 2/pi.
  const Dyadic numerator = scale == Scale::plain ? integer(4) : integer(2);
  const Enclosure factor = square_root(divide(point(numerator), pi_enclosure(bits), bits), bits);
  const Enclosure magnitude = point({abs(x.mantissa), x.exponent});
  return multiply(multiply(factor, magnitude, bits), multiply(decay, series, bits), bits);
}

// A(z) to w bits. REQUIRES z >= w: the terms shrink until n is about z, where they are below e^-z.
Enclosure asymptotic(const Dyadic& z, Bits w) {
  const Bits bits = w + 8;
  const Enclosure step = divide(point(one), point(scaled(z, 1)), bits);
  Enclosure term = point(one), sum = term;
  for (std::int64_t n = 1;; ++n) {
    term = negated(multiply(multiply(term, step, bits), point(integer(2 * n - 1)), bits));
    const Enclosure next = add(sum, term, bits);
    if (floor_log2(scaled(term.lo, 0)) < -w - 2)
      return hull(sum, next);  // the sum lies between consecutive partial sums
    sum = next;
  }
}

// erfc(|y|) for z >= w.
Enclosure erfc_large(const Dyadic& x, const Dyadic& z, Scale scale, Bits w) {
  const Bits bits = w + 8;
  const Enclosure decay = exp(outward::negated(z), bits);
  // 1/(y sqrt(pi)) as the square root of 1/pi or 2/pi, over |x|.
  const Dyadic numerator = scale == Scale::plain ? integer(1) : integer(2);
  const Enclosure factor = square_root(divide(point(numerator), pi_enclosure(bits), bits), bits);
  const Enclosure magnitude = point({abs(x.mantissa), x.exponent});
  return multiply(divide(multiply(decay, factor, bits), magnitude, bits), asymptotic(z, bits), bits);
}

bool is_large(const Dyadic& z, Bits w) { return compare(z, integer(w + 16)) >= 0; }

// erfc(|y|) to w bits: 1 - erf with as many bits more as e^-z takes away (z/ln 2, and the factor of at most 4 y).
Enclosure erfc_positive(const Dyadic& x, const Dyadic& z, Scale scale, Bits w) {
  if (is_large(z, w)) return erfc_large(x, z, scale, w);
  const Bits whole = static_cast<Bits>(floor_log2(z) < 0 ? Integer(0) : to_fixed(z, 0).low);
  const Bits bits = w + 2 * whole + 16;
  return add(point(one), negated(erf_small(x, z, scale, bits)), w + 8);
}

Enclosure erf_of(const Dyadic& x, Scale scale, Bits w) {
  const Dyadic z = square_of(x, scale);
  Enclosure value;
  if (is_large(z, w))
    value = add(point(one), negated(erfc_large(x, z, scale, w)), w + 4);
  else
    value = erf_small(x, z, scale, w);
  return x.mantissa.sign() < 0 ? negated(value) : value;
}

}  // namespace

// |x| < 2^(-w/2 - 2): 2/sqrt(pi) x (1 - x^2) <= erf x <= 2/sqrt(pi) x for x >= 0 is what the series gives with z cut
// off to 0 or one unit, so no case of its own is needed.
Enclosure erf(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  return erf_of(x, Scale::plain, w);
}

Enclosure erfc(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point(one);
  if (x.mantissa.sign() < 0) return add(point(one), erf_of(outward::negated(x), Scale::plain, w + 4), w + 4);
  return erfc_positive(x, square_of(x, Scale::plain), Scale::plain, w);
}

Enclosure normal_cdf(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point(half);
  if (x.mantissa.sign() > 0) return scaled(add(point(one), erf_of(x, Scale::by_root_two, w + 4), w + 4), -1);
  return scaled(erfc_positive(x, square_of(x, Scale::by_root_two), Scale::by_root_two, w), -1);
}

Enclosure normal_density(const Dyadic& x, Bits w) {
  const Bits bits = w + 6;
  const Enclosure decay = exp(outward::negated(square_of(x, Scale::by_root_two)), bits);
  return multiply(decay, square_root(divide(point(half), pi_enclosure(bits), bits), bits), bits);
}

}  // namespace outward::elementary
