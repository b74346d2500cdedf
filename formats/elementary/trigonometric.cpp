// Sine, cosine, tangent and their inverses: see kernels.hpp.
#include <algorithm>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"
#include "formats/error.hpp"

namespace outward::elementary {
namespace {

// |x| = quadrant * pi/2 + r with |r| <= pi/4 up to units; r = -|r| when negative.
struct Reduced {
  int quadrant = 0;  // modulo 4
  bool negative = false;
  Fixed magnitude;
  Bits places = 0;
};

// With h in [H, H + e] for pi/2 and q the nearest integer to X/H: r = X - q h lies in [X - q (H + e), X + 1 - q H]. An
// r that touches 0 is the caller's concern: a wider magnitude [0, larger end] is returned with the sign of neither.
Reduced reduced(const Dyadic& x, Bits w) {
  const Bits magnitude = floor_log2(x);
  if (magnitude >= longest_angle)
    throw ResourceError("the reduction of an angle of 2^" + std::to_string(magnitude) +
                        " needs more than 2^17 bits of pi");
  Reduced out;
  out.places = w + 10 + std::max<Bits>(0, magnitude);
  const Fixed absolute = to_fixed({abs(x.mantissa), x.exponent}, out.places);
  if (magnitude < -1) {
    out.magnitude = absolute;
    return out;
  }
  Fixed half_pi_fixed = pi(out.places + 1);
  half_pi_fixed.low >>= 2;  // one for the extra place, one for the half
  half_pi_fixed.width = half_pi_fixed.width / 4 + 2;
  const Integer& h = half_pi_fixed.low;
  const Integer q = (2 * absolute.low + h) / (2 * h);
  const Integer lo = absolute.low - q * (h + half_pi_fixed.width);
  const Integer hi = absolute.low + absolute.width - q * h;
  out.quadrant = static_cast<int>(Integer(q & 3));
  out.negative = hi.sign() <= 0;
  if (lo.sign() >= 0) {
    out.magnitude = {lo, hi - lo};
  } else if (out.negative) {
    out.magnitude = {-hi, hi - lo};
  } else {  // straddles 0: the caller sees a wide enclosure and asks for more bits
    out.places = 0;
  }
  return out;
}

// sin(quarter turns * pi/2 + |x|), or nothing when the reduction was too short.
Enclosure sine_of(const Reduced& r, int quarters) {
  if (r.places == 0) return {integer(-1), integer(1)};
  const SineCosine values = sine_cosine_series(r.magnitude, r.places);
  const int quadrant = (r.quadrant + quarters) & 3;
  Enclosure out;
  if (quadrant % 2 == 0) {
    out = enclosure_of(values.sine, r.places);
    if (r.negative) out = negated(out);
  } else {
    out = enclosure_of(values.cosine, r.places);
  }
  return quadrant >= 2 ? negated(out) : out;
}

Bits places_below_one(const Dyadic& x) { return std::max<Bits>(0, -floor_log2(x)); }

}  // namespace

Enclosure half_pi(Bits w) { return scaled(enclosure_of(pi(w + 4), w + 4), -1); }

// |x| < 2^(-w/2 - 2): x (1 - x^2) <= sin x <= x for x >= 0.
Enclosure sin(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (floor_log2(x) < -w / 2 - 2) return slightly_less(x, w);
  const Enclosure value = sine_of(reduced(x, w + places_below_one(x)), 0);
  return x.mantissa.sign() < 0 ? negated(value) : value;
}

// |x| < 2^(-w/2 - 2): 1 - x^2 <= cos x <= 1.
Enclosure cos(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point(one);
  if (floor_log2(x) < -w / 2 - 2) return slightly_less(one, w);
  return sine_of(reduced(x, w), 1);
}

// sin/cos; |x| < 2^(-w/2 - 2): x <= tan x <= x (1 + x^2) for 0 <= x <= 1. Too few bits for the sign of the cosine: no
// bounds.
Enclosure tan(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (floor_log2(x) < -w / 2 - 2) return slightly_more(x, w);
  const Reduced r = reduced(x, w + 4 + places_below_one(x));
  const Enclosure cosine = sine_of(r, 1);
  if (cosine.lo.mantissa.sign() * cosine.hi.mantissa.sign() <= 0) return {{}, {}, true, true};
  const Enclosure value = divide(sine_of(r, 0), cosine, w + 4);
  return x.mantissa.sign() < 0 ? negated(value) : value;
}

// |x| > 1: pi/2 - atan(1/|x|), and 0 <= atan(1/x) <= 1/x once that is below w places.
// |x| < 2^(-w/2 - 2): x (1 - x^2) <= atan x <= x for x >= 0.
Enclosure atan(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(atan(outward::negated(x), w));
  const Bits magnitude = floor_log2(x);
  if (magnitude < -w / 2 - 2) return slightly_less(x, w);
  if (magnitude >= 0 && compare(x, one) > 0) {
    if (magnitude > w + 4) return subtract(half_pi(w + 4), {{}, {1, -w - 4}}, w + 8);
    const Bits places = w + 8;
    const Enclosure inverse = divide(point(one), point(x), places);
    const Fixed z = to_fixed(inverse.lo, places);
    return subtract(half_pi(w + 4), enclosure_of(atan_series({z.low, 3}, places), places), w + 4);
  }
  const Bits places = w + 8 + places_below_one(x);
  return enclosure_of(atan_series(to_fixed(x, places), places), places);
}

// atan(x/sqrt((1 - x)(1 + x))), increasing in the quotient; |x| < 2^(-w/2 - 2): x <= asin x <= x (1 + x^2) for 0 <= x
// <= 1/2.
Enclosure asin(const Dyadic& x, Bits w) {
  if (x.mantissa.is_zero()) return point({});
  if (x.mantissa.sign() < 0) return negated(asin(outward::negated(x), w));
  if (floor_log2(x) < -w / 2 - 2) return slightly_more(x, w);
  const Bits bits = w + 8;
  if (compare(x, one) == 0) return half_pi(w);
  const Enclosure rest =
      multiply(add(point(one), point(outward::negated(x)), bits), add(point(one), point(x), bits), bits);
  const Enclosure quotient = divide(point(x), square_root(rest, bits), bits);
  return {atan(quotient.lo, bits).lo, atan(quotient.hi, bits).hi};
}

// acos x = 2 atan(sqrt((1 - x)/(1 + x))): nothing cancels near x = 1.
Enclosure acos(const Dyadic& x, Bits w) {
  const Bits bits = w + 8;
  const Enclosure below = add(point(one), point(outward::negated(x)), bits), above = add(point(one), point(x), bits);
  if (below.hi.mantissa.is_zero()) return point({});
  if (above.hi.mantissa.is_zero()) return scaled(half_pi(w), 1);
  const Enclosure quotient = square_root(divide(below, above, bits), bits);
  return scaled(Enclosure{atan(quotient.lo, bits).lo, atan(quotient.hi, bits).hi}, 1);
}

}  // namespace outward::elementary
