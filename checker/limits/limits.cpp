// The table of limits: see limits.hpp. Defaults are those of the design unless the line says otherwise.
#include "checker/limits/limits.hpp"

#include "checker/readers/json.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr std::uint64_t bit(unsigned n) { return std::uint64_t{1} << n; }

}  // namespace

// clang-format off
LimitRow limit_table[] = {
    // every file
    {Limit::file_bytes, "file-bytes", bit(32), bit(40), "bytes", "memory: a file is read whole"},
    {Limit::unpacked_bytes, "unpacked-bytes", bit(33), bit(40), "bytes", "memory: what a gzip file unpacks to"},
    {Limit::unpacked_ratio, "unpacked-ratio", 200, bit(20), "times the file", "memory: gzip bombs (1 MiB is free)"},
    {Limit::line_bytes, "line-bytes", bit(28), bit(40), "bytes", "memory: one record of a certificate"},
    {Limit::token_bytes, "token-bytes", bit(16), bit(30), "bytes", "memory: one word of a property"},
    {Limit::nesting, "nesting", 256, 2048, "levels", "stack: parentheses of a property"},
    {Limit::digits, "digits", 10000, 1000000, "digits", "time: a decimal number as written"},
    {Limit::exponent, "exponent", 20000, 1000000, "", "memory: size of a decimal exponent"},
    // properties
    {Limit::number_bits, "number-bits", bit(18), bit(26), "bits", "time: a coefficient worked out"},
    {Limit::cases, "cases", 1000000, bit(30), "cases", "memory: a property multiplied out"},
    {Limit::case_bytes, "case-bytes", bit(31), bit(40), "bytes", "memory: boxes and rows of all cases"},
    {Limit::case_work, "case-work", bit(31), bit(50), "comparisons", "time: multiplying out"},
    {Limit::property_work, "property-work", bit(28), bit(50), "operations", "time: its terms, long numbers"},
    // models
    {Limit::rank, "rank", 16, 64, "dimensions", "memory: shapes"},
    {Limit::elements, "elements", bit(31), bit(31), "elements", "overflow: size of one tensor"},
    {Limit::nodes, "nodes", bit(20), bit(24), "nodes", "memory: a model, and its canonical graph"},
    {Limit::tensors, "tensors", bit(20), bit(24), "tensors", "memory: constants of a model"},
    // certificates of ours
    {Limit::tree_depth, "tree-depth", 10000, bit(24), "open splits", "memory: a proof tree (no recursion)"},
    {Limit::kept_ranges, "kept-ranges", bit(26), bit(34), "ranges", "memory: ranges that open splits will restore"},
    {Limit::exact_work, "exact-work", 400000000, bit(50), "multiplications", "time: exact decisions (INCOMPLETE)"},
    // certificates and arrays of others
    {Limit::json_depth, "json-depth", 1024, 2048, "levels", "stack: JSON of other tools"},
    {Limit::array_depth, "array-depth", 64, 4096, "levels", "memory: arrays in JSON"},
    {Limit::header_bytes, "header-bytes", bit(16), bit(30), "bytes", "memory: header of an .npy file"},
    {Limit::image_side, "image-side", 65535, 65535, "pixels", "overflow: width and height of a PNG"},
    {Limit::layer_weights, "layer-weights", bit(22), bit(30), "weights", "memory: a layer as a matrix"},
    {Limit::decimal_places, "decimal-places", 1100, 100000, "digits or places", "time: a number of a Marabou proof"},
    {Limit::variables, "variables", bit(24), bit(31), "variables", "memory: a Marabou proof"},
    {Limit::proof_work, "proof-work", bit(31), bit(50), "steps", "time: a Marabou proof"},
    {Limit::number_work, "number-work", bit(32), bit(50), "word operations", "time: TorchLean artifacts"},
    {Limit::exp_argument, "exp-argument", bit(24), bit(24), "", "memory: the exponential of a number"},
    // the process
    {Limit::memory_bytes, "memory-bytes", bit(50), bit(50), "bytes", "the machine: address space of the process"},
    {Limit::cpu_seconds, "cpu-seconds", bit(30), bit(30), "seconds", "the machine: processor time of the process"},
};
// clang-format on

static_assert(std::size(limit_table) == static_cast<std::size_t>(Limit::cpu_seconds) + 1);

std::span<const LimitRow> limit_rows() { return limit_table; }

std::string set_limit(std::string_view setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  std::string_view digits = setting.substr(std::min(equals + 1, setting.size()));
  for (LimitRow& row : limit_table) {
    if (name != row.name) continue;
    std::uint64_t value = 0;
    if (!take_integer(&digits, row.most, &value) || !digits.empty())
      return std::string(name) + ": expected a number up to " + std::to_string(row.most);
    row.value = value;
    return "";
  }
  return "\"" + std::string(name) + "\" is no limit; check --limits lists them";
}

std::string limit_text(Limit l) {
  const LimitRow& row = limit_table[static_cast<std::size_t>(l)];
  std::string text = "limit " + std::to_string(row.value);
  if (*row.unit != '\0') text += std::string(" ") + row.unit;
  return row.value < row.most ? text + ", raised by --limit " + row.name + "=N" : text;
}

void over(Limit l, const std::string& found) { throw ReadError(ReadError::Class::limit, found + ", " + limit_text(l)); }

}  // namespace outward_check
