// Marabou's proofs of unsatisfiability in JSON, judged over the rationals with tolerance 0. Promises that an accepted
// proof's printed query (tableau, bounds, ReLU constraints) has no solution; says nothing about any network.
#pragma once
#include "checker/translate/foreign.hpp"

namespace outward_check {

bool is_marabou_proof(const JsonText& document);
Judgement judge_marabou(const JsonText& document, const ForeignOptions& options);  // throws ReadError

}  // namespace outward_check
