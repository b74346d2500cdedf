// Enclosures of transcendental functions: see enclosures.hpp.
#include "checker/translate/enclosures.hpp"

#include <algorithm>

namespace outward_check::torchlean {

namespace {

Fraction down(const Fraction& x, std::uint64_t bits) { return -(-x).up(bits); }
Fraction power_of_two(std::int64_t e) { return Fraction::dyadic(1, e); }
Fraction magnitude(const Fraction& x) { return x.sign() < 0 ? -x : x; }

// The least t with |x| < 2^t, or one more; very small for 0.
std::int64_t top(const Fraction& x) {
  if (x.sign() == 0) return -100000;
  return static_cast<std::int64_t>(x.m.bits()) - static_cast<std::int64_t>(x.over.bits()) + 1 + x.e;
}
std::uint64_t doublings(const Fraction& x) { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, top(x) + 8)); }

constexpr std::int64_t far = 24;  // beyond 2^24 only crude bounds are given

// exp(a) for dyadic 0 <= a < 2^24: with r = a/2^n <= 2^-8 the terms of the series fall by at least 256 from one to the
// next, so the rest is below twice the first term left out; then n squarings.
Enclosure exp_of(const Fraction& a, std::uint64_t bits) {
  if (a.sign() == 0) return point(Fraction(1));
  const std::uint64_t n = doublings(a), work = bits + n + 16;
  const Fraction r = a * power_of_two(-static_cast<std::int64_t>(n)),
                 enough = power_of_two(-static_cast<std::int64_t>(work));
  Enclosure value = point(Fraction(1)), term = value;
  for (std::int64_t k = 1;; ++k) {
    term = outward(product(term, point(r / Fraction(k))), work);
    if (term.hi < enough) break;
    value = outward(sum(value, term), work);
  }
  value.hi = value.hi + term.hi * Fraction(2);
  for (std::uint64_t i = 0; i < n; ++i) value = outward(product(value, value), work);
  return value;
}

// exp(x) for one dyadic x.
Enclosure exp_point(const Fraction& x, std::uint64_t bits) {
  if (x >= Fraction(BigInt(static_cast<std::int64_t>(limit(Limit::exp_argument)))))
    over(Limit::exp_argument, "the exponential of a larger number");
  if (top(x) > far) return {Fraction(), power_of_two(-(std::int64_t{1} << (far - 2)))};  // x < 0: e^-y < 2^-y
  const Enclosure value = exp_of(magnitude(x), bits + 4);
  return x.sign() < 0 ? reciprocal(value, bits) : outward(value, bits);
}

// (1 - q)/(1 + q) with q = exp(-2a). Where a is small the difference cancels, so q gets more bits.
Enclosure tanh_point(const Fraction& x, std::uint64_t bits) {
  if (x.sign() == 0) return {};
  const Fraction a = magnitude(x);
  const std::uint64_t lost = static_cast<std::uint64_t>(std::max<std::int64_t>(0, 4 - top(a)));
  const Enclosure q = exp_point(-(a + a), bits + lost + 8);
  const Fraction one(1);
  const Enclosure value = outward({(one - q.hi) / (one + q.hi), (one - q.lo) / (one + q.lo)}, bits);
  return x.sign() < 0 ? negated(value) : value;
}

Enclosure sigmoid_point(const Fraction& x, std::uint64_t bits) {
  const Enclosure q = exp_point(-magnitude(x), bits + 8);
  const Fraction one(1);
  if (x.sign() < 0) return outward({q.lo / (one + q.lo), q.hi / (one + q.hi)}, bits);
  return outward({one / (one + q.hi), one / (one + q.lo)}, bits);
}

// atanh(z) = z + z^3/3 + ... for 0 <= z <= 1/2: the rest is below the first term left out over 1 - z^2, so below twice.
Enclosure inverse_tanh(const Enclosure& z, std::uint64_t bits) {
  const std::uint64_t work = bits + 16;
  const Fraction enough = z.hi * power_of_two(-static_cast<std::int64_t>(work));
  Enclosure value, odd = z;
  const Enclosure square = product(z, z);
  for (std::int64_t k = 1;; k += 2) {
    const Enclosure term = outward(product(odd, point(Fraction(BigInt(1), BigInt(k)))), work);
    if (term.hi <= enough) {
      value.hi = value.hi + term.hi * Fraction(2);
      return value;
    }
    value = outward(sum(value, term), work);
    odd = outward(product(odd, square), work);
  }
}

// log(x) for one dyadic x > 0: x = m*2^e with 1/2 <= m < 1, log m = -2 atanh((1 - m)/(1 + m)), log 2 = 2 atanh(1/3).
Enclosure log_point(const Fraction& x, std::uint64_t bits) {
  if (x == Fraction(1)) return {};
  const std::int64_t e = static_cast<std::int64_t>(x.m.bits()) + x.e;
  const Fraction m = x * power_of_two(-e), one(1);
  const std::uint64_t work = bits + 16 + x.m.bits();  // near 1 the two parts cancel
  const Enclosure z = outward(point((one - m) / (one + m)), work);
  const Enclosure part = product(point(Fraction(-2)), inverse_tanh(z, work));
  const Enclosure two =
      product(point(Fraction(2)), inverse_tanh(outward(point(Fraction(BigInt(1), BigInt(3))), work), work));
  return outward(sum(part, product(point(Fraction(e)), two)), bits);
}

