// Multipliers of a part in which every neuron is linear: over the reals the part is then a linear program, and the
// multipliers of its rows and halves are the dual solution (Farkas). A proposal: the caller bounds the row, rigorously.
#pragma once
#include <functional>
#include <optional>

#include "bounds/backward.hpp"
#include "bounds/branch/neuron_row.hpp"

namespace outward {

// The row with the best weights and multipliers β for the planes below each of its rows and halves by itself; nothing
// if they do not promise a refutation. Works where neurons are not linear too, but then the planes of a sum are better
// than the sum of the planes. May throw Interrupted.
std::optional<NeuronRow> solved_multipliers(const Network& net, const RowTable& table, const State& root,
                                            const Neurons& neurons, const NeuronRow& row, BackwardEngine& engine,
                                            const std::function<bool()>& stop);

}  // namespace outward
