// read_model: the operator table, the walk over the ONNX graph, the removal of dead nodes. Promises
// either the complete canonical graph, or one ReadError with the first thing that stands in the way
// and its place (`verify` and `model check` list all of them).
#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "checker/readers/onnx.hpp"

namespace outward_check {
namespace onnx {
namespace {

// One row per form of one or several operators, valid from opset `since` to the next row of the
// name. integers: the rule when all operands are integer constants; floats: otherwise; null:
// refused. Attributes are "name:type", type f i s t F I or S as AttributeProto has them, "!" when
// required, "@N" when known from opset N on.
struct Form {
  const char* names;
  int since;
  unsigned least, most;  // operands; kAny: any number, none of them absent
  void (*integers)(Op&);
  void (*floats)(Op&);
  const char* attributes;
};
constexpr unsigned kAny = UINT32_MAX;

constexpr Form kForms[] = {
    {"Constant", 1, 0, 0, constant, nullptr, "value:t!"},
    {"Constant", 12, 0, 0, constant, nullptr,
     "value:t value_float:f value_floats:F value_int:i value_ints:I"},
    {"Shape", 1, 1, 1, shape_of, shape_of, "start:i@15 end:i@15"},
    {"Size", 1, 1, 1, size_of, size_of, ""},
    {"ConstantOfShape", 9, 1, 1, constant_of_shape, nullptr, "value:t"},
    {"Range", 11, 3, 3, range, nullptr, ""},
    {"Where", 9, 3, 3, where, where, ""},
    {"Equal Greater Less And Or", 7, 2, 2, fold, nullptr, ""},
    {"GreaterOrEqual LessOrEqual", 12, 2, 2, fold, nullptr, ""},
    {"Not", 1, 1, 1, fold_unary, nullptr, ""},
    {"Mod", 10, 2, 2, fold, nullptr, "fmod:i"},
    {"Min Max", 6, 1, kAny, fold, nullptr, ""},
    {"ReduceProd ReduceMin ReduceMax", 1, 1, 1, fold_reduce, nullptr, "axes:I keepdims:i"},
    {"ReduceProd ReduceMin ReduceMax", 18, 1, 2, fold_reduce, nullptr,
     "keepdims:i noop_with_empty_axes:i"},
    {"ReduceSum", 1, 1, 1, fold_reduce, reduce, "axes:I keepdims:i"},
    {"ReduceSum", 13, 1, 2, fold_reduce, reduce, "keepdims:i noop_with_empty_axes:i"},
    {"ReduceMean", 1, 1, 1, nullptr, reduce, "axes:I keepdims:i"},
    {"ReduceMean", 18, 1, 2, nullptr, reduce, "keepdims:i noop_with_empty_axes:i"},
    {"Cast", 6, 1, 1, cast, cast, "to:i! saturate:i@19"},
    {"Identity", 1, 1, 1, identity, identity, ""},
    {"Dropout", 7, 1, 1, nullptr, dropout, "ratio:f"},
    {"Dropout", 12, 1, 3, nullptr, dropout, "seed:i"},
    {"Flatten", 1, 1, 1, flatten, flatten, "axis:i"},
    {"Reshape", 5, 2, 2, reshape, reshape, "allowzero:i@14"},
    {"Squeeze", 1, 1, 1, squeeze, squeeze, "axes:I"},
    {"Squeeze", 13, 1, 2, squeeze, squeeze, ""},
    {"Unsqueeze", 1, 1, 1, unsqueeze, unsqueeze, "axes:I!"},
    {"Unsqueeze", 13, 2, 2, unsqueeze, unsqueeze, ""},
    {"Transpose", 1, 1, 1, transpose, transpose, "perm:I"},
    {"Concat", 4, 1, kAny, concat, concat, "axis:i!"},
    {"Slice", 1, 1, 1, slice, slice, "axes:I starts:I! ends:I!"},
    {"Slice", 10, 3, 5, slice, slice, ""},
    {"Split", 2, 1, 1, nullptr, split, "axis:i split:I"},
    {"Split", 13, 1, 2, nullptr, split, "axis:i num_outputs:i@18"},
    {"Gather", 1, 2, 2, gather, gather, "axis:i"},
    {"Pad", 2, 1, 1, nullptr, pad, "mode:s pads:I! value:f"},
    {"Pad", 11, 2, 3, nullptr, pad, "mode:s"},
    {"Pad", 18, 2, 4, nullptr, pad, "mode:s"},
    {"Expand", 8, 2, 2, expand, expand, ""},
    {"Add Sub Mul Div", 7, 2, 2, fold, arithmetic, ""},
    {"Neg Abs", 6, 1, 1, fold_unary, unary, ""},
    {"Relu", 6, 1, 1, nullptr, unary, ""},
    {"LeakyRelu", 6, 1, 1, nullptr, leaky_relu, "alpha:f"},
    {"Clip", 6, 1, 1, nullptr, clip, "min:f max:f"},
    {"Clip", 11, 1, 3, nullptr, clip, ""},
    {"MatMul", 1, 2, 2, nullptr, matmul, ""},
    {"Gemm", 7, 3, 3, nullptr, gemm, "alpha:f beta:f transA:i transB:i"},
    {"Gemm", 11, 2, 3, nullptr, gemm, "alpha:f beta:f transA:i transB:i"},
    {"Conv", 1, 2, 3, nullptr, conv,
     "auto_pad:s pads:I strides:I dilations:I group:i kernel_shape:I"},
    {"BatchNormalization", 7, 5, 5, nullptr, batch_normalization, "epsilon:f momentum:f spatial:i"},
    {"BatchNormalization", 9, 5, 5, nullptr, batch_normalization,
     "epsilon:f momentum:f training_mode:i@14"},
    {"AveragePool", 7, 1, 1, nullptr, pool,
     "auto_pad:s pads:I strides:I kernel_shape:I! count_include_pad:i ceil_mode:i@10 "
     "dilations:I@19"},
    {"GlobalAveragePool", 1, 1, 1, nullptr, pool, ""},
    {"MaxPool", 1, 1, 1, nullptr, pool,
     "auto_pad:s pads:I strides:I kernel_shape:I! storage_order:i@8 ceil_mode:i@10 dilations:I@10"},
};

// The row of the operator in the opset version, or null.
const Form* form_of(const std::string& kind, Int opset) {
  const Form* found = nullptr;
  for (const Form& row : kForms) {
    std::istringstream names(row.names);
    for (std::string name; names >> name;) {
      if (name == kind && row.since <= opset) found = &row;
    }
  }
  return found;
}

// The attributes of one node, all of which its row has to know.
std::map<std::string, Message> read_attributes(const Message& node, const Form& form, Int opset) {
  std::map<std::string, Message> found;
  std::unordered_set<std::string> unknown;
  for (Span bytes : node.all(5)) {
    const Message a(bytes, "AttributeProto", ".sfvsssFISSS.ssS....v.sS");
    if (!unknown.insert(a.text(1)).second) malformed("attribute '" + a.text(1) + "' given twice");
    found.emplace(a.text(1), a);
  }
  std::istringstream entries(form.attributes);
  for (std::string entry; entries >> entry;) {
    const std::size_t colon = entry.find(':'), since = entry.find('@');
    const std::string name = entry.substr(0, colon);
    const auto at = found.find(name);
    if (at == found.end()) {
      if (entry.find('!') != std::string::npos) malformed("attribute '" + name + "' is missing");
      continue;
    }
    const Message& a = at->second;
    const Int type = a.integer(20);
    bool fits = since == std::string::npos || std::stoi(entry.substr(since + 1)) <= opset;
    fits = fits && type >= 1 && type <= 8 && entry[colon + 1] == "fistgFIS"[type - 1];
    fits = fits && (type != 4 || a.has(5));
    for (unsigned field : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 22, 23}) {
      fits = fits && (!a.has(field) || field == type + 1);  // no value of another type beside it
    }
    if (fits) unknown.erase(name);
  }
  if (unknown.empty()) return found;
  malformed("attribute '" + *unknown.begin() + "' is not understood in this opset, or so typed");
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
    const Message tensor(Message(info.bytes(2), "TypeProto", ".s....s").bytes(1),
                         "TypeProto.Tensor", ".vs");
    type = static_cast<int>(std::clamp<Int>(tensor.integer(1), -1, 99));
    has_shape = tensor.has(2);
    for (Span d : Message(tensor.bytes(2), "TensorShapeProto", ".S").all(1)) {
      const Message dimension(d, "TensorShapeProto.Dimension", ".vss");
      if (shape.size() >= max_rank()) over(Limit::rank, "a higher rank");
      shape.push_back(dimension.has(1) ? std::optional<Int>(dimension.integer(1)) : std::nullopt);
    }
  }
  bool admits(const Shape& other) const {
    bool same = !has_shape || shape.size() == other.size();
    for (std::size_t a = 0; same && a < shape.size(); ++a)
      same = shape[a].value_or(other[a]) == other[a];
    return same;
  }
};

class Import {
 public:
  explicit Import(std::filesystem::path folder) { to_.external.folder = std::move(folder); }

