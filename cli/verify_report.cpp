#include "cli/verify_report.hpp"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "runtime/graph/groups.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

const char* word(Verdict v) {
  switch (v) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::bound:
      return "bound";
    default:
      return "unknown";
  }
}

std::string verdict_line(const Options& options, const Property& property, const Outcome& o, const Report& r) {
  if (options.competition) return competition_word(word(o.verdict), o.reason);
  switch (o.verdict) {
    case Verdict::holds:
      return r.real_only ? "holds (real only: over the real numbers no input in the set reaches the unsafe outputs; "
                           "not shown for floating point)"
                         : "holds (unsat: no input in the set reaches the unsafe outputs)";
    case Verdict::violated:
      return "violated (sat: an input of the set reaches the unsafe outputs" +
             std::string(r.semantics == Semantics::real ? ", over the real numbers)" : ")");
    case Verdict::bound:
      return "bound (nothing was asked of the outputs: their certified ranges follow)";
    default:
      break;
  }
  if (property.vacuous) return "unknown (vacuous)";
  if (o.violated_elsewhere)
    return r.semantics == Semantics::real ? "unknown (violated in binary32)" : "unknown (violated over the reals)";
  return "unknown (" +
         (o.reason == "timeout" || o.reason == "interrupted" || o.reason == "memory"
              ? o.reason
              : std::string("neither proved nor refuted")) +
         ")";
}

// With --deploy the claim over the reals has room for the executions of one format.
std::string covered(const Options& options, const Report& r) {
  if (options.deploy.empty()) return coverage(r.semantics);
  return "the network over the real numbers and its executions in " + options.deploy + " as `roundoff` has them" +
         ", inputs rounded once; no other floating point";
}

Json range_json(const Range& range) {
  Json out = Json::array();
  for (std::size_t i = 0; i < range.lo.size(); ++i) {
    Json pair = Json::array();
    for (double v : {range.lo[i], range.hi[i]}) pair.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
    out.push_back(pair);
  }
  return out;
}

Json boxes_json(const Outcome& outcome) {
  Json out = Json::array();
  for (std::size_t b = 0; b < outcome.boxes.size(); ++b) {
    if (!outcome.box_tried[b]) continue;
    Json cases = Json::array();
    for (const CaseBound& c : outcome.boxes[b].cases)
      cases.push_back({{"case", c.case_index},
                       {"refuted", c.refuted},
                       {"row", c.row},
                       {"bound", std::isfinite(c.bound) ? Json(c.bound) : Json(nullptr)}});
    out.push_back({{"box", b}, {"outputs", range_json(outcome.boxes[b].output)}, {"cases", cases}});
  }
  return out;
}

