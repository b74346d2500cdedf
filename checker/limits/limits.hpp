// The limits of `check` on what it reads and computes, in one table (limits.cpp). Promises that a limit only ever turns
// an answer into RESOURCE_LIMIT: raising one can make nothing VALID that does not follow from the rules. No limit can
// be raised beyond what the code behind it is written for (stack, width of counters).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace outward_check {

enum class Limit : std::size_t {
  file_bytes,
  unpacked_bytes,
  unpacked_ratio,
  line_bytes,
  token_bytes,
  nesting,
  digits,
  exponent,
  number_bits,
  cases,
  case_bytes,
  case_work,
  property_work,
  rank,
  elements,
  nodes,
  tensors,
  tree_depth,
  kept_ranges,
  exact_work,
  json_depth,
  array_depth,
  header_bytes,
  image_side,
  layer_weights,
  decimal_places,
  variables,
  proof_work,
  number_work,
  exp_argument,
  memory_bytes,
  cpu_seconds
};

struct LimitRow {
  Limit id;
  const char* name;           // of --limit NAME=VALUE
  std::uint64_t value, most;  // in force (at first the default); the greatest that may be asked for
  const char* unit;
  const char* protects;
};

std::span<const LimitRow> limit_rows();
extern LimitRow limit_table[];
inline std::uint64_t limit(Limit l) { return limit_table[static_cast<std::size_t>(l)].value; }

// NAME=VALUE as on the command line. "" or what is wrong with it. Not reversible: a process has one set of limits.
std::string set_limit(std::string_view setting);
// "limit 256 levels, raised by --limit nesting=N"; without the second half for one that is as high as it goes.
std::string limit_text(Limit l);
// Throws ReadError (limit): what was found, then limit_text.
[[noreturn]] void over(Limit l, const std::string& found);

}  // namespace outward_check