  Graph run(Span file, const Shapes& overrides) {
    to_.budget = (std::uint64_t{1} << 25) + 4 * file.size;
    const Message model(file, "ModelProto", ".vsssvssS.....S");
    support(model.integer(1) >= 3 && model.integer(1) <= 11, "IR version outside 3 to 11");
    require(model.has(7), "no graph");
    for (Span bytes : model.all(8)) {
      const Message import(bytes, "OperatorSetIdProto", ".sv");
      if (!is_onnx(import.text(1))) continue;  // may be there, not used
      support(import.integer(2) >= 7 && import.integer(2) <= 23, "opset version outside 7 to 23");
      require(opset_ == 0 || opset_ == import.integer(2), "two different opset versions");
      opset_ = import.integer(2);
    }
    require(opset_ != 0, "no opset import for the default domain");
    const Message graph(model.bytes(7), "GraphProto", ".Ss..S....sSSS..S");
    const std::vector<Span> nodes = graph.all(1), tensors = graph.all(5);
    if (nodes.size() > limit(Limit::nodes)) over(Limit::nodes, "more nodes");
    if (tensors.size() > limit(Limit::tensors)) over(Limit::tensors, "more tensors");
    for (Span t : tensors) initializer(t);
    for (const auto& [path, bytes] : to_.external.files) to_.budget += 4 * bytes.size();
    inputs(graph.all(11), overrides);
    for (std::size_t i = 0; i < nodes.size(); ++i) lower(nodes[i], i);
    outputs(graph.all(12));
    return remove_dead();
  }
  const ExternalFiles& external() const { return to_.external; }
  const std::string& place() const { return place_; }

