#include "cli/verify_solve.hpp"

#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <utility>

#include "certificates/writer.hpp"
#include "cli/common/certificate_observer.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/memory.hpp"
#include "cli/verify_capsule.hpp"
#include "importers/arrays/arrays.hpp"
#include "importers/arrays/dataset.hpp"
#include "importers/arrays/radius.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward::cli {

std::atomic<bool> interrupted{false};

namespace {

// The radius query of the options; fills in the centre and the label where the user gave none, and says so.
Property radius_query(const Options& o, const Model& model, std::vector<std::string>& notes) {
  const Graph& graph = model.graph;
  RadiusRecord r = radius_record(o);
  r.range = o.output_range;
  r.deviation = o.max_deviation;
  const std::uint64_t outputs = graph.nodes[graph.output].size;
  std::int64_t label = o.label;
  if (!o.dataset.empty()) {
    const Dataset data = read_dataset(o.dataset, o.labels, graph);
    const std::uint64_t row = static_cast<std::uint64_t>(o.row);
    if (row >= data.rows())
      throw UsageError("--row " + std::to_string(row) + ": the dataset has " + std::to_string(data.rows()) +
                       " rows, counted from 0");
    r.centre_bits = data.centre(row);
    label = data.labels[row];
  } else if (o.input.empty()) {
    r.centre_bits.assign(graph.nodes[0].size, 0);
    notes.push_back("no --input: the centre is zero");
  } else {
    r.centre_bits = read_array(o.input, {graph.element, graph.nodes[0].size, graph.input_shape, o.layout});
  }
  std::vector<double> reference;
  if (!r.range.empty()) {
    r.target = "range";
  } else if (!r.deviation.empty()) {
    r.target = "deviation";
    reference = run_reference(graph, reference_input(r, graph));
  } else if (outputs < 2) {
    if (label >= 0)
      throw UsageError("--label needs a model with at least two outputs; use --output-range or --max-deviation");
    r.target = "none";
  } else {
    r.target = "label";
    const std::vector<double> y = run_reference(graph, reference_input(r, graph));
    for (std::uint32_t j = 1; j < y.size(); ++j)
      if (y[j] > y[r.label]) r.label = j;
    if (label >= 0) {
      const std::string asked = std::to_string(label);
      if (static_cast<std::size_t>(label) < y.size() && y[r.label] > y[static_cast<std::size_t>(label)])
        notes.push_back("the model predicts " + std::to_string(r.label) + " at the centre, not label " + asked +
                        ": a counterexample at every radius");
      r.label = static_cast<std::uint32_t>(label);
    } else {
      notes.push_back("no --label: the label is " + std::to_string(r.label) +
                      ", what the model predicts at the centre");
    }
  }
  return radius_property(r, graph, reference);
}

// Why no certificate can be asked for. REQUIRES !is_certifiable(graph).
std::string uncertifiable(const Graph& graph) {
  constexpr std::size_t most = 3;
  std::string found;
  std::size_t count = 0;
  for (const Node& node : graph.nodes)
    if (!is_certifiable(node.kind) && ++count <= most) found += (found.empty() ? "" : ", ") + node.origin;
  if (count > most) found += " and " + std::to_string(count - most) + " more";
  return "no program re-checks this verdict: `check` has no rule for " + found;
}

// Phases and counts on stderr: a line that is written over on a terminal, lines with -v, at most four a second; nothing
// otherwise.
class ProgressLine {
 public:
  explicit ProgressLine(const Options& o)
      : lines_(o.verbose), terminal_(!o.verbose && !o.quiet && !o.json && ::isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() {
    if (shown_) std::cerr << "\r\033[K";
  }
  void show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (!(lines_ || terminal_) || (some_ && now - last_ < std::chrono::milliseconds(250))) return;
    some_ = true;
    last_ = now;
    if (lines_) {
      std::cerr << "progress: " << line << "\n";
      return;
    }
    std::cerr << "\r\033[K" << line.substr(0, 100) << std::flush;
    shown_ = true;
  }

