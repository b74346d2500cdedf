// Radius queries, see radius.hpp and certificates/FORMAT.md section 4.
#include "importers/arrays/radius.hpp"

#include <bit>
#include <cmath>

namespace outward {
namespace {

[[noreturn]] void misuse(const std::string& what) { throw UsageError(what); }

Rational number(const std::string& option, const std::string& text) {
  const auto value = parse_decimal(text);
  if (!value) misuse(option + ": '" + text.substr(0, 60) + "' is not a decimal number (or over the limits)");
  return *value;
}

// The query with every text read, and its sense checked against the graph.
struct Numbers {
  std::uint64_t inputs = 0, outputs = 0;
  Rational radius, scale = 1, deviation;
  std::vector<Rational> mean, std_deviation;  // one, or one per channel
  bool clipped = false;
  Rational clip_lo, clip_hi, range_lo, range_hi;
};

std::vector<Rational> numbers(const std::string& option, const std::vector<std::string>& texts) {
  std::vector<Rational> values;
  for (const std::string& text : texts) values.push_back(number(option, text));
  return values;
}

std::uint64_t elements(const std::vector<std::int64_t>& shape) {
  std::uint64_t product = 1;
  for (std::int64_t dim : shape) product *= static_cast<std::uint64_t>(dim);
  return product;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

// Which entry of mean and std belongs to an element: channel = (i / inner) mod channels.
struct Channels {
  std::uint64_t count = 1, inner = 1;
  std::uint64_t of(std::uint64_t i) const { return (i / inner) % count; }
};

Channels channels_of(const RadiusRecord& query, const Graph& graph, std::uint64_t inputs) {
  const std::vector<std::int64_t>& shape = graph.input_shape;
  if (query.layout != "nchw" && query.layout != "nhwc") {
    misuse("--mean or --std with several numbers needs --layout nchw or --layout nhwc");
  }
  if (elements(shape) != inputs) misuse("--mean or --std with several numbers works only for models with one input");
  if (shape.size() != 3 && shape.size() != 4) {
    misuse("--layout " + query.layout + " needs a model input of rank 3 or 4; this one is " + shape_text(shape));
  }
  Channels channels;
  if (query.layout == "nhwc") {
    channels.count = static_cast<std::uint64_t>(shape.back());
  } else {
    channels.count = static_cast<std::uint64_t>(shape[shape.size() - 3]);
    channels.inner =
        static_cast<std::uint64_t>(shape[shape.size() - 2]) * static_cast<std::uint64_t>(shape[shape.size() - 1]);
  }
  return channels;
}

Numbers read_query(const RadiusRecord& query, const Graph& graph) {
  Numbers n;
  n.inputs = graph.nodes.front().size;
  n.outputs = graph.nodes.at(graph.output).size;
  if (query.centre_bits.size() != n.inputs) {
    misuse("the point has " + std::to_string(query.centre_bits.size()) + " numbers, the model takes " +
           std::to_string(n.inputs));
  }
  n.radius = number("--radius", query.radius);
  if (n.radius < 0) misuse("--radius " + query.radius + ": a radius is not negative");
  if (!query.scale.empty()) n.scale = number("--scale", query.scale);
  if (n.scale <= 0) misuse("--scale " + query.scale + ": the scale must be positive");
  n.mean = numbers("--mean", query.mean);
  n.std_deviation = numbers("--std", query.std);
  for (std::size_t i = 0; i < n.std_deviation.size(); ++i) {
    if (n.std_deviation[i] <= 0) misuse("--std " + query.std[i] + ": every standard deviation must be positive");
  }
  if (n.mean.empty()) n.mean.emplace_back(0);
  if (n.std_deviation.empty()) n.std_deviation.emplace_back(1);
  if (!query.layout.empty() && query.layout != "nchw" && query.layout != "nhwc") {
    misuse("--layout " + query.layout + ": nchw or nhwc");
  }
  if (!query.clip.empty()) {
    if (query.clip.size() != 2) misuse("--clip takes two numbers LO,HI");
    n.clipped = true;
    n.clip_lo = number("--clip", query.clip[0]);
    n.clip_hi = number("--clip", query.clip[1]);
    if (n.clip_lo > n.clip_hi)
      misuse("--clip " + query.clip[0] + "," + query.clip[1] + ": the lower end is above the upper end");
  }
  return n;
}

// After scale, mean and std: the exact centre, and (with box != nullptr) the exact box.
std::vector<Rational> preprocess(const RadiusRecord& query, const Graph& graph, const Numbers& n,
                                 std::vector<InputRange>* box) {
  Channels channels;
  if (n.mean.size() > 1 || n.std_deviation.size() > 1) {
    channels = channels_of(query, graph, n.inputs);
    for (const auto& [option, list] : {std::pair{"--mean", &n.mean}, std::pair{"--std", &n.std_deviation}}) {
      if (list->size() != 1 && list->size() != channels.count) {
        misuse(std::string(option) + " has " + std::to_string(list->size()) + " numbers, the model input " +
               shape_text(graph.input_shape) + " has " + std::to_string(channels.count) + " channels in layout " +
               query.layout);
      }
    }
  }
  const auto entry = [&](const std::vector<Rational>& list, std::uint64_t i) -> const Rational& {
    return list.size() == 1 ? list.front() : list[channels.of(i)];
  };
  std::vector<Rational> centre;
  centre.reserve(n.inputs);
  if (box != nullptr) box->reserve(n.inputs);
  for (std::uint64_t i = 0; i < n.inputs; ++i) {
    const std::uint64_t bits = query.centre_bits[i];
    const double c = graph.element == ElementType::binary32
                         ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                         : std::bit_cast<double>(bits);
    if (!std::isfinite(c)) misuse("coordinate " + std::to_string(i) + " of the point is not finite");
    const Rational v = exact(c) / n.scale;
    const Rational& mean = entry(n.mean, i);
    const Rational& deviation = entry(n.std_deviation, i);
    centre.push_back((v - mean) / deviation);
    if (box == nullptr) continue;
    InputRange range;
    range.lo = v - n.radius;
    range.hi = v + n.radius;
    if (n.clipped) {
      if (range.lo < n.clip_lo) range.lo = n.clip_lo;
      if (range.hi > n.clip_hi) range.hi = n.clip_hi;
    }
    range.lo = (range.lo - mean) / deviation;
    range.hi = (range.hi - mean) / deviation;
    box->push_back(std::move(range));
  }
  return centre;
}

// sign·Y_j + constant < 0, scaled to integers.
Row output_bound(std::uint32_t output, int sign, const Rational& constant) {
  Row row;
  row.terms.emplace_back(output, denominator(constant) * sign);
  row.constant = numerator(constant);
  row.strict = true;
  return row;
}

void add_range(Property& property, std::uint32_t output, const Rational& lo, const Rational& hi) {
  property.cases.push_back(Case{0, {output_bound(output, 1, -lo)}});
  property.cases.push_back(Case{0, {output_bound(output, -1, hi)}});
}

void add_target(const RadiusRecord& query, const Numbers& n, const std::vector<double>& reference, Property& property) {
  const auto outputs = static_cast<std::uint32_t>(n.outputs);
  if (query.target == "none") {
    property.bound_only = true;
  } else if (query.target == "label") {
    const std::uint32_t k = query.label;
    if (k >= outputs)
      misuse("--label " + std::to_string(k) + ": the model has outputs 0 to " + std::to_string(n.outputs - 1));
    for (std::uint32_t j = 0; j < outputs; ++j) {
      if (j == k) continue;
      Row row;
      row.terms = {{std::min(j, k), Integer(j < k ? -1 : 1)}, {std::max(j, k), Integer(j < k ? 1 : -1)}};
      property.cases.push_back(Case{0, {std::move(row)}});
    }
  } else if (query.target == "range") {
    if (query.range.size() != 2) misuse("--output-range takes two numbers LO,HI");
    const Rational lo = number("--output-range", query.range[0]), hi = number("--output-range", query.range[1]);
    if (lo > hi)
      misuse("--output-range " + query.range[0] + "," + query.range[1] + ": the lower end is above the upper end");
    for (std::uint32_t j = 0; j < outputs; ++j) add_range(property, j, lo, hi);
  } else if (query.target == "deviation") {
    const Rational deviation = number("--max-deviation", query.deviation);
    if (deviation < 0) misuse("--max-deviation " + query.deviation + ": a deviation is not negative");
    if (reference.size() != n.outputs)
      throw ResourceError("radius_property: the reference outputs do not match the graph");
    for (std::uint32_t j = 0; j < outputs; ++j) {
      if (!std::isfinite(reference[j]))
        misuse("--max-deviation: output " + std::to_string(j) + " is not finite at the point");
      const Rational r = exact(reference[j]);
      add_range(property, j, r - deviation, r + deviation);
    }
  } else {
    misuse("target '" + query.target + "': label, range, deviation or none");
  }
}

}  // namespace

Property radius_property(const RadiusRecord& query, const Graph& graph, const std::vector<double>& reference) {
  const Numbers n = read_query(query, graph);
  Property property;
  property.kind = "radius";
  property.inputs = n.inputs;
  property.outputs = n.outputs;
  property.radius = query;
  // The record says nothing that was not asked.
  if (query.target != "label") property.radius.label = 0;
  if (query.target != "range") property.radius.range.clear();
  if (query.target != "deviation") property.radius.deviation.clear();
  std::vector<InputRange> box;
  preprocess(query, graph, n, &box);
  add_target(query, n, reference, property);
  // Only the clip can leave an input without a value: the point lies farther than the radius outside of it.
  for (std::uint64_t i = 0; i < n.inputs; ++i) {
    if (box[i].lo <= box[i].hi) continue;
    if (property.bound_only)
      misuse("coordinate " + std::to_string(i) + " of the point is farther than the radius outside of --clip");
    for (std::size_t c = 0; c < property.cases.size(); ++c) {
      property.dropped.push_back("case " + std::to_string(c) + " is empty: coordinate " + std::to_string(i) +
                                 " of the point is farther than the radius outside of --clip");
    }
    property.cases.clear();
    break;
  }
  property.vacuous = !property.bound_only && property.cases.empty();
  if (!property.vacuous) property.boxes.push_back(std::move(box));
  return property;
}

std::vector<double> reference_input(const RadiusRecord& query, const Graph& graph) {
  const Numbers n = read_query(query, graph);
  std::vector<double> point;
  point.reserve(n.inputs);
  for (const Rational& v : preprocess(query, graph, n, nullptr)) {
    point.push_back(graph.element == ElementType::binary32 ? round_nearest_binary32(v) : round_nearest(v));
  }
  return point;
}

}  // namespace outward
