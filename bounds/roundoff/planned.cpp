#include "bounds/roundoff/planned.hpp"

#include <algorithm>
#include <optional>

#include "formats/error.hpp"
#include "runtime/graph/groups.hpp"

namespace outward::roundoff {
namespace {

// The policy of a sum group that is one sum.
struct Open {
  std::int64_t leader = -1;        // the first member that leaves the fusion open; -1: none, the group is not one sum
  std::optional<Format> operands;  // of its contractions
};

// Why executions of a node under `member` are not among those of a sum of any order and fusion under the policy of the
// leader and these operands; "" if all are. A reduce whose operand is not rounded is.
std::string uncovered_by(const NumericalPolicy& leader, const std::optional<Format>& operands,
                         const NumericalPolicy& member, Kind kind) {
  const bool adds = member.reduction != Reduction::none, reduces = kind == Kind::reduce && !member.operands;
  if (!(member.format == leader.format)) return "its format is another one";
  if (member.rounding != leader.rounding || member.subnormals != leader.subnormals)
    return "it rounds or flushes in another way";
  if (adds && !(member.accumulator == leader.accumulator)) return "its accumulator is another one";
  if (is_contraction(kind) && !reduces && !(member.operands == operands)) return "its operands are of another format";
  if (member.reduction == Reduction::block) return "it sums in blocks of a tensor core";
  return "";
}

class Planner {
 public:
  Planner(const Graph& graph, const std::vector<NumericalPolicy>& policies, const std::vector<std::string>& kernels,
          double ulps)
      : graph_(graph), policies_(policies), kernels_(kernels), ulps_(ulps), groups_(find_groups(graph)) {}

  PlannedArithmetic result() {
    out_.of_node.assign(graph_.nodes.size(), 0);
    std::vector<Open> open(graph_.nodes.size());  // per root
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
      Open& group = open[groups_.root[k]];
      if (!is_run(k)) continue;
      if (leaves_fusion_open(policies_[k]) && group.leader < 0) group.leader = k;
      if (is_contraction(graph_.nodes[k].kind) && !group.operands) group.operands = policies_[k].operands;
    }
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) place(k, open[groups_.root[k]]);
    if (!blockers_.empty()) throw InputRefused(std::move(blockers_));
    return std::move(out_);
  }

 private:
  bool is_run(std::uint32_t k) const {
    return graph_.nodes[k].kind != Kind::input && graph_.nodes[k].kind != Kind::constant;
  }
  std::string where(std::uint32_t k) const { return graph_.nodes[k].origin + ", kernel " + kernels_[k]; }

  void place(std::uint32_t k, const Open& open) {
    NumericalPolicy policy;
    if (!is_run(k)) {
      // Stored numbers: only the format counts.
      policy.format = parse_format(graph_.element == ElementType::binary32 ? "binary32" : "binary64");
    } else if (open.leader >= 0) {
      const auto leader = static_cast<std::uint32_t>(open.leader);
      policy = policies_[leader];
      policy.reduction = Reduction::any_order_any_fusion;
      policy.contraction = Contraction::none;
      policy.operands = open.operands;
      policy.k_ulp = std::max(policy.k_ulp, policies_[k].k_ulp);
      const std::string fault = uncovered_by(policies_[leader], open.operands, policies_[k], graph_.nodes[k].kind);
      if (!fault.empty()) {
        blockers_.push_back(
            {"no-rule", where(k), "its sum may be fused with that of " + where(leader) + ", but " + fault,
             "one format, accumulator and rounding for a sum of any order and fusion", policy_text(policies_[k]), ""});
        return;
      }
    } else {
      policy = policies_[k];
    }
    if (policy.reduction == Reduction::none) policy.reduction = Reduction::sequential;
    try {
      out_.of_node[k] = index_of(policy);
    } catch (const InputRefused& refused) {
      for (Blocker b : refused.blockers) {
        b.where = where(k);
        b.found = policy_text(policies_[k]);
        blockers_.push_back(std::move(b));
      }
    }
  }

  std::uint32_t index_of(const NumericalPolicy& policy) {
    for (std::size_t i = 0; i < out_.arithmetics.size(); ++i)
      if (out_.arithmetics[i].policy == policy) return static_cast<std::uint32_t>(i);
    Arithmetic a(policy);
    a.function_ulps = policy.k_ulp > 0 ? policy.k_ulp : ulps_;
    out_.arithmetics.push_back(std::move(a));
    return static_cast<std::uint32_t>(out_.arithmetics.size() - 1);
  }

  const Graph& graph_;
  const std::vector<NumericalPolicy>& policies_;
  const std::vector<std::string>& kernels_;
  double ulps_;
  Groups groups_;
  PlannedArithmetic out_;
  std::vector<Blocker> blockers_;
};

}  // namespace

PlannedArithmetic arithmetics_of(const Graph& graph, const std::vector<NumericalPolicy>& policies,
                                 const std::vector<std::string>& kernels, double ulps) {
  return Planner(graph, policies, kernels, ulps).result();
}

}  // namespace outward::roundoff
