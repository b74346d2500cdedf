// Exact execution node by node; see exact.hpp for the promise and exact_values.hpp for the numbers.
#include "runtime/cpu/exact.hpp"

#include <algorithm>
#include <cmath>

#include "formats/error.hpp"
#include "runtime/cpu/element_functions.hpp"
#include "runtime/cpu/exact_values.hpp"

namespace outward {
namespace {

using namespace exact_run;

template <typename C>
void dense_products(const Node& node, const Values& x, const std::vector<C>& weights, Values& out) {
  const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
  const auto n = static_cast<std::size_t>(node.ints[2]);
  Integer scratch;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t source = r * k + i;
      if (x.is_exact() && x.lo[source] == 0) continue;
      for (std::size_t j = 0; j < n; ++j) add_product(out, r * n + j, weights[j * k + i], x, source, scratch);
    }
  }
}

template <typename C>
void conv_products(const Node& node, const Values& x, const std::vector<C>& weights, Values& out) {
  const auto& p = node.ints;
  const std::int64_t batch = p[0], channels = p[1], height = p[2], width = p[3], filters = p[4], kh = p[5], kw = p[6];
  const std::int64_t groups = p[15], oh = p[16], ow = p[17], per_group = channels / groups;
  Integer scratch;
  std::size_t target = 0;
  for (std::int64_t image = 0; image < batch * filters; ++image) {
    const std::int64_t b = image / filters, m = image % filters;
    const std::int64_t base = (b * channels + m / (filters / groups) * per_group) * height * width;
    for (std::int64_t oy = 0; oy < oh; ++oy) {
      for (std::int64_t ox = 0; ox < ow; ++ox, ++target) {
        std::int64_t w = m * per_group * kh * kw;
        for (std::int64_t c = 0; c < per_group; ++c) {
          for (std::int64_t ky = 0; ky < kh; ++ky) {
            for (std::int64_t kx = 0; kx < kw; ++kx, ++w) {
              const std::int64_t y = oy * p[7] - p[9] + ky * p[13], column = ox * p[8] - p[10] + kx * p[14];
              if (y < 0 || y >= height || column < 0 || column >= width) continue;
              const auto source = static_cast<std::size_t>(base + (c * height + y) * width + column);
              if (x.is_exact() && x.lo[source] == 0) continue;
              add_product(out, target, weights[static_cast<std::size_t>(w)], x, source, scratch);
            }
          }
        }
      }
    }
  }
}

Values run_contraction(const Node& node, const Values& x) {
  const bool conv = node.kind == Kind::conv;
  const auto& p = node.ints;
  const auto bias = static_cast<std::size_t>(conv ? (p[18] != 0 ? p[4] : 0) : (p[3] != 0 ? p[2] : 0));
  const std::size_t count = node.payload.size() - bias;
  const Constants c = integers_of(node.payload.data(), count);
  Values out = zeros_like(x, node.size);
  out.shift += c.shift;
  if (conv && !c.narrow.empty()) conv_products(node, x, c.narrow, out);
  if (conv && c.narrow.empty()) conv_products(node, x, c.wide, out);
  if (!conv && !c.narrow.empty()) dense_products(node, x, c.narrow, out);
  if (!conv && c.narrow.empty()) dense_products(node, x, c.wide, out);
  if (bias > 0) {
    const std::size_t plane = conv ? static_cast<std::size_t>(p[16] * p[17]) : 1;
    add_constants(out, node.payload.data() + count, bias, [&](std::size_t i) { return i / plane % bias; });
  }
  return out;
}

// x[i] / (numerator[i] · 2^e): all divisors at once, so that there is one denominator.
void divide_by(Values& x, const std::vector<Integer>& divisors) {
  Integer all = 1;
  for (const Integer& d : divisors) all = least_common_multiple(all, abs(d));
  // all may be even; factors of two belong into shift.
  const auto twos = static_cast<unsigned long>(lsb(all));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Integer factor = all / divisors[i];
    x.lo[i] *= factor;
    if (!x.is_exact()) {
      x.hi[i] *= factor;
      if (factor < 0) swap(x.lo[i], x.hi[i]);
    }
  }
  x.odd *= all >> twos;
  x.shift += static_cast<long>(twos);
}

