// `model run --observe`: what a real runtime computes, against the error boxes of a plan. Three runs (DESIGN section
// 7): the graph as it is, where only outputs can be compared; with the outputs of sum groups added to its outputs, so
// that fusion inside a group stays on; with every node added. The boxes of the first two are those of sum groups, at
// the very point; those of the third are of single nodes. Values of the second run outside the boxes of single nodes
// show what was fused.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "bounds/forward.hpp"
#include "bounds/state.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/model_commands.hpp"
#include "cli/model_point.hpp"
#include "formats/exact.hpp"
#include "importers/onnx/onnx_runtime.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "runtime/capsules/kernels.hpp"

namespace outward::cli {
namespace {

using ObservedPoint = std::vector<double>;
// Values of canonical nodes, as far as they are seen.
using NodeValues = std::vector<std::pair<std::uint32_t, std::vector<double>>>;

// A network whose ranges at a point are its boxes there.
class PointBoxes {
 public:
  PointBoxes(const Graph& graph, const std::vector<NumericalPolicy>& policies) : net_(graph) { net_.follow(policies); }
  // Ranges of the stored nodes; empty if overflow is not excluded.
  std::vector<Range> at(const ObservedPoint& x) const {
    State state(net_, Semantics::capsule);
    set_input_range(net_, state, {x, x});
    for (std::uint32_t k = 1; k < net_.size(); ++k)
      if (net_.groups.stored[k]) interval_step(net_, state, k);
    return state.overflow.empty() ? state.range : std::vector<Range>();
  }
  bool stored(std::uint32_t k) const { return net_.groups.stored[k]; }

 private:
  Network net_;
};

// The graph with every node read once more: then every node is stored, and boxes are those of single nodes.
Graph every_node_stored(const Graph& graph) {
  Graph g = graph;
  Node all;
  all.kind = Kind::map;
  all.operands.push_back(graph.output);
  for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) all.operands.push_back(k);
  for (const std::uint32_t k : all.operands) all.size += graph.nodes[k].size;
  for (std::uint64_t i = 0; i < all.size; ++i) all.ints.push_back(static_cast<std::int64_t>(i));
  g.output = static_cast<std::uint32_t>(g.nodes.size());
  g.nodes.push_back(std::move(all));
  return g;
}

struct RunTally {
  explicit RunTally(const char* run) : name(run) {}
  const char* name;
  std::uint64_t points = 0, nodes = 0, values = 0, outside = 0, unclaimed = 0;
  double greatest_share = 0;  // of the way from the middle of a box to its end
  std::string first;          // node, element, value, box, point
};

struct Outside {
  std::uint32_t node;
  std::size_t element;
  double value, lo, hi;
};

std::string hexadecimal(double v) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", v);
  return text;
}

// Compares values with boxes; the first one outside, if any. The greatest share of a box is kept.
std::vector<Outside> compare(const NodeValues& seen, const std::vector<Range>& boxes, RunTally& tally) {
  std::vector<Outside> out;
  for (const auto& [k, values] : seen) {
    const Range& box = boxes[k];
    if (box.lo.size() != values.size()) continue;
    ++tally.nodes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ++tally.values;
      const double middle = box.lo[i] / 2 + box.hi[i] / 2, half = box.hi[i] / 2 - box.lo[i] / 2;
      if (half > 0) tally.greatest_share = std::max(tally.greatest_share, std::fabs(values[i] - middle) / half);
      if (box.lo[i] <= values[i] && values[i] <= box.hi[i]) continue;
      ++tally.outside;
      out.push_back({k, i, values[i], box.lo[i], box.hi[i]});
    }
  }
  return out;
}

class Observer {
 public:
  Observer(const ModelOptions& o, const Model& model, std::shared_ptr<const AcceptedPlan> plan)
      : options_(o),
        graph_(model.graph),
        plan_(std::move(plan)),
        stored_(every_node_stored(model.graph)),
        groups_(graph_, policies(graph_.nodes.size())),
        singles_(stored_, policies(stored_.nodes.size())),
        random_(o.seed) {
    for (std::uint32_t k = 1; k < graph_.nodes.size(); ++k) {
      if (graph_.nodes[k].kind == Kind::constant) continue;
      all_.push_back(k);
      if (groups_.stored(k)) roots_.push_back(k);
    }
  }

