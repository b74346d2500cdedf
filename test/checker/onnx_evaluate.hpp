// A plain binary64 evaluator of the canonical graph, written from FORMAT.md section 1 for the tests of
// the ONNX reader only. Assumes a well-formed graph; no rounding direction, no promise beyond about 1e-6.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "checker/kernel/graph.hpp"

namespace onnx_test {

using outward_check::Graph;
using outward_check::Kind;
using outward_check::Node;
using Values = std::vector<double>;

inline void evaluate_conv(const Node& n, const Values& x, Values& out) {
  const auto& i = n.ints;
  const std::int64_t B = i[0], C = i[1], H = i[2], W = i[3], M = i[4], kh = i[5], kw = i[6], sh = i[7], sw = i[8],
                     pt = i[9], pl = i[10], dh = i[13], dw = i[14], g = i[15], OH = i[16], OW = i[17], part = C / g;
  for (std::int64_t o = 0; o < B * M * OH * OW; ++o) {
    const std::int64_t ox = o % OW, oy = o / OW % OH, m = o / (OW * OH) % M, b = o / (OW * OH * M);
    double sum = i[18] != 0 ? n.payload[M * part * kh * kw + m] : 0;
    for (std::int64_t c = 0; c < part; ++c) {
      for (std::int64_t ky = 0; ky < kh; ++ky) {
        for (std::int64_t kx = 0; kx < kw; ++kx) {
          const std::int64_t y = oy * sh - pt + ky * dh, z = ox * sw - pl + kx * dw;
          if (y < 0 || y >= H || z < 0 || z >= W) continue;
          const std::int64_t channel = m / (M / g) * part + c;
          sum += n.payload[((m * part + c) * kh + ky) * kw + kx] * x[((b * C + channel) * H + y) * W + z];
        }
      }
    }
    out[o] = sum;
  }
}

inline Values evaluate(const Graph& graph, const Values& input) {
  std::vector<Values> values;
  for (const Node& n : graph.nodes) {
    Values out(n.size);
    std::vector<const Values*> in;
    for (auto p : n.operands) in.push_back(&values[p]);
    const auto x = [&](std::size_t i) { return (*in[0])[i]; };
    const Values& c = n.payload;
    if (n.kind == Kind::conv) evaluate_conv(n, *in[0], out);
    Values joined;
    if (n.kind == Kind::map) {
      for (const Values* v : in) joined.insert(joined.end(), v->begin(), v->end());
    }
    for (std::size_t i = 0; i < n.size; ++i) {
      switch (n.kind) {
        case Kind::input:
          out[i] = input.at(i);
          break;
        case Kind::constant:
          out[i] = c[i];
          break;
        case Kind::map:
          out[i] = joined.at(n.ints[i]);
          break;
        case Kind::dense: {
          const std::size_t K = n.ints[1], N = n.ints[2], r = i / N, j = i % N;
          double sum = n.ints[3] != 0 ? c[N * K + j] : 0;
          for (std::size_t k = 0; k < K; ++k) sum += c[j * K + k] * x(r * K + k);
          out[i] = sum;
          break;
        }
        case Kind::conv:
          break;
        case Kind::reduce:
        case Kind::max: {
          const std::size_t K = n.ints[0];
          double sum = 0, most = -INFINITY;
          for (std::size_t k = 0; k < K; ++k) sum += x(i * K + k), most = std::max(most, x(i * K + k));
          out[i] = n.kind == Kind::max ? most : sum / static_cast<double>(n.ints[i + 1]);
          break;
        }
        case Kind::bn: {
          const std::size_t C = n.ints[0], q = i / n.ints[1] % C;
          out[i] = c[q] * (x(i) - c[2 * C + q]) / std::sqrt(c[3 * C + q] + c[4 * C]) + c[C + q];
          break;
        }
        case Kind::add:
          out[i] = n.ints[0] == 0 ? x(i) + (*in[1])[i] : x(i) - (*in[1])[i];
          break;
        case Kind::shift:
          out[i] = x(i) + c[i];
          break;
        case Kind::scale:
          out[i] = x(i) * c[i];
          break;
        case Kind::divide:
          out[i] = x(i) / c[i];
          break;
        case Kind::neg:
          out[i] = -x(i);
          break;
        case Kind::relu:
          out[i] = std::max(x(i), 0.0);
          break;
        case Kind::leaky:
          out[i] = x(i) >= 0 ? x(i) : c[0] * x(i);
          break;
        case Kind::clip:
          out[i] = std::min(std::max(x(i), c[0]), c[1]);
          break;
        case Kind::abs:
          out[i] = std::fabs(x(i));
          break;
      }
    }
    values.push_back(std::move(out));
  }
  return values[graph.output];
}

}  // namespace onnx_test
