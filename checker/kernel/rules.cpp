// The forward rules of FORMAT.md: interval images (section 6), error boxes (section 3), and the
// lines of backward passes. Each is written once for all arithmetics of number.hpp; with Nearest
// and points as ranges the interval rules are the reference execution of section 5.
#include <algorithm>
#include <cmath>

#include "checker/kernel/state.hpp"

namespace outward_check {

namespace {

template <class U> constexpr bool is_nearest = false;
template <class F> constexpr bool is_nearest<Nearest<F>> = true;

// max(1, max abs c) over part of a payload.
double at_least_one(const double* first, std::size_t count) {
  double most = 1;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(first[i]));
  return most;
}

// The unary piecewise linear functions relu, leaky, clip, abs. One rule for all: a line may have
// any slope s; its intercept is the extreme of f(x) - s*x over the end points and the breakpoints
// inside. Assumes finite ranges; for an empty one (l > u) any result is as good.
// f(x) = slope[q]*x + offset[q] on piece q, pieces meet at at[0] <= at[1].
struct Piecewise {
  double at[2] = {0, 0}, slope[3] = {0, 1, 1}, offset[3] = {0, 0, 0};

  explicit Piecewise(const Node& node) {
    if (node.kind == Kind::leaky) slope[0] = node.payload[0];
    if (node.kind == Kind::abs) slope[0] = -1;
    if (node.kind == Kind::clip) {
      offset[0] = at[0] = node.payload[0];
      offset[2] = at[1] = node.payload[1], slope[2] = 0;
    }
  }
  // The piece that holds all of [l, u], or -1.
  template <class U> int piece(const U& l, const U& u) const {
    if (u <= U(at[0])) return 0;
    if (l >= U(at[1])) return 2;
    return l >= U(at[0]) && u <= U(at[1]) ? 1 : -1;
  }
  // n: upper bound of max(s*x - f(x)), h: upper bound of max(f(x) - s*x), over [l, u].
  template <class U> Interval<U> extremes(const U& l, const U& u, double s) const {
    Interval<U> e = deviation(l, piece(l, l), s);
    const auto widen = [&](const Interval<U>& d) { e = {larger(e.n, d.n), larger(e.h, d.h)}; };
    widen(deviation(u, piece(u, u), s));
    for (int b = 0; b < 2; ++b) {
      if (l < U(at[b]) && U(at[b]) < u) widen(deviation(U(at[b]), 2 * b, s));
    }
    return e;
  }
  // The slope that a byte stands for; any result is sound.
  double slope_of(Kind kind, int byte) const {
    if (kind == Kind::leaky) return slope[0] + (1 - slope[0]) * byte / 128;
    return kind == Kind::abs ? -1 + byte / 64.0 : byte / 128.0;
  }
  // floor(2^24*(f(u) - f(l))/(u - l))/2^24, roughly; any result is sound.
  double chord(double l, double u) const {
    const int a = piece(l, l), b = piece(u, u);
    const double rise = slope[b] * u + offset[b] - (slope[a] * l + offset[a]);
    const double ratio = rise / (u - l);
    if (!(ratio >= -2 && ratio <= 2)) return 0;
    return std::floor(ratio * 16777216) / 16777216;
  }

 private:
  template <class U> Interval<U> deviation(const U& x, int q, double s) const {
    const U rise = add_up(mul_up(U(slope[q]), x), mul_up(U(-s), x));
    const U fall = add_up(mul_up(U(-slope[q]), x), mul_up(U(s), x));
    return {add_up(fall, U(-offset[q])), add_up(rise, U(offset[q]))};
  }
};

// The lines of relu, leaky, clip, abs over x; slopes may be null.
template <class U> LinePair<U> unary_line(const Node& node, const Interval<U>& x,
                                          const Slopes* slopes, std::uint64_t i) {
  LinePair<U> line;
  line.infinite = is_infinite(x.n) || is_infinite(x.h);
  if (line.infinite) return line;
  const Piecewise f(node);
  const U l = -x.n, u = x.h;
  if (const int piece = f.piece(l, u); piece >= 0) {
    line.lower = line.upper = f.slope[piece];
    line.lower_cut = U(-f.offset[piece]), line.upper_cut = U(f.offset[piece]);
    return line;
  }
  const auto slope = [&](const std::string& bytes) {
    return f.slope_of(node.kind, static_cast<unsigned char>(bytes[i]));
  };
  const bool is_clip = node.kind == Kind::clip;
  line.no_lower = slopes == nullptr, line.no_upper = is_clip && slopes == nullptr;
  if (!line.no_lower) line.lower = slope(slopes->lower);
  if (!is_clip) line.upper = f.chord(roughly(l), roughly(u));
  if (is_clip && !line.no_upper) line.upper = slope(slopes->upper);
  line.lower_cut = f.extremes(l, u, line.lower).n;
  line.upper_cut = f.extremes(l, u, line.upper).h;
  return line;
}

// The lines of element i of max.
template <class U>
LinePair<U> max_line(const Interval<U>* x, std::uint64_t i, std::int64_t window) {
  LinePair<U> line;
  const std::int64_t first = static_cast<std::int64_t>(i) * window;
  std::int64_t best = first;  // the element with the greatest lower end
  line.upper_cut = x[first].h;
  for (std::int64_t j = first; j < first + window; ++j) {
    if (x[j].n < x[best].n) best = j;
    line.upper_cut = larger(line.upper_cut, x[j].h);
  }
  bool dominates = !is_infinite(x[best].n);
  for (std::int64_t j = first; j < first + window; ++j) {
    dominates &= j == best || x[j].h <= -x[best].n;
  }
  if (dominates) line.dominator = best;
  return line;
}

}  // namespace

