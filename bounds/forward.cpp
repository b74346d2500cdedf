// Interval rules, one function per kind with one signature, listed in `linear_rule` and `interval_step`. Each computes,
// for one node of a sum group, an outward interval, S rounded up and P rounded up from those of its operands.
#include "bounds/forward.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/kernels.hpp"
#include "bounds/opaque.hpp"
#include "bounds/policy_box.hpp"
#include "bounds/rounding.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {
// An interval vector with the absolute sums of its terms.
struct Enclosure {
  std::vector<double> lo, hi, sum;
  double magnitude = 1;
  void resize(std::size_t n) {
    lo.assign(n, 0.0);
    hi.assign(n, 0.0);
    sum.assign(n, 0.0);
  }
};

using Operands = std::vector<const Enclosure*>;

double absolute_bound(double lo, double hi) { return std::max(std::fabs(lo), std::fabs(hi)); }

// centre ± (radius + error): the outward interval around a product computed to nearest, n roundings deep.
// Every rounding of the three products is at most product_term(n)·sum; the few scalar operations after it count as five
// more.
void outward_from_products(const Products& p, double bias, std::uint64_t n, Enclosure& out, std::size_t i) {
  const double sum = inflate(add_up(p.sum, std::fabs(bias)), n);
  const double error = mul_up(product_term(n + 5), sum);
  const double reach = add_up(inflate(p.radius, n), error);
  out.sum[i] = sum;
  out.lo[i] = sub_down(add_down(p.centre, bias), reach);
  out.hi[i] = add_up(add_up(p.centre, bias), reach);
}

struct CentreRadius {
  std::vector<double> centre, radius;
};
CentreRadius split_box(const Enclosure& x) {
  CentreRadius out;
  out.centre.resize(x.lo.size());
  out.radius.resize(x.lo.size());
  for (std::size_t i = 0; i < x.lo.size(); ++i) centre_radius(x.lo[i], x.hi[i], &out.centre[i], &out.radius[i]);
  return out;
}

Products sparse_dot(const SparseWeights& w, std::size_t row, const double* centre, const double* radius,
                    const double* sum) {
  Products out{0, 0, 0};
  for (std::uint32_t e = w.start[row]; e < w.start[row + 1]; ++e) {
    const double v = w.value[e], a = std::fabs(v);
    out.centre += v * centre[w.column[e]];
    out.radius += a * radius[w.column[e]];
    out.sum += a * sum[w.column[e]];
  }
  return out;
}

// Column P of FORMAT.md section 3 for dense, conv and reduce.
double contraction_magnitude(const Network& net, std::uint32_t k, std::uint64_t depth, double operand) {
  const double products = mul_up(mul_up(static_cast<double>(depth), net.magnitude[k]), operand);
  return mul_up(net.moved_magnitude[k], add_up(products, net.bias_magnitude[k]));
}

void dense_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const Node& node = net.node(k);
  const auto rows = static_cast<std::size_t>(node.ints[0]), depth = static_cast<std::size_t>(node.ints[1]);
  const auto columns = static_cast<std::size_t>(node.ints[2]);
  const Enclosure& x = *in[0];
  const CentreRadius box = split_box(x);
  const SparseWeights& weights = net.sparse[k];
  const double* bias = node.ints[3] ? node.payload.data() + columns * depth : nullptr;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double *centre = box.centre.data() + r * depth, *radius = box.radius.data() + r * depth;
      const double* sum = x.sum.data() + r * depth;
      const Products p = weights.used() ? sparse_dot(weights, j, centre, radius, sum)
                                        : interval_dot(node.payload.data() + j * depth, centre, radius, sum, depth);
      outward_from_products(p, bias ? bias[j] : 0.0, depth, out, r * columns + j);
    }
  }
  out.magnitude = contraction_magnitude(net, k, depth, x.magnitude);
}

