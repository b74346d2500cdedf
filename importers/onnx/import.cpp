// Drives the import: file -> raw checks -> protobuf -> table checks of every node -> rules in file order -> graph.
// Every stage collects blockers; a node whose operands failed is still checked against the table, so that one run names
// everything that has to change.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "importers/onnx/importer.hpp"
#include "importers/onnx/wire.hpp"

namespace outward::onnx_import {
namespace {

constexpr int first_opset = 7, last_opset = 23;
constexpr std::int64_t first_ir = 3, last_ir = 11;

// Printable characters only at the start: a property, a script, an error page.
bool looks_like_text(const Bytes& bytes) {
  const std::size_t count = std::min<std::size_t>(bytes.size(), 64);
  return count >= 8 &&
         std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::uint8_t c) { return (c >= 32 && c != 127) || c == '\n' || c == '\r' || c == '\t'; });
}

}  // namespace

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

void Importer::parse(const Bytes& bytes, Proto& model) {
  std::vector<Blocker> damage = check_wire(bytes.data(), bytes.size());
  if (!damage.empty() && looks_like_text(bytes)) {
    add(path_, {"malformed", "this is a text file", "an ONNX model, plain or as .gz", "", ""});
    damage.clear();
  }
  for (Blocker& blocker : damage) {
    blocker.where = path_ + ", " + blocker.where;
    blockers_.push_back(std::move(blocker));
  }
  stop_if_blocked();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(32);
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    add(path_, {"malformed", "this is no ONNX model", "", "", ""});
  stop_if_blocked();
}

void Importer::check_model(const Proto& model) {
  if (model.ir_version() < first_ir || model.ir_version() > last_ir) {
    add(path_, {"unsupported-version", "IR version", "3 to 11",
                model.has_ir_version() ? std::to_string(model.ir_version()) : "none", ""});
  }
  std::set<std::int64_t> versions;
  for (const auto& import : model.opset_import()) {
    if (is_default_domain(import.domain())) versions.insert(import.version());
  }
  if (versions.size() != 1 || *versions.begin() < first_opset || *versions.begin() > last_opset) {
    std::string found;
    for (std::int64_t version : versions) found += (found.empty() ? "" : ", ") + std::to_string(version);
    add(path_, {"unsupported-opset", "opset of the default domain", "one version from 7 to 23",
                found.empty() ? "none" : found, ""});
  } else {
    opset_ = static_cast<int>(*versions.begin());
  }
  if (model.functions_size() > 0)
    add(path_, {"unsupported-function", "the model defines local functions", "none", "", "inline them"});
  if (model.training_info_size() > 0)
    add(path_, {"unsupported-training", "the model holds training information", "none", "", ""});
  if (!model.has_graph()) add(path_, {"malformed", "the model has no graph", "", "", ""});
  const auto& graph = model.graph();
  if (graph.sparse_initializer_size() > 0)
    add(path_, {"unsupported-type", "the graph has sparse initializers", "dense ones", "", ""});
  if (graph.quantization_annotation_size() > 0) {
    add(path_, {"unsupported-quantization", "the graph has quantization annotations", "none", "", ""});
  }
  if (static_cast<std::size_t>(graph.node_size()) > max_nodes) {
    add(path_, {"over-limit", "number of nodes", "at most " + std::to_string(max_nodes),
                std::to_string(graph.node_size()), ""});
  }
}

Model Importer::run() {
  Model result;
  auto model = std::make_unique<Proto>();
  {
    const Bytes bytes = read_model_file(path_);
    parse(bytes, *model);
    result.files.push_back({name_of(path_), bytes.size(), sha256_hex(bytes.data(), bytes.size())});
  }
  check_model(*model);
  if (!model->has_graph()) stop_if_blocked();
  const auto& graph = model->graph();
  if (summary_ != nullptr) {
    summary_->ir_version = model->ir_version();
    summary_->opset = opset_;
    summary_->producer = model->producer_name();
  }
  find_element_type(graph);
  read_inputs(graph);
  read_initializers(graph);
  if (opset_ == 0) stop_if_blocked();
  for (int i = 0; i < graph.node_size(); ++i) read_node(graph.node(i), i);
  const std::uint32_t output = read_outputs(graph);
  result.graph = build_->finish(output);
  result.graph.input_shape = first_input_shape_;
  const auto manifest = external_.manifest();
  result.files.insert(result.files.end(), manifest.begin(), manifest.end());
  for (const auto& entry : overrides_) result.shape_overrides.push_back(entry);
  validate(result.graph);
  return result;
}

}  // namespace outward::onnx_import

namespace outward {

Model import_onnx(const std::string& path, const ShapeOverrides& overrides, OnnxSummary* summary) {
  if (summary != nullptr) *summary = {};
  return onnx_import::Importer(path, overrides, summary).run();
}

Model import_onnx(const std::string& path, const ShapeOverrides& overrides) {
  return import_onnx(path, overrides, nullptr);
}

}  // namespace outward
