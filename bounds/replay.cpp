#include "bounds/replay.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/directed.hpp"
#include "formats/error.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward {

namespace {

std::string shortest(double value, ElementType element) {
  if (element == ElementType::binary64) return shortest_decimal(value);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  return {buffer, end};
}

bool inside(const Rational& v, const InputRange& r) {
  return (r.lo_strict ? r.lo < v : r.lo <= v) && (r.hi_strict ? v < r.hi : v <= r.hi);
}

// The decimal next to the end of the range on which x fell out.
std::optional<std::string> decimal_at_end(const InputRange& r, bool low) {
  const Rational end = low ? r.lo : r.hi;
  const bool strict = low ? r.lo_strict : r.hi_strict;
  const Rational width = r.hi - r.lo;
  std::string text;
  if (!strict) text = decimal_between(end, end);
  std::optional<Rational> value = text.empty() ? std::nullopt : parse_decimal(text);
  if (!value || !inside(*value, r)) {
    if (width == 0) return std::nullopt;
    const Rational sign = low ? 1 : -1, near = end + sign * width / 65536, far = end + sign * width / 1024;
    text = decimal_between(std::min(near, far), std::max(near, far));
    value = parse_decimal(text);
  }
  if (!value || !inside(*value, r)) return std::nullopt;
  return text;
}

// The greatest value of the row over lo <= y <= hi.
Rational evaluate(const Row& row, const std::vector<Rational>& lo, const std::vector<Rational>& hi) {
  Rational sum(row.constant);
  for (const auto& [index, coefficient] : row.terms)
    sum += Rational(coefficient) * (coefficient > 0 ? hi[index] : lo[index]);
  return sum;
}

// Nothing where an output is irrational and `check` would have to replay it, or the network is not defined.
std::optional<std::vector<ExactRange>> exact_outputs(const Graph& graph, const std::vector<Rational>& x) {
  try {
    std::vector<ExactRange> y = run_exact_ranges(graph, x);
    const auto exact = [](const ExactRange& v) { return v.lo == v.hi; };
    if (is_certifiable(graph) && !std::all_of(y.begin(), y.end(), exact)) return std::nullopt;
    return y;
  } catch (const ResourceError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<std::string>> decimals_near(const std::vector<double>& x, const std::vector<InputRange>& box,
                                                      ElementType element) {
  std::vector<std::string> out;
  out.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool low = x[i] < 0;  // the end on which x fell out; of an infinity its own
    const double v = element == ElementType::binary32 ? static_cast<double>(static_cast<float>(x[i])) : x[i];
    if (std::isfinite(v)) {
      std::string text = shortest(v, element);
      const std::optional<Rational> value = parse_decimal(text);
      if (value && inside(*value, box[i])) {
        out.push_back(std::move(text));
        continue;
      }
      // The shortest decimal may lie on the other side of the end than the number it stands for.
      low = value && *value <= box[i].lo;
    }
    std::optional<std::string> text = decimal_at_end(box[i], low);
    if (!text) return std::nullopt;
    out.push_back(std::move(*text));
  }
  return out;
}

std::optional<Counterexample> replay(const Graph& graph, const Property& property, std::uint32_t case_index,
                                     const std::vector<std::string>& decimals, Semantics semantics,
                                     const Execution& execution, bool finite) {
  const Case& unsafe = property.cases[case_index];
  const std::vector<InputRange>& box = property.boxes[unsafe.box];
  Counterexample out;
  out.case_index = case_index;
  out.decimals = decimals;
  std::vector<Rational> x;
  for (std::size_t i = 0; i < decimals.size(); ++i) {
    const std::optional<Rational> value = parse_decimal(decimals[i]);
    if (!value || !inside(*value, box[i])) return std::nullopt;
    x.push_back(*value);
    out.executed.push_back(graph.element == ElementType::binary32 ? round_nearest_binary32(*value)
                                                                  : round_nearest(*value));
  }
  std::vector<Rational> y, above;
  if (semantics == Semantics::real) {
    const std::optional<std::vector<ExactRange>> outputs = exact_outputs(graph, x);
    if (!outputs) return std::nullopt;
    for (const ExactRange& v : *outputs) {
      out.outputs.push_back(round_nearest(v.lo));
      y.push_back(v.lo);
      above.push_back(v.hi);
    }
  } else {
    for (double v : out.executed)
      if (!std::isfinite(v)) return std::nullopt;
    std::vector<std::vector<double>> nodes;
    out.outputs =
        semantics == Semantics::capsule ? execution(out.executed, &nodes) : run_reference(graph, out.executed, &nodes);
    if (finite && !all_finite({out.outputs})) {
      out.margin = infinity;
      return out;
    }
    if (!all_finite(nodes)) return std::nullopt;
    for (double v : out.outputs) y.push_back(exact(v));
    above = y;
  }
  double margin = infinity;
  for (const Row& row : unsafe.rows) {
    const Rational value = evaluate(row, y, above);
    if (row.strict ? value >= 0 : value > 0) return std::nullopt;
    margin = std::min(margin, round_down(Rational(-value)) / row_scale(row));
  }
  out.margin = unsafe.rows.empty() ? 0 : margin;
  return out;
}

double row_scale(const Row& row) {
  Integer greatest = 1;
  for (const auto& term : row.terms) greatest = std::max(greatest, Integer(abs(term.second)));
  return round_nearest(Rational(greatest));
}

Rational row_lower(const Row& row, const std::vector<double>& lo, const std::vector<double>& hi) {
  Rational sum(row.constant);
  for (const auto& [index, c] : row.terms) sum += Rational(c) * exact(c > 0 ? lo[index] : hi[index]);
  return sum;
}

Rational row_upper(const Row& row, const std::vector<double>& lo, const std::vector<double>& hi) {
  Rational sum(row.constant);
  for (const auto& [index, c] : row.terms) sum += Rational(c) * exact(c > 0 ? hi[index] : lo[index]);
  return sum;
}

}  // namespace outward
