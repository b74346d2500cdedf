#include "bounds/branch/linear_part.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/linear_program.hpp"

namespace outward {

std::optional<NeuronRow> solved_multipliers(const Network& net, const RowTable& table, const State& root,
                                            const Neurons& neurons, const NeuronRow& row, BackwardEngine& engine,
                                            const std::function<bool()>& stop) {
  NeuronRow solved = row;
  for (Half& h : solved.halves) h.beta = 0;
  PlaneSet set;
  set.inputs = net.node(0).size;
  // All forms of one node in one pass.
  const auto add = [&](std::uint32_t node, const Forms& forms, const std::vector<double>& factors) {
    std::vector<double> bounds(forms.rows);
    Planes planes;
    const NeuronRows lines(net, root, neurons, std::vector<const NeuronRow*>(forms.rows, &solved));
    engine.form_bounds(root, node, forms, bounds, &planes, &lines);
    for (std::size_t r = 0; r < forms.rows; ++r)
      set.add(planes.coefficient.data() + r * set.inputs, planes.offset[r], factors[r]);
  };
  const std::size_t rows = row.weights.size();
  Forms outputs;
  std::vector<double> factors;
  for (std::uint32_t r = 0; r < rows; ++r) {
    table.append(row.case_index, r, outputs);
    factors.push_back(1 / table.scale(row.case_index, r));
  }
  add(net.graph.output, outputs, factors);
  for (const Half& h : row.halves) {  // z >= at: at - z <= 0
    const std::uint32_t z = net.node(neurons[h.neuron].node).operands[0];
    Forms form;
    form.rows = 1;
    form.coefficient.assign(net.node(z).size, 0);
    form.coefficient[neurons[h.neuron].element] = h.upper ? -1 : 1;
    form.constant = {h.upper ? h.at : -h.at};
    add(z, form, {1});
  }
  const Range& box = root.range[0];
  const PlaneSum sum = highest_sum(set, box.lo, box.hi, stop);
  if (!(sum.value > 0)) return std::nullopt;
  double of_rows = 0;
  for (std::size_t r = 0; r < rows; ++r) of_rows += solved.weights[r] = sum.weights[r];
  if (of_rows == 0) {  // the part is empty; a refutation names a row all the same
    double greatest = std::fabs(set.offset[0]);
    for (std::size_t i = 0; i < set.inputs; ++i)
      greatest += std::fabs(set.coefficient[i]) * std::max(std::fabs(box.lo[i]), std::fabs(box.hi[i]));
    of_rows = solved.weights[0] = 0.25 * sum.value / (1 + greatest);
  }
  for (double& w : solved.weights) w /= of_rows;
  for (std::size_t h = 0; h < solved.halves.size(); ++h) solved.halves[h].beta = sum.weights[rows + h] / of_rows;
  return solved;
}

}  // namespace outward
