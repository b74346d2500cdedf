// What checker/readers offers: every input format of `check`, read from bytes by our own code. Each
// function either returns a complete result or throws ReadError; no partial results.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checker/kernel/graph.hpp"
#include "checker/kernel/property.hpp"
#include "checker/limits/limits.hpp"

namespace outward_check {

// Malformed, unsupported or over a limit. text: "place: code: what, expected, found, limit".
class ReadError : public std::runtime_error {
 public:
  enum class Class { malformed, unsupported, limit, io };
  ReadError(Class c, const std::string& text) : std::runtime_error(text), kind(c) {}
  Class kind;
};

using Bytes = std::vector<std::uint8_t>;

// The whole file in one read; the same, inflated by our own code if it is gzip by its content.
Bytes read_file(const std::string& path);
Bytes read_maybe_gzip(const std::string& path);
std::string sha256_hex(const std::uint8_t* data, std::size_t size);

struct ModelFile {
  std::string path, sha256;
  std::uint64_t bytes = 0;
};
struct ModelRead {
  Graph graph;
  std::vector<ModelFile> files;  // the model, then external data sorted by path
};
using Shapes = std::map<std::string, std::vector<std::int64_t>>;
// ONNX, FORMAT.md section 2. The ReadError names the first thing that stands in the way.
ModelRead read_model(const std::string& path, const Shapes& overrides);

// VNN-LIB 1.0 (FORMAT.md section 4); bytes already decompressed. expected sizes come from the
// model.
Property read_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs,
                     std::uint64_t outputs);

// The options of a radius query, as `verify` takes them; decimal texts, "" or empty when not given.
struct RadiusOptions {
  std::string radius, scale, layout, target = "label", deviation;
  std::vector<std::string> mean, std, clip, range;
  std::vector<std::uint64_t> centre_bits;  // binary32 or binary64 patterns, one per input
  std::uint32_t label = 0;
};
// FORMAT.md section 4. reference: the outputs of the reference execution at the centre, only for
// target deviation.
Property radius_property(const RadiusOptions& options, const Graph& graph,
                         const std::vector<Fraction>& reference);

// Decimal numbers of every text format: an optional sign, digits with at most one point, an
// optional exponent.
enum class DecimalStatus { ok, malformed, over_limit };
DecimalStatus read_decimal(std::string_view text, Fraction* out);
bool parse_decimal(std::string_view text, Fraction* out);  // ReadError (limit) or false

// The bit pattern of the value rounded to nearest, ties to even, with subnormals; false if it
// overflows. Zero is +0.
bool round_to_bits(const Fraction& value, bool is_binary64, std::uint64_t* pattern);
bool round_to_float(const Fraction& value, bool is_binary64, double* out);  // as a number

}  // namespace outward_check
