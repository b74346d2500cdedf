#include "bounds/verify.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "bounds/attack.hpp"
#include "bounds/branch/box_branching.hpp"
#include "bounds/branch/tighten.hpp"
#include "bounds/opaque.hpp"
#include "formats/error.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward {

namespace {

using Clock = std::chrono::steady_clock;

class Query {
 public:
  Query(const Network& net, const Property& property, const VerifyOptions& options, ProofObserver& observer)
      : net_(net),
        property_(property),
        options_(options),
        observer_(observer),
        started_(Clock::now()),
        rows_(property),
        spool_(std::make_shared<Spool>()),
        proofs_(property.boxes.size(), BoxProof(spool_)) {
    open_.assign(property.cases.size(), 1);
    case_replays_.assign(property.cases.size(), 0);
    outcome_.boxes.resize(property.boxes.size());
    outcome_.box_tried.assign(property.boxes.size(), 0);
  }

  Outcome run() {
    if (property_.bound_only) return run_bounds();
    if (options_.attack && probe()) return std::move(outcome_);
    if (options_.attack) {
      const double limit = options_.timeout_seconds > 0 ? std::min(1.0, 0.15 * options_.timeout_seconds) : 1.0;
      if (search(limit, 1, 20, options_.seed)) return std::move(outcome_);
    }
    const std::size_t failed = bound_boxes();
    if (failed == property_.boxes.size()) return holds();
    explain_unknown(failed);
    const bool many_inputs = !splits_inputs(static_cast<std::uint32_t>(failed));
    const double for_search = options_.attack && many_inputs ? std::min(0.15 * options_.timeout_seconds, 10.0) : 0;
    branch_until_ = options_.timeout_seconds - for_search;
    if (options_.branch && !broken_ && !stopped() && unstated_accuracy(net_, options_.semantics).empty()) {
      if (branch()) return holds();
      if (outcome_.verdict == Verdict::violated) return std::move(outcome_);
    }
    if (options_.attack && !stopped()) {
      const double rest =
          options_.timeout_seconds > 0 ? 0.9 * (options_.timeout_seconds - seconds_since(started_)) : 5.0;
      for (int round = 0; round < (options_.max_domains ? 1 : 4) && rest > 0 && !stopped(); ++round)
        if (search(std::min(rest, 20.0) / 4, 1 << (2 * round), 40 + 40 * round,
                   options_.seed + 2 + static_cast<std::uint64_t>(round)))
          return std::move(outcome_);
    }
    return unfinished();
  }

 private:
  static double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

  bool stopped() const {
    if (options_.interrupted && options_.interrupted()) return true;
    if (memory_is_full()) return true;
    return options_.timeout_seconds > 0 && seconds_since(started_) >= options_.timeout_seconds;
  }

  // Any thread may ask; once full it stays so.
  bool memory_is_full() const {
    if (!options_.memory_is_full || full_) return full_;
    const auto now = static_cast<std::int64_t>(20 * seconds_since(started_));
    if (asked_at_.exchange(now) != now && options_.memory_is_full()) full_ = true;
    return full_;
  }

  // What ended the run before its end, and what to do about it.
  std::string what_stopped() const {
    if (options_.interrupted && options_.interrupted()) return "interrupted";
    return full_ ? "memory" : "timeout";
  }
  std::string remedy() const {
    if (options_.interrupted && options_.interrupted()) return "";
    return full_ ? "give more memory with --memory" : "give more time with --timeout";
  }

  Outcome run_bounds() {
    const auto from = Clock::now();
    BoxProver prover(net_, options_.semantics, engine_options());
    observer_.begin_box(0);
    std::optional<RootProof> root;
    outcome_.boxes[0] = prover.enclose(property_, observer_, &root);
    if (root) sharpen(*root, outcome_.boxes[0].output);
    observer_.close();
    outcome_.box_tried[0] = 1;
    outcome_.seconds.proof = seconds_since(from);
    if (!outcome_.boxes[0].overflow.empty() || outcome_.boxes[0].interrupted)
      explain_unknown(0);
    else
      outcome_.verdict = Verdict::bound;
    return std::move(outcome_);
  }

  // α-CROWN for about a second at most; a time limit only ends it sooner, and what was found until then stays.
  void sharpen(RootProof& root, Range& output) {
    TightenOptions how{options_.threads, [this] { return stopped(); }};
    how.steps = 20;
    how.most_work = 2e10;
    try {
      tighten_outputs(net_, root, output, how, observer_);
    } catch (const Interrupted&) {
    }
  }

