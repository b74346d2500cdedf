// What `verify` prints: the verdict line with both meanings, what it covers, and the JSON of cli/verify_schema.json.
#pragma once
#include <string>
#include <vector>

#include "bounds/verify.hpp"
#include "cli/verify_options.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::cli {

struct Report {
  Semantics semantics = Semantics::fp32_any;
  bool real_only = false;          // --semantics best fell back
  std::vector<std::string> notes;  // stderr
  double import_seconds = 0, property_seconds = 0, total_seconds = 0;
  std::vector<std::string> plan_lines;  // of --profile: what runs the network, and what the claim rests on
  std::string certificate_path, certificate_sha256, witness_path;
  std::string certified_radius, refuted_radius;  // of --radius max; empty: none, or not asked
  std::size_t certificate_bytes = 0;
  std::string precision;                  // of --precision: the format; empty without
  std::vector<std::string> output_lines;  // of --precision: the bounds of a `bound`
};

// stdout: first word is the verdict (or one JSON object); stderr: notes, reasons, next steps.
void print_report(const Options& options, const Model& model, const Property& property, const Outcome& outcome,
                  const Report& report);

// What a proof under these semantics covers and what it does not, in words.
std::string coverage(Semantics s);

// Output bounds of every box tried, for --bounds.
// sat, unsat, timeout or unknown for a verdict word of ours and its reason; error stays.
std::string competition_word(const std::string& verdict, const std::string& reason);
std::string bounds_json(const Outcome& outcome, const Property& property);

}  // namespace outward::cli
