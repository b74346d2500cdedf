#include "bounds/branch/neuron_split.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bounds/branch/linear_part.hpp"
#include "bounds/branch/optimise.hpp"
#include "bounds/branch/unused_splits.hpp"
#include "bounds/parallel.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

constexpr int root_steps = 60, part_steps = 8;
constexpr int last_steps = 400;  // for a part without a neuron left to halve: only its multipliers can still improve
constexpr double row_margin = 1e-9;  // of a refutation, scaled: the checker's own roundings must not matter

struct WaitingRow {
  double bound = -infinity;  // scaled
  ProofTree::Index part = 0;
  std::uint32_t split = Improved::no_neuron;
  double split_scale = 0;
  std::uint32_t guide = SplitGuide::none;  // the part of the guide that this part lies in
  Spool::Place row = Spool::nowhere;       // of its NeuronRow
};

struct Child {  // a part that is bounded in this round
  WaitingRow waiting;
  NeuronRow row;
};

class NeuronSplitter {
 public:
  NeuronSplitter(const Network& net, const RowTable& table, const RootProof& root, std::uint32_t case_index,
                 const BranchOptions& options, ProofTree& tree)
      : net_(net),
        table_(table),
        root_(root),
        case_(case_index),
        options_(options),
        tree_(tree),
        neurons_(net, root.state),
        used_ids_(root.slope_ids) {
    const EngineOptions engine{1, true, options.stop};
    for (unsigned t = 0; t < std::max(1u, options.threads); ++t)
      workers_.push_back(std::make_unique<Worker>(*this, engine));
    double total = 1;
    for (std::uint32_t k = 0; k < net.size(); ++k) total += static_cast<double>(net.node(k).size);
    // A batch keeps every node's values and coefficients; a round gives each of two workers some batches. From the
    // model alone, so that rounds are the same everywhere.
    batch_ = static_cast<std::size_t>(std::clamp(4e6 / total, 2.0, 32.0));
    round_ = std::clamp<std::size_t>(static_cast<std::size_t>(4e9 / (net.multiplications * 4 * part_steps)), batch_,
                                     8 * batch_);
  }

  BranchResult run() {
    BranchResult result;
    try {
      Child whole;
      whole.row.case_index = case_;
      whole.row.weights.assign(table_.rows(case_), 1.0 / static_cast<double>(table_.rows(case_)));
      whole.row.slopes = neurons_.bytes();
      if (options_.guide != nullptr) whole.waiting.guide = options_.guide->start();
      children_.push_back(std::move(whole));
      bound_children(root_steps);
      finish_children(result);
      retry_stubborn(result);
      while (!queue_.empty() && result.reason.empty() && !result.found) {
        if (options_.stop && options_.stop()) throw Interrupted();
        if (options_.max_domains != 0 && result.domains >= options_.max_domains) {
          result.exhausted = true;
          break;
        }
        take_round(options_.max_domains == 0 ? round_ : options_.max_domains - result.domains);
        bound_children(part_steps);
        finish_children(result);
        retry_stubborn(result);
        if (!queue_.empty() && options_.between && options_.between()) result.found = true;
        if (options_.progress) options_.progress({result.domains, queue_.size(), queue_.worst(), tree_.closed_share()});
      }
    } catch (const Interrupted&) {
    } catch (const ResourceError& error) {
      result.reason = error.what();
    }
    result.waiting = std::max<std::uint64_t>(queue_.size(), tree_.open_parts());
    result.worst = queue_.empty() ? worst_taken_ : queue_.worst();
    result.proved = !result.found && tree_.open_parts() == 0;
    try {
      if (result.proved) drop_unused_splits();
    } catch (const ResourceError&) {  // the proof stays as it is
    }
    return result;
  }

 private:
  struct Worker {
    Worker(const NeuronSplitter& s, const EngineOptions& engine_options)
        : engine(s.net_, engine_options), optimiser(s.net_, s.table_, s.root_.state, s.neurons_) {}
    BackwardEngine engine;
    Optimiser optimiser;
  };
  // Halves the worst parts; their halves become children_.
  void take_round(std::uint64_t most) {
    children_.clear();
    worst_taken_ = queue_.worst();
    while (children_.size() < std::min<std::uint64_t>(round_, most) && !queue_.empty()) {
      const WaitingRow w = queue_.take();
      Unpacker packed(tree_.spool().read(w.row));
      const NeuronRow row = unpack_row(case_, packed);
      double lo = 0, hi = 0;
      NeuronRows::narrowed(root_.state, net_, neurons_, row, w.split, &lo, &hi);
      const Neurons::Neuron neuron = neurons_[w.split];
      const Node& node = net_.node(neuron.node);
      const double at_break = Neurons::breakpoint(node, lo, hi);
      const ProofTree::Index first = tree_.split(w.part, {node.operands[0], neuron.element, at_break});
      for (const bool upper : {true, false}) {
        Child child;
        child.waiting.part = upper ? first : first + 1;
        child.row = row;
        child.row.halves.push_back({w.split, upper, at_break, 0, w.split_scale});
        if (w.guide != SplitGuide::none) child.waiting.guide = options_.guide->half(w.guide, upper);
        children_.push_back(std::move(child));
      }
    }
  }

