// What `roundoff` reports, as data, and its three forms: a table, JSON (roundoff_schema.json), and an SVG.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/roundoff/adjoint.hpp"
#include "bounds/roundoff/observe.hpp"

namespace outward::cli {

// Three digits, not below the number: bounds and ranges.
std::string short_figure_up(double x);

struct OperatorLine {
  std::string name, kind, format, accumulator, source;
  std::int64_t node = -1;  // of the graph; −1: none
  std::uint64_t elements = 0;
  double lo = 0, hi = 0;             // exact values
  double local = 0, relative = 0;    // greatest over elements; relative to the greatest magnitude of the operator
  double propagated = 0, total = 0;  // greatest over elements: from the operands; with the local one
  double share = 0;                  // of the output whose bound is the greatest, 0 … 1
  double headroom_bits = 0;          // log2(greatest finite number / largest result, partial ones included)
  std::uint64_t subnormal = 0;       // elements that may be subnormal (or zero in their place)
  double underflow = 0;              // part of a local error that is due to that, at most
  bool fused = false;                // part of a sum whose root carries the local error
  bool constants_converted = false;
  double observed = -1;                // greatest observed total error; −1: none observed
  std::string recommended;             // "" without --target
  std::string capsule, trust, policy;  // of the kernel that a plan has for it; "" without --profile
};

struct OutputLine {
  double lo = 0, hi = 0, forward = 0, mean_value = -1, difference = -1, bound = 0, observed = -1;
  std::string form;
};

struct MarginLine {
  std::uint64_t output = 0;  // margin of this output's lower bound
  double real = 0, computed = 0, difference = 0, shares = 0, ranges = 0;
};

// What --profile made.
struct PlanSummary {
  std::string profile;  // its name; "": no plan
  std::string line;     // profile_line
  std::string weakest;  // label of its kernels
  std::vector<std::string> requires_off;
};

struct RoundoffReport {
  std::string subject, policy, inputs, overflow;
  std::vector<std::string> assumptions, notes;
  std::vector<OperatorLine> operators;
  std::vector<OutputLine> outputs;
  std::vector<MarginLine> margins;
  PlanSummary plan;
  roundoff::Observed observed;
  bool has_target = false, target_reached = false, search_complete = true;
  double target = 0, target_bound = 0;
  std::uint64_t tried = 0;

  double bound() const;  // the greatest of the outputs
};

// Fills operators, outputs and overflow. share of operators: of the end-to-end bound; where that has no parts, by how
// much the forward bound falls without the operator's local errors.
void describe(const roundoff::Program& program, const roundoff::Box& box, const roundoff::Analysis& analysis,
              const roundoff::EndToEnd& end, RoundoffReport& report);
void describe_observed(const roundoff::Program& program, RoundoffReport& report);
// The assumptions behind an arithmetic, one sentence each.
std::vector<std::string> assumptions_of(const roundoff::Program& program);

void print_roundoff(const RoundoffReport& report, bool json);
// Self-contained SVG: a bar per operator (share of the output error), the width of its values and of its errors.
void write_roundoff_plot(const RoundoffReport& report, const std::string& path);

// 0, or 2 where some output has no finite bound or the target is missed.
int roundoff_exit(const RoundoffReport& report);

}  // namespace outward::cli