template <class U> void State<U>::prepare_constants(std::uint32_t k) {
  [[maybe_unused]] const Rounding<U> rounding{};
  const Node& node = graph_.nodes[k];
  const double* c = node.payload.data();
  Affine& a = affine_[k];
  const auto factor = [&](const U& multiplier, const Interval<U>& inverse, const U& divisor) {
    if constexpr (is_nearest<U>) return a.factor.push_back({divisor, multiplier});
    a.factor.push_back(times(inverse, multiplier));
  };
  const auto inverse = [](const U& d) { return divided(point(U(1)), d); };
  const auto flushes = [&](double d) { return d != 0 && std::abs(d) < numerics_.flushed; };
  switch (node.kind) {
    case Kind::dense:
    case Kind::conv: {
      const Sites& g = structure_.sites[k];
      a.gain = mul_up(U(static_cast<double>(g.inputs)), U(at_least_one(c, g.weights)));
      if (g.has_bias) a.after = U(at_least_one(c + g.weights, node.payload.size() - g.weights));
      break;
    }
    case Kind::reduce:
      a.gain = U(static_cast<double>(node.ints[0]));
      for (std::uint64_t i = 0; i < node.size; ++i) {
        const U d = static_cast<double>(node.ints[1 + i]);
        factor(U(1), inverse(d), d);
      }
      break;
    case Kind::bn: {  // payload: scale, shift, mean, var, eps
      const std::size_t channels = static_cast<std::size_t>(node.ints[0]);
      std::vector<Interval<U>> inverse_root(channels);
      std::vector<U> root(channels);
      for (std::size_t q = 0; q < channels; ++q) {
        const double var = c[3 * channels + q], eps = c[4 * channels];
        const Fraction under = exactly(var) + exactly(eps);
        Fraction low, high;
        Fraction::inverse_root(under, 256, &low, &high);
        inverse_root[q] = {rounded_up<U>(-low), rounded_up<U>(high)};
        a.gain = larger(a.gain, inverse_root[q].h);
        const U sum = add_up(U(var), U(eps));
        a.overflow |= !(sum < U(numerics_.overflow)) || flushes(var) || flushes(eps);
        a.overflow |= under < exactly(numerics_.flushed);
        if constexpr (is_nearest<U>) root[q] = square_root(sum);
      }
      a.gain = mul_up(a.gain, U(at_least_one(c, channels)));
      a.before = U(at_least_one(c + 2 * channels, channels));
      a.after = U(at_least_one(c + channels, channels));
      for (std::uint64_t i = 0; i < node.size; ++i) {
        const std::size_t q = i / static_cast<std::uint64_t>(node.ints[1]) % channels;
        factor(U(c[q]), inverse_root[q], root[q]);
        a.pre.push_back(-c[2 * channels + q]), a.post.push_back(c[channels + q]);
      }
      break;
    }
    case Kind::shift:
      a.post = node.payload, a.after = U(at_least_one(c, node.size));
      break;
    case Kind::scale:
      a.gain = U(at_least_one(c, node.size));
      for (double x : node.payload) factor(U(x), point(U(1)), U(1));
      break;
    case Kind::divide:
      for (double x : node.payload) {
        factor(U(1), inverse(U(x)), U(x));
        a.gain = larger(a.gain, div_up(U(1), U(std::abs(x)))), a.overflow |= flushes(x);
      }
      break;
    case Kind::neg:
      for (std::uint64_t i = 0; i < node.size; ++i) factor(U(-1), point(U(1)), U(1));
      break;
    default:
      break;
  }
  for (double moved : structure_.movable[k]) {  // max(|c|, 1/|c|), the factor of column P
    a.overflow |= moved == 0;
    const U size = std::abs(moved), most = a.overflow ? U(1) : larger(size, div_up(U(1), size));
    a.gain = mul_up(a.gain, most), a.after = mul_up(a.after, most);
  }
}

