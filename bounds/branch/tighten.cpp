#include "bounds/branch/tighten.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "bounds/branch/alpha_lines.hpp"
#include "bounds/parallel.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

constexpr double most_slope_bytes = 3e6;  // of all slopes that are written, about

class Tightener {
 public:
  Tightener(const Network& net, RootProof& root, const TightenOptions& options, ProofObserver& observer)
      : net_(net),
        root_(root),
        options_(options),
        observer_(observer),
        sweeper_(net, {options.threads, true, options.stop}),
        work_below_(net.size(), 0.0),
        slopes_below_(net.size(), 0.0) {
    for (unsigned t = 0; t < std::max(1u, options.threads); ++t)
      workers_.push_back(std::make_unique<Worker>(net, options));
    double work = 0, slopes = 0, values = 0;
    for (std::uint32_t k = 0; k < net.size(); ++k) {
      const Node& node = net.node(k);
      work += net.node_multiplications[k];
      values += static_cast<double>(node.size);
      work_below_[k] = work;
      slopes_below_[k] = slopes;
      if (is_piecewise(node.kind)) slopes += static_cast<double>(node.size);
      values_below_.push_back(values);
    }
  }

  void run() {
    sweeper_.next_id = root_.slope_count;
    group_size_ = group_size();
    sweeper_.run(root_.state, observer_, {true, false}, root_.slope_ids,
                 [this](std::uint32_t k, const std::vector<std::uint32_t>& ids) { tighten_node(k, ids); });
    root_.slope_count = sweeper_.next_id;
  }

  void outputs(Range& output) {
    const std::uint32_t top = net_.graph.output;
    std::vector<std::uint32_t> elements(net_.node(top).size);
    std::iota(elements.begin(), elements.end(), 0);
    group_size_ = static_cast<std::size_t>(
        std::ceil(std::max(1.0, 2 * static_cast<double>(elements.size()) * slopes_below_[top] / most_slope_bytes)));
    improve(top, elements, [&](const Neurons& neurons, const GroupBounds& group) {
      std::vector<std::uint32_t> ids;
      for (std::size_t t = 0; t < group.targets.size(); ++t) {
        const auto [element, sign] = group.targets[t];
        double& known = sign > 0 ? output.lo[element] : output.hi[element];
        const double value = claimable(group.bounds[t]);
        if (!(value > -infinity) || value <= sign * known) continue;
        if (ids.empty()) ids = report_slopes(top, root_.slope_ids, neurons, group.slopes);
        known = sign * value;
        observer_.bound(element, sign > 0, known, ids);
      }
    });
    root_.slope_count = sweeper_.next_id;
  }

 private:
  struct Worker {
    Worker(const Network& net, const TightenOptions& options)
        : engine(net, {1, true, options.stop}), fast(net.fast()) {}
    BackwardEngine engine;
    FastNetwork fast;
  };
  // One bound: +element or -element.
  struct Target {
    std::uint32_t element;
    double sign;
  };
  // The bounds of one group and the slopes they share.
  struct GroupBounds {
    std::span<const Target> targets;
    std::span<const double> bounds;
    const std::vector<std::uint8_t>& slopes;
  };

  // How many bounds share slopes, so that all slopes together stay small: from the ranges as they are.
  std::size_t group_size() const {
    double bytes = 0;
    for (std::uint32_t k = 0; k < net_.size(); ++k)
      if (net_.groups.stored[k])
        bytes += 2 * static_cast<double>(undecided_elements(net_, root_.state, k).size()) * slopes_below_[k];
    return static_cast<std::size_t>(std::ceil(std::max(1.0, bytes / most_slope_bytes)));
  }

  void tighten_node(std::uint32_t k, const std::vector<std::uint32_t>& ids) {
    improve(k, undecided_elements(net_, root_.state, k),
            [&](const Neurons& neurons, const GroupBounds& group) { keep(k, ids, neurons, group); });
  }

  // Bounds the elements of node k, group by group.
  template <typename Keep>
  void improve(std::uint32_t k, const std::vector<std::uint32_t>& elements, const Keep& keep_group) {
    const double work = 8.0 * static_cast<double>(elements.size()) * work_below_[k] * options_.steps;
    if (elements.empty() || slopes_below_[k] == 0 || work > options_.most_work || out_of_time()) return;
    const Neurons neurons(net_, root_.state);
    if (neurons.first(k) == 0) return;
    std::vector<Target> targets;
    for (const double sign : {1.0, -1.0})
      for (std::uint32_t e : elements) targets.push_back({e, sign});
    // A batch keeps every node's values, coefficients and lines for each of its rows.
    std::size_t batch = static_cast<std::size_t>(std::clamp(1.5e6 / values_below_[k], 1.0, 64.0));
    batch = (batch + group_size_ - 1) / group_size_ * group_size_;
    std::vector<double> bounds(targets.size(), -infinity);
    std::vector<std::vector<std::uint8_t>> slopes((targets.size() + group_size_ - 1) / group_size_);
    parallel_for(workers_.size(), (targets.size() + batch - 1) / batch, [&](std::size_t worker, std::size_t b) {
      if (options_.stop && options_.stop()) throw Interrupted();
      if (out_of_time()) return;
      const std::size_t from = b * batch, to = std::min(targets.size(), from + batch);
      bound_batch(*workers_[worker], k, neurons, std::span(targets).subspan(from, to - from),
                  std::span(bounds).subspan(from, to - from), std::span(slopes).subspan(from / group_size_));
    });
    for (std::size_t from = 0; from < targets.size(); from += group_size_) {
      const std::size_t to = std::min(targets.size(), from + group_size_);
      keep_group(neurons, GroupBounds{std::span(targets).subspan(from, to - from),
                                      std::span(bounds).subspan(from, to - from), slopes[from / group_size_]});
    }
  }

