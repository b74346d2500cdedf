// Ranges of variables out of the condition :pre. Assumes nothing. Promises: every point that satisfies the condition
// lies in the ranges.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bounds/roundoff/fpcore/constants.hpp"

namespace outward::fpcore {

struct RealRange {
  std::optional<Rational> lo, hi;
};
using Ranges = std::map<std::string, RealRange, std::less<>>;

// Narrows `ranges` (one entry for each variable) by the condition; notes what gives no range.
void narrow(const Sexp& condition, Ranges& ranges, std::vector<std::string>& notes);

// "lo,hi" of the command line: decimals, hexadecimal numbers or fractions. nullopt when malformed or lo > hi.
std::optional<std::pair<Rational, Rational>> range_of_text(const std::string& text);

}  // namespace outward::fpcore