Values run_divide(const Node& node, Values x) {
  const Constants c = integers_of(node.payload);
  std::vector<Integer> divisors;
  for (std::size_t i = 0; i < x.size(); ++i) divisors.push_back(c.narrow.empty() ? c.wide[i] : Integer(c.narrow[i]));
  divide_by(x, divisors);
  x.shift -= c.shift;
  return x;
}

Values run_reduce(const Node& node, const Values& x) {
  const auto k = static_cast<std::size_t>(node.ints[0]);
  Values out = zeros_like(x, node.size);
  std::vector<Integer> divisors;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      out.lo[i] += x.lo[i * k + j];
      if (!x.is_exact()) out.hi[i] += x.hi[i * k + j];
    }
    divisors.push_back(node.ints[i + 1]);
  }
  divide_by(out, divisors);
  return out;
}

// Enclosure of scale / √variance over 2^fraction_bits.
std::pair<Integer, Integer> normaliser(double scale, double variance, double eps) {
  const Rational sum = exact(variance) + exact(eps);
  // √(p/q) = √(p·q)/q, with 2·(fraction_bits + guard) extra bits.
  constexpr unsigned long extra = fraction_bits + 1200;
  const Integer p = numerator(sum), q = denominator(sum);
  const Integer root = sqrt(Integer((p * q) << (2 * extra)));  // floor
  // scale / (root / (q·2^extra)) with root <= exact < root + 1.
  const Rational s = exact(scale);
  const Integer top = (numerator(s) * q) << (extra + fraction_bits);
  const Integer a = denominator(s) * root, b = denominator(s) * (root + 1);
  if (top >= 0) return {floor_quotient(top, b), ceil_quotient(top, a)};
  return {floor_quotient(top, a), ceil_quotient(top, b)};
}

Values run_bn(const Node& node, Values x) {
  const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
  const double* const c = node.payload.data();
  std::vector<double> means(c + 2 * channels, c + 3 * channels);
  for (double& mean : means) mean = -mean;
  const auto channel = [&](std::size_t i) { return i / inner % channels; };
  add_constants(x, means.data(), channels, channel);
  if (x.is_exact()) x.hi = x.lo;
  std::vector<std::pair<Integer, Integer>> factors;
  for (std::size_t q = 0; q < channels; ++q) factors.push_back(normaliser(c[q], c[3 * channels + q], c[4 * channels]));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto& [low, high] = factors[channel(i)];
    const Integer products[] = {x.lo[i] * low, x.lo[i] * high, x.hi[i] * low, x.hi[i] * high};
    x.lo[i] = *std::min_element(products, products + 4);
    x.hi[i] = *std::max_element(products, products + 4);
  }
  x.shift += fraction_bits;
  add_constants(x, c + channels, channels, channel);
  return x;
}

Values run_scale(const Node& node, const Values& x) {
  const Constants c = integers_of(node.payload);
  Values out = zeros_like(x, x.size());
  out.shift += c.shift;
  Integer scratch;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (c.narrow.empty())
      add_product(out, i, c.wide[i], x, i, scratch);
    else
      add_product(out, i, c.narrow[i], x, i, scratch);
  }
  return out;
}

void negate(Values& x) {
  for_each_integer(x, [](Integer& n) { n = -n; });
  if (!x.is_exact()) std::swap(x.lo, x.hi);
}

// A monotone function applied to every integer.
Values run_leaky(const Node& node, Values x) {
  const exact_run::Dyadic alpha = dyadic(node.payload[0]);
  // α·n = m·n·2^e; every number is brought to the finer denominator first.
  refine(x, x.shift + std::max(-alpha.e, 0L));
  const auto down = static_cast<unsigned long>(std::max(-alpha.e, 0L)),
             up = static_cast<unsigned long>(std::max(alpha.e, 0L));
  for_each_integer(x, [&](Integer& n) {
    if (n < 0) n = ((n / (Integer(1) << down)) * alpha.m) << up;  // the division is exact
  });
  return x;
}

Values run_clip(const Node& node, Values x) {
  const Constants c = integers_of(node.payload);
  refine(x, c.shift);
  Integer bounds[2];
  for (std::size_t i = 0; i < 2; ++i) {
    bounds[i] = c.narrow.empty() ? c.wide[i] : Integer(c.narrow[i]);
    bounds[i] = (bounds[i] * x.odd) << static_cast<unsigned long>(x.shift - c.shift);
  }
  for_each_integer(x, [&](Integer& n) {
    if (n < bounds[0]) n = bounds[0];
    if (n > bounds[1]) n = bounds[1];
  });
  return x;
}

