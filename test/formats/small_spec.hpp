// Specification of formats of at most 8 bits, written apart from formats/: values are whole multiples of the least
// positive number; a result is rounded by looking up its two neighbours among the numbers of the format, continued
// beyond the greatest one; special cases are tables. Assumes 2 <= e <= 6 and 1 + e + f <= 8.
#pragma once
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <vector>

#include "formats/format.hpp"
#include "formats/rounding.hpp"

namespace small_spec {

using outward::Convention;
using outward::Flags;
using outward::Format;
using outward::Rounding;
using Wide = boost::multiprecision::uint512_t;

enum class Class { number, infinity, nan };

struct Number {
  Class kind = Class::number;
  bool negative = false;
  bool signalling = false;
  int payload = 0;
  std::uint64_t magnitude = 0;  // in units of the least positive number
};

struct Answer {
  int code = 0;
  Flags flags;
};

class Spec {
 public:
  explicit Spec(const Format& format) : format_(format), f_(format.fraction_bits), e_(format.exponent_bits) {
    half_ = 1 << (e_ + f_);
    for (int code = 0; code < 2 * half_; ++code) numbers_.push_back(decoded(code));
    // The magnitudes of the codes 0, 1, 2, ..., as if there were three more exponents; index = code.
    for (int code = 0; code < half_ + (3 << f_); ++code) {
      const int field = code >> f_, fraction = code & ((1 << f_) - 1);
      grid_.push_back(field == 0 ? Wide(fraction) : Wide((1 << f_) + fraction) << (field - 1));
    }
    const int reserved = format.convention == Convention::ieee ? 1 << f_ : format.convention == Convention::fn ? 1 : 0;
    greatest_ = half_ - 1 - reserved;
    unit_exponent_ = static_cast<int>(1 - format.bias) - f_;
  }

  const Number& number(int code) const { return numbers_[static_cast<std::size_t>(code)]; }
  int codes() const { return 2 * half_; }

  Answer add(int a, int b, bool subtract, Rounding rounding) const {
    Number x = number(a), y = number(b);
    if (x.kind == Class::nan || y.kind == Class::nan) return nan_of({x, y});
    if (subtract) y.negative = !y.negative;
    if (x.kind == Class::infinity || y.kind == Class::infinity) {
      if (x.kind == y.kind && x.negative != y.negative) return invalid();
      return infinite(x.kind == Class::infinity ? x.negative : y.negative, {});
    }
    if (x.magnitude == 0 && y.magnitude == 0)
      return zero(x.negative == y.negative ? x.negative : rounding == Rounding::down);
    const boost::multiprecision::int512_t left =
        x.negative ? -boost::multiprecision::int512_t(x.magnitude) : x.magnitude;
    const boost::multiprecision::int512_t right =
        y.negative ? -boost::multiprecision::int512_t(y.magnitude) : y.magnitude;
    const boost::multiprecision::int512_t total = left + right;
    if (total == 0) return zero(rounding == Rounding::down);
    return round_fraction(total < 0, Wide(abs(total)), 1, rounding);
  }

  Answer multiply(int a, int b, Rounding rounding) const {
    const Number &x = number(a), &y = number(b);
    if (x.kind == Class::nan || y.kind == Class::nan) return nan_of({x, y});
    const bool negative = x.negative != y.negative;
    const bool zero_x = is_zero(x), zero_y = is_zero(y);
    if (x.kind == Class::infinity || y.kind == Class::infinity)
      return zero_x || zero_y ? invalid() : infinite(negative, {});
    if (zero_x || zero_y) return zero(negative);
    return round_fraction(negative, Wide(x.magnitude) * y.magnitude * up(), down(), rounding);
  }

  Answer divide(int a, int b, Rounding rounding) const {
    const Number &x = number(a), &y = number(b);
    if (x.kind == Class::nan || y.kind == Class::nan) return nan_of({x, y});
    const bool negative = x.negative != y.negative;
    if (x.kind == Class::infinity) return y.kind == Class::infinity ? invalid() : infinite(negative, {});
    if (y.kind == Class::infinity) return zero(negative);
    if (is_zero(y)) {
      Flags flags;
      flags.divide_by_zero = true;
      return is_zero(x) ? invalid() : infinite(negative, flags);
    }
    if (is_zero(x)) return zero(negative);
    return round_fraction(negative, Wide(x.magnitude) * down(), Wide(y.magnitude) * up(), rounding);
  }

  Answer remainder(int a, int b) const {
    const Number &x = number(a), &y = number(b);
    if (x.kind == Class::nan || y.kind == Class::nan) return nan_of({x, y});
    if (x.kind == Class::infinity || is_zero(y)) return invalid();
    if (y.kind == Class::infinity || is_zero(x)) return round_exact(x.negative, x.magnitude);
    const std::uint64_t quotient = x.magnitude / y.magnitude, rest = x.magnitude % y.magnitude;
    const bool above = rest > y.magnitude - rest || (rest == y.magnitude - rest && quotient % 2 == 1);
    return round_exact(x.negative != above, above ? y.magnitude - rest : rest, x.negative);
  }

