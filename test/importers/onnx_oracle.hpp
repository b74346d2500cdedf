// ONNX Runtime as an independent oracle (importers/onnx/onnx_runtime.hpp), one library for all tests.
// The library is looked for at OUTWARD_ORT, else where `npm install onnxruntime-node --ignore-scripts` puts it below
// the source folder or its parent.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "importers/onnx/onnx_runtime.hpp"

namespace onnx_test {

class Oracle {
 public:
  // Null when the library is absent; says so once.
  static Oracle* get();

  struct Output {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    bool failed = false;
    std::string message;
  };

  // Runs a model (bytes of the file) on one float input of the given shape; outputs concatenated. optimised: the
  // runtime's own graph optimisations on or off.
  Output run(const std::string& model, const std::vector<std::int64_t>& shape, const std::vector<double>& input,
             bool optimised = false);

  // A loaded model, for many points. It must not outlive the oracle.
  class Session {
   public:
    Session(Oracle& oracle, const std::string& model, int level);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    Output run(const std::vector<std::int64_t>& shape, const std::vector<double>& input);

   private:
    outward::OnnxRuntime::Session session_;
  };
  // level: the runtime's graph optimisation level, 0 (none), 1 (basic), 2 (extended) or 99 (all). A model that the
  // runtime refuses gives a session whose runs fail.
  std::unique_ptr<Session> open(const std::string& model, int level) {
    return std::make_unique<Session>(*this, model, level);
  }

 private:
  Oracle() = default;
  std::unique_ptr<outward::OnnxRuntime> runtime_;
};

}  // namespace onnx_test