  EngineOptions engine_options() const {
    EngineOptions engine;
    engine.threads = options_.threads;
    engine.stop = [this] { return stopped(); };
    return engine;
  }

  // Candidates are replayed in the semantics of the claim; one that is unsafe only in the other semantics is
  // remembered.
  bool accept(std::uint32_t case_index, const std::vector<double>& x) {
    // A point that looks unsafe and is not lies within rounding of the edge; there can be any number of them.
    if (++replays_ > most_replays || ++case_replays_[case_index] > most_case_replays) return false;
    const std::optional<std::vector<std::string>> decimals =
        decimals_near(x, property_.boxes[property_.cases[case_index].box], net_.graph.element);
    if (!decimals) return false;
    // Exact arithmetic costs about a microsecond a multiplication: on large networks it would outlast any timeout.
    const bool exact_affordable = net_.multiplications < 3e6;
    if (options_.semantics == Semantics::real && net_.multiplications > 5e7) return false;
    outcome_.counterexample =
        replay(net_.graph, property_, case_index, *decimals, options_.semantics, options_.execution, options_.finite);
    if (outcome_.counterexample) {
      outcome_.verdict = Verdict::violated;
      if (options_.semantics != Semantics::real)
        outcome_.execution = unsafe_in_every_execution() ? "every execution" : "this order";
      return true;
    }
    if (!outcome_.violated_elsewhere && (options_.semantics == Semantics::real || (exact_affordable && replays_ < 4))) {
      const Semantics other = options_.semantics != Semantics::real         ? Semantics::real
                              : net_.graph.element == ElementType::binary32 ? Semantics::fp32_any
                                                                            : Semantics::fp64_any;
      outcome_.violated_elsewhere = replay(net_.graph, property_, case_index, *decimals, other).has_value();
    }
    return false;
  }

  bool unsafe_in_every_execution() {
    const Counterexample& found = *outcome_.counterexample;
    BoxProver prover(net_, options_.semantics, {1, true, {}});
    const BoxResult point = prover.interval_only({found.executed, found.executed});
    if (!point.overflow.empty()) return false;
    for (double v : point.output.lo)
      if (!std::isfinite(v)) return false;
    for (double v : point.output.hi)
      if (!std::isfinite(v)) return false;
    for (const Row& row : property_.cases[found.case_index].rows) {
      const Rational upper = row_upper(row, point.output.lo, point.output.hi);
      if (row.strict ? upper >= 0 : upper > 0) return false;
    }
    return true;
  }

  // Outputs at a point: of the reference execution, or near the exact ones. Empty if the execution overflows. An
  // execution leaves the values of its nodes in `nodes`, where asked.
  std::vector<double> outputs_at(const std::vector<double>& x, std::vector<std::vector<double>>* nodes) const {
    if (options_.semantics == Semantics::real) return FastNetwork(net_.fast()).forward(x, 1);
    std::vector<double> executed = x;
    if (net_.graph.element == ElementType::binary32)
      for (double& v : executed) v = static_cast<float>(v);
    for (double v : executed)
      if (!std::isfinite(v)) return {};
    if (options_.semantics == Semantics::capsule) return options_.execution(executed, nodes);
    return run_reference(net_.graph, executed, nodes);
  }

  static std::string outputs_in_words(const std::vector<double>& y) {
    if (all_finite({y})) return "finite outputs";
    const bool nan = std::any_of(y.begin(), y.end(), [](double v) { return std::isnan(v); });
    return std::string(nan ? "NaN" : "an infinity") + " as an output (--finite counts such outputs as unsafe)";
  }

  // "" if every value of the execution at a probe is finite.
  std::string not_finite_in(const std::vector<std::vector<double>>& nodes, std::uint32_t box, int which) const {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto at = std::find_if(nodes[k].begin(), nodes[k].end(), [](double v) { return !std::isfinite(v); });
      if (at == nodes[k].end()) continue;
      static constexpr const char* places[] = {"middle", "lower corner", "upper corner"};
      return std::string("in the ") + places[which] + " of box " + std::to_string(box) + " an execution gives " +
             (std::isnan(*at) ? "NaN" : "an infinity") + ", first at " + net_.graph.nodes[k].origin + ", and " +
             outputs_in_words(nodes[net_.graph.output]);
    }
    return "";
  }

