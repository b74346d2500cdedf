// The table of readers for other tools' certificates: see foreign.hpp.
#include "checker/translate/foreign.hpp"

#include <algorithm>
#include <filesystem>

#include "checker/readers/json.hpp"
#include "checker/readers/readers.hpp"
#include "checker/translate/marabou.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

namespace {

// One line per kind; the first that recognises a document judges it. Behind it what it is about: --model, --weights,
// and numbers that --ieee32 looks at.
const std::vector<ForeignKind> foreign_kinds = {
    {"Marabou proof", is_marabou_proof, judge_marabou, false, false, false},
    {"crown query", is_crown_query, judge_crown_query, false, false, true},
    {"monotonicity certificate", is_monotonicity, judge_monotonicity, false, false, true},
    {"leaf artifact", is_leaf_artifact, judge_leaf_artifact, true, false, true},
    {"margin certificate", is_margin, judge_margin, false, true, true},
    {"node certificate", is_node_certificate, judge_node_certificate, true, false, true},
    {"interval result", is_ibp_result, judge_ibp_result, false, false, true},
    {"ODE certificate", is_ode, judge_ode, false, false, true},
    {"PINN certificate", is_pinn, judge_pinn, false, false, true},
    {"spline certificate", is_spline, judge_spline, false, false, true},
    {"camera certificate", is_camera, judge_camera, false, false, true},
    {"property suite", is_property_suite, judge_property_suite, true, false, true},
};

}  // namespace

const ForeignKind* foreign_kind(const JsonText& document) {
  const auto it = std::find_if(foreign_kinds.begin(), foreign_kinds.end(),
                               [&](const ForeignKind& k) { return k.recognises(document); });
  return it == foreign_kinds.end() ? nullptr : &*it;
}

namespace {

[[noreturn]] void refuse_path(const std::string& name, const std::string& why) {
  throw ReadError(ReadError::Class::malformed, "the file " + json_string(name) + " that it names: " + why);
}

}  // namespace

std::string path_below(const std::string& folder, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path relative(name);
  if (name.empty() || relative.is_absolute() || name.find('\0') != std::string::npos)
    refuse_path(name, "expected a relative path");
  fs::path path(folder);
  for (const fs::path& part : relative) {
    if (part == ".." || part == "." || part.empty()) refuse_path(name, "expected a path without . and ..");
    path /= part;
    if (fs::is_symlink(fs::symlink_status(path))) refuse_path(name, "is or passes through a symbolic link");
  }
  return path.string();
}

std::string read_below_root(const ForeignOptions& options, const std::string& name) {
  if (options.root.empty()) refuse_path(name, "name its folder with --root DIR");
  const Bytes bytes = read_maybe_gzip(path_below(options.root, name));
  return {bytes.begin(), bytes.end()};
}

}  // namespace outward_check
