#include "bounds/branch/optimise.hpp"

#include <algorithm>
#include <cmath>

namespace outward {

namespace {

// Adam (Kingma and Ba 2015) for one vector of parameters; `up` is the ascent direction.
class Adam {
 public:
  explicit Adam(std::size_t n) : first_(n, 0.0), second_(n, 0.0) {}
  void begin_step() {
    decay_first_ *= 0.9;
    decay_second_ *= 0.999;
  }
  double step(std::size_t i, double gradient) {
    first_[i] = 0.9 * first_[i] + 0.1 * gradient;
    second_[i] = 0.999 * second_[i] + 0.001 * gradient * gradient;
    const double m = first_[i] / (1 - decay_first_), v = second_[i] / (1 - decay_second_);
    return v > 0 ? m / std::sqrt(v) : 0;
  }

 private:
  std::vector<double> first_, second_;
  double decay_first_ = 1, decay_second_ = 1;
};

}  // namespace

struct Optimiser::Batch final : LineChooser {
  Batch(const Network& n, const RowTable& t, const State& s, const Neurons& u, FastNetwork& f,
        std::span<NeuronRow* const> r)
      : net(n), table(t), root(s), neurons(u), fast(f), rows(r) {
    const std::size_t m = rows.size();
    alpha.resize(m * neurons.size());
    fixed.assign(m * neurons.size(), 0);
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t i = 0; i < neurons.size(); ++i) alpha[p * neurons.size() + i] = rows[p]->slopes[i] / 128.0;
      beta.emplace_back();
      logs.emplace_back();
      for (const Half& h : rows[p]->halves) {
        beta.back().push_back(h.beta);
        Narrow narrow{p, h.neuron, {}, {}};
        NeuronRows::narrowed(root, net, neurons, *rows[p], h.neuron, &narrow.lo, &narrow.hi);
        fixed[p * neurons.size() + h.neuron] = 1;
        narrowed.push_back(narrow);
      }
      for (double w : rows[p]->weights) logs.back().push_back(w > 0 ? std::log(w) : -20.0);
    }
    by_node.resize(net.size());
    halves_of.resize(net.size());
    for (const Narrow& n_ : narrowed) by_node[neurons[n_.neuron].node].push_back(&n_);
    for (std::size_t p = 0; p < m; ++p)
      for (std::size_t h = 0; h < rows[p]->halves.size(); ++h)
        halves_of[operand(rows[p]->halves[h].neuron)].push_back({p, h});
  }

  struct Narrow {
    std::size_t row;
    std::uint32_t neuron;
    double lo, hi;
  };
  struct HalfOf {
    std::size_t row, half;
  };

  std::uint32_t operand(std::uint32_t neuron) const { return net.node(neurons[neuron].node).operands[0]; }

  void arrive(std::uint32_t node, double* coefficients) override {
    for (const HalfOf& h : halves_of[node]) {
      const Half& half = rows[h.row]->halves[h.half];
      const double b = half.upper ? beta[h.row][h.half] : -beta[h.row][h.half];
      coefficients[h.row * net.node(node).size + neurons[half.neuron].element] -= b;
    }
  }

  void lines(std::uint32_t k, const double* nu, double* slope, double* offset) override {
    const Node& node = net.node(k);
    const Lines& base = root.lines[k];
    const std::size_t n = node.size;
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const double* c = nu + p * n;
      double *s = slope + p * n, *o = offset + p * n;
      for (std::size_t i = 0; i < n; ++i) {
        const bool lower = c[i] > 0;
        s[i] = lower ? base.lower_slope[i] : base.upper_slope[i];
        o[i] = lower ? base.lower_offset[i] : base.upper_offset[i];
      }
      if (node.kind == Kind::clip) continue;
      const double least = slope_of_byte(node, 0), reach = slope_of_byte(node, 128) - least;
      for (std::size_t q = neurons.first(k); q < neurons.first(k + 1); ++q) {
        const std::uint32_t i = neurons[q].element;
        if (c[i] > 0) s[i] = least + reach * alpha[p * neurons.size() + q];
      }
    }
    for (const Narrow* narrow : by_node[k]) {
      const std::uint32_t i = neurons[narrow->neuron].element;
      const SlopeBytes& bytes = neurons.node_bytes(k);
      const std::uint8_t byte = node.kind == Kind::clip ? bytes.lower[i] : rows[narrow->row]->slopes[narrow->neuron];
      const ElementLines e =
          element_lines(node, narrow->lo, narrow->hi, byte, node.kind == Kind::clip ? bytes.upper[i] : 0);
      const std::size_t at = narrow->row * n + i;
      slope[at] = nu[at] > 0 ? e.lower_slope : e.upper_slope;
      offset[at] = nu[at] > 0 ? e.lower_offset : e.upper_offset;
    }
  }

  void max_lines(std::uint32_t k, const double* nu, std::uint32_t* chosen, double* slope, double* offset) override {
    const MaxChoice& choice = root.choice[k];
    const std::size_t n = net.node(k).size;
    for (std::size_t at = 0; at < rows.size() * n; ++at) {
      const std::size_t i = at % n;
      const bool passes = nu[at] > 0 || choice.dominating[i];
      chosen[at] = choice.chosen[i];
      slope[at] = passes ? 1 : 0;
      offset[at] = passes ? 0 : choice.upper[i];
    }
  }

  // Bounds of all rows with the parameters as they are; leaves coefficients and values in `fast`.
  void evaluate() {
    const std::size_t m = table.property().outputs, n0 = net.node(0).size;
    forms.assign(rows.size() * m, 0.0);
    row_values.resize(rows.size());
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const NeuronRow& row = *rows[p];
      double sum = 0;
      std::vector<double> weight = row_weights(p);
      for (std::uint32_t r = 0; r < weight.size(); ++r) sum += weight[r];
      for (std::uint32_t r = 0; r < weight.size(); ++r)
        table.add_scaled(row.case_index, r, weight[r] / sum, forms.data() + p * m, nullptr);
    }
    const std::vector<double>& at_input = fast.relaxed_backward(forms, rows.size(), *this);
    corners.resize(rows.size() * n0);
    for (std::size_t p = 0; p < rows.size(); ++p)
      for (std::size_t i = 0; i < n0; ++i) {
        const double c = at_input[p * n0 + i];
        corners[p * n0 + i] = c > 0 ? root.range[0].lo[i] : c < 0 ? root.range[0].hi[i] : middle(i);
      }
    const std::vector<double>& y = fast.relaxed_forward(corners);
    bounds.assign(rows.size(), 0.0);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const NeuronRow& row = *rows[p];
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

  double middle(std::size_t i) const { return root.range[0].lo[i] + 0.5 * (root.range[0].hi[i] - root.range[0].lo[i]); }

  // end − z for an upper half, z − end for a lower one: what β is multiplied by in the bound.
  double excess(std::size_t p, std::size_t h) const {
    const Half& half = rows[p]->halves[h];
    const std::uint32_t z = operand(half.neuron);
    const double value = fast.values(z)[p * net.node(z).size + neurons[half.neuron].element];
    return half.upper ? half.at - value : value - half.at;
  }

  std::vector<double> row_weights(std::size_t p) const {
    const double most = *std::max_element(logs[p].begin(), logs[p].end());
    std::vector<double> w;
    for (double l : logs[p]) w.push_back(std::exp(l - most));
    return w;
  }

  const Network& net;
  const RowTable& table;
  const State& root;
  const Neurons& neurons;
  FastNetwork& fast;
  std::span<NeuronRow* const> rows;
  std::vector<double> alpha;              // rows × neurons
  std::vector<char> fixed;                // rows × neurons: halved
  std::vector<std::vector<double>> beta;  // per row and half
  std::vector<std::vector<double>> logs;  // per row: logarithms of weights
  std::vector<Narrow> narrowed;
  std::vector<std::vector<const Narrow*>> by_node;
  std::vector<std::vector<HalfOf>> halves_of;
  std::vector<double> forms, corners, bounds;
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
  std::vector<double> best_alpha = batch.alpha;
  std::vector<std::vector<double>> best_beta = batch.beta, best_logs = batch.logs;
  double rate = steps > 20 ? 0.1 : 0.2;
  for (int s = 0;; ++s, rate *= 0.97) {
    batch.evaluate();
    bool all_positive = true;
    for (std::size_t p = 0; p < m; ++p) {
      if (batch.bounds[p] > best[p]) {
        best[p] = batch.bounds[p];
        std::copy_n(batch.alpha.begin() + static_cast<std::ptrdiff_t>(p * u), u,
                    best_alpha.begin() + static_cast<std::ptrdiff_t>(p * u));
        best_beta[p] = batch.beta[p];
        best_logs[p] = batch.logs[p];
      }
      all_positive = all_positive && best[p] > 1e-5;
    }
    if (s >= steps || all_positive) break;
    adam.begin_step();
    for (Adam& a : adam_beta) a.begin_step();
    for (std::uint32_t k = 0; k < net_.size(); ++k) {
      const Node& node = net_.node(k);
      if (neurons_.first(k) == neurons_.first(k + 1) || node.kind == Kind::clip) continue;
      const std::vector<double>&nu = fast_.coefficients(k), &z = fast_.values(node.operands[0]);
      for (std::size_t p = 0; p < m; ++p) {
        if (best[p] > 1e-5) continue;
        for (std::size_t q = neurons_.first(k); q < neurons_.first(k + 1); ++q) {
          if (batch.fixed[p * u + q]) continue;
          const std::size_t at = p * node.size + neurons_[q].element;
          const double gradient = nu[at] > 0 ? nu[at] * z[at] : 0;
          double& a = batch.alpha[p * u + q];
          a = std::clamp(a + rate * adam.step(p * u + q, gradient), 0.0, 1.0);
        }
      }
    }
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
  batch.alpha = best_alpha;
  batch.beta = best_beta;
  batch.logs = best_logs;
  for (double& a : batch.alpha) a = std::round(128 * a) / 128;
  batch.evaluate();
  std::vector<Improved> out(m);
  const std::size_t n0 = net_.node(0).size;
  for (std::size_t p = 0; p < m; ++p) {
    NeuronRow& row = *rows[p];
    for (std::size_t q = 0; q < u; ++q)
      row.slopes[q] = static_cast<std::uint8_t>(std::lround(128 * batch.alpha[p * u + q]));
    for (std::size_t h = 0; h < row.halves.size(); ++h) row.halves[h].beta = batch.beta[p][h];
    std::vector<double> weight = batch.row_weights(p);
    double sum = 0;
    for (double w : weight) sum += w;
    for (std::size_t r = 0; r < weight.size(); ++r) row.weights[r] = std::round(1024 * weight[r] / sum) / 1024;
    out[p].bound = batch.bounds[p];
    out[p].corner.assign(batch.corners.begin() + static_cast<std::ptrdiff_t>(p * n0),
                         batch.corners.begin() + static_cast<std::ptrdiff_t>((p + 1) * n0));
  }
  // What a split would mend: the height of the upper line at the breakpoint (BaBSR; Bunel et al. 2020), times the
  // coefficient. The distance between line and function at the corner only decides between equals: with more weight it
  // made trees up to twice as large.
  for (std::uint32_t k = 0; k < net_.size(); ++k) {
    const Node& node = net_.node(k);
    if (neurons_.first(k) == neurons_.first(k + 1)) continue;
    const std::vector<double>&nu = fast_.coefficients(k), &z = fast_.values(node.operands[0]), &v = fast_.values(k);
    const Lines& lines = root_.lines[k];
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = neurons_.first(k); q < neurons_.first(k + 1); ++q) {
        if (batch.fixed[p * u + q]) {
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
  return out;
}

}  // namespace outward
