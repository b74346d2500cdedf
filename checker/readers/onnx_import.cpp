// read_model: the operator table, the walk over the ONNX graph, the removal of dead nodes. Promises:
// either the complete canonical graph, or one ReadError that lists every blocker found.
#include <optional>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "checker/readers/onnx.hpp"

namespace outward_check {
namespace onnx {
namespace {

// One row per form of one or several operators, valid from opset `since` to the next row of the name. Attributes are
// "name:type", type f i s t F I or S as AttributeProto has them, "!" when required, "@N" when known from opset N on.
// integers: the rule when all operands are integer constants; floats: otherwise; null: refused.
struct Form {
  const char* names;
  int since;
  unsigned least, most;  // operands; kAny: any number, none of them absent
  const char* attributes;
  void (*integers)(Op&);
  void (*floats)(Op&);
};
constexpr unsigned kAny = UINT32_MAX;

constexpr Form kForms[] = {
    {"Constant", 1, 0, 0, "value:t!", constant, nullptr},
    {"Constant", 12, 0, 0, "value:t value_float:f value_floats:F value_int:i value_ints:I", constant, nullptr},
    {"Shape", 1, 1, 1, "start:i@15 end:i@15", shape_of, shape_of},
    {"Size", 1, 1, 1, "", size_of, size_of},
    {"ConstantOfShape", 9, 1, 1, "value:t", constant_of_shape, nullptr},
    {"Range", 11, 3, 3, "", range, nullptr},
    {"Where", 9, 3, 3, "", where, where},
    {"Equal Greater Less And Or", 7, 2, 2, "", fold, nullptr},
    {"GreaterOrEqual LessOrEqual", 12, 2, 2, "", fold, nullptr},
    {"Not", 1, 1, 1, "", fold_unary, nullptr},
    {"Mod", 10, 2, 2, "fmod:i", fold, nullptr},
    {"Min Max", 6, 1, kAny, "", fold, nullptr},
    {"ReduceProd ReduceMin ReduceMax", 1, 1, 1, "axes:I keepdims:i", fold_reduce, nullptr},
    {"ReduceProd ReduceMin ReduceMax", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", fold_reduce, nullptr},
    {"ReduceSum", 1, 1, 1, "axes:I keepdims:i", fold_reduce, reduce_sum},
    {"ReduceSum", 13, 1, 2, "keepdims:i noop_with_empty_axes:i", fold_reduce, reduce_sum},
    {"ReduceMean", 1, 1, 1, "axes:I keepdims:i", nullptr, reduce_mean},
    {"ReduceMean", 18, 1, 2, "keepdims:i noop_with_empty_axes:i", nullptr, reduce_mean},
    {"Cast", 6, 1, 1, "to:i! saturate:i@19", cast, cast},
    {"Identity", 1, 1, 1, "", identity, identity},
    {"Dropout", 7, 1, 1, "ratio:f", nullptr, dropout},
    {"Dropout", 12, 1, 3, "seed:i", nullptr, dropout},
    {"Flatten", 1, 1, 1, "axis:i", flatten, flatten},
    {"Reshape", 5, 2, 2, "allowzero:i@14", reshape, reshape},
    {"Squeeze", 1, 1, 1, "axes:I", squeeze, squeeze},
    {"Squeeze", 13, 1, 2, "", squeeze, squeeze},
    {"Unsqueeze", 1, 1, 1, "axes:I!", unsqueeze, unsqueeze},
    {"Unsqueeze", 13, 2, 2, "", unsqueeze, unsqueeze},
    {"Transpose", 1, 1, 1, "perm:I", transpose, transpose},
    {"Concat", 4, 1, kAny, "axis:i!", concat, concat},
    {"Slice", 1, 1, 1, "axes:I starts:I! ends:I!", slice, slice},
    {"Slice", 10, 3, 5, "", slice, slice},
    {"Split", 2, 1, 1, "axis:i split:I", nullptr, split},
    {"Split", 13, 1, 2, "axis:i num_outputs:i@18", nullptr, split},
    {"Gather", 1, 2, 2, "axis:i", gather, gather},
    {"Pad", 2, 1, 1, "mode:s pads:I! value:f", nullptr, pad},
    {"Pad", 11, 2, 3, "mode:s", nullptr, pad},
    {"Pad", 18, 2, 4, "mode:s", nullptr, pad},
    {"Expand", 8, 2, 2, "", expand, expand},
    {"Add", 7, 2, 2, "", fold, add},
    {"Sub", 7, 2, 2, "", fold, subtract},
    {"Mul", 7, 2, 2, "", fold, multiply},
    {"Div", 7, 2, 2, "", fold, divide},
    {"Neg", 6, 1, 1, "", fold_unary, negate},
    {"Abs", 6, 1, 1, "", fold_unary, absolute},
    {"Relu", 6, 1, 1, "", nullptr, relu},
    {"LeakyRelu", 6, 1, 1, "alpha:f", nullptr, leaky_relu},
    {"Clip", 6, 1, 1, "min:f max:f", nullptr, clip},
    {"Clip", 11, 1, 3, "", nullptr, clip},
    {"MatMul", 1, 2, 2, "", nullptr, matmul},
    {"Gemm", 7, 3, 3, "alpha:f beta:f transA:i transB:i", nullptr, gemm},
    {"Gemm", 11, 2, 3, "alpha:f beta:f transA:i transB:i", nullptr, gemm},
    {"Conv", 1, 2, 3, "auto_pad:s pads:I strides:I dilations:I group:i kernel_shape:I", nullptr, conv},
    {"BatchNormalization", 7, 5, 5, "epsilon:f momentum:f spatial:i", nullptr, batch_normalization},
    {"BatchNormalization", 9, 5, 5, "epsilon:f momentum:f training_mode:i@14", nullptr, batch_normalization},
    {"AveragePool", 7, 1, 1,
     "auto_pad:s pads:I strides:I kernel_shape:I! count_include_pad:i ceil_mode:i@10 dilations:I@19", nullptr,
     average_pool},
    {"GlobalAveragePool", 1, 1, 1, "", nullptr, global_average_pool},
    {"MaxPool", 1, 1, 1, "auto_pad:s pads:I strides:I kernel_shape:I! storage_order:i@8 ceil_mode:i@10 dilations:I@10",
     nullptr, max_pool},
};

// The row of the operator in the opset version, or null.
const Form* form_of(const std::string& kind, Int opset) {
  const Form* found = nullptr;
  for (const Form& row : kForms) {
    const std::string names = " " + std::string(row.names) + " ";
    const bool named = kind.find(' ') == std::string::npos && names.find(" " + kind + " ") != std::string::npos;
    if (named && row.since <= opset) found = &row;
  }
  return found;
}

// The attributes of one node against its row; what does not fit is added to faults.
std::map<std::string, Message> read_attributes(const Message& node, const Form& form, Int opset, std::string* faults) {
  std::map<std::string, std::string> known;  // name to the rest of its entry
  std::istringstream entries(form.attributes);
  for (std::string entry; entries >> entry;) {
    const std::size_t colon = entry.find(':'), at = entry.find('@');
    if (at == std::string::npos || std::stoi(entry.substr(at + 1)) <= opset) {
      known[entry.substr(0, colon)] = entry.substr(colon + 1);
    }
  }
  std::map<std::string, Message> found;
  for (Span bytes : node.all(5)) {
    const Message a(bytes, "AttributeProto", ".sfvsssFISSS.ssS....v.sS");
    const std::string name = a.text(1);
    const Int type = a.integer(20);
    bool fits = type >= 1 && type <= 8 && known.count(name) && known[name][0] == "fistgFIS"[type - 1];
    for (unsigned field : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 22, 23}) {
      fits = fits && (!a.has(field) || field == type + 1);  // no value of another type beside it
    }
    if (!fits || (type == 4 && !a.has(5))) {
      *faults += "; attribute '" + name + "' is not understood in this opset, or has another type";
    }
    if (!found.emplace(name, a).second) *faults += "; attribute '" + name + "' is given twice";
  }
  for (const auto& [name, entry] : known) {
    const bool required = entry.find('!') != std::string::npos;
    if (required && found.count(name) == 0) *faults += "; attribute '" + name + "' is missing";
  }
  return found;
}

// What graph.input or graph.output says about one tensor.
struct Declared {
  std::string name;
  int type = 0;
  bool has_shape = false;
  std::vector<std::optional<Int>> shape;  // empty entry: symbolic or missing
  explicit Declared(Span bytes) {
    const Message info(bytes, "ValueInfoProto", ".sssS");
    name = info.text(1);
    const Message tensor(Message(info.bytes(2), "TypeProto", ".s....s").bytes(1), "TypeProto.Tensor", ".vs");
    type = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(tensor.integer(1)), 99));
    has_shape = tensor.has(2);
    for (Span d : Message(tensor.bytes(2), "TensorShapeProto", ".S").all(1)) {
      const Message dimension(d, "TensorShapeProto.Dimension", ".vss");
      if (shape.size() >= max_rank()) over(Limit::rank, "a higher rank");
      shape.push_back(dimension.has(1) ? std::optional<Int>(dimension.integer(1)) : std::nullopt);
    }
  }
};

class Import {
 public:
  Import(const std::filesystem::path& folder, Span file) {
    to_.external.folder = folder;
    to_.budget = (std::uint64_t{1} << 25) + 4 * file.size;
    const Message model(file, "ModelProto", ".vsssvssS.....S");
    support(model.integer(1) >= 3 && model.integer(1) <= 11, "IR version outside 3 to 11");
    require(model.has(7), "no graph");
    for (Span bytes : model.all(8)) {
      const Message import(bytes, "OperatorSetIdProto", ".sv");
      if (!import.text(1).empty() && import.text(1) != "ai.onnx") continue;  // may be there, not used
      support(import.integer(2) >= 7 && import.integer(2) <= 23, "opset version outside 7 to 23");
      require(opset_ == 0 || opset_ == import.integer(2), "two different opset versions");
      opset_ = import.integer(2);
    }
    require(opset_ != 0, "no opset import for the default domain");
    graph_.emplace(model.bytes(7), "GraphProto", ".Ss..S....sSSS..S");
  }

