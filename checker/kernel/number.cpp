// MXCSR, the self-test of the scalar directed arithmetic, and the exact rationals: see number.hpp.
#include "checker/kernel/number.hpp"

#include <emmintrin.h>

namespace outward_check {

namespace {

constexpr std::uint32_t nearest_mode = 0x1f80;  // exceptions masked, no flush to zero, no DAZ
constexpr std::uint32_t up_mode = nearest_mode | 0x4000;

std::uint32_t read_mode() {
  std::uint32_t mode = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(mode) : : "memory");
  return mode;
}
void write_mode(std::uint32_t mode) { __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory"); }

BigInt quotient(const BigInt& a, const BigInt& b) {
  BigInt q;
  BigInt::divide_floor(a, b, &q, nullptr);
  return q;
}

}  // namespace

Rounding<double>::Rounding() : saved(read_mode()) { write_mode(up_mode); }
Rounding<double>::~Rounding() { write_mode(saved); }

void reset_float_environment() { write_mode(nearest_mode); }

std::string arithmetic_fault() {
  volatile double one_v = 1, three_v = 3, tiny_v = 0x1p-60, least_v = 0x1p-1074;
  const double one = one_v, three = three_v, tiny = tiny_v, least = least_v;
  if ((read_mode() & 0xffc0) != nearest_mode) return "MXCSR is not in its default state";
  if (one + tiny != one) return "default arithmetic does not round to nearest";
  RoundUp up;
  const bool good[] = {div_up(one, three) == 0x1.5555555555556p-2,
                       div_up(-one, three) == -0x1.5555555555555p-2,
                       add_up(one, tiny) == 0x1.0000000000001p0,
                       add_up(-one, -tiny) == -one,
                       add_up(-one, tiny) == -0x1.fffffffffffffp-1,
                       mul_up(tiny, least) == least,
                       mul_up(-tiny, least) == 0,
                       add_up(0x1p-1022, -0x1.8p-1022) == -0x1p-1023,
                       add_up(infinity, -infinity) == infinity};
  for (bool g : good) {
    if (!g) return "directed operations do not round upward";
  }
  return "";
}

Exact::Exact(Dyadic numerator, BigInt denominator)
    : value(std::move(numerator)), over(std::move(denominator)) {
  if (over.bits() > 512) value = Dyadic::quotient_up(value, {over, 0}, 640), over = 1;
  if (value.m.bits() > 1024) value = value.up(640);
}

Exact Exact::operator-() const {
  Exact r(*this);
  r.value.m = -r.value.m;
  return r;
}

std::weak_ordering Exact::operator<=>(const Exact& o) const {
  if (infinite || o.infinite) return infinite <=> o.infinite;
  if (over == o.over) return Dyadic::compare(value, o.value) <=> 0;
  return Dyadic::compare(value * Dyadic(o.over, 0), o.value * Dyadic(over, 0)) <=> 0;
}

Exact add_up(const Exact& a, const Exact& b) {
  if (a.infinite || b.infinite) return infinity;
  if (a.value.sign() == 0) return b;
  if (b.value.sign() == 0) return a;
  if (a.over == b.over) return {a.value + b.value, a.over};
  const BigInt common = BigInt::gcd(a.over, b.over);
  const BigInt left = quotient(b.over, common), right = quotient(a.over, common);
  return {a.value * Dyadic(left, 0) + b.value * Dyadic(right, 0), a.over * left};
}

Exact mul_up(const Exact& a, const Exact& b) {
  if (a.infinite || b.infinite) return infinity;
  return {a.value * b.value, a.over * b.over};
}

Exact div_up(const Exact& a, const Exact& b) {
  if (a.infinite || b.infinite) return infinity;
  const std::uint64_t zeros = b.value.m.trailing_zeros();
  const std::int64_t exponent = b.value.e + static_cast<std::int64_t>(zeros);
  return {Dyadic(a.value.m * b.over, a.value.e - exponent), a.over * (b.value.m >> zeros)};
}

void convert_up(const Fraction& x, Exact* out) {
  *out = div_up(Exact({x.numerator, 0}, 1), Exact({x.denominator, 0}, 1));
}

Nearest<float> square_root(Nearest<float> x) {
  return Nearest<float>::of(_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x.v))));
}
Nearest<double> square_root(Nearest<double> x) {
  const __m128d v = _mm_set_sd(x.v);
  return Nearest<double>::of(_mm_cvtsd_f64(_mm_sqrt_sd(v, v)));
}

}  // namespace outward_check