  Answer square_root(int a, Rounding rounding) const {
    const Number& x = number(a);
    if (x.kind == Class::nan) return nan_of({x});
    if (is_zero(x)) return zero(x.negative);
    if (x.negative) return invalid();
    if (x.kind == Class::infinity) return infinite(false, {});
    // (root / unit)^2 = magnitude / unit.
    const Wide n = Wide(x.magnitude) * down(), d = up();
    return round_with(
        false, [&](const Wide& p, unsigned shift) { return compared(n << (2 * shift), p * p * d); }, rounding);
  }

  Answer fused(int a, int b, int c, Rounding rounding) const {
    const Number &x = number(a), &y = number(b), &z = number(c);
    const bool product_invalid = (x.kind == Class::infinity && is_zero(y)) || (y.kind == Class::infinity && is_zero(x));
    if (x.kind == Class::nan || y.kind == Class::nan || z.kind == Class::nan) {
      Answer answer = nan_of({x, y, z});
      answer.flags.invalid |= product_invalid;
      return answer;
    }
    if (product_invalid) return invalid();
    const bool negative = x.negative != y.negative;
    if (x.kind == Class::infinity || y.kind == Class::infinity)
      return z.kind == Class::infinity && z.negative != negative ? invalid() : infinite(negative, {});
    if (z.kind == Class::infinity) return infinite(z.negative, {});
    const bool product_zero = is_zero(x) || is_zero(y);
    if (product_zero && is_zero(z)) return zero(negative == z.negative ? negative : rounding == Rounding::down);
    using Signed = boost::multiprecision::int512_t;
    Signed product = Signed(x.magnitude) * y.magnitude * Signed(up()), addend = Signed(z.magnitude) * Signed(down());
    if (negative) product = -product;
    if (z.negative) addend = -addend;
    const Signed total = product + addend;
    if (total == 0) return zero(rounding == Rounding::down);
    return round_fraction(total < 0, Wide(abs(total)), down(), rounding);
  }

  // less, equal, greater or unordered as -1, 0, 1, 2.
  int compare(int a, int b) const {
    const Number &x = number(a), &y = number(b);
    if (x.kind == Class::nan || y.kind == Class::nan) return 2;
    const auto key = [](const Number& n) {
      const boost::multiprecision::int256_t size =
          n.kind == Class::infinity ? boost::multiprecision::int256_t(1) << 200 : n.magnitude;
      return n.negative ? boost::multiprecision::int256_t(-size) : size;
    };
    return key(x) < key(y) ? -1 : key(x) > key(y) ? 1 : 0;
  }

  // The exact numerator/denominator, in units of the least positive number.
  Answer round_fraction(bool negative, const Wide& n, const Wide& d, Rounding rounding) const {
    return round_with(
        negative, [&](const Wide& p, unsigned shift) { return compared(n << shift, p * d); }, rounding);
  }

  bool is_zero(const Number& x) const { return x.kind == Class::number && x.magnitude == 0; }

 private:
  static int compared(const Wide& a, const Wide& b) { return a < b ? -1 : a > b ? 1 : 0; }
  Wide up() const { return unit_exponent_ > 0 ? Wide(1) << unit_exponent_ : Wide(1); }
  Wide down() const { return unit_exponent_ < 0 ? Wide(1) << -unit_exponent_ : Wide(1); }

  Number decoded(int code) const {
    Number x;
    x.negative = code >= half_;
    const int magnitude = code % half_, field = magnitude >> f_, fraction = magnitude & ((1 << f_) - 1);
    switch (format_.convention) {
      case Convention::ieee:
        if (field != (1 << e_) - 1) break;
        x.kind = fraction == 0 ? Class::infinity : Class::nan;
        if (x.kind == Class::nan) {
          x.signalling = fraction < 1 << (f_ - 1);
          x.payload = fraction & ((1 << (f_ - 1)) - 1);
        }
        return x;
      case Convention::fn:
        if (magnitude == half_ - 1) x.kind = Class::nan;
        break;
      case Convention::fnuz:
        if (code == half_) x = {Class::nan, false, false, 0, 0};
        break;
      default:
        break;
    }
    if (x.kind == Class::number)
      x.magnitude = field == 0 ? static_cast<std::uint64_t>(fraction)
                               : static_cast<std::uint64_t>((1 << f_) + fraction) << (field - 1);
    return x;
  }

  int with_sign(int magnitude, bool negative) const { return magnitude + (negative ? half_ : 0); }