void conv_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const Node& node = net.node(k);
  const ConvGeometry g = conv_geometry(node);
  const Enclosure& x = *in[0];
  const CentreRadius box = split_box(x);
  const double* bias = g.has_bias ? node.payload.data() + g.filters * g.window() : nullptr;
  const auto positions = static_cast<std::size_t>(g.positions());
  std::vector<double> centre(positions), radius(positions), sum(positions);
  for (std::int64_t b = 0; b < g.batch; ++b) {
    for (std::int64_t m = 0; m < g.filters; ++m) {
      std::fill(centre.begin(), centre.end(), 0.0);
      std::fill(radius.begin(), radius.end(), 0.0);
      std::fill(sum.begin(), sum.end(), 0.0);
      const double* w = node.payload.data() + m * g.window();
      for (std::int64_t c = 0; c < g.group_channels(); ++c) {
        const std::int64_t plane =
            (b * g.channels + (m / g.group_filters()) * g.group_channels() + c) * g.height * g.width;
        for (std::int64_t ky = 0; ky < g.kh; ++ky) {
          for (std::int64_t kx = 0; kx < g.kw; ++kx) {
            const double weight = w[(c * g.kh + ky) * g.kw + kx];
            if (weight == 0) continue;
            const std::int64_t left = g.pl - kx * g.dw;  // ox·sw − left = ix
            const std::int64_t first = left > 0 ? (left + g.sw - 1) / g.sw : 0;
            const std::int64_t last = std::min(g.ow - 1, left + g.width - 1 >= 0 ? (left + g.width - 1) / g.sw : -1);
            if (last < first) continue;
            for (std::int64_t oy = 0; oy < g.oh; ++oy) {
              const std::int64_t iy = oy * g.sh - g.pt + ky * g.dh;
              if (iy < 0 || iy >= g.height) continue;
              const std::int64_t from = plane + iy * g.width + first * g.sw - left, to = oy * g.ow + first;
              interval_axpy(weight, box.centre.data() + from, box.radius.data() + from, x.sum.data() + from,
                            static_cast<std::size_t>(g.sw), centre.data() + to, radius.data() + to, sum.data() + to,
                            static_cast<std::size_t>(last - first + 1));
            }
          }
        }
      }
      for (std::size_t i = 0; i < positions; ++i)
        outward_from_products({centre[i], radius[i], sum[i]}, bias ? bias[m] : 0.0,
                              static_cast<std::uint64_t>(g.window()), out,
                              static_cast<std::size_t>(b * g.filters + m) * positions + i);
    }
  }
  out.magnitude = contraction_magnitude(net, k, static_cast<std::uint64_t>(g.window()), x.magnitude);
}

void reduce_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const Node& node = net.node(k);
  const auto depth = static_cast<std::size_t>(node.ints[0]);
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < node.size; ++i) {
    double lo = 0, hi = 0, sum = 0;
    for (std::size_t j = i * depth; j < (i + 1) * depth; ++j) {
      lo = add_down(lo, x.lo[j]);
      hi = add_up(hi, x.hi[j]);
      sum = add_up(sum, x.sum[j]);
    }
    const auto divisor = static_cast<double>(node.ints[1 + i]);
    out.lo[i] = divisor == 1 ? lo : div_down(lo, divisor);
    out.hi[i] = divisor == 1 ? hi : div_up(hi, divisor);
    out.sum[i] = divisor == 1 ? sum : div_up(sum, divisor);
  }
  out.magnitude = contraction_magnitude(net, k, depth, x.magnitude);
}

void bn_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const Node& node = net.node(k);
  const BatchNormCoefficients& f = net.batch_norm[k];
  const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < node.size; ++i) {
    const std::size_t q = (i / inner) % channels;
    const double slack = mul_up(std::fabs(f.a[q]), 8 * unit_roundoff);
    const double a_lo = sub_down(f.a[q], slack), a_hi = add_up(f.a[q], slack);
    const double lo = sub_down(x.lo[i], f.mean[q]), hi = sub_up(x.hi[i], f.mean[q]);
    const double least = std::min({mul_down(a_lo, lo), mul_down(a_lo, hi), mul_down(a_hi, lo), mul_down(a_hi, hi)});
    const double most = std::max({mul_up(a_lo, lo), mul_up(a_lo, hi), mul_up(a_hi, lo), mul_up(a_hi, hi)});
    out.lo[i] = add_down(least, f.shift[q]);
    out.hi[i] = add_up(most, f.shift[q]);
    out.sum[i] =
        add_up(mul_up(absolute_bound(a_lo, a_hi), add_up(x.sum[i], std::fabs(f.mean[q]))), std::fabs(f.shift[q]));
  }
  const double factor = mul_up(std::max(1.0, f.max_inverse), std::max(1.0, f.max_scale));
  out.magnitude = add_up(mul_up(factor, add_up(x.magnitude, std::max(1.0, f.max_mean))), std::max(1.0, f.max_shift));
}

void map_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const Node& node = net.node(k);
  std::vector<std::pair<const Enclosure*, std::size_t>> source;
  for (const Enclosure* v : in)
    for (std::size_t i = 0; i < v->lo.size(); ++i) source.emplace_back(v, i);
  for (std::size_t i = 0; i < node.size; ++i) {
    const auto& [v, j] = source[static_cast<std::size_t>(node.ints[i])];
    out.lo[i] = v->lo[j];
    out.hi[i] = v->hi[j];
    out.sum[i] = v->sum[j];
  }
  out.magnitude = 1;
  for (const Enclosure* v : in) out.magnitude = std::max(out.magnitude, v->magnitude);
}

