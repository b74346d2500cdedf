// Enclosures of transcendental functions against 150-digit values of another implementation.
#include "checker/translate/enclosures.hpp"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>

using namespace outward_check;
using torchlean::Enclosure;
using Reference = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<150>>;

namespace {

constexpr std::uint64_t bits = 192;

Reference reference(const Fraction& x) {
  return Reference(x.numerator().decimal()) / Reference(x.denominator().decimal());
}

// [lo, hi] contains the value; its width is at most 2^-180 times the scale.
void check_encloses(const Enclosure& e, const Reference& value, const Reference& scale) {
  const Reference error = abs(value) * Reference("1e-140") + Reference("1e-400");
  CHECK(reference(e.lo) <= value + error);
  CHECK(reference(e.hi) >= value - error);
  CHECK(reference(e.hi - e.lo) <= ldexp(scale, -180));
}

std::vector<Fraction> samples() {
  std::vector<Fraction> out;
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const int scale = static_cast<int>(random() % 60) - 50;
    const std::int64_t m = static_cast<std::int64_t>(random() >> 11) - (std::int64_t{1} << 52);
    out.push_back(Fraction(BigInt(m), BigInt(1) << static_cast<std::uint64_t>(52 - std::min(scale, 9))));
    out.push_back(Fraction(BigInt(static_cast<std::int64_t>(random() % 2000) - 1000),
                           BigInt(1 + static_cast<std::int64_t>(random() % 97))));
  }
  for (int n = -40; n <= 40; ++n) out.push_back(Fraction(n));
  return out;
}

}  // namespace

TEST_CASE("enclosures of single numbers contain the value and are tight") {
  for (const Fraction& x : samples()) {
    const Enclosure at = torchlean::point(x);
    const Reference v = reference(x), one = 1;
    CAPTURE(x.text());
    check_encloses(torchlean::exp(at, bits), exp(v), exp(v));
    check_encloses(torchlean::tanh(at, bits), tanh(v), abs(v) < 1 ? abs(v) : one);
    check_encloses(torchlean::sigmoid(at, bits), one / (one + exp(-v)), one / (one + exp(-v)));
    check_encloses(torchlean::sin(at, bits), sin(v), one);
    check_encloses(torchlean::cos(at, bits), cos(v), one);
    if (x.sign() <= 0) continue;
    check_encloses(torchlean::sqrt(at, bits), sqrt(v), sqrt(v));
    check_encloses(torchlean::log(at, bits), log(v), abs(log(v)) < 1 ? abs(log(v)) : abs(log(v)));
  }
}

TEST_CASE("enclosures: exact where the value is, crude but true far out") {
  const Enclosure zero = torchlean::point(Fraction());
  CHECK(torchlean::exp(zero, bits).lo == Fraction(1));
  CHECK(torchlean::exp(zero, bits).hi == Fraction(1));
  for (const Enclosure& e : {torchlean::tanh(zero, bits), torchlean::sin(zero, bits), torchlean::sqrt(zero, bits),
                             torchlean::log(torchlean::point(Fraction(1)), bits)}) {
    CHECK(e.lo == Fraction());
    CHECK(e.hi == Fraction());
  }
  CHECK(torchlean::cos(zero, bits).lo == Fraction(1));
  const Fraction huge = Fraction::dyadic(3, 900);
  CHECK(torchlean::tanh(torchlean::point(huge), bits).hi == Fraction(1));
  CHECK(torchlean::tanh(torchlean::point(huge), bits).lo > Fraction(BigInt(999), BigInt(1000)));
  CHECK(torchlean::sigmoid(torchlean::point(-huge), bits).lo == Fraction());
  CHECK(torchlean::exp(torchlean::point(-huge), bits).hi < Fraction::dyadic(1, -1000));
  CHECK(torchlean::sin(torchlean::point(huge), bits).hi == Fraction(1));
  CHECK_THROWS_AS(torchlean::exp(torchlean::point(huge), bits), ReadError);
}

TEST_CASE("enclosures of intervals contain every value inside") {
  std::mt19937_64 random(11);
  const std::vector<Fraction> all = samples();
  for (int i = 0; i < 200; ++i) {
    const Fraction a = all[random() % all.size()],
                   b = a + Fraction(BigInt(static_cast<std::int64_t>(random() % 4000)), BigInt(1000));
    const Enclosure x{a, b};
    for (int k = 0; k <= 8; ++k) {
      const Reference v = reference(a + (b - a) * Fraction(BigInt(k), BigInt(8)));
      const auto inside = [&](const Enclosure& e, const Reference& value) {
        const Reference error = abs(value) * Reference("1e-140");
        CHECK(reference(e.lo) <= value + error);
        CHECK(reference(e.hi) >= value - error);
      };
      inside(torchlean::exp(x, 64), exp(v)), inside(torchlean::tanh(x, 64), tanh(v));
      inside(torchlean::sin(x, 64), sin(v)), inside(torchlean::cos(x, 64), cos(v));
      inside(torchlean::power(x, 2), v * v), inside(torchlean::power(x, 3), v * v * v);
      inside(torchlean::power(x, 0), Reference(1));
      inside(torchlean::product(x, torchlean::negated(x)), -v * v);
      if (!torchlean::has_zero(x)) inside(torchlean::reciprocal(x, 64), 1 / v);
      if (a.sign() > 0) inside(torchlean::log(x, 64), log(v)), inside(torchlean::sqrt(x, 64), sqrt(v));
    }
  }
}
