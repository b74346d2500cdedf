// Intervals in any format: see the header.
#include "formats/interval/any_interval.hpp"

#include <array>
#include <utility>

#include "formats/error.hpp"
#include "formats/exact_number.hpp"
#include "formats/families.hpp"
#include "formats/interval/checked_ends.hpp"
#include "formats/interval/spans.hpp"

namespace outward {
namespace {

AnyInterval exact_of(const Interval& x) {
  if (x.is_empty()) return {true, {}, {}};
  return {false, exact_number(x.lower()), exact_number(x.upper())};
}

class BinaryIntervals : public IntervalFormat {
 public:
  explicit BinaryIntervals(const Format& format) : format_(format) { require_interval_format(format); }

  AnyInterval enclose(const ExactNumber& lo, const ExactNumber& hi) const override {
    return exact_of(Interval(end(lo, Rounding::down), end(hi, Rounding::up)));
  }

  AnyInterval apply(Operation operation, std::span<const AnyInterval> operands) const override {
    std::array<Interval, 3> x;
    for (std::size_t i = 0; i < operands.size() && i < x.size(); ++i) x[i] = interval(operands[i]);
    switch (operation) {
      case Operation::add:
        return exact_of(add(format_, x[0], x[1]));
      case Operation::subtract:
        return exact_of(subtract(format_, x[0], x[1]));
      case Operation::multiply:
        return exact_of(multiply(format_, x[0], x[1]));
      case Operation::divide:
        return exact_of(divide(format_, x[0], x[1]));
      case Operation::square_root:
        return exact_of(square_root(format_, x[0]));
      case Operation::fused_multiply_add:
        return exact_of(fused_multiply_add(format_, x[0], x[1], x[2]));
      case Operation::minimum:
        return exact_of(minimum(x[0], x[1]));
      case Operation::maximum:
        return exact_of(maximum(x[0], x[1]));
      case Operation::negate:
        return exact_of(negate(format_, x[0]));
      case Operation::absolute:
        return exact_of(absolute(format_, x[0]));
      default:
        refuse_operation("intervals", operation);
    }
  }
  AnyInterval apply(Function function, const AnyInterval& x) const override {
    return exact_of(outward::apply(format_, function, interval(x)));
  }
  AnyInterval power(const AnyInterval& x, std::int64_t n) const override {
    return exact_of(outward::power(format_, interval(x), n));
  }

 private:
  Value end(const ExactNumber& x, Rounding rounding) const {
    if (x.kind == ExactNumber::Kind::infinite) return interval_detail::unbounded(format_, x.negative);
    if (x.factor.is_zero()) return zero_of(format_, false);
    Flags flags;
    const Integer n = numerator(x.factor);
    const Value out = round_quotient(format_, n < 0, abs(n), denominator(x.factor), x.exponent, rounding, flags);
    return rounding == Rounding::up ? interval_detail::upper_end(format_, out, flags)
                                    : interval_detail::lower_end(format_, out, flags);
  }
  Interval interval(const AnyInterval& x) const {
    return x.is_empty ? Interval() : Interval(end(x.lo, Rounding::down), end(x.hi, Rounding::up));
  }

  Format format_;
};

class RationalIntervals : public IntervalFormat {
 public:
  explicit RationalIntervals(const std::shared_ptr<const NumberFormat>& format)
      : name_(format->text()),
        spans_(RationalEnds(format)),
        wide_(binary(30, std::min(2 * format->width() + 64, max_fraction_bits))),
        in_wide_(wide_) {
    try {
      Flags flags;
      ExactNumber infinite;
      infinite.kind = ExactNumber::Kind::infinite;
      const Integer code = format->from_exact(infinite, Rounding::nearest_even, flags);
      has_infinities_ = format->to_exact(code).kind == ExactNumber::Kind::infinite;
    } catch (const InputRefused&) {
      has_infinities_ = false;
    }
  }

  AnyInterval enclose(const ExactNumber& lo, const ExactNumber& hi) const override {
    return result({end(lo, Rounding::down), end(hi, Rounding::up)});
  }