  Graph run(const Shapes& overrides) {
    const std::vector<Span> nodes = graph_->all(1), tensors = graph_->all(5);
    if (nodes.size() > limit(Limit::nodes)) over(Limit::nodes, std::to_string(nodes.size()) + " nodes");
    if (tensors.size() > limit(Limit::tensors)) over(Limit::tensors, std::to_string(tensors.size()) + " tensors");
    for (Span t : tensors) constants_.emplace(tensor_name(t), false);
    guard("inputs", [&] { inputs(overrides); });
    for (Span t : tensors) initializer(t);
    for (const auto& [path, bytes] : to_.external.files) to_.budget += 4 * bytes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i) lower(nodes[i], i);
    guard("outputs", [&] { outputs(); });
    if (blocker_count_ == 0) return remove_dead();
    throw ReadError(worst_, std::to_string(blocker_count_) + " blocker(s)" + blockers_);
  }
  const ExternalFiles& external() const { return to_.external; }

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

  void check_type(const Value& v) const {
    support(!is_float(v.type) || v.type == to_.type(), "a float tensor of another type than the inputs");
  }

  Op op(const char* kind) { return Op{to_, opset_, kind, kind, 1, false, {}, {}, {}}; }

  void initializer(Span tensor) {
    const std::string name = tensor_name(tensor);
    guard("initializer '" + name + "'", [&] {
      require(!name.empty() && !constants_[name], "no name, or a name given twice");
      constants_[name] = true;
      values_[name].reset();  // named, but not usable unless the rest succeeds
      const Value value = tensor_value(tensor, &to_.external);
      check_type(value);
      values_[name] = value;
    });
  }

