// Ranges, undo log, steps and bounds of one scope: see state.hpp. The rules are in rules.cpp.
#include "checker/kernel/state.hpp"

#include <algorithm>

#include "checker/readers/readers.hpp"

namespace outward_check {

template <class U> State<U>::State(const Structure& structure, const Numerics& numerics)
    : structure_(structure), graph_(structure.graph), numerics_(numerics), engine_(engine<U>()) {
  const std::size_t count = graph_.nodes.size();
  views_.resize(count), ranges_.resize(count), scratch_.resize(count), affine_.resize(count);
  version_.resize(count), lines_.resize(count), boxes_.resize(count), sums_.resize(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const Node& node = graph_.nodes[k];
    NodeView<U>& v = views_[k];
    v.kind = node.kind, v.stored = structure.stored[k] != 0, v.size = node.size;
    v.operand_count = static_cast<std::uint32_t>(node.operands.size());
    v.operands = node.operands.data(), v.ints = node.ints.data(), v.payload = node.payload.data();
    v.offsets = structure.offsets[k].data(), v.sites = structure.sites[k];
    if (v.sites.has_bias) v.bias = v.payload + v.sites.weights;
    if (v.stored) ranges_[k].resize(node.size);
    if (node.kind == Kind::constant) {
      for (double c : node.payload) ranges_[k].push_back(point(U(c)));
    }
    v.range = ranges_[k].data();
    prepare_constants(k);
    const Affine& a = affine_[k];
    if (!a.factor.empty()) v.factor = a.factor.data();
    if (!a.pre.empty()) v.pre = a.pre.data();
    if (!a.post.empty()) v.post = a.post.data();
  }
}

template <class U> std::string State<U>::name(std::uint32_t k) const {
  const std::string& origin = graph_.nodes[k].origin;
  return "node " + std::to_string(k) + (origin.empty() ? "" : " (" + origin + ")");
}

template <class U> void State<U>::start(const std::vector<InputRange>& box) {
  start(std::vector<U>(box.size()));
  for (std::size_t i = 0; i < box.size(); ++i) {
    Fraction lo = box[i].lo, hi = box[i].hi;
    if (numerics_.semantics != Semantics::real) {  // the network receives fl(x)
      const bool is_64 = graph_.is_binary64;
      double low = 0, high = 0;
      if (!round_to_float(lo, is_64, &low) || !round_to_float(hi, is_64, &high)) {
        throw RuleFault{"input " + std::to_string(i) + " overflows the element type"};
      }
      lo = std::min(lo, Fraction::from_double(low)), hi = std::max(hi, Fraction::from_double(high));
    }
    ranges_[0][i] = {rounded_up<U>(-lo), rounded_up<U>(hi)};
  }
}

template <class U> void State<U>::start(const std::vector<U>& at) {
  log_.clear(), logged_ = 0, scoped_ = false;
  for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
    if (!views_[k].stored) continue;
    version_[k] = ++clock_;
    for (std::uint64_t i = 0; i < graph_.nodes[k].size; ++i) {
      ranges_[k][i] = k == 0 ? point(at[i]) : Interval<U>{U(infinity), U(infinity)};
    }
  }
}

template <class U> void State<U>::changed(std::uint32_t k) {
  if (scoped_) log_.push_back({k, version_[k], ranges_[k]}), logged_ += ranges_[k].size();
  version_[k] = ++clock_;
  if (logged_ > limit(Limit::kept_ranges)) over(Limit::kept_ranges, "more ranges of open splits");
}

template <class U>
void State<U>::intersect(std::uint32_t k, std::uint64_t i, const Interval<U>& z) {
  Interval<U>& old = ranges_[k][i];
  old = {smaller(old.n, z.n), smaller(old.h, z.h)};
}

template <class U> void State<U>::undo(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const Change& c = log_.back();
    version_[c.node] = c.version, logged_ -= c.old.size();
    std::copy(c.old.begin(), c.old.end(), ranges_[c.node].begin());
  }
}

template <class U>
void State<U>::assume(std::uint32_t node, std::uint64_t i, const Fraction& at, bool is_lower) {
  Interval<U> z{U(infinity), U(infinity)};
  (is_lower ? z.n : z.h) = rounded_up<U>(is_lower ? -at : at);
  changed(node);
  intersect(node, i, z);
}

template <class U> bool State<U>::crossed(std::uint32_t node, std::uint64_t i) const {
  const Interval<U>& z = ranges_[node][i];
  return !is_infinite(z.n) && !is_infinite(z.h) && z.h < -z.n;
}

