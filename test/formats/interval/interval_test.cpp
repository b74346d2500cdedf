// Intervals against exact rationals: every pair of intervals of e2m1, random pairs of e2m3, e3m2 and e4m3fn; failures
// instead of saturation; non-monotone functions at their extreme points.
#include "formats/interval/interval.hpp"

#include <doctest/doctest.h>

#include <random>

#include "formats/error.hpp"
#include "formats/text.hpp"

using namespace outward;

namespace {

struct Exactly {  // the exact result of an operation
  Rational lo, hi;
};

std::vector<Value> finite_values(const Format& format) {
  std::vector<Value> out;
  for (unsigned code = 0; code < (1U << format.width()); ++code) {
    const Value v = decode(format, code);
    if (v.is_finite() && !(v.kind == ValueKind::zero && v.negative)) out.push_back(v);
  }
  std::sort(out.begin(), out.end(), [](const Value& a, const Value& b) { return to_rational(a) < to_rational(b); });
  return out;
}

// The least interval of sorted values around [lo, hi], or nothing: by search, apart from any rounding code.
std::optional<Exactly> least_around(const std::vector<Rational>& grid, const Exactly& x) {
  const auto above = std::lower_bound(grid.begin(), grid.end(), x.hi);
  const auto below = std::upper_bound(grid.begin(), grid.end(), x.lo);
  if (above == grid.end() || below == grid.begin()) return std::nullopt;
  return Exactly{*(below - 1), *above};
}

Exactly corners(const Rational& a, const Rational& b, const Rational& c, const Rational& d) {
  return {std::min({a, b, c, d}), std::max({a, b, c, d})};
}

template <class Operation>
std::optional<Interval> attempt(Operation operation) {
  try {
    return operation();
  } catch (const EnclosureFailure&) {
    return std::nullopt;
  }
}

long checked = 0, failed = 0;

void compare_with(const std::vector<Rational>& grid, const std::optional<Interval>& got, const Exactly& exact,
                  const char* name) {
  const auto want = least_around(grid, exact);
  ++checked;
  failed += want ? 0 : 1;
  REQUIRE_MESSAGE(got.has_value() == want.has_value(), std::string(name));
  if (!want) return;
  const bool equal = to_rational(got->lower()) == want->lo && to_rational(got->upper()) == want->hi;
  CHECK_MESSAGE(
      equal, std::string(name) << " of exact [" << fraction_text(exact.lo) << ", " << fraction_text(exact.hi) << "]");
}

void compare_pair(const Format& format, const std::vector<Rational>& grid, const Interval& a, const Interval& b) {
  const Rational p = to_rational(a.lower()), q = to_rational(a.upper());
  const Rational r = to_rational(b.lower()), s = to_rational(b.upper());
  compare_with(grid, attempt([&] { return add(format, a, b); }), {p + r, q + s}, "add");
  compare_with(grid, attempt([&] { return subtract(format, a, b); }), {p - s, q - r}, "subtract");
  compare_with(grid, attempt([&] { return multiply(format, a, b); }), corners(p * r, p * s, q * r, q * s), "multiply");
  const Exactly product = corners(p * r, p * s, q * r, q * s);
  compare_with(grid, attempt([&] { return fused_multiply_add(format, a, b, a); }), {product.lo + p, product.hi + q},
               "fused_multiply_add");
  compare_with(grid, minimum(a, b), {std::min(p, r), std::min(q, s)}, "minimum");
  compare_with(grid, maximum(a, b), {std::max(p, r), std::max(q, s)}, "maximum");
  if (r > 0 || s < 0) {
    compare_with(grid, attempt([&] { return divide(format, a, b); }), corners(p / r, p / s, q / r, q / s), "divide");
  } else if ((p != 0 || q != 0) && (r != 0 || s != 0)) {
    CHECK_THROWS_AS(divide(format, a, b), EnclosureFailure);  // unbounded, and the format has no infinity
  }
}

void compare_single(const Format& format, const std::vector<Rational>& grid, const Interval& a) {
  const Rational p = to_rational(a.lower()), q = to_rational(a.upper());
  const Exactly square = p <= 0 && q >= 0 ? Exactly{0, std::max(p * p, q * q)} : corners(p * p, p * p, q * q, q * q);
  compare_with(grid, attempt([&] { return power(format, a, 2); }), square, "square");
  compare_with(grid, attempt([&] { return power(format, a, 3); }), {p * p * p, q * q * q}, "cube");
  compare_with(grid, negate(format, a), {-q, -p}, "negate");
  if (q < 0) {
    CHECK(square_root(format, a).is_empty());
    return;
  }
  const Interval root =
      square_root(format, a);  // the greatest grid number with a square below, the least with one above
  const Rational lo = to_rational(root.lower()), hi = to_rational(root.upper());
  CHECK(lo * lo <= std::max(p, Rational(0)));
  CHECK(hi * hi >= q);
  const auto next = std::upper_bound(grid.begin(), grid.end(), lo);
  if (next != grid.end()) CHECK(*next * *next > std::max(p, Rational(0)));
  const auto before = std::lower_bound(grid.begin(), grid.end(), hi);
  if (hi > 0) CHECK(*(before - 1) * *(before - 1) < q);
}

}  // namespace

