#include "bounds/branch/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bounds/branch/alpha_lines.hpp"

namespace outward {

namespace {

// A group of its own for each row.
std::vector<std::uint32_t> one_group_each(std::size_t rows) {
  std::vector<std::uint32_t> groups(rows);
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

}  // namespace

struct Optimiser::Batch final : AlphaLines {
  Batch(const Network& net, const RowTable& t, const State& root, const Neurons& neurons, FastNetwork& fast,
        std::span<NeuronRow* const> r)
      : AlphaLines(net, root, neurons, fast, one_group_each(r.size())), table(t), parts(r) {
    fixed.assign(parts.size() * neurons.size(), 0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      set_bytes(p, parts[p]->slopes);
      beta.emplace_back();
      logs.emplace_back();
      for (const Half& h : parts[p]->halves) {
        beta.back().push_back(h.beta);
        Narrow narrow{p, h.neuron, {}, {}};
        NeuronRows::narrowed(root, net, neurons, *parts[p], h.neuron, &narrow.lo, &narrow.hi);
        fixed[p * neurons.size() + h.neuron] = 1;
        narrowed.push_back(narrow);
      }
      for (double w : parts[p]->weights) logs.back().push_back(w > 0 ? std::log(w) : -20.0);
    }
    by_node.resize(net.size());
    halves_of.resize(net.size());
    for (const Narrow& n : narrowed) by_node[neurons[n.neuron].node].push_back(&n);
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::size_t h = 0; h < parts[p]->halves.size(); ++h)
        halves_of[operand(parts[p]->halves[h].neuron)].push_back({p, h});
  }

  struct Narrow {
    std::size_t row;
    std::uint32_t neuron;
    double lo, hi;
  };
  struct HalfOf {
    std::size_t row, half;
  };

  std::uint32_t operand(std::uint32_t neuron) const { return net_.node(neurons_[neuron].node).operands[0]; }
  bool is_fixed(std::size_t p, std::size_t q) const { return fixed[p * neurons_.size() + q] != 0; }

  void arrive(std::uint32_t node, double* coefficients) override {
    for (const HalfOf& h : halves_of[node]) {
      const Half& half = parts[h.row]->halves[h.half];
      const double b = half.upper ? beta[h.row][h.half] : -beta[h.row][h.half];
      coefficients[h.row * net_.node(node).size + neurons_[half.neuron].element] -= b;
    }
  }

  void lines(std::uint32_t k, const double* nu, double* slope, double* offset) override {
    AlphaLines::lines(k, nu, slope, offset);
    const Node& node = net_.node(k);
    for (const Narrow* narrow : by_node[k]) {
      const std::uint32_t i = neurons_[narrow->neuron].element;
      const SlopeBytes& bytes = neurons_.node_bytes(k);
      const std::uint8_t byte = node.kind == Kind::clip ? bytes.lower[i] : parts[narrow->row]->slopes[narrow->neuron];
      const ElementLines e =
          element_lines(node, narrow->lo, narrow->hi, byte, node.kind == Kind::clip ? bytes.upper[i] : 0);
      const std::size_t at = narrow->row * node.size + i;
      slope[at] = nu[at] > 0 ? e.lower_slope : e.upper_slope;
      offset[at] = nu[at] > 0 ? e.lower_offset : e.upper_offset;
    }
  }

  // Bounds of all rows with the parameters as they are; leaves coefficients and values in the FastNetwork.
  void evaluate() {
    const std::size_t m = table.property().outputs;
    forms.assign(parts.size() * m, 0.0);
    row_values.resize(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      double sum = 0;
      std::vector<double> weight = row_weights(p);
      for (std::uint32_t r = 0; r < weight.size(); ++r) sum += weight[r];
      for (std::uint32_t r = 0; r < weight.size(); ++r)
        table.add_scaled(parts[p]->case_index, r, weight[r] / sum, forms.data() + p * m, nullptr);
    }
    const std::vector<double>& y = run(net_.graph.output, forms);
    bounds.assign(parts.size(), 0.0);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const NeuronRow& row = *parts[p];
      std::vector<double> weight = row_weights(p);
      double sum = 0;
      for (double w : weight) sum += w;
      row_values[p].resize(weight.size());
      for (std::uint32_t r = 0; r < weight.size(); ++r) {
        row_values[p][r] = table.value(row.case_index, r, y.data() + p * m);
        bounds[p] += weight[r] / sum * row_values[p][r];
      }
      for (std::size_t h = 0; h < row.halves.size(); ++h) bounds[p] += beta[p][h] * excess(p, h);
    }
  }

