// The radius query of FORMAT.md section 4 as a property, in exact arithmetic. Promises a complete
// property or ReadError "radius: code: ...".
#include <algorithm>
#include <bit>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

[[noreturn]] void fail(const std::string& text) {
  throw ReadError(ReadError::Class::malformed, "radius: " + text);
}

Fraction number(const std::string& text, const char* option) {
  Fraction value;
  if (!parse_decimal(text, &value)) {
    fail(std::string("radius.number: ") + option +
         ": not a decimal number within the limits, found '" + text.substr(0, 40) + "'");
  }
  return value;
}

Fraction centre_value(std::uint64_t pattern, bool is_binary64) {
  const bool finite = is_binary64 ? (pattern >> 52 & 0x7ff) != 0x7ff
                                  : pattern >> 32 == 0 && (pattern >> 23 & 0xff) != 0xff;
  if (!finite) fail("radius.centre: not a finite number of the model's element type");
  return Fraction::from_double(is_binary64
                                   ? std::bit_cast<double>(pattern)
                                   : std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
}

// The channel of input i is (i / inner) mod count; FORMAT.md: dimension 1 of rank 4 or 0 of rank 3
// under nchw, the last dimension under nhwc.
struct Channels {
  std::uint64_t inner = 1, count = 1;
};

Channels channels(const std::string& layout, const Graph& graph, std::uint64_t inputs) {
  const std::vector<std::int64_t>& shape = graph.input_shape;
  std::uint64_t product = 1;
  for (std::int64_t d : shape) product *= static_cast<std::uint64_t>(d);
  if (product != inputs) fail("radius.layout: channels need a single free input");
  if (layout == "nhwc" && !shape.empty()) return {1, static_cast<std::uint64_t>(shape.back())};
  if (layout == "nchw" && (shape.size() == 3 || shape.size() == 4)) {
    const std::size_t at = shape.size() - 3;
    return {static_cast<std::uint64_t>(shape[at + 1] * shape[at + 2]),
            static_cast<std::uint64_t>(shape[at])};
  }
  fail("radius.layout: one mean or std per channel needs layout nchw with rank 3 or 4, or nhwc");
}

std::vector<Fraction> numbers(const std::vector<std::string>& texts, const char* option) {
  std::vector<Fraction> values;
  for (const std::string& text : texts) values.push_back(number(text, option));
  return values;
}

// Y_output - bound < 0 (below) or bound - Y_output < 0.
Case bound_case(std::uint32_t output, const Fraction& bound, bool below) {
  Row row;
  row.terms.emplace_back(output, below ? bound.denominator : -bound.denominator);
  row.constant = below ? -bound.numerator : bound.numerator;
  row.strict = true;
  return {0, {std::move(row)}};
}

}  // namespace

Property radius_property(const RadiusOptions& options, const Graph& graph,
                         const std::vector<Fraction>& reference) {
  Property property;
  property.inputs = graph.nodes.at(0).size;
  property.outputs = graph.nodes.at(graph.output).size;
  if (options.centre_bits.size() != property.inputs) {
    fail("radius.centre: wrong number of coordinates, expected " + std::to_string(property.inputs) +
         ", found " + std::to_string(options.centre_bits.size()));
  }
  const Fraction radius = number(options.radius, "radius");
  const Fraction scale = options.scale.empty() ? Fraction(1) : number(options.scale, "scale");
  const std::vector<Fraction> mean = numbers(options.mean, "mean");
  const std::vector<Fraction> std_deviation = numbers(options.std, "std");
  const std::vector<Fraction> clip = numbers(options.clip, "clip");
  const std::vector<Fraction> range = numbers(options.range, "range");
  if (radius.sign() < 0) fail("radius.value: the radius is negative");
  if (scale.sign() <= 0) fail("radius.value: the scale is not positive");
  for (const Fraction& s : std_deviation) {
    if (s.sign() <= 0) fail("radius.value: a std is not positive");
  }
  if (!clip.empty() && (clip.size() != 2 || clip[1] < clip[0])) {
    fail("radius.clip: expected two numbers LO <= HI");
  }
  if (!options.layout.empty() && options.layout != "nchw" && options.layout != "nhwc") {
    fail("radius.layout: unknown layout, expected nchw or nhwc");
  }
  const bool per_channel = mean.size() > 1 || std_deviation.size() > 1;
  const Channels channel =
      per_channel ? channels(options.layout, graph, property.inputs) : Channels();
  for (const auto* list : {&mean, &std_deviation}) {
    if (list->size() > 1 && list->size() != channel.count) {
      fail("radius.channels: wrong number of means or stds, expected 1 or " +
           std::to_string(channel.count) + ", found " + std::to_string(list->size()));
    }
  }

  std::vector<InputRange> box(property.inputs);
  bool empty = false;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Fraction v = centre_value(options.centre_bits[i], graph.is_binary64) / scale;
    Fraction ends[2] = {v - radius, v + radius};
    if (!clip.empty()) {
      if (ends[0] < clip[0]) ends[0] = clip[0];
      if (clip[1] < ends[1]) ends[1] = clip[1];
      empty = empty || ends[1] < ends[0];
    }
    const std::size_t q = i / channel.inner % channel.count;
    for (Fraction& end : ends) {
      if (!mean.empty()) end = end - mean[mean.size() == 1 ? 0 : q];
      if (!std_deviation.empty()) end = end / std_deviation[std_deviation.size() == 1 ? 0 : q];
    }
    box[i].lo = std::move(ends[0]), box[i].hi = std::move(ends[1]);
  }

  const std::string& target = options.target;
  if ((range.size() == 2) != (target == "range") || range.size() % 2 != 0) {
    fail("radius.target: a range LO, HI belongs to target range");
  }
  if (options.deviation.empty() == (target == "deviation")) {
    fail("radius.target: a deviation belongs to target deviation");
  }
  const std::uint32_t outputs = static_cast<std::uint32_t>(property.outputs);
  if (target == "label") {
    if (options.label >= outputs)
      fail("radius.label: the label is not below the number of outputs");
    for (std::uint32_t j = 0; j < outputs; ++j) {
      if (j == options.label) continue;
      Row row;  // Y_label - Y_j <= 0
      row.terms.emplace_back(std::min(j, options.label), j < options.label ? -1 : 1);
      row.terms.emplace_back(std::max(j, options.label), j < options.label ? 1 : -1);
      property.cases.push_back({0, {std::move(row)}});
    }
  } else if (target == "range" || target == "deviation") {
    Fraction deviation;
    if (target == "deviation") {
      deviation = number(options.deviation, "deviation");
      if (deviation.sign() < 0) fail("radius.value: the deviation is negative");
      if (reference.size() != outputs) fail("radius.reference: no reference value per output");
    }
    for (std::uint32_t j = 0; j < outputs; ++j) {
      const bool fixed = target == "range";
      property.cases.push_back(bound_case(j, fixed ? range[0] : reference[j] - deviation, true));
      property.cases.push_back(bound_case(j, fixed ? range[1] : reference[j] + deviation, false));
    }
  } else if (target == "none") {
    property.bound_only = true;
    if (empty) fail("radius.clip: the clipped box is empty");
  } else {
    fail("radius.target: unknown target, expected label, range, deviation or none");
  }
  if (empty) property.dropped = property.cases.size(), property.cases.clear();
  property.vacuous = !property.bound_only && property.cases.empty();
  if (!property.vacuous) property.boxes.push_back(std::move(box));
  return property;
}

}  // namespace outward_check
