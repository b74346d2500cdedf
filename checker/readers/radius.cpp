// The radius query of FORMAT.md section 4 as a property, in exact arithmetic. Promises a complete
// property or ReadError "radius: code: ...".
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

void require(bool holds, const std::string& text) {
  if (!holds) throw ReadError(ReadError::Class::malformed, "radius: radius." + text);
}

Fraction number(const std::string& text, const char* option) {
  Fraction value;
  const std::string found =
      std::string(option) + ": not a decimal number, found '" + text.substr(0, 40) + "'";
  require(parse_decimal(text, &value), "number: " + found);
  return value;
}

std::vector<Fraction> numbers(const std::vector<std::string>& texts, const char* option) {
  std::vector<Fraction> values;
  for (const std::string& text : texts) values.push_back(number(text, option));
  return values;
}

Fraction centre_value(std::uint64_t pattern, bool is_binary64) {
  const double value = is_binary64 ? std::bit_cast<double>(pattern)
                                   : std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  require((is_binary64 || pattern >> 32 == 0) && std::isfinite(value),
          "centre: not a finite number of the element type");
  return Fraction::from_double(value);
}

// The channel of input i is (i / inner) mod count.
struct Channels {
  std::uint64_t inner = 1, count = 1;
};

Channels channels(const std::string& layout, const Graph& graph) {
  std::vector<std::uint64_t> shape(graph.input_shape.begin(), graph.input_shape.end());
  std::uint64_t product = 1;
  for (std::uint64_t d : shape) product *= d;
  require(product == graph.nodes[0].size, "layout: channels need a single free input");
  require(!layout.empty(), "layout: one mean or std per channel needs a layout");
  require(shape.size() == 3 || shape.size() == 4, "layout: channels need an input of rank 3 or 4");
  if (layout == "nhwc") return {1, shape.back()};
  return {shape.end()[-2] * shape.end()[-1], shape.end()[-3]};
}

// Y_output - bound < 0 (below) or bound - Y_output < 0.
Case bound_case(std::uint32_t output, const Fraction& bound, bool below) {
  Row row;
  row.terms.emplace_back(output, below ? bound.denominator() : -bound.denominator());
  row.constant = below ? -bound.numerator() : bound.numerator();
  row.strict = true;
  return {0, {std::move(row)}};
}

// Y_label - Y_other <= 0.
Case label_case(std::uint32_t label, std::uint32_t other) {
  Row row;
  row.terms = {{label, 1}, {other, -1}};
  if (other < label) std::swap(row.terms[0], row.terms[1]);
  return {0, {std::move(row)}};
}

}  // namespace

Property radius_property(const RadiusOptions& options, const Graph& graph,
                         const std::vector<Fraction>& reference) {
  Property property;
  property.inputs = graph.nodes.at(0).size;
  property.outputs = graph.nodes.at(graph.output).size;
  require(options.centre_bits.size() == property.inputs, "centre: wrong number of coordinates");
  const Fraction radius = number(options.radius, "radius");
  const Fraction scale = options.scale.empty() ? Fraction(1) : number(options.scale, "scale");
  using Numbers = const std::vector<Fraction>;
  Numbers mean = numbers(options.mean, "mean"), deviations = numbers(options.std, "std");
  Numbers clip = numbers(options.clip, "clip"), range = numbers(options.range, "range");
  require(radius.sign() >= 0, "value: the radius is negative");
  require(scale.sign() > 0, "value: the scale is not positive");
  for (const Fraction& s : deviations) require(s.sign() > 0, "value: a std is not positive");
  require(clip.empty() || (clip.size() == 2 && clip[0] <= clip[1]), "clip: expected LO <= HI");
  const std::string& layout = options.layout;
  require(layout.empty() || layout == "nchw" || layout == "nhwc", "layout: neither nchw nor nhwc");
  const bool per_channel = mean.size() > 1 || deviations.size() > 1;
  const Channels channel = per_channel ? channels(layout, graph) : Channels();
  for (std::size_t n : {mean.size(), deviations.size()}) {
    require(n <= 1 || n == channel.count, "channels: wrong number of means or stds");
  }

  std::vector<InputRange> box(property.inputs);
  bool empty = false;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Fraction v = centre_value(options.centre_bits[i], graph.is_binary64) / scale;
    box[i].lo = v - radius, box[i].hi = v + radius;
    if (!clip.empty()) {
      box[i].lo = std::max(box[i].lo, clip[0]), box[i].hi = std::min(box[i].hi, clip[1]);
      empty = empty || box[i].hi < box[i].lo;
    }
    const std::size_t q = i / channel.inner % channel.count;
    for (Fraction* end : {&box[i].lo, &box[i].hi}) {
      if (!mean.empty()) *end = *end - mean[q % mean.size()];
      if (!deviations.empty()) *end = *end / deviations[q % deviations.size()];
    }
  }

  const std::string& target = options.target;
  const bool ranged = target == "range", deviates = target == "deviation";
  require(range.size() == (ranged ? 2 : 0), "target: a range LO, HI belongs to target range");
  require(options.deviation.empty() != deviates, "target: a deviation belongs to target deviation");
  const Fraction deviation = deviates ? number(options.deviation, "deviation") : Fraction();
  require(deviation.sign() >= 0, "value: the deviation is negative");
  require(!deviates || reference.size() == property.outputs, "reference: not one per output");
  require(options.label < (target == "label" ? property.outputs : 1),
          "label: no output, or not used");
  require(ranged || deviates || target == "label" || target == "none",
          "target: unknown target, expected label, range, deviation or none");
  for (std::uint32_t j = 0; j < property.outputs; ++j) {
    if (target == "label" && j != options.label) {
      property.cases.push_back(label_case(options.label, j));
    } else if (ranged || deviates) {
      const Fraction low = ranged ? range[0] : reference[j] - deviation;
      const Fraction high = ranged ? range[1] : reference[j] + deviation;
      property.cases.push_back(bound_case(j, low, true));
      property.cases.push_back(bound_case(j, high, false));
    }
  }
  property.bound_only = target == "none";
  require(!property.bound_only || !empty, "clip: the clipped box is empty");
  if (empty) property.dropped = property.cases.size(), property.cases.clear();
  property.vacuous = !property.bound_only && property.cases.empty();
  if (!property.vacuous) property.boxes.push_back(std::move(box));
  return property;
}

}  // namespace outward_check