  // Centre and two corners of the first boxes, executed in the semantics of the claim whatever the exact network says
  // there: a network can be unsafe in floating point alone.
  bool probe() {
    const auto from = Clock::now();
    for (std::uint32_t b = 0; b < property_.boxes.size() && b < 16; ++b) {
      for (int which = 0; which < 3; ++which) {
        std::vector<double> x;
        for (const InputRange& r : property_.boxes[b])
          x.push_back(which == 0 ? round_nearest((r.lo + r.hi) / 2) : round_nearest(which == 1 ? r.lo : r.hi));
        std::vector<std::vector<double>> nodes;
        const std::vector<double> y = outputs_at(x, remark_.empty() && net_.multiplications <= 1e7 ? &nodes : nullptr);
        if (remark_.empty()) remark_ = not_finite_in(nodes, b, which);
        for (std::uint32_t c = 0; c < property_.cases.size() && !stopped() && !y.empty(); ++c)
          if (property_.cases[c].box == b &&
              (rows_.looks_unsafe(c, y.data()) || (options_.finite && !all_finite({y}))) && accept(c, x))
            return true;
        if (stopped() || seconds_since(from) > 0.5) return false;
      }
    }
    outcome_.seconds.attack += seconds_since(from);
    return false;
  }

  // Two searches at a time where that pays and the clock is the limit anyway.
  bool search(double seconds, int restarts, int steps, std::uint64_t seed) {
    const auto from = Clock::now();
    if (options_.progress) options_.progress("attack");
    const bool both = options_.threads > 1 && options_.max_domains == 0 && net_.multiplications > 1e5;
    while (searchers_.size() < (both ? 2 : 1)) searchers_.push_back(std::make_unique<FastNetwork>(net_.fast()));
    std::atomic<bool> found{false};
    std::mutex guard;
    const auto work = [&](std::size_t which) {
      AttackOptions attack_options;
      attack_options.seed = seed + 1000003 * which;
      attack_options.restarts = restarts;
      attack_options.steps = steps;
      attack_options.most_points = static_cast<std::size_t>(std::clamp(3e7 / net_.multiplications, 1.0, 64.0));
      attack_options.stop = [&] {
        return found || stopped() || (options_.max_domains == 0 && seconds_since(from) > seconds);
      };
      const auto sink = [&](std::uint32_t c, const std::vector<double>& x) {
        const std::lock_guard<std::mutex> lock(guard);
        if (!found && accept(c, x)) found = true;
        return found.load();
      };
      try {
        attack(*searchers_[which], rows_, open_, attack_options, sink);
      } catch (...) {  // a search that fails finds nothing
      }
    };
    std::vector<std::thread> pool;
    for (std::size_t t = 1; t < searchers_.size() && both; ++t) pool.emplace_back(work, t);
    work(0);
    for (std::thread& t : pool) t.join();
    outcome_.seconds.attack += seconds_since(from);
    return found;
  }

  Outcome holds() {
    write_proof();
    outcome_.verdict = Verdict::holds;
    outcome_.reason.clear();
    outcome_.next.clear();
    return std::move(outcome_);
  }

  void write_proof() {
    std::uint32_t next_id = 0;
    outcome_.proof_in_memory = spool_->failure();
    try {
      for (std::uint32_t b = 0; b < proofs_.size(); ++b) {
        observer_.begin_box(b);
        proofs_[b].write(net_, observer_, next_id);
      }
    } catch (const ResourceError& error) {  // a disk that failed takes the proof away, not the verdict
      outcome_.proof_lost = error.what();
    }
  }

  // What a limit leaves of a proof by branching: worth keeping, since it shows what is done.
  Outcome unfinished() {
    if (outcome_.verdict == Verdict::unknown && !remark_.empty()) {
      // Programs look for the one word of a limit.
      std::string& told = outcome_.reason.find(' ') == std::string::npos ? outcome_.next : outcome_.reason;
      told += (told.empty() ? "" : "; ") + remark_;
    }
    if (outcome_.domains > 0 && outcome_.verdict == Verdict::unknown) {
      write_proof();
      if (outcome_.proof_lost.empty())
        for (const BoxProof& p : proofs_) outcome_.open_parts += p.open_parts();
    }
    return std::move(outcome_);
  }

