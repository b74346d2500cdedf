#include "bounds/prove.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/forward.hpp"
#include "bounds/rounding.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

constexpr std::uint32_t no_slopes = 0xffffffff;

// An integer as a double and the distance between them, rounded up.
void enclose_integer(const Integer& value, double* nearest, double* radius) {
  const Rational exact_value(value);
  *nearest = round_nearest(exact_value);
  if (!(std::fabs(*nearest) < infinity)) {
    *nearest = 0;
    *radius = infinity;
    return;
  }
  const Rational rest = exact_value - exact(*nearest);
  *radius = rest == 0 ? 0.0 : round_up(abs(rest));
}

// The rows of all open cases of a box as linear forms over the outputs.
struct RowForms {
  Forms forms;
  std::vector<std::pair<std::size_t, std::uint32_t>> source;  // index into BoxResult::cases, row of the case
};

RowForms forms_of_open_cases(const Property& property, const BoxResult& result) {
  RowForms out;
  const auto outputs = static_cast<std::size_t>(property.outputs);
  bool inexact = false;
  for (std::size_t c = 0; c < result.cases.size(); ++c) {
    if (result.cases[c].refuted) continue;
    const Case& unsafe = property.cases[result.cases[c].case_index];
    for (std::uint32_t r = 0; r < unsafe.rows.size(); ++r) {
      const std::size_t at = out.forms.coefficient.size();
      out.forms.coefficient.resize(at + outputs, 0.0);
      out.forms.radius.resize(at + outputs, 0.0);
      for (const auto& [index, coefficient] : unsafe.rows[r].terms) {
        enclose_integer(coefficient, &out.forms.coefficient[at + index], &out.forms.radius[at + index]);
        inexact = inexact || out.forms.radius[at + index] != 0;
      }
      out.forms.constant.push_back(round_down(Rational(unsafe.rows[r].constant)));
      out.source.emplace_back(c, r);
      ++out.forms.rows;
    }
  }
  if (!inexact) out.forms.radius.clear();
  return out;
}

// True if the group of root k reads only the input and constants through at most one contraction and no sum of two
// branches: then the interval rule is already exact and a backward pass cannot improve it.
bool interval_is_exact(const Network& net, std::uint32_t k) {
  int contractions = 0;
  for (std::uint32_t member : net.members[k]) {
    const Node& node = net.node(member);
    contractions += is_contraction(node.kind);
    if (node.kind == Kind::add || (node.kind == Kind::map && net.map_repeats[member] > 1)) return false;
    for (std::uint32_t operand : node.operands)
      if (!inside_group(net.graph, net.groups, operand, member) && operand != 0 &&
          net.node(operand).kind != Kind::constant)
        return false;
  }
  return contractions <= 1;
}

// Elements of z whose bounds matter to their reader k: unstable, or members of an undecided max group.
void mark_elements(const Network& net, const State& state, std::uint32_t k, std::vector<char>& wanted) {
  const Node& node = net.node(k);
  const Range& x = state.range[node.operands[0]];
  if (node.kind == Kind::max) {
    const auto width = static_cast<std::size_t>(node.ints[0]);
    for (std::size_t i = 0; i < node.size; ++i) {
      const double best = *std::max_element(x.lo.begin() + static_cast<std::ptrdiff_t>(i * width),
                                            x.lo.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      std::size_t contenders = 0;
      for (std::size_t j = 0; j < width; ++j) contenders += x.hi[i * width + j] >= best;
      for (std::size_t j = 0; contenders > 1 && j < width; ++j)
        if (x.hi[i * width + j] >= best) wanted[i * width + j] = 1;
    }
    return;
  }
  for (std::size_t i = 0; i < node.size; ++i)
    if (is_unstable(node, x.lo[i], x.hi[i])) wanted[i] = 1;
}

}  // namespace

Range input_range(const std::vector<InputRange>& box, Semantics semantics, ElementType element) {
  Range out;
  out.lo.reserve(box.size());
  out.hi.reserve(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    double lo = round_down(box[i].lo), hi = round_up(box[i].hi);
    bool finite = lo > -infinity && hi < infinity;
    if (semantics != Semantics::real) {
      const bool narrow = element == ElementType::binary32;
      const double low = narrow ? round_nearest_binary32(box[i].lo) : round_nearest(box[i].lo);
      const double high = narrow ? round_nearest_binary32(box[i].hi) : round_nearest(box[i].hi);
      finite = finite && low > -infinity && high < infinity;
      lo = std::min(lo, low);
      hi = std::max(hi, high);
    }
    if (!finite)
      throw InputRefused({"input-overflow", "input X_" + std::to_string(i), "the bound is beyond the element type",
                          "a finite number", fraction_text(box[i].lo) + " … " + fraction_text(box[i].hi), ""});
    out.lo.push_back(lo);
    out.hi.push_back(hi);
  }
  return out;
}