  Answer zero(bool negative) const { return {with_sign(0, negative && format_.convention != Convention::fnuz), {}}; }

  int nan_code(bool negative, int payload) const {
    switch (format_.convention) {
      case Convention::ieee:
        return with_sign((((1 << (e_ + 1)) - 1) << (f_ - 1)) | payload, negative);
      case Convention::fn:
        return with_sign(half_ - 1, negative);
      case Convention::fnuz:
        return half_;
      default:
        return 0;
    }
  }

  Answer invalid() const {
    Answer answer{nan_code(false, 0), {}};
    answer.flags.invalid = true;
    return answer;
  }

  Answer nan_of(const std::vector<Number>& operands) const {
    const Number* chosen = nullptr;
    Answer answer;
    for (const Number& x : operands) {
      if (x.kind != Class::nan) continue;
      if (x.signalling) answer.flags.invalid = true;
      if (chosen == nullptr || (x.signalling && !chosen->signalling)) chosen = &x;
    }
    answer.code = nan_code(chosen->negative, chosen->payload);
    return answer;
  }

  // An infinite result of finite or infinite operands.
  Answer infinite(bool negative, Flags flags) const {
    switch (format_.convention) {
      case Convention::ieee:
        if (!format_.saturate) return {with_sign(((1 << e_) - 1) << f_, negative), flags};
        break;
      case Convention::fn:
        if (!format_.saturate) return {with_sign(half_ - 1, negative), flags};
        break;
      case Convention::fnuz:
        return {half_, flags};
      default:
        break;
    }
    if (!flags.divide_by_zero) flags.overflow = flags.inexact = true;
    return {with_sign(greatest_, negative), flags};
  }

  Answer round_exact(bool negative, std::uint64_t magnitude, bool zero_sign = false) const {
    if (magnitude == 0) return zero(zero_sign || negative);
    return round_fraction(negative, magnitude, 1, Rounding::nearest_even);
  }

  // Lower or upper neighbour (false, true)? middle: the number against the middle of the two.
  static bool takes_upper(Rounding rounding, bool negative, bool lower_odd, int middle) {
    switch (rounding) {
      case Rounding::nearest_even:
        return middle > 0 || (middle == 0 && lower_odd);
      case Rounding::nearest_away:
        return middle >= 0;
      case Rounding::toward_zero:
        return false;
      case Rounding::up:
        return !negative;
      case Rounding::down:
        return negative;
      case Rounding::to_odd:
        return !lower_odd;
    }
    return false;
  }

  // against(p, s): the order of the exact magnitude and p / 2^s units. The magnitude is not zero.
  template <class Against>
  Answer round_with(bool negative, const Against& against, Rounding rounding) const {
    std::size_t low = 0, high = grid_.size();  // the largest index whose number is not above
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (against(grid_[middle], 0) >= 0 ? low : high) = middle;
    }
    Answer answer;
    std::size_t chosen = low;
    if (low + 1 < grid_.size() && against(grid_[low], 0) != 0) {
      answer.flags.inexact = true;
      if (takes_upper(rounding, negative, low % 2 == 1, against(grid_[low] + grid_[low + 1], 1))) ++chosen;
      // Below the least normal number the grid of unbounded exponents is twice as fine, or more.
      const Wide normal = grid_[std::size_t{1} << f_];
      bool tiny = against(normal, 0) < 0;
      if (tiny && against(2 * normal - 1, 1) > 0)
        tiny = !takes_upper(rounding, negative, true, against(4 * normal - 1, 2));
      answer.flags.underflow = tiny;
    }
    const std::size_t greatest = static_cast<std::size_t>(greatest_);
    if (chosen > greatest) {
      answer.flags.overflow = answer.flags.inexact = true;
      answer.flags.underflow = false;
      const bool inward = rounding == Rounding::toward_zero || rounding == Rounding::to_odd ||
                          rounding == (negative ? Rounding::up : Rounding::down);
      answer.code = with_sign(greatest_, negative);
      if (inward || format_.saturate) return answer;
      if (format_.convention == Convention::ieee) answer.code = with_sign(((1 << e_) - 1) << f_, negative);
      if (format_.convention == Convention::fn) answer.code = with_sign(half_ - 1, negative);
      if (format_.convention == Convention::fnuz) answer.code = half_;
      return answer;
    }
    if (format_.flush && chosen != 0 && chosen < std::size_t{1} << f_) {
      answer.flags.underflow = answer.flags.inexact = true;
      chosen = 0;
    }
    answer.code = chosen == 0 ? zero(negative).code : with_sign(static_cast<int>(chosen), negative);
    return answer;
  }

  Format format_;
  int f_, e_, half_ = 0, greatest_ = 0, unit_exponent_ = 0;
  std::vector<Number> numbers_;
  std::vector<Wide> grid_;
};

}  // namespace small_spec