  // end − z for an upper half, z − end for a lower one: what β is multiplied by in the bound.
  double excess(std::size_t p, std::size_t h) const {
    const Half& half = parts[p]->halves[h];
    const std::uint32_t z = operand(half.neuron);
    const double value = fast_.values(z)[p * net_.node(z).size + neurons_[half.neuron].element];
    return half.upper ? half.at - value : value - half.at;
  }

  std::vector<double> row_weights(std::size_t p) const {
    const double most = *std::max_element(logs[p].begin(), logs[p].end());
    std::vector<double> w;
    for (double l : logs[p]) w.push_back(std::exp(l - most));
    return w;
  }

  const RowTable& table;
  std::span<NeuronRow* const> parts;
  std::vector<char> fixed;                // rows × neurons: halved
  std::vector<std::vector<double>> beta;  // per row and half
  std::vector<std::vector<double>> logs;  // per row: logarithms of weights
  std::vector<Narrow> narrowed;
  std::vector<std::vector<const Narrow*>> by_node;
  std::vector<std::vector<HalfOf>> halves_of;
  std::vector<double> forms, bounds;
  std::vector<std::vector<double>> row_values;
};

Optimiser::Optimiser(const Network& net, const RowTable& table, const State& root, const Neurons& neurons)
    : net_(net), table_(table), root_(root), neurons_(neurons), fast_(net.fast()) {}
Optimiser::~Optimiser() = default;

std::vector<Improved> Optimiser::improve(std::span<NeuronRow* const> rows, int steps) {
  Batch batch(net_, table_, root_, neurons_, fast_, rows);
  const std::size_t m = rows.size(), u = neurons_.size();
  Adam adam(m * u);
  std::vector<Adam> adam_beta;
  for (const NeuronRow* row : rows) adam_beta.emplace_back(row->halves.size());
  std::vector<double> best(m, -infinity);
  std::vector<double> best_alpha = batch.alphas();
  std::vector<std::vector<double>> best_beta = batch.beta, best_logs = batch.logs;
  double rate = steps > 20 ? 0.1 : 0.2;
  for (int s = 0;; ++s, rate *= 0.97) {
    batch.evaluate();
    bool all_positive = true;
    for (std::size_t p = 0; p < m; ++p) {
      if (batch.bounds[p] > best[p]) {
        best[p] = batch.bounds[p];
        std::copy_n(batch.alphas().begin() + static_cast<std::ptrdiff_t>(p * u), u,
                    best_alpha.begin() + static_cast<std::ptrdiff_t>(p * u));
        best_beta[p] = batch.beta[p];
        best_logs[p] = batch.logs[p];
      }
      all_positive = all_positive && best[p] > 1e-5;
    }
    if (s >= steps || all_positive) break;
    for (Adam& a : adam_beta) a.begin_step();
    batch.climb(
        net_.graph.output, rate, adam, [&](std::size_t p) { return !(best[p] > 1e-5); },
        [&](std::size_t p, std::size_t q) { return !(best[p] > 1e-5) && !batch.is_fixed(p, q); });
    for (std::size_t p = 0; p < m; ++p) {
      if (best[p] > 1e-5) continue;
      for (std::size_t h = 0; h < batch.beta[p].size(); ++h) {
        double& b = batch.beta[p][h];
        const double unit = std::max(rows[p]->halves[h].scale, 1e-12);
        b = std::max(0.0, b + 2 * rate * unit * adam_beta[p].step(h, batch.excess(p, h)));
      }
      if (batch.logs[p].size() < 2) continue;
      const std::vector<double>& v = batch.row_values[p];
      const auto [least, greatest] = std::minmax_element(v.begin(), v.end());
      const double spread = *greatest - *least;
      if (!(spread > 0) || !(spread < infinity)) continue;
      for (std::size_t r = 0; r < v.size(); ++r)
        batch.logs[p][r] = std::max(-20.0, batch.logs[p][r] + 5 * rate * (v[r] - *least) / spread);
    }
  }
  batch.set_alphas(std::move(best_alpha));
  batch.beta = best_beta;
  batch.logs = best_logs;
  batch.round_to_bytes();
  batch.evaluate();
  std::vector<Improved> out(m);
  const std::size_t n0 = net_.node(0).size;
  for (std::size_t p = 0; p < m; ++p) {
    NeuronRow& row = *rows[p];
    row.slopes = batch.bytes(p);
    for (std::size_t h = 0; h < row.halves.size(); ++h) row.halves[h].beta = batch.beta[p][h];
    std::vector<double> weight = batch.row_weights(p);
    double sum = 0;
    for (double w : weight) sum += w;
    for (std::size_t r = 0; r < weight.size(); ++r) row.weights[r] = std::round(1024 * weight[r] / sum) / 1024;
    out[p].bound = batch.bounds[p];
    for (const Half& half : row.halves) out[p].needs.push_back(need_of(half, p));
    out[p].corner.assign(batch.corners().begin() + static_cast<std::ptrdiff_t>(p * n0),
                         batch.corners().begin() + static_cast<std::ptrdiff_t>((p + 1) * n0));
  }
  rank_splits(rows, batch, out);
  return out;
}

