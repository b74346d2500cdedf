// Convolution, pooling and batch normalisation (certificates/FORMAT.md section 2). One-dimensional windows are the
// two-dimensional ones with height 1; auto_pad is resolved to explicit pads here.
#include <cmath>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

constexpr std::int64_t max_parameter = std::int64_t{1} << 24;  // of strides, pads and dilations: products stay exact

// One spatial axis of a window.
struct Axis {
  std::int64_t in = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0, out = 1;
  std::int64_t extent() const { return dilation * (kernel - 1) + 1; }
};

struct Window {
  Axis h, w;
};

// An attribute with one number per axis.
Integers per_axis(const Call& call, const char* name, std::size_t count, std::int64_t otherwise,
                  std::int64_t least_value) {
  Integers values = call.attributes.integers(name, Integers(count, otherwise));
  if (values.size() != count) {
    refuse("bad-attribute", std::string("attribute ") + name, std::to_string(count) + " numbers",
           std::to_string(values.size()));
  }
  for (std::int64_t value : values) {
    if (value < least_value || value > max_parameter) {
      refuse("bad-attribute", std::string("attribute ") + name,
             "numbers from " + std::to_string(least_value) + " to " + std::to_string(max_parameter),
             std::to_string(value));
    }
  }
  return values;
}

// SAME: as many outputs as ceil(in / stride), the odd unit of padding at the end (upper) or at the beginning.
void same_padding(Axis& axis, bool upper) {
  axis.out = (axis.in + axis.stride - 1) / axis.stride;
  const std::int64_t total = std::max<std::int64_t>((axis.out - 1) * axis.stride + axis.extent() - axis.in, 0);
  axis.begin = upper ? total / 2 : total - total / 2;
  axis.end = total - axis.begin;
}

void require_images(const Shape& x) {
  if (x.size() != 3 && x.size() != 4)
    refuse("unsupported-shape", "operand X", "rank 3 or 4 (1-D or 2-D windows)", shape_text(x));
}

// kernel: the sizes the weight has, or empty to take them from the attribute.
Window read_window(const Call& call, const Shape& x, Integers kernel) {
  require_images(x);
  const std::size_t count = x.size() - 2;
  const bool pooling = kernel.empty();
  if (pooling && !call.attributes.has("kernel_shape")) refuse("missing-attribute", "attribute kernel_shape");
  if (call.attributes.has("kernel_shape")) {
    const Integers given = per_axis(call, "kernel_shape", count, 1, 1);
    if (!pooling && given != kernel)
      refuse("bad-attribute", "attribute kernel_shape", shape_text(kernel), shape_text(given));
    kernel = given;
  }
  const Integers strides = per_axis(call, "strides", count, 1, 1), dilations = per_axis(call, "dilations", count, 1, 1);
  const Integers pads = per_axis(call, "pads", 2 * count, 0, 0);
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    refuse("unsupported-attribute", "attribute auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", in_quotes(mode));
  }
  if (mode != "NOTSET" && call.attributes.has("pads"))
    refuse("bad-attribute", "attributes pads and auto_pad", "only one of them");
  const bool ceil_mode = call.attributes.integer("ceil_mode", 0) != 0;
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    Axis& axis = count == 2 && i == 0 ? window.h : window.w;
    axis.in = x[i + 2];
    axis.kernel = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    if (axis.extent() > max_parameter)
      refuse("over-limit", "dilated kernel", "at most " + std::to_string(max_parameter));
    if (mode == "NOTSET") {
      axis.begin = pads[i];
      axis.end = pads[i + count];
    }
    const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    if (same && pooling && axis.dilation != 1) {
      refuse("unsupported-attribute", "attributes auto_pad and dilations of a pool",
             "explicit pads (runtimes disagree on the padding)", in_quotes(mode));
    }
    if (same) same_padding(axis, mode == "SAME_UPPER");
    const std::int64_t room = axis.in + axis.begin + axis.end - axis.extent();
    if (room < 0) {
      refuse("bad-shape", "window", "at most the padded image",
             std::to_string(axis.extent()) + " on " + std::to_string(axis.in));
    }
    axis.out = room / axis.stride + 1;
    if (ceil_mode && room % axis.stride != 0) {
      refuse("unsupported-attribute", "attribute ceil_mode", "0 (or 1 where it does not change the output size)", "1");
    }
  }
  return window;
}

Shape output_shape(const Shape& x, std::int64_t channels, const Window& window) {
  Shape shape{x[0], channels};
  if (x.size() == 4) shape.push_back(window.h.out);
  shape.push_back(window.w.out);
  return shape;
}

