#include "bounds/prove.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/forward.hpp"
#include "bounds/relaxation.hpp"
#include "bounds/rounding.hpp"
#include "formats/error.hpp"

namespace outward {

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
    : net_(net), semantics_(semantics), how_(how), sweeper_(net, std::move(options)), part_state_(net, semantics) {}

namespace {

constexpr double part_margin = 1e-9;  // scaled, while branching

// A bound that refutes. In a part the checker's own roundings must not matter: thousands of leaves are refuted by next
// to nothing.
// Exactly 0 for a strict row comes from dead neurons and is 0 for the checker too.
bool refutes(double bound, bool strict, double margin) { return bound > margin || (strict && bound == 0); }

}  // namespace

// Rows one by one; when branching (part not null) sums of the rows of a case too, and the worst open case is described.
void BoxProver::refute(const RowTable& rows, State& state, const std::vector<std::uint32_t>& slope_ids,
                       std::vector<CaseBound>& cases, ProofObserver& observer, PartResult* part) {
  Forms forms;
  std::vector<CaseBound*> asked;
  for (CaseBound& c : cases) {
    if (c.refuted || rows.rows(c.case_index) == 0) continue;
    asked.push_back(&c);
    for (std::uint32_t r = 0; r < rows.rows(c.case_index); ++r) rows.append(c.case_index, r, forms);
  }
  if (forms.rows == 0) return;
  std::vector<double> bounds(forms.rows);
  Planes planes;
  sweeper_.engine.form_bounds(state, net_.graph.output, forms, bounds, part ? &planes : nullptr);
  const std::vector<std::uint32_t> ids = sweeper_.used_slopes(slope_ids, net_.graph.output);
  Forms worst_form;
  std::size_t first = 0;
  for (CaseBound* c : asked) {
    const std::size_t count = rows.rows(c->case_index);
    const Attempt row =
        refute_by_row(rows, std::span(bounds).subspan(first, count), *c, part != nullptr, ids, observer);
    Attempt best = row;
    Forms best_form;
    Planes sum_planes;
    if (!c->refuted && part) {
      if (count > 1) best = refute_by_sum(rows, state, planes, first, *c, ids, observer, best_form, sum_planes);
      const bool by_row = best_form.rows == 0 || !(best.bound > row.bound);
      if (by_row) {
        best = row;
        best_form = Forms();
        rows.append(c->case_index, row.row, best_form);
      }
      if (!c->refuted && (best.bound < part->worst || part->plane.empty())) {
        const std::size_t inputs = state.range[0].lo.size();
        const double* plane =
            by_row ? planes.coefficient.data() + (first + row.row) * inputs : sum_planes.coefficient.data();
        part->worst = best.bound;
        part->case_index = c->case_index;
        part->rows = by_row ? std::vector<std::uint32_t>{row.row} : best.rows;
        part->multipliers = by_row ? std::vector<double>{1} : best.multipliers;
        part->bound = by_row ? bounds[first + row.row] : best.bound;
        part->slopes = ids;
        part->plane.assign(plane, plane + inputs);
        worst_form = std::move(best_form);
      }
    }
    first += count;
  }
  if (part && worst_form.rows > 0) part->loss = relaxation_loss(state, worst_form);
}

// The row with the best bound, scaled; the case is refuted by the first one that suffices.
BoxProver::Attempt BoxProver::refute_by_row(const RowTable& rows, std::span<const double> bounds, CaseBound& c,
                                            bool branching, std::span<const std::uint32_t> ids,
                                            ProofObserver& observer) const {
  Attempt best;
  for (std::uint32_t r = 0; r < bounds.size(); ++r) {
    const double scale = rows.scale(c.case_index, r), one = 1.0;
    if (bounds[r] / scale > best.bound) best = {bounds[r] / scale, r, {}, {}};
    if (bounds[r] > c.bound) {
      c.bound = bounds[r];
      c.row = r;
    }
    if (c.refuted || !refutes(bounds[r], rows.strict(c.case_index, r), branching ? part_margin * scale : 0)) continue;
    c.refuted = true;
    observer.refute(c.case_index, std::span(&r, 1), std::span(&one, 1), ids, {});
  }
  return best;
}

// The sum of the rows from `first` on of the planes that promises most. form and sum_planes stay empty if it is one
// row.
BoxProver::Attempt BoxProver::refute_by_sum(const RowTable& rows, const State& state, const Planes& planes,
                                            std::size_t first, CaseBound& c, std::span<const std::uint32_t> ids,
                                            ProofObserver& observer, Forms& form, Planes& sum_planes) {
  std::vector<double> scales, multipliers, used_multipliers;
  for (std::uint32_t r = 0; r < rows.rows(c.case_index); ++r) scales.push_back(rows.scale(c.case_index, r));
  multipliers = weigh_planes(planes, first, scales.size(), scales, state.range[0]);
  std::vector<std::uint32_t> used;
  for (std::uint32_t r = 0; r < multipliers.size(); ++r) {
    multipliers[r] /= scales[r];
    if (multipliers[r] == 0) continue;
    used.push_back(r);
    used_multipliers.push_back(multipliers[r]);
  }
  Attempt sum;
  if (used.size() < 2) return sum;
  sum.rows = used;
  sum.multipliers = used_multipliers;
  rows.append_sum(c.case_index, multipliers, form);
  sweeper_.engine.form_bounds(state, net_.graph.output, form, std::span(&sum.bound, 1), &sum_planes);
  if (refutes(sum.bound, false, part_margin)) {
    c.refuted = true;
    observer.refute(c.case_index, used, used_multipliers, ids, {});
  }
  return sum;
}

// Where the plane below the form of the open case is positive, nothing is unsafe: what is left of each input is an
// interval at one of its ends. Worth the steps that must then be written for the part when together it halves the part,
// about. Each piece that goes is bounded rigorously, with the ranges and lines of the part.
void BoxProver::clip(const RowTable& rows, State& state, PartResult& part) {
  constexpr double least_cut = 0.9, worthwhile = 0.6;
  Range& x = state.range[0];
  if (part.plane.empty() || !(part.bound <= 0) || !(part.bound > -infinity)) return;
  for (std::uint32_t k = 1; k < net_.size(); ++k)  // its lines would change with the piece
    if ((is_piecewise(net_.node(k).kind) || net_.node(k).kind == Kind::max) && net_.node(k).operands[0] == 0) return;
  std::vector<double> all(rows.rows(part.case_index), 0.0);
  double scale = 0;
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    all[part.rows[r]] = part.multipliers[r];
    scale += part.multipliers[r] * rows.scale(part.case_index, part.rows[r]);
  }
  const double wanted = part_margin * scale, slack = -part.bound + 1e3 * wanted;
  std::vector<Clip> clips;
  double left = 1;
  for (std::uint32_t d = 0; d < x.lo.size(); ++d) {
    const double a = part.plane[d], width = x.hi[d] - x.lo[d], keep = slack / std::fabs(a) * (1 + 1e-9);
    if (!(keep < least_cut * width)) continue;
    const double at = a > 0 ? x.lo[d] + keep : x.hi[d] - keep;
    if (!(x.lo[d] < at && at < x.hi[d])) continue;
    clips.push_back({d, at, a > 0});
    left *= keep / width;
  }
  if (!(left < worthwhile)) return;
  Forms form;
  rows.append_sum(part.case_index, all, form);
  const Range whole = x;
  for (const Clip& c : clips) {
    double& kept = c.keep_lower ? x.hi[c.input] : x.lo[c.input];
    double& other = c.keep_lower ? x.lo[c.input] : x.hi[c.input];
    const double end = other;
    other = c.at;
    double bound = -infinity;
    sweeper_.engine.form_bounds(state, net_.graph.output, form, std::span(&bound, 1));
    other = end;
    if (!refutes(bound, false, wanted)) continue;
    kept = c.at;
    part.clips.push_back(c);
  }
  x = whole;
}