TEST_CASE("interval arithmetic of small formats is the least enclosure of exact rationals, or fails") {
  checked = failed = 0;
  std::mt19937_64 random(41);
  for (const char* name : {"e2m1", "e2m3", "e3m2", "e4m3fn"}) {
    const Format format = parse_format(name);
    const std::vector<Value> values = finite_values(format);
    std::vector<Rational> grid;
    for (const Value& v : values) grid.push_back(to_rational(v));
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i; j < values.size(); ++j) intervals.emplace_back(values[i], values[j]);
    const std::size_t all = intervals.size() * intervals.size();
    for (const Interval& a : intervals) compare_single(format, grid, a);
    if (all < 20000) {
      for (const Interval& a : intervals)
        for (const Interval& b : intervals) compare_pair(format, grid, a, b);
    } else {
      for (int i = 0; i < 8000; ++i)
        compare_pair(format, grid, intervals[random() % intervals.size()], intervals[random() % intervals.size()]);
    }
  }
  std::printf("small intervals: %ld operations, of which %ld have no enclosure and fail\n", checked, failed);
  CHECK(failed > 1000);
}

TEST_CASE("functions over intervals contain the function at sampled points and are tight at the ends") {
  std::mt19937_64 random(43);
  const Format formats[] = {binary(5, 10), binary(8, 7), binary(15, 112)};
  for (const Format& format : formats)
    for (const FunctionRow& row : function_table())
      for (int i = 0; i < 40; ++i) {
        Flags flags;
        const auto draw = [&] {
          const Rational x(static_cast<std::int64_t>(random() % 4001) - 2000,
                           1 + static_cast<std::int64_t>(random() % 900));
          return round(format, row.domain == Domain::within_one || row.domain == Domain::inside_one ? x / 2001 : x,
                       Rounding::nearest_even, flags);
        };
        Value a = draw(), b = draw();
        if (to_rational(a) > to_rational(b)) std::swap(a, b);
        CAPTURE(std::string(row.name));
        CAPTURE(hexadecimal_text(a));
        CAPTURE(hexadecimal_text(b));
        const Interval image = apply(format, row.function, {a, b});
        bool touches_lo = false, touches_hi = false;
        for (int k = 0; k <= 8; ++k) {
          const Value x = round(format, to_rational(a) + (to_rational(b) - to_rational(a)) * Rational(k, 8),
                                Rounding::nearest_even, flags);
          if (!in_domain(row.domain, dyadic_of(x))) continue;
          const Value down = elementary_function(format, row.function, x, Rounding::down, flags);
          const Value up = elementary_function(format, row.function, x, Rounding::up, flags);
          REQUIRE_FALSE(image.is_empty());
          CHECK(subset(Interval(down, up), image));
          touches_lo |= identical(down, image.lower());
          touches_hi |= identical(up, image.upper());
        }
        if (image.is_empty() || row.domain != Domain::all) continue;
        if (row.shape == Shape::increasing || row.shape == Shape::decreasing) CHECK((touches_lo && touches_hi));
      }
}

TEST_CASE("extreme points inside an interval are enclosed") {
  const Format f64;
  Flags flags;
  const auto at = [&](const char* lo, const char* hi) {
    return Interval(*parse_value(f64, lo, Rounding::nearest_even, flags),
                    *parse_value(f64, hi, Rounding::nearest_even, flags));
  };
  const auto text = [](const Interval& x) { return hexadecimal_text(x.lower()) + " " + hexadecimal_text(x.upper()); };
  // Least values: silu -0.27846454276107380 (= -W(1/e)), gelu -0.16997120747990366
  const std::pair<Function, const char*> least[] = {{Function::silu, "-0.278464542761073795109358739022"},
                                                    {Function::gelu, "-0.169971207479903661693868470982"},
                                                    {Function::hard_swish, "-0.375"}};
  for (const auto& [function, value] : least) {
    const Interval image = apply(f64, function, at("-3", "1"));
    const Value want = *parse_value(f64, value, Rounding::down, flags);
    CHECK(identical(image.lower(), want));
  }
  CHECK(text(apply(f64, Function::sin, at("1", "2"))).find(" 0x1p+0") != std::string::npos);
  CHECK(same(apply(f64, Function::sin, at("0", "1e6")), at("-1", "1")));
  CHECK(same(apply(f64, Function::cos, at("-1", "1")), at("0x1.14a280fb5068bp-1", "1")));
  CHECK(same(apply(f64, Function::sin, at("0x1.8p+1023", "inf")), at("-1", "1")));
  CHECK(same(apply(f64, Function::tan, at("1", "2")), entire(f64)));
  CHECK(apply(f64, Function::log, at("-2", "0")).is_empty());
}

TEST_CASE("formats without outward rounding are refused, and nothing saturates") {
  CHECK_THROWS_AS(require_interval_format(parse_format("e8m0")), InputRefused);
  CHECK_THROWS_AS(require_interval_format(parse_format("binary(5, 10, flush)")), InputRefused);
  Flags flags;
  for (const char* name : {"e4m3fn", "e4m3fnuz", "e3m2", "e5m2(saturate)"}) {
    const Format format = parse_format(name);
    const Value top = greatest_finite(format);
    const Interval x{zero_of(format, false), top};
    CHECK_THROWS_AS(add(format, x, x), EnclosureFailure);
    CHECK_THROWS_AS(subtract(format, negate(format, x), x), EnclosureFailure);
    CHECK_THROWS_AS(apply(format, Function::exp, x), EnclosureFailure);
    CHECK_THROWS_AS(apply(format, Function::log, x), EnclosureFailure);  // a pole at 0
    CHECK_THROWS_AS(entire(format), EnclosureFailure);
    CHECK_THROWS_AS(enclose(format, Rational(0), Rational(Integer(1) << 20)), EnclosureFailure);
    CHECK(same(apply(format, Function::tanh, x), enclose(format, 0, 1)));
  }
}
