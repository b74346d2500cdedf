// NeuralSAT's APTP proofs as the file of --property: the query is every assertion but the proof tree, and the tree is
// dropped. Dropping a condition only enlarges the set that has to be shown empty, so nothing here relies on the tree.
// Assumes nothing about the text. Promises the query or a ReadError; the tree's form is checked all the same.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/kernel/property.hpp"

namespace outward_check {

// By content: some command is declare-pwl.
bool is_aptp_proof(std::string_view text);

struct AptpQuery {
  std::string vnnlib;         // the text with declarations of neurons and tree replaced by blanks, places kept
  std::uint64_t neurons = 0;  // declared
  std::uint64_t leaves = 0;   // disjuncts of the tree
};
AptpQuery read_aptp_query(std::string_view text, const std::string& name);

// The query as a property of a model; name as for read_vnnlib.
Property read_aptp_property(std::string_view text, const std::string& name, std::uint64_t inputs,
                            std::uint64_t outputs);

}  // namespace outward_check
