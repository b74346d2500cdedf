// Executions by the interval rules on points: see check.hpp and rules.cpp.
#include "checker/kernel/check.hpp"

namespace outward_check {

namespace {

template <class F> bool convert(const Fraction& x, Nearest<F>* out) {
  double rounded = 0;
  const bool fits = round_to_float(x, sizeof(F) == 8, &rounded);
  return *out = rounded, fits;
}
bool convert(const Fraction& x, Exact* out) {  // false if the arithmetic would have to round
  *out = Exact(x);
  return out->value == x;
}

template <class U> Run execute_in(const Structure& structure, const std::vector<Fraction>& inputs) {
  const Graph& graph = structure.graph;
  std::vector<U> at(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!convert(inputs[i], &at[i])) return {"input " + std::to_string(i) + " is out of range", {}};
  }
  State<U> state(structure, Numerics());
  state.start(at);
  for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) {
    if (!structure.stored[k]) continue;
    state.interval(k);
    for (const Interval<U>& z : state.ranges(k)) {
      if (!is_infinite(z.n) && !is_infinite(z.h)) continue;
      return {"node " + std::to_string(k) + " gives infinity or no number", {}};
    }
  }
  Run run;
  for (const Interval<U>& z : state.ranges(graph.output)) {
    run.outputs.push_back({Exact(exactly(z.n)), Exact(exactly(z.h))});
  }
  return run;
}

// Empty if x lies in the box, strict ends respected.
std::string outside(const std::vector<InputRange>& box, const std::vector<Fraction>& x) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    const InputRange& r = box[i];
    const int low = Fraction::compare(r.lo, x[i]), high = Fraction::compare(x[i], r.hi);
    if (low > 0 || (low == 0 && r.lo_strict) || high > 0 || (high == 0 && r.hi_strict)) {
      return "input " + std::to_string(i) + " is not in [" + r.lo.text() + ", " + r.hi.text() + "]";
    }
  }
  return "";
}

// Empty if all rows are surely true.
std::string untrue(const std::vector<Row>& rows, const std::vector<Interval<Exact>>& y,
                   std::vector<std::string>* notes) {
  const Exact zero;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Interval<Exact> sum = point(Exact(rows[r].constant));
    for (const auto& [j, a] : rows[r].terms) sum = add(sum, times(y[j], Exact(a)));
    notes->push_back("row " + std::to_string(r) + " is about " + std::to_string(roughly(sum.h)) +
                     (rows[r].strict ? ", unsafe below 0" : ", unsafe up to 0"));
    if (rows[r].strict ? sum.h < zero : sum.h <= zero) continue;
    const bool fails = rows[r].strict ? sum.n <= zero : sum.n < zero;
    return "row " + std::to_string(r) + (fails ? " is not met" : " is too close to be decided");
  }
  return "";
}

}  // namespace

Run execute(const Structure& structure, Execution kind, const std::vector<Fraction>& inputs) {
  if (kind == Execution::fp32_sequential) return execute_in<Nearest<float>>(structure, inputs);
  if (kind == Execution::fp64_sequential) return execute_in<Nearest<double>>(structure, inputs);
  return execute_in<Exact>(structure, inputs);
}

Witness check_witness(const Structure& structure, const Property& property, std::size_t first,
                      std::size_t last, const std::vector<Fraction>& x, Execution kind) {
  Witness w;
  for (w.which = first; w.which < last; ++w.which) {
    const Case& unsafe = property.cases[w.which];
    const std::string reason = outside(property.boxes[unsafe.box], x);
    if (!reason.empty()) {
      if (w.reason.empty()) w.reason = reason;
      continue;
    }
    if (w.outputs.empty()) {
      Run run = execute(structure, kind, x);
      if (!run.fault.empty()) return w.reason = "the execution fails: " + run.fault, w;
      w.outputs = std::move(run.outputs);
    }
    w.notes.clear();
    w.reason = untrue(unsafe.rows, w.outputs, &w.notes);
    if (w.reason.empty()) return w.proved = true, w;
    w.reason = "case " + std::to_string(w.which) + ": " + w.reason;
  }
  return w;
}

}  // namespace outward_check