BoxProver::BoxProver(const Network& net, Semantics semantics, EngineOptions options, ProveOptions how)
    : net_(net), semantics_(semantics), how_(how), engine_(net, std::move(options)) {}

std::vector<std::uint32_t> BoxProver::used_slopes(const std::vector<std::uint32_t>& slope_ids,
                                                  std::uint32_t top) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k <= top; ++k)
    if (slope_ids[k] != no_slopes) out.push_back(slope_ids[k]);
  return out;
}

void BoxProver::refine_node(State& state, std::uint32_t k, const std::vector<std::uint32_t>& slope_ids,
                            ProofObserver& observer) {
  std::vector<char> wanted(net_.node(k).size, 0);
  for (std::uint32_t reader = k + 1; reader < net_.size(); ++reader) {
    const Node& node = net_.node(reader);
    if ((is_piecewise(node.kind) || node.kind == Kind::max) && node.operands[0] == k)
      mark_elements(net_, state, reader, wanted);
  }
  std::vector<std::uint32_t> elements;
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) elements.push_back(i);
  if (elements.empty()) return;
  std::vector<double> bounds(elements.size());
  Range& range = state.range[k];
  engine_.unit_bounds(state, k, elements, 1.0, bounds);
  std::vector<std::uint32_t> lower, upper;
  std::vector<double> lows = bounds;
  engine_.unit_bounds(state, k, elements, -1.0, bounds);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (lows[i] > range.lo[elements[i]]) {
      range.lo[elements[i]] = lows[i];
      lower.push_back(elements[i]);
    }
    if (-bounds[i] < range.hi[elements[i]]) {
      range.hi[elements[i]] = -bounds[i];
      upper.push_back(elements[i]);
    }
    if (range.lo[elements[i]] > range.hi[elements[i]])
      throw ResourceError("internal: bounds cross at " + net_.node(k).origin + "; no verdict is given");
  }
  if (!lower.empty() || !upper.empty()) observer.backward(k, lower, upper, used_slopes(slope_ids, k));
}

void BoxProver::run_sweep(State& state, ProofObserver& observer, Sweep sweep, std::vector<std::uint32_t>& slope_ids) {
  slope_ids.assign(net_.size(), no_slopes);
  for (std::uint32_t k = 1; k < net_.size(); ++k) {
    if (!net_.groups.stored[k]) continue;
    interval_step(net_, state, k);
    observer.interval(k);
    if (sweep.refine && !interval_is_exact(net_, k)) refine_node(state, k, slope_ids, observer);
    const Node& node = net_.node(k);
    if (!is_piecewise(node.kind) && node.kind != Kind::max) continue;
    const SlopeBytes bytes = sweep.parallel ? parallel_slopes(net_, state, k) : adaptive_slopes(net_, state, k);
    set_lines(net_, state, k, bytes);
    slope_ids[k] = next_slope_id_++;
    observer.slopes(slope_ids[k], k, bytes);
  }
}

void BoxProver::refute(const Property& property, State& state, const std::vector<std::uint32_t>& slope_ids,
                       BoxResult& result, ProofObserver& observer) {
  const RowForms rows = forms_of_open_cases(property, result);
  if (rows.forms.rows == 0) return;
  std::vector<double> bounds(rows.forms.rows);
  const std::uint32_t output = net_.graph.output;
  engine_.form_bounds(state, output, rows.forms, bounds);
  const std::vector<std::uint32_t> ids = used_slopes(slope_ids, output);
  const double one = 1.0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    CaseBound& c = result.cases[rows.source[i].first];
    const std::uint32_t r = rows.source[i].second;
    if (c.refuted) continue;
    if (bounds[i] > c.bound) {
      c.bound = bounds[i];
      c.row = r;
    }
    const bool strict = property.cases[c.case_index].rows[r].strict;
    if (bounds[i] > 0 || (strict && bounds[i] >= 0)) {
      c.refuted = true;
      observer.refute(c.case_index, std::span(&r, 1), std::span(&one, 1), ids);
    }
  }
}