  bool out_of_time() const {
    return options_.seconds > 0 && std::chrono::duration<double>(Clock::now() - started_).count() > options_.seconds;
  }

  void bound_batch(Worker& worker, std::uint32_t k, const Neurons& neurons, std::span<const Target> targets,
                   std::span<double> bounds, std::span<std::vector<std::uint8_t>> slopes) {
    const std::size_t n = net_.node(k).size;
    std::vector<std::uint32_t> group_of;
    Forms forms;
    forms.rows = targets.size();
    forms.coefficient.assign(targets.size() * n, 0.0);
    forms.constant.assign(targets.size(), 0.0);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      group_of.push_back(static_cast<std::uint32_t>(t / group_size_));
      forms.coefficient[t * n + targets[t].element] = targets[t].sign;
    }
    AlphaLines alphas(net_, root_.state, neurons, worker.fast, group_of);
    climb(alphas, k, targets, forms.coefficient, group_of);
    std::vector<NeuronRow> rows(alphas.groups());
    std::vector<const NeuronRow*> row_of;
    for (std::size_t g = 0; g < rows.size(); ++g) rows[g].slopes = slopes[g] = alphas.bytes(g);
    for (std::uint32_t g : group_of) row_of.push_back(&rows[g]);
    const NeuronRows lines(net_, root_.state, neurons, std::move(row_of));
    worker.engine.form_bounds(root_.state, k, forms, bounds, nullptr, &lines);
  }

  // Leaves the slopes with the best sum of bounds of each group.
  void climb(AlphaLines& alphas, std::uint32_t k, std::span<const Target> targets, const std::vector<double>& forms,
             const std::vector<std::uint32_t>& group_of) {
    const std::size_t n = net_.node(k).size, per_group = alphas.alphas().size() / alphas.groups();
    Adam adam(alphas.alphas().size());
    std::vector<double> best = alphas.alphas(), best_sum(alphas.groups(), -infinity), sum;
    double rate = 0.4;
    for (int step = 0;; ++step, rate *= 0.8) {
      const std::vector<double>& z = alphas.run(k, forms);
      sum.assign(alphas.groups(), 0.0);
      for (std::size_t t = 0; t < targets.size(); ++t)
        sum[group_of[t]] += targets[t].sign * z[t * n + targets[t].element];
      for (std::size_t g = 0; g < sum.size(); ++g) {
        if (!(sum[g] > best_sum[g])) continue;
        best_sum[g] = sum[g];
        std::copy_n(alphas.alphas().begin() + static_cast<std::ptrdiff_t>(g * per_group), per_group,
                    best.begin() + static_cast<std::ptrdiff_t>(g * per_group));
      }
      if (step == options_.steps || (options_.stop && options_.stop())) break;
      alphas.climb(
          k, rate, adam, [](std::size_t) { return true; }, [](std::size_t, std::size_t) { return true; });
    }
    alphas.set_alphas(std::move(best));
    alphas.round_to_bytes();
  }

  // Narrows the ranges by the bounds of one group and reports the step.
  void keep(std::uint32_t k, const std::vector<std::uint32_t>& ids, const Neurons& neurons, const GroupBounds& group) {
    Range& range = root_.state.range[k];
    std::vector<std::uint32_t> lower, upper;
    for (std::size_t t = 0; t < group.targets.size(); ++t) {
      const auto [e, sign] = group.targets[t];
      const double bound = group.bounds[t];
      if (sign > 0 && bound > range.lo[e]) {
        range.lo[e] = bound;
        lower.push_back(e);
      } else if (sign < 0 && -bound < range.hi[e]) {
        range.hi[e] = -bound;
        upper.push_back(e);
      }
      if (range.lo[e] > range.hi[e])
        throw ResourceError("internal: bounds cross at " + net_.node(k).origin + "; no verdict is given");
    }
    if (lower.empty() && upper.empty()) return;
    observer_.backward(k, lower, upper, report_slopes(k, ids, neurons, group.slopes));
  }

  // Reports the slopes below node top where they differ from the root's (ids); returns the ids of all of them.
  std::vector<std::uint32_t> report_slopes(std::uint32_t top, std::vector<std::uint32_t> ids, const Neurons& neurons,
                                           const std::vector<std::uint8_t>& slopes) {
    for (std::uint32_t j = 0; j < top; ++j) {
      const std::size_t first = neurons.first(j), last = neurons.first(j + 1);
      if (first == last || net_.node(j).kind == Kind::clip) continue;
      SlopeBytes bytes = neurons.node_bytes(j);
      bool changed = false;
      for (std::size_t q = first; q < last; ++q) {
        changed = changed || bytes.lower[neurons[q].element] != slopes[q];
        bytes.lower[neurons[q].element] = slopes[q];
      }
      if (!changed) continue;
      ids[j] = sweeper_.next_id++;
      observer_.slopes(ids[j], j, bytes);
    }
    return sweeper_.used_slopes(ids, top);
  }

  using Clock = std::chrono::steady_clock;
  const Network& net_;
  RootProof& root_;
  const TightenOptions& options_;
  ProofObserver& observer_;
  Sweeper sweeper_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<double> work_below_, slopes_below_, values_below_;
  std::size_t group_size_ = 1;
  const Clock::time_point started_ = Clock::now();
};

}  // namespace

void tighten_root(const Network& net, RootProof& root, const TightenOptions& options, ProofObserver& observer) {
  Tightener(net, root, options, observer).run();
}

void tighten_outputs(const Network& net, RootProof& root, Range& output, const TightenOptions& options,
                     ProofObserver& observer) {
  Tightener tightener(net, root, options, observer);
  tightener.run();
  tightener.outputs(output);
}

}  // namespace outward
