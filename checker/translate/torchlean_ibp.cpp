// Interval results of the small networks that the LiRPA artifacts fix by name: {graph, input_box, result}.
// Claims that over the input box of the file the outputs of the named network stay in the result box. Predicate: the
// result contains the interval image computed here over the box of the file, node by node: exact for affine and ReLU
// nodes, by enclosures 2^-192 wide for the others. Weights by row i and column j count from 0; numbers like 0.1*i are
// binary64 products, as in the producer.
#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/translate/enclosures.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

constexpr std::uint64_t ibp_bits = 192;

using Weight = int (*)(int i, int j);
Matrix weights(int rows, int columns, Weight w) {
  Matrix out;
  for (int i = 0; i < rows; ++i) {
    out.emplace_back();
    for (int j = 0; j < columns; ++j) out.back().push_back(Fraction(w(i, j)));
  }
  return out;
}
Vector steps(int count, const Fraction& step) {  // fl(step*i)
  Vector out;
  for (int i = 0; i < count; ++i) out.push_back(binary64_nearest(step * Fraction(i)));
  return out;
}
Fraction hundredths(int n) { return binary64_nearest(Fraction(BigInt(n), BigInt(100))); }

Enclosure part(const Region& x, std::size_t i) { return {x.lo[i], x.hi[i]}; }
void append(Region* x, const Enclosure& e) { x->lo.push_back(e.lo), x->hi.push_back(e.hi); }

template <class F>
Region each(const Region& x, const F& f) {
  Region out;
  for (std::size_t i = 0; i < x.size(); ++i) append(&out, f(part(x, i), i));
  return out;
}
Region relu(const Region& x) {
  return each(x, [](const Enclosure& v, std::size_t) {
    return Enclosure{std::max(v.lo, Fraction()), std::max(v.hi, Fraction())};
  });
}
Region add(const Region& x, const Region& y) {
  return each(x, [&](const Enclosure& v, std::size_t i) { return sum(v, part(y, i)); });
}

// 1/(1 + sum over j != i of exp(x_j - x_i)): it falls with every x_j and grows with x_i.
Region softmax(const Region& x) {
  const Fraction one(1), far(1 << 20);
  const auto share = [&](const Fraction& own, const Vector& others, std::size_t i) {
    Enclosure all = point(one);
    for (std::size_t j = 0; j < others.size(); ++j) {
      const Fraction d = others[j] - own;
      if (j == i) continue;
      if (d > far) return Enclosure{Fraction(), exp(point(-far), ibp_bits).hi};  // 1/(1 + e^d) <= e^-d
      all = sum(all, exp(point(d), ibp_bits));
    }
    return reciprocal(all, ibp_bits);
  };
  return each(x, [&](const Enclosure& v, std::size_t i) {
    return Enclosure{share(v.lo, x.hi, i).lo, share(v.hi, x.lo, i).hi};
  });
}

// (x - mean)/sqrt(variance + 1e-6). No element of n is beyond sqrt(n - 1) in size, whatever x is.
Region layer_norm(const Region& x) {
  const Fraction n(static_cast<std::int64_t>(x.size()));
  const Fraction epsilon = binary64_nearest(Fraction(BigInt(1), BigInt(1000000)));
  Enclosure mean;
  for (std::size_t i = 0; i < x.size(); ++i) mean = sum(mean, part(x, i));
  mean = {mean.lo / n, mean.hi / n};
  Fraction variance;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Fraction off = std::max(Fraction(), std::max(x.hi[i] - mean.lo, mean.hi - x.lo[i]));
    variance = variance + off * off / n;
  }
  const Enclosure root = sqrt({epsilon, variance + epsilon}, ibp_bits), inverse = reciprocal(root, ibp_bits);
  const Fraction greatest = sqrt(point(n - Fraction(1)), ibp_bits).hi;
  return each(x, [&](const Enclosure& v, std::size_t) {
    return common(product(sum(v, negated(mean)), inverse), Enclosure{-greatest, greatest});
  });
}

Region mlp(const Region& x) {
  const Matrix first = weights(4, 3, [](int i, int j) { return 1 + i + j; });
  const Matrix second = weights(2, 4, [](int i, int j) { return 2 + i + j; });
  const Vector from_one = {Fraction(1), Fraction(2), Fraction(3), Fraction(4)};
  return affine_image(second, {Fraction(0), Fraction(1)}, relu(affine_image(first, from_one, x)));
}

