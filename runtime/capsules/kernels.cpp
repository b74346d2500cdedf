#include "runtime/capsules/kernels.hpp"

#include <cblas.h>

#include <algorithm>
#include <map>

#include "formats/error.hpp"
#include "runtime/cpu/fast.hpp"
#include "runtime/cpu/formatted.hpp"
#include "runtime/cpu/reference.hpp"

extern "C" void openblas_set_num_threads(int);

namespace outward {
namespace {

std::vector<double> run_reference_kernel(const Graph& graph, const std::vector<double>& input) {
  return run_reference(graph, input);
}

std::vector<double> run_fast_kernel(const Graph& graph, const std::vector<double>& input) {
  return FastNetwork(graph).forward(input, 1);
}

// out[i][j] += Σ_k a[i][k]·b[k][j] in binary32, added by OpenBLAS in whatever order it likes.
void add_product(std::size_t m, std::size_t n, std::size_t depth, const float* a, const float* b, bool b_transposed,
                 float* out) {
  openblas_set_num_threads(1);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans, static_cast<int>(m),
              static_cast<int>(n), static_cast<int>(depth), 1.0f, a, static_cast<int>(depth), b,
              static_cast<int>(b_transposed ? depth : n), 1.0f, out, static_cast<int>(n));
}

std::vector<float> narrow_to_float(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::vector<double> run_single_dense(const Graph& graph, const std::vector<double>& input) {
  const Node& node = graph.nodes[graph.output];
  const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
  const auto n = static_cast<std::size_t>(node.ints[2]);
  const std::vector<float> x = narrow_to_float(input), w = narrow_to_float(node.payload);
  std::vector<float> out(rows * n, 0.0f);
  for (std::size_t at = 0; at < out.size() && node.ints[3] != 0; ++at) out[at] = w[n * k + at % n];
  add_product(rows, n, k, x.data(), w.data(), true, out.data());
  return {out.begin(), out.end()};
}

std::vector<double> run_single_conv(const Graph& graph, const std::vector<double>& input) {
  const Node& node = graph.nodes[graph.output];
  const auto& g = node.ints;
  const std::int64_t deep = g[1] / g[15], window = deep * g[5] * g[6], rows = g[4] / g[15], pixels = g[16] * g[17];
  const std::vector<float> x = narrow_to_float(input), w = narrow_to_float(node.payload);
  std::vector<float> out(node.size), unfolded(static_cast<std::size_t>(window * pixels));
  for (std::int64_t image = 0; image < g[0] * g[15]; ++image) {
    const std::int64_t part = image % g[15];
    const float* const plane = x.data() + image * deep * g[2] * g[3];
    for (std::int64_t e = 0; e < window; ++e) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        const std::int64_t y = p / g[17] * g[7] - g[9] + e / g[6] % g[5] * g[13];
        const std::int64_t column = p % g[17] * g[8] - g[10] + e % g[6] * g[14];
        const bool inside = y >= 0 && y < g[2] && column >= 0 && column < g[3];
        unfolded[static_cast<std::size_t>(e * pixels + p)] =
            inside ? plane[(e / (g[5] * g[6]) * g[2] + y) * g[3] + column] : 0.0f;
      }
    }
    float* const target = out.data() + image * rows * pixels;
    for (std::int64_t at = 0; at < rows * pixels; ++at)
      target[at] = g[18] != 0 ? w[static_cast<std::size_t>(g[4] * window + part * rows + at / pixels)] : 0.0f;
    add_product(static_cast<std::size_t>(rows), static_cast<std::size_t>(pixels), static_cast<std::size_t>(window),
                w.data() + part * rows * window, unfolded.data(), false, target);
  }
  return {out.begin(), out.end()};
}

KernelFunction formatted_kernel(const Capsule& capsule) {
  FormattedRun how;
  how.format = parse_number_format(format_text(capsule.policy.format));
  if (capsule.policy.accumulator) how.accumulator = parse_number_format(format_text(*capsule.policy.accumulator));
  how.rounding = capsule.policy.rounding;
  how.order = capsule.policy.reduction == Reduction::pairwise  ? SumOrder::pairwise
              : capsule.policy.contraction == Contraction::fma ? SumOrder::fused
                                                               : SumOrder::sequential;
  return [how](const Graph& graph, const std::vector<double>& input) {
    std::vector<Rational> x;
    for (const double v : input) x.push_back(exact(v));
    const FormattedResult result = run_in_format(graph, x, how);
    std::vector<double> out;
    for (const Integer& code : result.nodes[graph.output]) {
      const ExactNumber v = how.format->to_exact(code);
      const Integer power = Integer(1) << static_cast<unsigned>(std::abs(v.exponent));
      out.push_back(v.kind == ExactNumber::Kind::nan ? std::numeric_limits<double>::quiet_NaN()
                    : v.kind == ExactNumber::Kind::infinite
                        ? (v.negative ? -1 : 1) * std::numeric_limits<double>::infinity()
                        : round_nearest(v.exponent < 0 ? Rational(v.factor / power) : Rational(v.factor * power)));
    }
    return out;
  };
}

}  // namespace

