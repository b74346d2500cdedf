// Elementary functions at a point by the enclosures of formats/elementary; see functions.hpp. The last results are
// kept: boxes that are split share their corners.
#include <map>
#include <utility>

#include "bounds/roundoff/fpcore/functions.hpp"
#include "formats/elementary/functions.hpp"
#include "formats/error.hpp"

namespace outward::fpcore {
namespace {

constexpr std::size_t most_kept = 1 << 16;

double end_of(const Dyadic& x, int direction) {
  if (x.mantissa.is_zero()) return 0;
  if (direction < 0) return -end_of(negated(x), 1);
  const bool negative = x.mantissa.sign() < 0;
  const std::int64_t top = floor_log2(x);
  if (top > 1100) return negative ? -std::numeric_limits<double>::max() : infinity;
  if (top < -1200) return negative ? 0 : std::numeric_limits<double>::denorm_min();
  return round_up(to_rational(x));
}

}  // namespace

Span slow_at(Function function, double x) {
  thread_local std::map<std::pair<Function, double>, Span> kept;
  if (!(std::fabs(x) < infinity)) return everything;
  if (const auto entry = kept.find({function, x}); entry != kept.end()) return entry->second;
  Dyadic at;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  at.mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  at.exponent = exponent - 53;
  at = normalised(at);
  if (!in_domain(row_of(function).domain, at)) return everything;
  Span out = everything;
  try {
    const elementary::Enclosure value = elementary::enclose(function, at, 56);
    out = {value.lo_infinite ? -infinity : end_of(value.lo, -1), value.hi_infinite ? infinity : end_of(value.hi, 1)};
  } catch (const ResourceError&) {
  }
  if (kept.size() >= most_kept) kept.clear();
  kept.emplace(std::pair{function, x}, out);
  return out;
}

}  // namespace outward::fpcore
