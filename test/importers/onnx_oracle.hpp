// ONNX Runtime as an independent oracle, opened at run time through its C interface (test only, never a dependency).
// The library is looked for at OUTWARD_ORT, else where `npm install onnxruntime-node --ignore-scripts` puts it below
// the source folder or its parent.
#pragma once
#include <memory>
#include <string>
#include <vector>

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

 private:
  Oracle() = default;
  const void* const* api_ = nullptr;
  void* env_ = nullptr;
};

}  // namespace onnx_test
