// See exact_values.hpp. Promises: nothing is rounded but in tidy(), and there outward.
#include "runtime/cpu/exact_values.hpp"

#include <algorithm>
#include <cmath>

namespace outward::exact_run {

Dyadic dyadic(double value) {
  if (value == 0) return {};
  int exponent = 0;
  auto m = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int zeros = __builtin_ctzll(static_cast<unsigned long long>(m));
  return {m / (std::int64_t{1} << zeros), exponent - 53 + zeros};
}

Constants integers_of(const double* values, std::size_t count) {
  Constants result;
  std::vector<Dyadic> parts(count);
  bool any = false, fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = dyadic(values[i]);
    if (parts[i].m == 0) continue;
    result.shift = any ? std::max(result.shift, -parts[i].e) : -parts[i].e;
    any = true;
  }
  for (const Dyadic& part : parts) {
    const int bits = 64 - __builtin_clzll(static_cast<unsigned long long>(std::abs(part.m)) | 1);
    fits = fits && (part.m == 0 || bits + part.e + result.shift <= 62);
  }
  for (const Dyadic& part : parts) {
    const long up = part.m == 0 ? 0 : part.e + result.shift;
    if (fits)
      result.narrow.push_back(part.m * (std::int64_t{1} << up));
    else
      result.wide.push_back(Integer(part.m) << static_cast<unsigned long>(up));
  }
  return result;
}

Constants integers_of(const std::vector<double>& values) { return integers_of(values.data(), values.size()); }

void refine(Values& x, long shift) {
  if (shift <= x.shift) return;
  const auto up = static_cast<unsigned long>(shift - x.shift);
  for_each_integer(x, [&](Integer& n) { n <<= up; });
  x.shift = shift;
}

void multiply_denominator(Values& x, const Integer& factor) {
  if (factor == 1) return;
  for_each_integer(x, [&](Integer& n) { n *= factor; });
  x.odd *= factor;
}

Integer least_common_multiple(const Integer& a, const Integer& b) {
  return a == b ? a : boost::multiprecision::lcm(a, b);
}

void unify(std::vector<Values>& all) {
  Integer odd = 1;
  long shift = all.front().shift;
  bool exact_only = true;
  for (const Values& x : all) {
    odd = least_common_multiple(odd, x.odd);
    shift = std::max(shift, x.shift);
    exact_only = exact_only && x.is_exact();
  }
  for (Values& x : all) {
    refine(x, shift);
    multiply_denominator(x, odd / x.odd);
    if (!exact_only && x.is_exact()) x.hi = x.lo;
  }
}

Integer floor_quotient(const Integer& a, const Integer& b) {
  Integer q, r;
  divide_qr(a, b, q, r);
  if (r < 0) --q;
  return q;
}
Integer ceil_quotient(const Integer& a, const Integer& b) { return -floor_quotient(-a, b); }

void tidy(Values& x) {
  if (!x.is_exact()) {
    const long up = fraction_bits - x.shift;
    const Integer numerator = up > 0 ? Integer(1) << static_cast<unsigned long>(up) : Integer(1);
    const Integer denominator = up < 0 ? x.odd << static_cast<unsigned long>(-up) : x.odd;
    for (Integer& n : x.lo) n = floor_quotient(n * numerator, denominator);
    for (Integer& n : x.hi) n = ceil_quotient(n * numerator, denominator);
    x.odd = 1;
    x.shift = fraction_bits;
    return;
  }
  unsigned long zeros = 1 << 20;
  for (const Integer& n : x.lo) {
    if (n != 0) zeros = std::min<unsigned long>(zeros, lsb(n < 0 ? Integer(-n) : n));
  }
  if (zeros == 0 || zeros == 1 << 20) return;
  for (Integer& n : x.lo) n >>= zeros;  // exact: those bits are 0
  x.shift -= static_cast<long>(zeros);
}

Rational rational(const Integer& n, const Values& x) {
  const auto bits = static_cast<unsigned long>(std::abs(x.shift));
  return x.shift >= 0 ? Rational(n, x.odd << bits) : Rational(n << bits, x.odd);
}

Values of_ranges(const std::vector<std::pair<Rational, Rational>>& ranges) {
  Integer common = 1;
  bool exact_only = true;
  for (const auto& [lo, hi] : ranges) {
    exact_only = exact_only && lo == hi;
    if (exact_only) common = least_common_multiple(common, denominator(lo));
    exact_only = exact_only && msb(common) - lsb(common) <= longest_odd;
    if (!exact_only) break;
  }
  Values out;
  if (exact_only) {
    const auto twos = static_cast<unsigned long>(lsb(common));
    out.odd = common >> twos;
    out.shift = static_cast<long>(twos);
    for (const auto& range : ranges) out.lo.push_back(numerator(range.first) * (common / denominator(range.first)));
    return out;
  }
  out.shift = fraction_bits;
  for (const auto& [lo, hi] : ranges) {
    out.lo.push_back(floor_quotient(numerator(lo) << static_cast<unsigned>(fraction_bits), denominator(lo)));
    out.hi.push_back(ceil_quotient(numerator(hi) << static_cast<unsigned>(fraction_bits), denominator(hi)));
  }
  return out;
}

Values zeros_like(const Values& x, std::size_t count) {
  Values out;
  out.odd = x.odd;
  out.shift = x.shift;
  out.lo.assign(count, 0);
  if (!x.is_exact()) out.hi.assign(count, 0);
  return out;
}

}  // namespace outward::exact_run