void add_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const bool minus = net.node(k).ints[0] == 1;
  const Enclosure &x = *in[0], &y = *in[1];
  for (std::size_t i = 0; i < out.lo.size(); ++i) {
    out.lo[i] = minus ? sub_down(x.lo[i], y.hi[i]) : add_down(x.lo[i], y.lo[i]);
    out.hi[i] = minus ? sub_up(x.hi[i], y.lo[i]) : add_up(x.hi[i], y.hi[i]);
    out.sum[i] = add_up(x.sum[i], y.sum[i]);
  }
  out.magnitude = add_up(x.magnitude, y.magnitude);
}

void shift_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const std::vector<double>& c = net.node(k).payload;
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < c.size(); ++i) {
    out.lo[i] = add_down(x.lo[i], c[i]);
    out.hi[i] = add_up(x.hi[i], c[i]);
    out.sum[i] = add_up(x.sum[i], std::fabs(c[i]));
  }
  out.magnitude = add_up(x.magnitude, net.magnitude[k]);
}

void scale_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const std::vector<double>& c = net.node(k).payload;
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < c.size(); ++i) {
    out.lo[i] = c[i] >= 0 ? mul_down(x.lo[i], c[i]) : mul_down(x.hi[i], c[i]);
    out.hi[i] = c[i] >= 0 ? mul_up(x.hi[i], c[i]) : mul_up(x.lo[i], c[i]);
    out.sum[i] = mul_up(x.sum[i], std::fabs(c[i]));
  }
  out.magnitude = mul_up(x.magnitude, net.magnitude[k]);
}

void divide_rule(const Network& net, std::uint32_t k, const Operands& in, Enclosure& out) {
  const std::vector<double>& c = net.node(k).payload;
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < c.size(); ++i) {
    out.lo[i] = c[i] > 0 ? div_down(x.lo[i], c[i]) : div_down(x.hi[i], c[i]);
    out.hi[i] = c[i] > 0 ? div_up(x.hi[i], c[i]) : div_up(x.lo[i], c[i]);
    out.sum[i] = div_up(x.sum[i], std::fabs(c[i]));
  }
  out.magnitude = mul_up(x.magnitude, net.magnitude[k]);
}

void neg_rule(const Network&, std::uint32_t, const Operands& in, Enclosure& out) {
  const Enclosure& x = *in[0];
  for (std::size_t i = 0; i < x.lo.size(); ++i) {
    out.lo[i] = -x.hi[i];
    out.hi[i] = -x.lo[i];
    out.sum[i] = x.sum[i];
  }
  out.magnitude = x.magnitude;
}

using LinearRule = void (*)(const Network&, std::uint32_t, const Operands&, Enclosure&);
LinearRule linear_rule(Kind kind) {
  switch (kind) {
    case Kind::map:
      return map_rule;
    case Kind::dense:
      return dense_rule;
    case Kind::conv:
      return conv_rule;
    case Kind::reduce:
      return reduce_rule;
    case Kind::bn:
      return bn_rule;
    case Kind::add:
      return add_rule;
    case Kind::shift:
      return shift_rule;
    case Kind::scale:
      return scale_rule;
    case Kind::divide:
      return divide_rule;
    case Kind::neg:
      return neg_rule;
    default:
      return nullptr;
  }
}

// The value of a group's leaf: a stored node's range, or a constant.
Enclosure leaf_value(const State& state, std::uint32_t k) {
  Enclosure v;
  v.lo = state.range[k].lo;
  v.hi = state.range[k].hi;
  v.sum.resize(v.lo.size());
  for (std::size_t i = 0; i < v.lo.size(); ++i) {
    v.sum[i] = absolute_bound(v.lo[i], v.hi[i]);
    v.magnitude = std::max(v.magnitude, v.sum[i]);
  }
  return v;
}

void note_overflow(const Network& net, State& state, std::uint32_t k) {
  if (state.overflow.empty())
    state.overflow = "overflow in " + std::string(state.model.u == 0x1p-24 ? "binary32" : "binary64") +
                     " cannot be excluded at " + net.node(k).origin;
}

void widen_by(const std::vector<double>& delta, Enclosure& out) {
  for (std::size_t i = 0; i < delta.size(); ++i) {
    out.lo[i] = sub_down(out.lo[i], delta[i]);
    out.hi[i] = add_up(out.hi[i], delta[i]);
  }
}

