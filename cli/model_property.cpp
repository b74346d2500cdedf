// `model property`, see model_property.hpp.
#include "cli/model_property.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::cli {
namespace {

void print_summary(const std::string& file, const VnnlibSummary& s) {
  nlohmann::ordered_json unsupported = nlohmann::ordered_json::array();
  for (const Blocker& b : s.unsupported) {
    unsupported.push_back({{"code", b.code},
                           {"where", b.where},
                           {"what", b.what},
                           {"expected", b.expected},
                           {"found", b.found},
                           {"next", b.next}});
  }
  const nlohmann::ordered_json json = {{"file", file},
                                       {"sha256", s.file_sha256},
                                       {"vnnlib", s.version},
                                       {"inputs", s.inputs},
                                       {"outputs", s.outputs},
                                       {"networks", s.networks},
                                       {"cases", s.cases},
                                       {"boxes", s.boxes},
                                       {"rows", s.rows},
                                       {"vacuous", s.vacuous},
                                       {"empty_cases", s.dropped},
                                       {"unsupported_count", s.unsupported_rows},
                                       {"unsupported", unsupported},
                                       {"notes", s.notes},
                                       {"digest", s.digest}};
  print_json(json);
}

void print_text(const std::string& file, const VnnlibSummary& s) {
  std::printf("property %s\n", file.c_str());
  std::printf("  format   VNN-LIB %s\n", s.version.c_str());
  for (const std::string& network : s.networks) std::printf("  network  %s\n", network.c_str());
  std::printf("  inputs   %llu\n", static_cast<unsigned long long>(s.inputs));
  std::printf("  outputs  %llu\n", static_cast<unsigned long long>(s.outputs));
  if (s.unsupported_rows == 0 || s.cases > 0 || s.vacuous) {
    std::printf("  cases    %llu in %llu boxes, %llu output rows\n", static_cast<unsigned long long>(s.cases),
                static_cast<unsigned long long>(s.boxes), static_cast<unsigned long long>(s.rows));
  }
  for (const std::string& line : s.dropped) std::printf("  empty    %s\n", line.c_str());
  if (s.vacuous) std::printf("  vacuous  every case is empty: no network can violate this property\n");
  for (const std::string& note : s.notes) std::printf("  note     %s\n", note.c_str());
  if (s.unsupported_rows != 0) {
    std::printf("  refused by verify: %llu constructs\n", static_cast<unsigned long long>(s.unsupported_rows));
    for (const Blocker& b : s.unsupported)
      std::printf("    %s: %s [%s]\n", b.where.c_str(), b.what.c_str(), b.code.c_str());
  }
  std::printf("  sha256   %s\n", s.file_sha256.c_str());
  if (!s.digest.empty()) std::printf("  digest   %s\n", s.digest.c_str());
}

}  // namespace

int model_property(const std::string& file, const std::string& model_path, bool json) {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes;
  if (!model_path.empty()) {
    const Model model = import_onnx(model_path, {});
    sizes = {model.graph.nodes.front().size, model.graph.nodes.at(model.graph.output).size};
  }
  const VnnlibSummary summary = summarize_vnnlib(file, sizes);
  if (json) {
    print_summary(file, summary);
  } else {
    print_text(file, summary);
  }
  return exit_holds;
}

}  // namespace outward::cli
