#include "bounds/branch/trim_steps.hpp"

#include <algorithm>

namespace outward {

namespace {

using Item = OutlineItem::Kind;

struct Event {
  enum class What : std::uint8_t { slopes, interval, backward, refute };
  What what;
  bool dropped = false;
  std::uint32_t node = 0, id = 0;  // node: for refute the case
  SlopeBytes bytes;
  std::vector<std::uint32_t> lower, upper, slopes;  // lower: for refute the rows
  std::vector<double> multipliers;
  std::vector<RangeMultiplier> ranges;
};

std::vector<std::uint32_t> copy(std::span<const std::uint32_t> items) { return {items.begin(), items.end()}; }

class Events final : public ProofObserver {
 public:
  explicit Events(const ProofLog& log) {
    std::uint32_t next = 0;
    log.replay(*this, {0xffffffff, 0}, next);
  }
  std::vector<Event> all;

  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override {
    Event& e = add(Event::What::slopes, node);
    e.id = id;
    e.bytes = bytes;
  }
  void interval(std::uint32_t node) override { add(Event::What::interval, node); }
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> slopes) override {
    Event& e = add(Event::What::backward, node);
    e.lower = copy(lower);
    e.upper = copy(upper);
    e.slopes = copy(slopes);
  }
  void refute(std::uint32_t case_index, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> slopes, std::span<const RangeMultiplier> ranges) override {
    Event& e = add(Event::What::refute, case_index);
    e.lower = copy(rows);
    e.multipliers.assign(multipliers.begin(), multipliers.end());
    e.slopes = copy(slopes);
    e.ranges.assign(ranges.begin(), ranges.end());
  }

  ProofLog kept() const {
    ProofLog log;
    for (const Event& e : all) {
      if (e.dropped) continue;
      if (e.what == Event::What::slopes) log.slopes(e.id, e.node, e.bytes);
      if (e.what == Event::What::interval) log.interval(e.node);
      if (e.what == Event::What::backward) log.backward(e.node, e.lower, e.upper, e.slopes);
      if (e.what == Event::What::refute) log.refute(e.node, e.lower, e.multipliers, e.slopes, e.ranges);
    }
    return log;
  }

 private:
  Event& add(Event::What what, std::uint32_t node) {
    all.emplace_back();
    all.back().what = what;
    all.back().node = node;
    return all.back();
  }
};

// Range ends that somebody reads later. For each of them: written by an interval step, and by a backward step. The two
// differ: a later interval step replaces an earlier one (its operands have narrowed since), but no backward step.
class Live {
 public:
  enum Bit : std::uint8_t { interval_lo = 1, interval_hi = 2, backward_lo = 4, backward_hi = 8, all_bits = 15 };
  explicit Live(const Network& net) : nodes_(net.size()) {}

  void read(std::uint32_t k) {
    nodes_[k].all = true;
    nodes_[k].bits.clear();
  }
  void read_everything() {
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) read(k);
  }
  bool any(std::uint32_t k, std::uint8_t which) const {
    const Node& n = nodes_[k];
    if (n.all) return true;
    return std::any_of(n.bits.begin(), n.bits.end(), [&](std::uint8_t b) { return (b & which) != 0; });
  }
  bool has(std::uint32_t k, std::uint32_t element, Bit which) const {
    const Node& n = nodes_[k];
    return n.all || (!n.bits.empty() && (n.bits[element] & which) != 0);
  }
  void written(std::uint32_t k, std::size_t size, std::uint32_t element, std::uint8_t which) {
    std::vector<std::uint8_t>& bits = spread(k, size);
    if (!bits.empty()) bits[element] &= static_cast<std::uint8_t>(~which);
  }
  void written(std::uint32_t k, std::size_t size, std::uint8_t which) {
    for (std::uint8_t& b : spread(k, size)) b &= static_cast<std::uint8_t>(~which);
  }
  void join(const Live& other) {
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      Node& mine = nodes_[k];
      const Node& theirs = other.nodes_[k];
      if (mine.all || (!theirs.all && theirs.bits.empty())) continue;
      if (theirs.all || mine.bits.empty())
        mine = theirs;
      else
        for (std::size_t i = 0; i < mine.bits.size(); ++i) mine.bits[i] |= theirs.bits[i];
    }
  }

 private:
  struct Node {
    bool all = false;  // else bits per element, or nothing where none is live
    std::vector<std::uint8_t> bits;
  };
  std::vector<std::uint8_t>& spread(std::uint32_t k, std::size_t size) {
    Node& n = nodes_[k];
    if (n.all) n.bits.assign(size, all_bits);
    n.all = false;
    return n.bits;
  }
  std::vector<Node> nodes_;
};

class Trimmer {
 public:
  Trimmer(const Network& net, const Outline& outline) : net_(net), outline_(outline) { find_readings(); }