// A 3x3 convolution of a 4x4 image without padding or bias, ReLU, a linear head.
Region cnn(const Region& x) {
  const Matrix convolution = weights(4, 16, [](int i, int j) {
    const int row = j / 4 - i / 2, column = j % 4 - i % 2;
    return row >= 0 && row < 3 && column >= 0 && column < 3 ? 1 + row + column : 0;
  });
  const Matrix head = weights(2, 4, [](int i, int j) { return 2 + i + j; });
  return affine_image(head, {Fraction(0), Fraction(1)}, relu(affine_image(convolution, {}, x)));
}

Region attention(const Region& x) {
  const Matrix scores = weights(5, 4, [](int i, int j) { return 1 + i + 2 * j; });
  const Matrix values = weights(3, 5, [](int i, int j) { return 2 + i + j; });
  return affine_image(values, {}, softmax(affine_image(scores, {}, x)));
}

Region gru_gate(const Region& x) {
  const Matrix both = weights(3, 3, [](int i, int j) { return 1 + i + j; });
  const Region z = affine_image(both, {Fraction(0), Fraction(1), Fraction(2)}, x);
  return each(z, [](const Enclosure& v, std::size_t) { return product(sigmoid(v, ibp_bits), tanh(v, ibp_bits)); });
}

Region transformer_encoder(const Region& x) {
  const Matrix scores = weights(5, 4, [](int i, int j) { return 1 + i + 2 * j; });
  const Matrix values = weights(4, 5, [](int i, int j) { return 2 + i + j; });
  const Matrix up = weights(6, 4, [](int i, int j) { return 1 + (i + j) % 3; });
  const Matrix down = weights(4, 6, [](int i, int j) { return 2 + (i + j) % 4; });
  const Region attended = affine_image(values, {}, softmax(affine_image(scores, steps(5, hundredths(10)), x)));
  const Region first = layer_norm(add(x, attended));
  const Region hidden = relu(affine_image(up, steps(6, hundredths(5)), first));
  return layer_norm(add(first, affine_image(down, steps(4, hundredths(2)), hidden)));
}

struct NamedNetwork {
  const char* name;
  std::size_t inputs, outputs, node;  // node: the number of the output node
  Region (*image)(const Region& box);
};
constexpr NamedNetwork named_networks[] = {
    {"mlp_graph_workflow_v1", 3, 2, 3, mlp},
    {"cnn_graph_workflow_v1", 16, 2, 3, cnn},
    {"attention_softmax_workflow_v1", 4, 3, 3, attention},
    {"gru_gate_workflow_v1", 3, 3, 5, gru_gate},
    {"transformer_encoder_workflow_v1", 4, 4, 10, transformer_encoder},
};

}  // namespace

bool is_ibp_result(const JsonText& document) {
  return document.find("graph") != nullptr &&
         (document.find("input_box") != nullptr || document.find("result") != nullptr);
}

Judgement judge_ibp_result(const JsonText& document, const ForeignOptions& options) {
  require_keys(document, {"graph", "input_box", "result"});
  const std::string& name = member(document, "graph", JsonKind::string).text;
  const auto net = std::find_if(std::begin(named_networks), std::end(named_networks),
                                [&](const NamedNetwork& n) { return name == n.name; });
  if (net == std::end(named_networks)) refuse_unsupported("the network " + json_string(name) + " is not known");
  const JsonText &input = *document.find("input_box"), &result = *document.find("result");
  require_keys(input, {"id", "dim", "lo", "hi"});
  require_keys(result, {"node_id", "dim", "lo", "hi"});
  const Region box = bounds_of(input, net->inputs), claimed = bounds_of(result, net->outputs);
  if (natural(*input.find("dim")) != net->inputs) malformed(*input.find("dim"), "dim is not the number of inputs");
  if (natural(*result.find("dim")) != net->outputs) malformed(*result.find("dim"), "dim is not the number of outputs");

  Ruling ruling(document, options);
  ruling.judgement.statement = "over the input box of the file, the outputs of the network " + name +
                               ", whose weights the format fixes, stay in the result box";
  ruling.judgement.established = {"the statement, over the real numbers"};
  ruling.judgement.not_established = {"that the input box is that of any property", "floating point executions"};
  ruling.require(natural(*input.find("id")) == 0, "input_box.id is not node 0, the input");
  ruling.require(natural(*result.find("node_id")) == net->node, "result.node_id is not the output node");
  ruling.require(!is_reversed(box), "the input box is empty: lo > hi");
  if (ruling.good()) ruling.contains(claimed, net->image(box), "the result");
  return ruling.finish();
}

}  // namespace outward_check