  // Bounds every box without branching. The first box that is not proved, or the number of boxes.
  std::size_t bound_boxes() {
    const auto from = Clock::now();
    BoxProver prover(net_, options_.semantics, engine_options());
    std::size_t failed = property_.boxes.size();
    for (std::uint32_t b = 0; b < property_.boxes.size() && !stopped(); ++b) {
      if (options_.progress)
        options_.progress("box " + std::to_string(b + 1) + " of " + std::to_string(property_.boxes.size()));
      ProofLog& log = proofs_[b].tree.root_log();
      prover.number_slopes_from(0);
      try {
        outcome_.boxes[b] = prover.prove(rows_, b, log, splits_inputs(b) ? nullptr : &proofs_[b].root);
      } catch (const ResourceError& error) {
        outcome_.reason = error.what();
        broken_ = true;
      }
      outcome_.box_tried[b] = 1;
      for (const CaseBound& c : outcome_.boxes[b].cases)
        if (c.refuted && outcome_.boxes[b].overflow.empty()) open_[c.case_index] = 0;
      if (outcome_.boxes[b].proved()) {
        proofs_[b].tree.close(0);
        continue;
      }
      if (!proofs_[b].root) log.clear();
      if (failed == property_.boxes.size()) failed = b;
    }
    outcome_.seconds.proof = seconds_since(from);
    if (failed == property_.boxes.size() && property_.boxes.empty()) return 0;
    for (std::size_t b = 0; b < property_.boxes.size() && failed == property_.boxes.size(); ++b)
      if (!outcome_.box_tried[b]) failed = b;
    return failed;
  }

  bool splits_inputs(std::uint32_t box) const { return varying_inputs(property_, box) <= options_.most_varying_inputs; }

  // Proves the boxes that are left. True when none is left.
  bool branch() {
    const auto from = Clock::now();
    BranchOptions how;
    how.threads = options_.threads;
    how.stop = [this] {
      return stopped() || (options_.timeout_seconds > 0 && seconds_since(started_) >= branch_until_);
    };
    if (options_.attack) how.candidate = [this](std::uint32_t c, const std::vector<double>& x) { return accept(c, x); };
    // Halving inputs finds counterexamples by itself; with many inputs the search gets a share of the time. Not where
    // the number of parts is the limit: such a run must not depend on the clock.
    if (options_.attack && options_.max_domains == 0)
      how.between = [this, from] {
        const double spent = outcome_.seconds.attack, so_far = seconds_since(from);
        if (spent > (so_far < 5 ? 0.3 : 0.1) * so_far) return false;
        ++slices_;
        return search(0.3, 1 + static_cast<int>(slices_ % 4), 40 + 20 * static_cast<int>(slices_ % 3),
                      options_.seed + 100 + slices_);
      };
    BoxPlan plan{options_.most_varying_inputs,
                 options_.timeout_seconds > 0 ? 0.15 * options_.timeout_seconds : BoxPlan().trial_seconds,
                 options_.timeout_seconds > 0 ? 0.15 * options_.timeout_seconds : BoxPlan().tighten_seconds};
    bool all = true;
    for (std::uint32_t b = 0; b < property_.boxes.size() && all; ++b) {
      if (proofs_[b].proved()) continue;
      if (options_.max_domains != 0) {
        if (outcome_.domains >= options_.max_domains) return false;
        how.max_domains = options_.max_domains - outcome_.domains;
      }
      if (options_.progress)
        how.progress = [this, b, start = Clock::now()](const BranchProgress& p) {
          const double share = p.closed_share, to_go = (1 - share) / share * seconds_since(start);
          const std::string rest = share < 0.01
                                       ? ""
                                       : ", " + std::to_string(static_cast<int>(100 * share)) + "% closed, about " +
                                             std::to_string(static_cast<long>(to_go) + 1) + " s to go";
          options_.progress("box " + std::to_string(b + 1) + " of " + std::to_string(property_.boxes.size()) + ": " +
                            std::to_string(p.done) + " parts bounded, " + std::to_string(p.waiting) +
                            " waiting, worst bound " + short_number(p.worst) + rest);
        };
      const BranchResult r =
          branch_box(net_, options_.semantics, rows_, b, outcome_.boxes[b].cases, plan, how, proofs_[b]);
      outcome_.domains += r.domains;
      all = r.proved;
      if (!r.proved && !r.found) explain_branching(b, r);
    }
    outcome_.seconds.branch = seconds_since(from);
    return all;
  }

