// The records of kernels that a certificate names (certificates/RECORDS.md) against those in a folder: what --trust,
// --fail-below and --allow-records ask, and its claim against the policy of --under. Can only take a VALID away.
#pragma once
#include <string>

#include "checker/kernel/graph.hpp"
#include "checker/report/line.hpp"

namespace outward_check {

// The labels, from weakest to strongest.
inline constexpr const char* trust_labels[] = {"external", "fuzzed", "checked", "proved"};

// Throws UsageError unless the text reads as a policy in binary32 or binary64.
void require_policy(const std::string& under);

// REQUIRES a line about a certificate of ours that is VALID. The maker of a certificate chooses the words of a claim
// `capsule` and the records that it names: what the network runs under is said with --under. Where the claim does not
// cover every execution under that policy the word becomes VALID_BUT_NOT_ASKED.
void judge_policy(const Options& options, Line* line);

// REQUIRES a line about a certificate of ours that is VALID, about this graph. Without --trust only notes that there
// are records. With it the word becomes VALID_BUT_NOT_ASKED if a record is missing from the folder, is not that of its
// digest, is neither of a shipped file nor allowed, contradicts itself, allows executions that the claim does not
// cover, or if the records leave a kind of node out or are weaker than --fail-below; VALID_WITH_ASSUMPTIONS if one
// assumes what --allow does not name. Throws ReadError for a folder or a list that cannot be read.
void judge_capsules(const Options& options, const std::string& file, const Graph& graph, Line* line);

}  // namespace outward_check