  AnyInterval apply(Operation operation, std::span<const AnyInterval> operands) const override {
    std::array<S, 3> x;
    for (std::size_t i = 0; i < operands.size() && i < x.size(); ++i) {
      if (operands[i].is_empty) return operands[i];
      x[i] = span(operands[i]);
    }
    switch (operation) {
      case Operation::add:
        return result(spans_.add(x[0], x[1]));
      case Operation::subtract:
        return result(difference(x[0], x[1]));
      case Operation::multiply:
        return result(spans_.multiply(x[0], x[1]));
      case Operation::divide:
        if (spans_.is_zero(x[1])) return {true, {}, {}};
        return result(spans_.divide(x[0], x[1]));
      case Operation::square_root:
        if (spans_.ends().sign(x[0].hi) < 0) return {true, {}, {}};
        return result(spans_.square_root(x[0]));
      case Operation::fused_multiply_add:
        return result(spans_.fused(x[0], x[1], x[2]));
      case Operation::minimum:
        return result({spans_.least(x[0].lo, x[1].lo), spans_.least(x[0].hi, x[1].hi)});
      case Operation::maximum:
        return result(spans_.maximum(x[0], x[1]));
      case Operation::negate:
        return result(spans_.negate(x[0]));
      case Operation::absolute: {
        if (spans_.is_positive(x[0])) return operands[0];
        const S turned = spans_.negate(x[0]);
        if (spans_.is_negative(x[0])) return result(turned);
        return result({spans_.ends().zero(), spans_.greatest(turned.hi, x[0].hi)});
      }
      default:
        refuse_operation("intervals", operation);
    }
  }
  AnyInterval apply(Function function, const AnyInterval& x) const override {
    return narrowed(in_wide_.apply(function, widened(x)));
  }
  AnyInterval power(const AnyInterval& x, std::int64_t n) const override {
    return narrowed(in_wide_.power(widened(x), n));
  }

 private:
  using S = Span<RationalEnds>;

  RationalEnds::Number end(const ExactNumber& x, Rounding rounding) const {
    if (x.kind == ExactNumber::Kind::infinite) return spans_.ends().unbounded(x.negative);
    return spans_.ends().from(bounded_rational(x), rounding);
  }
  // Not through negate: a negated end need not be a number of the format (int8 ends at -128 and 127).
  S difference(const S& a, const S& b) const {
    const auto one = [&](const RationalEnds::Number& x, const RationalEnds::Number& y, Rounding rounding) {
      if (x.infinite != 0) return x;
      if (y.infinite != 0) return spans_.ends().unbounded(y.infinite > 0);
      return spans_.ends().from(x.value - y.value, rounding);
    };
    return {one(a.lo, b.hi, Rounding::down), one(a.hi, b.lo, Rounding::up)};
  }
  S span(const AnyInterval& x) const { return {end(x.lo, Rounding::down), end(x.hi, Rounding::up)}; }
  AnyInterval widened(const AnyInterval& x) const { return x.is_empty ? x : in_wide_.enclose(x.lo, x.hi); }
  AnyInterval narrowed(const AnyInterval& x) const { return x.is_empty ? x : enclose(x.lo, x.hi); }
  AnyInterval result(const S& x) const {
    if (!has_infinities_ && !spans_.is_bounded(x))
      throw EnclosureFailure("the format " + name_ + " has no number beyond the end of the interval");
    return {false, spans_.ends().exact(x.lo), spans_.ends().exact(x.hi)};
  }

  std::string name_;
  Spans<RationalEnds> spans_;
  Format wide_;
  BinaryIntervals in_wide_;
  bool has_infinities_ = false;
};

}  // namespace

std::unique_ptr<IntervalFormat> interval_format(const std::shared_ptr<const NumberFormat>& format) {
  if (format->family() == "binary") return std::make_unique<BinaryIntervals>(parse_format(format->text()));
  return std::make_unique<RationalIntervals>(format);
}

}  // namespace outward
