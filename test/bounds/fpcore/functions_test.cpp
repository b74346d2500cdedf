// Spans, elementary functions and forms of the FPCore analysis against exact arithmetic.
#include "bounds/roundoff/fpcore/functions.hpp"

#include <doctest/doctest.h>

#include <random>

#include "bounds/roundoff/fpcore/form.hpp"
#include "bounds/roundoff/fpcore/format_model.hpp"
#include "formats/elementary/functions.hpp"
#include "formats/value.hpp"

namespace outward::fpcore {
namespace {

double random_number(std::mt19937_64& random, int range) {
  const double mantissa = static_cast<double>(static_cast<std::int64_t>(random()) >> 10) * 0x1p-53;
  return std::ldexp(mantissa, static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range);
}

bool holds(Span span, const Rational& lo, const Rational& hi) {
  return (span.lo == -infinity || exact(span.lo) <= lo) && (span.hi == infinity || exact(span.hi) >= hi);
}

// Whether the span may hold a number that is known to be between lo and hi.
bool meets(Span span, const Rational& lo, const Rational& hi) {
  return (span.lo == -infinity || exact(span.lo) <= hi) && (span.hi == infinity || exact(span.hi) >= lo);
}

Dyadic dyadic(double x) {
  int exponent = 0;
  const double m = std::frexp(x, &exponent);
  return normalised({static_cast<std::int64_t>(std::ldexp(m, 53)), exponent - 53});
}

}  // namespace

TEST_CASE("ends of spans are the nearest numbers outward, exact ones exactly") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const int range = i % 4 == 0 ? 600 : 30;
    double a = random_number(random, range), b = random_number(random, range);
    if (i % 3 == 0) a = std::ldexp(std::floor(std::ldexp(a, 10)), -10);  // short numbers: exact products
    if (i % 3 == 0) b = std::ldexp(std::floor(std::ldexp(b, 10)), -10);
    const auto check = [](double lo, double hi, const Rational& value) {
      CHECK((lo == -infinity || exact(lo) <= value));
      CHECK((hi == infinity || exact(hi) >= value));
      if (abs(value) > Rational(1, Integer(1) << 900) && abs(value) < Rational(Integer(1) << 900)) {
        CHECK(lo == round_down(value));
        CHECK(hi == round_up(value));
      }
    };
    check(tight_mul_down(a, b), tight_mul_up(a, b), exact(a) * exact(b));
    check(add_down(a, b), add_up(a, b), exact(a) + exact(b));
    if (b != 0) check(tight_div_down(a, b), tight_div_up(a, b), exact(a) / exact(b));
    const double r = std::fabs(a), lo = tight_sqrt_down(r), hi = tight_sqrt_up(r);
    CHECK(exact(lo) * exact(lo) <= exact(r));
    CHECK(exact(hi) * exact(hi) >= exact(r));
    CHECK((lo == hi ? exact(lo) * exact(lo) == exact(r) : next_up(lo) >= hi || r < 0x1p-900));
  }
  CHECK(square_root({-1, 4}).lo == -infinity);
  CHECK(divide({1, 2}, {-1, 1}).hi == infinity);
  CHECK(divide({-1, 2}, {0.5, 1}).lo == -2);
  CHECK(power({-2, 3}, 3).lo == -8);
  CHECK(power({-2, 3}, 2).lo == 0);
  CHECK(power({2, 4}, -2).hi == 0.25);
}

TEST_CASE("enclosures of functions hold the function, narrowly") {
  std::mt19937_64 random(2);
  for (const Function function : functions_of_fpcore) {
    const FunctionRow& row = row_of(function);
    CAPTURE(std::string(row.name));
    int tried = 0;
    for (int i = 0; i < 400; ++i) {
      double x = random_number(random, i % 2 == 0 ? 4 : 25);
      if (row.domain == Domain::within_one || row.domain == Domain::inside_one) x = std::remainder(x, 2.0);
      if (row.domain == Domain::positive || row.domain == Domain::from_one) x = std::fabs(x);
      if (!in_domain(row.domain, dyadic(x)) || std::fabs(x) > 500) continue;
      ++tried;
      const elementary::Enclosure value = elementary::enclose(row.function, dyadic(x), 120);
      const Rational lo = to_rational(value.lo), hi = to_rational(value.hi);
      if (abs(hi) > Rational(Integer(1) << 1000) || abs(lo) < Rational(1, Integer(1) << 1000)) continue;
      const Span at = function_range(function, {x, x});
      CAPTURE(x);
      CHECK(meets(at, lo, hi));
      if (at.bounded()) CHECK(at.hi - at.lo <= 4e-14 * std::max(at.magnitude(), function == Function::log ? 1e-3 : 0));
      // A wider span, and the mean value theorem for the slope.
      const double y = x + std::ldexp(std::fabs(random_number(random, 1)), -static_cast<int>(random() % 12));
      if (!in_domain(row.domain, dyadic(y))) continue;
      const Span both{std::min(x, y), std::max(x, y)};
      const Span range = function_range(function, both);
      CHECK(meets(range, lo, hi));
      const elementary::Enclosure other = elementary::enclose(row.function, dyadic(y), 120);
      const Span slopes = function_slope(function, both, range);
      if (!slopes.bounded() || other.hi_infinite) continue;
      const Rational step = exact(y) - exact(x);
      if (step <= 0) continue;
      CHECK(to_rational(other.lo) - hi <= exact(slopes.hi) * step);
      CHECK(to_rational(other.hi) - lo >= exact(slopes.lo) * step);
    }
    CHECK(tried > 100);
  }
  CHECK_FALSE(function_range(Function::tan, {1.5, 1.6}).bounded());
  CHECK_FALSE(function_range(Function::log, {0, 1}).bounded());
  CHECK(function_range(Function::sin, {1.5, 1.6}).hi == 1);
  CHECK(function_range(Function::cos, {3, 3.2}).lo == -1);
  CHECK(function_range(Function::sin, {-1.5, 1.5}).hi < 0.9976);
}

