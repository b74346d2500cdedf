// Networks of one input with derivatives: see scalar_network.hpp.
#include "checker/translate/scalar_network.hpp"

#include <algorithm>

#include "checker/readers/json.hpp"

namespace outward_check::torchlean {

namespace {

Activation activation_named(const JsonText& name) {
  constexpr std::pair<const char*, Activation> known[] = {{"tanh", Activation::tanh},
                                                          {"relu", Activation::relu},
                                                          {"sin", Activation::sine},
                                                          {"sine", Activation::sine},
                                                          {"siren", Activation::sine}};
  for (const auto& [text, activation] : known)
    if (name.text == text) return activation;
  refuse_unsupported("the activation " + json_string(name.text) + " is not known");
}

// tanh'' = -2y(1 - y^2) over y = tanh: the ends, and where y = -1/sqrt(3) or 1/sqrt(3) lies between, the extreme
// values 4/(3 sqrt 3) = sqrt(16/27) and its negative.
Enclosure tanh_bend(const Enclosure& y, std::uint64_t bits) {
  const auto at = [](const Fraction& v) { return Fraction(-2) * v * (Fraction(1) - v * v); };
  const auto beyond = [](const Fraction& v) {  // v >= 1/sqrt(3)
    return v.sign() > 0 && Fraction(3) * v * v >= Fraction(1);
  };
  const Fraction low = at(y.lo), high = at(y.hi);
  Enclosure out{std::min(low, high), std::max(low, high)};
  const Enclosure extreme = sqrt(point(Fraction(BigInt(16), BigInt(27))), bits);
  if (beyond(y.hi) && !beyond(y.lo)) out = hull(out, negated(extreme));
  if (beyond(-y.lo) && !beyond(-y.hi)) out = hull(out, extreme);
  return out;
}

// f(z) with z(t): f' z' and f' z'' + f'' z'^2.
Jet activated(Activation activation, const Jet& z, std::uint64_t bits) {
  const Fraction one(1);
  Enclosure value, first, second;
  switch (activation) {
    case Activation::tanh:
      value = tanh(z.value, bits);
      first = sum(point(one), negated(power(value, 2)));
      second = tanh_bend(value, bits);
      break;
    case Activation::sine:
      value = sin(z.value, bits), first = cos(z.value, bits), second = negated(value);
      break;
    case Activation::relu: {
      const Fraction zero;
      value = {std::max(z.value.lo, zero), std::max(z.value.hi, zero)};
      first = {z.value.lo.sign() > 0 ? one : zero, z.value.hi.sign() < 0 ? zero : one};
      return {value, product(first, z.slope), {}};
    }
  }
  const Enclosure bend = sum(product(first, z.curve), product(second, power(z.slope, 2)));
  return {value, outward(product(first, z.slope), bits), outward(bend, bits)};
}

std::vector<Jet> linear(const ScalarNetwork::Layer& layer, const std::vector<Jet>& x, std::uint64_t bits) {
  std::vector<Jet> out;
  for (std::size_t i = 0; i < layer.weights.size(); ++i) {
    Jet y{point(layer.bias[i]), {}, {}};
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Enclosure w = point(layer.weights[i][j]);
      y.value = sum(y.value, product(w, x[j].value));
      y.slope = sum(y.slope, product(w, x[j].slope));
      y.curve = sum(y.curve, product(w, x[j].curve));
    }
    out.push_back({outward(y.value, bits), outward(y.slope, bits), outward(y.curve, bits)});
  }
  return out;
}

}  // namespace

ScalarNetwork read_scalar_network(const JsonText& document) {
  if (document.find("params") != nullptr) {
    require_keys(document, {"params"}, {"meta"});
    if (document.find("meta") == nullptr) return read_scalar_network(*document.find("params"));
  }
  const JsonText& holder = document.find("params") == nullptr ? document : *document.find("params");
  const JsonText& meta = member(document, "meta", JsonKind::object);
  require_keys(meta, {"activation"});
  ScalarNetwork net;
  net.activation = activation_named(member(meta, "activation", JsonKind::string));
  std::vector<std::string> keys = {};
  if (&holder == &document) keys.push_back("meta");
  std::size_t size = 1;
  for (std::size_t k = 0;; ++k) {
    const std::string name = "layers." + std::to_string(k);
    const JsonText *weights = holder.find(name + ".weight"), *bias = holder.find(name + ".bias");
    if (weights == nullptr || bias == nullptr) break;
    keys.push_back(name + ".weight"), keys.push_back(name + ".bias");
    ScalarNetwork::Layer layer{matrix(*weights, any_size, size), {}};
    size = layer.weights.size();
    layer.bias = numbers(*bias, size);
    net.layers.push_back(std::move(layer));
  }
  require_keys(holder, keys);
  if (net.layers.empty() || size != 1) malformed(document, "expected layers from one input to one output");
  return net;
}

std::uint64_t jet_cost(const ScalarNetwork& net) {
  std::uint64_t cost = 0;
  for (const ScalarNetwork::Layer& layer : net.layers)
    cost += layer.weights.size() * (40 * layer.weights[0].size() + 20000);
  return cost;
}

Jet jet_over(const ScalarNetwork& net, const Enclosure& input, std::uint64_t bits) {
  std::vector<Jet> x = {{input, point(Fraction(1)), {}}};
  for (std::size_t k = 0; k < net.layers.size(); ++k) {
    if (k > 0)
      for (Jet& jet : x) jet = activated(net.activation, jet, bits);
    x = linear(net.layers[k], x, bits);
  }
  return x[0];
}

Jet centred_jet_over(const ScalarNetwork& net, const Enclosure& input, std::uint64_t bits) {
  Jet whole = jet_over(net, input, bits);
  const Fraction middle = (input.lo + input.hi) / Fraction(2), radius = input.hi - middle;
  const Enclosure offset{-radius, radius};
  const Jet centre = jet_over(net, point(middle), bits);
  whole.value = common(whole.value, sum(centre.value, product(whole.slope, offset)));
  if (net.smooth()) whole.slope = common(whole.slope, sum(centre.slope, product(whole.curve, offset)));
  return whole;
}

}  // namespace outward_check::torchlean
