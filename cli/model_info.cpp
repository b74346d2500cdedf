// `model info`, `model check` and `model ops`; see model_commands.hpp.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/model_commands.hpp"
#include "runtime/graph/groups.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

struct GroupFigures {
  std::size_t roots = 0, stored = 0;
  std::uint64_t greatest = 0;
};

GroupFigures figures(const Graph& graph, const Groups& groups) {
  GroupFigures result;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (groups.stored[i]) ++result.stored;
    if (groups.stored[i] && is_group_kind(graph.nodes[i].kind)) ++result.roots;
    result.greatest = std::max(result.greatest, groups.total[i]);
  }
  return result;
}

Json values_json(const std::vector<OnnxSummary::Value>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back({{"name", value.name}, {"shape", value.shape}});
  return list;
}

Json node_json(const Graph& graph, const Groups& groups, std::size_t i) {
  const Node& node = graph.nodes[i];
  return {{"node", i},
          {"kind", kind_name(node.kind)},
          {"operands", node.operands},
          {"size", node.size},
          {"shape", node.shape},
          {"stored", static_cast<bool>(groups.stored[i])},
          {"root", groups.root[i]},
          {"N", groups.total[i]},
          {"origin", node.origin}};
}

void print_info_json(const Model& model, const OnnxSummary& s, const Groups& groups, bool nodes) {
  const Graph& graph = model.graph;
  const GroupFigures g = figures(graph, groups);
  Json files = Json::array();
  for (const ModelFile& file : model.files)
    files.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  Json json = {{"files", files},
               {"ir_version", s.ir_version},
               {"opset", s.opset},
               {"producer", s.producer},
               {"element", graph.element == ElementType::binary32 ? "binary32" : "binary64"},
               {"inputs", values_json(s.inputs)},
               {"outputs", values_json(s.outputs)},
               {"operators", s.operators},
               {"parameters", s.parameters},
               {"nodes", graph.nodes.size()},
               {"digest", graph_digest(graph)},
               {"sum_groups", g.roots},
               {"stored_nodes", g.stored},
               {"greatest_N", g.greatest}};
  if (nodes) {
    json["graph"] = Json::array();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) json["graph"].push_back(node_json(graph, groups, i));
  }
  print_json(json);
}

void print_nodes(const Graph& graph, const Groups& groups) {
  std::printf("  %6s %-7s %-16s %-18s %-6s %8s  %s\n", "node", "kind", "operands", "shape", "group", "N", "from");
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::string operands;
    for (std::uint32_t operand : node.operands) operands += (operands.empty() ? "" : ",") + std::to_string(operand);
    std::string group = "-";
    if (is_group_kind(node.kind)) group = groups.root[i] == i ? "root" : "->" + std::to_string(groups.root[i]);
    std::printf("  %6zu %-7s %-16s %-18s %-6s %8llu  %s\n", i, kind_name(node.kind), operands.c_str(),
                shape_text(node.shape).c_str(), group.c_str(), static_cast<unsigned long long>(groups.total[i]),
                node.origin.c_str());
  }
}

}  // namespace

int model_info(const ModelOptions& options) {
  OnnxSummary s;
  const Model model = import_onnx(options.file, parse_shapes(options.shapes), &s);
  const Graph& graph = model.graph;
  const Groups groups = find_groups(graph);
  if (options.json) {
    print_info_json(model, s, groups, options.nodes);
    return exit_holds;
  }
  const GroupFigures g = figures(graph, groups);
  std::printf("model %s\n", options.file.c_str());
  for (const ModelFile& file : model.files) {
    std::printf("  file        %s, %llu bytes, sha256 %s\n", file.path.c_str(),
                static_cast<unsigned long long>(file.bytes), file.sha256.c_str());
  }
  std::printf("  format      ONNX IR %lld, opset %lld, producer %s\n", static_cast<long long>(s.ir_version),
              static_cast<long long>(s.opset), s.producer.empty() ? "not given" : s.producer.c_str());
  std::printf("  element     %s\n", graph.element == ElementType::binary32 ? "binary32" : "binary64");
  for (const auto& value : s.inputs)
    std::printf("  input       %s %s\n", value.name.c_str(), shape_text(value.shape).c_str());
  for (const auto& value : s.outputs)
    std::printf("  output      %s %s\n", value.name.c_str(), shape_text(value.shape).c_str());
  std::printf("  operators  ");
  for (const auto& [name, count] : s.operators)
    std::printf(" %s %llu", name.c_str(), static_cast<unsigned long long>(count));
  std::printf("\n  parameters  %llu\n", static_cast<unsigned long long>(s.parameters));
  std::printf("  graph       %zu nodes, digest %s\n", graph.nodes.size(), graph_digest(graph).c_str());
  std::printf("  sum groups  %zu, greatest N %llu; %zu stored nodes\n", g.roots,
              static_cast<unsigned long long>(g.greatest), g.stored);
  if (options.nodes) print_nodes(graph, groups);
  return exit_holds;
}

int model_check(const ModelOptions& options) {
  try {
    import_onnx(options.file, parse_shapes(options.shapes));
  } catch (const InputRefused& refused) {
    if (!options.json) throw;
    Json list = Json::array();
    for (const Blocker& b : refused.blockers) {
      list.push_back({{"code", b.code},
                      {"where", b.where},
                      {"what", b.what},
                      {"expected", b.expected},
                      {"found", b.found},
                      {"next", b.next}});
    }
    print_json({{"file", options.file}, {"supported", false}, {"blockers", list}});
    return exit_refused;
  }
  if (options.json)
    print_json({{"file", options.file}, {"supported", true}, {"blockers", Json::array()}});
  else
    std::printf("supported %s\n", options.file.c_str());
  return exit_holds;
}

int model_ops(const ModelOptions& options) {
  const std::vector<SupportedOperator> table = supported_operators();
  if (options.json) {
    Json list = Json::array();
    for (const SupportedOperator& op : table) {
      list.push_back({{"operator", op.name},
                      {"first_opset", op.first_opset},
                      {"last_opset", op.last_opset},
                      {"attributes", op.attributes},
                      {"min_inputs", op.min_inputs},
                      {"max_inputs", op.max_inputs},
                      {"notes", op.notes}});
    }
    print_json({{"domain", "ai.onnx"}, {"operators", list}});
    return exit_holds;
  }
  std::printf(
      "ONNX operators of the default domain, IR 3 to 11, opset 7 to 23. Semantics real, fp32_any and fp64_any cover "
      "all of them.\nWhere it says \"no certificate\", `verify` bounds the operator by intervals and `check` has no "
      "rule for it; functions such as Tanh\nneed a plan (--profile) that says how many ulps they are off.\n");
  std::printf("%-20s %-7s %-60s %s\n", "operator", "opset", "attributes", "limits");
  for (const SupportedOperator& op : table) {
    std::string attributes;
    for (const std::string& name : op.attributes) attributes += (attributes.empty() ? "" : " ") + name;
    std::printf("%-20s %2d-%-4d %-60s %s\n", op.name.c_str(), op.first_opset, op.last_opset, attributes.c_str(),
                op.notes.c_str());
  }
  return exit_holds;
}

}  // namespace outward::cli