TEST_CASE("half units and roundings of formats agree with the format itself") {
  std::mt19937_64 random(3);
  for (const char* name :
       {"binary64", "binary32", "binary16", "bfloat16", "e4m3fn", "e5m2", "binary128", "binary(6,40)"}) {
    CAPTURE(name);
    const Format format = parse_format(name);
    const FormatModel model(format);
    for (int i = 0; i < 300; ++i) {
      const double z = random_number(random, 12);
      Flags flags;
      const Value rounded = round(format, exact(z), Rounding::nearest_even, flags);
      if (flags.overflow || !rounded.is_finite()) {
        CHECK(model.rounded({z, z}).magnitude() > model.greatest);
        continue;
      }
      const Rational value = to_rational(rounded);
      CHECK(abs(value - exact(z)) <= exact(model.half_unit(std::fabs(z))));
      CHECK(holds(model.rounded({z, z}), value, value));
      if (format.precision() <= 53) CHECK(width_up(model.rounded({z, z})) <= 2 * model.half_unit(std::fabs(z)));
      const int grid = model.grid(std::fabs(to_rational(rounded).convert_to<double>()));
      const Rational unit = grid >= 0 ? Rational(Integer(1) << grid) : Rational(Integer(1), Integer(1) << -grid);
      CHECK(denominator(Rational(value / unit)) == 1);
      CHECK(model.holds(grid, std::fabs(to_rational(rounded).convert_to<double>())));
    }
    CHECK(model.half_unit(1) == model.half_unit(0.75));
    CHECK(model.half_unit(next_up(1)) == 2 * model.half_unit(1));
    CHECK(exact(model.greatest) <= to_rational(greatest_finite(format)));
    CHECK(model.holds(0, std::ldexp(1.0, std::min(model.precision, 3))));
    CHECK_FALSE(model.holds(model.lowest_grid - 1, 1));
  }
}

TEST_CASE("affine forms hold the operations at every point") {
  std::mt19937_64 random(4);
  const Forms forms(2);
  for (int i = 0; i < 300; ++i) {
    const double x0 = 1 + std::fabs(random_number(random, 1)), y0 = random_number(random, 1);
    const double w = std::ldexp(1.0, -static_cast<int>(random() % 20));
    const Span xs{x0, x0 + w}, ys{y0, y0 + w};
    const Form x = forms.variable(xs, 0), y = forms.variable(ys, 1);
    const Form product = forms.multiply(x, y), ratio = forms.multiply(y, forms.reciprocal(x));
    const Form mixed = forms.subtract(forms.square(product), forms.multiply(ratio, forms.square_root(x)));
    const Form size = forms.absolute_above(y);
    for (int j = 0; j < 10; ++j) {
      const double px = j == 0   ? xs.lo
                        : j == 1 ? xs.hi
                                 : std::clamp(x0 + w * std::ldexp(double(random() >> 12), -52), xs.lo, xs.hi);
      const double py = j == 0   ? ys.hi
                        : j == 1 ? ys.lo
                                 : std::clamp(y0 + w * std::ldexp(double(random() >> 12), -52), ys.lo, ys.hi);
      const Rational a = exact(px), b = exact(py), p = a * b, q = b / a;
      const auto inside = [&](const Form& form, const Rational& lo, const Rational& hi) {
        Rational centre = exact(form.centre), reach = exact(form.rest);
        const Rational sx = x.a[0] == 0 ? Rational(0) : Rational((a - exact(x.centre)) / exact(x.a[0]));
        const Rational sy = y.a[1] == 0 ? Rational(0) : Rational((b - exact(y.centre)) / exact(y.a[1]));
        centre += exact(form.a[0]) * sx + exact(form.a[1]) * sy;
        CHECK(holds(form.range, lo, hi));
        CHECK(centre + reach >= lo);
        CHECK(centre - reach <= hi);
      };
      inside(product, p, p);
      inside(ratio, q, q);
      const Span root = square_root({px, px});
      const Rational square = p * p, one = q * exact(root.lo), two = q * exact(root.hi);
      inside(mixed, square - (one > two ? one : two), square - (one > two ? two : one));
      CHECK(exact(forms.upper(size)) >= abs(b));
      CHECK(exact(forms.upper(product)) >= p);
    }
  }
}

}  // namespace outward::fpcore
