// Bounds in a number format as an Outcome: see the header. Refutations come from bounds/precise, counterexamples from
// the exact replay of the centres of the boxes.
#include "cli/verify_precise.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "bounds/precise/precise.hpp"
#include "cli/common/memory.hpp"
#include "cli/common/number_text.hpp"
#include "formats/decimal/decimal.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

// A decimal of so many digits at or beyond the end.
std::string outward_text(const ExactNumber& x, int digits, bool up) {
  constexpr std::int64_t most = 20000;
  if (x.kind != ExactNumber::Kind::number || x.exponent > most || x.exponent < -most) return exact_text(x);
  const Integer power = Integer(1) << static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
  const Rational value = x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power);
  const decimal::Context context{digits, 100000, -100000, false, false, up ? Rounding::up : Rounding::down};
  Flags flags;
  const decimal::Number d = decimal::from_rational(value, context, flags);
  if (d.coefficient.is_zero()) return "0";
  return (d.negative ? "-" : "") + decimal_notation(d.coefficient.str(), d.exponent);
}

Json end_json(const ExactNumber& x) {
  return x.kind == ExactNumber::Kind::number ? Json(exact_text(x)) : Json(nullptr);
}

Json ranges_json(const std::vector<PreciseRange>& ranges) {
  Json out = Json::array();
  for (const PreciseRange& range : ranges) out.push_back(Json::array({end_json(range.lo), end_json(range.hi)}));
  return out;
}

std::string bounds_text(const PreciseResult& result, const Property& property, const std::string& format) {
  Json boxes = Json::array();
  for (std::size_t b = 0; b < result.boxes.size(); ++b) {
    const PreciseBox& box = result.boxes[b];
    if (box.linear.size() < property.outputs) continue;
    Json cases = Json::array();
    for (const PreciseCase& c : box.cases)
      cases.push_back({{"case", c.case_index}, {"refuted", c.refuted}, {"row", c.row}, {"bound", end_json(c.bound)}});
    boxes.push_back(
        {{"box", b}, {"intervals", ranges_json(box.intervals)}, {"linear", ranges_json(box.linear)}, {"cases", cases}});
  }
  const Json json = {{"schema", "outward-precise-bounds-1"},
                     {"format", format},
                     {"semantics", "real"},
                     {"outputs", property.outputs},
                     {"boxes", boxes}};
  return json.dump(1) + "\n";
}

BoxResult box_result(const PreciseBox& box, const Property& property) {
  BoxResult out;
  for (const PreciseRange& range : box.linear) {
    out.output.lo.push_back(double_below(range.lo));
    out.output.hi.push_back(double_above(range.hi));
  }
  for (const PreciseCase& c : box.cases) {
    CaseBound bound{c.case_index, c.refuted, double_below(c.bound), c.row};
    const double scale = row_scale(property.cases[c.case_index].rows[c.row]);
    bound.bound = scale == 1 ? bound.bound : mul_down(bound.bound, scale);
    out.cases.push_back(bound);
  }
  return out;
}

// A box whose centre is unsafe over the reals.
std::optional<Counterexample> unsafe_centre(const Graph& graph, const Property& property) {
  for (std::uint32_t c = 0; c < property.cases.size(); ++c) {
    const std::vector<InputRange>& box = property.boxes[property.cases[c].box];
    std::vector<double> centre;
    for (const InputRange& range : box) centre.push_back(round_nearest((range.lo + range.hi) / 2));
    if (const auto decimals = decimals_near(centre, box, graph.element))
      if (auto found = replay(graph, property, c, *decimals, Semantics::real)) return found;
  }
  return std::nullopt;
}

}  // namespace

PreciseRun solve_in_format(const Options& o, const Model& model, Property property, double seconds_used) {
  const auto format = parse_number_format(o.precision);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  PreciseRun run;
  run.format = format->text();
  Solved& out = run.solved;
  Outcome& outcome = out.outcome;
  out.property = std::move(property);
  out.semantics = Semantics::real;
  if (out.property.vacuous) {
    outcome.reason = "vacuous";
    outcome.next = "every case is empty without the network: look at the bounds in the property";
    return run;
  }
  outcome.counterexample = unsafe_centre(model.graph, out.property);
  outcome.seconds.attack = seconds();
  if (outcome.counterexample && o.bounds.empty()) {  // the verdict is known and nobody asks for bounds
    outcome.verdict = Verdict::violated;
    return run;
  }
  const std::uint64_t limit = o.memory.empty() ? default_memory_limit() : parse_bytes(o.memory);
  std::string stopped;
  PreciseOptions options;
  options.stop = [&] {
    if (interrupted) stopped = "interrupted";
    if (o.timeout > 0 && seconds_used + seconds() > o.timeout) stopped = "timeout";
    if (limit > 0 && resident_bytes() > limit) stopped = "memory";
    return !stopped.empty();
  };
  const PreciseResult result = bound_in_format(model.graph, out.property, format, options);
  outcome.seconds.proof = seconds() - outcome.seconds.attack;

  bool all = !result.stopped, bounded = true;
  for (const PreciseBox& box : result.boxes) {
    outcome.box_tried.push_back(box.linear.size() == out.property.outputs ? 1 : 0);
    outcome.boxes.push_back(box_result(box, out.property));
    for (const PreciseCase& c : box.cases) all = all && c.refuted;
    for (const PreciseRange& range : box.linear)
      for (const ExactNumber* end : {&range.lo, &range.hi}) bounded = bounded && end->kind == ExactNumber::Kind::number;
  }
  run.bounds_json = bounds_text(result, out.property, run.format);
  if (outcome.counterexample) {
    if (all && !out.property.bound_only)
      throw ResourceError("an unsafe point was found in a box that was refuted: internal error");
    outcome.verdict = Verdict::violated;
  } else if (out.property.bound_only && !result.stopped) {
    outcome.verdict = Verdict::bound;
    const int digits = static_cast<int>(format->width() * 0.302) + 2;
    for (std::size_t i = 0; i < result.boxes[0].linear.size(); ++i)
      run.lines.push_back("Y_" + std::to_string(i) + " in [" +
                          outward_text(result.boxes[0].linear[i].lo, digits, false) + ", " +
                          outward_text(result.boxes[0].linear[i].hi, digits, true) + "]");
  } else if (all) {
    outcome.verdict = Verdict::holds;
  } else if (result.stopped) {
    outcome.reason = stopped;
    outcome.next = stopped == "timeout"  ? "give more time with --timeout"
                   : stopped == "memory" ? "give more memory with --memory"
                                         : "";
  } else {
    outcome.reason = "interval and linear bounds in " + run.format + " do not refute every case" +
                     (bounded ? "" : "; the format has no number beyond some of them");
    outcome.next = "try a format with more bits, or without --precision, where unknown parts are branched on";
  }
  return run;
}

}  // namespace outward::cli