  // The guide's split instead of our own, where it has one at a breakpoint of a neuron that is not linear here.
  void follow_guide(WaitingRow& w, const NeuronRow& row) const {
    if (w.guide == SplitGuide::none) return;
    std::uint32_t neuron = Improved::no_neuron;
    w.guide = options_.guide->next_open(w.guide, [&](const SplitGuide::Part& p) {
      const Range& range = root_.state.range[p.node];
      double lo = range.lo[p.element], hi = range.hi[p.element];
      neuron = Improved::no_neuron;
      for (std::uint32_t q = 0; q < neurons_.size(); ++q) {
        if (neurons_[q].element != p.element || net_.node(neurons_[q].node).operands[0] != p.node) continue;
        NeuronRows::narrowed(root_.state, net_, neurons_, row, q, &lo, &hi);
        neuron = q;
        break;
      }
      return lo >= p.at ? 1 : hi <= p.at ? -1 : 0;
    });
    if (w.guide == SplitGuide::none) return;
    const Node* node = neuron == Improved::no_neuron ? nullptr : &net_.node(neurons_[neuron].node);
    if (node != nullptr && node->kind != Kind::clip && options_.guide->parts[w.guide].at == 0)
      w.split = neuron;
    else
      w.guide = SplitGuide::none;
  }

  void bound_children(int steps) {
    improved_.assign(children_.size(), {});
    rigorous_.assign(children_.size(), -infinity);
    const std::size_t batches = (children_.size() + batch_ - 1) / batch_;
    parallel_for(workers_.size(), batches, [&](std::size_t worker, std::size_t b) {
      if (options_.stop && options_.stop()) throw Interrupted();
      bound_batch(*workers_[worker], b * batch_, std::min(children_.size(), (b + 1) * batch_), steps);
    });
  }

  // The multipliers of the rows of the case as the certificate states them.
  std::vector<double> multipliers(const NeuronRow& row) const {
    std::vector<double> m;
    for (std::uint32_t r = 0; r < row.weights.size(); ++r) m.push_back(row.weights[r] / table_.scale(case_, r));
    return m;
  }

  void bound_batch(Worker& worker, std::size_t from, std::size_t to, int steps) {
    std::vector<NeuronRow*> rows;
    std::vector<const NeuronRow*> fixed_rows;
    for (std::size_t i = from; i < to; ++i) rows.push_back(&children_[i].row);
    std::vector<Improved> improved = worker.optimiser.improve(rows, steps);
    for (std::size_t i = from; i < to; ++i) {
      fixed_rows.push_back(&children_[i].row);
      improved_[i] = std::move(improved[i - from]);
    }
    bound_rows(worker, std::move(fixed_rows), std::span(rigorous_).subspan(from, to - from));
  }

  // Rigorously, as they are.
  void bound_rows(Worker& worker, std::vector<const NeuronRow*> rows, std::span<double> bounds) const {
    Forms forms;
    for (const NeuronRow* row : rows) table_.append_sum(case_, multipliers(*row), forms);
    const NeuronRows lines(net_, root_.state, neurons_, std::move(rows));
    worker.engine.form_bounds(root_.state, net_.graph.output, forms, bounds, nullptr, &lines);
  }

  void finish_children(BranchResult& result) {
    result.domains += children_.size();
    for (std::size_t i = 0; i < children_.size(); ++i) {
      WaitingRow& w = children_[i].waiting;
      const NeuronRow& row = children_[i].row;
      if (rigorous_[i] > row_margin && root_.state.overflow.empty()) {
        tree_.close(w.part, record(row));
        unused_.add(tree_, w.part, row, improved_[i].needs, rigorous_[i]);
        continue;
      }
      if (improved_[i].split == Improved::no_neuron && !last_try_) {
        stubborn_.push_back(std::move(children_[i]));
        continue;
      }
      if (last_try_)
        result.reason = "a part where every neuron is linear is not refuted; it falls short by " +
                        std::to_string(-rigorous_[i]) + ", which its multipliers or floating point cost";
      w.bound = rigorous_[i];
      w.split = improved_[i].split;
      w.split_scale = improved_[i].split_scale;
      follow_guide(w, row);
      if (!result.found && options_.candidate && improved_[i].bound < 0 && !improved_[i].corner.empty())
        result.found = promising(improved_[i].corner) && options_.candidate(case_, improved_[i].corner);
      Packer packed;
      pack(row, packed);
      w.row = tree_.spool().append(packed.bytes);
      queue_.add(w);
    }
    children_.clear();
  }

