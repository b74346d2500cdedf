// ONNX Runtime, opened at run time through its C interface: what a deployed runtime makes of a model. Never a
// dependency: the library is named by the user, and only function numbers of its first, append-only interface are used.
// Promises: what goes wrong comes back as text.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "importers/onnx/onnx.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

class OnnxRuntime {
 public:
  // Throws InputRefused if the file is no such library.
  // The library and its environment stay for good: its own threads and statics may be in use until the program ends.
  explicit OnnxRuntime(const std::string& path);
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;
  std::string version() const;

  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values;
  };
  struct Result {
    std::vector<Output> outputs;  // in the order of the model
    bool failed = false;
    std::string message;
  };
  struct Input {
    std::vector<std::int64_t> shape;
    std::vector<double> values;  // numbers of the element type
  };

  // A loaded model (bytes of the file), for many points. It must not outlive the library.
  class Session {
   public:
    // level: the runtime's graph optimisation level, 0 (none), 1 (basic), 2 (extended) or 99 (all). A model that the
    // runtime refuses gives a session whose runs fail. One thread.
    Session(OnnxRuntime& library, const std::string& model, int level, ElementType element = ElementType::binary32);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // As many inputs as the model has, in its order.
    Result run(const std::vector<Input>& inputs);

   private:
    OnnxRuntime& library_;
    ElementType element_;
    Result start_;  // whether loading failed, and why
    void *options_ = nullptr, *session_ = nullptr;
  };

 private:
  // Calls a function of the interface unless an earlier one failed; a failure is noted in out.
  template <typename... Arguments>
  void call(Result& out, int slot, Arguments... arguments);
  void release(int slot, void* object);

  void* library_ = nullptr;
  const void* const* api_ = nullptr;
  const char* (*version_)() = nullptr;
  void* env_ = nullptr;
};

// The model of a file with tensors added to its outputs: those that nodes of the canonical graph stand for. Nodes that
// no tensor of the file stands for are left out. Throws InputRefused.
struct ExposedModel {
  std::string bytes;
  std::vector<std::pair<std::uint32_t, std::string>> tensors;  // canonical node and tensor, those added or there before
  std::vector<std::vector<std::int64_t>>
      input_shapes;  // of the free inputs: the override, or 1 where the file leaves one open
};
ExposedModel expose(const std::string& path, const Graph& graph, const std::vector<std::uint32_t>& nodes,
                    const ShapeOverrides& overrides = {});

}  // namespace outward
