// Ends of enclosures: the three classes give the same numbers, those numbers are the nearest on their side, and spans
// contain their points and are inclusion isotonic. Exact rationals are the judge.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "formats/families.hpp"
#include "formats/interval/spans.hpp"

using namespace outward;

namespace {

using Random = std::mt19937_64;

// Numbers near the ends and the middle of the range of a format, as rationals.
Rational random_rational(Random& random, const Rational& greatest, const Rational& least) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  Rational x(below(2001) - 1000, below(50) + 1);
  switch (random() % 6) {
    case 0:
      return x * greatest / 1000;
    case 1:
      return x * least / 8;
    case 2:
      return Rational(below(9) - 4);
    default:
      return x / 16;
  }
}

Rational value(const ExactNumber& x) {
  const Integer power = Integer(1) << static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
  return x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power);
}

// -inf, inf or the value, for comparisons across classes.
template <class Ends>
std::string text(const Ends& ends, const typename Ends::Number& x) {
  if (!ends.is_bounded(x)) return ends.sign(x) < 0 ? "-inf" : "inf";
  return fraction_text(value(ends.exact(x)));
}

constexpr Rounding directions[] = {Rounding::down, Rounding::up};

// Every operation of both classes on the same operands.
template <class A, class B>
void compare_classes(const A& a, const B& b, const std::vector<Rational>& numbers, Random& random, int trials) {
  const auto pick = [&] { return numbers[random() % numbers.size()]; };
  for (int trial = 0; trial < trials; ++trial) {
    const Rational x = pick(), y = pick(), z = pick();
    for (Rounding r : directions) {
      const auto xa = a.from(x, r), ya = a.from(y, r), za = a.from(z, r);
      const auto xb = b.from(x, r), yb = b.from(y, r), zb = b.from(z, r);
      CHECK(text(a, xa) == text(b, xb));
      if (!a.is_bounded(xa) || !a.is_bounded(ya) || !a.is_bounded(za)) continue;
      CHECK(a.compare(xa, ya) == b.compare(xb, yb));
      CHECK(a.sign(xa) == b.sign(xb));
      for (Rounding s : directions) {
        CHECK(text(a, a.add(xa, ya, s)) == text(b, b.add(xb, yb, s)));
        CHECK(text(a, a.multiply(xa, ya, s)) == text(b, b.multiply(xb, yb, s)));
        CHECK(text(a, a.fused(xa, ya, za, s)) == text(b, b.fused(xb, yb, zb, s)));
        CHECK(text(a, a.negate(xa, s)) == text(b, b.negate(xb, s)));
        if (a.sign(ya) != 0) CHECK(text(a, a.divide(xa, ya, s)) == text(b, b.divide(xb, yb, s)));
        if (a.sign(xa) >= 0) CHECK(text(a, a.square_root(xa, s)) == text(b, b.square_root(xb, s)));
      }
    }
  }
}

// The numbers of a format that a test starts from.
std::vector<Rational> sample(Random& random, const Format& format, int count) {
  const Rational greatest = to_rational(greatest_finite(format)), least = to_rational(least_positive(format));
  std::vector<Rational> out{0, 1, -1, greatest, Rational(-greatest), least, Rational(-least), Rational(greatest * 2)};
  for (int i = 0; i < count; ++i) out.push_back(random_rational(random, greatest, least));
  return out;
}

}  // namespace

TEST_CASE("fixed words, long words and rationals give the same ends") {
  Random random(501);
  for (const char* name :
       {"e4m3fn", "e5m2", "e4m3fnuz", "e2m1", "e5m2(saturate)", "bfloat16", "binary16", "binary32", "binary(4,40)"}) {
    CAPTURE(name);
    const Format format = parse_format(name);
    const std::vector<Rational> numbers = sample(random, format, 60);
    compare_classes(FixedEnds<1>(format), LongEnds(format), numbers, random, 150);
    compare_classes(FixedEnds<1>(format), RationalEnds(parse_number_format(name)), numbers, random, 150);
    compare_classes(FixedEnds<1>(format), FixedEnds<2>(format), numbers, random, 50);
  }
  for (const char* name : {"binary(6,100)", "binary(8,200)"}) {
    CAPTURE(name);
    const Format format = parse_format(name);
    const std::vector<Rational> numbers = sample(random, format, 60);
    compare_classes(FixedEnds<4>(format), LongEnds(format), numbers, random, 100);
    compare_classes(FixedEnds<4>(format), RationalEnds(parse_number_format(name)), numbers, random, 50);
  }
  for (const char* name : {"binary(6,300)", "binary(9,318,finite)"}) {
    const Format format = parse_format(name);
    const std::vector<Rational> numbers = sample(random, format, 60);
    compare_classes(LongEnds(format), RationalEnds(parse_number_format(name)), numbers, random, 50);
  }
  compare_classes(FixedEnds<2>(binary(15, 112)), LongEnds(binary(15, 112)), sample(random, binary(5, 10), 60), random,
                  100);
}

TEST_CASE("formats that cannot hold ends are refused") {
  for (const char* name : {"e8m0", "binary(5,10,flush)"})
    CHECK_THROWS_AS(with_ends(parse_number_format(name), [](auto) { return 0; }), InputRefused);
}

