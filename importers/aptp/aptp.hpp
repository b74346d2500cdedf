// Reads APTP proofs (activation pattern trees) of NeuralSAT: a query in VNN-LIB and one disjunction whose disjuncts are
// the leaves of a proof tree, each claimed to have no unsafe execution. The file holds no numbers that prove it.
// Assumes nothing about the text. Promises the query, the leaves and where they stand, or InputRefused.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/aptp/cover.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

struct AptpProof {
  // With neurons declared, every assertion but the tree. Without, the file is a VNN-LIB property as it stands: each
  // leaf is a case with its box.
  Property query;
  std::uint64_t neurons = 0;     // declared: hidden ReLUs, layer by layer
  std::vector<CoverBox> leaves;  // dimension i: input i; dimension inputs + k: neuron N_{k+1}. Strict ends are closed.
  bool only_neurons = true;      // no leaf bounds an input
};

AptpProof parse_aptp(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs);
AptpProof read_aptp(const std::string& path, std::uint64_t inputs, std::uint64_t outputs);  // path may name a .gz

}  // namespace outward