  // run(point) gives the values of the nodes, as the runtime has them with those outputs.
  using Runner = std::function<NodeValues(const ObservedPoint&)>;
  Runner plain, grouped, single;

  int observe(const std::string& who) {
    for (std::uint64_t p = 0; p < options_.points; ++p) {
      ObservedPoint x = point(p);
      // Now and then climb: keep a neighbour when it comes nearer to the end of a box.
      double best = at(x);
      for (int step = 0; p % 4 == 3 && step < 8; ++step) {
        ObservedPoint y = neighbour(x);
        const double reached = at(y);
        if (reached > best) {
          best = reached;
          x = y;
        }
      }
    }
    return report(who);
  }

  // Boxes of the property, or around the input.
  void domain(const std::vector<std::pair<ObservedPoint, ObservedPoint>>& boxes) { boxes_ = boxes; }
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  const std::vector<std::uint32_t>& all() const { return all_; }

 private:
  std::vector<NumericalPolicy> policies(std::size_t count) const {
    std::vector<NumericalPolicy> out(count);
    for (const PlannedNode& n : plan_->plan().nodes) out[n.node] = n.capsule.policy;
    if (count > graph_.nodes.size()) {
      const Format wide{11, 52, 1023, Convention::ieee};
      if (graph_.element == ElementType::binary64) out.back().format = wide;
    }
    return out;
  }
  double rounded(double v) const {
    return graph_.element == ElementType::binary32 ? static_cast<double>(static_cast<float>(v)) : v;
  }
  double clamp_into(double v, double lo, double hi) const {
    const double r = rounded(v);
    return r < lo ? rounded(lo) : r > hi ? rounded(hi) : r;
  }
  ObservedPoint point(std::uint64_t p) {
    const auto& [lo, hi] = boxes_[p % boxes_.size()];
    ObservedPoint x(lo.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double share = std::uniform_real_distribution<double>(0, 1)(random_);
      const double v = p == 0       ? lo[i] + (hi[i] - lo[i]) / 2
                       : p == 1     ? lo[i]
                       : p == 2     ? hi[i]
                       : p % 3 == 0 ? (random_() % 2 ? lo[i] : hi[i])
                                    : lo[i] + share * (hi[i] - lo[i]);
      x[i] = clamp_into(v, lo[i], hi[i]);
    }
    last_box_ = p % boxes_.size();
    return x;
  }
  ObservedPoint neighbour(const ObservedPoint& x) {
    const auto& [lo, hi] = boxes_[last_box_];
    ObservedPoint y = x;
    for (std::size_t n = 0; n <= x.size() / 8; ++n) {
      const std::size_t i = random_() % x.size();
      y[i] = clamp_into(lo[i] + std::uniform_real_distribution<double>(0, 1)(random_) * (hi[i] - lo[i]), lo[i], hi[i]);
    }
    return y;
  }

  void note(RunTally& tally, const std::vector<Outside>& outside, const ObservedPoint& x) {
    if (outside.empty() || !tally.first.empty()) return;
    const Outside& o = outside.front();
    tally.first = graph_.nodes[o.node].origin + " (canonical node " + std::to_string(o.node) + ") element " +
                  std::to_string(o.element) + " is " + hexadecimal(o.value) + ", its box is [" + hexadecimal(o.lo) +
                  ", " + hexadecimal(o.hi) + "]; input";
    for (std::size_t i = 0; i < x.size() && i < 16; ++i) tally.first += " " + hexadecimal(x[i]);
    if (x.size() > 16) tally.first += " …";
  }