// FORMAT.md section 3: δ of root k, added to the interval; also the overflow condition.
void add_error_box(const Network& net, State& state, std::uint32_t k, Enclosure& out) {
  if (state.semantics == Semantics::capsule) {
    if (!policy_box(net, k, out.sum, out.magnitude, state.delta[k])) note_overflow(net, state, k);
    return widen_by(state.delta[k], out);
  }
  const FloatModel& f = state.model;
  for (std::uint32_t member : net.members[k]) {
    if (net.node(member).kind == Kind::bn && !(net.batch_norm[member].max_variance_up < f.omega))
      note_overflow(net, state, k);
  }
  if (!(mul_up(2.0, out.magnitude) < f.omega)) note_overflow(net, state, k);
  const std::uint64_t n = net.groups.total[k];
  state.delta[k].clear();
  if (n == 0) return;
  const auto count = static_cast<double>(n);
  if (!(count * f.u < 0.25)) {
    note_overflow(net, state, k);
    return;
  }
  const double gamma = gamma_up(count, f.u);
  const double terms =
      mul_up(static_cast<double>(net.groups.terms[k]), static_cast<double>(net.groups.roundings[k] + 2));
  const double tiny = mul_up(mul_up(terms, f.eta), out.magnitude);
  std::vector<double>& delta = state.delta[k];
  delta.resize(out.lo.size());
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = add_up(mul_up(gamma, out.sum[i]), tiny);
  widen_by(delta, out);
}

Enclosure group_value(const Network& net, State& state, std::uint32_t k) {
  const std::vector<std::uint32_t>& members = net.members[k];
  std::vector<Enclosure> inner(members.size());
  std::vector<Enclosure> leaves;
  leaves.reserve(64);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Node& node = net.node(members[m]);
    Operands in;
    leaves.clear();
    leaves.reserve(node.operands.size());
    for (std::uint32_t operand : node.operands) {
      if (inside_group(net.graph, net.groups, operand, members[m])) {
        const auto at = std::lower_bound(members.begin(), members.end(), operand) - members.begin();
        in.push_back(&inner[static_cast<std::size_t>(at)]);
      } else {
        leaves.push_back(leaf_value(state, operand));
        in.push_back(&leaves.back());
      }
    }
    inner[m].resize(node.size);
    linear_rule(node.kind)(net, members[m], in, inner[m]);
    state.sum[members[m]] = inner[m].sum;
    state.magnitude[members[m]] = inner[m].magnitude;
  }
  return std::move(inner.back());
}

// f over the end points and the breakpoints inside: exact for relu, clip, abs; outward for leaky.
void piecewise_interval(const Node& node, double lo, double hi, double* out_lo, double* out_hi) {
  switch (node.kind) {
    case Kind::relu:
      *out_lo = std::max(lo, 0.0);
      *out_hi = std::max(hi, 0.0);
      return;
    case Kind::leaky:
      *out_lo = lo >= 0 ? lo : mul_down(lo, node.payload[0]);
      *out_hi = hi >= 0 ? hi : mul_up(hi, node.payload[0]);
      return;
    case Kind::clip:
      *out_lo = std::min(std::max(lo, node.payload[0]), node.payload[1]);
      *out_hi = std::min(std::max(hi, node.payload[0]), node.payload[1]);
      return;
    default:  // abs
      *out_lo = lo <= 0 && hi >= 0 ? 0.0 : std::min(std::fabs(lo), std::fabs(hi));
      *out_hi = absolute_bound(lo, hi);
  }
}

Enclosure piecewise_value(const Network& net, State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  const std::uint32_t operand = node.operands[0];
  const Enclosure x = leaf_value(state, operand);
  Enclosure out;
  out.resize(node.size);
  for (std::size_t i = 0; i < node.size; ++i) piecewise_interval(node, x.lo[i], x.hi[i], &out.lo[i], &out.hi[i]);
  if (state.semantics == Semantics::capsule)
    widen_by(state.delta[k] = policy_box(net, k, x.lo), out);
  else if (node.kind == Kind::leaky && state.model.is_float)
    widen_by(state.delta[k] = leaky_box(state.model, node, x.lo), out);
  return out;
}

Enclosure max_value(const Network& net, State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  const auto width = static_cast<std::size_t>(node.ints[0]);
  const Enclosure x = leaf_value(state, node.operands[0]);
  Enclosure out;
  out.resize(node.size);
  for (std::size_t i = 0; i < node.size; ++i) {
    out.lo[i] = *std::max_element(x.lo.begin() + i * width, x.lo.begin() + (i + 1) * width);
    out.hi[i] = *std::max_element(x.hi.begin() + i * width, x.hi.begin() + (i + 1) * width);
  }
  if (state.semantics == Semantics::capsule) widen_by(state.delta[k] = policy_box(net, k, x.lo), out);
  return out;
}

