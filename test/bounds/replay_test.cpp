// Decimals for the input of a counterexample: inside the box, next to the point that was found.
#include "bounds/replay.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "formats/directed.hpp"

using namespace outward;

namespace {

InputRange range(const char* lo, const char* hi, bool lo_strict = false, bool hi_strict = false) {
  InputRange r;
  r.lo = *parse_decimal(lo), r.hi = *parse_decimal(hi);
  r.lo_strict = lo_strict, r.hi_strict = hi_strict;
  return r;
}

// The decimal for x as a number; NaN if there is none.
double near(double x, const InputRange& r, ElementType element = ElementType::binary32) {
  const auto text = decimals_near({x}, {r}, element);
  return text ? std::stod(text->at(0)) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

// The shortest decimal of binary32 0.1, "0.1", lies below a box that starts between the two. The point was once moved
// to the other end of the box, where the network may do anything: a counterexample that had been found was lost.
TEST_CASE("a point whose decimal leaves the box goes to the end on which it left") {
  CHECK(near(0.1f, range("0.100000001", "1")) < 0.1001);
  CHECK(near(-0.1f, range("-1", "-0.100000001")) > -0.1001);
  CHECK(near(0.1f, range("0.1000000015", "1")) < 0.1001);
  CHECK(near(-5, range("0.25", "1")) == 0.25);
  CHECK(near(5, range("0.25", "1")) == 1);
  CHECK(near(0.5, range("0.25", "1")) == 0.5);
}

TEST_CASE("infinities go to their own end, open ends are not touched, a point is its own") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(near(infinity, range("0.25", "1")) == 1);
  CHECK(near(-infinity, range("0.25", "1")) == 0.25);
  CHECK(near(1e300, range("-3", "1")) == 1);
  const double low = near(-5, range("0.25", "1", true));
  CHECK(low > 0.25);
  CHECK(low < 0.252);
  const double high = near(5, range("0.25", "1", false, true));
  CHECK(high < 1);
  CHECK(high > 0.998);
  CHECK(near(7, range("0.1", "0.1")) == 0.1);
  CHECK_FALSE(decimals_near({0.5}, {range("1", "1", true)}, ElementType::binary32));
}
