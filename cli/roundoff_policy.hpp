// The options of `roundoff` that say what arithmetic is meant.
#pragma once
#include <string>

#include "bounds/roundoff/numerics.hpp"
#include "cli/roundoff_commands.hpp"

namespace outward::cli {

// --format, --accumulate, --order, --policy and --ulps. Throws UsageError and InputRefused.
roundoff::Arithmetic arithmetic_of(const RoundoffOptions& options);
// --ulps. Throws UsageError.
double ulps_of(const RoundoffOptions& options);
// A decimal number given to an option; rounded to nearest. Throws UsageError naming the option.
double option_number(const std::string& option, const std::string& text);
// "LO,HI", rounded outward. Throws UsageError naming the option.
std::pair<double, double> option_range(const std::string& option, const std::string& text);

}  // namespace outward::cli
