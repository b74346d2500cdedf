// Chains of linear and ReLU layers: see chain.hpp.
#include "checker/translate/chain.hpp"

#include <algorithm>

#include "checker/kernel/structure.hpp"

namespace outward_check::torchlean {

namespace {

void limit_weights(std::size_t rows, std::size_t columns) {
  if (rows > limit(Limit::layer_weights) / std::max<std::size_t>(columns, 1))
    over(Limit::layer_weights, "model: a linear layer of more weights as a matrix");
}

// Dense and conv nodes as a matrix.
ChainLayer contraction(const Structure& structure, std::uint32_t k, std::size_t inputs) {
  const Node& node = structure.graph.nodes[k];
  const Sites& sites = structure.sites[k];
  limit_weights(node.size, inputs);
  ChainLayer layer;
  layer.size = node.size;
  layer.weights.assign(node.size, Vector(inputs));
  layer.bias.resize(node.size);
  std::vector<std::int64_t> index(sites.inputs);
  for (std::uint64_t s = 0; s < sites.count; ++s) {
    const Site where = site(sites, s);
    site_inputs(sites, s, index.data());
    for (std::uint64_t m = 0; m < sites.outputs; ++m) {
      const std::size_t row = where.first_output + m * where.output_stride;
      for (std::uint64_t i = 0; i < sites.inputs; ++i) {
        if (index[i] < 0) continue;
        Fraction& w = layer.weights[row][static_cast<std::size_t>(index[i])];
        w = w + Fraction::from_double(node.payload[(where.first_row + m) * sites.inputs + i]);
      }
      if (sites.has_bias) layer.bias[row] = Fraction::from_double(node.payload[sites.weights + where.first_row + m]);
    }
  }
  return layer;
}

ChainLayer identity(std::size_t size) {
  limit_weights(size, size);
  ChainLayer layer;
  layer.size = size;
  layer.weights.assign(size, Vector(size));
  layer.bias.resize(size);
  for (std::size_t i = 0; i < size; ++i) layer.weights[i][i] = Fraction(1);
  return layer;
}

void append_affine(const Node& node, ChainLayer* layer) {
  if (node.kind == Kind::map) {
    limit_weights(node.size, layer->weights[0].size());
    ChainLayer moved;
    for (std::int64_t i : node.ints) {
      moved.weights.push_back(layer->weights[static_cast<std::size_t>(i)]);
      moved.bias.push_back(layer->bias[static_cast<std::size_t>(i)]);
    }
    layer->weights = std::move(moved.weights), layer->bias = std::move(moved.bias), layer->size = node.size;
    return;
  }
  for (std::size_t i = 0; i < layer->size; ++i) {
    const Fraction c = node.kind == Kind::neg ? Fraction(-1) : Fraction::from_double(node.payload[i]);
    layer->bias[i] = node.kind == Kind::shift ? layer->bias[i] + c : layer->bias[i] * c;
    if (node.kind != Kind::shift)
      for (Fraction& w : layer->weights[i]) w = w * c;
  }
}

}  // namespace

Chain read_chain(const std::string& path) {
  const Graph graph = read_model(path, {}).graph;
  const Structure structure(graph);
  Chain chain;
  chain.inputs = graph.nodes[0].size;
  for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) {
    const Node& node = graph.nodes[k];
    const bool next = node.operands.size() == 1 && node.operands[0] + 1 == k;
    const bool affine =
        node.kind == Kind::shift || node.kind == Kind::scale || node.kind == Kind::neg || node.kind == Kind::map;
    const bool contracts = node.kind == Kind::dense || node.kind == Kind::conv;
    if (!next || !(affine || contracts || node.kind == Kind::relu)) {
      refuse_unsupported("model: " + path + " is no chain of linear and ReLU layers (at " + node.origin + ")");
    }
    const std::size_t inputs = graph.nodes[k - 1].size;
    if (contracts) chain.layers.push_back(contraction(structure, k, inputs));
    if (affine) {
      if (chain.layers.empty() || chain.layers.back().is_relu) chain.layers.push_back(identity(inputs));
      append_affine(node, &chain.layers.back());
    }
    if (node.kind == Kind::relu) {
      ChainLayer layer;
      layer.is_relu = true, layer.size = node.size;
      chain.layers.push_back(std::move(layer));
    }
  }
  if (chain.layers.empty() || graph.output + 1 != graph.nodes.size())
    refuse_unsupported("model: " + path + " has no layers");
  return chain;
}

Region layer_image(const ChainLayer& layer, const Region& x) {
  if (!layer.is_relu) return affine_image(layer.weights, layer.bias, x);
  Region y = x;
  for (Vector* ends : {&y.lo, &y.hi})
    for (Fraction& v : *ends)
      if (v.sign() < 0) v = Fraction();
  return y;
}

Vector evaluate(const Chain& chain, Vector x) {
  for (const ChainLayer& layer : chain.layers) x = layer_image(layer, {x, x}).lo;
  return x;
}

ChainBounds lower_bounds(const Chain& chain, const Region& box, Effort* effort) {
  Region range = box;
  std::vector<FormPair> forms = input_forms(chain.inputs);
  for (const ChainLayer& layer : chain.layers) {
    if (layer.is_relu) {
      for (std::size_t i = 0; i < forms.size(); ++i) {
        const Fraction &l = range.lo[i], &u = range.hi[i];
        if (l.sign() >= 0 || u.sign() <= 0) {
          forms[i] = through_relu(forms[i], l, u, Fraction(), effort);
          continue;
        }
        // Any slope of at least u/(u - l) is one of an upper line through (l, 0); a dyadic one keeps numbers short.
        const Fraction slope = (u / (u - l)).up(53);
        forms[i].upper = scaled(forms[i].upper, slope, -slope * l, effort);
        forms[i].lower = scaled(forms[i].lower, Fraction(u + l > Fraction() ? 1 : 0), Fraction(), effort);
      }
    } else {
      effort->spend(4 * layer.size * range.size());
      forms = through_linear(layer.weights, layer.bias, forms, effort);
    }
    range = layer_image(layer, range);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      range.lo[i] = std::max(range.lo[i], least(forms[i].lower, box, effort));
      range.hi[i] = std::min(range.hi[i], greatest(forms[i].upper, box, effort));
    }
  }
  ChainBounds out{range.lo, {}};
  for (const FormPair& f : forms) {
    Vector corner;
    for (std::size_t i = 0; i < chain.inputs; ++i) corner.push_back(f.lower.a[i].sign() < 0 ? box.hi[i] : box.lo[i]);
    out.lowest.push_back(std::move(corner));
  }
  return out;
}

}  // namespace outward_check::torchlean