void require_same_handler(const Kernel& kernel, const Capsule& capsule) {
  std::vector<Blocker> blockers;
  const auto compare = [&](const char* what, const std::string& has, const std::string& wants) {
    if (has != wants)
      blockers.push_back(
          {"handler-mismatch", capsule.name, std::string("the kernel is for another ") + what, wants, has, ""});
  };
  compare("operator", kernel.op, capsule.op);
  compare("provider", kernel.provider, capsule.provider);
  compare("device", kernel.device, capsule.device);
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
}

Kernel bind_kernel(const Capsule& capsule) {
  const auto refuse = [&](const std::string& why) {
    throw InputRefused(Blocker{"not-executable", capsule.name, why, "", "", ""});
  };
  if (capsule.support != RuntimeSupport::executable)
    refuse(std::string("this program cannot run it: its record says ") + support_text(capsule.support));
  Kernel kernel{capsule.op, capsule.provider, "cpu", nullptr};
  const bool single = capsule.policy.format.width() == 32;
  if (capsule.provider == "reference")
    kernel.run = run_reference_kernel;
  else if (capsule.provider == "fast" && !single)
    kernel.run = run_fast_kernel;
  else if (capsule.provider == "fast" && capsule.op == "dense")
    kernel.run = run_single_dense;
  else if (capsule.provider == "fast" && capsule.op == "conv")
    kernel.run = run_single_conv;
  else if (capsule.provider == "formatted")
    kernel.run = formatted_kernel(capsule);
  else
    refuse("this build has no kernel for it");
  require_same_handler(kernel, capsule);
  return kernel;
}

Graph one_node_graph(const Node& node, const std::vector<std::uint64_t>& sizes, ElementType element) {
  Graph graph;
  graph.element = element;
  Node input;
  for (const std::uint64_t size : sizes) input.size += size;
  graph.nodes.push_back(std::move(input));
  Node last = node;
  last.operands.clear();
  std::int64_t from = 0;
  for (const std::uint64_t size : sizes) {
    if (sizes.size() == 1) break;
    Node part;
    part.kind = Kind::map;
    part.operands = {0};
    part.size = size;
    for (std::uint64_t i = 0; i < size; ++i) part.ints.push_back(from++);
    last.operands.push_back(static_cast<std::uint32_t>(graph.nodes.size()));
    graph.nodes.push_back(std::move(part));
  }
  if (sizes.size() == 1) last.operands = {0};
  graph.output = static_cast<std::uint32_t>(graph.nodes.size());
  graph.nodes.push_back(std::move(last));
  return graph;
}

std::vector<double> run_plan(const Graph& graph, const AcceptedPlan& plan, const std::vector<double>& input,
                             std::vector<std::vector<double>>* nodes) {
  if (input.size() != graph.nodes[0].size) throw ResourceError("run of a plan: wrong number of inputs");
  if (plan.plan().graph != graph_digest(graph)) throw ResourceError("run of a plan: it is for another graph");
  std::vector<Blocker> blockers;
  std::map<std::string, Kernel> kernels;
  for (const PlannedNode& n : plan.plan().nodes) {
    if (kernels.count(n.capsule.name) != 0) continue;
    try {
      kernels.emplace(n.capsule.name, bind_kernel(n.capsule));
    } catch (const InputRefused& e) {
      blockers.insert(blockers.end(), e.blockers.begin(), e.blockers.end());
      kernels.emplace(n.capsule.name, Kernel{});
    }
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  std::vector<std::vector<double>> all(graph.nodes.size());
  all[0] = input;
  for (std::size_t k = 1; k < all.size(); ++k)
    if (graph.nodes[k].kind == Kind::constant) all[k] = graph.nodes[k].payload;
  for (const PlannedNode& n : plan.plan().nodes) {
    const Node& node = graph.nodes[n.node];
    std::vector<double> operands;
    std::vector<std::uint64_t> sizes;
    for (const std::uint32_t operand : node.operands) {
      operands.insert(operands.end(), all[operand].begin(), all[operand].end());
      sizes.push_back(all[operand].size());
    }
    all[n.node] = kernels.at(n.capsule.name).run(one_node_graph(node, sizes, graph.element), operands);
  }
  std::vector<double> out = all[graph.output];
  if (nodes != nullptr) *nodes = std::move(all);
  return out;
}

}  // namespace outward