// Image of one linear node, without error box, over its operands' ranges x. absolute: x are
// symmetric and constants count with their absolute value, so that the larger end is column S.
template <class U>
void State<U>::node_range(std::uint32_t k, const std::vector<const Ranges<U>*>& x, bool absolute) {
  const NodeView<U>& node = views_[k];
  Ranges<U>& out = scratch_[k];
  out.resize(node.size);
  if (node.kind == Kind::dense || node.kind == Kind::conv) {
    return engine_.range(node, x[0]->data(), out.data());
  }
  const auto constant = [&](double c) { return point(U(absolute ? std::abs(c) : c)); };
  const std::uint64_t count = term_count(node);
  for (std::uint64_t i = 0; i < node.size; ++i) {
    Interval<U> z;
    for (std::uint64_t j = 0; j < count; ++j) {
      const Term t = term(node, i, j);
      const Interval<U>& summand = (*x[t.operand])[t.element];
      z = add(z, t.negative ? negated(summand) : summand);
    }
    if (node.pre != nullptr) z = add(z, constant(node.pre[i]));
    if (node.factor != nullptr) {
      const Interval<U>& f = node.factor[i];
      if constexpr (is_nearest<U>) {
        z = times(divided(z, f.n), f.h);
      } else {
        z = times(z, absolute && f.h < U(0) ? negated(f) : f);
      }
    }
    if (node.post != nullptr) z = add(z, constant(node.post[i]));
    out[i] = z;
  }
}

// Fills scratch_ for the nodes of the root's group, the root included.
template <class U> void State<U>::group_ranges(std::uint32_t root, bool absolute) {
  for (std::uint32_t k : structure_.members[root]) {
    const std::vector<std::uint32_t>& operands = graph_.nodes[k].operands;
    std::vector<Ranges<U>> symmetric(absolute ? operands.size() : 0);
    std::vector<const Ranges<U>*> x;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      x.push_back(structure_.inside[operands[j]] ? &scratch_[operands[j]] : &ranges_[operands[j]]);
      if (!absolute) continue;
      for (const Interval<U>& z : *x[j]) {
        const U most = larger(U(0), magnitude(z));
        symmetric[j].push_back({most, most});
      }
      x[j] = &symmetric[j];
    }
    node_range(k, x, absolute);
  }
}

template <class U> void State<U>::interval(std::uint32_t k) {
  [[maybe_unused]] const Rounding<U> rounding{};
  const Node& node = graph_.nodes[k];
  const Ranges<U>& x = ranges_[node.operands[0]];
  const bool is_root = structure_.is_root(k);
  const std::vector<U>* delta = rounds(k) ? &error_box(k).delta : nullptr;
  if (is_root) group_ranges(k, false);
  changed(k);
  for (std::uint64_t i = 0; i < node.size; ++i) {
    Interval<U> z{U(infinity), U(infinity)};
    if (is_root) {
      z = scratch_[k][i];
    } else if (node.kind == Kind::max) {
      const std::uint64_t window = static_cast<std::uint64_t>(node.ints[0]), first = i * window;
      z = x[first];
      for (std::uint64_t j = first + 1; j < first + window; ++j) {
        z = {smaller(z.n, x[j].n), larger(z.h, x[j].h)};
      }
    } else if (!is_infinite(x[i].n) && !is_infinite(x[i].h)) {
      z = Piecewise(node).extremes(U(-x[i].n), x[i].h, 0);
    }
    if (delta != nullptr) z = {add_up(z.n, (*delta)[i]), add_up(z.h, (*delta)[i])};
    intersect(k, i, z);
  }
  for (std::uint32_t m : structure_.members[k]) scratch_[m] = {};
}

// max M of FORMAT.md: the largest absolute value in the node's range; +infinity if unbounded.
template <class U> U State<U>::largest_value(std::uint32_t k) const {
  U most = 0;
  for (const Interval<U>& z : ranges_[k]) most = larger(most, magnitude(z));
  return most;
}

