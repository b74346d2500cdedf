// What a proof over the reals loses when it has to cover the float executions too: with the same lines and the same
// input set, the two lower bounds of an output differ by Σ|ν_k|·δ_k, the shares of the nodes, and by nothing else.
// FORMAT.md sections 3 and 6; DESIGN section 1.
#pragma once
#include <cstdint>
#include <vector>

#include "bounds/network.hpp"
#include "bounds/semantics.hpp"

namespace outward::roundoff {

struct Margin {
  std::uint32_t output = 0;
  double real = 0, computed = 0;  // lower bounds of the output, with the lines and ranges of the float scope
  double shares = 0;              // Σ|ν_k|·δ_k
  double ranges = 0;              // what ranges (and lines) of the real scope of its own would add to `real`
  std::vector<double> share;      // per node
  double difference() const { return real - computed; }
};

// Lower bounds of all outputs over the box, by one sweep of CROWN. semantics: fp32_any or fp64_any. Empty where the
// sweep cannot exclude overflow.
std::vector<Margin> margins(const Network& net, Semantics semantics, const std::vector<double>& lo,
                            const std::vector<double>& hi);

}  // namespace outward::roundoff
