// Function numbers are those of OrtApi version 1, an append-only table of the public C interface of ONNX Runtime.
#include "importers/onnx/onnx_runtime.hpp"

#include <dlfcn.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "formats/error.hpp"
#include "importers/onnx/file.hpp"

namespace outward {
namespace {

struct RuntimeBase {
  const void* const* (*get_api)(std::uint32_t);
  const char* (*version)();
};

enum RuntimeSlot {
  slot_message = 2,
  slot_create_env = 3,
  slot_create_session = 8,
  slot_run_session = 9,
  slot_create_options = 10,
  slot_optimisation = 23,
  slot_threads = 24,
  slot_input_count = 30,
  slot_output_count = 31,
  slot_input_name = 36,
  slot_output_name = 37,
  slot_tensor_from_data = 49,
  slot_tensor_data = 51,
  slot_dims_count = 61,
  slot_dims = 62,
  slot_shape_info = 65,
  slot_cpu_memory = 69,
  slot_allocator_free = 76,
  slot_allocator = 78,
  slot_release_status = 93,
  slot_release_memory = 94,
  slot_release_session = 95,
  slot_release_value = 96,
  slot_release_shape = 99,
  slot_release_options = 100
};

using RuntimeStatus = void*;
constexpr int runtime_float = 1, runtime_double = 11;

}  // namespace

OnnxRuntime::OnnxRuntime(const std::string& path) {
  const auto refuse = [&](const std::string& found) {
    if (library_ != nullptr) dlclose(library_);
    throw InputRefused(
        Blocker{"no-runtime", path, "this is no library of ONNX Runtime", "libonnxruntime.so", found, ""});
  };
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) refuse(dlerror());
  void* const entry = dlsym(library_, "OrtGetApiBase");
  if (entry == nullptr) refuse("no OrtGetApiBase");
  const RuntimeBase* const base = reinterpret_cast<const RuntimeBase* (*)()>(entry)();
  api_ = base->get_api(1);
  version_ = base->version;
  using CreateEnv = RuntimeStatus (*)(int, const char*, void**);
  // Only fatal messages: refusals come back as status texts.
  if (api_ == nullptr ||
      reinterpret_cast<CreateEnv>(const_cast<void*>(api_[slot_create_env]))(4, "outward", &env_) != nullptr)
    refuse("no environment");
}

std::string OnnxRuntime::version() const { return version_(); }

template <typename... Arguments>
void OnnxRuntime::call(Result& out, int slot, Arguments... arguments) {
  using Entry = RuntimeStatus (*)(Arguments...);
  if (out.failed) return;
  const RuntimeStatus status = reinterpret_cast<Entry>(const_cast<void*>(api_[slot]))(arguments...);
  if (status == nullptr) return;
  out.failed = true;
  out.message = reinterpret_cast<const char* (*)(RuntimeStatus)>(const_cast<void*>(api_[slot_message]))(status);
  reinterpret_cast<void (*)(RuntimeStatus)>(const_cast<void*>(api_[slot_release_status]))(status);
}

void OnnxRuntime::release(int slot, void* object) {
  if (object != nullptr) reinterpret_cast<void (*)(void*)>(const_cast<void*>(api_[slot]))(object);
}

OnnxRuntime::Session::Session(OnnxRuntime& library, const std::string& model, int level, ElementType element)
    : library_(library), element_(element) {
  library_.call(start_, slot_create_options, &options_);
  library_.call(start_, slot_optimisation, options_, level);
  library_.call(start_, slot_threads, options_, 1);
  library_.call(start_, slot_create_session, library_.env_, static_cast<const void*>(model.data()), model.size(),
                static_cast<const void*>(options_), &session_);
}

OnnxRuntime::Session::~Session() {
  library_.release(slot_release_session, session_);
  library_.release(slot_release_options, options_);
}