// The backward cost of every member of group k; see State::cost. REQUIRES sum and delta of the group.
void set_costs(const Network& net, State& state, std::uint32_t k) {
  for (std::uint32_t member : net.members[k]) {
    const double factor = backward_roundings(net, member);
    std::vector<double>& cost = state.cost[member];
    cost.clear();
    const bool boxed = member == k && !state.delta[k].empty();
    if (factor == 0 && !boxed) continue;
    cost.assign(net.node(member).size, 0.0);
    for (std::size_t i = 0; i < cost.size(); ++i) {
      cost[i] = mul_up(factor, state.sum[member][i]);
      if (boxed) cost[i] = add_up(cost[i], state.delta[k][i]);
    }
  }
  // A shift or negation hands on the coefficient as it is: what its operand costs is paid here, in one sum.
  for (std::uint32_t member : net.members[k]) {
    const Node& node = net.node(member);
    if (node.kind != Kind::shift && node.kind != Kind::neg) continue;
    if (!inside_group(net.graph, net.groups, node.operands[0], member)) continue;
    std::vector<double>&operand = state.cost[node.operands[0]], &cost = state.cost[member];
    if (operand.empty()) continue;
    cost.resize(operand.size(), 0.0);
    for (std::size_t i = 0; i < cost.size(); ++i) cost[i] = add_up(cost[i], operand[i]);
    operand.clear();
  }
}

}  // namespace

double backward_roundings(const Network& net, std::uint32_t k) {
  const Node& node = net.node(k);
  switch (node.kind) {
    case Kind::dense:
      return product_term(static_cast<std::uint64_t>(node.ints[2]));
    case Kind::conv: {
      const ConvGeometry g = conv_geometry(node);
      return product_term(static_cast<std::uint64_t>(g.group_filters() * g.kh * g.kw));
    }
    case Kind::map:
      return net.map_repeats[k] > 1 ? product_term(net.map_repeats[k]) : 0.0;
    case Kind::bn:
      return gamma_up(12);  // the stored coefficient is within 8u of the exact one
    case Kind::reduce:
    case Kind::scale:
    case Kind::divide:
      return product_term(0);
    default:
      return 0.0;
  }
}

void set_input_range(const Network& net, State& state, Range input) {
  state.range[0] = std::move(input);
  state.magnitude[0] = 1;
  for (std::size_t i = 0; i < state.range[0].lo.size(); ++i)
    state.magnitude[0] = std::max(state.magnitude[0], absolute_bound(state.range[0].lo[i], state.range[0].hi[i]));
  if (state.model.is_float && !(state.magnitude[0] < state.model.omega)) note_overflow(net, state, 0);
}

void interval_step(const Network& net, State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  Enclosure v;
  if (net.is_root(k)) {
    v = group_value(net, state, k);
    if (state.model.is_float) add_error_box(net, state, k, v);
    set_costs(net, state, k);
  } else if (is_opaque(node.kind)) {
    opaque_range(net, state, k, v.lo, v.hi);
  } else {
    v = node.kind == Kind::max ? max_value(net, state, k) : piecewise_value(net, state, k);
  }
  Range& range = state.range[k];
  if (range.lo.empty()) {
    range.lo.assign(node.size, -infinity);
    range.hi.assign(node.size, infinity);
  }
  double greatest = 0;
  for (std::size_t i = 0; i < node.size; ++i) {
    if (v.lo[i] == v.lo[i]) range.lo[i] = std::max(range.lo[i], v.lo[i]);  // a NaN (inf − inf) teaches nothing
    if (v.hi[i] == v.hi[i]) range.hi[i] = std::min(range.hi[i], v.hi[i]);
    if (range.lo[i] > range.hi[i])
      throw ResourceError("internal: bounds cross at " + node.origin + " element " + std::to_string(i) +
                          "; no verdict is given");
    greatest = std::max(greatest, absolute_bound(range.lo[i], range.hi[i]));
  }
  if (state.model.is_float && !(greatest < state.model.omega)) note_overflow(net, state, k);
  if (!net.is_root(k)) {  // what a coefficient is multiplied by when it reaches the operand
    const Range& x = state.range[node.operands[0]];
    for (std::size_t i = 0; i < x.lo.size(); ++i)
      state.magnitude[k] = std::max(state.magnitude[k], absolute_bound(x.lo[i], x.hi[i]));
  }
}

}  // namespace outward
