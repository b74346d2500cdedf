// Compact exact numbers for large property files: most decimals fit in a 64-bit mantissa.
// Promises: equal values have equal Numbers of one pool, and comparison is exact.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/exact.hpp"

namespace outward::vnnlib {

// mantissa / 10^scale with the least scale in 0 … 18 and |mantissa| < 10^18; or, with scale = pooled, the pool's
// entry number mantissa. A value that fits the first form is never pooled.
struct Number {
  static constexpr std::int32_t pooled = -1;
  std::int64_t mantissa = 0;
  std::int32_t scale = 0;
  bool operator==(const Number&) const = default;
};

enum class NumberStatus { ok, malformed, over_limit };

class NumberPool {
 public:
  // over_limit: a syntactically right number with too many digits, too great an exponent, or a full pool.
  NumberStatus parse(std::string_view text, Number& result);
  // False if the pool is full.
  [[nodiscard]] bool add(const Rational& value, Number& result);
  Rational value(const Number& number) const;
  // Sign of a - b.
  int compare(const Number& a, const Number& b) const;

 private:
  std::vector<Rational> values_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  std::uint64_t bytes_ = 0;
};

// Does the text have the form of a decimal number, whatever its size?
bool looks_like_decimal(std::string_view text);

// Bits of numerator and denominator together.
std::uint64_t bits_of(const Rational& value);

}  // namespace outward::vnnlib
