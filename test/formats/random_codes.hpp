// Random bit patterns of a binary format that favour boundaries: extreme and neighbouring exponents, sparse fractions.
#pragma once
#include <cstdint>
#include <random>

#include "formats/exact.hpp"
#include "formats/format.hpp"

namespace random_codes {

using outward::Format;
using outward::Integer;

inline Integer random_bits(std::mt19937_64& random, int bits) {
  Integer value = 0;
  for (int k = 0; k < bits; k += 64) value = (value << 64) | random();
  return value & ((Integer(1) << static_cast<unsigned>(bits)) - 1);
}

inline Integer fraction(std::mt19937_64& random, int bits) {
  const Integer ones = (Integer(1) << static_cast<unsigned>(bits)) - 1;
  const auto place = [&] { return static_cast<unsigned>(random() % static_cast<unsigned>(bits)); };
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return ones;
    case 2:
      return Integer(1) << place();
    case 3:
      return ones ^ (Integer(1) << place());
    case 4:
      return (Integer(1) << place()) | (random() % 4);
    case 5:
      return ones ^ (ones >> place());
    case 6: {  // runs of ones and zeros
      Integer runs = 0;
      for (unsigned from = place(), i = 0; from < static_cast<unsigned>(bits) && i < 20; from += 1 + place() / 4, ++i)
        runs ^= ones >> from;
      return runs;
    }
    default:
      return random_bits(random, bits) & ones;
  }
}

// A code; near: an exponent field the new one may be close to (so that sums cancel and overlap), negative for none.
inline Integer code(std::mt19937_64& random, const Format& format, std::int64_t near = -1) {
  const std::int64_t most = (std::int64_t{1} << format.exponent_bits) - 1;
  const auto spread = [&](std::int64_t width) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width));
  };
  std::int64_t field = 0;
  switch (random() % 8) {
    case 0:
      field = spread(3);
      break;
    case 1:
      field = most - spread(3);
      break;
    case 2:
      field = format.bias - 1 + spread(3);
      break;
    case 3:
      field = spread(most + 1);
      break;
    default:
      field = near < 0 ? format.bias + spread(9) - 4
                       : near + spread(2 * format.fraction_bits + 9) - format.fraction_bits - 4;
  }
  field = field < 0 ? 0 : field > most ? most : field;
  const unsigned f = static_cast<unsigned>(format.fraction_bits);
  Integer result = (Integer(field) << f) | fraction(random, format.fraction_bits);
  if (random() % 2 == 1) bit_set(result, f + static_cast<unsigned>(format.exponent_bits));
  return result;
}

inline std::int64_t exponent_field(const Format& format, const Integer& code) {
  const Integer field = (code >> static_cast<unsigned>(format.fraction_bits)) &
                        ((Integer(1) << static_cast<unsigned>(format.exponent_bits)) - 1);
  return static_cast<std::int64_t>(field);
}

}  // namespace random_codes