void BoxProver::explain_gap(const Property& property, const State& state, BoxResult& result) {
  const CaseBound* worst = nullptr;
  for (const CaseBound& c : result.cases)
    if (!c.refuted && (!worst || c.bound < worst->bound)) worst = &c;
  if (!worst || !state.model.is_float) return;
  State exact_network = state;
  for (std::uint32_t k = 0; k < net_.size(); ++k) {
    std::vector<double>& delta = exact_network.delta[k];
    for (std::size_t i = 0; i < delta.size() && net_.is_root(k); ++i) exact_network.cost[k][i] -= delta[i];
    delta.clear();
  }
  BoxResult one;
  one.cases.push_back({worst->case_index, false, -infinity, 0});
  const RowForms rows = forms_of_open_cases(property, one);
  std::vector<double> bounds(rows.forms.rows);
  engine_.form_bounds(exact_network, net_.graph.output, rows.forms, bounds);
  if (worst->row < bounds.size()) result.error_box_part = bounds[worst->row] - worst->bound;
}

BoxResult BoxProver::prove(const Property& property, std::uint32_t index, ProofObserver& observer) {
  BoxResult result;
  for (std::uint32_t c = 0; c < property.cases.size(); ++c)
    if (property.cases[c].box == index) result.cases.push_back({c, false, -infinity, 0});
  observer.begin_box(index);
  State state(net_, semantics_);
  try {
    set_input_range(net_, state, input_range(property.boxes[index], semantics_, net_.graph.element));
    std::vector<std::uint32_t> slope_ids;
    auto open = [&] {
      return std::count_if(result.cases.begin(), result.cases.end(), [](const CaseBound& c) { return !c.refuted; });
    };
    // Each sweep tightens the ranges of the one before. A sweep that refutes nothing and is followed by none is left
    // out of the proof; the first one too if it refutes nothing, since it recorded interval steps only.
    static constexpr Sweep all[] = {{false, false}, {true, false}, {true, true}, {true, false}};
    const std::span<const Sweep> sweeps = how_.one_sweep ? std::span(all + 1, 1) : std::span(all);
    for (const Sweep& sweep : sweeps) {
      const std::uint32_t first_id = next_slope_id_;
      const auto before = open();
      observer.begin_attempt();
      run_sweep(state, observer, sweep, slope_ids);
      refute(property, state, slope_ids, result, observer);
      if (open() == 0 || !state.overflow.empty()) break;
      if (!sweep.refine && open() == before) {
        observer.drop_attempt();
        next_slope_id_ = first_id;
      }
    }
    if (open() > 0) explain_gap(property, state, result);
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  const Range& output = state.range[net_.graph.output];
  if (!output.lo.empty()) result.output = output;
  result.overflow = state.overflow;
  observer.close_box();
  return result;
}

BoxResult BoxProver::enclose(const Property& property, ProofObserver& observer) {
  BoxResult result;
  observer.begin_box(0);
  State state(net_, semantics_);
  const std::uint32_t output = net_.graph.output;
  try {
    set_input_range(net_, state, input_range(property.boxes[0], semantics_, net_.graph.element));
    const std::size_t n = net_.node(output).size;
    std::vector<std::uint32_t> all(n), slope_ids;
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    std::vector<double> bounds(n);
    result.output.lo.assign(n, -infinity);
    result.output.hi.assign(n, infinity);
    for (const Sweep& sweep : {Sweep{true, false}, Sweep{true, true}}) {
      run_sweep(state, observer, sweep, slope_ids);
      const std::vector<std::uint32_t> ids = used_slopes(slope_ids, output);
      for (const bool is_lower : {true, false}) {
        engine_.unit_bounds(state, output, all, is_lower ? 1.0 : -1.0, bounds);
        for (std::uint32_t i = 0; i < n; ++i) {
          // The claim is the backward bound itself, relaxed a little: the checker recomputes it with other roundings.
          const double value = sub_down(bounds[i], add_up(mul_up(0x1p-40, std::fabs(bounds[i])), 0x1p-1000));
          double& known = is_lower ? result.output.lo[i] : result.output.hi[i];
          if (!(value > -infinity) || value <= (is_lower ? known : -known)) continue;
          known = is_lower ? value : -value;
          observer.bound(i, is_lower, known, ids);
        }
      }
      if (how_.one_sweep) break;
    }
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  result.overflow = state.overflow;
  observer.close_box();
  return result;
}

BoxResult BoxProver::interval_only(const Range& input) {
  BoxResult result;
  State state(net_, semantics_);
  set_input_range(net_, state, input);
  for (std::uint32_t k = 1; k < net_.size(); ++k)
    if (net_.groups.stored[k]) interval_step(net_, state, k);
  result.output = state.range[net_.graph.output];
  result.overflow = state.overflow;
  return result;
}

}  // namespace outward