  // All runs at one point; how near the values come to the ends of the group boxes.
  double at(const ObservedPoint& x) {
    const std::vector<Range> group_boxes = groups_.at(x), single_boxes = singles_.at(x);
    RunTally here{""};
    const auto one = [&](const Runner& run, const std::vector<Range>& boxes, RunTally& tally) {
      if (!run) return NodeValues();
      if (boxes.empty()) {
        ++tally.unclaimed;
        return NodeValues();
      }
      ++tally.points;
      const NodeValues seen = run(x);
      note(tally, compare(seen, boxes, tally), x);
      return seen;
    };
    one(plain, group_boxes, plain_tally_);
    const NodeValues seen = one(grouped, group_boxes, grouped_tally_);
    if (!group_boxes.empty()) compare(seen, group_boxes, here);
    if (!single_boxes.empty() && !seen.empty()) {
      RunTally ignored{""};
      for (const Outside& o : compare(seen, single_boxes, ignored))
        if (std::find(fused_.begin(), fused_.end(), o.node) == fused_.end()) fused_.push_back(o.node);
    }
    one(single, single_boxes, single_tally_);
    return here.greatest_share;
  }

  int report(const std::string& who) {
    std::uint64_t outside = 0, compared = 0;
    nlohmann::ordered_json runs = nlohmann::ordered_json::array(), fused = nlohmann::ordered_json::array();
    std::vector<std::string> lines;
    for (const RunTally* t : {&plain_tally_, &grouped_tally_, &single_tally_}) {
      outside += t->outside;
      compared += t->values;
      char share[32];
      std::snprintf(share, sizeof share, "%.3g", t->greatest_share);
      lines.push_back(
          std::string(t->name) + ": " + std::to_string(t->points) + " points, " + std::to_string(t->nodes) +
          " node values compared (" + std::to_string(t->values) + " numbers), " + std::to_string(t->outside) +
          " outside, greatest share of a box " + share +
          (t->unclaimed ? ", " + std::to_string(t->unclaimed) + " points where overflow is not excluded" : ""));
      if (!t->first.empty()) lines.push_back("  first outside: " + t->first);
      runs.push_back({{"run", t->name},
                      {"points", t->points},
                      {"nodes", t->nodes},
                      {"values", t->values},
                      {"outside", t->outside},
                      {"unclaimed", t->unclaimed},
                      {"greatest_share", t->greatest_share},
                      {"first", t->first}});
    }
    for (const std::uint32_t k : fused_) {
      lines.push_back("fused with its neighbours: " + graph_.nodes[k].origin + " (canonical node " + std::to_string(k) +
                      ") is outside the box that single nodes give");
      fused.push_back(k);
    }
    const char* const verdict = outside > 0 ? "outside" : compared == 0 ? "nothing compared" : "inside";
    if (options_.json) {
      print_json({{"schema", "outward-observation-1"},
                  {"verdict", verdict},
                  {"runtime", who},
                  {"profile", plan_->plan().profile.name},
                  {"runs", runs},
                  {"fused", fused}});
    } else {
      std::printf("%s (%s, profile %s)\n", verdict, who.c_str(), plan_->plan().profile.name.c_str());
      for (const std::string& line : lines) std::printf("%s\n", line.c_str());
    }
    return outside > 0 ? exit_violated : compared == 0 ? exit_unknown : exit_holds;
  }

  const ModelOptions& options_;
  const Graph& graph_;
  std::shared_ptr<const AcceptedPlan> plan_;
  Graph stored_;
  PointBoxes groups_, singles_;
  std::vector<std::uint32_t> roots_, all_, fused_;
  std::vector<std::pair<ObservedPoint, ObservedPoint>> boxes_;
  std::size_t last_box_ = 0;
  std::mt19937_64 random_;
  RunTally plain_tally_{"graph as it is"}, grouped_tally_{"outputs of sum groups added"},
      single_tally_{"every node added"};
};

// A loaded model with the canonical nodes that its outputs stand for.
struct RuntimeModel {
  ExposedModel exposed;
  std::unique_ptr<OnnxRuntime::Session> session;
};

