// `verify --elaborate PROOF.aptp`: a certificate from another solver's activation pattern tree. The tree's form and
// coverage are checked, then the query is proved by our own prover along the tree's splits.
#pragma once
#include "cli/verify_options.hpp"

namespace outward::cli {

// Exit code: 0 a certificate was written, 1 the proof is rejected, 2 neither shown within the limits.
int run_elaborate(const Options& options);

}  // namespace outward::cli
