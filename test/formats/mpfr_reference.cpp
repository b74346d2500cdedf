#include "test/formats/mpfr_reference.hpp"

#ifdef OUTWARD_HAVE_MPFR
#include <stdexcept>

namespace outward::reference {
namespace {

// sigmoid(x), by e^-|x| on the side where nothing cancels.
void sigmoid(mpfr_ptr out, mpfr_srcptr x) {
  mpfr_t q, d;
  mpfr_inits2(mpfr_get_prec(out), q, d, nullptr);
  mpfr_abs(q, x, MPFR_RNDN);
  mpfr_neg(q, q, MPFR_RNDN);
  mpfr_exp(q, q, MPFR_RNDN);
  mpfr_add_ui(d, q, 1, MPFR_RNDN);
  if (mpfr_sgn(x) < 0)
    mpfr_div(out, q, d, MPFR_RNDN);
  else
    mpfr_ui_div(out, 1, d, MPFR_RNDN);
  mpfr_clears(q, d, nullptr);
}

void composite(Function function, mpfr_ptr out, mpfr_srcptr x) {
  mpfr_t t, s;
  mpfr_inits2(mpfr_get_prec(out), t, s, nullptr);
  const mpfr_rnd_t n = MPFR_RNDN;
  switch (function) {
    case Function::sigmoid:
      sigmoid(out, x);
      break;
    case Function::silu:
      sigmoid(t, x);
      mpfr_mul(out, t, x, n);
      break;
    case Function::gelu:  // x/2 erfc(-x/sqrt 2)
      mpfr_sqrt_ui(s, 2, n);
      mpfr_div(t, x, s, n);
      mpfr_neg(t, t, n);
      mpfr_erfc(t, t, n);
      mpfr_mul(t, t, x, n);
      mpfr_div_2ui(out, t, 1, n);
      break;
    case Function::gelu_tanh:
      mpfr_sqr(t, x, n);
      mpfr_set_str(s, "0.044715", 10, n);
      mpfr_mul(t, t, s, n);
      mpfr_add_ui(t, t, 1, n);
      mpfr_mul(t, t, x, n);
      mpfr_const_pi(s, n);
      mpfr_ui_div(s, 8, s, n);
      mpfr_sqrt(s, s, n);
      mpfr_mul(s, t, s, n);
      sigmoid(t, s);
      mpfr_mul(out, t, x, n);
      break;
    case Function::softplus:
      mpfr_abs(t, x, n);
      mpfr_neg(t, t, n);
      mpfr_exp(t, t, n);
      mpfr_log1p(t, t, n);
      if (mpfr_sgn(x) > 0) mpfr_add(t, t, x, n);
      mpfr_set(out, t, n);
      break;
    case Function::mish:
      composite(Function::softplus, s, x);
      mpfr_tanh(t, s, n);
      mpfr_mul(out, t, x, n);
      break;
    case Function::elu:
    case Function::selu:
      if (mpfr_sgn(x) >= 0)
        mpfr_set(out, x, n);
      else
        mpfr_expm1(out, x, n);
      if (function == Function::elu) break;
      mpfr_set_str(t, "1.05070102214813232421875", 10, n);
      mpfr_mul(out, out, t, n);
      mpfr_set_str(t, "1.67326319217681884765625", 10, n);
      if (mpfr_sgn(x) < 0) mpfr_mul(out, out, t, n);
      break;
    case Function::softsign:
      mpfr_abs(t, x, n);
      mpfr_add_ui(t, t, 1, n);
      mpfr_div(out, x, t, n);
      break;
    case Function::hard_sigmoid:
    case Function::hard_swish: {
      const unsigned slope = function == Function::hard_sigmoid ? 5 : 6;
      mpfr_set_d(s, slope / 2.0, n);
      mpfr_add(t, x, s, n);  // first: exact where it cancels
      mpfr_div_ui(t, t, slope, n);
      if (mpfr_sgn(t) < 0) mpfr_set_zero(t, 1);
      if (mpfr_cmp_ui(t, 1) > 0) mpfr_set_ui(t, 1, n);
      if (function == Function::hard_swish) mpfr_mul(t, t, x, n);
      mpfr_set(out, t, n);
      break;
    }
    default:
      throw std::logic_error("no reference for this function");
  }
  mpfr_clears(t, s, nullptr);
}

}  // namespace

bool evaluate(Function function, Real& out, Real& x, mpfr_rnd_t rounding) {
  // The range is global, and tests of formats narrow it to theirs: with one of those in force a tenth of the results
  // here were zero or infinite.
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  using Native = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  Native f = nullptr;
  switch (function) {
    case Function::exp:
      f = mpfr_exp;
      break;
    case Function::expm1:
      f = mpfr_expm1;
      break;
    case Function::exp2:
      f = mpfr_exp2;
      break;
    case Function::exp10:
      f = mpfr_exp10;
      break;
    case Function::log:
      f = mpfr_log;
      break;
    case Function::log1p:
      f = mpfr_log1p;
      break;
    case Function::log2:
      f = mpfr_log2;
      break;
    case Function::log10:
      f = mpfr_log10;
      break;
    case Function::sin:
      f = mpfr_sin;
      break;
    case Function::cos:
      f = mpfr_cos;
      break;
    case Function::tan:
      f = mpfr_tan;
      break;
    case Function::asin:
      f = mpfr_asin;
      break;
    case Function::acos:
      f = mpfr_acos;
      break;
    case Function::atan:
      f = mpfr_atan;
      break;
    case Function::sinh:
      f = mpfr_sinh;
      break;
    case Function::cosh:
      f = mpfr_cosh;
      break;
    case Function::tanh:
      f = mpfr_tanh;
      break;
    case Function::asinh:
      f = mpfr_asinh;
      break;
    case Function::acosh:
      f = mpfr_acosh;
      break;
    case Function::atanh:
      f = mpfr_atanh;
      break;
    case Function::erf:
      f = mpfr_erf;
      break;
    case Function::erfc:
      f = mpfr_erfc;
      break;
    default:
      composite(function, out, x);
      return false;
  }
  f(out, x, rounding);
  return true;
}

}  // namespace outward::reference
#endif