  void explain_branching(std::uint32_t box, const BranchResult& r) {
    const std::string left = std::to_string(r.domains) + " parts of box " + std::to_string(box) + " bounded, " +
                             std::to_string(r.waiting) + " left; the worst falls short by " + short_number(-r.worst);
    if (!r.reason.empty()) {
      outcome_.reason = r.reason;
      outcome_.next = "try --semantics best, or a smaller input set";
    } else if (r.exhausted) {
      outcome_.reason = "domain budget: " + left;
      outcome_.next = "give more with --max-domains";
    } else {
      outcome_.reason = what_stopped();
      outcome_.next = left + (remedy().empty() ? "" : "; " + remedy());
    }
  }

  void explain_unknown(std::size_t box) {
    outcome_.verdict = Verdict::unknown;
    if (!outcome_.reason.empty()) return;
    if (box >= outcome_.boxes.size() || !outcome_.box_tried[box] || outcome_.boxes[box].interrupted) {
      outcome_.reason = what_stopped();
      outcome_.next = remedy();
      return;
    }
    const BoxResult& r = outcome_.boxes[box];
    if (!r.overflow.empty()) {
      outcome_.reason = r.overflow;
      outcome_.next = "try --semantics real, or a smaller input set";
      return;
    }
    const CaseBound* worst = nullptr;
    std::size_t open = 0;
    for (const CaseBound& c : r.cases) {
      if (c.refuted) continue;
      ++open;
      if (!worst || c.bound < worst->bound) worst = &c;
    }
    if (!worst) return;
    const Case& unsafe = property_.cases[worst->case_index];
    if (unsafe.rows.empty()) {
      outcome_.reason = "case " + std::to_string(worst->case_index) +
                        " puts no condition on the outputs: every input of its box is unsafe";
      return;
    }
    const Row& row = unsafe.rows[worst->row];
    const double scale = row_scale(row), gap = worst->bound / scale, boxes = r.error_box_part / scale;
    outcome_.reason = std::to_string(open) + " of " + std::to_string(r.cases.size()) + " cases of box " +
                      std::to_string(box) + " not refuted; the worst falls short by " + short_number(-gap) + " (case " +
                      std::to_string(worst->case_index) + (row.line ? ", line " + std::to_string(row.line) : "") +
                      "), of which floating point " + short_number(boxes) + " and relaxation and splitting the rest";
    if (boxes >= -gap) {
      outcome_.reason = std::to_string(open) + " of " + std::to_string(r.cases.size()) + " cases of box " +
                        std::to_string(box) + " not refuted; over the reals they are: floating point alone costs " +
                        short_number(boxes) + " (case " + std::to_string(worst->case_index) +
                        (row.line ? ", line " + std::to_string(row.line) : "") + ")";
      outcome_.next = "try --semantics best, which falls back to the real numbers, or a smaller input set";
    } else {
      outcome_.next = "give more time, or try a smaller input set";
    }
  }

  static std::string short_number(double v) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", v);
    return buffer;
  }

  const Network& net_;
  const Property& property_;
  const VerifyOptions& options_;
  std::string remark_;  // of an execution that is not finite
  ProofObserver& observer_;
  Clock::time_point started_;
  RowTable rows_;
  std::shared_ptr<Spool> spool_;
  std::vector<BoxProof> proofs_;
  std::vector<char> open_;
  std::vector<std::unique_ptr<FastNetwork>> searchers_;
  std::uint64_t slices_ = 0;  // searches between rounds so far
  bool broken_ = false;       // an internal inconsistency: nothing may be claimed any more
  double branch_until_ = 0;   // seconds after the start
  mutable std::atomic<bool> full_{false};
  mutable std::atomic<std::int64_t> asked_at_{-1};
  static constexpr std::uint64_t most_replays = 400, most_case_replays = 50;
  std::uint64_t replays_ = 0;
  std::vector<std::uint64_t> case_replays_;  // per case
  Outcome outcome_;
};

}  // namespace

Outcome verify_property(const Network& network, const Property& property, const VerifyOptions& options,
                        ProofObserver& observer) {
  return Query(network, property, options, observer).run();
}

}  // namespace outward
