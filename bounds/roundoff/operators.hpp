// The operators whose rounding errors are understood: one rule each, one signature, one table.
//
// A rule is given, for every element of its operands, the range of the exact value and how far the computed value may
// be from it; it returns the same for its result, the error split in two: `propagated` (what the errors of the operands
// become) and `local` (what computing in the format adds, constants that the format does not hold included).
// Assumes finite ranges; infinite errors give infinite errors. Promises: for all exact operands x in range and computed
// operands x̂ with |x̂ − x| <= error, |f̂(x̂) − f(x)| <= propagated + local, f̂ being f computed under the arithmetic,
// unless `largest` exceeds what the format holds (then nothing is promised).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bounds/roundoff/numerics.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::roundoff {

// The exact value lies in [lo, hi], the computed one within error of it.
struct Quantity {
  double lo = 0, hi = 0, error = 0;
  double magnitude() const { return std::fmax(std::fabs(lo), std::fabs(hi)); }
  double computed_lo() const { return sub_down(lo, error); }
  double computed_hi() const { return add_up(hi, error); }
  double computed_magnitude() const { return add_up(magnitude(), error); }
};
using Quantities = std::vector<Quantity>;

// The first ones are the kinds of runtime/graph/graph.hpp, in the same order.
enum class OpCode : std::uint8_t {
  input,
  constant,
  map,
  dense,
  conv,
  reduce,
  bn,
  add,
  shift,
  scale,
  divide,
  neg,
  relu,
  leaky,
  clip,
  abs,
  max,
  multiply,  // x[i]·y[i]
  matvec,    // operands W (rows × k) and x (k): Σ W[r][j]·x[j]
  exp,
  log,
  sqrt,
  sigmoid,
  tanh,
  erf,
  gelu,
  softmax,         // e^(x[i] − m) / Σ e^(x[j] − m), m = max x
  log_softmax,     // x[i] − m − log Σ e^(x[j] − m)
  online_softmax,  // operands x (n) and V (n × d): Σ softmax(x)[i]·V[i][c] in one pass over blocks of ints[0] rows
  layernorm,       // (x[i] − mean)/√(variance + eps)·payload[1] + payload[2], eps = payload[0]; two passes
  rmsnorm,         // x[i]/√(mean of squares + eps)·payload[1]
  cast,            // x[i], rounded into the format of this operator
  bn_folded,       // as bn, computed as x·a + b with a = scale/√(var+eps) and b = shift − mean·a
};

// One operation of a program. ints and payload as FORMAT.md section 1 has them for the kinds of graphs.
struct Operator {
  OpCode code = OpCode::input;
  std::vector<std::uint32_t> operands;
  std::size_t size = 0;
  std::vector<std::int64_t> ints;
  std::vector<double> payload;
  std::string name;
};

// A vector of weights of a mean: exact values that are nonnegative and add up to 1. Of the computed ones, the sums of
// |difference|: of the exact function at computed operands (these add up to 1 too), and of computing it.
struct Weights {
  bool known = false;
  double inherited = 0, local = 0;
  double error() const { return add_up(inherited, local); }
};

struct Call {
  const Operator& op;
  std::vector<const Quantities*> in;
  const Arithmetic& arithmetic;
  std::vector<Weights> weights = {};  // per operand; empty: none known
  const Quantities& x() const { return *in[0]; }
};

struct Outcome {
  std::vector<double> lo, hi, propagated, local;
  double largest = 0;    // no result, partial or not, is larger (partial sums are seen by the accumulator)
  double stored = 0;     // nor any stored one
  double underflow = 0;  // greatest part of a local error that comes from numbers below the least normal one, about
  bool constants_converted = false;  // the format does not hold some constant
  Weights weights;                   // of the result
  void resize(std::size_t n) {
    lo.assign(n, 0.0);
    hi.assign(n, 0.0);
    propagated.assign(n, 0.0);
    local.assign(n, 0.0);
  }
};

using Rule = void (*)(const Call&, Outcome&);

struct OperatorRow {
  OpCode code;
  const char* name;
  Rule rule;           // nullptr: input, constant (bounds/roundoff/analysis.cpp)
  const char* source;  // where the formula is from
};
std::span<const OperatorRow> operator_table();
const OperatorRow& row_of(OpCode code);

// The kind of a graph as the operator of a program. REQUIRES is_certifiable(kind); the others are matched by node.
inline OpCode code_of(Kind kind) { return static_cast<OpCode>(static_cast<std::uint8_t>(kind)); }
// Nothing where there is no rule: quotients, and functions that the table does not list.
std::optional<OpCode> code_of(const Node& node);

// Constants as the format holds them.
class Constants {
 public:
  Constants(std::span<const double> exact, const FormatModel& format);
  double exact(std::size_t i) const { return exact_[i]; }
  // The nearest number of the format where that is known, else the exact value.
  double value(std::size_t i) const { return value_.empty() ? exact_[i] : value_[i]; }
  // |held − exact| <= drift; held − exact == ±drift, of the sign of value − exact, where `known`.
  double drift(std::size_t i) const { return drift_.empty() ? 0 : drift_[i]; }
  bool known() const { return known_; }
  bool converted() const { return !drift_.empty(); }
  double magnitude(std::size_t i) const {
    return known_ ? std::fabs(value(i)) : add_up(std::fabs(exact_[i]), drift(i));
  }

 private:
  std::span<const double> exact_;
  std::vector<double> value_, drift_;
  bool known_ = true;
};

// Calls f(weight, element of the operand) for every term of output `out` of a dense or conv operator; bias_of: the
// index of its bias in the payload, or −1.
template <class F>
void for_each_term(const Operator& op, std::size_t out, F f) {
  if (op.code == OpCode::dense) {
    const auto k = static_cast<std::size_t>(op.ints[1]), n = static_cast<std::size_t>(op.ints[2]);
    for (std::size_t i = 0; i < k; ++i) f(out % n * k + i, out / n * k + i);
    return;
  }
  const auto& p = op.ints;
  const std::int64_t channels = p[1], height = p[2], width = p[3], filters = p[4], kh = p[5], kw = p[6];
  const std::int64_t oh = p[16], ow = p[17], group_channels = channels / p[15], group_filters = filters / p[15];
  const auto o = static_cast<std::int64_t>(out);
  const std::int64_t column = o % ow, line = o / ow % oh, m = o / (oh * ow) % filters, image = o / (oh * ow) / filters;
  const std::int64_t first = image * channels + m / group_filters * group_channels;
  const std::int64_t window = group_channels * kh * kw;
  for (std::int64_t e = 0; e < window; ++e) {
    const std::int64_t y = line * p[7] - p[9] + e / kw % kh * p[13], x = column * p[8] - p[10] + e % kw * p[14];
    if (y < 0 || y >= height || x < 0 || x >= width) continue;
    f(static_cast<std::size_t>(m * window + e),
      static_cast<std::size_t>(((first + e / (kh * kw)) * height + y) * width + x));
  }
}
std::int64_t bias_of(const Operator& op, std::size_t out);

// The scalar parts of batch normalisation for one channel: a = scale/√(var+eps) in [a_lo, a_hi].
struct ChannelScale {
  double lo, hi;
};
ChannelScale channel_scale(const Operator& op, std::size_t channel);

}  // namespace outward::roundoff
