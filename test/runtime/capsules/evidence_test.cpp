// Evidence that runs: the kernels of this program pass, kernels with seeded defects are found, with their input.
// OUTWARD_EVIDENCE_CASES: results compared per kernel (default 400; test/long runs 1,000,000).
#include "runtime/capsules/evidence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "formats/error.hpp"
#include "runtime/capsules/execution.hpp"
#include "runtime/capsules/fuzz_nodes.hpp"
#include "runtime/cpu/formatted.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/runtime/capsules/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

std::uint64_t evidence_cases() {
  const char* given = std::getenv("OUTWARD_EVIDENCE_CASES");
  return given ? std::strtoull(given, nullptr, 10) : 400;
}

// A kernel that follows another policy than its record says.
KernelFunction kernel_under(const char* policy) {
  return [p = parse_policy(policy)](const Graph& g, const std::vector<double>& x) {
    return run_under(g, std::vector<NumericalPolicy>(g.nodes.size(), p), x);
  };
}

// The defect is found within `cases` results, and shown.
void check_found(const char* record, const KernelFunction& kernel, std::uint64_t cases) {
  const Capsule& c = *Registry::shipped().find(record);
  const EvidenceRun run = fuzz_kernel(c, kernel, cases, 1);
  CAPTURE(record);
  CHECK_FALSE(run.passed());
  CHECK(run.failures > 0);
  CHECK(run.first_failure.find("operands [") != std::string::npos);
}

}  // namespace

TEST_CASE("evidence: the kernels of this program pass") {
  for (const Capsule& c : Registry::shipped().capsules()) {
    if (c.support != RuntimeSupport::executable || c.contract(Field::value).evidence != Evidence::fuzz) continue;
    const EvidenceRun run = run_evidence(c, evidence_cases(), 7);
    CAPTURE(run.first_failure);
    CHECK_MESSAGE(run.passed(), c.name);
    CHECK(run.cases >= evidence_cases());
  }
}

TEST_CASE("evidence: seeded defects are found") {
  // A wrong order claim: pairwise or any other order where left to right is declared, and fused steps.
  check_found("reference.dense.binary32", kernel_under("binary32 reduction=pairwise"), 20000);
  check_found("reference.dense.binary32", kernel_under("binary32 contraction=fma reduction=sequential"), 20000);
  check_found("reference.reduce.binary64", kernel_under("binary64 reduction=pairwise"), 20000);
  check_found("reference.conv.binary32", kernel_under("binary32 reduction=pairwise"), 20000);
  // Flush-to-zero: in a sum in any order, and in one operation.
  check_found("fast.dense.binary32", kernel_under("binary32 subnormals=flush reduction=sequential"), 50000);
  check_found("fast.conv.binary32", kernel_under("binary32 subnormals=flush reduction=sequential"), 50000);
  check_found("reference.scale.binary32", kernel_under("binary32 subnormals=flush"), 20000);
  check_found("reference.relu.binary32", kernel_under("binary32 subnormals=flush"), 20000);
  // Operands rounded to TF32 or bfloat16 first.
  check_found("fast.dense.binary32", kernel_under("binary32 operands=tf32 reduction=sequential"), 20000);
  check_found("fast.conv.binary32", kernel_under("binary32 operands=bfloat16 reduction=sequential"), 20000);
  // Functions and products of two values: another function, a number next to the nearest one, a flushed result.
  const auto spoiled = [](double (*f)(double)) {
    return [f](const Graph& g, const std::vector<double>& x) {
      std::vector<double> y = run_reference(g, x);
      for (double& v : y) v = f(v);
      return y;
    };
  };
  const auto nudged = [](double v) { return static_cast<double>(std::nextafter(static_cast<float>(v), 9.0f)); };
  const auto two_ulps = [](double v) {
    return static_cast<double>(std::nextafter(std::nextafter(static_cast<float>(v), 9.0f), 9.0f));
  };
  check_found("reference.tanh.binary32", spoiled(two_ulps), 2000);
  check_found("reference.product.binary32", spoiled(nudged), 2000);
  check_found("reference.quotient.binary32", spoiled(nudged), 2000);
  check_found("reference.floor.binary32", spoiled([](double v) { return v + 1; }), 2000);
  check_found("reference.sqrt.binary64", spoiled([](double v) { return std::nextafter(v, 9.0); }), 2000);
  check_found("reference.product.binary32", kernel_under("binary32 subnormals=flush"), 20000);
  // Wrong results of any other kind: a sum without its last term, a NaN, a wrong size, a throw.
  const KernelFunction good = bind_kernel(*Registry::shipped().find("fast.dense.binary32")).run;
  check_found(
      "fast.dense.binary32",
      [&](const Graph& g, std::vector<double> x) {
        x.back() = 0;
        return good(g, x);
      },
      5000);
  check_found(
      "fast.dense.binary32",
      [](const Graph& g, const std::vector<double>&) {
        return std::vector<double>(g.nodes[g.output].size, std::nan(""));
      },
      100);
  check_found(
      "fast.dense.binary32", [](const Graph&, const std::vector<double>&) { return std::vector<double>{}; }, 100);
  check_found(
      "fast.dense.binary32",
      [](const Graph&, const std::vector<double>&) -> std::vector<double> { throw ResourceError("broken"); }, 100);
}