 private:
  static bool is_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

  Op op(const std::string& kind, const std::string& name) {
    return Op{to_, opset_, kind, name, 1, {}, {}, {}};
  }

  void define(const std::string& name) {
    require(!name.empty() && names_.insert(name).second, "no name, or one defined before");
  }
  void check_type(const Value& v) const {
    support(!is_float(v.type) || v.type == to_.type(), "a float of another type than the inputs");
  }

  void initializer(Span tensor) {
    const std::string name = tensor_name(tensor);
    place_ = "initializer '" + name + "': ";
    define(name);
    values_[name] = tensor_value(tensor, &to_.external);
  }

  static Shape input_shape(const Declared& d, const Shapes& overrides) {
    if (const auto given = overrides.find(d.name); given != overrides.end()) {
      require(d.admits(given->second), "the given shape differs from the declared one");
      return given->second;
    }
    support(d.has_shape, "no shape is declared: give one");
    Shape shape;
    for (const std::optional<Int>& dimension : d.shape) {
      support(dimension || shape.empty(), "an open dimension: give the shape");
      shape.push_back(dimension.value_or(1));
    }
    return shape;
  }

  void inputs(const std::vector<Span>& declarations, const Shapes& overrides) {
    std::unordered_map<std::string, Value> constants = values_;  // not declared as inputs so far
    std::vector<std::pair<std::string, Shape>> free;
    Int total = 0, start = 0;
    int type = 0;
    std::size_t used = 0;
    for (Span bytes : declarations) {
      const Declared d(bytes);
      place_ = "input '" + d.name + "': ";
      if (constants.erase(d.name) != 0) continue;
      define(d.name);
      if (free.empty()) type = d.type;
      support(is_float(d.type) && d.type == type, "inputs not all binary32 or all binary64");
      free.emplace_back(d.name, input_shape(d, overrides));
      require(element_count(free.back().second) > 0, "an input without elements");
      used += overrides.count(d.name);
      total += element_count(free.back().second);
    }
    place_ = "inputs: ";
    to_.graph.is_binary64 = type == kDouble;
    require(!free.empty(), "no free input");
    require(used == overrides.size(), "a shape is given for something that is no free input");
    to_.graph.input_shape = free[0].second;
    Op first = op("input", "input");
    const Value all = first.emit(Kind::input, {}, {total}, {});
    for (const auto& [name, value] : values_) {
      place_ = "initializer '" + name + "': ";
      check_type(value);
    }
    for (const auto& [name, shape] : free) {
      const Int count = element_count(shape);
      values_[name] = free.size() == 1 ? with_shape(all, shape)
                                       : first.remap({all}, shape, first.run(start, count, 1));
      start += count;
    }
  }

