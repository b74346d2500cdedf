// How the programs print numbers of any format.
#pragma once
#include <string>
#include <vector>

#include "formats/number_format.hpp"

namespace outward::cli {

// The code as "0x…", as many digits as the width of the format needs.
std::string bits_text(const NumberFormat& format, const Integer& code);

// "5/16", "3*2^-70000" where no fraction could be written; infinities and NaNs by name.
std::string exact_text(const ExactNumber& x);

// The names of the raised flags, in the order of IEEE 754 section 7.
std::vector<std::string> flag_words(const Flags& flags);

}  // namespace outward::cli
