#include "bounds/branch/input_split.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bounds/branch/packing.hpp"
#include "bounds/parallel.hpp"
#include "formats/error.hpp"
#include "runtime/cpu/fast.hpp"

namespace outward {

namespace {

// A half of a part that was split. What both halves have in common is in the spool.
struct WaitingBox {
  double bound = -infinity;  // of the enclosing part, scaled
  ProofTree::Index part = 0;
  std::uint32_t guide = SplitGuide::none;  // the part of the guide that this part lies in
  Spool::Place common = Spool::nowhere;
  double at = 0;
  std::uint32_t input = 0;
  bool upper = false;  // x >= at, else x <= at
};

struct Taken {  // a part that is bounded in this round
  WaitingBox waiting;
  Part domain;
  Spool::Place known = Spool::nowhere;  // where the ranges of domain.known are
};

// Of a log its slopes; equal ones are written once for all who use them.
struct SlopesOnly final : ProofObserver {
  ProofLog log;
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override { log.slopes(id, node, bytes); }
};

class InputSplitter {
 public:
  InputSplitter(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                const BranchOptions& options, ProofTree& tree)
      : net_(net), rows_(rows), options_(options), tree_(tree), fast_(net.fast()) {
    whole_.input = input_range(rows.property().boxes[box], semantics, net.graph.element);
    for (std::uint32_t c = 0; c < rows.property().cases.size(); ++c)
      if (rows.property().cases[c].box == box) whole_.open.push_back(c);
    for (std::uint32_t d = 0; d < whole_.input.lo.size(); ++d)
      if (whole_.input.lo[d] < whole_.input.hi[d]) varying_.push_back(d);
    WaitingBox whole;
    EngineOptions engine{1, true, options.stop};
    for (unsigned t = 0; t < std::max(1u, options.threads); ++t)
      provers_.push_back(std::make_unique<BoxProver>(net, semantics, engine));
    // About a tenth of a second of work; from the model alone, so that rounds are the same everywhere.
    round_ = static_cast<std::size_t>(std::clamp(2e9 / (net.multiplications * unstable_guess()), 4.0, 256.0));
    if (options.guide != nullptr) whole.guide = options.guide->start();
    queue_.add(whole);
  }

  BranchResult run() {
    BranchResult result;
    try {
      while (!queue_.empty() && result.reason.empty() && !result.found) {
        if (options_.stop && options_.stop()) throw Interrupted();
        if (options_.max_domains != 0 && result.domains >= options_.max_domains) {
          result.exhausted = true;
          break;
        }
        take_round(options_.max_domains == 0 ? round_
                                             : std::min<std::uint64_t>(round_, options_.max_domains - result.domains));
        bound_round();
        result.domains += taken_.size();
        if (options_.candidate && try_points()) {
          result.found = true;
          break;
        }
        for (std::size_t i = 0; i < taken_.size() && result.reason.empty(); ++i) finish(i, result);
        if (!queue_.empty() && options_.between && options_.between()) result.found = true;
        if (options_.progress) options_.progress({result.domains, queue_.size(), queue_.worst(), tree_.closed_share()});
      }
    } catch (const Interrupted&) {
      for (const Taken& t : taken_) queue_.add(t.waiting);
    } catch (const ResourceError& error) {
      result.reason = error.what();
    }
    result.waiting = queue_.size();
    result.worst = queue_.worst();
    result.proved = !result.found && tree_.open_parts() == 0;
    return result;
  }

 private:
  double unstable_guess() const {
    double neurons = 1;
    for (std::uint32_t k = 0; k < net_.size(); ++k)
      if (is_piecewise(net_.node(k).kind)) neurons += static_cast<double>(net_.node(k).size);
    return neurons;
  }

  void take_round(std::uint64_t count) {
    taken_.clear();
    while (taken_.size() < count && !queue_.empty()) {
      taken_.emplace_back().waiting = queue_.take();
      unpack(taken_.back());
    }
  }

  // The parts that are waiting take 40 bytes each in the queue; the rest is read when they are bounded.
  Spool::Place pack(const Part& part, Spool::Place known) {
    Packer packed;
    packed.put(known);
    packed.put_all(part.open);
    for (const std::uint32_t d : varying_) {
      packed.put(part.input.lo[d]);
      packed.put(part.input.hi[d]);
    }
    return tree_.spool().append(packed.bytes);
  }