  TrimCounts run() {
    drop_refutations();
    std::vector<Live> scopes, halves;  // innermost last; both halves of a split that was passed
    for (auto item = outline_.items.rbegin(); item != outline_.items.rend(); ++item) {
      if (item->is_end()) {
        scopes.emplace_back(net_);
        // The overflow condition is about every range; so is whatever follows an open scope.
        if (item->kind != Item::end_split) scopes.back().read_everything();
      } else if (item->kind == Item::begin) {
        halves.push_back(std::move(scopes.back()));
        scopes.pop_back();
      } else if (item->kind == Item::split) {
        for (int half = 0; half < 2; ++half) {
          scopes.back().join(halves.back());
          halves.pop_back();
        }
        scopes.back().read(outline_.split(*item).node);
      } else {
        trim_log(*item, scopes.back());
      }
    }
    return counts_;
  }

 private:
  // Stored nodes whose ranges a backward bound of node k may read: those it depends on. An interval step reads the
  // nearest of them.
  void find_readings() {
    const std::uint32_t n = net_.size();
    direct_.resize(n);
    for (std::uint32_t k = 1; k < n; ++k) {
      if (!net_.groups.stored[k]) continue;
      const bool linear = net_.is_root(k);
      const auto add = [&](std::uint32_t operand) {
        if (net_.groups.stored[operand]) direct_[k].push_back(operand);
      };
      if (!linear) {
        for (std::uint32_t operand : net_.node(k).operands) add(operand);
        continue;
      }
      for (std::uint32_t member : net_.members[k])
        for (std::uint32_t operand : net_.node(member).operands)
          if (!inside_group(net_.graph, net_.groups, operand, member)) add(operand);
    }
  }

  void read_below(std::uint32_t k, Live& live) {
    seen_.assign(net_.size(), 0);
    std::vector<std::uint32_t> waiting = direct_[k];
    while (!waiting.empty()) {
      const std::uint32_t j = waiting.back();
      waiting.pop_back();
      if (seen_[j]) continue;
      seen_[j] = 1;
      live.read(j);
      waiting.insert(waiting.end(), direct_[j].begin(), direct_[j].end());
    }
  }

  void trim_log(const OutlineItem& item, Live& live) {
    Events events(outline_.log(item));
    bool changed = false;
    for (auto e = events.all.rbegin(); e != events.all.rend(); ++e) {
      const std::size_t size = e->what == Event::What::refute ? 0 : net_.node(e->node).size;
      if (e->what == Event::What::refute) {
        read_below(net_.graph.output, live);
        for (const RangeMultiplier& r : e->ranges) live.read(r.node);
      } else if (e->what == Event::What::interval) {
        if (!live.any(e->node, Live::interval_lo | Live::interval_hi)) {
          e->dropped = changed = true;
          ++counts_.steps;
          continue;
        }
        live.written(e->node, size, Live::interval_lo | Live::interval_hi);
        for (std::uint32_t j : direct_[e->node]) live.read(j);
      } else if (e->what == Event::What::backward) {
        const std::size_t before = e->lower.size() + e->upper.size();
        std::erase_if(e->lower, [&](std::uint32_t i) { return !live.has(e->node, i, Live::backward_lo); });
        std::erase_if(e->upper, [&](std::uint32_t i) { return !live.has(e->node, i, Live::backward_hi); });
        const std::size_t left = e->lower.size() + e->upper.size();
        changed = changed || left != before;
        if (left == 0) {
          e->dropped = true;
          ++counts_.steps;
          continue;
        }
        counts_.ends += before - left;
        for (std::uint32_t i : e->lower) live.written(e->node, size, i, Live::interval_lo | Live::backward_lo);
        for (std::uint32_t i : e->upper) live.written(e->node, size, i, Live::interval_hi | Live::backward_hi);
        read_below(e->node, live);
      }
    }
    if (changed) outline_.replace_log(item, events.kept());
  }

  // A case that is refuted in a scope is refuted below it and later in it.
  void drop_refutations() {
    std::vector<std::vector<std::uint32_t>> scopes(1);
    for (const OutlineItem& item : outline_.items) {
      if (item.kind == Item::begin) scopes.emplace_back();
      if (item.is_end()) {
        for (std::uint32_t c : scopes.back()) refuted_[c] = 0;
        scopes.pop_back();
      }
      if (item.kind != Item::log) continue;
      Events events(outline_.log(item));
      bool changed = false;
      for (Event& e : events.all) {
        if (e.what != Event::What::refute) continue;
        if (refuted_.size() <= e.node) refuted_.resize(e.node + 1, 0);
        if (refuted_[e.node]) {
          e.dropped = changed = true;
          ++counts_.refutations;
        } else {
          refuted_[e.node] = 1;
          scopes.back().push_back(e.node);
        }
      }
      if (changed) outline_.replace_log(item, events.kept());
    }
  }

  const Network& net_;
  const Outline& outline_;
  std::vector<std::vector<std::uint32_t>> direct_;
  std::vector<char> seen_, refuted_;
  TrimCounts counts_;
};

}  // namespace

TrimCounts trim_steps(const Network& net, const Outline& outline) { return Trimmer(net, outline).run(); }

}  // namespace outward
