// FPCore 2.0 (fpbench.org) to Core: arguments, :precision, :round, :pre, let, let*, !, cast, arithmetic, elementary
// functions, constants. Assumes nothing. Promises: a program is understood whole or refused with every reason and its
// line and column; a condition of :pre that gives no range is dropped (a larger set of inputs) and noted.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bounds/roundoff/fpcore/core.hpp"

namespace outward::fpcore {

struct ParseOptions {
  std::string format;                                       // takes the place of :precision; "": as written
  std::vector<std::pair<std::string, std::string>> ranges;  // variable, "lo,hi": takes the place of :pre
  std::vector<std::string> only;                            // names of the cores that count; none: all
};

inline constexpr std::size_t most_variables = 200;
inline constexpr std::size_t most_nodes = 20000;

// Throws InputRefused with every blocker of every core that counts.
std::vector<Core> parse_cores(std::string_view text, const std::string& source, const ParseOptions& options = {});

}  // namespace outward::fpcore