// Whatever the family: an end lies on its side, and no number of the format lies between it and the exact value.
TEST_CASE("ends of every family are the nearest numbers on their side") {
  Random random(502);
  std::size_t bounded = 0, unbounded = 0;
  for (const std::string& name : number_format_names()) {
    CAPTURE(name);
    const auto format = parse_number_format(name);
    // Blocks have no next_up; their elements are binary formats.
    if (format->family() == "binary" || format->family() == "block") continue;
    const RationalEnds ends(format);
    for (int trial = 0; trial < 200; ++trial) {
      const Rational x = random_rational(random, Rational(1000), Rational(1, 1000));
      for (Rounding r : directions) {
        const auto end = ends.from(x, r);
        const bool up = r == Rounding::up;
        if (!ends.is_bounded(end)) {
          ++unbounded;
          CHECK(ends.sign(end) == (up ? 1 : -1));
          continue;
        }
        ++bounded;
        CHECK((up ? end.value >= x : end.value <= x));
        if (end.value == x) continue;
        Flags flags;
        const std::array<Integer, 1> code{format->from_exact(exact_number(end.value), Rounding::nearest_even, flags)};
        const ExactNumber next = format->to_exact(
            format->apply(up ? Operation::next_down : Operation::next_up, code, Rounding::nearest_even, flags));
        if (next.kind == ExactNumber::Kind::number && value(next) != end.value)
          CHECK((up ? value(next) < x : value(next) > x));
      }
    }
  }
  MESSAGE(bounded << " ends, " << unbounded << " beyond the format");
  CHECK(bounded > 5000);
  CHECK(unbounded > 100);
}

namespace {

template <class Ends>
bool inside(const Spans<Ends>& spans, const Span<Ends>& a, const Rational& x) {
  const Ends& e = spans.ends();
  return (!e.is_bounded(a.lo) || value(e.exact(a.lo)) <= x) && (!e.is_bounded(a.hi) || x <= value(e.exact(a.hi)));
}

template <class Ends>
void check_spans(const std::string& name, const Ends& ends, Random& random) {
  CAPTURE(name);
  const Spans<Ends> spans(ends);
  const auto number = [&] { return random_rational(random, Rational(500), Rational(1, 500)); };
  for (int trial = 0; trial < 300; ++trial) {
    Rational lo[3], hi[3], x[3];
    Span<Ends> s[3], wider[3];
    for (int i = 0; i < 3; ++i) {
      lo[i] = number();
      hi[i] = number();
      if (lo[i] > hi[i]) std::swap(lo[i], hi[i]);
      if (random() % 4 == 0) lo[i] = hi[i];
      x[i] = lo[i] + (hi[i] - lo[i]) * Rational(static_cast<std::int64_t>(random() % 5), 4);
      s[i] = spans.from(lo[i], hi[i]);
      wider[i] = spans.from(lo[i] - Rational(static_cast<std::int64_t>(random() % 3), 7), hi[i]);
      if (random() % 8 == 0) wider[i].hi = ends.unbounded(false);
    }
    const auto holds = [&](const Span<Ends>& narrow, const Span<Ends>& wide, const Rational& point) {
      CHECK(inside(spans, narrow, point));
      CHECK(ends.compare(wide.lo, narrow.lo) <= 0);
      CHECK(ends.compare(narrow.hi, wide.hi) <= 0);
    };
    holds(spans.add(s[0], s[1]), spans.add(wider[0], wider[1]), x[0] + x[1]);
    holds(spans.negate(s[0]), spans.negate(wider[0]), -x[0]);
    holds(spans.multiply(s[0], s[1]), spans.multiply(wider[0], wider[1]), x[0] * x[1]);
    holds(spans.fused(s[0], s[1], s[2]), spans.fused(wider[0], wider[1], wider[2]), x[0] * x[1] + x[2]);
    if (x[1] != 0) holds(spans.divide(s[0], s[1]), spans.divide(wider[0], wider[1]), x[0] / x[1]);
    holds(spans.positive_part(s[0]), spans.positive_part(wider[0]), x[0] > 0 ? x[0] : Rational(0));
    holds(spans.negative_part(s[0]), spans.negative_part(wider[0]), x[0] < 0 ? x[0] : Rational(0));
    const Rational square = x[0] * x[0];
    const auto root = spans.square_root(spans.from(square));
    CHECK(inside(spans, root, x[0] < 0 ? Rational(-x[0]) : x[0]));
  }
}

}  // namespace

TEST_CASE("spans contain their points and are inclusion isotonic, in every family") {
  Random random(503);
  for (const char* name : {"e4m3fn", "e5m2", "e2m1", "bfloat16", "binary32", "binary128", "binary(15,200)",
                           "binary(12,300)", "decimal32", "decimal64", "posit8", "posit32", "binary8p3", "binary8p4",
                           "int8", "int8(scale=1/16)", "uint8", "mxfp8e5m2", "mxint8"})
    with_ends(parse_number_format(name), [&](const auto& ends) {
      check_spans(name, ends, random);
      return 0;
    });
}