TEST_CASE("evidence: kernels that follow wider policies lie in the boxes of those") {
  for (const char* policy :
       {"binary32 subnormals=flush reduction=any_order_any_fusion", "binary32 operands=tf32 reduction=any_order",
        "binary32 operands=bfloat16 reduction=any_order", "binary32 contraction=fma reduction=any_order_any_fusion"}) {
    for (const char* op : {"dense", "conv"}) {
      Capsule c = *Registry::shipped().find(std::string("fast.") + op + ".binary32");
      c.policy = parse_policy(policy);
      const EvidenceRun run = fuzz_kernel(c, kernel_under(policy), 4 * evidence_cases(), 3);
      CAPTURE(run.first_failure);
      CHECK(run.passed());
    }
  }
  // A sum in binary64, rounded once to binary32, lies in the box of every rounding to a neighbour, which is what a
  // certificate claims of it.
  for (const char* op : {"dense", "conv", "reduce"}) {
    const Capsule wide = *Registry::shipped().find(std::string("fast.") + op + ".binary64");
    const KernelFunction kernel = bind_kernel(wide).run;
    Capsule c = *Registry::shipped().find(std::string("reference.") + op + ".binary32");
    const NumericalPolicy own = parse_policy("binary32 accumulator=binary64 reduction=any_order_any_fusion");
    c.policy = common_policy(std::span(&own, 1), own.format).value();
    CHECK(c.policy.rounding == Rounding::toward_zero);
    const EvidenceRun run = fuzz_kernel(
        c,
        [&](Graph g, const std::vector<double>& x) {
          g.element = ElementType::binary64;
          std::vector<double> y = kernel(g, x);
          for (double& v : y) v = static_cast<double>(static_cast<float>(v));
          return y;
        },
        4 * evidence_cases(), 11);
    CAPTURE(run.first_failure);
    CHECK_MESSAGE(run.passed(), op);
  }
  for (const char* op :
       {"add", "shift", "scale", "divide", "neg", "relu", "leaky", "clip", "abs", "max", "bn", "reduce"}) {
    Capsule c = *Registry::shipped().find(std::string("reference.") + op + ".binary32");
    c.policy.subnormals = Subnormals::flush;
    NumericalPolicy same = c.policy;
    // Box only: the executor's own order is not asked for.
    if (c.policy.reduction != Reduction::none) c.policy.reduction = Reduction::any_order_any_fusion;
    const EvidenceRun run = fuzz_kernel(
        c,
        [&](const Graph& g, const std::vector<double>& x) {
          return run_under(g, std::vector<NumericalPolicy>(g.nodes.size(), same), x);
        },
        2 * evidence_cases(), 5);
    CAPTURE(run.first_failure);
    CHECK_MESSAGE(run.passed(), op);
  }
}

TEST_CASE("evidence: exhaustive tests pass on the format's own arithmetic and find a wrong operation") {
  const Capsule& neg = *Registry::shipped().find("formatted.neg.e4m3fn");
  const EvidenceRun run = run_evidence(neg, 1, 1);
  CHECK(run.kind == "exhaustive");
  CHECK(run.cases == 253);
  CHECK(run.passed());
  const EvidenceRun wrong = exhaust_kernel(neg, [](const Graph&, const std::vector<double>& x) { return x; });
  CHECK(wrong.failures == 252);
  CHECK(wrong.first_failure.find("neg of") != std::string::npos);
  CHECK_THROWS_AS(exhaust_kernel(*Registry::shipped().find("reference.neg.binary32"), {}), InputRefused);
}

