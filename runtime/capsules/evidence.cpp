#include "runtime/capsules/evidence.hpp"

#include <cpuid.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "formats/error.hpp"
#include "formats/exact.hpp"
#include "formats/number_format.hpp"
#include "runtime/capsules/execution.hpp"
#include "runtime/capsules/fuzz_nodes.hpp"
#include "runtime/capsules/policy_error.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/reference.hpp"
#include "runtime/graph/element_function.hpp"
#include "runtime/graph/groups.hpp"

namespace outward {
namespace {

using EvidenceClock = std::chrono::steady_clock;

std::string hex_number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::string hex_list(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size() && i < 64; ++i) text += (i ? ", " : "") + hex_number(values[i]);
  return text + (values.size() > 64 ? ", …]" : "]");
}

std::string describe(const Graph& graph, const std::vector<double>& input, std::size_t element, double got,
                     const std::string& allowed) {
  const Node& node = graph.nodes[graph.output];
  std::string text = std::string(op_name(node)) + " ints [";
  for (std::size_t i = 0; i < node.ints.size(); ++i) text += (i ? ", " : "") + std::to_string(node.ints[i]);
  return text + "] constants " + hex_list(node.payload) + " operands " + hex_list(input) + ": element " +
         std::to_string(element) + " is " + hex_number(got) + ", " + allowed;
}

// The node with absolute values everywhere: what it computes on absolute operands are the sums S of FORMAT.md
// section 3.
Graph absolute_graph(const Graph& graph) {
  Graph out = graph;
  out.element = ElementType::binary64;
  Node& node = out.nodes[out.output];
  const auto channels = node.kind == Kind::bn ? static_cast<std::size_t>(node.ints[0]) : 0;
  for (std::size_t i = 0; i < node.payload.size(); ++i) node.payload[i] = std::fabs(node.payload[i]);
  for (std::size_t q = 0; q < channels; ++q) {
    node.payload[2 * channels + q] *= -1;                                                // x + |mean|
    node.payload[3 * channels + q] = graph.nodes[out.output].payload[3 * channels + q];  // never negative
  }
  if (node.kind == Kind::bn) node.payload.back() = graph.nodes[out.output].payload.back();
  if (node.kind == Kind::add) node.ints[0] = 0;
  if (node.kind == Kind::neg || node.kind == Kind::clip) {
    node.kind = Kind::abs;
    node.payload.clear();
  }
  return out;
}

// P of FORMAT.md section 3 for a group of one node, at a point; rounded up.
double point_magnitude(const Node& node, const std::vector<double>& input) {
  const auto greatest = [](auto from, auto to) {
    double m = 1;
    for (; from != to; ++from) m = std::max(m, std::fabs(*from));
    return m;
  };
  const double x = greatest(input.begin(), input.end());
  const auto& p = node.ints;
  const auto begin = node.payload.begin();
  const auto products = [&](std::int64_t depth, std::int64_t weights) {
    return add_up(mul_up(mul_up(static_cast<double>(depth), greatest(begin, begin + weights)), x),
                  greatest(begin + weights, node.payload.end()));
  };
  switch (node.kind) {
    case Kind::dense:
      return products(p[1], p[1] * p[2]);
    case Kind::conv: {
      const std::int64_t window = p[1] / p[15] * p[5] * p[6];
      return products(window, window * p[4]);
    }
    case Kind::reduce:
      return mul_up(static_cast<double>(p[0]), x);
    case Kind::bn: {
      double inverse = 1;
      for (std::int64_t q = 0; q < p[0]; ++q)
        inverse = std::max(inverse, div_up(1, sqrt_down(add_down(begin[3 * p[0] + q], node.payload.back()))));
      return add_up(mul_up(mul_up(inverse, greatest(begin, begin + p[0])),
                           add_up(x, greatest(begin + 2 * p[0], begin + 3 * p[0]))),
                    greatest(begin + p[0], begin + 2 * p[0]));
    }
    case Kind::add:
      return mul_up(2, x);
    case Kind::shift:
      return add_up(x, greatest(begin, node.payload.end()));
    case Kind::scale:
      return mul_up(x, greatest(begin, node.payload.end()));
    case Kind::divide: {
      double most = 1;
      for (const double c : node.payload) most = std::max(most, div_up(1, std::fabs(c)));
      return mul_up(x, most);
    }
    default:
      return x;
  }
}

// Error box per element of the one node at a point; empty if the overflow condition fails there.
std::vector<double> boxes_at(const Graph& graph, const PolicyError& error, const std::vector<double>& input) {
  const Node& node = graph.nodes[graph.output];
  std::vector<double> size;
  for (const double v : input) size.push_back(std::fabs(v));
  if (is_group_kind(node.kind)) {
    const Groups groups = find_groups(graph);
    const double p = point_magnitude(node, input);
    if (!(mul_up(2, p) < error.omega)) return {};
    const std::uint64_t n = groups.total[graph.output], t = groups.terms[graph.output];
    const double tiny = mul_up(error.absolute(n, t, groups.roundings[graph.output], node.kind == Kind::map), p);
    if (n == 0) return std::vector<double>(node.size, tiny);
    const double relative = error.relative(n, t);
    std::vector<double> sums = run_reference(absolute_graph(graph), size);
    for (double& s : sums)
      s = add_up(mul_up(relative, mul_up(s, 1 + 0x1p-52 * (static_cast<double>(n) + 16))), add_up(tiny, 0x1p-1070));
    return sums;
  }
  std::vector<double> out(node.size, error.moved());
  for (std::size_t i = 0; node.kind == Kind::leaky && i < out.size(); ++i)
    out[i] = error.leaky(node.payload[0], input[i]);
  return out;
}

// The same for the kinds that are no sums, around exact values; empty where the operator is not defined, a value is
// beyond the overflow threshold, or something might be flushed.
std::vector<double> boxes_around(const Node& node, const PolicyError& error, const std::vector<double>& input,
                                 const std::vector<ExactRange>& values) {
  const auto tiny = [&](double v) { return std::fabs(v) < error.flushed; };
  if (std::any_of(input.begin(), input.end(), tiny)) return {};
  const bool by_ulps = is_by_ulps(node);
  const bool rounds = node.kind != Kind::function || element_function(node) == ElementFunction::sqrt;
  std::vector<double> out;
  for (const ExactRange& v : values) {
    const double size = std::max(std::fabs(round_up(v.hi)), std::fabs(round_down(v.lo)));
    if (!(size < error.omega) || tiny(size)) return {};
    // An ulp is at most 2u times the size of the value, or the least subnormal.
    const double half_ulps = by_ulps ? 2 * error.k_ulp : rounds ? 1 : 0;
    out.push_back(mul_up(half_ulps, add_up(mul_up(error.u, size), error.eta)));
  }
  return out;
}

// |got − value| <= box for a value in [lo, hi].
bool is_within(double got, const ExactRange& value, double box) {
  if (!std::isfinite(got)) return false;
  const Rational y = exact(got), reach = exact(box);
  return value.lo - reach <= y && y <= value.hi + reach;
}

}  // namespace

