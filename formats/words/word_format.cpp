// Formats of one machine word: see the header. The hardware is asked only where the result is far from both ends of the
// exponent range, so that overflow and underflow cannot happen and the rounding error is a number of the format.
#include "formats/words/word_format.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outward {
namespace {

// Rounding to nearest, no flush to zero, subnormal operands taken as they are.
bool default_modes() {
#ifdef __SSE2__
  return (_mm_getcsr() & 0xe040U) == 0;
#else
  return false;
#endif
}

using Word = std::uint64_t;
constexpr Word sign_bit = Word{1} << 63;

Word bits_of(double x) { return std::bit_cast<Word>(x); }

// Magnitudes from 2^-450 to 2^450: products, quotients and rounding errors of such numbers are normal numbers.
bool safe(double x) { return (bits_of(x) >> 52 & 0x7ff) - (1023 - 450) < 900; }

// What a + b leaves of s = fl(a + b), exactly (Knuth, 4.2.2, theorem B).
double rest_of_sum(double a, double b, double s) {
  const double part = s - a;
  return (a - (s - part)) + (b - part);
}

// The bits of s + rest rounded to odd, s to nearest.
Word odd_bits(double s, double rest) {
  Word bits = bits_of(s);
  if (rest != 0 && (bits & 1) == 0) bits += ((bits_of(rest) ^ bits) & sign_bit) == 0 ? Word{1} : ~Word{0};
  return bits;
}

}  // namespace

WordFormat::WordFormat(const Format& format) : fixed_(format) {
  if (format.width() > 64) throw std::logic_error("WordFormat: the format is wider than a word");
  fraction_bits_ = format.fraction_bits;
  sign_place_ = format.exponent_bits + format.fraction_bits;
  fields_ = std::uint64_t{1} << format.exponent_bits;
  plain_below_ = format.convention == Convention::scale    ? 0
                 : format.convention == Convention::finite ? fields_
                                                           : fields_ - 1;
  bias_ = format.bias;
  static const Format twice = binary(11, 52);
  const bool plain = format.convention != Convention::scale && plain_below_ > 4 && !format.saturate && !format.flush;
  if (format == twice) hardware_ = Hardware::double_width;
  if (plain && format.precision() <= 25 && format.exponent_bits <= 9 && std::abs(bias_) <= 300) {
    hardware_ = Hardware::narrow;
    const int shift = 52 - fraction_bits_;
    const Word rebias = static_cast<Word>(1023 - bias_), unit = Word{1} << shift;
    narrow_ = {shift,
               63 - sign_place_,
               (Word{1} << sign_place_) - 1,
               Word{1} << fraction_bits_,
               (plain_below_ - 1) << fraction_bits_,
               rebias << 52,
               unit - 1,
               unit / 2 - 1,
               rebias << fraction_bits_,
               Word{2} << fraction_bits_,
               (plain_below_ - 3) << fraction_bits_};
  }
}

Fixed<1> WordFormat::decode(std::uint64_t bits) const {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits_) - 1);
  const std::uint64_t field = (bits >> fraction_bits_) & (fields_ - 1);
  const bool negative = sign_place_ < 64 && (bits >> sign_place_ & 1) != 0;
  if (field != 0 && field < plain_below_)
    return {ValueKind::finite,
            negative,
            static_cast<std::int64_t>(field) - bias_,
            {std::uint64_t{1} << 63 | fraction << (63 - fraction_bits_)}};
  if (field == 0 && fraction != 0 && plain_below_ != 0) {
    const int zeros = std::countl_zero(fraction);
    return {ValueKind::finite, negative, 63 - zeros + 1 - bias_ - fraction_bits_, {fraction << zeros}};
  }
  return fixed_.number(outward::decode(fixed_.format(), Integer(bits)));
}