// A half gives its neuron an exact line instead of two, and its multiplier. Both cost nothing where nothing that the
// row reads depends on the neuron.
double Optimiser::need_of(const Half& half, std::size_t p) const {
  const auto& [k, i] = neurons_[half.neuron];
  const Node& node = net_.node(k);
  const Range& z = root_.range[node.operands[0]];
  return (std::fabs(fast_.coefficients(k)[p * node.size + i]) + half.beta) * (z.hi[i] - z.lo[i]);
}

// What a split would mend: the height of the upper line at the breakpoint (BaBSR; Bunel et al. 2020), times the
// coefficient. The distance between line and function at the corner only decides between equals: with more weight it
// made trees up to twice as large. Bounding the halves of the three or five best without new slopes and taking the one
// whose worse half is best (FSB; De Palma et al. 2021) made trees a quarter larger on resnet_2b and cost a third of the
// speed.
void Optimiser::rank_splits(std::span<NeuronRow* const> rows, const Batch& batch, std::vector<Improved>& out) const {
  for (std::uint32_t k = 0; k < net_.size(); ++k) {
    const Node& node = net_.node(k);
    if (neurons_.first(k) == neurons_.first(k + 1)) continue;
    const std::vector<double>&nu = fast_.coefficients(k), &z = fast_.values(node.operands[0]), &v = fast_.values(k);
    const Lines& lines = root_.lines[k];
    for (std::size_t p = 0; p < rows.size(); ++p) {
      for (std::size_t q = neurons_.first(k); q < neurons_.first(k + 1); ++q) {
        if (batch.is_fixed(p, q)) {
          if (node.kind != Kind::clip) continue;
          double lo = 0, hi = 0;
          NeuronRows::narrowed(root_, net_, neurons_, *rows[p], static_cast<std::uint32_t>(q), &lo, &hi);
          if (!is_unstable(node, lo, hi)) continue;
        }
        const std::size_t at = p * node.size + neurons_[q].element;
        const double gap = std::fabs(nu[at]) * std::fabs(v[at] - function_value(node, z[at]));
        const double height = nu[at] < 0 ? -nu[at] * lines.upper_offset[neurons_[q].element] : 0;
        const double score = height + 0.05 * gap;
        if (out[p].split != Improved::no_neuron && !(score > out[p].split_score)) continue;
        out[p].split = static_cast<std::uint32_t>(q);
        out[p].split_score = score;
        out[p].split_scale = std::fabs(nu[at]);
      }
    }
  }
}

}  // namespace outward