EvidenceRun fuzz_kernel(const Capsule& capsule, const KernelFunction& kernel, std::uint64_t cases, std::uint64_t seed,
                        const std::function<bool()>& stop) {
  const auto start = EvidenceClock::now();
  EvidenceRun run{capsule.name, "fuzz", 0, 0, seed, 0, ""};
  const ElementType element = capsule.policy.format.width() == 32 ? ElementType::binary32 : ElementType::binary64;
  if (!error_box_fault(capsule.policy).empty()) return run;  // nothing that a result could be compared with
  const PolicyError error = policy_error(capsule.policy);
  const bool determined = is_determined(capsule.policy, capsule.op) && cannot_execute(capsule.policy, element).empty();
  FuzzNodes source(capsule.op, element, seed);
  for (std::uint64_t tried = 0; run.cases < cases && tried < 16 * cases + 1000; ++tried) {
    if (stop && stop()) break;
    const FuzzNode one = source.next();
    const Node& node = one.graph.nodes[one.graph.output];
    std::vector<Rational> exact_input;
    for (const double v : one.input) exact_input.push_back(exact(v));
    std::vector<ExactRange> values;
    std::vector<double> boxes;
    if (is_certifiable(node.kind)) {
      boxes = boxes_at(one.graph, error, one.input);
      if (!boxes.empty()) values = run_exact_ranges(one.graph, exact_input);
    } else {
      try {
        values = run_exact_ranges(one.graph, exact_input);
      } catch (const ResourceError&) {
        continue;  // not defined there
      }
      boxes = boxes_around(node, error, one.input, values);
    }
    if (boxes.empty()) continue;
    std::vector<double> got;
    std::string broken;
    try {
      got = kernel(one.graph, one.input);
    } catch (const std::exception& e) {
      broken = e.what();
    }
    if (got.size() != values.size()) {
      ++run.cases;
      ++run.failures;
      if (run.first_failure.empty())
        run.first_failure =
            describe(one.graph, one.input, 0, 0, "the kernel failed: " + (broken.empty() ? "wrong size" : broken));
      continue;
    }
    std::vector<double> same;
    if (determined)
      same = run_under(one.graph, std::vector<NumericalPolicy>(one.graph.nodes.size(), capsule.policy), one.input);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ++run.cases;
      const bool inside = is_within(got[i], values[i], boxes[i]);
      if (inside && (same.empty() || got[i] == same[i])) continue;
      ++run.failures;
      if (!run.first_failure.empty()) continue;
      const std::string allowed =
          inside ? "the declared order gives " + hex_number(same[i])
                 : "the policy allows " + hex_number(round_nearest(values[i].lo)) + " +- " + hex_number(boxes[i]);
      run.first_failure = describe(one.graph, one.input, i, got[i], allowed);
    }
  }
  run.seconds = std::chrono::duration<double>(EvidenceClock::now() - start).count();
  return run;
}