std::uint64_t WordFormat::encode(const Fixed<1>& value) const {
  if (value.kind == ValueKind::finite && value.exponent > -bias_ && plain_below_ != 0)
    return (value.negative ? std::uint64_t{1} << sign_place_ : 0) |
           (static_cast<std::uint64_t>(value.exponent + bias_) << fraction_bits_) |
           ((value.words[0] << 1) >> (64 - fraction_bits_));
  return static_cast<std::uint64_t>(outward::encode(fixed_.format(), fixed_.value(value)));
}

[[gnu::always_inline]] inline bool WordFormat::native(Rounding rounding) const {
  return hardware_ != Hardware::none && rounding == Rounding::nearest_even && default_modes();
}

[[gnu::always_inline]] inline bool WordFormat::widen(Word code, double& x) const {
  const Word magnitude = code & narrow_.magnitude;
  if (magnitude - narrow_.normal_from >= narrow_.normal_count) return false;
  x = std::bit_cast<double>(((magnitude << narrow_.shift) + narrow_.rebias) | (code << narrow_.sign_shift & sign_bit));
  return true;
}

[[gnu::always_inline]] inline bool WordFormat::narrow(Word bits, Word& code, Flags& flags) const {
  const Word magnitude = bits & ~sign_bit;
  const Word rounded = (magnitude + narrow_.below_half + (magnitude >> narrow_.shift & 1)) >> narrow_.shift;
  const Word out = rounded - narrow_.rebias_code;
  // Neither the least exponent, whose numbers may come from below it, nor the greatest.
  if (out - narrow_.decided_from >= narrow_.decided_count) return false;
  code = out | (bits & sign_bit) >> narrow_.sign_shift;
  flags.inexact = flags.inexact | ((magnitude & narrow_.rest) != 0);
  return true;
}

[[gnu::always_inline]] inline bool WordFormat::native_sum(Word a, Word b, Word sign, Word& code, Flags& flags) const {
  if (hardware_ == Hardware::narrow) {
    double x = 0, y = 0;
    if (!widen(a, x) || !widen(b ^ sign * (narrow_.magnitude + 1), y)) return false;
    const double s = x + y;
    return narrow(odd_bits(s, rest_of_sum(x, y, s)), code, flags);
  }
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b ^ sign << 63), s = x + y;
  if (!safe(x) | !safe(y) | !safe(s)) return false;
  flags.inexact = flags.inexact | (rest_of_sum(x, y, s) != 0);
  code = bits_of(s);
  return true;
}

[[gnu::always_inline]] inline bool WordFormat::native_product(Word a, Word b, Word& code, Flags& flags) const {
  if (hardware_ == Hardware::narrow) {
    double x = 0, y = 0;
    return widen(a, x) && widen(b, y) && narrow(bits_of(x * y), code, flags);
  }
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), p = x * y;
  if (!safe(x) | !safe(y) | !safe(p)) return false;
  flags.inexact = flags.inexact | (std::fma(x, y, -p) != 0);
  code = bits_of(p);
  return true;
}

// Rounding a quotient or a root to 53 bits first changes nothing (Figueroa: 53 >= 2 * 25 + 2), not even whether it is
// exact: what is no number of p bits lies further than 2^(-2 p - 1) from every one.
[[gnu::always_inline]] inline bool WordFormat::native_quotient(Word a, Word b, Word& code, Flags& flags) const {
  if (hardware_ == Hardware::narrow) {
    double x = 0, y = 0;
    return widen(a, x) && widen(b, y) && narrow(bits_of(x / y), code, flags);
  }
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), q = x / y;
  if (!safe(x) | !safe(y) | !safe(q)) return false;
  flags.inexact = flags.inexact | (std::fma(q, y, -x) != 0);
  code = bits_of(q);
  return true;
}

[[gnu::always_inline]] inline bool WordFormat::native_root(Word a, Word& code, Flags& flags) const {
  if (hardware_ == Hardware::narrow) {
    double x = 0;
    return widen(a, x) && x > 0 && narrow(bits_of(std::sqrt(x)), code, flags);
  }
  const double x = std::bit_cast<double>(a);
  if (!(x > 0) || !safe(x)) return false;
  const double r = std::sqrt(x);
  flags.inexact = flags.inexact | (std::fma(r, r, -x) != 0);
  code = bits_of(r);
  return true;
}

