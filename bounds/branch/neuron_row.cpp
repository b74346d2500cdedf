#include "bounds/branch/neuron_row.hpp"

#include <algorithm>
#include <cmath>

namespace outward {

Neurons::Neurons(const Network& net, const State& root) : node_bytes_(net.size()) {
  for (std::uint32_t k = 0; k < net.size(); ++k) {
    first_.push_back(all_.size());
    const Node& node = net.node(k);
    if (!is_piecewise(node.kind)) continue;
    node_bytes_[k] = adaptive_slopes(net, root, k);
    const Range& x = root.range[node.operands[0]];
    for (std::uint32_t i = 0; i < node.size; ++i) {
      if (!is_unstable(node, x.lo[i], x.hi[i])) continue;
      all_.push_back({k, i});
      bytes_.push_back(node_bytes_[k].lower[i]);
    }
  }
  first_.push_back(all_.size());
}

void pack(const NeuronRow& row, Packer& to) {
  to.put_all(row.weights);
  to.put_all(row.slopes);
  to.put(static_cast<std::uint32_t>(row.halves.size()));
  for (const Half& h : row.halves) {
    to.put(2 * h.neuron + h.upper);
    to.put(h.at);
    to.put(h.beta);
    to.put(h.scale);
  }
}

NeuronRow unpack_row(std::uint32_t case_index, Unpacker& from) {
  NeuronRow row;
  row.case_index = case_index;
  row.weights = from.take_all<double>();
  row.slopes = from.take_all<std::uint8_t>();
  row.halves.resize(from.take<std::uint32_t>());
  for (Half& h : row.halves) {
    const auto which = from.take<std::uint32_t>();
    h.neuron = which / 2;
    h.upper = which % 2 != 0;
    h.at = from.take<double>();
    h.beta = from.take<double>();
    h.scale = from.take<double>();
  }
  return row;
}

double Neurons::breakpoint(const Node& node, double lo, double hi) {
  if (node.kind != Kind::clip) return 0;
  const double a = node.payload[0], b = node.payload[1], middle = lo + 0.5 * (hi - lo);
  const bool has_a = lo < a && a < hi, has_b = lo < b && b < hi;
  if (has_a && has_b) return std::fabs(a - middle) < std::fabs(b - middle) ? a : b;
  return has_a ? a : b;
}

void NeuronRows::narrowed(const State& root, const Network& net, const Neurons& neurons, const NeuronRow& row,
                          std::uint32_t neuron, double* lo, double* hi) {
  const auto& [k, i] = neurons[neuron];
  const std::uint32_t z = net.node(k).operands[0];
  *lo = root.range[z].lo[i];
  *hi = root.range[z].hi[i];
  for (const Half& h : row.halves) {
    const auto& [other, element] = neurons[h.neuron];
    if (net.node(other).operands[0] != z || element != i) continue;  // two nodes may read the same element
    if (h.upper)
      *lo = std::max(*lo, h.at);
    else
      *hi = std::min(*hi, h.at);
  }
}

NeuronRows::NeuronRows(const Network& net, const State& root, const Neurons& neurons,
                       std::vector<const NeuronRow*> rows)
    : net_(net), root_(root), neurons_(neurons), rows_(std::move(rows)), prepared_(rows_.size()) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Prepared& p = prepared_[r];
    for (const Half& h : rows_[r]->halves) {
      p.halved.push_back(h.neuron);
      if (h.beta == 0) continue;
      const std::uint32_t z = net.node(neurons[h.neuron].node).operands[0];
      double lo = 0, hi = 0;
      narrowed(root, net, neurons, *rows_[r], h.neuron, &lo, &hi);
      p.terms.push_back({z, {neurons[h.neuron].element, h.upper ? h.beta : -h.beta, h.upper ? lo : hi}});
    }
    std::sort(p.halved.begin(), p.halved.end());
    p.halved.erase(std::unique(p.halved.begin(), p.halved.end()), p.halved.end());
    std::stable_sort(p.terms.begin(), p.terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [z, m] : p.terms) p.multipliers.push_back(m);
  }
}

void NeuronRows::patch(std::size_t row, std::uint32_t k, Lines& lines) const {
  const Node& node = net_.node(k);
  const Range& x = root_.range[node.operands[0]];
  const std::size_t first = neurons_.first(k), last = neurons_.first(k + 1);
  if (node.kind != Kind::clip) {
    const std::vector<std::uint8_t>& bytes = rows_[row]->slopes;
    const std::vector<std::uint8_t>& base = neurons_.bytes();
    for (std::size_t n = first; n < last; ++n) {
      if (bytes[n] == base[n]) continue;
      const std::uint32_t i = neurons_[n].element;
      const ElementLines e = element_lines(node, x.lo[i], x.hi[i], bytes[n], 0);
      lines.lower_slope[i] = e.lower_slope;
      lines.lower_offset[i] = e.lower_offset;
    }
  }
  const std::vector<std::uint32_t>& halved = prepared_[row].halved;
  for (auto at = std::lower_bound(halved.begin(), halved.end(), first); at != halved.end() && *at < last; ++at) {
    double lo = 0, hi = 0;
    narrowed(root_, net_, neurons_, *rows_[row], *at, &lo, &hi);
    const std::uint32_t i = neurons_[*at].element;
    const SlopeBytes& bytes = neurons_.node_bytes(k);
    const ElementLines e =
        element_lines(node, lo, hi, node.kind == Kind::clip ? bytes.lower[i] : rows_[row]->slopes[*at],
                      node.kind == Kind::clip ? bytes.upper[i] : 0);
    lines.lower_slope[i] = e.lower_slope;
    lines.lower_offset[i] = e.lower_offset;
    lines.upper_slope[i] = e.upper_slope;
    lines.upper_offset[i] = e.upper_offset;
  }
}

std::span<const RowLines::Multiplier> NeuronRows::multipliers(std::size_t row, std::uint32_t k) const {
  const Prepared& p = prepared_[row];
  const auto by_node = [](const auto& a, const auto& b) { return a.first < b.first; };
  const std::pair<std::uint32_t, Multiplier> key{k, {}};
  const auto [from, to] = std::equal_range(p.terms.begin(), p.terms.end(), key, by_node);
  return std::span(p.multipliers)
      .subspan(static_cast<std::size_t>(from - p.terms.begin()), static_cast<std::size_t>(to - from));
}

}  // namespace outward
