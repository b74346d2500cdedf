// vnnlib_suite_v0_1: a list of properties. It claims nothing, so it is never accepted: a well formed suite is refused
// as unsupported, one that is not even that as malformed (with --model also if its sizes are not those of the model).
#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/translate/torchlean.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

bool is_property_suite(const JsonText& document) {
  return has_format(document, "vnnlib_suite") || document.find("instances") != nullptr;
}

Judgement judge_property_suite(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"vnnlib_suite_v0_1"});
  require_keys(document, {"format", "instances"});
  std::size_t inputs = any_size, outputs = any_size;
  if (!options.model.empty()) {
    const Graph graph = read_model(options.model, {}).graph;
    inputs = graph.nodes[0].size, outputs = graph.nodes[graph.output].size;
  }
  std::vector<std::string> names;
  for (const JsonText& instance : list_of(*document.find("instances"), JsonKind::object)) {
    require_keys(instance, {"id", "input_lo", "input_hi", "spec"});
    names.push_back(member(instance, "id", JsonKind::string).text);
    const Vector lo = numbers(*instance.find("input_lo"), inputs);
    numbers(*instance.find("input_hi"), lo.size());
    std::size_t columns = outputs;
    for (const JsonText& disjunct : list_of(*instance.find("spec"), JsonKind::object)) {
      require_keys(disjunct, {"mat", "rhs"});
      const Matrix rows = matrix(*disjunct.find("mat"), any_size, columns);
      columns = rows[0].size();
      numbers(*disjunct.find("rhs"), rows.size());
    }
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end())
    malformed(*document.find("instances"), "two instances have the same id");
  refuse_unsupported("a suite of " + counted(names.size(), "property") + " is no certificate: it claims nothing");
}

}  // namespace outward_check
