// Runs of a program in narrow binary formats by arithmetic of the host: the result of + − × / √ in binary64, rounded
// once more to p <= 24 bits, is the correctly rounded one (Figueroa 1995, 53 >= 2p + 2; fused steps through rounding to
// odd, Boldo and Melquiond 2008). For observing errors; runtime/cpu/formatted.hpp is the slow run for every format, and
// the tests compare the two.
// Assumes rounding to nearest in the host. Elementary functions: the host's, rounded; `faithful` takes the other
// neighbour at random, which is within one ulp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/roundoff/program.hpp"

namespace outward::roundoff {

enum class RunOrder { sequential, reversed, ascending, pairwise, blocked, fused, fused_reversed, random_tree };
const char* run_order_text(RunOrder order);
// Those that the policy covers.
std::vector<RunOrder> covered_orders(const NumericalPolicy& policy);
// Those of the operator that leaves most open; the others take theirs (see run).
std::vector<RunOrder> covered_orders(const Program& program);

struct Run {
  std::vector<std::vector<double>> values;  // per operator
  bool finite = true;
};

// Whether run() can compute in all formats of the program: narrow enough, or binary64 itself.
bool can_run(const Program& program);

// Constants as their formats hold them, for many runs of one program: weights of contractions as factors, everything
// else as stored numbers.
using HeldConstants = std::vector<std::vector<double>>;
std::vector<double> held_constants(const Operator& op, const Arithmetic& arithmetic);
HeldConstants held_constants(const Program& program);

// Every operator sums in `order` if its policy covers that, else in the first order that it covers.
// input: numbers of binary64, rounded into the format of the input first. seed: of random_tree and of faithful.
Run run(const Program& program, const std::vector<double>& input, RunOrder order, std::uint64_t seed = 1,
        bool faithful = false, const HeldConstants* held = nullptr);

}  // namespace outward::roundoff