  void drop_unused_splits() {
    unused_.drop(
        tree_,
        [&](const std::vector<const NeuronRow*>& rows) {
          std::vector<double> bounds(rows.size(), -infinity);
          for (std::size_t from = 0; from < rows.size(); from += batch_) {
            const std::size_t count = std::min(batch_, rows.size() - from);
            const auto first = rows.begin() + static_cast<std::ptrdiff_t>(from);
            bound_rows(*workers_[0], {first, first + static_cast<std::ptrdiff_t>(count)},
                       std::span(bounds).subspan(from, count));
            if (!(*std::min_element(bounds.begin() + static_cast<std::ptrdiff_t>(from),
                                    bounds.begin() + static_cast<std::ptrdiff_t>(from + count)) > row_margin))
              return false;
          }
          return true;
        },
        [&](const NeuronRow& row) { return record(row); });
  }

  // Parts without a neuron left to halve: their multipliers solve a linear program. What rounding keeps that from
  // closing gets many steps.
  void retry_stubborn(BranchResult& result) {
    if (stubborn_.empty()) return;
    for (Child& c : stubborn_) {
      if (root_.state.overflow.empty() && solve_multipliers(c.row)) {
        tree_.close(c.waiting.part, record(c.row));
        std::vector<double> needs;
        for (const Half& h : c.row.halves) needs.push_back(h.beta == 0 ? 0 : infinity);
        unused_.add(tree_, c.waiting.part, c.row, needs, row_margin);
        ++result.domains;
      } else {
        children_.push_back(std::move(c));
      }
    }
    stubborn_.clear();
    if (children_.empty()) return;
    last_try_ = true;
    bound_children(last_steps);
    finish_children(result);
    last_try_ = false;
  }

  // Whether the solved multipliers refute the part, rigorously; otherwise the row stays as it is.
  bool solve_multipliers(NeuronRow& row) {
    std::optional<NeuronRow> solved =
        solved_multipliers(net_, table_, root_.state, neurons_, row, workers_[0]->engine, options_.stop);
    if (!solved) return false;
    double bound = -infinity;
    bound_rows(*workers_[0], {&*solved}, std::span(&bound, 1));
    if (!(bound > row_margin && bound < infinity)) return false;
    row = std::move(*solved);
    return true;
  }

  // Whether the network itself, not its relaxation, looks unsafe at the corner.
  bool promising(const std::vector<double>& corner) {
    if (!fast_) fast_.emplace(net_.fast());
    return table_.looks_unsafe(case_, fast_->forward(corner, 1).data());
  }

  // The refutation of the row as steps.
  ProofLog record(const NeuronRow& row) const {
    ProofLog log;
    std::uint32_t next = root_.slope_count;
    std::vector<std::uint32_t> ids = used_ids_;
    for (std::uint32_t k = 0; k < net_.size(); ++k) {
      const std::size_t first = neurons_.first(k), last = neurons_.first(k + 1);
      if (first == last || net_.node(k).kind == Kind::clip) continue;
      if (std::equal(row.slopes.begin() + static_cast<std::ptrdiff_t>(first),
                     row.slopes.begin() + static_cast<std::ptrdiff_t>(last),
                     neurons_.bytes().begin() + static_cast<std::ptrdiff_t>(first)))
        continue;
      SlopeBytes bytes = neurons_.node_bytes(k);
      for (std::size_t q = first; q < last; ++q) bytes.lower[neurons_[q].element] = row.slopes[q];
      log.slopes(next, k, bytes);
      ids[k] = next++;
    }
    std::vector<std::uint32_t> slopes, rows;
    for (std::uint32_t id : ids)
      if (id != no_slopes) slopes.push_back(id);
    std::vector<double> used;
    const std::vector<double> all = multipliers(row);
    for (std::uint32_t r = 0; r < all.size(); ++r) {
      if (all[r] == 0) continue;
      rows.push_back(r);
      used.push_back(all[r]);
    }
    std::vector<RangeMultiplier> ranges;
    for (const Half& h : row.halves)
      if (h.beta != 0)
        ranges.push_back(
            {net_.node(neurons_[h.neuron].node).operands[0], neurons_[h.neuron].element, h.upper ? h.beta : -h.beta});
    log.refute(case_, rows, used, slopes, ranges);
    return log;
  }

  static constexpr std::size_t most_waiting = 20000;

  const Network& net_;
  const RowTable& table_;
  const RootProof& root_;
  std::uint32_t case_;
  const BranchOptions& options_;
  ProofTree& tree_;
  const Neurons neurons_;
  std::vector<std::uint32_t> used_ids_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<FastNetwork> fast_;
  std::size_t batch_ = 16, round_ = 32;
  PartQueue<WaitingRow> queue_{most_waiting};
  std::vector<Child> children_, stubborn_;
  bool last_try_ = false;
  std::vector<Improved> improved_;
  std::vector<double> rigorous_;
  double worst_taken_ = 0;
  UnusedSplits unused_{case_};
};

}  // namespace

BranchResult split_neurons(const Network& net, const RowTable& rows, const RootProof& root, std::uint32_t case_index,
                           const BranchOptions& options, ProofTree& tree) {
  if (rows.rows(case_index) == 0) {
    BranchResult nothing;
    nothing.reason = "the case puts no condition on the outputs";
    return nothing;
  }
  return NeuronSplitter(net, rows, root, case_index, options, tree).run();
}

}  // namespace outward
