// Enclosures of elementary functions against MPFR: containment and width at random points and at hard ones.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "formats/elementary/functions.hpp"
#include "formats/elementary/series.hpp"
#include "formats/error.hpp"
#include "test/formats/mpfr_reference.hpp"

using namespace outward;
using elementary::Bits;
using elementary::Enclosure;

TEST_CASE("the identities behind ln 2 and pi are exact") {
  // (27/25)^9 (4800/4802) (8750/8748)^4 = 2, and (5 + i)^4 (239 - i) = 2 * 114244 ... has equal parts.
  const auto power = [](const Rational& x, int n) {
    Rational out = 1;
    for (int i = 0; i < n; ++i) out *= x;
    return out;
  };
  CHECK(power(Rational(27, 25), 9) * Rational(4800, 4802) * power(Rational(8750, 8748), 4) == 2);
  Integer re = 1, im = 0;
  const auto times = [&](int a, int b) {
    const Integer r = re * a - im * b, i = re * b + im * a;
    re = r;
    im = i;
  };
  for (int i = 0; i < 4; ++i) times(5, 1);
  times(239, -1);
  CHECK(re == im);
  CHECK(re > 0);
}

TEST_CASE("integer square roots are floors") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    Integer n = random();
    for (int k = static_cast<int>(random() % 6); k > 0; --k) n = (n << 61) + random();
    n >>= static_cast<unsigned>(random() % 64);
    if (i % 3 == 0) n = n * n - (i % 2);
    if (n < 0) continue;
    const Integer root = elementary::integer_sqrt(n);
    REQUIRE(root * root <= n);
    REQUIRE((root + 1) * (root + 1) > n);
  }
}

#ifdef OUTWARD_HAVE_MPFR
namespace {

struct Worst {
  double width = 0;  // hi - lo in units of 2^-bits |f|
  long points = 0;
};

void check_point(const FunctionRow& row, const Dyadic& x, Bits bits, Worst& worst) {
  const Enclosure got = elementary::enclose(row.function, x, bits);
  reference::Real at(2);
  reference::set(at, x);
  const mpfr_prec_t precision = static_cast<mpfr_prec_t>(bits + 80);
  reference::Real below(precision), above(precision);
  const bool native = reference::evaluate(row.function, below, at, MPFR_RNDD);
  if (native) {
    reference::evaluate(row.function, above, at, MPFR_RNDU);
  } else {  // to 50 places more than the bits
    mpfr_set(above, below, MPFR_RNDN);
    for (int i = 0; i < 1; ++i) {
      reference::Real slack(64);
      mpfr_abs(slack, below, MPFR_RNDU);
      mpfr_div_2ui(slack, slack, static_cast<unsigned long>(precision - 30), MPFR_RNDU);
      mpfr_sub(below, below, slack, MPFR_RNDD);
      mpfr_add(above, above, slack, MPFR_RNDU);
    }
  }
  ++worst.points;
  reference::Real lo(2), hi(2);
  reference::set(lo, got.lo);
  reference::set(hi, got.hi);
  const bool contained = (got.lo_infinite || mpfr_cmp(lo, above) <= 0) && (got.hi_infinite || mpfr_cmp(hi, below) >= 0);
  if (!contained) {
    reference::Real show(60);
    mpfr_set(show, at, MPFR_RNDN);
    char text[200];
    mpfr_snprintf(text, sizeof text, "x = %.17Ra lo = %.30Rg hi = %.30Rg mpfr %.30Rg", static_cast<mpfr_ptr>(at),
                  static_cast<mpfr_ptr>(lo), static_cast<mpfr_ptr>(hi), static_cast<mpfr_ptr>(below));
    FAIL_CHECK(std::string(row.name) << " at " << bits << " bits does not contain the value: " << std::string(text));
    return;
  }
  if (elementary::is_point(got) || got.hi_infinite || got.lo_infinite) return;
  if (got.lo.mantissa.is_zero() || got.hi.mantissa.is_zero()) return;
  CHECK_MESSAGE(elementary::is_tight(got, bits), std::string(row.name));
  reference::Real width(53);
  mpfr_sub(width, hi, lo, MPFR_RNDU);
  mpfr_div(width, width, mpfr_cmpabs(lo, hi) < 0 ? lo : hi, MPFR_RNDN);
  mpfr_mul_2si(width, width, bits, MPFR_RNDN);
  worst.width = std::max(worst.width, std::abs(mpfr_get_d(width, MPFR_RNDN)));
}

// A random point of `bits` bits in the domain; magnitudes 2^-30 to 2^7 as a rule, at times far smaller or larger.
Dyadic random_point(const FunctionRow& row, Bits bits, std::mt19937_64& random) {
  for (;;) {
    Integer m = 1;
    for (Bits have = 1; have < bits; have += 32) m = (m << 32) + static_cast<std::uint32_t>(random());
    const Bits drop = elementary::length(m) - bits;
    if (drop > 0) m >>= static_cast<unsigned>(drop);
    const Bits range = random() % 8 == 0 ? 600 : 40;
    Bits exponent = static_cast<Bits>(random() % static_cast<std::uint64_t>(range)) - range + 8;
    if (random() % 32 == 0) exponent = static_cast<Bits>(random() % 60);
    Dyadic x = normalised({random() % 2 == 0 ? m : Integer(-m), exponent - bits});
    if (random() % 16 == 0) x = elementary::add(x, {1, 0}, bits, 1);  // near 1
    if (x.mantissa.is_zero() && random() % 64 != 0) continue;
    if (in_domain(row.domain, x)) return x;
  }
}

long points_asked(long usual) {
  const char* text = std::getenv("OUTWARD_ELEMENTARY_POINTS");
  return text != nullptr ? std::atol(text) : usual;
}

}  // namespace