// cos and sin of one dyadic x with |x| < 2^24: alternating series at x/2^n, then n double angles.
void circle_point(const Fraction& x, std::uint64_t bits, Enclosure* cosine, Enclosure* sine) {
  *cosine = point(Fraction(1)), *sine = {};
  if (x.sign() == 0) return;
  const std::uint64_t n = doublings(x), work = bits + 2 * n + 16;
  const Fraction r = magnitude(x) * power_of_two(-static_cast<std::int64_t>(n));
  const Fraction enough = power_of_two(-static_cast<std::int64_t>(work));
  Enclosure term = point(Fraction(1));
  for (std::int64_t k = 1;; ++k) {
    term = outward(product(term, point(r / Fraction(k))), work);
    Enclosure* to = k % 2 == 1 ? sine : cosine;
    if (term.hi < enough) {  // every rest is smaller than its first term, up to sign
      const Enclosure rest{-term.hi, term.hi};
      *sine = sum(*sine, rest), *cosine = sum(*cosine, rest);
      break;
    }
    *to = outward(sum(*to, k % 4 >= 2 ? negated(term) : term), work);
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    const Enclosure both = product(*sine, *cosine);
    *cosine = outward(sum(power(*cosine, 2), negated(power(*sine, 2))), work);
    *sine = outward(sum(both, both), work);
  }
  if (x.sign() < 0) *sine = negated(*sine);
}

Enclosure wave(const Enclosure& x, std::uint64_t bits, bool is_sine) {
  const Enclosure whole{Fraction(-1), Fraction(1)};
  const Fraction middle = ((x.lo + x.hi) * power_of_two(-1)).up(bits + 64);
  const Fraction radius = std::max(x.hi - middle, middle - x.lo);
  if (top(middle) > far || radius >= Fraction(2)) return whole;
  Enclosure cosine, sine;
  circle_point(middle, bits, &cosine, &sine);
  const Enclosure spread{-radius, radius};  // neither function is steeper than 1
  return common(outward(sum(is_sine ? sine : cosine, spread), bits), whole);
}

using PointFunction = Enclosure (*)(const Fraction&, std::uint64_t);
// An increasing function: its lower end at x.lo, its upper end at x.hi.
Enclosure increasing(PointFunction f, const Enclosure& x, std::uint64_t bits) {
  const Fraction lo = down(x.lo, bits + 64), hi = x.hi.up(bits + 64);
  const Enclosure low = f(lo, bits);
  return {low.lo, lo == hi ? low.hi : f(hi, bits).hi};
}

}  // namespace

Enclosure outward(const Enclosure& x, std::uint64_t bits) { return {down(x.lo, bits), x.hi.up(bits)}; }
Enclosure sum(const Enclosure& a, const Enclosure& b) { return {a.lo + b.lo, a.hi + b.hi}; }
Enclosure negated(const Enclosure& a) { return {-a.hi, -a.lo}; }
bool has_zero(const Enclosure& a) { return a.lo.sign() <= 0 && a.hi.sign() >= 0; }
Enclosure hull(const Enclosure& a, const Enclosure& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Enclosure common(const Enclosure& a, const Enclosure& b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

Enclosure product(const Enclosure& a, const Enclosure& b) {
  if (a.lo.sign() >= 0 && b.lo.sign() >= 0) return {a.lo * b.lo, a.hi * b.hi};
  const auto ends = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return {ends.first, ends.second};
}

Enclosure power(const Enclosure& a, std::uint64_t n) {
  if (n == 0) return point(Fraction(1));
  Enclosure out = a;
  if (n % 2 == 0) {  // of the absolute value
    const Fraction low = magnitude(a.lo), high = magnitude(a.hi);
    out = {has_zero(a) ? Fraction() : std::min(low, high), std::max(low, high)};
  }
  const Enclosure base = out;
  for (std::uint64_t i = 1; i < n; ++i) out = {out.lo * base.lo, out.hi * base.hi};
  return out;
}

Enclosure reciprocal(const Enclosure& a, std::uint64_t bits) {
  return outward({Fraction(1) / a.hi, Fraction(1) / a.lo}, bits);
}

Enclosure exp(const Enclosure& x, std::uint64_t bits) { return increasing(exp_point, x, bits); }
Enclosure log(const Enclosure& x, std::uint64_t bits) { return increasing(log_point, x, bits); }
Enclosure tanh(const Enclosure& x, std::uint64_t bits) { return increasing(tanh_point, x, bits); }
Enclosure sigmoid(const Enclosure& x, std::uint64_t bits) { return increasing(sigmoid_point, x, bits); }
Enclosure sin(const Enclosure& x, std::uint64_t bits) { return wave(x, bits, true); }
Enclosure cos(const Enclosure& x, std::uint64_t bits) { return wave(x, bits, false); }

Enclosure sqrt(const Enclosure& x, std::uint64_t bits) {
  Enclosure out;
  const Fraction lo = down(x.lo, bits + 64), hi = x.hi.up(bits + 64);
  Fraction low, high;
  if (lo.sign() > 0) Fraction::inverse_root(lo, bits + 8, &low, &high), out.lo = down(lo * low, bits);
  if (hi.sign() > 0) Fraction::inverse_root(hi, bits + 8, &low, &high), out.hi = (hi * high).up(bits);
  return out;
}

}  // namespace outward_check::torchlean