OnnxRuntime::Result OnnxRuntime::Session::run(const std::vector<Input>& inputs) {
  Result out = start_;
  const auto call = [&](int slot, auto... arguments) { library_.call(out, slot, arguments...); };
  const auto release = [&](int slot, void* object) { library_.release(slot, object); };
  const bool single = element_ == ElementType::binary32;
  void *memory = nullptr, *alloc = nullptr;
  call(slot_allocator, &alloc);
  call(slot_cpu_memory, 1, 0, &memory);
  std::size_t takes = 0, count = 0;
  call(slot_input_count, static_cast<const void*>(session_), &takes);
  call(slot_output_count, static_cast<const void*>(session_), &count);
  if (!out.failed && takes != inputs.size()) {
    out.failed = true;
    out.message = "the model takes " + std::to_string(takes) + " inputs";
  }
  std::vector<std::vector<float>> floats(inputs.size());
  std::vector<std::vector<double>> doubles(inputs.size());
  std::vector<void*> values(inputs.size(), nullptr), results(count, nullptr);
  std::vector<const char*> in_names(inputs.size()), names(count);
  for (std::size_t i = 0; i < inputs.size() && !out.failed; ++i) {
    floats[i].assign(inputs[i].values.begin(), inputs[i].values.end());
    doubles[i] = inputs[i].values;
    void* const data = single ? static_cast<void*>(floats[i].data()) : static_cast<void*>(doubles[i].data());
    call(slot_tensor_from_data, static_cast<const void*>(memory), data,
         inputs[i].values.size() * (single ? sizeof(float) : sizeof(double)), inputs[i].shape.data(),
         inputs[i].shape.size(), single ? runtime_float : runtime_double, &values[i]);
    char* name = nullptr;
    call(slot_input_name, static_cast<const void*>(session_), i, alloc, &name);
    in_names[i] = name;
  }
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    call(slot_output_name, static_cast<const void*>(session_), i, alloc, &name);
    names[i] = name;
  }
  call(slot_run_session, session_, static_cast<const void*>(nullptr), static_cast<const char* const*>(in_names.data()),
       static_cast<const void* const*>(values.data()), values.size(), static_cast<const char* const*>(names.data()),
       names.size(), results.data());
  for (std::size_t i = 0; i < count && !out.failed; ++i) {
    void *info = nullptr, *numbers = nullptr;
    std::size_t rank = 0;
    Output output;
    output.name = names[i];
    call(slot_shape_info, static_cast<const void*>(results[i]), &info);
    call(slot_dims_count, static_cast<const void*>(info), &rank);
    output.shape.assign(rank, 0);
    call(slot_dims, static_cast<const void*>(info), output.shape.data(), rank);
    call(slot_tensor_data, results[i], &numbers);
    std::int64_t size = 1;
    for (const std::int64_t dim : output.shape) size *= dim;
    if (!out.failed && single)
      output.values.assign(static_cast<const float*>(numbers), static_cast<const float*>(numbers) + size);
    else if (!out.failed)
      output.values.assign(static_cast<const double*>(numbers), static_cast<const double*>(numbers) + size);
    release(slot_release_shape, info);
    out.outputs.push_back(std::move(output));
  }
  Result freed;
  for (const auto* list : {&in_names, &names})
    for (const char* name : *list)
      if (name != nullptr)
        library_.call(freed, slot_allocator_free, alloc, const_cast<void*>(static_cast<const void*>(name)));
  for (void* result : results) release(slot_release_value, result);
  for (void* value : values) release(slot_release_value, value);
  release(slot_release_memory, memory);
  return out;
}

ExposedModel expose(const std::string& path, const Graph& graph, const std::vector<std::uint32_t>& nodes,
                    const ShapeOverrides& overrides) {
  const onnx_import::Bytes bytes = onnx_import::read_model_file(path);
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw InputRefused(Blocker{"malformed", path, "this is no ONNX model", "", "", ""});
  ExposedModel out;
  std::set<std::string> there, initializers;
  for (const auto& output : model.graph().output()) there.insert(output.name());
  for (const auto& tensor : model.graph().initializer()) initializers.insert(tensor.name());
  for (const auto& input : model.graph().input()) {
    if (initializers.count(input.name()) != 0) continue;
    std::vector<std::int64_t> shape;
    for (const auto& dim : input.type().tensor_type().shape().dim())
      shape.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : 1);
    if (const auto given = overrides.find(input.name()); given != overrides.end()) shape = given->second;
    out.input_shapes.push_back(std::move(shape));
  }
  for (const std::uint32_t k : nodes) {
    // "node 3 'name' (Operator)": all nodes that one operator became have the same origin, its result is the last.
    const std::string& origin = graph.nodes[k].origin;
    const bool last = k + 1 == graph.nodes.size() || graph.nodes[k + 1].origin != origin;
    if (!last || origin.rfind("node ", 0) != 0) continue;
    const std::size_t digits = origin.find_first_not_of("0123456789", 5);
    if (digits == 5 || digits == std::string::npos || digits > 15) continue;
    const int number = std::stoi(origin.substr(5, digits - 5));
    if (number >= model.graph().node_size() || model.graph().node(number).output_size() != 1) continue;
    const std::string& name = model.graph().node(number).output(0);
    if (there.insert(name).second) model.mutable_graph()->add_output()->set_name(name);
    out.tensors.emplace_back(k, name);
  }
  model.SerializeToString(&out.bytes);
  return out;
}

}  // namespace outward