TEST_CASE("elementary enclosures contain MPFR's values and are as narrow as promised") {
  // e^x of 2^36 and more leaves MPFR's own range of exponents: widened as far as it goes.
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  const long count = points_asked(10000);
  Worst all;
  for (const FunctionRow& row : function_table()) {
    std::mt19937_64 random(17);
    Worst worst;
    for (long i = 0; i < count; ++i) check_point(row, random_point(row, 53, random), 53, worst);
    for (const Bits bits : {24, 113, 237, 1024})
      for (long i = 0; i < count / (bits < 200 ? 8 : bits < 1000 ? 32 : 150); ++i)
        check_point(row, random_point(row, bits, random), bits, worst);
    all.points += worst.points;
    all.width = std::max(all.width, worst.width);
    if (std::getenv("OUTWARD_ELEMENTARY_POINTS") != nullptr)
      std::printf("%-13s %ld points, widest %.3f of 2^-bits\n", row.name, worst.points, worst.width);
    CHECK(worst.width <= 1.0);
    mpfr_free_cache();
  }
  std::printf("elementary enclosures: %zu functions, %ld points, widest %.3f of the promised width\n",
              function_table().size(), all.points, all.width);
}

namespace {

// (1 + e*2^(1 - bits))*2^k: a power of two or its neighbours of `bits` bits.
Dyadic beside_power(Bits bits, int e, Bits k) {
  return normalised({(Integer(1) << static_cast<unsigned>(bits)) + 2 * e, k - bits});
}

Dyadic point_of(double x) {
  reference::Real value(53);
  mpfr_set_d(value, x, MPFR_RNDN);
  return reference::get(value);
}

// x of `bits` bits and its two neighbours.
void with_neighbours(reference::Real& x, std::vector<Dyadic>& to) {
  reference::Real near(mpfr_get_prec(x));
  for (const int step : {0, 1, -1}) {
    mpfr_set(near, x, MPFR_RNDN);
    if (step > 0) mpfr_nextabove(near);
    if (step < 0) mpfr_nextbelow(near);
    to.push_back(reference::get(near));
  }
}

// Two neighbours of `bits` bits in [lo, hi] between whose values a number of 7 bits lies: the value at each is as near
// to a short number as values of that precision come. Nothing if f does not move between the ends.
std::vector<Dyadic> around_a_short_value(Function function, Bits bits, double lo, double hi) {
  const auto precision = static_cast<mpfr_prec_t>(bits);
  reference::Real a(precision), b(precision), middle(precision), y(7), f(precision + 64);
  const auto at = [&](reference::Real& x) { reference::evaluate(function, f, x, MPFR_RNDN); };
  mpfr_set_d(a, lo, MPFR_RNDN);
  mpfr_set_d(b, hi, MPFR_RNDN);
  mpfr_set_d(middle, (lo + 2 * hi) / 3, MPFR_RNDN);
  at(middle);
  mpfr_set(y, f, MPFR_RNDN);
  at(a);
  const bool above = mpfr_cmp(f, y) > 0;
  at(b);
  if ((mpfr_cmp(f, y) > 0) == above) return {};
  for (;;) {
    mpfr_add(middle, a, b, MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    if (mpfr_equal_p(middle, a) || mpfr_equal_p(middle, b)) return {reference::get(a), reference::get(b)};
    at(middle);
    mpfr_set((mpfr_cmp(f, y) > 0) == above ? a : b, middle, MPFR_RNDN);
  }
}

}  // namespace

TEST_CASE("elementary enclosures at hard points of every precision") {
  // Beside powers of two from where f(x) is x or 1 + x up to large arguments; multiples of pi/2 and ln 2; where tanh,
  // erf and their kind come within 2^-bits of their limits; and where values are next to short numbers.
  Worst worst;
  std::string without;
  for (const FunctionRow& row : function_table()) {
    long short_values = 0;
    for (const Bits bits : {24, 53, 113, 237, 512, 1024}) {
      std::vector<Dyadic> points;
      for (const Bits k : {-3 * bits, -bits - 1, -bits, -bits / 2, -bits / 3, Bits{-1}, Bits{0}, Bits{1}, Bits{5}})
        for (const int e : {0, 1, -1})
          for (const int sign : {1, -1}) {
            Dyadic x = beside_power(bits, e, k);
            if (sign < 0) x.mantissa = -x.mantissa;
            points.push_back(x);
          }
      reference::Real x(static_cast<mpfr_prec_t>(bits));
      for (const long n : {1L, 2L, 3L, 355L, 1000003L})
        for (const bool angle : {true, false}) {
          angle ? mpfr_const_pi(x, MPFR_RNDN) : mpfr_const_log2(x, MPFR_RNDN);
          mpfr_mul_si(x, x, n, MPFR_RNDN);
          if (angle) mpfr_div_2ui(x, x, 1, MPFR_RNDN);
          if (angle || n < 400) with_neighbours(x, points);
        }
      for (const double part : {0.34, 0.35, 0.69, 0.7}) {
        mpfr_set_d(x, part * static_cast<double>(bits), MPFR_RNDN);
        with_neighbours(x, points);
        mpfr_sqrt(x, x, MPFR_RNDN);
        with_neighbours(x, points);
      }
      for (const auto& [lo, hi] :
           {std::pair{0.25, 0.875}, std::pair{-0.875, -0.25}, std::pair{1.25, 3.0}, std::pair{-9.0, -2.0}}) {
        if (!in_domain(row.domain, point_of(lo)) || !in_domain(row.domain, point_of(hi))) continue;
        const std::vector<Dyadic> found = around_a_short_value(row.function, bits, lo, hi);
        short_values += static_cast<long>(found.size());
        points.insert(points.end(), found.begin(), found.end());
      }
      for (const Dyadic& point : points)
        if (in_domain(row.domain, point)) check_point(row, point, bits, worst);
    }
    if (short_values == 0) without += std::string(" ") + row.name;
    mpfr_free_cache();
  }
  std::printf(
      "elementary enclosures, hard points: %ld, widest %.3f of the promised width; no short value is met by%s\n",
      worst.points, worst.width, without.empty() ? " none" : without.c_str());
  CHECK(worst.width <= 1.0);
  CHECK(worst.points > 15000);
}
#else
TEST_CASE("elementary enclosures contain MPFR's values") {
  std::puts("SKIPPED: MPFR is absent: elementary enclosures");
}
#endif
