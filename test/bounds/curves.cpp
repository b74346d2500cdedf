#include "test/bounds/curves.hpp"

#include <algorithm>

namespace outward::testing {

namespace {

// A continuous piecewise-linear function on [first, last], by its values at sorted breakpoints shared by all neurons.
struct Curve {
  std::vector<Rational> x;                    // common breakpoints
  std::vector<std::vector<Rational>> values;  // per neuron, one value per breakpoint
};

// Adds the zero crossings of every neuron as breakpoints, so that relu stays linear between them.
void split_at_zeros(Curve& c) {
  std::vector<Rational> extra;
  for (const auto& v : c.values)
    for (std::size_t i = 0; i + 1 < c.x.size(); ++i)
      if ((v[i] < 0 && v[i + 1] > 0) || (v[i] > 0 && v[i + 1] < 0))
        extra.push_back(c.x[i] + (c.x[i + 1] - c.x[i]) * (-v[i]) / (v[i + 1] - v[i]));
  std::vector<Rational> x = c.x;
  x.insert(x.end(), extra.begin(), extra.end());
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  for (auto& v : c.values) {
    std::vector<Rational> out;
    std::size_t i = 0;
    for (const Rational& p : x) {
      while (i + 2 < c.x.size() && p > c.x[i + 1]) ++i;
      out.push_back(c.x.size() == 1 ? v[0] : Rational(v[i] + (v[i + 1] - v[i]) * (p - c.x[i]) / (c.x[i + 1] - c.x[i])));
    }
    v = out;
  }
  c.x = x;
}

}  // namespace

CurveNetwork random_curve_network(Random& random, int layers, double width) {
  CurveNetwork s;
  s.box = random_box(random, 1, width);
  if (s.box.lo[0] == s.box.hi[0]) s.box.hi[0] = s.box.lo[0] + 0x1p-10;
  Node input;
  input.size = 1;
  input.origin = "input";
  s.graph.nodes.push_back(input);
  Curve c{{exact(s.box.lo[0]), exact(s.box.hi[0])}, {{exact(s.box.lo[0]), exact(s.box.hi[0])}}};
  for (int l = 0; l <= layers; ++l) {
    const bool last = l == layers;
    const std::size_t n = last ? 1 : 1 + random() % 4, depth = c.values.size();
    Node dense;
    dense.kind = Kind::dense;
    dense.operands = {static_cast<std::uint32_t>(s.graph.nodes.size() - 1)};
    dense.size = n;
    dense.ints = {1, static_cast<std::int64_t>(depth), static_cast<std::int64_t>(n), 1};
    for (std::size_t i = 0; i < n * depth + n; ++i) dense.payload.push_back(random_weight(random));
    dense.origin = "dense " + std::to_string(l);
    Curve next{c.x, std::vector<std::vector<Rational>>(n, std::vector<Rational>(c.x.size()))};
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t p = 0; p < c.x.size(); ++p) {
        next.values[j][p] = exact(dense.payload[n * depth + j]);
        for (std::size_t k = 0; k < depth; ++k)
          next.values[j][p] += exact(dense.payload[j * depth + k]) * c.values[k][p];
      }
    s.graph.nodes.push_back(dense);
    c = std::move(next);
    if (last) break;
    Node relu;
    relu.kind = Kind::relu;
    relu.operands = {static_cast<std::uint32_t>(s.graph.nodes.size() - 1)};
    relu.size = n;
    relu.origin = "relu " + std::to_string(l);
    s.graph.nodes.push_back(relu);
    split_at_zeros(c);
    for (auto& v : c.values)
      for (Rational& y : v) y = std::max(y, Rational(0));
  }
  s.graph.output = static_cast<std::uint32_t>(s.graph.nodes.size() - 1);
  s.least = *std::min_element(c.values[0].begin(), c.values[0].end());
  return s;
}

Property below(const CurveNetwork& s, const Rational& threshold, bool strict) {
  Property p = box_property(s.box, 1);
  const Integer d = denominator(threshold), n = numerator(threshold);
  p.cases = {{0, {{{{0, d}}, -n, strict, 0}}}};
  return p;
}

}  // namespace outward::testing
