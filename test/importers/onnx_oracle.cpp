#include "onnx_oracle.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "formats/error.hpp"

namespace onnx_test {
namespace {

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
    try {
      if (!path.empty()) {
        std::unique_ptr<Oracle> result(new Oracle);
        result->runtime_ = std::make_unique<outward::OnnxRuntime>(path);
        std::printf("ONNX Runtime %s is the oracle\n", result->runtime_->version().c_str());
        return result;
      }
    } catch (const outward::InputRefused&) {
    }
    std::printf("SKIPPED: comparison with ONNX Runtime (libonnxruntime.so.1 not found; set OUTWARD_ORT)\n");
    return nullptr;
  }();
  return oracle.get();
}

Oracle::Output Oracle::run(const std::string& model, const std::vector<std::int64_t>& shape,
                           const std::vector<double>& input, bool optimised) {
  return Session(*this, model, optimised ? 99 : 0).run(shape, input);
}

Oracle::Session::Session(Oracle& oracle, const std::string& model, int level)
    : session_(*oracle.runtime_, model, level) {}

Oracle::Output Oracle::Session::run(const std::vector<std::int64_t>& shape, const std::vector<double>& input) {
  const outward::OnnxRuntime::Result result = session_.run({{shape, input}});
  Output out;
  out.failed = result.failed;
  out.message = result.message;
  for (const auto& output : result.outputs) {
    out.shape = output.shape;
    out.values.insert(out.values.end(), output.values.begin(), output.values.end());
  }
  return out;
}

}  // namespace onnx_test