// Each unstable neuron costs a bound about its coefficient times the height between its lines; each input is to blame
// in proportion to what it contributes to the neuron's width.
std::vector<double> BoxProver::relaxation_loss(const State& state, const Forms& form) {
  const Range& x = state.range[0];
  const std::size_t inputs = x.lo.size();
  std::vector<double> loss(inputs, 0.0), share(inputs);
  Planes planes;
  planes.at_node.resize(net_.size());
  double bound = 0;
  sweeper_.engine.form_bounds(state, net_.graph.output, form, std::span(&bound, 1), &planes);
  for (std::uint32_t k = 0; k < net_.size(); ++k) {
    const Node& node = net_.node(k);
    if (!is_piecewise(node.kind) || planes.at_node[k].empty()) continue;
    const Range& z = state.range[node.operands[0]];
    const Sweeper::Refined& refined = sweeper_.refined[node.operands[0]];
    for (std::size_t r = 0; r < refined.elements.size(); ++r) {
      const std::uint32_t i = refined.elements[r];
      if (!is_unstable(node, z.lo[i], z.hi[i])) continue;
      const double nu = planes.at_node[k][i];
      const double height = nu < 0 ? -z.lo[i] * z.hi[i] / (z.hi[i] - z.lo[i]) : std::min(-z.lo[i], z.hi[i]);
      double total = 0;
      for (std::size_t d = 0; d < inputs; ++d)
        total += share[d] = std::fabs(refined.planes.coefficient[r * inputs + d]) * (x.hi[d] - x.lo[d]);
      const double cost = std::fabs(nu * height);
      if (!(total > 0) || !(cost < infinity)) continue;
      for (std::size_t d = 0; d < inputs; ++d) loss[d] += cost * share[d] / total;
    }
  }
  return loss;
}