  Shape input_shape(const Declared& d, const Shapes& overrides) {
    const auto given = overrides.find(d.name);
    Shape shape(d.shape.size(), 1);
    if (given != overrides.end()) {
      shape = given->second;
      require(!d.has_shape || shape.size() == d.shape.size(), "the given shape has another rank");
    } else if (!d.has_shape) {
      unsupported("input '" + d.name + "' has no shape: give one");
    }
    for (std::size_t a = 0; a < d.shape.size(); ++a) {
      support(d.shape[a] || a == 0 || given != overrides.end(), "an open dimension: give the shape");
      require(!d.shape[a] || given == overrides.end() || *d.shape[a] == shape[a], "the given shape differs");
      shape[a] = d.shape[a].value_or(shape[a]);
    }
    require(element_count(shape) > 0, "an input without elements");
    return shape;
  }

  void inputs(const Shapes& overrides) {
    std::vector<std::pair<std::string, Shape>> free;
    Int total = 0, start = 0;
    int type = 0;
    std::size_t used = 0;
    for (Span bytes : graph_->all(11)) {
      const Declared d(bytes);
      require(!d.name.empty() && names_.insert(d.name).second, "an input without a name, or given twice");
      if (constants_.count(d.name)) continue;
      values_[d.name].reset();
      if (type == 0) type = d.type;
      support(is_float(d.type) && d.type == type, "inputs not all binary32 or all binary64");
      free.emplace_back(d.name, input_shape(d, overrides));
      used += overrides.count(d.name);
      total += element_count(free.back().second);
    }
    to_.graph.is_binary64 = type == kDouble;
    require(!free.empty(), "no free input");
    require(used == overrides.size(), "a shape is given for something that is no free input");
    to_.graph.input_shape = free[0].second;
    Op first = op("input");
    const Value all = first.emit(Kind::input, {}, {total}, {});
    for (const auto& [name, shape] : free) {
      const Int count = element_count(shape);
      values_[name] = free.size() == 1 ? with_shape(all, shape) : first.remap({all}, shape, first.run(start, count, 1));
      start += count;
    }
  }