 private:
  bool lines_, terminal_, some_ = false, shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

// Runs the query under one semantics and writes its certificate (empty unless there is something to certify).
Outcome run(const Options& o, const Model& model, const Network& net, const Property& property, Semantics semantics,
            double seconds_used, CertificateText& certificate, const PlannedQuery* planned = nullptr) {
  VerifyOptions v;
  v.semantics = semantics;
  v.timeout_seconds = o.timeout > 0 ? std::max(o.timeout - seconds_used, 1e-3) : 0;
  v.threads = o.threads;
  v.max_domains = o.max_domains;
  v.seed = o.seed;
  v.branch = o.branch;
  v.finite = o.finite;
  v.attack = planned == nullptr || planned->execution;
  if (planned) v.execution = planned->execution;
  v.interrupted = [] { return interrupted.load(); };
  if (const std::uint64_t limit = o.memory.empty() ? default_memory_limit() : parse_bytes(o.memory); limit > 0)
    v.memory_is_full = [limit] { return resident_bytes() > limit; };
  ProgressLine progress(o);
  v.progress = [&](const std::string& line) { progress.show(line); };
  const std::string claim = property.bound_only ? "bound" : "holds";
  CertificateHeader header;
  if (planned) header = planned->claimed;
  if (!planned) header.semantics = semantics_name(semantics);
  header.claim = claim;
  header.producer = "outward verify 0.1.0";
  CertificateWriter writer(header, model, property);
  if (planned) name_capsules(*planned->plan, writer);
  CertificateObserver certifying(writer);
  ProofObserver nobody;
  ProofObserver& observer = is_certifiable(model.graph) ? static_cast<ProofObserver&>(certifying) : nobody;
  Outcome outcome = verify_property(net, property, v, observer);
  if (!is_certifiable(model.graph)) return outcome;
  const bool claims = outcome.verdict == Verdict::holds || outcome.verdict == Verdict::bound || outcome.open_parts > 0;
  if (claims && outcome.proof_lost.empty()) {
    try {
      certificate = writer.finish();
    } catch (const ResourceError& error) {
      outcome.proof_lost = error.what();
    }
  } else if (outcome.verdict == Verdict::violated && all_finite({outcome.counterexample->outputs})) {
    header.claim = "violated";
    CertificateWriter witness(header, model, property);
    witness.point(outcome.counterexample->case_index, outcome.counterexample->decimals);
    certificate = witness.finish();
  }
  return outcome;
}

// Under the policies of a plan. One policy for all kernels, which a certificate has to claim, can leave open what each
// kernel's own policy decides: it has half of the time, the plan's own policies the rest, without a certificate.
void solve_planned(const Options& o, const Model& model, const std::function<double()>& used, Solved& out) {
  PlannedQuery planned = plan_query(o, model);
  out.plan = planned.plan;
  // Parts whose ends are executed are cheap: a few before anything else where nobody wants what the prover writes, more
  // at the end, for which a little of the time is kept. A budget of parts is one without a clock.
  const std::uint64_t few = o.max_domains > 0 ? o.max_domains : 1000, many = o.max_domains > 0 ? o.max_domains : 100000;
  const double seconds = o.timeout > 0 ? std::min(0.05 * o.timeout, 0.5) : o.max_domains > 0 ? infinity : 0.5;
  const auto by_ends = [&](std::uint64_t most_parts, double until) {
    const auto stop = [&] { return used() > until || interrupted; };
    return proved_by_ends(planned, model, out.property, most_parts, stop, out.outcome, out.uncertified);
  };
  if (o.certificate.empty() && o.bounds.empty() && by_ends(few, used() + seconds)) return;
  CertificateText certificate;
  const auto attempt = [&](double seconds_used, std::string& uncertified) {
    Network followed(model.graph);
    followed.follow(planned.bounded);
    Outcome outcome = run(o, model, followed, out.property, out.semantics, seconds_used + (o.timeout > 0 ? seconds : 0),
                          certificate, &planned);
    judge_planned(planned, model, out.property, outcome, certificate, uncertified);
    return outcome;
  };
  out.outcome = attempt(planned.weakened && o.timeout > 0 ? (used() + o.timeout) / 2 : used(), out.uncertified);
  out.certificate = std::exchange(certificate, CertificateText());
  if (out.outcome.verdict != Verdict::unknown || interrupted) return;
  if (by_ends(many, planned.weakened ? used() + seconds : std::max(used() + seconds, o.timeout))) {
    out.certificate = CertificateText();
    return;
  }
  if (!planned.weakened) return;
  planned.bounded = planned.policies;
  std::string uncertified;
  Outcome outcome = attempt(used(), uncertified);
  if (outcome.verdict == Verdict::unknown) {
    out.uncertified +=
        std::string(out.uncertified.empty() ? "" : "; ") + "the policy of each kernel leaves it open, too";
    return;
  }
  if (outcome.verdict == Verdict::holds)
    uncertified =
        "no certificate: proved under the policy of each kernel; one policy that covers them all, which a certificate "
        "would claim, leaves the query open";
  out.outcome = std::move(outcome);
  out.certificate = CertificateText();
  out.uncertified = std::move(uncertified);
}

}  // namespace

Semantics semantics_of(const Options& o, const Graph& graph) {
  const bool wide = graph.element == ElementType::binary64;
  const Semantics native = wide ? Semantics::fp64_any : Semantics::fp32_any;
  if (!o.profile.empty()) return Semantics::capsule;
  if (o.semantics.empty() || o.semantics == "best") return native;
  if (o.semantics == "real") return Semantics::real;
  if (o.semantics != (wide ? "fp64_any" : "fp32_any"))
    throw UsageError("--semantics " + o.semantics + " does not fit a " + (wide ? "binary64" : "binary32") +
                     " model; use " + (wide ? "fp64_any" : "fp32_any") + ", real or best");
  return native;
}

RadiusRecord radius_record(const Options& o) {
  RadiusRecord r;
  r.radius = o.radius;
  r.scale = o.scale;
  r.mean = o.mean;
  r.std = o.std;
  r.layout = o.layout;
  r.clip = o.clip;
  return r;
}

Property make_property(const Options& o, const Model& model, std::vector<std::string>& notes) {
  if (o.property.empty()) return radius_query(o, model, notes);
  return read_vnnlib(o.property, model.graph.nodes[0].size, model.graph.nodes[model.graph.output].size);
}

Solved solve(const Options& o, const Model& model, const Network& net, Property property, double seconds_used) {
  const auto start = std::chrono::steady_clock::now();
  const auto used = [&] {
    return seconds_used + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Solved out;
  out.property = std::move(property);
  out.semantics = semantics_of(o, model.graph);
  if (out.property.vacuous) {
    out.outcome.reason = "vacuous";
    out.outcome.next = "every case is empty without the network: look at the bounds in the property";
    return out;
  }
  if (out.semantics == Semantics::capsule) solve_planned(o, model, used, out);
  if (!is_certifiable(model.graph)) out.uncertified = uncertifiable(model.graph);
  if (out.semantics == Semantics::capsule) return out;
  try {
    out.outcome = run(o, model, net, out.property, out.semantics, used(), out.certificate);
  } catch (const InputRefused& refusal) {  // a box beyond the element type has no float executions, but reals
    const bool overflow = refusal.blockers.size() == 1 && refusal.blockers[0].code == "input-overflow";
    if (o.semantics != "best" || !overflow) throw;
    out.outcome.reason = refusal.what();
  }
  if (o.semantics != "best" || out.outcome.verdict != Verdict::unknown || interrupted) return out;
  CertificateText real_certificate;
  Outcome real = run(o, model, net, out.property, Semantics::real, used(), real_certificate);
  if (real.verdict == Verdict::unknown) return out;
  out.outcome = std::move(real);
  out.certificate = std::move(real_certificate);
  out.semantics = Semantics::real;
  out.real_only = true;
  return out;
}

}  // namespace outward::cli