TEST_CASE("evidence: the same seed gives the same run, nothing run is no pass") {
  const Capsule& c = *Registry::shipped().find("reference.scale.binary32");
  CHECK(FuzzNodes("dense", ElementType::binary32, 3).next().input ==
        FuzzNodes("dense", ElementType::binary32, 3).next().input);
  const EvidenceRun none = run_evidence(c, 100, 1, [] { return true; });
  CHECK(none.cases == 0);
  CHECK_FALSE(none.passed());
  CHECK_THROWS_AS(FuzzNodes("softmax", ElementType::binary32, 1), InputRefused);
}

TEST_CASE("execution: the declared orders are those of the other executors, and ranges hold every point") {
  for (const char* op : {"dense", "conv", "reduce", "bn", "add", "shift", "scale", "divide", "neg", "relu", "leaky",
                         "clip", "abs", "max", "map"}) {
    FuzzNodes source(op, ElementType::binary32, 11);
    for (int n = 0; n < 40; ++n) {
      const FuzzNode f = source.next();
      const auto with = [&](const char* policy) {
        return std::vector<NumericalPolicy>(f.graph.nodes.size(), parse_policy(policy));
      };
      const std::vector<double> reference = run_reference(f.graph, f.input);
      const bool finite = std::all_of(reference.begin(), reference.end(), [](double v) { return std::isfinite(v); });
      if (!finite) continue;
      CHECK(run_under(f.graph, with("binary32 reduction=sequential"), f.input) == reference);
      for (const auto& [policy, order] :
           {std::pair<const char*, SumOrder>{"binary32 reduction=pairwise", SumOrder::pairwise},
            {"binary32 contraction=fma reduction=sequential", SumOrder::fused}}) {
        FormattedRun how;
        how.format = parse_number_format("binary32");
        how.order = order;
        std::vector<Rational> x;
        for (const double v : f.input) x.push_back(exact(v));
        const FormattedResult formatted = run_in_format(f.graph, x, how);
        if (!formatted.finite) continue;
        const std::vector<double> y = run_under(f.graph, with(policy), f.input);
        for (std::size_t i = 0; i < y.size(); ++i)
          CHECK(exact(y[i]) ==
                how.format->to_exact(formatted.nodes[f.graph.output][i]).factor *
                    exact(std::ldexp(
                        1.0, static_cast<int>(how.format->to_exact(formatted.nodes[f.graph.output][i]).exponent))));
      }
      // A box around the point, and points of it.
      std::vector<double> lo = f.input, hi = f.input, low, high;
      for (std::size_t i = 0; i < lo.size(); i += 2) hi[i] = static_cast<float>(hi[i] + std::fabs(hi[i]));
      for (const char* policy :
           {"binary32 reduction=sequential", "binary32 contraction=fma reduction=sequential",
            "binary32 subnormals=flush reduction=sequential", "binary32 operands=tf32 reduction=pairwise"}) {
        if (!ranges_under(f.graph, with(policy), lo, hi, low, high)) continue;
        for (int p = 0; p < 3; ++p) {
          std::vector<double> x = lo;
          for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = p == 0 ? hi[i] : static_cast<double>(static_cast<float>(lo[i] + (hi[i] - lo[i]) * 0.3 * p));
          const std::vector<double> y = run_under(f.graph, with(policy), x);
          for (std::size_t i = 0; i < y.size(); ++i) CHECK((low[i] <= y[i] && y[i] <= high[i]));
        }
      }
    }
  }
  const Graph g = small_graph();
  std::vector<double> low, high;
  CHECK_FALSE(ranges_under(g, std::vector<NumericalPolicy>(4, parse_policy("binary32 reduction=any_order")), {0}, {1},
                           low, high));
  CHECK_FALSE(ranges_under(g, std::vector<NumericalPolicy>(4, parse_policy("binary32")), {1}, {0}, low, high));
  CHECK_THROWS_AS(run_under(g, std::vector<NumericalPolicy>(4, parse_policy("binary64")), {0}), ResourceError);
}
