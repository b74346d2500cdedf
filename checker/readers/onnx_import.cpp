// read_model: the operator table, the walk over the ONNX graph and the removal of dead nodes.
// Assumes a plain (not compressed) file. Promises: either the complete canonical graph, or one
// ReadError that lists every blocker found.
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "checker/readers/onnx_lower.hpp"

namespace outward_check {
namespace onnx {
namespace {

constexpr unsigned kAny = UINT32_MAX;
constexpr const char* kWindow = "auto_pad:s pads:I strides:I ";

// FORMAT.md section 2, opset 7 to 23; a null rule refuses operands of that sort.
constexpr Form kForms[] = {
    {"Constant", 1, 0, 0, "value:t!", constant, nullptr},
    {"Constant", 12, 0, 0, "value:t value_float:f value_floats:F value_int:i value_ints:I", constant, nullptr},
    {"Shape", 1, 1, 1, "", shape_of, shape_of},
    {"Shape", 15, 1, 1, "start:i end:i", shape_of, shape_of},
    {"Size", 1, 1, 1, "", size_of, size_of},
    {"ConstantOfShape", 9, 1, 1, "value:t", constant_of_shape, nullptr},
    {"Range", 11, 3, 3, "", range, nullptr},
    {"Where", 9, 3, 3, "", where, where},
    {"Equal", 7, 2, 2, "", equal, nullptr},
    {"Greater", 7, 2, 2, "", greater, nullptr},
    {"Less", 7, 2, 2, "", less, nullptr},
    {"GreaterOrEqual", 12, 2, 2, "", greater_equal, nullptr},
    {"LessOrEqual", 12, 2, 2, "", less_equal, nullptr},
    {"Not", 1, 1, 1, "", not_integers, nullptr},
    {"And", 7, 2, 2, "", logical_and, nullptr},
    {"Or", 7, 2, 2, "", logical_or, nullptr},
    {"Mod", 10, 2, 2, "fmod:i", modulo, nullptr},
    {"Min", 6, 1, kAny, "", minimum, nullptr},
    {"Max", 6, 1, kAny, "", maximum, nullptr},
    {"ReduceProd", 1, 1, 1, "axes:I keepdims:i", reduce_prod, nullptr},
    {"ReduceProd", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", reduce_prod, nullptr},
    {"ReduceMin", 1, 1, 1, "axes:I keepdims:i", reduce_min, nullptr},
    {"ReduceMin", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", reduce_min, nullptr},
    {"ReduceMax", 1, 1, 1, "axes:I keepdims:i", reduce_max, nullptr},
    {"ReduceMax", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", reduce_max, nullptr},
    {"ReduceSum", 1, 1, 1, "axes:I keepdims:i", reduce_sum_integers, reduce_sum},
    {"ReduceSum", 13, 1, 2, "keepdims:i noop_with_empty_axes:i", reduce_sum_integers, reduce_sum},
    {"ReduceMean", 1, 1, 1, "axes:I keepdims:i", nullptr, reduce_mean},
    {"ReduceMean", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", nullptr, reduce_mean},
    {"Cast", 6, 1, 1, "to:i!", cast, cast},
    {"Cast", 19, 1, 1, "to:i! saturate:i", cast, cast},
    {"Identity", 1, 1, 1, "", identity, identity},
    {"Dropout", 7, 1, 1, "ratio:f", nullptr, dropout},
    {"Dropout", 12, 1, 3, "seed:i", nullptr, dropout},
    {"Flatten", 1, 1, 1, "axis:i", flatten, flatten},
    {"Reshape", 5, 2, 2, "", reshape, reshape},
    {"Reshape", 14, 2, 2, "allowzero:i", reshape, reshape},
    {"Squeeze", 1, 1, 1, "axes:I", squeeze, squeeze},
    {"Squeeze", 13, 1, 2, "", squeeze, squeeze},
    {"Unsqueeze", 1, 1, 1, "axes:I!", unsqueeze, unsqueeze},
    {"Unsqueeze", 13, 2, 2, "", unsqueeze, unsqueeze},
    {"Transpose", 1, 1, 1, "perm:I", transpose, transpose},
    {"Concat", 4, 1, kAny, "axis:i!", concat, concat},
    {"Slice", 1, 1, 1, "axes:I starts:I! ends:I!", slice, slice},
    {"Slice", 10, 3, 5, "", slice, slice},
    {"Split", 2, 1, 1, "axis:i split:I", nullptr, split},
    {"Split", 13, 1, 2, "axis:i", nullptr, split},
    {"Split", 18, 1, 2, "axis:i num_outputs:i", nullptr, split},
    {"Gather", 1, 2, 2, "axis:i", gather, gather},
    {"Pad", 2, 1, 1, "mode:s pads:I! value:f", nullptr, pad},
    {"Pad", 11, 2, 3, "mode:s", nullptr, pad},
    {"Pad", 18, 2, 4, "mode:s", nullptr, pad},
    {"Expand", 8, 2, 2, "", expand, expand},
    {"Add", 7, 2, 2, "", add_integers, add},
    {"Sub", 7, 2, 2, "", subtract_integers, subtract},
    {"Mul", 7, 2, 2, "", multiply_integers, multiply},
    {"Div", 7, 2, 2, "", divide_integers, divide},
    {"Neg", 6, 1, 1, "", negate_integers, negate},
    {"Abs", 6, 1, 1, "", abs_integers, absolute},
    {"Relu", 6, 1, 1, "", nullptr, relu},
    {"LeakyRelu", 6, 1, 1, "alpha:f", nullptr, leaky_relu},
    {"Clip", 6, 1, 1, "min:f max:f", nullptr, clip},
    {"Clip", 11, 1, 3, "", nullptr, clip},
    {"MatMul", 1, 2, 2, "", nullptr, matmul},
    {"Gemm", 7, 3, 3, "alpha:f beta:f transA:i transB:i", nullptr, gemm},
    {"Gemm", 11, 2, 3, "alpha:f beta:f transA:i transB:i", nullptr, gemm},
    {"Conv", 1, 2, 3, "auto_pad:s pads:I strides:I dilations:I group:i kernel_shape:I", nullptr, conv},
    {"BatchNormalization", 7, 5, 5, "epsilon:f momentum:f spatial:i", nullptr, batch_normalization},
    {"BatchNormalization", 9, 5, 5, "epsilon:f momentum:f", nullptr, batch_normalization},
    {"BatchNormalization", 14, 5, 5, "epsilon:f momentum:f training_mode:i", nullptr, batch_normalization},
    {"AveragePool", 7, 1, 1, "auto_pad:s pads:I strides:I kernel_shape:I! count_include_pad:i", nullptr,
     average_pool},
    {"AveragePool", 10, 1, 1,
     "auto_pad:s pads:I strides:I kernel_shape:I! count_include_pad:i ceil_mode:i", nullptr, average_pool},
    {"AveragePool", 19, 1, 1,
     "auto_pad:s pads:I strides:I kernel_shape:I! count_include_pad:i ceil_mode:i dilations:I", nullptr,
     average_pool},
    {"GlobalAveragePool", 1, 1, 1, "", nullptr, global_average_pool},
    {"MaxPool", 1, 1, 1, "auto_pad:s pads:I strides:I kernel_shape:I!", nullptr, max_pool},
    {"MaxPool", 8, 1, 1, "auto_pad:s pads:I strides:I kernel_shape:I! storage_order:i", nullptr, max_pool},
    {"MaxPool", 10, 1, 1,
     "auto_pad:s pads:I strides:I kernel_shape:I! storage_order:i ceil_mode:i dilations:I", nullptr, max_pool},
};

const Form* find_form(const std::string& name, std::int64_t opset) {
  const Form* best = nullptr;
  for (const Form& form : kForms) {
    if (name == form.name && form.since <= opset) best = &form;
  }
  return best;
}

// All faults of the attributes of one node against its row, as one text; empty if there are none.
std::string attribute_faults(const OnnxNode& node, const Form& form) {
  std::string faults, known = std::string(" ") + form.attributes + " ";
  std::unordered_set<std::string> seen;
  for (const Attribute& a : node.attributes) {
    const std::size_t at = a.name.find_first_of(" :!") == std::string::npos ? known.find(" " + a.name + ":")
                                                                           : std::string::npos;
    const char code = a.type >= 1 && a.type <= 8 ? "fistgFIS"[a.type - 1] : '?';
    const bool fields = (a.fields & ~(2u << a.type % 16)) == 0 && (a.type != 4 || a.tensor);
    if (at == std::string::npos) faults += "; attribute '" + a.name + "' is not understood";
    else if (known[at + a.name.size() + 2] != code || !fields) faults += "; type of attribute '" + a.name + "'";
    if (!seen.insert(a.name).second) faults += "; attribute '" + a.name + "' twice";
  }
  for (std::size_t end = known.find('!'); end != std::string::npos; end = known.find('!', end + 1)) {
    const std::size_t start = known.rfind(' ', end) + 1;
    const std::string name = known.substr(start, known.find(':', start) - start);
    if (seen.count(name) == 0) faults += "; attribute '" + name + "' is missing";
  }
  return faults;
}

class Import {
 public:
  explicit Import(const std::filesystem::path& file) : files_(file.parent_path()) { to_.files = &files_; }

  Graph run(const Model& model, const Shapes& overrides, std::uint64_t file_bytes) {
    opset_ = model.opset;
    to_.budget = (std::uint64_t{1} << 26) + file_bytes;
    std::unordered_set<std::string> constants;
    for (const Tensor& t : model.initializers) constants.insert(t.name);
    inputs(model, constants, overrides);
    for (const Tensor& t : model.initializers) {
      guard("initializer '" + t.name + "'", [&] {
        const bool listed = input_names_.count(t.name) != 0;
        if (t.name.empty() || (!listed && !names_.insert(t.name).second) || values_.count(t.name)) {
          malformed("no name, or a name given twice");
        }
        values_[t.name].reset();
        values_[t.name] = checked(tensor_value(t, &files_));
      });
    }
    to_.budget += files_.total_bytes();
    for (std::size_t i = 0; i < model.nodes.size(); ++i) lower(model.nodes[i], i);
    guard("outputs", [&] { outputs(model.outputs); });
    if (!blockers_.empty()) {
      throw ReadError(worst_, std::to_string(blocker_count_) + " blockers" + blockers_);
    }
    return remove_dead();
  }
  const ExternalFiles& files() const { return files_; }

 private:
  // Runs one part; what it throws becomes a blocker and the rest goes on.
  template <class Part>
  void guard(const std::string& place, Part part) {
    try {
      part();
    } catch (const ReadError& e) {
      if (blocker_count_++ == 0 || worst_ == ReadError::Class::unsupported) worst_ = e.kind;
      if (blocker_count_ <= 1000) blockers_ += "\n  " + place + ": " + e.what();
    }
  }

  Value checked(Value value) const {
    if (is_float(value.type) && value.type != to_.type()) {
      unsupported(std::string("a ") + type_info(value.type).name + " tensor in a network of the other type");
    }
    return value;
  }

  void inputs(const Model& model, const std::unordered_set<std::string>& constants, const Shapes& overrides) {
    std::vector<std::pair<std::string, Shape>> free;
    std::uint64_t total = 0;
    std::size_t used = 0;
    int type = kNoType;
    for (const ValueInfo& info : model.inputs) {
      guard("input '" + info.name + "'", [&] {
        if (info.name.empty() || !names_.insert(info.name).second) malformed("no name, or given twice");
        input_names_.insert(info.name);
        if (constants.count(info.name)) return;
        values_[info.name].reset();
        if (type == kNoType) type = info.type;
        if (!is_float(info.type)) unsupported("element type " + std::to_string(info.type));
        if (info.type != type) unsupported("inputs of different element types");
        const auto given = overrides.find(info.name);
        const bool has = given != overrides.end();
        used += has;
        if (has && info.has_shape && given->second.size() != info.shape.size()) malformed("rank of the override");
        if (!has && !info.has_shape) unsupported("no shape; give one");
        Shape shape = has ? given->second : Shape(info.shape.size(), 1);
        for (std::size_t a = 0; a < info.shape.size(); ++a) {
          const auto& declared = info.shape[a];
          if (has && declared && *declared != shape[a]) malformed("the override changes a fixed dimension");
          if (!has && !declared && a > 0) unsupported("dimension " + std::to_string(a) + " is open; give a shape");
          if (!has && declared) shape[a] = *declared;
        }
        if (element_count(shape) == 0) malformed("no elements");
        total += element_count(shape);
        free.emplace_back(info.name, shape);
      });
    }
    guard("inputs", [&] {
      to_.graph.is_binary64 = type == kDouble;
      if (type == kNoType) malformed("no free input");
      if (used != overrides.size()) malformed("a shape is given for a name that is no free input");
      if (free.empty()) return;
      OnnxNode none;
      none.op = "input";
      none.outputs.push_back(free[0].first);
      Op op{none, opset_, to_, {}, {}};
      const Value all = op.emit(Kind::input, {}, {static_cast<std::int64_t>(total)});
      to_.graph.input_shape = free[0].second;
      std::int64_t start = 0;
      for (const auto& [name, shape] : free) {
        const std::int64_t count = static_cast<std::int64_t>(element_count(shape));
        values_[name] = free.size() == 1 ? with_shape(all, shape) : op.remap({all}, shape, op.run(start, count, 1));
        start += count;
      }
    });
  }

  void lower(const OnnxNode& node, std::size_t number) {
    std::vector<Value> out;
    guard("node " + std::to_string(number) + " '" + node.name + "' (" + node.op + ", opset " +
              std::to_string(opset_) + ")",
          [&] { out = apply(node); });
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      guard("node " + std::to_string(number), [&] {
        if (!names_.insert(node.outputs[i]).second) malformed("tensor '" + node.outputs[i] + "' is defined twice");
      });
      auto& slot = values_[node.outputs[i]];
      if (i < out.size()) slot = std::move(out[i]);
    }
  }

  std::vector<Value> apply(const OnnxNode& node) {
    if (!node.domain.empty() && node.domain != "ai.onnx") unsupported("domain '" + node.domain + "'");
    const Form* form = find_form(node.op, opset_);
    if (form == nullptr || !node.overload.empty()) unsupported("the operator is not supported");
    std::string faults = attribute_faults(node, *form);
    Op op{node, opset_, to_, {}, {}};
    bool complete = !node.outputs.empty();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::string& name = node.inputs[i];
      const auto found = values_.find(name);
      op.in.push_back(nullptr);
      if (name.empty()) continue;
      if (found == values_.end()) faults += "; '" + name + "' is not defined before";
      else if (!found->second) complete = false;
      else op.in.back() = &*found->second;
    }
    while (!op.in.empty() && node.inputs[op.in.size() - 1].empty()) op.in.pop_back();
    for (std::size_t i = 0; i < op.in.size(); ++i) {
      const bool required = form->most == kAny || i < form->least;
      if (required && node.inputs[i].empty()) faults += "; operand " + std::to_string(i) + " is missing";
    }
    if (op.in.size() < form->least || op.in.size() > form->most) faults += "; number of operands";
    if (!faults.empty()) malformed(faults.substr(2));
    if (!complete) return {};
    const Rule rule = op.all_integers() ? form->integers : form->floats;
    if (rule == nullptr) unsupported(std::string("not supported for these operand types"));
    rule(op);
    for (Value& v : op.out) v = checked(std::move(v));
    return std::move(op.out);
  }

  void outputs(const std::vector<ValueInfo>& infos) {
    std::vector<Value> values;
    std::int64_t total = 0;
    OnnxNode none;
    none.op = "output";
    Op op{none, opset_, to_, {}, {}};
    bool complete = true;
    for (const ValueInfo& info : infos) {
      none.outputs.assign(1, info.name);
      const auto found = values_.find(info.name);
      if (found == values_.end()) malformed("'" + info.name + "' is never produced");
      if (!found->second) { complete = false; continue; }
      const Value& v = *found->second;
      bool fits = !info.has_shape || info.shape.size() == v.shape.size();
      for (std::size_t a = 0; fits && a < info.shape.size(); ++a) fits = info.shape[a].value_or(v.shape[a]) == v.shape[a];
      if (v.is == Value::Is::integers) unsupported("'" + info.name + "' is an integer constant");
      if (!fits) malformed("'" + info.name + "': declared shape differs from the computed one, " + shape_text(v.shape));
      if (info.type != kNoType && info.type != v.type) malformed("'" + info.name + "': declared element type");
      total += static_cast<std::int64_t>(v.size());
      values.push_back(v);
    }
    if (!complete) return;
    if (values.empty()) malformed("no output");
    for (Value& v : values) v = op.materialise(v);
    to_.graph.output = op.remap(values, {total}, op.run(0, total, 1)).node;
  }

  Graph remove_dead() {
    Graph& g = to_.graph;
    std::vector<bool> live(g.nodes.size(), false);
    live[0] = live[g.output] = true;
    for (std::size_t k = g.nodes.size(); k-- > 0;) {
      for (std::uint32_t p : g.nodes[k].operands) live[p] = live[p] || live[k];
    }
    std::vector<std::uint32_t> number(g.nodes.size(), 0);
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
      if (!live[k]) continue;
      for (std::uint32_t& p : g.nodes[k].operands) p = number[p];
      number[k] = next;
      if (next != k) g.nodes[next] = std::move(g.nodes[k]);
      ++next;
    }
    g.nodes.resize(next);
    g.output = number[g.output];
    return std::move(g);
  }

  ExternalFiles files_;
  Target to_;
  std::int64_t opset_ = 0;
  std::unordered_map<std::string, std::optional<Value>> values_;  // empty: not available, already reported
  std::unordered_set<std::string> names_, input_names_;
  std::string blockers_;
  std::size_t blocker_count_ = 0;
  ReadError::Class worst_ = ReadError::Class::unsupported;
};

}  // namespace
}  // namespace onnx

ModelRead read_model(const std::string& path, const Shapes& overrides) {
  const Bytes bytes = read_file(path);
  const std::filesystem::path file(path);
  ModelRead result;
  try {
    onnx::Import import(file);
    result.graph = import.run(onnx::decode_model({bytes.data(), bytes.size(), 0}), overrides, bytes.size());
    result.files.push_back({file.filename().string(), sha256_hex(bytes.data(), bytes.size()), bytes.size()});
    import.files().list(&result.files);
  } catch (const ReadError& e) {
    throw ReadError(e.kind, path + ": onnx: " + e.what());
  }
  return result;
}

}  // namespace outward_check
