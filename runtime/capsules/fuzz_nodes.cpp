#include "runtime/capsules/fuzz_nodes.hpp"

#include <cmath>

#include "formats/error.hpp"
#include "runtime/capsules/kernels.hpp"

namespace outward {
namespace {

constexpr int styles = 7;

}  // namespace

FuzzNodes::FuzzNodes(const std::string& op, ElementType element, std::uint64_t seed)
    : element_(element), random_(seed) {
  for (const Kind kind :
       {Kind::map, Kind::dense, Kind::conv, Kind::reduce, Kind::bn, Kind::add, Kind::shift, Kind::scale, Kind::divide,
        Kind::neg, Kind::relu, Kind::leaky, Kind::clip, Kind::abs, Kind::max, Kind::product, Kind::quotient})
    if (op == kind_name(kind)) kind_ = kind;
  for (const ElementFunctionRow& row : element_functions())
    if (op == row.name) kind_ = Kind::function, function_ = row.function;
  if (kind_ == Kind::input)
    throw InputRefused(Blocker{"no-kernel-test", op, "there is no differential test of this operator", "", op, ""});
}

double FuzzNodes::rounded(double value) const {
  return element_ == ElementType::binary32 ? static_cast<double>(static_cast<float>(value)) : value;
}

// One number in the style of the current node.
double FuzzNodes::number() {
  const int bits = element_ == ElementType::binary32 ? 24 : 53,
            least = element_ == ElementType::binary32 ? -126 : -1022;
  const double unit = std::ldexp(static_cast<double>(random_() >> 11), -53);  // [0, 1)
  const double sign = below(2) ? 1.0 : -1.0;
  const auto power = [&](int from, int to) {
    return std::ldexp(1.0, from + static_cast<int>(below(static_cast<std::uint64_t>(to - from + 1))));
  };
  switch (style_) {
    case 0:  // ordinary
      return rounded(sign * unit);
    case 1:  // wide exponents
      return rounded(sign * (1 + unit) * power(-40, 40));
    case 2:  // absorption: huge ones that cancel, and ones
      return below(2) ? sign * std::ldexp(1.0, bits) : sign;
    case 3:  // just above a power of two: products and sums near ties
      return sign * (1 + std::ldexp(static_cast<double>(below(8)), 1 - bits)) * power(-2, 2);
    case 4:  // subnormal results: small numbers, and ones
      return rounded(below(3) ? sign * (1 + unit) * power(least - bits + 2, least + 4) : sign * power(-2, 0));
    case 5:  // small integers: sums are exact, halves are ties
      return sign * static_cast<double>(below(17)) / (below(2) ? 1 : 2);
    default:  // half a binary exponent range below, so that products are subnormal
      return rounded(sign * (1 + unit) * power((least - bits) / 2, least / 2 + 4));
  }
}

std::vector<double> FuzzNodes::numbers(std::size_t count) {
  std::vector<double> out(count);
  for (double& v : out) v = number();
  if (below(4) == 0)  // cancellation to nothing
    for (std::size_t i = 0; i + 1 < count; i += 2) out[i + 1] = -out[i];
  return out;
}

Node FuzzNodes::node(std::vector<std::uint64_t>& sizes) {
  Node n;
  n.kind = kind_;
  const auto signed_size = [](std::uint64_t v) { return static_cast<std::int64_t>(v); };
  const std::uint64_t depth = below(4) ? 1 + below(8) : 1 + below(48);
  switch (kind_) {
    case Kind::dense: {
      const std::uint64_t rows = 1 + below(3), columns = 1 + below(6), bias = below(2);
      n.ints = {signed_size(rows), signed_size(depth), signed_size(columns), signed_size(bias)};
      n.payload = numbers(columns * depth + bias * columns);
      n.size = rows * columns;
      sizes = {rows * depth};
      return n;
    }
    case Kind::conv: {
      const std::int64_t groups = signed_size(1 + below(2)), channels = groups * signed_size(1 + below(2)),
                         filters = groups * signed_size(1 + below(2)), kh = signed_size(1 + below(3)),
                         kw = signed_size(1 + below(3)), h = kh + signed_size(below(3)), w = kw + signed_size(below(3));
      const std::int64_t sh = signed_size(1 + below(2)), sw = signed_size(1 + below(2)), pad = signed_size(below(2));
      const std::int64_t oh = (h + 2 * pad - kh) / sh + 1, ow = (w + 2 * pad - kw) / sw + 1,
                         bias = signed_size(below(2));
      n.ints = {1, channels, h, w, filters, kh, kw, sh, sw, pad, pad, pad, pad, 1, 1, groups, oh, ow, bias};
      n.payload = numbers(static_cast<std::size_t>(filters * (channels / groups) * kh * kw + bias * filters));
      n.size = static_cast<std::uint64_t>(filters * oh * ow);
      sizes = {static_cast<std::uint64_t>(channels * h * w)};
      return n;
    }
    case Kind::reduce: {
      n.size = 1 + below(4);
      n.ints = {signed_size(depth)};
      for (std::uint64_t i = 0; i < n.size; ++i) n.ints.push_back(below(2) ? 1 : signed_size(depth));
      sizes = {n.size * depth};
      return n;
    }
    case Kind::max:
      n.size = 1 + below(4);
      n.ints = {signed_size(depth)};
      sizes = {n.size * depth};
      return n;
    case Kind::map:
      n.size = 1 + below(12);
      sizes = {1 + below(6), 1 + below(6)};
      for (std::uint64_t i = 0; i < n.size; ++i) n.ints.push_back(signed_size(below(sizes[0] + sizes[1])));
      return n;
    case Kind::bn: {
      const std::uint64_t channels = 1 + below(3), inner = 1 + below(3);
      n.ints = {signed_size(channels), signed_size(inner)};
      n.payload = numbers(3 * channels);
      for (std::uint64_t q = 0; q < channels; ++q) n.payload.push_back(rounded(std::fabs(number())));
      n.payload.push_back(rounded(1e-5));
      n.size = channels * inner;
      break;
    }
    case Kind::function:  // one element outside the domain would spoil the others
      n.size = 1;
      break;
    default:
      n.size = 1 + below(16);
      break;
  }
  sizes = {n.size};
  if (kind_ == Kind::add) n.ints = {signed_size(below(2))};
  if (kind_ == Kind::function) n.ints = {static_cast<std::int64_t>(function_)};
  if (kind_ == Kind::add || kind_ == Kind::product || kind_ == Kind::quotient) sizes.push_back(n.size);
  if (kind_ == Kind::shift || kind_ == Kind::scale || kind_ == Kind::divide) n.payload = numbers(n.size);
  if (kind_ == Kind::divide)
    for (double& c : n.payload)
      if (c == 0) c = 3;
  if (kind_ == Kind::leaky) n.payload = {rounded(std::ldexp(static_cast<double>(random_() >> 11), -53))};
  if (kind_ == Kind::clip) {
    n.payload = {number(), number()};
    if (n.payload[0] > n.payload[1]) std::swap(n.payload[0], n.payload[1]);
  }
  return n;
}

FuzzNode FuzzNodes::next() {
  style_ = static_cast<int>(below(styles));
  std::vector<std::uint64_t> sizes;
  const Node one = node(sizes);
  FuzzNode out{one_node_graph(one, sizes, element_), {}};
  if (below(3) == 0) style_ = static_cast<int>(below(styles));
  out.input = numbers(out.graph.nodes[0].size);
  validate(out.graph);
  return out;
}

}  // namespace outward