  void unpack(Taken& t) const {
    t.domain = whole_;
    if (t.waiting.common == Spool::nowhere) return;
    Unpacker packed(tree_.spool().read(t.waiting.common));
    t.known = packed.take<Spool::Place>();
    t.domain.open = packed.take_all<std::uint32_t>();
    for (const std::uint32_t d : varying_) {
      t.domain.input.lo[d] = packed.take<double>();
      t.domain.input.hi[d] = packed.take<double>();
    }
    (t.waiting.upper ? t.domain.input.lo : t.domain.input.hi)[t.waiting.input] = t.waiting.at;
    if (t.known != Spool::nowhere) t.domain.known = unpack_ranges(t.known);
  }

  // Of a relu nothing is kept where its range is the image of its operand's.
  bool is_image(const std::vector<Range>& ranges, std::uint32_t k) const {
    if (net_.node(k).kind != Kind::relu) return false;
    const Range& x = ranges[net_.node(k).operands[0]];
    const auto same = [](const std::vector<double>& y, const std::vector<double>& z) {
      return std::equal(y.begin(), y.end(), z.begin(), z.end(),
                        [](double a, double b) { return a == std::max(0.0, b); });
    };
    return same(ranges[k].lo, x.lo) && same(ranges[k].hi, x.hi);
  }

  Spool::Place pack_ranges(const std::vector<Range>& ranges) {
    Packer packed;
    for (std::uint32_t k = 1; k < net_.size(); ++k) {
      const bool image = is_image(ranges, k);
      packed.put(image);
      if (image) continue;
      packed.put_all(ranges[k].lo);
      packed.put_all(ranges[k].hi);
    }
    return tree_.spool().append(packed.bytes);
  }

  std::shared_ptr<const std::vector<Range>> unpack_ranges(Spool::Place place) const {
    auto ranges = std::make_shared<std::vector<Range>>(net_.size());
    Unpacker packed(tree_.spool().read(place));
    for (std::uint32_t k = 1; k < net_.size(); ++k) {
      Range& range = (*ranges)[k];
      if (packed.take<bool>()) {
        range = (*ranges)[net_.node(k).operands[0]];
        for (double& v : range.lo) v = std::max(0.0, v);
        for (double& v : range.hi) v = std::max(0.0, v);
      } else {
        range.lo = packed.take_all<double>();
        range.hi = packed.take_all<double>();
      }
    }
    return ranges;
  }

  void bound_round() {
    results_.assign(taken_.size(), {});
    logs_.assign(taken_.size(), {});
    parallel_for(provers_.size(), taken_.size(), [&](std::size_t worker, std::size_t i) {
      results_[i] = provers_[worker]->prove_part(rows_, taken_[i].domain, logs_[i]);
    });
  }

  // The centre of each open part, and the corner where the plane below its worst case is least.
  bool try_points() {
    const std::size_t n = net_.node(0).size;
    std::vector<double> points;
    std::vector<std::size_t> source;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (results_[i].plane.empty()) continue;
      const Range& box = taken_[i].domain.input;
      for (const bool corner : {false, true}) {
        for (std::size_t d = 0; d < n; ++d) {
          const double a = results_[i].plane[d];
          points.push_back(!corner || a == 0 ? box.lo[d] + 0.5 * (box.hi[d] - box.lo[d])
                           : a > 0           ? box.lo[d]
                                             : box.hi[d]);
        }
        source.push_back(i);
      }
    }
    if (source.empty()) return false;
    const std::size_t m = fast_.outputs();
    const std::vector<double> y = fast_.forward(points, source.size());
    for (std::size_t p = 0; p < source.size(); ++p) {
      for (const CaseBound& c : results_[source[p]].cases) {
        if (c.refuted || !rows_.looks_unsafe(c.case_index, y.data() + p * m)) continue;
        const auto from = points.begin() + static_cast<std::ptrdiff_t>(p * n);
        if (options_.candidate(c.case_index, {from, from + static_cast<std::ptrdiff_t>(n)})) return true;
      }
    }
    return false;
  }