template <class U> void State<U>::compute_error_box(std::uint32_t root) {
  ErrorBox& box = boxes_[root];
  const Numerics& m = numerics_;
  bool only_maps = true;
  for (std::uint32_t k : structure_.members[root]) {
    const Node& node = graph_.nodes[k];
    U sum = 0, most = 0;
    for (std::uint32_t p : node.operands) {
      const U below = structure_.inside[p] ? sums_[p] : larger(U(1), largest_value(p));
      sum = add_up(sum, below), most = larger(most, below);
    }
    const Affine& a = affine_[k];
    if (node.kind != Kind::add) sum = add_up(mul_up(add_up(most, a.before), a.gain), a.after);
    sums_[k] = sum, box.overflow |= a.overflow, only_maps &= node.kind == Kind::map;
  }
  if (!(mul_up(U(2), sums_[root]) < U(m.overflow))) box.overflow = true;
  const double T = static_cast<double>(structure_.terms[root]);
  const double Q = static_cast<double>(structure_.products[root]);
  const double N = T > 1 || Q > 0 ? T + Q : 0;
  const U share = mul_up(U(N), U(m.unit));
  if (box.overflow || !(T < 0x1p50) || !(share < U(0.5))) return;
  const U gamma = div_up(share, -add_up(share, U(-1)));  // 1 - N*u is exact
  const U operands = !only_maps ? mul_up(U(m.operand_unit), U(2 + m.operand_unit)) : U(0);
  const U relative = add_up(gamma, mul_up(operands, add_up(U(1), gamma)));
  U least = N > 0 ? mul_up(U(Q + 2), U(m.underflow)) : U(0);
  least = add_up(least, mul_up(U(4), U(m.operand_underflow)));
  if (!only_maps) least = add_up(least, mul_up(U(6 * Q + 16), U(m.flushed)));
  least = mul_up(mul_up(U(T), least), sums_[root]);
  if (is_zero(relative) && is_zero(least)) return box.delta.assign(box.delta.size(), U(0));
  group_ranges(root, true);
  for (std::uint64_t i = 0; i < box.delta.size(); ++i) {
    box.delta[i] = add_up(mul_up(relative, magnitude(scratch_[root][i])), least);
  }
  for (std::uint32_t k : structure_.members[root]) scratch_[k] = {};
}

template <class U> bool State<U>::rounds(std::uint32_t k) const {
  if (numerics_.semantics == Semantics::real) return false;
  const Kind kind = graph_.nodes[k].kind;
  return structure_.is_root(k) || kind == Kind::leaky ||
         (numerics_.flushed > 0 && kind >= Kind::relu);
}

// delta of a node that rounds, from the current ranges; kept until those of a leaf change.
template <class U> auto State<U>::error_box(std::uint32_t k) -> const ErrorBox& {
  ErrorBox& box = boxes_[k];
  const Node& node = graph_.nodes[k];
  const bool is_root = structure_.is_root(k);
  std::vector<std::uint64_t> versions;
  for (std::uint32_t p : is_root ? structure_.leaves[k] : node.operands) {
    versions.push_back(version_[p]);
  }
  if (!box.delta.empty() && box.versions == versions) return box;
  box.versions = std::move(versions), box.overflow = false;
  box.delta.assign(node.size, U(infinity));
  if (is_root) compute_error_box(k);
  const U flushed = numerics_.flushed, twice = mul_up(U(2), flushed);
  for (std::uint64_t i = 0; !is_root && i < node.size; ++i) {
    box.delta[i] = twice;
    if (node.kind != Kind::leaky) continue;  // u*alpha*max(0, -lo) + eta
    const U below = larger(U(0), ranges_[node.operands[0]][i].n);
    const U rounded = mul_up(mul_up(U(numerics_.unit), U(node.payload[0])), below);
    const U lost = add_up(twice, mul_up(flushed, below));
    box.delta[i] = add_up(add_up(rounded, U(numerics_.underflow)), lost);
  }
  return box;
}

template <class U> void State<U>::compute_lines(std::uint32_t k, const Slopes* slopes) {
  const Node& node = graph_.nodes[k];
  const std::uint64_t version = version_[node.operands[0]], id = slopes ? slopes->id + 1 : 0;
  if (lines_[k].version == version && lines_[k].slopes == id) return;
  lines_[k].version = version, lines_[k].slopes = id;
  const Interval<U>* x = ranges_[node.operands[0]].data();
  std::vector<LinePair<U>>& lines = lines_[k].lines;
  lines.assign(node.size, {});
  for (std::uint64_t i = 0; i < node.size; ++i) {
    lines[i] =
        node.kind == Kind::max ? max_line(x, i, node.ints[0]) : unary_line(node, x[i], slopes, i);
  }
  const char* weights = slopes != nullptr ? slopes->lower.data() : nullptr;
  views_[k].lines = lines.data();
  views_[k].weights = reinterpret_cast<const std::uint8_t*>(weights);
}

template class State<double>;
template class State<Exact>;
template class State<Nearest<float>>;
template class State<Nearest<double>>;

}  // namespace outward_check
