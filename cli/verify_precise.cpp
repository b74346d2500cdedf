// Bounds in a number format as an Outcome: see the header. Refutations come from bounds/precise, counterexamples from
// the replay of the centres of the boxes and of parts of them.
#include "cli/verify_precise.hpp"

#include <algorithm>
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

std::string bounds_text(const PreciseResult& result, const Property& property, const std::string& format,
                        Semantics semantics) {
  Json boxes = Json::array();
  for (std::size_t b = 0; b < result.boxes.size(); ++b) {
    const PreciseBox& box = result.boxes[b];
    if (box.linear.size() < property.outputs) continue;
    Json cases = Json::array();
    for (const PreciseCase& c : box.cases)
      cases.push_back({{"case", c.case_index},
                       {"refuted", c.refuted},
                       {"in_parts", c.branched},
                       {"row", c.weights.empty() ? Json(c.row) : Json(nullptr)},
                       {"weights", c.weights.empty() ? Json(nullptr) : Json(c.weights)},
                       {"bound", end_json(c.bound)}});
    boxes.push_back(
        {{"box", b}, {"intervals", ranges_json(box.intervals)}, {"linear", ranges_json(box.linear)}, {"cases", cases}});
  }
  const Json json = {{"schema", "outward-precise-bounds-1"},
                     {"format", format},
                     {"semantics", semantics_name(semantics)},
                     {"outputs", property.outputs},
                     {"boxes", boxes}};
  return json.dump(1) + "\n";
}

BoxResult box_result(const PreciseBox& box, const Property& property) {
  BoxResult out;
  out.overflow = box.overflow;
  for (const PreciseRange& range : box.linear) {
    out.output.lo.push_back(double_below(range.lo));
    out.output.hi.push_back(double_above(range.hi));
  }
  for (const PreciseCase& c : box.cases) {
    CaseBound bound{c.case_index, c.refuted, double_below(c.bound), c.row};
    const std::vector<Row>& rows = property.cases[c.case_index].rows;
    const double scale = rows.empty() || !c.weights.empty() ? 1 : row_scale(rows[c.row]);
    bound.bound = scale == 1 ? bound.bound : mul_down(bound.bound, scale);
    out.cases.push_back(bound);
  }
  return out;
}

// The centre of a part of the box of the case, if it is unsafe.
std::optional<Counterexample> unsafe_centre(const Graph& graph, const Property& property, Semantics semantics,
                                            std::uint32_t case_index, const std::vector<InputRange>& part) {
  std::vector<double> centre;
  for (const InputRange& range : part) centre.push_back(round_nearest((range.lo + range.hi) / 2));
  const auto decimals = decimals_near(centre, property.boxes[property.cases[case_index].box], graph.element);
  return decimals ? replay(graph, property, case_index, *decimals, semantics) : std::nullopt;
}

// How many parts to bound: what the user says; by default some where halving inputs can be expected to help.
std::uint64_t domains_of(const Options& o, const Property& property) {
  constexpr std::uint64_t usual = 1000;
  constexpr std::ptrdiff_t few = 16;
  if (o.max_domains > 0) return o.max_domains;
  for (const std::vector<InputRange>& box : property.boxes)
    if (std::count_if(box.begin(), box.end(), [](const InputRange& r) { return r.lo < r.hi; }) > few) return 0;
  return usual;
}

// Why not every case is refuted.
void explain(const PreciseResult& result, const std::string& format, Outcome& outcome) {
  for (const PreciseBox& box : result.boxes)
    if (!box.overflow.empty() && outcome.reason.empty()) {
      outcome.reason = box.overflow + " by bounds in " + format;
      outcome.next = "try a format with more bits, --semantics real, or a smaller input set";
    }
  if (!outcome.reason.empty()) return;
  bool bounded = true;
  for (const PreciseBox& box : result.boxes)
    for (const PreciseRange& range : box.linear)
      for (const ExactNumber* end : {&range.lo, &range.hi}) bounded = bounded && end->kind == ExactNumber::Kind::number;
  outcome.reason = "interval and linear bounds in " + format + " do not refute every case" +
                   (result.domains > 0 ? ", nor do " + std::to_string(result.domains) + " parts of the inputs" : "") +
                   (bounded ? "" : "; the format has no number beyond some of them");
  outcome.next =
      "try a format with more bits, --max-domains, or without --precision, where neurons are branched on too";
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
  out.semantics = o.semantics.empty() ? Semantics::real : semantics_of(o, model.graph);
  if (out.property.vacuous) {
    outcome.reason = "vacuous";
    outcome.next = "every case is empty without the network: look at the bounds in the property";
    return run;
  }
  for (std::uint32_t c = 0; c < out.property.cases.size() && !outcome.counterexample; ++c)
    outcome.counterexample =
        unsafe_centre(model.graph, out.property, out.semantics, c, out.property.boxes[out.property.cases[c].box]);
  outcome.seconds.attack = seconds();
  if (outcome.counterexample && o.bounds.empty()) {  // the verdict is known and nobody asks for bounds
    outcome.verdict = Verdict::violated;
    if (out.semantics != Semantics::real) outcome.execution = "this order";
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
  options.semantics = out.semantics;
  options.most_domains = outcome.counterexample ? 0 : domains_of(o, out.property);
  options.open_part = [&](std::uint32_t c, const std::vector<InputRange>& part) {
    if (!outcome.counterexample)
      outcome.counterexample = unsafe_centre(model.graph, out.property, out.semantics, c, part);
    return outcome.counterexample.has_value();
  };
  const PreciseResult result = bound_in_format(model.graph, out.property, format, options);
  outcome.seconds.proof = seconds() - outcome.seconds.attack;
  outcome.domains = result.domains;

  bool all = !result.stopped;
  for (const PreciseBox& box : result.boxes) {
    outcome.box_tried.push_back(box.linear.size() == out.property.outputs ? 1 : 0);
    outcome.boxes.push_back(box_result(box, out.property));
    for (const PreciseCase& c : box.cases) all = all && c.refuted;
  }
  run.bounds_json = bounds_text(result, out.property, run.format, out.semantics);
  if (outcome.counterexample) {
    if (all && !out.property.bound_only)
      throw ResourceError("an unsafe point was found in a box that was refuted: internal error");
    outcome.verdict = Verdict::violated;
    if (out.semantics != Semantics::real) outcome.execution = "this order";
  } else if (out.property.bound_only && !result.stopped && result.boxes[0].overflow.empty()) {
    outcome.verdict = Verdict::bound;
    const int digits = static_cast<int>(format->width() * 0.302) + 2;
    for (std::size_t i = 0; i < result.boxes[0].linear.size(); ++i)
      run.lines.push_back("Y_" + std::to_string(i) + " in [" +
                          outward_text(result.boxes[0].linear[i].lo, digits, false) + ", " +
                          outward_text(result.boxes[0].linear[i].hi, digits, true) + "]");
  } else if (all && !out.property.bound_only) {
    outcome.verdict = Verdict::holds;
  } else if (result.stopped) {
    outcome.reason = stopped;
    outcome.next = stopped == "timeout"  ? "give more time with --timeout"
                   : stopped == "memory" ? "give more memory with --memory"
                                         : "";
  } else {
    explain(result, run.format, outcome);
  }
  return run;
}

}  // namespace outward::cli