  void lower(Span bytes, std::size_t number) {
    place_ = "node " + std::to_string(number) + ": ";
    const Message node(bytes, "NodeProto", ".SSssSsssS");
    const std::string kind = node.text(4).substr(0, 99), name = node.text(3).substr(0, 200);
    Op made = op(kind, "node " + std::to_string(number) + " '" + name + "' (" + kind + ", opset " +
                           std::to_string(opset_) + ")");
    place_ = made.name + ": ";
    apply(node, &made);
    const std::vector<Span> outputs = node.all(2);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].size == 0) continue;
      define(outputs[i].text());
      if (i < made.out.size()) values_[outputs[i].text()] = made.out[i];
    }
  }

  void apply(const Message& node, Op* op) {
    if (!is_onnx(node.text(7))) unsupported("domain '" + node.text(7) + "'");
    const Form* const form = form_of(op->kind, opset_);
    support(form != nullptr && node.text(8).empty(), "the operator is not supported");
    op->attributes = read_attributes(node, *form, opset_);
    op->outputs = node.all(2).size();
    require(op->outputs > 0, "no output");
    std::vector<Span> inputs = node.all(1);
    while (!inputs.empty() && inputs.back().size == 0) inputs.pop_back();
    require(inputs.size() >= form->least && inputs.size() <= form->most, "number of operands");
    bool integers = true;
    for (Span input : inputs) {
      const auto found = values_.find(input.text());
      const bool absent = input.size == 0;
      if (absent && (form->most == kAny || op->in.size() < form->least))
        malformed("operand " + std::to_string(op->in.size()) + " is missing");
      if (!absent && found == values_.end())
        malformed("'" + input.text() + "' is not defined before");
      op->in.push_back(absent ? nullptr : &found->second);
      if (absent) continue;
      integers = integers && found->second.is_integer();
      // What a rule does with a constant costs no more than its size.
      if (!found->second.is_node()) to_.charge(found->second.size());
    }
    const auto rule = integers ? form->integers : form->floats;
    support(rule != nullptr, integers ? "not for integers" : "for integer constants only");
    rule(*op);
    for (const Value& v : op->out) check_type(v);
  }

  void outputs(const std::vector<Span>& declarations) {
    std::vector<Value> values;
    Int total = 0;
    for (Span bytes : declarations) {
      const Declared d(bytes);
      place_ = "output '" + d.name + "': ";
      require(values_.count(d.name) != 0, "it is never produced");
      const Value& v = values_[d.name];
      if (!d.admits(v.shape))
        malformed("computed shape " + shape_text(v.shape) + ", declared another");
      support(is_float(v.type), "an output that is an integer constant");
      require(d.type == 0 || d.type == v.type, "the declared element type differs");
      total += v.size();
      values.push_back(v);
    }
    require(!values.empty(), "no output");
    Op last = op("output", "output");
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
  std::string place_;                              // being read, for messages
  std::unordered_set<std::string> names_;          // of initializers, inputs and node outputs
  std::unordered_map<std::string, Value> values_;  // what they stand for, unless it is not provided
};

}  // namespace
}  // namespace onnx

ModelRead read_model(const std::string& path, const Shapes& overrides) {
  const std::filesystem::path file(path);
  onnx::Import import(file.parent_path());
  try {
    const Bytes bytes = read_maybe_gzip(path);
    ModelRead result{import.run({bytes.data(), bytes.size(), 0}, overrides), {}};
    result.files.push_back(
        {file.filename().string(), sha256_hex(bytes.data(), bytes.size()), bytes.size()});
    for (const auto& [name, data] : import.external().files) {
      result.files.push_back({name, sha256_hex(data.data(), data.size()), data.size()});
    }
    return result;
  } catch (const ReadError& e) {
    throw ReadError(e.kind, path + ": onnx: " + import.place() + e.what());
  }
}

}  // namespace outward_check
