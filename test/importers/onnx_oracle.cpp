// Function numbers are those of OrtApi version 1, an append-only table of the public C interface of ONNX Runtime.
#include "onnx_oracle.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace onnx_test {
namespace {

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t);
  const char* (*version)();
};

enum Slot {
  message = 2,
  create_env = 3,
  create_session = 8,
  run_session = 9,
  create_options = 10,
  optimisation = 23,
  threads = 24,
  output_count = 31,
  input_name = 36,
  output_name = 37,
  tensor_from_data = 49,
  tensor_data = 51,
  dims_count = 61,
  dims = 62,
  shape_info = 65,
  cpu_memory = 69,
  allocator_free = 76,
  allocator = 78,
  release_status = 93,
  release_memory = 94,
  release_session = 95,
  release_value = 96,
  release_shape = 99,
  release_options = 100
};

using Status = void*;

std::string find_library() {
  std::vector<std::string> places;
  if (const char* given = std::getenv("OUTWARD_ORT")) places.push_back(given);
  for (const char* base : {OUTWARD_SOURCE_DIR, OUTWARD_SOURCE_DIR "/.."}) {
    for (const char* napi : {"napi-v6", "napi-v3"}) {
      places.push_back(std::string(base) + "/node_modules/onnxruntime-node/bin/" + napi +
                       "/linux/x64/libonnxruntime.so.1");
    }
  }
  for (const std::string& place : places) {
    if (std::filesystem::exists(place)) return place;
  }
  return "";
}

}  // namespace

Oracle* Oracle::get() {
  static const std::unique_ptr<Oracle> oracle = []() -> std::unique_ptr<Oracle> {
    const std::string path = find_library();
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* base = library == nullptr ? nullptr : reinterpret_cast<const ApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
    if (base == nullptr) {
      std::printf("SKIPPED: comparison with ONNX Runtime (libonnxruntime.so.1 not found; set OUTWARD_ORT)\n");
      return nullptr;
    }
    std::unique_ptr<Oracle> result(new Oracle);
    result->api_ = base()->get_api(1);
    using CreateEnv = Status (*)(int, const char*, void**);
    // Only fatal messages: refusals come back as status texts.
    if (reinterpret_cast<CreateEnv>(const_cast<void*>(result->api_[create_env]))(4, "test", &result->env_) != nullptr)
      return nullptr;
    std::printf("ONNX Runtime %s is the oracle\n", base()->version());
    return result;
  }();
  return oracle.get();
}

template <typename... Arguments>
void Oracle::call(Output& out, int slot, Arguments... arguments) {
  using Function = Status (*)(Arguments...);
  if (out.failed) return;
  const Status status = reinterpret_cast<Function>(const_cast<void*>(api_[slot]))(arguments...);
  if (status == nullptr) return;
  out.failed = true;
  out.message = reinterpret_cast<const char* (*)(Status)>(const_cast<void*>(api_[message]))(status);
  reinterpret_cast<void (*)(void*)>(const_cast<void*>(api_[release_status]))(status);
}

void Oracle::release(int slot, void* object) {
  if (object != nullptr) reinterpret_cast<void (*)(void*)>(const_cast<void*>(api_[slot]))(object);
}

Oracle::Output Oracle::run(const std::string& model, const std::vector<std::int64_t>& shape,
                           const std::vector<double>& input, bool optimised) {
  return Session(*this, model, optimised ? 99 : 0).run(shape, input);
}

Oracle::Session::Session(Oracle& oracle, const std::string& model, int level) : oracle_(oracle) {
  oracle_.call(start_, create_options, &options_);
  oracle_.call(start_, optimisation, options_, level);
  oracle_.call(start_, threads, options_, 1);
  oracle_.call(start_, create_session, oracle_.env_, static_cast<const void*>(model.data()), model.size(),
               static_cast<const void*>(options_), &session_);
}

Oracle::Session::~Session() {
  oracle_.release(release_session, session_);
  oracle_.release(release_options, options_);
}

Oracle::Output Oracle::Session::run(const std::vector<std::int64_t>& shape, const std::vector<double>& input) {
  Output out = start_;
  const auto call = [&](Slot slot, auto... arguments) { oracle_.call(out, slot, arguments...); };
  const auto release = [&](Slot slot, void* object) { oracle_.release(slot, object); };
  void *memory = nullptr, *value = nullptr, *alloc = nullptr;
  call(allocator, &alloc);
  call(cpu_memory, 1, 0, &memory);
  std::vector<float> data(input.begin(), input.end());
  call(tensor_from_data, static_cast<const void*>(memory), static_cast<void*>(data.data()), data.size() * sizeof(float),
       shape.data(), shape.size(), 1, &value);
  char* in_name = nullptr;
  call(input_name, static_cast<const void*>(session_), std::size_t{0}, alloc, &in_name);
  std::size_t count = 0;
  call(output_count, static_cast<const void*>(session_), &count);
  std::vector<const char*> names(count);
  std::vector<void*> results(count, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    call(output_name, static_cast<const void*>(session_), i, alloc, &name);
    names[i] = name;
  }
  const char* inputs[] = {in_name};
  const auto free_name = [&](const char* name) {
    if (name != nullptr) call(allocator_free, alloc, const_cast<void*>(static_cast<const void*>(name)));
  };
  const void* values[] = {value};
  call(run_session, session_, static_cast<const void*>(nullptr), static_cast<const char* const*>(inputs),
       static_cast<const void* const*>(values), std::size_t{1}, static_cast<const char* const*>(names.data()),
       names.size(), results.data());
  for (std::size_t i = 0; i < count && !out.failed; ++i) {
    void* info = nullptr;
    std::size_t rank = 0;
    float* numbers = nullptr;
    call(shape_info, static_cast<const void*>(results[i]), &info);
    call(dims_count, static_cast<const void*>(info), &rank);
    out.shape.assign(rank, 0);
    call(dims, static_cast<const void*>(info), out.shape.data(), rank);
    call(tensor_data, results[i], reinterpret_cast<void**>(&numbers));
    std::int64_t size = 1;
    for (std::int64_t dim : out.shape) size *= dim;
    if (!out.failed) out.values.insert(out.values.end(), numbers, numbers + size);
    release(release_shape, info);
  }
  free_name(in_name);
  for (const char* name : names) free_name(name);
  for (void* result : results) release(release_value, result);
  release(release_value, value);
  release(release_memory, memory);
  return out;
}

}  // namespace onnx_test
