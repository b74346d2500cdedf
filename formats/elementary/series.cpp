// Series in fixed point: see the header. One unit is 2^-places. All terms are non-negative and cut off (floor), so what
// is computed never exceeds the exact term; the comments count by how many units it may fall short.
#include "formats/elementary/series.hpp"

#include <utility>

namespace outward::elementary {
namespace {

Integer product(const Integer& a, const Integer& b, Bits places) { return floor_shifted_right(a * b, places); }

// Sum over n of (+-1)^n x^(2n+1)/(2n+1) for x = 1/q: atan or atanh of 1/q. The powers fall short by less than
// 1/(1 - 1/q^2) < 2 units, each term by less than 2 more, the cut-off tail by less than 2: the real sum lies within
// 4 (terms + 1) units of what is returned.
Fixed inverse_series(unsigned q, bool alternating, Bits places) {
  const unsigned square = q * q;
  Integer power = shifted_left(1, places) / q, sum = 0;
  std::uint64_t n = 0;
  for (; !power.is_zero(); ++n) {
    const Integer term = power / (2 * n + 1);
    if (alternating && n % 2 == 1)
      sum -= term;
    else
      sum += term;
    power /= square;
  }
  const Integer error = 4 * (n + 1);
  return {sum - error, 2 * error};
}

// factor * (value in fixed point), added to a sum of such: ends move by sign.
void accumulate(Fixed& sum, int factor, const Fixed& value) {
  if (factor >= 0) {
    sum.low += value.low * factor;
    sum.width += value.width * factor;
  } else {
    sum.low += (value.low + value.width) * factor;
    sum.width += value.width * -factor;
  }
}

// Cuts `extra` places off: outward, at most two units wider than the width cut off.
Fixed cut(const Fixed& value, Bits extra) {
  Fixed out;
  out.low = floor_shifted_right(value.low, extra);
  out.width = floor_shifted_right(value.low + value.width, extra) + 1 - out.low;
  return out;
}

constexpr Bits guard = 24;

// The constant to at least `places` places from a kept value of more.
template <class Compute>
Fixed kept(Bits places, Compute compute) {
  thread_local Fixed value;
  thread_local Bits have = -1;
  if (have < places) {
    have = places + places / 4 + 64;
    value = compute(have);
  }
  return have == places ? value : cut(value, have - places);
}

}  // namespace

Enclosure enclosure_of(const Fixed& value, Bits places) {
  return {Dyadic{value.low, -places}, Dyadic{value.low + value.width, -places}};
}

Fixed to_fixed(const Dyadic& x, Bits places) {
  if (x.mantissa.is_zero()) return {};
  const Bits shift = x.exponent + places;
  if (shift >= 0) return {shifted_left(x.mantissa, shift), 0};
  if (-shift > length(x.mantissa)) return {0, 1};
  return {floor_shifted_right(x.mantissa, -shift), 1};
}

// Machin 1706: pi = 16 atan(1/5) - 4 atan(1/239).
Fixed pi(Bits places) {
  return kept(places, [](Bits want) {
    Fixed sum{0, 0};
    accumulate(sum, 16, inverse_series(5, true, want + guard));
    accumulate(sum, -4, inverse_series(239, true, want + guard));
    return cut(sum, guard);
  });
}

// ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749), that is (27/25)^9 (4800/4802) (8750/8748)^4 = 2.
Fixed ln2(Bits places) {
  return kept(places, [](Bits want) {
    Fixed sum{0, 0};
    accumulate(sum, 18, inverse_series(26, false, want + guard));
    accumulate(sum, -2, inverse_series(4801, false, want + guard));
    accumulate(sum, 8, inverse_series(8749, false, want + guard));
    return cut(sum, guard);
  });
}

// ln 10 = 3 ln 2 + 2 atanh(1/9), for 10/8 = (1 + 1/9)/(1 - 1/9).
Fixed ln10(Bits places) {
  return kept(places, [](Bits want) {
    Fixed sum{0, 0};
    accumulate(sum, 3, ln2(want + guard));
    accumulate(sum, 2, inverse_series(9, false, want + guard));
    return cut(sum, guard);
  });
}

// With s halvings: e^r = (e^(r/2^s))^(2^s), where r/2^s is the same integer with s more places.
// Terms t_n = t_(n-1) x / n, x < 1/2: the shortfall e_n <= (e_(n-1)/2 + 1)/n + 1 <= 2 by induction. When the computed
// t_n is 0, t_n <= 2 and the tail is at most 2 t_n <= 4. The width of r counts twice: e^(x+d) - e^x <= 2d for x+d <
// ln 2. Squaring: (S + E)^2 - S^2 = 2SE + E^2, and one unit for the floor.
Fixed exp_series(const Fixed& r, Bits places) {
  Bits halvings = 1;
  while (halvings * halvings < places / 2) ++halvings;
  const Bits wide = places + halvings;
  Integer term = shifted_left(1, wide), sum = term;
  std::uint64_t n = 1;
  for (;; ++n) {
    term = product(term, r.low, wide) / n;
    if (term.is_zero()) break;
    sum += term;
  }
  Integer error = 2 * r.width + 2 * n + 4;
  for (Bits i = 0; i < halvings; ++i) {
    error = floor_shifted_right(2 * sum * error + error * error, wide) + 2;
    sum = product(sum, sum, wide);
  }
  return cut({std::move(sum), std::move(error)}, halvings);
}

// Powers t^(2n+1), u = t^2 < 0.04 cut off: shortfall e_n <= 0.04 e_(n-1) + 0.2 + 1 < 2; a term t^(2n+1)/(2n+1) falls
// short by less than 2, the tail is less than 2/(1 - 0.04) < 3. The derivative is 1/(1 - t^2) < 2.
Fixed atanh_series(const Fixed& t, Bits places) {
  const Integer square = product(t.low, t.low, places);
  Integer power = t.low, sum = 0;
  std::uint64_t n = 0;
  for (; !power.is_zero(); ++n) {
    sum += power / (2 * n + 1);
    power = product(power, square, places);
  }
  return {std::move(sum), 2 * t.width + 2 * n + 3};
}

// Three times atan z = 2 atan(z / (1 + sqrt(1 + z^2))): a map with derivative at most 1/2, computed one unit low in the
// denominator and one in the quotient, so within 2 units. Then z < 0.1 and the alternating series, whose terms fall
// short by less than 2 units as those of atanh above, so that the sum is off by 2 per term and 3 either way.
Fixed atan_series(const Fixed& z, Bits places) {
  constexpr Bits halvings = 3;
  const Bits wide = places + halvings + 2;
  const Integer unit = shifted_left(1, wide), unit_squared = shifted_left(1, 2 * wide);
  Integer x = shifted_left(z.low, wide - places), width = shifted_left(z.width, wide - places);
  for (Bits i = 0; i < halvings; ++i) {
    const Integer root = integer_sqrt(unit_squared + x * x);
    x = shifted_left(x, wide) / (unit + root + 1);
    width = width / 2 + 3;
  }
  const Integer square = product(x, x, wide);
  Integer power = x, sum = 0;
  std::uint64_t n = 0;
  for (; !power.is_zero(); ++n) {
    const Integer term = power / (2 * n + 1);
    if (n % 2 == 1)
      sum -= term;
    else
      sum += term;
    power = product(power, square, wide);
  }
  const Integer error = 2 * n + 3;
  Integer low = sum - error;
  width += 2 * error;
  if (low < 0) {
    width += low;
    low = 0;
  }
  return cut({shifted_left(low, halvings), shifted_left(width, halvings)}, wide - places);
}

// Terms t_n = t_(n-1) r^2 / ((2n)(2n+1)) or ((2n-1)(2n)), r < 0.8: with u = r^2 cut off, e_n <= (e_(n-1) + 2)/2 + 1 <=
// 4, and the alternating tail is at most the first term left out (<= 4). Both derivatives are at most 1 in absolute
// value.
SineCosine sine_cosine_series(const Fixed& r, Bits places) {
  const Integer square = product(r.low, r.low, places);
  const auto sum_from = [&](Integer term, unsigned first) {
    Integer sum = term;
    std::uint64_t n = 1;
    for (std::uint64_t k = first; !term.is_zero(); k += 2, ++n) {
      term = product(term, square, places) / (k * (k + 1));
      if (n % 2 == 1)
        sum -= term;
      else
        sum += term;
    }
    const Integer error = 4 * (n + 1) + r.width;
    Fixed out{sum - error, 2 * error};
    if (out.low < 0) {
      out.width += out.low;
      out.low = 0;
    }
    return out;
  };
  return {sum_from(r.low, 2), sum_from(shifted_left(1, places), 1)};
}

// Terms t_n = t_(n-1) d_n, d_n = 2z/(2n+1), one floor each: the shortfall of t_n is at most the sum over j <= n of
// d_(j+1)...d_n <= t_(n-j), for the d_n decrease. Summed over N terms that is at most N S(z) units. The loop ends at a
// computed 0 (so t_n <= S(z) units) with ratios below 1/2: a tail of at most 2 S(z) units. `whole` is at least S(z).
// The width of z: S'(z) <= S(z) term by term (2n/(2n+1) < 1), so S(z + d) - S(z) <= 2 d S(z) for d <= 1.
Fixed erf_series(const Fixed& z, Bits places) {
  const Integer doubled = 2 * z.low;
  Integer term = shifted_left(1, places), sum = term;
  std::uint64_t n = 1;
  for (;; ++n) {
    term = product(term, doubled, places) / (2 * n + 1);
    if (term.is_zero() && shifted_left(2 * n + 1, places) > 2 * doubled) break;
    sum += term;
  }
  const Integer whole = 2 * floor_shifted_right(sum, places) + 2;
  return {std::move(sum), (n + 2 + 2 * z.width) * whole};
}

}  // namespace outward::elementary
