#include "runtime/cpu/element_functions.hpp"

#include <bit>
#include <cmath>

#include "formats/error.hpp"

namespace outward {
namespace {

const Format single_format{8, 23, 127, Convention::ieee}, double_format{11, 52, 1023, Convention::ieee};
const Format wide_format{15, 112, 16383, Convention::ieee};  // of enclosures that are rounded once more

const Format& format_of(ElementType element) {
  return element == ElementType::binary32 ? single_format : double_format;
}

Value value_of_double(double x) { return decode(double_format, Integer(std::bit_cast<std::uint64_t>(x))); }

// Of a value that is a number of the element type, an infinity or NaN.
double double_of(const Value& x, ElementType element) {
  const Integer code = encode(format_of(element), x);
  return element == ElementType::binary32 ? static_cast<double>(std::bit_cast<float>(code.convert_to<std::uint32_t>()))
                                          : std::bit_cast<double>(code.convert_to<std::uint64_t>());
}

// The functions of one operation, which is exact or rounded once by the machine.
double by_machine(ElementFunction function, double x, ElementType element) {
  switch (function) {
    case ElementFunction::sqrt:
      return element == ElementType::binary32 ? static_cast<double>(std::sqrt(static_cast<float>(x))) : std::sqrt(x);
    case ElementFunction::floor:
      return std::floor(x);
    case ElementFunction::ceil:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// The function is defined at every point between the ends.
bool is_defined(ElementFunction function, const Interval& x) {
  if (!x.is_bounded() || x.is_empty()) return false;
  const std::optional<Function> elementary = row_of(function).elementary;
  if (!elementary) return function != ElementFunction::sqrt || !x.lower().negative || x.lower().kind == ValueKind::zero;
  const Domain domain = row_of(*elementary).domain;  // an interval
  return in_domain(domain, dyadic_of(x.lower())) && in_domain(domain, dyadic_of(x.upper()));
}

// The distance of numbers around |x| in the format.
Rational ulp_at(const Rational& x, const Format& format) {
  const int least = 2 - (1 << (format.exponent_bits - 1)) - static_cast<int>(format.fraction_bits);
  if (x.is_zero()) return exact(std::ldexp(1.0, least));
  const Rational size = abs(x);
  auto e = static_cast<long>(msb(numerator(size))) - static_cast<long>(msb(denominator(size)));
  const auto power = [](long p) {
    const Integer one = 1;
    return p < 0 ? Rational(one, one << static_cast<unsigned>(-p)) : Rational(one << static_cast<unsigned>(p));
  };
  if (size < power(e)) --e;
  return power(std::max<long>(e - static_cast<long>(format.fraction_bits), least));
}

// The least number of the element type at or above x; the greatest one at or below.
double number_above(const Rational& x, ElementType element) {
  Flags flags;
  return double_of(round(format_of(element), x, Rounding::up, flags), element);
}
double number_below(const Rational& x, ElementType element) {
  Flags flags;
  return double_of(round(format_of(element), x, Rounding::down, flags), element);
}

}  // namespace

double evaluate(ElementFunction function, double x, ElementType element) {
  const std::optional<Function> elementary = row_of(function).elementary;
  if (!elementary) return by_machine(function, x, element);
  if (std::isnan(x)) return x;
  Flags flags;
  const Value value =
      elementary_function(format_of(element), *elementary, value_of_double(x), Rounding::nearest_even, flags);
  return double_of(value, element);
}

namespace {

bool is_in(Domain domain, const Rational& x) {
  switch (domain) {
    case Domain::all:
      return true;
    case Domain::positive:
      return x > 0;
    case Domain::above_minus_one:
      return x > -1;
    case Domain::from_one:
      return x >= 1;
    case Domain::within_one:
      return abs(x) <= 1;
    case Domain::inside_one:
      return abs(x) < 1;
  }
  return false;
}

// The function at a number, rounded into the format: enclosures of growing precision until both ends round alike (Ziv
// 1991), as elementary_function does for binary formats.
Integer rounded_at(Function function, const Rational& x, const NumberFormat& format, Rounding rounding, Flags& flags) {
  const auto code = [&](const Dyadic& end, Flags& into) {
    return format.from_exact({ExactNumber::Kind::number, end.mantissa < 0, Rational(end.mantissa), end.exponent},
                             rounding, into);
  };
  for (elementary::Bits bits = format.width() + 32; bits <= 4096; bits *= 2) {
    const elementary::Enclosure y = elementary::enclose(function, x, bits);
    if (y.lo_infinite || y.hi_infinite) break;
    Flags below = flags, above = flags;
    const Integer low = code(y.lo, below);
    if (low != code(y.hi, above)) continue;
    flags = below;
    return low;
  }
  throw ResourceError(std::string("the rounding of ") + row_of(function).name + " into " + format.text() +
                      " stays undecided");
}

}  // namespace

Integer evaluate(ElementFunction function, const Integer& code, const NumberFormat& format, Rounding rounding,
                 Flags& flags) {
  const auto operation = [&](Operation what, Rounding how) {
    return format.apply(what, std::span(&code, 1), how, flags);
  };
  switch (function) {
    case ElementFunction::sqrt:
      return operation(Operation::square_root, rounding);
    case ElementFunction::floor:
      return operation(Operation::round_to_integral, Rounding::down);
    case ElementFunction::ceil:
      return operation(Operation::round_to_integral, Rounding::up);
    case ElementFunction::round:
      return operation(Operation::round_to_integral, Rounding::nearest_even);
    default:
      break;
  }
  const Function elementary = *row_of(function).elementary;
  const ExactNumber x = format.to_exact(code);
  if (x.kind == ExactNumber::Kind::nan) return code;
  if (x.kind == ExactNumber::Kind::infinite) {  // the limit, a number that every format rounds by itself
    const double limit = evaluate(function, x.negative ? -HUGE_VAL : HUGE_VAL, ElementType::binary64);
    const auto kind = std::isnan(limit)   ? ExactNumber::Kind::nan
                      : std::isinf(limit) ? ExactNumber::Kind::infinite
                                          : ExactNumber::Kind::number;
    const Rational value = kind == ExactNumber::Kind::number ? exact(limit) : Rational(0);
    return format.from_exact({kind, std::signbit(limit), value, 0}, rounding, flags);
  }
  constexpr std::int64_t far = 1 << 20;
  if (x.exponent > far || x.exponent < -far)
    throw ResourceError(std::string(row_of(function).name) + " of a number of " + format.text() +
                        " with an exponent beyond 2^20 is not computed");
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(x.exponent));
  const Rational value = x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power);
  if (!is_in(row_of(elementary).domain, value))
    return format.from_exact({ExactNumber::Kind::nan, false, 0, 0}, rounding, flags);
  return rounded_at(elementary, value, format, rounding, flags);
}

std::optional<Interval> evaluate(ElementFunction function, const Interval& x, const Format& format) {
  if (!is_defined(function, x)) return std::nullopt;
  try {
    Interval out;
    switch (function) {
      case ElementFunction::sqrt:
        out = square_root(format, x);
        break;
      case ElementFunction::floor:
        out = round_to_integral(format, x, Rounding::down);
        break;
      case ElementFunction::ceil:
        out = round_to_integral(format, x, Rounding::up);
        break;
      case ElementFunction::round:
        out = round_to_integral(format, x, Rounding::nearest_even);
        break;
      default:
        out = apply(format, *row_of(function).elementary, x);
    }
    if (out.is_empty() || !out.is_bounded()) return std::nullopt;
    return out;
  } catch (const EnclosureFailure&) {
    return std::nullopt;
  } catch (const ResourceError&) {  // sin of an angle beyond reason
    return std::nullopt;
  }
}

std::optional<std::pair<double, double>> evaluate(ElementFunction function, double lo, double hi, ElementType element,
                                                  std::uint32_t k_ulp) {
  if (!std::isfinite(lo) || !std::isfinite(hi)) return std::nullopt;
  const Interval x(value_of_double(lo), value_of_double(hi));
  double least = 0, greatest = 0;
  if (!row_of(function).elementary) {  // increasing, all four
    if (!is_defined(function, x)) return std::nullopt;
    least = by_machine(function, lo, element);
    greatest = by_machine(function, hi, element);
  } else {
    const std::optional<Interval> image = evaluate(function, x, wide_format);
    if (!image) return std::nullopt;
    const Rational from = to_rational(image->lower()), to = to_rational(image->upper());
    if (k_ulp == 0) {  // rounding to nearest is monotone
      Flags flags;
      least = double_of(round(format_of(element), from, Rounding::nearest_even, flags), element);
      greatest = double_of(round(format_of(element), to, Rounding::nearest_even, flags), element);
    } else {
      // Of the values y in between, y - k ulp(y) is least at the lower end or, where ulps double on the way up, no
      // further below it than with the next binade's ulp; likewise above.
      const Rational first = ulp_at(from, format_of(element)), last = ulp_at(to, format_of(element));
      const Rational below = from > 0 && last > first ? Rational(2 * first) : first;
      const Rational above = to < 0 && first > last ? Rational(2 * last) : last;
      const Rational bottom = from - k_ulp * below, top = to + k_ulp * above;
      const Rational most = to_rational(greatest_finite(format_of(element)));
      if (top > most || bottom < -most) return std::nullopt;  // an infinity may be computed
      least = number_above(bottom, element);
      greatest = number_below(top, element);
    }
  }
  if (!std::isfinite(least) || !std::isfinite(greatest)) return std::nullopt;
  return std::pair(least, greatest);
}

}  // namespace outward
