// The ranges of one scope and the rules that change them (FORMAT.md sections 3 and 6) in the
// arithmetic U: double, Exact, or Nearest for executions. Assumes a graph without fault. Promises
// that every method only makes true statements: ranges contain every execution of the claimed
// semantics in the scope, bounds hold for all of them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/kernel/engine.hpp"
#include "checker/kernel/property.hpp"

namespace outward_check {

enum class Semantics : std::uint8_t { real, fp32_any, fp64_any, capsule };

// The figures of section 3 for the executions of a claim; all 0, without a threshold, for the reals.
struct Numerics {
  Semantics semantics = Semantics::real;
  double unit = 0, underflow = 0, overflow = infinity;          // u, eta, Omega
  double operand_unit = 0, operand_underflow = 0, flushed = 0;  // u', eta', lambda
};

// Sum of coefficient*y[index] + constant over the network's outputs, plus multiples of range ends:
// value*(lo - z) for value > 0, value*(hi - z) for value < 0, with the current range of element z.
// None of them is positive, so that a lower bound of the form is one of the sum without them.
struct LinearForm {
  struct Multiple {
    std::uint32_t node;  // stored
    std::uint64_t element;
    Fraction value;
  };
  std::map<std::uint64_t, Fraction> terms;
  std::vector<Multiple> multiples;
  Fraction constant;
};

// The slope bytes, 0 to 128, of one node.
struct Slopes {
  std::uint64_t id = 0;
  std::uint32_t node = 0;
  std::string lower, upper;
};
using SlopeSet = std::vector<const Slopes*>;  // at most one per node, increasing nodes

// A rule cannot be applied as the record asks.
struct RuleFault {
  std::string text;
};

template <class U>
using Ranges = std::vector<Interval<U>>;  // per element

template <class U>
class State {
 public:
  State(const Structure& structure, const Numerics& numerics);

  // Forgets everything; node 0 gets the input range of the box. RuleFault if an end overflows.
  void start(const std::vector<InputRange>& box);
  void start(const std::vector<U>& at);  // the same for a single point, as the network receives it
  void interval(std::uint32_t node);     // REQUIRES stored, not the input
  void backward(std::uint32_t node, const std::vector<std::uint64_t>& lower,
                const std::vector<std::uint64_t>& upper, const SlopeSet& slopes);
  // A lower bound of the form; nothing if there is none. exact: same ranges, exact arithmetic.
  std::optional<Fraction> lower_bound(const LinearForm& form, const SlopeSet& slopes);
  std::optional<Fraction> exact_lower_bound(const LinearForm& form, const SlopeSet& slopes);
  void assume(std::uint32_t node, std::uint64_t element, const Fraction& at, bool is_lower);
  bool crossed(std::uint32_t node, std::uint64_t element) const;
  // Empty if no node can overflow in this scope, else where it may.
  std::string overflow();
  std::size_t mark() { return scoped_ = true, log_.size(); }  // undo(mark()) takes back what is
  void undo(std::size_t mark);                                // done in between
  const Ranges<U>& ranges(std::uint32_t node) const { return ranges_[node]; }

 private:
  template <class W>
  friend class State;
  struct Change {  // what a node had before
    std::uint32_t node;
    std::uint64_t version;
    Ranges<U> old;
  };
  struct Lines {
    std::uint64_t version = ~std::uint64_t{0}, slopes = 0;  // what they were computed from
    std::vector<LinePair<U>> lines;
  };
  struct ErrorBox {
    std::vector<std::uint64_t> versions;  // of the leaves it was computed from
    std::vector<U> delta;
    bool overflow = false;
  };

  // The constants of one node in the form factor*(x + pre) + post, where it has that form, and
  // column P as gain*(P_x + before) + after. For executions factor holds divisor and multiplier.
  struct Affine {
    std::vector<double> pre, post;
    Ranges<U> factor;
    U gain = 1, before = 0, after = 0;
    bool overflow = false;  // var + eps
  };

  std::string name(std::uint32_t k) const;
  void prepare_constants(std::uint32_t k);
  void intersect(std::uint32_t k, std::uint64_t i, const Interval<U>& z);
  void changed(std::uint32_t k);
  void node_range(std::uint32_t k, const std::vector<const Ranges<U>*>& x, bool absolute);
  void group_ranges(std::uint32_t root, bool absolute);
  U largest_value(std::uint32_t k) const;
  void compute_error_box(std::uint32_t root);
  const ErrorBox& error_box(std::uint32_t k);
  bool rounds(std::uint32_t k) const;
  void compute_lines(std::uint32_t k, const Slopes* slopes);
  void prepare(std::uint32_t target, const SlopeSet& slopes);
  Job<U> run(std::span<const Start<U>> starts, std::uint32_t target);

  const Structure& structure_;
  const Graph& graph_;
  const Numerics numerics_;
  const Engine<U>& engine_;
  std::vector<NodeView<U>> views_;
  std::vector<Ranges<U>> ranges_, scratch_;
  std::vector<Affine> affine_;
  std::vector<std::uint64_t> version_;  // names one content of a node's ranges for ever
  std::vector<Lines> lines_;
  std::vector<ErrorBox> boxes_;
  std::vector<U> sums_;  // column P of nodes inside a group
  std::vector<Change> log_;
  std::uint64_t logged_ = 0;  // elements in it
  bool scoped_ = false;       // outside of all scopes nothing is logged
  std::uint64_t clock_ = 0;
  std::unique_ptr<State<Exact>> exact_;
};

}  // namespace outward_check