Values run_abs(Values x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x.is_exact()) {
      if (x.lo[i] < 0) x.lo[i] = -x.lo[i];
    } else if (x.hi[i] <= 0) {
      swap(x.lo[i], x.hi[i]);
      x.lo[i] = -x.lo[i];
      x.hi[i] = -x.hi[i];
    } else if (x.lo[i] < 0) {
      x.hi[i] = std::max(Integer(-x.lo[i]), x.hi[i]);
      x.lo[i] = 0;
    }
  }
  return x;
}

Values run_max(const Node& node, const Values& x) {
  const auto k = static_cast<std::ptrdiff_t>(node.ints[0]);
  Values out = zeros_like(x, node.size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * k;
    out.lo[i] = *std::max_element(x.lo.begin() + at, x.lo.begin() + at + k);
    if (!x.is_exact()) out.hi[i] = *std::max_element(x.hi.begin() + at, x.hi.begin() + at + k);
  }
  return out;
}

Values run_map(const Node& node, const std::vector<Values>& all) {
  std::vector<Values> operands;
  for (std::uint32_t operand : node.operands) operands.push_back(all[operand]);
  unify(operands);
  Values joined = std::move(operands.front());
  for (std::size_t i = 1; i < operands.size(); ++i) {
    joined.lo.insert(joined.lo.end(), operands[i].lo.begin(), operands[i].lo.end());
    joined.hi.insert(joined.hi.end(), operands[i].hi.begin(), operands[i].hi.end());
  }
  Values out = zeros_like(joined, node.size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto source = static_cast<std::size_t>(node.ints[i]);
    out.lo[i] = joined.lo[source];
    if (!joined.is_exact()) out.hi[i] = joined.hi[source];
  }
  return out;
}

Values run_add(const Node& node, const std::vector<Values>& all) {
  std::vector<Values> pair{all[node.operands[0]], all[node.operands[1]]};
  if (node.ints[0] != 0) negate(pair[1]);
  unify(pair);
  for (std::size_t i = 0; i < pair[0].size(); ++i) {
    pair[0].lo[i] += pair[1].lo[i];
    if (!pair[0].is_exact()) pair[0].hi[i] += pair[1].hi[i];
  }
  return std::move(pair[0]);
}

std::pair<Rational, Rational> range_at(const Values& x, std::size_t i) {
  const Rational lo = rational(x.lo[i], x);
  return {lo, x.is_exact() ? lo : rational(x.hi[i], x)};
}

Values run_product(const std::vector<Values>& all, const Node& node) {
  const Values &x = all[node.operands[0]], &y = all[node.operands[1]];
  Values out;
  out.odd = x.odd * y.odd;
  out.shift = x.shift + y.shift;
  const bool square = node.operands[0] == node.operands[1];
  for (std::size_t i = 0; i < node.size; ++i) {
    if (x.is_exact() && y.is_exact()) {
      out.lo.push_back(x.lo[i] * y.lo[i]);
      continue;
    }
    const Integer &a = x.lo[i], &b = x.is_exact() ? a : x.hi[i], &c = y.lo[i], &d = y.is_exact() ? c : y.hi[i];
    const Integer products[] = {a * c, a * d, b * c, b * d};
    const auto [least, greatest] = std::minmax_element(std::begin(products), std::end(products));
    out.lo.push_back(square && *least < 0 ? Integer(0) : *least);
    out.hi.push_back(*greatest);
  }
  return out;
}

Values run_quotient(const std::vector<Values>& all, const Node& node) {
  const Values &x = all[node.operands[0]], &y = all[node.operands[1]];
  std::vector<std::pair<Rational, Rational>> ranges;
  for (std::size_t i = 0; i < node.size; ++i) {
    const auto [a, b] = range_at(x, i);
    const auto [c, d] = range_at(y, i);
    if (c <= 0 && d >= 0) throw ResourceError("exact run: " + node.origin + " divides by zero or by what may be zero");
    const Rational quotients[] = {a / c, a / d, b / c, b / d};
    const auto [least, greatest] = std::minmax_element(std::begin(quotients), std::end(quotients));
    ranges.emplace_back(*least, *greatest);
  }
  return of_ranges(ranges);
}

