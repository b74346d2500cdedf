// Front door of the VNN-LIB reader, see vnnlib.hpp: reads the file, tells the version, expands.
#include "importers/vnnlib/vnnlib.hpp"

#include "importers/source/source.hpp"
#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/v1.hpp"
#include "importers/vnnlib/v2.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

using vnnlib::Sizes;

// Version 2 files start with their version command.
bool is_version_2(std::string_view text, const std::string& name) {
  vnnlib::Tokens tokens(text, name, vnnlib::Dialect::v1);
  return tokens.next().kind == vnnlib::Token::Kind::open && tokens.next().is("vnnlib-version");
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
  const Sizes sizes = std::pair(inputs, outputs);
  vnnlib::Formula formula =
      is_version_2(text, name) ? vnnlib::translate_v2(text, name, sizes) : vnnlib::parse_v1(text, name, sizes);
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
  vnnlib::Formula formula;
  if (is_version_2(text, name)) {
    const vnnlib::V2Summary v2 = vnnlib::check_v2(text, name);
    summary.version = v2.version;
    summary.networks = v2.networks;
    summary.notes = v2.notes;
    summary.inputs = v2.inputs;
    summary.outputs = v2.outputs;
    try {
      formula = vnnlib::translate_v2(text, name, sizes);
    } catch (const InputRefused& refused) {
      summary.unsupported = refused.blockers;
      summary.unsupported_rows = refused.blockers.size();
      return summary;
    }
  } else {
    formula = vnnlib::parse_v1(text, name, sizes);
    summary.version = "1.0";
  }
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
