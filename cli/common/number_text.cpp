#include "cli/common/number_text.hpp"

#include <algorithm>
#include <cstdint>

#include "formats/format.hpp"
#include "formats/vectors.hpp"

namespace outward::cli {

std::string bits_text(const NumberFormat& format, const Integer& code) {
  std::string digits = code.str(0, std::ios_base::hex);
  const std::size_t count = static_cast<std::size_t>((format.width() + 3) / 4);
  return "0x" + std::string(count - std::min(count, digits.size()), '0') + digits;
}

std::string exact_text(const ExactNumber& x) {
  if (x.kind == ExactNumber::Kind::nan) return "nan";
  if (x.kind == ExactNumber::Kind::infinite) return x.negative ? "-inf" : "inf";
  if (x.factor.is_zero()) return "0";
  constexpr std::int64_t most = 20000;
  if (x.exponent > most || x.exponent < -most - max_fraction_bits)
    return fraction_text(x.factor) + "*2^" + std::to_string(x.exponent);
  const Integer power = Integer(1) << static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
  return fraction_text(x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power));
}

std::vector<std::string> flag_words(const Flags& flags) {
  const std::string text = flags_text(flags);
  std::vector<std::string> words;
  for (std::size_t at = 0; text != "none" && at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace outward::cli