NodeValues run_model(RuntimeModel& m, const Graph& graph, bool whole_output, const ObservedPoint& x) {
  std::vector<OnnxRuntime::Input> inputs;
  std::size_t from = 0;
  for (const auto& shape : m.exposed.input_shapes) {
    std::size_t size = 1;
    for (const std::int64_t d : shape) size *= static_cast<std::size_t>(d);
    if (from + size > x.size()) break;
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(from);
    inputs.push_back({shape, {begin, begin + static_cast<std::ptrdiff_t>(size)}});
    from += size;
  }
  const OnnxRuntime::Result r = m.session->run(inputs);
  if (r.failed) throw InputRefused(Blocker{"runtime-refuses", "ONNX Runtime", r.message, "", "", ""});
  NodeValues out;
  if (whole_output) {
    std::vector<double> y;
    for (const auto& output : r.outputs) y.insert(y.end(), output.values.begin(), output.values.end());
    out.emplace_back(graph.output, std::move(y));
    return out;
  }
  for (const auto& [k, name] : m.exposed.tensors)
    for (const auto& output : r.outputs)
      if (output.name == name) out.emplace_back(k, output.values);
  return out;
}

std::vector<std::pair<ObservedPoint, ObservedPoint>> domain_of(const ModelOptions& o, const Graph& graph) {
  std::vector<std::pair<ObservedPoint, ObservedPoint>> out;
  if (!o.property.empty()) {
    const Property p = read_vnnlib(o.property, graph.nodes[0].size, graph.nodes[graph.output].size);
    for (const auto& box : p.boxes) {
      ObservedPoint lo, hi;
      for (const InputRange& r : box) {
        lo.push_back(round_up(r.lo));
        hi.push_back(std::max(round_down(r.hi), lo.back()));
      }
      out.emplace_back(std::move(lo), std::move(hi));
    }
    if (out.empty()) throw InputRefused(Blocker{"no-box", o.property, "the property has no case", "", "", ""});
    return out;
  }
  const auto radius = parse_decimal(o.radius);
  if (!radius || *radius < 0) throw UsageError("--radius takes a decimal number not below 0, found " + o.radius);
  const double r = round_nearest(*radius);
  ObservedPoint lo = o.input.empty() ? ObservedPoint(graph.nodes[0].size, 0.0) : read_point(o, graph), hi = lo;
  for (double& v : lo) v -= r;
  for (double& v : hi) v += r;
  out.emplace_back(std::move(lo), std::move(hi));
  return out;
}

}  // namespace

int model_observe(const ModelOptions& o) {
  if (!o.input.empty() && !o.property.empty()) throw UsageError("--input and --property exclude each other");
  const Model model = import_onnx(o.file, parse_shapes(o.shapes));
  const Graph& graph = model.graph;
  const bool own = o.observe == "own";
  const std::string profile = !o.profile.empty() ? o.profile : own ? "checked_cpu" : "onnxruntime_cpu";
  const auto plan = accepted_plan(graph, profile_of(profile), registry_of(o.records));
  Observer observer(o, model, plan);
  observer.domain(domain_of(o, graph));
  if (own) {
    observer.single = [&](const ObservedPoint& x) {
      std::vector<std::vector<double>> nodes;
      run_plan(graph, *plan, x, &nodes);
      NodeValues out;
      for (const std::uint32_t k : observer.all()) out.emplace_back(k, nodes[k]);
      return out;
    };
    observer.grouped = observer.single;
    observer.plain = [&](const ObservedPoint& x) { return NodeValues{{graph.output, run_plan(graph, *plan, x)}}; };
    return observer.observe("own kernels");
  }
  OnnxRuntime library(o.observe);
  const auto load = [&](const std::vector<std::uint32_t>& nodes) {
    RuntimeModel m{expose(o.file, graph, nodes, parse_shapes(o.shapes)), nullptr};
    m.session = std::make_unique<OnnxRuntime::Session>(library, m.exposed.bytes, 99, graph.element);
    return m;
  };
  RuntimeModel plain = load({}), grouped = load(observer.roots()), single = load(observer.all());
  observer.plain = [&](const ObservedPoint& x) { return run_model(plain, graph, true, x); };
  observer.grouped = [&](const ObservedPoint& x) { return run_model(grouped, graph, false, x); };
  observer.single = [&](const ObservedPoint& x) { return run_model(single, graph, false, x); };
  return observer.observe("ONNX Runtime " + library.version());
}

}  // namespace outward::cli
