// Certificates of other tools. One reader and acceptance predicate per kind and file, listed in one table (foreign.cpp)
// and found by the content of the file, never by its name. A predicate computes in exact rationals, or in enclosures
// where the claim needs a transcendental function; it has no tolerance unless the user gives one with --slack.
// Promises that a file is accepted only for the statement it contains, and that what was not established is said.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/kernel/fraction.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

// What the command line says about files of other tools.
struct ForeignOptions {
  std::string root;                             // files named inside a certificate are looked for below it; "" forbids
  std::string model, weights;                   // files the user names himself; "" when not given
  Fraction slack;                               // 0: exact
  std::optional<Fraction> max_slack;            // the largest slack or tolerance that a file may ask for itself
  bool recompute = false;                       // compute asserted boxes from the weights instead of believing them
  bool ieee32 = false;                          // every number must be a binary32 number
};

// The answer of a predicate. The default outcome is failure.
struct Judgement {
  bool accepted = false;
  std::string statement;                     // what the file claims, in words
  std::vector<std::string> established;      // what follows from this check, when accepted
  std::vector<std::string> not_established;  // what a reader may take for granted, and is not
  std::vector<std::string> assumptions;      // e.g. "asserted-bounds": accepted only with --allow of each
  std::vector<std::string> reasons;          // why it is not accepted
  std::optional<Fraction> slack_needed;      // not accepted, but would be with this slack
  bool used_slack = false;                   // accepted, but not without slack
};

// Files that belong to a certificate. Throws ReadError when a file is not there, leaves the root or is a symbolic link.
// The path of `name` below a folder: relative, no "..", every part checked.
std::string path_below(const std::string& folder, const std::string& name);
// Reads that file below options.root.
std::string read_below_root(const ForeignOptions& options, const std::string& name);

struct ForeignKind {
  const char* name;  // as printed, e.g. "Marabou proof"
  bool (*recognises)(const JsonText& document);
  Judgement (*judge)(const JsonText& document, const ForeignOptions& options);  // throws ReadError
  bool uses_model, uses_weights, uses_ieee32;  // whether the judgement is about these, when they are given
};
// The kind of a document; null if no reader knows it.
const ForeignKind* foreign_kind(const JsonText& document);

}  // namespace outward_check