Json counterexample_json(const Counterexample& c, const std::string& execution) {
  Json outputs = Json::array();
  for (double y : c.outputs) outputs.push_back(y);
  return {{"case", c.case_index},
          {"input", c.decimals},
          {"output", outputs},
          {"margin", std::isfinite(c.margin) ? Json(c.margin) : Json(nullptr)},
          {"execution", execution}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void print_json(const Options& options, const Model& model, const Property& property, const Outcome& o,
                const Report& r) {
  Json j;
  j["schema"] = "outward-verify-1";
  j["verdict"] = word(o.verdict);
  j["semantics"] = semantics_name(r.semantics);
  j["precision"] = text_or_null(r.precision);
  j["covers"] = o.verdict == Verdict::holds || o.verdict == Verdict::bound ? Json(covered(options, r)) : Json(nullptr);
  j["reason"] = o.reason;
  j["next"] = o.next;
  j["violated_elsewhere"] = o.violated_elsewhere;
  j["vacuous"] = property.vacuous;
  j["notes"] = r.notes;
  j["plan"] = r.plan_lines.empty() ? Json(nullptr) : Json(r.plan_lines);
  Json external = Json::array();
  for (std::size_t f = 1; f < model.files.size(); ++f)
    external.push_back({{"path", model.files[f].path}, {"sha256", model.files[f].sha256}});
  j["model"] = {{"path", options.model},
                {"sha256", model.files.front().sha256},
                {"external", std::move(external)},
                {"graph", graph_digest(model.graph)}};
  j["property"] = {{"kind", property.kind},
                   {"digest", property_digest(property)},
                   {"cases", property.cases.size()},
                   {"boxes", property.boxes.size()},
                   {"dropped", property.dropped}};
  j["counterexample"] = o.counterexample && o.verdict == Verdict::violated
                            ? counterexample_json(*o.counterexample, o.execution)
                            : Json(nullptr);
  j["boxes"] = boxes_json(o);
  j["radius"] =
      options.radius == "max"
          ? Json({{"certified", text_or_null(r.certified_radius)}, {"refuted", text_or_null(r.refuted_radius)}})
          : Json(nullptr);
  j["branching"] = {{"parts", o.domains}, {"open", o.open_parts}};
  j["certificate"] =
      r.certificate_path.empty()
          ? Json(nullptr)
          : Json({{"path", r.certificate_path}, {"bytes", r.certificate_bytes}, {"sha256", r.certificate_sha256}});
  j["witness"] = r.witness_path.empty() ? Json(nullptr) : Json(r.witness_path);
  j["seconds"] = {{"import", r.import_seconds}, {"property", r.property_seconds}, {"attack", o.seconds.attack},
                  {"proof", o.seconds.proof},   {"branch", o.seconds.branch},     {"total", r.total_seconds}};
  std::cout << j.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

void print_bounds(const Outcome& o) {
  const Range& output = o.boxes.front().output;
  for (std::size_t i = 0; i < output.lo.size(); ++i)
    std::cout << "Y_" << i << " in [" << shortest_decimal(output.lo[i]) << ", " << shortest_decimal(output.hi[i])
              << "]\n";
}

void print_counterexample(const Options& options, const Outcome& o, const Report& r) {
  if (!o.execution.empty())
    std::cout << "unsafe in: "
              << (o.execution != "this order" ? o.execution
                  : r.semantics == Semantics::capsule
                      ? "an execution that the plan allows (left to right unless its policies say otherwise)"
                      : "this order (the reference order, left to right, unfused)")
              << "\n";
  std::cout << "margin: "
            << (std::isfinite(o.counterexample->margin) ? shortest_decimal(o.counterexample->margin)
                                                        : "none, the outputs are not all finite (--finite)")
            << "\n";
  if (!r.witness_path.empty())
    std::cout << "counterexample: " << r.witness_path << "\n";
  else if (o.counterexample->decimals.size() <= 32) {
    for (std::size_t i = 0; i < o.counterexample->decimals.size(); ++i)
      std::cout << "X_" << i << " = " << o.counterexample->decimals[i] << "\n";
    for (std::size_t i = 0; i < o.counterexample->outputs.size() && i < 32; ++i)
      std::cout << "Y_" << i << " = "
                << (std::isnan(o.counterexample->outputs[i]) ? "nan" : shortest_decimal(o.counterexample->outputs[i]))
                << "\n";
  } else if (!options.quiet) {
    std::cerr << "write the counterexample to a file with --witness\n";
  }
}

}  // namespace

std::string coverage(Semantics s) {
  if (s == Semantics::capsule)
    return "every execution that the policies of the plan below allow, if its kernels keep to them; nothing else";
  if (s == Semantics::real) return "the network over the real numbers; floating point is not covered";
  return std::string(s == Semantics::fp32_any ? "every binary32" : "every binary64") +
         " execution (round to nearest, gradual underflow, sums in any order and fusion) and the network over the real "
         "numbers; "
         "not covered: flush-to-zero, Winograd or FFT convolution, TF32, x87, approximate division";
}

std::string competition_word(const std::string& verdict, const std::string& reason) {
  if (verdict == "holds") return "unsat";
  if (verdict == "violated") return "sat";
  return verdict == "unknown" && reason == "timeout" ? "timeout" : verdict == "bound" ? "unknown" : verdict;
}

std::string bounds_json(const Outcome& outcome, const Property& property) {
  Json j;
  j["schema"] = "outward-bounds-1";
  j["outputs"] = property.outputs;
  j["boxes"] = boxes_json(outcome);
  return j.dump(1) + "\n";
}

void print_report(const Options& options, const Model& model, const Property& property, const Outcome& o,
                  const Report& r) {
  if (!options.quiet)
    for (const std::string& note : r.notes) std::cerr << "note: " << note << "\n";
  if (options.json) {
    print_json(options, model, property, o, r);
    return;
  }
  std::cout << verdict_line(options, property, o, r) << "\n";
  if (options.quiet || options.competition) return;
  for (const std::string& line : property.dropped) std::cerr << "note: dropped empty case: " << line << "\n";
  if (o.verdict == Verdict::holds || o.verdict == Verdict::bound) {
    std::cout << "covers: " << covered(options, r) << "\n";
    if (!options.scale.empty() || !options.mean.empty() || !options.std.empty())
      std::cout << "assumes: the network receives the correctly rounded preprocessed input; the preprocessing itself "
                   "is outside the claim\n";
  }
  if (options.radius == "max") {
    std::cout << "largest certified radius: " << (r.certified_radius.empty() ? "none" : r.certified_radius) << "\n";
    std::cout << "smallest refuted radius: " << (r.refuted_radius.empty() ? "none" : r.refuted_radius) << "\n";
  }
  if (!r.precision.empty())
    std::cout << "precision: interval arithmetic and CROWN in " << r.precision
              << ", every operation rounded outward; no certificate\n";
  for (const std::string& line : r.output_lines) std::cout << line << "\n";
  for (const std::string& line : r.plan_lines) std::cout << line << "\n";
  if (o.verdict == Verdict::bound && r.precision.empty()) print_bounds(o);
  if (o.verdict == Verdict::violated) print_counterexample(options, o, r);
  if (!r.certificate_path.empty())
    std::cout << "certificate: " << r.certificate_path << " (" << r.certificate_bytes << " bytes"
              << (o.open_parts > 0 ? ", INCOMPLETE: " + std::to_string(o.open_parts) + " parts are open" : "") << ")\n";
  if (o.verdict == Verdict::unknown) {
    std::cerr << "reason: " << o.reason << "\n";
    if (!o.next.empty()) std::cerr << "next: " << o.next << "\n";
  }
  if (o.domains > 0) std::cerr << "branching: " << o.domains << " parts bounded\n";
  char line[200];
  std::snprintf(line, sizeof line,
                "time: import %.3f s, property %.3f s, attack %.3f s, proof %.3f s, branching %.3f s, total %.3f s",
                r.import_seconds, r.property_seconds, o.seconds.attack, o.seconds.proof, o.seconds.branch,
                r.total_seconds);
  std::cerr << line << "\n";
}

}  // namespace outward::cli