template <class U> std::string State<U>::overflow() {
  [[maybe_unused]] const Rounding<U> rounding{};
  if (numerics_.semantics == Semantics::real) return "";
  for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
    if (!structure_.stored[k]) continue;
    if (!(largest_value(k) < U(numerics_.overflow)))
      return name(k) + " has no range below overflow";
    if (structure_.is_root(k) && error_box(k).overflow) return "sums may overflow in " + name(k);
  }
  return "";
}

template <class U> void State<U>::prepare(std::uint32_t target, const SlopeSet& slopes) {
  auto next = slopes.begin();
  for (std::uint32_t k = 0; k <= target; ++k) {
    while (next != slopes.end() && (*next)->node < k) ++next;
    const Slopes* own = next != slopes.end() && (*next)->node == k ? *next : nullptr;
    const Kind kind = graph_.nodes[k].kind;
    if (is_unary_piecewise(kind) || kind == Kind::max) compute_lines(k, own);
    if (rounds(k)) views_[k].delta = error_box(k).delta.data();
  }
}

template <class U> Job<U> State<U>::run(std::span<const Start<U>> starts, std::uint32_t target) {
  Job<U> job{views_.data(), target, starts.data(), starts.size()};
  engine_.backward(&job);
  if (job.missing < 0) return job;
  throw RuleFault{name(static_cast<std::uint32_t>(job.missing)) + " needs slope bytes"};
}

template <class U>
void State<U>::backward(std::uint32_t node, const std::vector<std::uint64_t>& lower,
                        const std::vector<std::uint64_t>& upper, const SlopeSet& slopes) {
  [[maybe_unused]] const Rounding<U> rounding{};
  prepare(node, slopes);
  changed(node);
  std::vector<Start<U>> starts;
  const auto add_row = [&](std::uint64_t element, const U& sign) {
    const std::size_t lane = starts.size() % engine_.lanes;
    starts.push_back({node, element, static_cast<std::uint32_t>(lane), point(sign)});
  };
  for (std::uint64_t i : lower) add_row(i, U(1));
  for (std::uint64_t i : upper) add_row(i, U(-1));
  Job<U> job;
  for (std::size_t r = 0; r < starts.size(); ++r) {
    const std::size_t left = std::min<std::size_t>(engine_.lanes, starts.size() - r);
    if (starts[r].lane == 0) job = run({&starts[r], left}, node);
    Interval<U> z{U(infinity), U(infinity)};
    (r < lower.size() ? z.n : z.h) = job.bound[starts[r].lane];
    intersect(node, starts[r].element, z);
  }
}

template <class U>
std::optional<Fraction> State<U>::lower_bound(const LinearForm& form, const SlopeSet& slopes) {
  [[maybe_unused]] const Rounding<U> rounding{};
  prepare(graph_.output, slopes);
  std::vector<Start<U>> starts;
  for (const auto& [element, coefficient] : form.terms) {
    starts.push_back({graph_.output, element, 0, enclosed<U>(coefficient)});
  }
  Fraction constant = form.constant;
  for (const auto& [node, element, value] : form.multiples) {
    const bool is_lower = value.sign() > 0;
    const U& end = is_lower ? ranges_[node][element].n : ranges_[node][element].h;
    if (is_infinite(end)) throw RuleFault{"a multiple of an infinite range end of " + name(node)};
    constant = constant + value * (is_lower ? -exactly(end) : exactly(end));
    starts.push_back({node, element, 0, enclosed<U>(-value)});
  }
  const U bound = run(starts, graph_.output).bound[0];
  if (is_infinite(bound)) return std::nullopt;
  return constant - exactly(bound);
}

template <class U> std::optional<Fraction> State<U>::exact_lower_bound(const LinearForm& form,
                                                                       const SlopeSet& slopes) {
  if constexpr (std::is_same_v<U, double>) {
    if (exact_ == nullptr) exact_ = std::make_unique<State<Exact>>(structure_, numerics_);
    State<Exact>& e = *exact_;
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
      if (!views_[k].stored || e.version_[k] == version_[k]) continue;
      e.version_[k] = version_[k];
      for (std::uint64_t i = 0; i < graph_.nodes[k].size; ++i) {
        e.ranges_[k][i] = {Exact(ranges_[k][i].n), Exact(ranges_[k][i].h)};
      }
    }
    return e.lower_bound(form, slopes);
  } else {
    return lower_bound(form, slopes);
  }
}

template class State<double>;
template class State<Exact>;
template class State<Nearest<float>>;
template class State<Nearest<double>>;

}  // namespace outward_check