// For each window of an image (row-major) and each kernel position its index in the image, or -1 for padding.
Integers window_entries(const Window& window) {
  const Axis &h = window.h, &w = window.w;
  element_count({h.out, w.out, h.kernel, w.kernel}, max_generated);
  Integers entries;
  entries.reserve(static_cast<std::size_t>(h.out * w.out * h.kernel * w.kernel));
  for (std::int64_t oy = 0; oy < h.out; ++oy) {
    for (std::int64_t ox = 0; ox < w.out; ++ox) {
      for (std::int64_t ky = 0; ky < h.kernel; ++ky) {
        for (std::int64_t kx = 0; kx < w.kernel; ++kx) {
          const std::int64_t y = oy * h.stride - h.begin + ky * h.dilation,
                             x = ox * w.stride - w.begin + kx * w.dilation;
          const bool inside = y >= 0 && y < h.in && x >= 0 && x < w.in;
          entries.push_back(inside ? y * w.in + x : -1);
        }
      }
    }
  }
  return entries;
}

struct Pooled {
  Integers indices;  // K per output, -1 for padding
  Integers inside;   // entries inside the image, per output
  std::int64_t k = 0;
  Shape shape;
};

Pooled pool(const Call& call, const Value& x) {
  const Window window = read_window(call, x.shape, {});
  const Integers entries = window_entries(window);
  Pooled result;
  result.k = window.h.kernel * window.w.kernel;
  result.shape = output_shape(x.shape, x.shape[1], window);
  const std::int64_t images = x.shape[0] * x.shape[1], size = window.h.in * window.w.in;
  element_count({images, static_cast<std::int64_t>(entries.size())}, max_generated);
  for (std::int64_t image = 0; image < images; ++image) {
    std::int64_t inside = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      result.indices.push_back(entries[i] < 0 ? -1 : image * size + entries[i]);
      inside += entries[i] < 0 ? 0 : 1;
      if ((i + 1) % static_cast<std::size_t>(result.k) != 0) continue;
      if (inside == 0) refuse("bad-attribute", "a window lies in the padding", "every window meets the image");
      result.inside.push_back(inside);
      inside = 0;
    }
  }
  return result;
}

Integers reduce_ints(std::int64_t k, const Integers& divisors) {
  Integers ints{k};
  ints.insert(ints.end(), divisors.begin(), divisors.end());
  return ints;
}

}  // namespace

void rule_conv(Call& call) {
  const Value &x = call.in[0], &weight = call.in[1], &bias = call.optional(2);
  require_float(call, x, "operand X");
  require_constant(call, weight, "operand W");
  if (bias.present()) require_constant(call, bias, "operand B");
  require_images(x.shape);
  if (weight.shape.size() != x.shape.size()) {
    refuse("bad-shape", "operand W", "rank " + std::to_string(x.shape.size()), shape_text(weight.shape));
  }
  if (element_count(weight.shape) == 0)
    refuse("empty-tensor", "operand W", "at least one element", shape_text(weight.shape));
  const Window window = read_window(call, x.shape, Shape(weight.shape.begin() + 2, weight.shape.end()));
  const std::int64_t groups = call.attributes.integer("group", 1), filters = weight.shape[0], channels = x.shape[1];
  if (groups < 1 || channels % groups != 0 || filters % groups != 0) {
    refuse("bad-attribute", "attribute group",
           "a divisor of " + std::to_string(channels) + " and " + std::to_string(filters), std::to_string(groups));
  }
  if (weight.shape[1] != channels / groups) {
    refuse("shape-mismatch", "channels of operand W", std::to_string(channels / groups),
           std::to_string(weight.shape[1]));
  }
  Floats payload = *weight.floats;
  if (bias.present()) {
    if (bias.shape != Shape{filters}) refuse("bad-shape", "operand B", shape_text({filters}), shape_text(bias.shape));
    payload.insert(payload.end(), bias.floats->begin(), bias.floats->end());
  }
  const Axis &h = window.h, &w = window.w;
  const Value image = call.build.as_node(x);
  call.out[0] =
      call.build.emit(Kind::conv, {image}, output_shape(x.shape, filters, window),
                      {x.shape[0], channels, h.in, w.in, filters, h.kernel, w.kernel, h.stride, w.stride, h.begin,
                       w.begin, h.end, w.end, h.dilation, w.dilation, groups, h.out, w.out, bias.present() ? 1 : 0},
                      std::move(payload));
}

