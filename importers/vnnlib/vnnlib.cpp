// Front door of the VNN-LIB reader, see vnnlib.hpp: reads the file, tells the version, expands.
#include "importers/vnnlib/vnnlib.hpp"

#include <algorithm>

#include "importers/source/source.hpp"
#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/v1.hpp"
#include "importers/vnnlib/v2.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

// Version 2 files start with their version command.
bool is_version_2(std::string_view text, const std::string& name) {
  vnnlib::Tokens tokens(text, name, vnnlib::Dialect::v1);
  return tokens.next().kind == vnnlib::Token::Kind::open && tokens.next().is("vnnlib-version");
}

// Certificates are defined for version 1.0 (certificates/FORMAT.md section 4), so nothing can be claimed here.
Blocker version_2_blocker(const std::string& name) {
  return Blocker{
      "unsupported-vnnlib-2",   name,          "a correct VNN-LIB 2.0 query, but only version 1.0 can be verified",
      "a VNN-LIB 1.0 property", "version 2.0", "write the property in VNN-LIB 1.0"};
}

[[noreturn]] void refuse_unsupported(const vnnlib::Formula& formula) {
  std::vector<Blocker> blockers = formula.unsupported;
  const std::uint64_t more = formula.unsupported_count - blockers.size();
  if (more > 0) blockers.back().found += ", and " + std::to_string(more) + " more such comparisons";
  throw InputRefused(std::move(blockers));
}

Property start(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  Property property;
  property.kind = "vnnlib";
  property.path = name;
  property.file_sha256 = sha256_hex(text.data(), text.size());
  property.inputs = inputs;
  property.outputs = outputs;
  return property;
}

}  // namespace

Property parse_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  if (is_version_2(text, name)) {
    vnnlib::check_v2(text, name);
    throw InputRefused(version_2_blocker(name));
  }
  vnnlib::Formula formula = vnnlib::parse_v1(text, name, std::pair(inputs, outputs));
  if (formula.unsupported_count > 0) refuse_unsupported(formula);
  Property property = start(text, name, inputs, outputs);
  vnnlib::expand(std::move(formula), property);
  return property;
}

Property read_vnnlib(const std::string& path, std::uint64_t inputs, std::uint64_t outputs) {
  return parse_vnnlib(read_source(path), path, inputs, outputs);
}

VnnlibSummary summarize_vnnlib_text(std::string_view text, const std::string& name,
                                    std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes) {
  VnnlibSummary summary;
  summary.file_sha256 = sha256_hex(text.data(), text.size());
  if (is_version_2(text, name)) {
    vnnlib::V2Summary v2 = vnnlib::check_v2(text, name);
    summary.version = std::move(v2.version);
    summary.networks = std::move(v2.networks);
    summary.notes = std::move(v2.notes);
    summary.inputs = v2.inputs;
    summary.outputs = v2.outputs;
    summary.unsupported = {version_2_blocker(name)};
    summary.unsupported_rows = std::max<std::uint64_t>(1, v2.assertions);
    return summary;
  }
  vnnlib::Formula formula = vnnlib::parse_v1(text, name, sizes);
  summary.version = "1.0";
  summary.inputs = formula.inputs;
  summary.outputs = formula.outputs;
  summary.unsupported_rows = formula.unsupported_count;
  summary.unsupported = formula.unsupported;
  Property property = start(text, name, formula.inputs, formula.outputs);
  vnnlib::expand(std::move(formula), property);
  summary.cases = property.cases.size();
  summary.boxes = property.boxes.size();
  for (const Case& c : property.cases) summary.rows += c.rows.size();
  summary.dropped = std::move(property.dropped);
  summary.vacuous = property.vacuous;
  if (summary.unsupported_rows == 0) summary.digest = property_digest(property);
  return summary;
}

VnnlibSummary summarize_vnnlib(const std::string& path, std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes) {
  return summarize_vnnlib_text(read_source(path), path, sizes);
}

}  // namespace outward