  void lower(Span bytes, std::size_t number) {
    const std::string place = "node " + std::to_string(number);
    guard(place, [&] {
      const Message node(bytes, "NodeProto", ".SSssSsssS");
      Op made = op("");
      made.kind = node.text(4).substr(0, 99);
      made.name =
          place + " '" + node.text(3).substr(0, 200) + "' (" + made.kind + ", opset " + std::to_string(opset_) + ")";
      guard(made.name, [&] { apply(node, &made); });
      std::size_t i = 0;
      for (Span output : node.all(2)) {
        const std::string name = output.text();
        const bool there = i++ < made.out.size() && made.complete;
        if (name.empty()) continue;
        require(constants_.count(name) == 0 && names_.insert(name).second, "an output name is defined before");
        if (there)
          values_[name] = made.out[i - 1];
        else if (!made.complete)
          values_[name].reset();  // reported; what reads it is not
      }
    });
  }

  void apply(const Message& node, Op* op) {
    const std::string domain = node.text(7);
    if (!domain.empty() && domain != "ai.onnx") unsupported("domain '" + domain + "'");
    const Form* const form = form_of(op->kind, opset_);
    support(form != nullptr && node.text(8).empty(), "the operator is not supported");
    std::string faults;
    op->attributes = read_attributes(node, *form, opset_, &faults);
    op->outputs = node.all(2).size();
    bool complete = true, integers = true;
    const std::vector<Span> inputs = node.all(1);
    std::size_t count = inputs.size();
    while (count > 0 && inputs[count - 1].size == 0) --count;
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = values_.find(inputs[i].text());
      op->in.push_back(nullptr);
      if (inputs[i].size == 0) {
        if (form->most == kAny || i < form->least) faults += "; operand " + std::to_string(i) + " is missing";
      } else if (found == values_.end()) {
        faults += "; '" + inputs[i].text() + "' is not defined before";
      } else if (found->second) {
        op->in.back() = &*found->second;
        integers = integers && found->second->is_integer();
      } else {
        complete = false;
      }
    }
    if (op->in.size() < form->least || op->in.size() > form->most) faults += "; number of operands";
    if (op->outputs == 0) faults += "; no output";
    if (!faults.empty()) malformed(faults.substr(2));
    if (!complete) return;
    const auto rule = integers ? form->integers : form->floats;
    support(rule != nullptr, integers ? "not for integers" : "for integer constants only");
    for (const Value* v : op->in) {  // what a rule does with a constant costs no more than its size
      if (v && !v->is_node()) to_.charge(v->size());
    }
    rule(*op);
    for (const Value& v : op->out) check_type(v);
    op->complete = true;
  }

  void outputs() {
    std::vector<Value> values;
    Int total = 0;
    for (Span bytes : graph_->all(12)) {
      const Declared d(bytes);
      const auto found = values_.find(d.name);
      if (found == values_.end()) malformed("'" + d.name + "' is never produced");
      if (!found->second) continue;
      const Value& v = *found->second;
      bool same = !d.has_shape || d.shape.size() == v.shape.size();
      for (std::size_t a = 0; same && a < d.shape.size(); ++a) same = d.shape[a].value_or(v.shape[a]) == v.shape[a];
      if (!same) malformed("'" + d.name + "': computed shape " + shape_text(v.shape) + ", declared another");
      support(is_float(v.type), "an output that is an integer constant");
      require(d.type == 0 || d.type == v.type, "the declared element type differs");
      total += v.size();
      values.push_back(v);
    }
    if (blocker_count_ > 0) return;
    require(!values.empty(), "no output");
    Op last = op("output");
    for (Value& v : values) v = last.materialise(v);
    to_.graph.output = last.remap(values, {total}, last.run(0, total, 1)).node;
  }

  Graph remove_dead() {
    std::vector<Node>& nodes = to_.graph.nodes;
    std::vector<bool> live(nodes.size(), false);
    live[0] = live[to_.graph.output] = true;
    for (std::size_t k = nodes.size(); k-- > 0;) {
      for (std::uint32_t p : nodes[k].operands) live[p] = live[p] || live[k];
    }
    std::vector<std::uint32_t> number(nodes.size(), 0);
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (!live[k]) continue;
      for (std::uint32_t& p : nodes[k].operands) p = number[p];
      if (next != k) nodes[next] = std::move(nodes[k]);
      number[k] = next++;
    }
    nodes.resize(next);
    to_.graph.output = number[to_.graph.output];
    return std::move(to_.graph);
  }

  Target to_;
  Int opset_ = 0;
  std::optional<Message> graph_;
  std::unordered_map<std::string, bool> constants_;               // initializers; true: already read
  std::unordered_set<std::string> names_;                         // inputs and node outputs
  std::unordered_map<std::string, std::optional<Value>> values_;  // empty: not usable, reported
  std::string blockers_;
  std::size_t blocker_count_ = 0;
  ReadError::Class worst_ = ReadError::Class::unsupported;
};

}  // namespace
}  // namespace onnx

ModelRead read_model(const std::string& path, const Shapes& overrides) {
  const std::filesystem::path file(path);
  try {
    const Bytes bytes = read_maybe_gzip(path);
    onnx::Import import(file.parent_path(), {bytes.data(), bytes.size(), 0});
    ModelRead result{import.run(overrides), {}};
    result.files.push_back({file.filename().string(), sha256_hex(bytes.data(), bytes.size()), bytes.size()});
    for (const auto& [name, data] : import.external().files) {
      result.files.push_back({name, sha256_hex(data.data(), data.size()), data.size()});
    }
    return result;
  } catch (const ReadError& e) {
    throw ReadError(e.kind, path + ": onnx: " + e.what());
  }
}

}  // namespace outward_check
