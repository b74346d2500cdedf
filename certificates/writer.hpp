// Writes certificates in the form of FORMAT.md section 7: one call per record, in the order the grammar wants them.
// Promises canonical text (key order, no white space); the caller promises the grammar, and UTF-8
// in every name (is_utf8). What it writes is saved by output_file.hpp.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "certificates/certificate_text.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

struct CertificateHeader {
  std::string claim;      // holds, violated or bound
  std::string semantics;  // real, fp32_any, fp64_any or capsule
  std::string producer;
  // Of the numerics record under capsule; the others choose nothing.
  std::string format = "", rounding = "", subnormals = "";
};

// value times the lower end of an element's range minus the element (value > 0), or the upper end (value < 0).
struct RangeTerm {
  std::uint32_t node, element;
  double value;
};

class CertificateWriter {
 public:
  // The four opening records: header, model, property, numerics.
  CertificateWriter(const CertificateHeader& header, const Model& model, const Property& property);

  // Kernel records (RECORDS.md) that run the network, before the first box: names with the digests of their records.
  void capsules(const std::string& profile, const std::vector<std::string>& names,
                const std::vector<std::string>& digests);
  void box(std::uint32_t index);
  void slopes(std::uint32_t id, std::uint32_t node, std::span<const std::uint8_t> lower,
              std::span<const std::uint8_t> upper);
  void interval(std::uint32_t node);
  // lower, upper: increasing element numbers. slopes: ids in increasing order of their nodes.
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> slopes);
  void refute(std::uint32_t case_index, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> slopes, std::span<const RangeTerm> ranges = {});
  void bound(std::uint32_t output, bool is_lower, double value, std::span<const std::uint32_t> slopes);
  void point(std::uint32_t case_index, const std::vector<std::string>& decimals);
  void split(std::uint32_t node, std::uint32_t element, double at);
  void crossed(std::uint32_t node, std::uint32_t element);
  void leave_open();
  void close();

  // A place in the text to come back to: everything written after it is dropped. Used when a box's cheap attempt proved
  // nothing.
  struct Mark {
    std::uint64_t bytes = 0, records = 0;
  };
  Mark mark() const { return {text_.size(), records_}; }
  void rewind(Mark mark);

  // Adds the footer and returns the whole certificate. Throws ResourceError if its temporary file cannot be read.
  CertificateText finish();

 private:
  void record(const std::string& body);
  CertificateText text_;
  std::uint64_t records_ = 0;
};

// "0-3,7": increasing items, maximal runs.
std::string index_list(std::span<const std::uint32_t> indices);
std::string base64(std::span<const std::uint8_t> bytes);
// A JSON string with quotes: only ", \ and control characters are escaped.
std::string json_string(const std::string& text);

// Valid UTF-8 (no overlong forms, no surrogates): what a certificate can name.
bool is_utf8(std::string_view text);

}  // namespace outward