// Functions are enclosed to more bits than pairs keep.
Values run_function(const std::vector<Values>& all, const Node& node) {
  static const Format wide{17, static_cast<int>(fraction_bits) + 64, (1 << 16) - 1, Convention::ieee};
  const Values& x = all[node.operands[0]];
  std::vector<std::pair<Rational, Rational>> ranges;
  for (std::size_t i = 0; i < node.size; ++i) {
    const auto [lo, hi] = range_at(x, i);
    const std::optional<Interval> y = evaluate(element_function(node), enclose(wide, lo, hi), wide);
    if (!y) throw ResourceError("exact run: " + node.origin + " is not defined where it is evaluated");
    ranges.emplace_back(to_rational(y->lower()), to_rational(y->upper()));
  }
  return of_ranges(ranges);
}

Values run_node(const Node& node, const std::vector<Values>& all) {
  const auto x = [&]() -> const Values& { return all[node.operands[0]]; };
  switch (node.kind) {
    case Kind::input:
      break;
    case Kind::constant: {
      Values out;
      out.lo.assign(node.size, 0);
      add_constants(out, node.payload.data(), node.size, [](std::size_t i) { return i; });
      return out;
    }
    case Kind::map:
      return run_map(node, all);
    case Kind::dense:
    case Kind::conv:
      return run_contraction(node, x());
    case Kind::reduce:
      return run_reduce(node, x());
    case Kind::bn:
      return run_bn(node, x());
    case Kind::add:
      return run_add(node, all);
    case Kind::shift: {
      Values out = x();
      add_constants(out, node.payload.data(), node.size, [](std::size_t i) { return i; });
      return out;
    }
    case Kind::scale:
      return run_scale(node, x());
    case Kind::divide:
      return run_divide(node, x());
    case Kind::neg: {
      Values out = x();
      negate(out);
      return out;
    }
    case Kind::relu: {
      Values out = x();
      for_each_integer(out, [](Integer& n) {
        if (n < 0) n = 0;
      });
      return out;
    }
    case Kind::leaky:
      return run_leaky(node, x());
    case Kind::clip:
      return run_clip(node, x());
    case Kind::abs:
      return run_abs(x());
    case Kind::max:
      return run_max(node, x());
    case Kind::function:
      return run_function(all, node);
    case Kind::product:
      return run_product(all, node);
    case Kind::quotient:
      return run_quotient(all, node);
  }
  throw ResourceError("exact run: second input node");
}

}  // namespace

std::vector<ExactRange> run_exact_ranges(const Graph& graph, const std::vector<Rational>& input) {
  if (input.size() != graph.nodes[0].size) throw ResourceError("exact run: wrong number of inputs");
  std::vector<Values> all(graph.nodes.size());
  Integer common = 1;
  for (const Rational& value : input) common = least_common_multiple(common, denominator(value));
  const auto twos = static_cast<unsigned long>(lsb(common));
  all[0].odd = common >> twos;
  all[0].shift = static_cast<long>(twos);
  for (const Rational& value : input) all[0].lo.push_back(numerator(value) * (common / denominator(value)));

  std::vector<std::uint32_t> last_reader(graph.nodes.size(), 0);
  for (std::uint32_t number = 0; number < graph.nodes.size(); ++number) {
    for (std::uint32_t operand : graph.nodes[number].operands) last_reader[operand] = number;
  }
  for (std::uint32_t number = 1; number < graph.nodes.size(); ++number) {
    all[number] = run_node(graph.nodes[number], all);
    tidy(all[number]);
    for (std::uint32_t operand : graph.nodes[number].operands) {
      if (last_reader[operand] == number && operand != graph.output) all[operand] = {};
    }
  }
  const Values& out = all[graph.output];
  std::vector<ExactRange> ranges;
  for (std::size_t i = 0; i < out.size(); ++i) {
    ExactRange range;
    range.lo = rational(out.lo[i], out);
    range.hi = out.is_exact() ? range.lo : rational(out.hi[i], out);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::optional<std::vector<Rational>> run_exact(const Graph& graph, const std::vector<Rational>& input) {
  std::vector<Rational> values;
  for (ExactRange& range : run_exact_ranges(graph, input)) {
    if (range.lo != range.hi) return std::nullopt;
    values.push_back(std::move(range.lo));
  }
  return values;
}

}  // namespace outward