[[gnu::always_inline]] inline bool WordFormat::native_fused(Word a, Word b, Word c, Word& code, Flags& flags) const {
  if (hardware_ == Hardware::narrow) {
    double x = 0, y = 0, z = 0;
    if (!widen(a, x) || !widen(b, y) || !widen(c, z)) return false;
    const double p = x * y, s = p + z;  // the product is exact
    return narrow(odd_bits(s, rest_of_sum(p, z, s)), code, flags);
  }
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), z = std::bit_cast<double>(c);
  const double p = x * y, r = std::fma(x, y, z);
  if (!safe(x) | !safe(y) | !safe(z) | !safe(p) | !safe(r)) return false;
  // The error of the result is gamma + rest, both exact (ErrFma: Boldo and Muller, IEEE Trans. Comp. 60(2), 2011).
  const double low = std::fma(x, y, -p), sum = z + low, rest = rest_of_sum(z, low, sum);
  const double high = p + sum, gamma = (high - r) + rest_of_sum(p, sum, high);
  flags.inexact = flags.inexact | (gamma + rest != 0);
  code = bits_of(r);
  return true;
}

// Apart, so that the path by the hardware saves no registers for it.
template <auto operation, class... Codes>
[[gnu::noinline]] Word WordFormat::by_words(Rounding rounding, Flags& flags, Codes... codes) const {
  return encode((fixed_.*operation)(decode(codes)..., rounding, flags));
}

Word WordFormat::add(Word a, Word b, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_sum(a, b, 0, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::add>(rounding, flags, a, b);
}

Word WordFormat::subtract(Word a, Word b, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_sum(a, b, 1, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::subtract>(rounding, flags, a, b);
}

Word WordFormat::multiply(Word a, Word b, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_product(a, b, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::multiply>(rounding, flags, a, b);
}

Word WordFormat::divide(Word a, Word b, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_quotient(a, b, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::divide>(rounding, flags, a, b);
}

Word WordFormat::square_root(Word a, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_root(a, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::square_root>(rounding, flags, a);
}

Word WordFormat::fused_multiply_add(Word a, Word b, Word c, Rounding rounding, Flags& flags) const {
  Word code = 0;
  if (native(rounding) && native_fused(a, b, c, code, flags)) [[likely]]
    return code;
  return by_words<&FixedArithmetic<1>::fused_multiply_add>(rounding, flags, a, b, c);
}

OperationTable::OperationTable(const Format& format, Operation operation, Rounding rounding) : width_(format.width()) {
  const auto generic = parse_number_format(format_text(format));
  bool binary_operation = false;
  for (const OperationRow& row : operation_table())
    binary_operation = binary_operation || (row.operation == operation && row.operands == 2);
  if (width_ > 8 || !binary_operation) throw std::logic_error("OperationTable: at most 8 bits and two operands");
  const int codes = 1 << width_;
  for (int a = 0; a < codes; ++a) {
    for (int b = 0; b < codes; ++b) {
      Flags flags;
      const std::array<Integer, 2> operands{a, b};
      const Integer result = generic->apply(operation, operands, rounding, flags);
      const int bits = (flags.inexact ? 1 : 0) | (flags.underflow ? 2 : 0) | (flags.overflow ? 4 : 0) |
                       (flags.divide_by_zero ? 8 : 0) | (flags.invalid ? 16 : 0);
      entries_.push_back({static_cast<std::uint8_t>(result), static_cast<std::uint8_t>(bits)});
    }
  }
}

void OperationTable::add_flags(std::uint8_t bits, Flags& flags) {
  flags |= {(bits & 16) != 0, (bits & 8) != 0, (bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0};
}

}  // namespace outward