  void finish(std::size_t i, BranchResult& result) {
    WaitingBox& w = taken_[i].waiting;
    Range& box = taken_[i].domain.input;
    PartResult& r = results_[i];
    Part child;
    bool refuted_some = false;
    for (const CaseBound& c : r.cases) {
      if (!c.refuted || !r.overflow.empty()) child.open.push_back(c.case_index);
      refuted_some = refuted_some || c.refuted;
    }
    if (child.open.empty()) {
      tree_.close(w.part, logs_[i]);
      return;
    }
    Spool::Place known = taken_[i].known;
    if (queue_.size() > most_clipped) r.clips.clear();
    if ((refuted_some && r.overflow.empty()) || !r.clips.empty()) {
      known = pack_ranges(r.ranges);
    } else {
      logs_[i].clear();
    }
    const double left = cut_off(w, box, r, logs_[i]);
    child.input = std::move(box);
    if (left < bound_again) {
      const double no_end = child.input.lo[0];
      queue_.add({r.worst, w.part, w.guide, pack(child, known), no_end, 0, true});
      return;
    }
    std::size_t d = choose_input(child.input, r);
    double lo = child.input.lo[d], hi = child.input.hi[d], middle = lo + 0.5 * (hi - lo);
    if (w.guide != SplitGuide::none) {
      w.guide = options_.guide->next_open(w.guide, [&](const SplitGuide::Part& p) {
        return child.input.lo[p.element] >= p.at ? 1 : child.input.hi[p.element] <= p.at ? -1 : 0;
      });
    }
    if (w.guide != SplitGuide::none) {
      d = options_.guide->parts[w.guide].element;
      lo = child.input.lo[d], hi = child.input.hi[d], middle = options_.guide->parts[w.guide].at;
    }
    if (!(lo < middle && middle < hi)) {
      result.reason = "a single input is not decided, however exactly it is bounded: rounding alone leaves it open" +
                      (r.overflow.empty() ? "" : ": " + r.overflow);
      return;
    }
    const ProofTree::Index first = tree_.split(w.part, {0, static_cast<std::uint32_t>(d), middle}, logs_[i]);
    WaitingBox half{r.worst, first, w.guide, pack(child, known), middle, static_cast<std::uint32_t>(d), true};
    for (const bool upper : {true, false}) {
      half.part = upper ? first : first + 1;
      half.upper = upper;
      half.guide = w.guide == SplitGuide::none ? SplitGuide::none : options_.guide->half(w.guide, upper);
      queue_.add(half);
    }
  }

  // Closes what the part's own bound shows to be safe, and goes on in the rest. The log goes to the first part that is
  // split. Returns how much of the box is left.
  double cut_off(WaitingBox& w, Range& box, PartResult& r, ProofLog& log) {
    if (r.clips.empty()) return 1;
    double left = 1;
    SlopesOnly slopes;
    std::uint32_t next = 0;
    log.replay(slopes, {0xffffffff, 0}, next);
    slopes.log.refute(r.case_index, r.rows, r.multipliers, r.slopes, {});
    for (const Clip& c : r.clips) {
      const ProofTree::Index first = tree_.split(w.part, {0, c.input, c.at}, log);
      log.clear();
      tree_.close(c.keep_lower ? first : first + 1, slopes.log);
      w.part = c.keep_lower ? first + 1 : first;
      double& lo = box.lo[c.input];
      double& hi = box.hi[c.input];
      const double width = hi - lo;
      (c.keep_lower ? hi : lo) = c.at;
      left *= (hi - lo) / width;
      if (!r.loss.empty()) r.loss[c.input] *= (hi - lo) / width;
    }
    return left;
  }

  // The input that costs most: by the slope of the plane over its width, and by the relaxation error it causes.
  static std::size_t choose_input(const Range& box, const PartResult& r) {
    constexpr double weight = 0.5;
    std::size_t best = 0;
    double greatest = -1, widest = -1;
    for (std::size_t d = 0; d < box.lo.size(); ++d) {
      const double width = box.hi[d] - box.lo[d];
      double effect = r.plane.empty() ? 0 : weight * std::fabs(r.plane[d]) * width;
      if (!r.loss.empty()) effect += r.loss[d];
      if (!std::isfinite(effect)) effect = 0;
      if (effect > greatest || (effect == greatest && width > widest)) {
        greatest = effect;
        widest = width;
        best = d;
      }
    }
    return best;
  }

  // What clipping leaves of a part is not halved but bounded again, if it is no larger than a half would be: most of
  // the time that closes it, with one refutation for two.
  static constexpr double bound_again = 0.5;
  static constexpr std::size_t most_waiting = 200000, most_clipped = 10000;

  const Network& net_;
  const RowTable& rows_;
  const BranchOptions& options_;
  ProofTree& tree_;
  FastNetwork fast_;
  Part whole_;
  std::vector<std::uint32_t> varying_;  // inputs
  std::vector<std::unique_ptr<BoxProver>> provers_;
  std::size_t round_ = 64;
  PartQueue<WaitingBox> queue_{most_waiting};
  std::vector<Taken> taken_;
  std::vector<PartResult> results_;
  std::vector<ProofLog> logs_;
};

}  // namespace

BranchResult split_inputs(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                          const BranchOptions& options, ProofTree& tree) {
  return InputSplitter(net, semantics, rows, box, options, tree).run();
}

}  // namespace outward