void rule_batch_norm(Call& call) {
  require_float(call, call.in[0], "operand X");
  if (call.attributes.integer("training_mode", 0) != 0) refuse("training-mode", "attribute training_mode", "0", "1");
  if (call.attributes.integer("spatial", 1) != 1) refuse("unsupported-attribute", "attribute spatial", "1", "0");
  for (std::size_t i = 1; i < call.wanted.size(); ++i) {
    if (call.wanted[i]) refuse("training-mode", "outputs beside Y exist only in training", "one output");
  }
  const Shape& shape = call.in[0].shape;
  if (shape.size() < 2) refuse("bad-shape", "operand X", "rank 2 or more", shape_text(shape));
  const std::int64_t channels = shape[1];
  const char* const names[] = {"operand X", "operand scale", "operand B", "operand mean", "operand var"};
  Floats payload;
  for (std::size_t i = 1; i < 5; ++i) {
    const Value& value = require_constant(call, call.in[i], names[i]);
    if (value.shape != Shape{channels}) refuse("bad-shape", names[i], shape_text({channels}), shape_text(value.shape));
    payload.insert(payload.end(), value.floats->begin(), value.floats->end());
  }
  const double epsilon = call.attributes.number("epsilon", 1e-5f);
  for (double variance : *call.in[4].floats) {
    // The sum of two doubles has the sign of the exact sum.
    if (!(variance >= 0) || !(variance + epsilon > 0)) {
      refuse("bad-variance", "operand var", "not negative, and positive with epsilon added", std::to_string(variance));
    }
  }
  payload.push_back(epsilon);
  const std::int64_t inner = element_count(Shape(shape.begin() + 2, shape.end()));
  call.out[0] =
      call.build.emit(Kind::bn, {call.build.as_node(call.in[0])}, shape, {channels, inner}, std::move(payload));
}

void rule_average_pool(Call& call) {
  require_float(call, call.in[0], "operand X");
  Pooled pooled = pool(call, call.in[0]);
  const bool count_padding = call.attributes.integer("count_include_pad", 0) != 0;
  const Value x = call.build.as_node(call.in[0]);
  const std::int64_t outside = element_count(x.shape);
  bool padded = false;
  for (std::int64_t& index : pooled.indices) {
    padded = padded || index < 0;
    if (index < 0) index = outside;
  }
  std::vector<Value> operands{x};
  if (padded) operands.push_back(call.build.materialise(float_value(call.build.type(), {1}, {0.0}), {1}));
  Shape windows = pooled.shape;
  windows.push_back(pooled.k);
  const Value entries = call.build.map(operands, std::move(pooled.indices), std::move(windows));
  const Integers divisors = count_padding ? Integers(pooled.inside.size(), pooled.k) : pooled.inside;
  call.out[0] = call.build.emit(Kind::reduce, {entries}, pooled.shape, reduce_ints(pooled.k, divisors));
}

void rule_global_average_pool(Call& call) {
  require_float(call, call.in[0], "operand X");
  const Value x = call.build.as_node(call.in[0]);
  require_images(x.shape);
  Shape shape{x.shape[0], x.shape[1], 1};
  if (x.shape.size() == 4) shape.push_back(1);
  const std::int64_t outputs = x.shape[0] * x.shape[1], k = element_count(x.shape) / outputs;
  call.out[0] =
      call.build.emit(Kind::reduce, {x}, shape, reduce_ints(k, Integers(static_cast<std::size_t>(outputs), k)));
}

void rule_max_pool(Call& call) {
  require_float(call, call.in[0], "operand X");
  if (call.attributes.integer("storage_order", 0) != 0)
    refuse("unsupported-attribute", "attribute storage_order", "0", "1");
  if (call.wanted.size() > 1 && call.wanted[1]) refuse("unsupported-output", "output Indices", "one output");
  Pooled pooled = pool(call, call.in[0]);
  const Value x = call.build.as_node(call.in[0]);
  const auto k = static_cast<std::size_t>(pooled.k);
  for (std::size_t start = 0; start < pooled.indices.size(); start += k) {
    std::size_t inside = start;
    while (pooled.indices[inside] < 0) ++inside;  // pool() made sure that there is one
    for (std::size_t i = start; i < start + k; ++i) {
      if (pooled.indices[i] < 0) pooled.indices[i] = pooled.indices[inside];
    }
  }
  Shape windows = pooled.shape;
  windows.push_back(pooled.k);
  const Value entries = call.build.map({x}, std::move(pooled.indices), std::move(windows));
  call.out[0] = call.build.emit(Kind::max, {entries}, pooled.shape, {pooled.k});
}

}  // namespace outward::onnx_import
