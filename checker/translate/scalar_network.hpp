// Fully connected networks of one input and one output with their derivatives, enclosed over intervals.
#pragma once
#include "checker/translate/enclosures.hpp"

namespace outward_check::torchlean {

enum class Activation : std::uint8_t { tanh, sine, relu };

// Value, first and second derivative with respect to the input; a ReLU network has no second one (it is left 0).
struct Jet {
  Enclosure value, slope, curve;
};

struct ScalarNetwork {
  struct Layer {
    Matrix weights;
    Vector bias;
  };
  std::vector<Layer> layers;  // the activation stands between them
  Activation activation = Activation::tanh;
  bool smooth() const { return activation != Activation::relu; }
};

// {meta: {activation}, "layers.i.weight", "layers.i.bias"}, or that below the key params.
ScalarNetwork read_scalar_network(const JsonText& document);
std::uint64_t jet_cost(const ScalarNetwork& net);  // of one jet, in the units of Effort
Jet jet_over(const ScalarNetwork& net, const Enclosure& input, std::uint64_t bits);
// The same, tighter on short intervals: the mean value theorem from the middle. The second derivative as in jet_over.
Jet centred_jet_over(const ScalarNetwork& net, const Enclosure& input, std::uint64_t bits);

}  // namespace outward_check::torchlean
