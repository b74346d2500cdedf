// Values of MPFR for comparison, when CMake found it (OUTWARD_HAVE_MPFR). Assumes nothing. Promises: conversions are
// exact; the reference of a function lies within 2^-(precision - 30) relative of its value.
#pragma once
#ifdef OUTWARD_HAVE_MPFR
#include <mpfr.h>

#include <string>

#include "formats/elementary/functions.hpp"

namespace outward::reference {

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// Exact: the precision is set to fit.
inline void set(Real& out, const Dyadic& x) {
  mpz_t z;
  mpz_init(z);
  const Integer magnitude = abs(x.mantissa);
  mpz_set_str(z, magnitude.str(0, std::ios::hex).c_str(), 16);
  const elementary::Bits bits = elementary::length(x.mantissa);
  mpfr_set_prec(out, static_cast<mpfr_prec_t>(bits < 2 ? 2 : bits));
  mpfr_set_z_2exp(out, z, x.exponent, MPFR_RNDN);
  if (x.mantissa.sign() < 0) mpfr_neg(out, out, MPFR_RNDN);
  mpz_clear(z);
}

inline Dyadic get(mpfr_srcptr x) {
  if (mpfr_zero_p(x)) return {};
  mpz_t z;
  mpz_init(z);
  const mpfr_exp_t exponent = mpfr_get_z_2exp(z, x);
  char* text = mpz_get_str(nullptr, 16, z);
  const std::string digits(text);
  void (*release)(void*, std::size_t) = nullptr;
  mp_get_memory_functions(nullptr, nullptr, &release);
  release(text, digits.size() + 1);
  mpz_clear(z);
  const bool negative = digits[0] == '-';
  Integer m("0x" + digits.substr(negative ? 1 : 0));
  return normalised({negative ? Integer(-m) : m, static_cast<std::int64_t>(exponent)});
}

// The function to the precision of `out`; exactly rounded in the direction when MPFR has the function itself (returns
// true), within 2^-(precision - 30) relative otherwise.
bool evaluate(Function function, Real& out, Real& x, mpfr_rnd_t rounding);

}  // namespace outward::reference
#endif
