// Rounding directions and status flags, shared by every number format.
#pragma once

namespace outward {

// IEEE 754-2019 section 4.3, and rounding to odd (inexact results take the neighbour whose last bit is 1), which makes
// a second rounding to two or more bits fewer innocuous.
enum class Rounding { nearest_even, nearest_away, toward_zero, up, down, to_odd };

// Whether a truncated magnitude of this sign goes to the next one. odd: of its last bit; half: the first bit lost;
// rest: anything below that.
inline bool increments(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::nearest_even:
      return half && (rest || odd);
    case Rounding::nearest_away:
      return half;
    case Rounding::toward_zero:
      return false;
    case Rounding::up:
      return !negative && (half || rest);
    case Rounding::down:
      return negative && (half || rest);
    case Rounding::to_odd:
      return !odd && (half || rest);
  }
  return false;
}

// The five exceptions of IEEE 754-2019 section 7 as data. Operations add to them, nothing clears them.
struct Flags {
  bool invalid = false, divide_by_zero = false, overflow = false, underflow = false, inexact = false;

  Flags& operator|=(const Flags& other) {
    invalid |= other.invalid;
    divide_by_zero |= other.divide_by_zero;
    overflow |= other.overflow;
    underflow |= other.underflow;
    inexact |= other.inexact;
    return *this;
  }
  bool operator==(const Flags&) const = default;
};

}  // namespace outward
