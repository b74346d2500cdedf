// Bounds of a property in a format: see the header.
#include "bounds/precise/precise.hpp"

#include <cmath>

#include "bounds/precise/box_bounds.hpp"
#include "bounds/precise/double_ends.hpp"
#include "formats/error.hpp"

namespace outward {
namespace {

struct Stopped {};

// What the network receives from a box (FORMAT.md section 4): under a float claim the decimals are rounded first.
std::vector<InputRange> input_box(const Graph& graph, std::vector<InputRange> box, Semantics semantics) {
  if (semantics == Semantics::real) return box;
  const auto nearest = [&](const Rational& x) {
    return graph.element == ElementType::binary32 ? round_nearest_binary32(x) : round_nearest(x);
  };
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double lo = nearest(box[i].lo), hi = nearest(box[i].hi);
    if (!std::isfinite(lo) || !std::isfinite(hi))
      throw InputRefused({"input-overflow", "input X_" + std::to_string(i), "the bound is beyond the element type",
                          "a finite number", fraction_text(box[i].lo) + " … " + fraction_text(box[i].hi), ""});
    box[i].lo = std::min(box[i].lo, exact(lo));
    box[i].hi = std::max(box[i].hi, exact(hi));
  }
  return box;
}

// x * 2^e as a double, moved outward.
double directed(const ExactNumber& x, bool up) {
  if (x.kind == ExactNumber::Kind::infinite)
    return x.negative ? -precise::DoubleEnds::beyond : precise::DoubleEnds::beyond;
  if (x.factor.is_zero()) return 0;
  const std::int64_t size = static_cast<std::int64_t>(msb(abs(numerator(x.factor)))) -
                            static_cast<std::int64_t>(msb(denominator(x.factor))) + x.exponent;
  constexpr std::int64_t far = 5000;
  // Beyond binary64 any number of the same sign rounds the same way.
  const std::int64_t exponent = size > far ? far : size < -far ? -far : x.exponent;
  const Rational factor = std::abs(size) > far ? Rational(x.factor < 0 ? -1 : 1) : x.factor;
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(exponent));
  const Rational value = exponent < 0 ? Rational(factor / power) : Rational(factor * power);
  return up ? round_up(value) : round_down(value);
}

}  // namespace

PreciseResult bound_in_format(const Graph& graph, const Property& property,
                              const std::shared_ptr<const NumberFormat>& format, const PreciseOptions& options) {
  std::vector<Blocker> blockers;
  for (const Node& node : graph.nodes)
    if (!precise::is_covered(node.kind))
      blockers.push_back({"precision-operator", node.origin,
                          std::string("bounds in a number format have no rule for ") + op_name(node), "", "",
                          "leave out --precision"});
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  return with_ends(format, [&](auto ends) {
    PreciseResult result;
    result.boxes.resize(property.boxes.size());
    const std::function<void()> check = [&] {
      if (options.stop && options.stop()) throw Stopped();
    };
    precise::BoxBounds<decltype(ends)> bounds(graph, property, ends, float_model(options.semantics), check);
    for (std::uint32_t b = 0; b < property.boxes.size(); ++b) {
      const std::vector<InputRange> box = input_box(graph, property.boxes[b], options.semantics);
      std::vector<std::uint32_t> cases;
      for (std::uint32_t c = 0; c < property.cases.size(); ++c)
        if (property.cases[c].box == b) cases.push_back(c);
      PreciseBox& found = result.boxes[b];
      try {
        check();
        bounds.run(box, cases, found);
        for (std::size_t c = 0; c < cases.size() && result.domains < options.most_domains; ++c)
          if (!found.cases[c].refuted && !property.cases[cases[c]].rows.empty())
            found.cases[c].refuted = found.cases[c].branched = bounds.branch(box, cases[c], c, options, result.domains);
      } catch (const Stopped&) {
        result.stopped = true;
        break;
      }
    }
    return result;
  });
}

double double_below(const ExactNumber& x) { return directed(x, false); }
double double_above(const ExactNumber& x) { return directed(x, true); }

}  // namespace outward