void BoxProver::explain_gap(const RowTable& rows, const State& state, BoxResult& result) {
  const CaseBound* worst = nullptr;
  for (const CaseBound& c : result.cases)
    if (!c.refuted && (!worst || c.bound < worst->bound)) worst = &c;
  if (!worst || !state.model.is_float || rows.rows(worst->case_index) == 0) return;
  State exact_network = state;
  for (std::uint32_t k = 0; k < net_.size(); ++k) {
    std::vector<double>& delta = exact_network.delta[k];
    for (std::size_t i = 0; i < delta.size() && net_.is_root(k); ++i) exact_network.cost[k][i] -= delta[i];
    delta.clear();
  }
  Forms form;
  rows.append(worst->case_index, worst->row, form);
  double bound = -infinity;
  sweeper_.engine.form_bounds(exact_network, net_.graph.output, form, std::span(&bound, 1));
  result.error_box_part = bound - worst->bound;
}

BoxResult BoxProver::prove(const RowTable& rows, std::uint32_t index, ProofObserver& observer,
                           std::optional<RootProof>* root) {
  BoxResult result;
  const Property& property = rows.property();
  for (std::uint32_t c = 0; c < property.cases.size(); ++c)
    if (property.cases[c].box == index) result.cases.push_back({c, false, -infinity, 0});
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
      const std::uint32_t first_id = sweeper_.next_id;
      const auto before = open();
      observer.begin_attempt();
      sweeper_.run(state, observer, sweep, slope_ids);
      refute(rows, state, slope_ids, result.cases, observer, nullptr);
      if (open() == 0 || !state.overflow.empty()) break;
      if (!sweep.refine && open() == before) {
        observer.drop_attempt();
        sweeper_.next_id = first_id;
      }
    }
    if (open() > 0) {
      explain_gap(rows, state, result);
      if (root) root->emplace(RootProof{state, slope_ids, sweeper_.next_id});
    }
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  const Range& output = state.range[net_.graph.output];
  if (!output.lo.empty()) result.output = output;
  result.overflow = state.overflow;
  return result;
}

PartResult BoxProver::prove_part(const RowTable& rows, const Part& part, ProofObserver& observer) {
  PartResult result;
  for (std::uint32_t c : part.open) result.cases.push_back({c, false, -infinity, 0});
  State& state = part_state_;
  state.forget(net_);
  if (part.known)
    for (std::uint32_t k = 1; k < net_.size(); ++k) state.range[k] = (*part.known)[k];
  set_input_range(net_, state, part.input);
  std::vector<std::uint32_t> slope_ids;
  sweeper_.next_id = 0;
  sweeper_.keep_planes = true;
  sweeper_.run(state, observer, {true, false}, slope_ids);
  sweeper_.keep_planes = false;
  refute(rows, state, slope_ids, result.cases, observer, &result);
  const auto open =
      std::count_if(result.cases.begin(), result.cases.end(), [](const CaseBound& c) { return !c.refuted; });
  if (open == 1 && state.overflow.empty()) clip(rows, state, result);
  if ((open > 0 && static_cast<std::size_t>(open) < result.cases.size()) || !result.clips.empty())
    result.ranges = state.range;
  result.overflow = state.overflow;
  return result;
}

double claimable(double bound) { return sub_down(bound, add_up(mul_up(0x1p-40, std::fabs(bound)), 0x1p-1000)); }

BoxResult BoxProver::enclose(const Property& property, ProofObserver& observer, std::optional<RootProof>* root) {
  BoxResult result;
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
      sweeper_.run(state, observer, sweep, slope_ids);
      const std::vector<std::uint32_t> ids = sweeper_.used_slopes(slope_ids, output);
      for (const bool is_lower : {true, false}) {
        sweeper_.engine.unit_bounds(state, output, all, is_lower ? 1.0 : -1.0, bounds);
        for (std::uint32_t i = 0; i < n; ++i) {
          const double value = claimable(bounds[i]);
          double& known = is_lower ? result.output.lo[i] : result.output.hi[i];
          if (!(value > -infinity) || value <= (is_lower ? known : -known)) continue;
          known = is_lower ? value : -value;
          observer.bound(i, is_lower, known, ids);
        }
      }
      if (how_.one_sweep) break;
    }
    if (root && state.overflow.empty()) root->emplace(RootProof{state, slope_ids, sweeper_.next_id});
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  result.overflow = state.overflow;
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