namespace {

// The finite values of a small format in increasing order; rounding to nearest, ties to the even code.
class ValueTable {
 public:
  explicit ValueTable(const Format& format) {
    const std::shared_ptr<const NumberFormat> f = parse_number_format(format_text(format));
    for (std::uint64_t code = 0; code < std::uint64_t{1} << f->width(); ++code) {
      const ExactNumber x = f->to_exact(Integer(code));
      if (x.kind != ExactNumber::Kind::number) continue;
      const double power = std::ldexp(1.0, static_cast<int>(x.exponent));
      values_.emplace_back(x.factor * exact(power), (code & 1) == 0);
    }
    std::sort(values_.begin(), values_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    values_.erase(
        std::unique(values_.begin(), values_.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
        values_.end());
  }
  std::size_t size() const { return values_.size(); }
  const Rational& operator[](std::size_t i) const { return values_[i].first; }
  // The nearest value; beyond the half gap above the greatest one nothing is said (nullptr): formats differ.
  const Rational* nearest(const Rational& x) const {
    const auto above = std::lower_bound(values_.begin(), values_.end(), x,
                                        [](const auto& v, const Rational& w) { return v.first < w; });
    if (above == values_.begin() || above == values_.end())
      return above != values_.end() && above->first == x ? &above->first : nullptr;
    const auto below = above - 1;
    const Rational up = above->first - x, down = x - below->first;
    return up < down || (up == down && above->second) ? &above->first : &below->first;
  }

 private:
  std::vector<std::pair<Rational, bool>> values_;
};

}  // namespace

EvidenceRun exhaust_kernel(const Capsule& capsule, const KernelFunction& kernel) {
  const auto start = EvidenceClock::now();
  EvidenceRun run{capsule.name, "exhaustive", 0, 0, 0, 0, ""};
  if (capsule.policy.format.width() > 8)
    throw InputRefused(Blocker{"not-exhaustible", capsule.name, "exhaustive evidence is for formats of at most 8 bits",
                               "", format_text(capsule.policy.format), ""});
  const ValueTable table(capsule.policy.format);
  const std::string& op = capsule.op;
  const bool pairs = op == "add" || op == "shift" || op == "scale" || op == "divide";
  if (!pairs && op != "neg" && op != "relu" && op != "abs")
    throw InputRefused(Blocker{"not-exhaustible", capsule.name, "no exhaustive test of this operator", "", op, ""});
  std::vector<double> all;
  for (std::size_t i = 0; i < table.size(); ++i) all.push_back(round_nearest(table[i]));
  for (std::size_t j = 0; j < (pairs ? all.size() : 1); ++j) {
    if (op == "divide" && all[j] == 0) continue;
    Node node;
    node.kind = op == "add"      ? Kind::add
                : op == "shift"  ? Kind::shift
                : op == "scale"  ? Kind::scale
                : op == "divide" ? Kind::divide
                : op == "neg"    ? Kind::neg
                : op == "relu"   ? Kind::relu
                                 : Kind::abs;
    node.size = all.size();
    std::vector<double> input = all;
    std::vector<std::uint64_t> sizes = {all.size()};
    if (op == "add") {
      node.ints = {0};
      input.insert(input.end(), all.size(), all[j]);
      sizes.push_back(all.size());
    } else if (pairs) {
      node.payload.assign(all.size(), all[j]);
    }
    const Graph graph = one_node_graph(node, sizes, ElementType::binary32);
    const std::vector<double> got = kernel(graph, input);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Rational x = table[i], y = table[j];
      const Rational want = op == "add" || op == "shift" ? Rational(x + y)
                            : op == "scale"              ? Rational(x * y)
                            : op == "divide"             ? Rational(x / y)
                            : op == "neg"                ? Rational(-x)
                            : op == "relu"               ? std::max(x, Rational(0))
                                                         : Rational(abs(x));
      const Rational* nearest = table.nearest(want);
      ++run.cases;
      const bool overflow =
          nearest == nullptr && !(std::fabs(got.at(i)) <= all.back() && got[i] != 0 && std::fabs(got[i]) < all.back());
      if (nearest != nullptr ? std::isfinite(got.at(i)) && exact(got[i]) == *nearest : overflow) continue;
      ++run.failures;
      if (run.first_failure.empty())
        run.first_failure = op + " of " + hex_number(all[i]) + (pairs ? " and " + hex_number(all[j]) : "") + " is " +
                            hex_number(got[i]) + ", the format's nearest number is " +
                            (nearest ? hex_number(round_nearest(*nearest)) : "none (overflow)");
    }
  }
  run.seconds = std::chrono::duration<double>(EvidenceClock::now() - start).count();
  return run;
}

EvidenceRun run_evidence(const Capsule& capsule, std::uint64_t cases, std::uint64_t seed,
                         const std::function<bool()>& stop) {
  const Kernel kernel = bind_kernel(capsule);
  if (capsule.contract(Field::value).evidence == Evidence::exhaustive) return exhaust_kernel(capsule, kernel.run);
  return fuzz_kernel(capsule, kernel.run, cases, seed, stop);
}

std::string build_text() {
  return std::string("compiler ") + __VERSION__ + "; flags -ffp-contract=off" +
#ifdef NDEBUG
         " NDEBUG" +
#endif
#ifdef __OPTIMIZE__
         "; optimised";
#else
         "; not optimised";
#endif
}

std::string processor_text() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  std::string text;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    text = "family-model-stepping " + std::to_string(a);
    if (c & (1u << 28)) text += " avx";
    if (c & (1u << 12)) text += " fma";
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    if (b & (1u << 5)) text += " avx2";
    if (b & (1u << 16)) text += " avx512f";
  }
  return text.empty() ? "unknown" : text;
}

}  // namespace outward
