// The error of a program over one box of inputs. Write v_k for the exact value of node k, v'_k for the computed one and
// r_k = v'_k - op(v'_operands) for its own rounding. By the mean value theorem, v'_k - v_k = sum over operands of
// D (v'_operand - v_operand) + r_k with partial derivatives D at a point between exact and computed operands. So the
// error of the result is sum J_k r_k, where J_k is a sum of products of such D: an adjoint pass over forms that hold
// exact and computed values encloses it, and there is no second-order remainder. Sources: the mean value theorem;
// FPTaylor (Solovyev et al., 2015/2018) for the shape of the first order and for half units of binades.
//
// Assumes round to nearest in every operation, functions within the stated ulps. Promises: |computed - exact| <= bound
// for every point of the box; infinity, with the reason, where no bound is found.
#pragma once
#include <span>

#include "bounds/roundoff/fpcore/form.hpp"
#include "bounds/roundoff/fpcore/format_model.hpp"

namespace outward::fpcore {

struct ErrorModel {
  // Results of library functions and pow are within so many ulps of the exact value; ulp as defined by Harrison (the
  // distance of the two closest numbers around the value).
  double function_ulps = 1;
  bool exact_inputs = false;  // inputs are numbers of their formats: no rounding on entry
};

struct NodeState {
  Span before;    // the exact result on computed operands
  Span computed;  // the computed value
  Form exact;     // holds the exact value, and `before`
  Form value;     // holds the exact value, the computed one, and what is between
  std::array<Form, 3> partials;
  double local = 0;    // bound of the node's own rounding
  double forward = 0;  // bound of the error so far by the interval form
  int grid = 0;        // the computed value is a multiple of 2^grid
};

struct BoxBound {
  double absolute = infinity, relative = infinity;
  double taylor = infinity, interval = infinity, hull = infinity;  // the forms apart
  double relative_taylor = infinity;
  Span value;                                // of the exact result
  std::array<double, most_symbols> slope{};  // of the bound, in half widths of the box
  int failed = -1;                           // node without bound
  const char* reason = "";
};

class BoxAnalysis {
 public:
  BoxAnalysis(const Core& core, const ErrorModel& model);

  // REQUIRES one bounded span for each variable.
  BoxBound bound(std::span<const Span> box);
  // Of the last box: state, bound of |J_k| r_k, how much splitting along a variable may gain.
  const NodeState& state(int node) const { return states_[static_cast<std::size_t>(node)]; }
  double share(int node) const { return shares_[static_cast<std::size_t>(node)]; }
  std::span<const double> gains() const { return gains_; }
  const FormatModel& format(int node) const;

 private:
  bool forward(int k, std::span<const Span> box, BoxBound& out);
  void evaluate(int k);
  void round_result(int k);
  double local_error(const Node& node, const NodeState& at, int exact_grid) const;
  bool fits(const Node& operand, const Node& node) const;
  void adjoints(BoxBound& out);
  double forward_error(const Node& node, const NodeState& at) const;
  double width_of_hull(const NodeState& at) const;

  const NodeState& operand(const Node& node, std::size_t i) const {
    return states_[static_cast<std::size_t>(node.operands[i])];
  }
  const Core& core_;
  ErrorModel model_;
  Forms forms_;
  std::vector<FormatModel> formats_;
  std::vector<NodeState> states_;
  std::vector<Form> adjoint_;
  std::vector<char> reached_;
  std::vector<double> shares_, gains_;
};

}  // namespace outward::fpcore
