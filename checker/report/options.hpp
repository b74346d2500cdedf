// The command line of `check`. Promises that what is not understood is a usage error, never ignored.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/kernel/check.hpp"
#include "checker/readers/readers.hpp"
#include "checker/translate/foreign.hpp"

namespace outward_check {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> asked;  // the other arguments, those of a policy included, as they were given
  std::string model, property, root, input, dataset, labels;
  std::optional<std::uint64_t> row;            // of the dataset; none: all of them
  std::optional<std::uint64_t> min_certified;  // of a composition: how many rows have to be certified at least
  std::optional<Claim> expected;
  std::string semantics;  // as given; empty: the default
  RadiusOptions radius;   // radius.radius is empty when no radius query was asked
  bool has_label = false, has_target = false;
  Shapes shapes;
  std::uint64_t shard = 0, shards = 0;           // --shard K/N; 0: the whole certificate
  std::vector<std::string> joined;               // files of --join
  std::vector<std::string> allowed, limits;      // limits: NAME=VALUE
  ForeignOptions foreign;                        // certificates of other tools; root and model as above
  std::string trust, fail_below, allow_records;  // of kernel records, see capsules.hpp
  std::string under;                             // policy of --under, likewise
  bool exact = false, json = false, quiet = false, explain = false, print = false, parse = false;
  bool sarif = false, junit = false, statement = false;
  bool recompute = false, ieee32 = false;  // as in foreign
  bool help = false, list_limits = false;
};

struct UsageError {
  std::string text;
};

Options parse_options(const std::vector<std::string>& arguments);  // throws UsageError
extern const char* const usage_text;

}  // namespace outward_check
