// The three evaluators on graphs written by hand and on random ones: the fixed order and the roundings of the reference
// run, exact values against plain rational arithmetic, gradients against difference quotients.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "formats/error.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/fast.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using testing::make;

namespace {

Graph graph_of(std::vector<Node> nodes, ElementType element = ElementType::binary32) {
  Graph graph = testing::graph_of(std::move(nodes), element);
  validate(graph);
  return graph;
}

std::vector<Rational> exactly(const std::vector<double>& values) {
  std::vector<Rational> result;
  for (double value : values) result.push_back(exact(value));
  return result;
}

// A graph with one node of every kind but bn, random constants of few bits, so that a plain evaluation stays readable.
Graph every_kind(std::mt19937& engine, bool with_bn) {
  std::uniform_int_distribution<int> draw(-24, 24);
  const auto random = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = draw(engine) / 8.0;
    return values;
  };
  std::vector<double> divisors = random(8);
  for (double& value : divisors) value = value == 0 ? 3.0 : value;
  std::vector<Node> nodes{
      make(Kind::input, {}, 18),
      make(Kind::conv, {0}, 8, {1, 2, 3, 3, 2, 2, 2, 2, 1, 1, 0, 1, 0, 1, 1, 1, 2, 2, 1}, random(18)),
      make(Kind::divide, {1}, 8, {}, divisors),
      make(Kind::relu, {2}, 8),
      make(Kind::shift, {3}, 8, {}, random(8)),
      make(Kind::leaky, {4}, 8, {}, {0.25}),
      make(Kind::constant, {}, 2, {}, random(2)),
      make(Kind::map, {5, 6}, 10, {9, 0, 1, 2, 3, 4, 5, 6, 7, 8}),
      make(Kind::dense, {7}, 6, {2, 5, 3, 1}, random(18)),
      make(Kind::clip, {8}, 6, {}, {-20, 15.5}),
      make(Kind::scale, {9}, 6, {}, random(6)),
      make(Kind::add, {9, 10}, 6, {1}),
      make(Kind::abs, {11}, 6),
      make(Kind::max, {12}, 3, {2}),
      make(Kind::neg, {11}, 6),
      make(Kind::reduce, {14}, 3, {2, 3, 1, 7}),
      make(Kind::add, {13, 15}, 3, {0})};
  if (with_bn) nodes.push_back(make(Kind::bn, {16}, 3, {3, 1}, {1, -2, 0.5, 0, 1, 2, 3, 4, 5, 2, 3, 0.5, 0.125}));
  return graph_of(std::move(nodes), ElementType::binary64);
}

// Plain rational evaluation, one definition of FORMAT.md section 1 per line, for every_kind() without bn.
std::vector<Rational> plain(const Graph& graph, const std::vector<Rational>& input) {
  std::vector<std::vector<Rational>> all{input};
  const Rational zero = 0;
  for (std::size_t number = 1; number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    const auto c = [&](std::size_t i) { return exact(node.payload[i]); };
    std::vector<Rational> z;  // concatenated operands
    for (std::uint32_t operand : node.operands) z.insert(z.end(), all[operand].begin(), all[operand].end());
    std::vector<Rational> out(node.size);
    const auto& p = node.ints;
    for (std::size_t i = 0; i < node.size; ++i) {
      switch (node.kind) {
        case Kind::constant:
          out[i] = c(i);
          break;
        case Kind::map:
          out[i] = z[static_cast<std::size_t>(p[i])];
          break;
        case Kind::dense: {
          const auto k = static_cast<std::size_t>(p[1]), n = static_cast<std::size_t>(p[2]);
          out[i] = c(n * k + i % n);
          for (std::size_t j = 0; j < k; ++j) out[i] += c(i % n * k + j) * z[i / n * k + j];
          break;
        }
        case Kind::conv: {
          const auto at = static_cast<std::int64_t>(i);
          const std::int64_t m = at / 4, oy = at / 2 % 2, ox = at % 2;
          out[i] = c(static_cast<std::size_t>(16 + m));
          for (std::int64_t ch = 0; ch < 2; ++ch) {
            for (std::int64_t ky = 0; ky < 2; ++ky) {
              for (std::int64_t kx = 0; kx < 2; ++kx) {
                const std::int64_t y = oy * 2 - 1 + ky, x = ox + kx;
                if (y < 0 || y > 2 || x < 0 || x > 2) continue;
                out[i] += c(static_cast<std::size_t>(((m * 2 + ch) * 2 + ky) * 2 + kx)) *
                          z[static_cast<std::size_t>((ch * 3 + y) * 3 + x)];
              }
            }
          }
          break;
        }
        case Kind::reduce:
          out[i] = (z[2 * i] + z[2 * i + 1]) / p[i + 1];
          break;
        case Kind::add:
          out[i] = p[0] == 0 ? Rational(z[i] + z[i + node.size]) : Rational(z[i] - z[i + node.size]);
          break;
        case Kind::shift:
          out[i] = z[i] + c(i);
          break;
        case Kind::scale:
          out[i] = z[i] * c(i);
          break;
        case Kind::divide:
          out[i] = z[i] / c(i);
          break;
        case Kind::neg:
          out[i] = -z[i];
          break;
        case Kind::relu:
          out[i] = std::max(z[i], zero);
          break;
        case Kind::leaky:
          out[i] = z[i] >= 0 ? z[i] : Rational(c(0) * z[i]);
          break;
        case Kind::clip:
          out[i] = std::min(std::max(z[i], c(0)), c(1));
          break;
        case Kind::abs:
          out[i] = abs(z[i]);
          break;
        case Kind::max:
          out[i] = std::max(z[2 * i], z[2 * i + 1]);
          break;
        default:
          FAIL("kind without a plain definition");
      }
    }
    all.push_back(std::move(out));
  }
  return all[graph.output];
}

std::vector<Rational> random_rationals(std::size_t count, std::mt19937& engine) {
  std::uniform_int_distribution<int> top(-1000, 1000), bottom(1, 30);
  std::vector<Rational> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(top(engine), bottom(engine));
  return values;
}

}  // namespace

TEST_CASE("reference order: left to right, bias last, every operation rounded to binary32") {
  // 2^24 + 1 - 2^24: the 1 is lost only if it is added before the large numbers cancel.
  const auto sum = [](std::vector<double> weights, double bias, std::vector<double> x) {
    weights.push_back(bias);
    const auto k = static_cast<std::int64_t>(x.size());
    return run_reference(graph_of({make(Kind::input, {}, x.size()), make(Kind::dense, {0}, 1, {1, k, 1, 1}, weights)}),
                         x)[0];
  };
  CHECK(sum({1, 1, 1}, 0, {0x1p24, 1, -0x1p24}) == 0);
  CHECK(sum({1, 1, 1}, 0, {0x1p24, -0x1p24, 1}) == 1);
  CHECK(sum({1, 1}, 0x1p24, {1, 1}) == 0x1p24 + 2);  // 2 first, then the bias
  CHECK(sum({1}, 1, {0x1p24}) == 0x1p24);
  // No fused multiply-add: the product 1 + 2^-11 + 2^-24 is rounded before -1 is added.
  CHECK(sum({1 + 0x1p-12}, -1, {1 + 0x1p-12}) == 0x1p-11);
  // The same in binary64 keeps the small term.
  CHECK(run_reference(graph_of({make(Kind::input, {}, 1), make(Kind::dense, {0}, 1, {1, 1, 1, 1}, {1 + 0x1p-12, -1})},
                               ElementType::binary64),
                      {1 + 0x1p-12})[0] == 0x1p-11 + 0x1p-24);
}

TEST_CASE("reference order: blocks of outputs and rows do not change a value") {
  std::mt19937 engine(5);
  std::normal_distribution<float> draw;
  const std::size_t k = 37, n = 19, rows = 3;
  std::vector<double> weights(n * k + n), x(rows * k);
  for (double& value : weights) value = static_cast<double>(draw(engine));
  for (double& value : x) value = static_cast<double>(draw(engine));
  const auto y = run_reference(
      graph_of({make(Kind::input, {}, rows * k), make(Kind::dense, {0}, rows * n, {3, 37, 19, 1}, weights)}), x);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = static_cast<float>(weights[j * k]) * static_cast<float>(x[r * k]);
      for (std::size_t i = 1; i < k; ++i)
        sum += static_cast<float>(weights[j * k + i]) * static_cast<float>(x[r * k + i]);
      sum += static_cast<float>(weights[n * k + j]);
      CHECK(y[r * n + j] == static_cast<double>(sum));
    }
  }
}

TEST_CASE("reference order: a convolution adds (channel, row, column) and skips padding") {
  // One 2x2 kernel on a 2x2 image padded on top: the order 2^24, 1, -2^24 loses the 1, and padding adds nothing.
  const Graph graph =
      graph_of({make(Kind::input, {}, 4),
                make(Kind::conv, {0}, 2, {1, 1, 2, 2, 1, 2, 2, 1, 1, 1, 0, 0, 0, 1, 1, 1, 2, 1, 0}, {1, 1, 1, 1})});
  CHECK(run_reference(graph, {0x1p24, 1, -0x1p24, 0}) == std::vector<double>{0x1p24, 0});
  CHECK(std::signbit(run_reference(graph, {-0.0, -0.0, 1, 1})[0]));  // only minus zeros were added
}

TEST_CASE("reference order: division, batch norm, subnormals, NaN and infinity") {
  const Graph mean = graph_of({make(Kind::input, {}, 3), make(Kind::reduce, {0}, 1, {3, 3})});
  CHECK(run_reference(mean, {1, 0, 0})[0] == static_cast<double>(1.0f / 3.0f));
  const Graph norm = graph_of({make(Kind::input, {}, 1), make(Kind::bn, {0}, 1, {1, 1}, {3, 0.5, 1, 2, 1})});
  CHECK(run_reference(norm, {2})[0] == static_cast<double>((2.0f - 1.0f) / std::sqrt(3.0f) * 3.0f + 0.5f));
  const Graph half = graph_of({make(Kind::input, {}, 1), make(Kind::scale, {0}, 1, {}, {0.5})});
  CHECK(run_reference(half, {0x1p-126})[0] == 0x1p-127);
  CHECK(run_reference(half, {0x1p-149})[0] == 0);  // to even
  const Graph overflow =
      graph_of({make(Kind::input, {}, 1), make(Kind::scale, {0}, 1, {}, {0x1p127}), make(Kind::add, {1, 1}, 1, {1}),
                make(Kind::relu, {2}, 1), make(Kind::clip, {3}, 1, {}, {0, 1}), make(Kind::leaky, {4}, 1, {}, {0.5})});
  std::vector<std::vector<double>> nodes;
  CHECK(std::isnan(run_reference(overflow, {4}, &nodes)[0]));
  CHECK(std::isinf(nodes[1][0]));
  CHECK(!all_finite(nodes));
  run_reference(overflow, {1}, &nodes);
  CHECK(all_finite(nodes));
  const Graph most =
      graph_of({make(Kind::input, {}, 1), make(Kind::scale, {0}, 1, {}, {0x1p127}), make(Kind::add, {1, 1}, 1, {1}),
                make(Kind::map, {0, 2, 0}, 3, {0, 1, 2}), make(Kind::max, {3}, 1, {3})});
  CHECK(std::isnan(run_reference(most, {4})[0]));
  CHECK(run_reference(most, {1})[0] == 1);
  CHECK_THROWS_AS(run_reference(half, {std::numeric_limits<double>::quiet_NaN()}), ResourceError);
}

TEST_CASE("inputs that are no numbers of the element type are an error, not a rounding") {
  const Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::neg, {0}, 1)});
  CHECK_THROWS_AS(run_reference(graph, {0.1}), ResourceError);
  CHECK_THROWS_AS(run_reference(graph, {1, 2}), ResourceError);
  CHECK_THROWS_AS(run_exact(graph, {}), ResourceError);
}

TEST_CASE("exact run: every kind against plain rational arithmetic") {
  std::mt19937 engine(11);
  for (int round = 0; round < 20; ++round) {
    const Graph graph = every_kind(engine, false);
    const std::vector<Rational> x = random_rationals(18, engine);
    const auto y = run_exact(graph, x);
    REQUIRE(y.has_value());
    CHECK(*y == plain(graph, x));
  }
}

TEST_CASE("exact run: constants of very different size stay exact") {
  const Graph graph = graph_of(
      {make(Kind::input, {}, 2), make(Kind::dense, {0}, 1, {1, 2, 1, 1}, {0x1p1000, 0x1p-1074, -0x1p-1074}),
       make(Kind::clip, {1}, 1, {}, {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()})},
      ElementType::binary64);
  const auto y = run_exact(graph, {Rational(1, 3), Rational(7)});
  REQUIRE(y.has_value());
  CHECK((*y)[0] == Rational(1, 3) * exact(0x1p1000) + 6 * exact(0x1p-1074));
}

TEST_CASE("exact run: batch norm gives narrow enclosures of the true value") {
  std::mt19937 engine(12);
  Graph graph = every_kind(engine, true);
  const std::vector<Rational> x = random_rationals(18, engine);
  CHECK(!run_exact(graph, x).has_value());
  const auto ranges = run_exact_ranges(graph, x);
  Graph before = graph;
  before.nodes.pop_back();
  before.output = 16;
  const std::vector<Rational> z = plain(before, x);
  const auto& c = graph.nodes[17].payload;
  for (std::size_t q = 0; q < 3; ++q) {
    // y = s·(z − m)/√v + b  <=>  (y − b)·√v = s·(z − m); squares decide which side of the true value an end lies on.
    const Rational v = exact(c[9 + q]) + exact(c[12]), right = exact(c[q]) * (z[q] - exact(c[6 + q])),
                   b = exact(c[3 + q]);
    const auto below = [&](const Rational& y) {  // (y − b)·√v <= right
      const Rational d = y - b;
      if (d <= 0 && right >= 0) return true;
      if (d > 0 && right < 0) return false;
      return d > 0 ? d * d * v <= right * right : d * d * v >= right * right;
    };
    CHECK(below(ranges[q].lo));
    CHECK(!below(Rational(ranges[q].hi + Rational(1, Integer(1) << 400))));
    CHECK(ranges[q].hi - ranges[q].lo < Rational(1, Integer(1) << 250));
  }
}

TEST_CASE("exact run: enclosures pass through every later kind") {
  std::mt19937 engine(13);
  Graph graph = every_kind(engine, false);
  // Batch norm with scale √(var + eps) = 2 exactly in front of everything: the enclosure holds the plain result.
  for (Node& node : graph.nodes) {
    for (std::uint32_t& operand : node.operands) ++operand;
  }
  graph.nodes.insert(graph.nodes.begin() + 1, make(Kind::bn, {0}, 18, {1, 18}, {2, 0, 0, 3, 1}));
  graph.output = static_cast<std::uint32_t>(graph.nodes.size() - 1);
  validate(graph);
  const std::vector<Rational> x = random_rationals(18, engine);
  std::mt19937 same(13);
  const std::vector<Rational> y = plain(every_kind(same, false), x);
  const auto ranges = run_exact_ranges(graph, x);
  for (std::size_t j = 0; j < y.size(); ++j) {
    CHECK(ranges[j].lo <= y[j]);
    CHECK(y[j] <= ranges[j].hi);
    CHECK(ranges[j].hi - ranges[j].lo < Rational(1, Integer(1) << 250));
  }
}

TEST_CASE("reference run stays near the exact one on every kind") {
  std::mt19937 engine(14);
  for (const bool with_bn : {false, true}) {
    const Graph graph = every_kind(engine, with_bn);
    std::uniform_real_distribution<double> draw(-3, 3);
    std::vector<double> x(18);
    for (double& value : x) value = draw(engine);
    const auto y = run_reference(graph, x);
    const auto z = run_exact_ranges(graph, exactly(x));
    for (std::size_t j = 0; j < y.size(); ++j) CHECK(std::fabs(y[j] - z[j].lo.convert_to<double>()) < 1e-10);
  }
}

TEST_CASE("fast run: values and gradients of a batch") {
  std::mt19937 engine(15);
  for (int round = 0; round < 10; ++round) {
    const Graph graph = every_kind(engine, true);
    FastNetwork fast(graph);
    CHECK(fast.inputs() == 18);
    CHECK(fast.outputs() == 3);
    constexpr std::size_t count = 5;
    std::uniform_real_distribution<double> draw(-3, 3);
    std::vector<double> points(count * 18), coefficients(count * 3);
    for (double& value : points) value = draw(engine);
    for (double& value : coefficients) value = draw(engine);
    const std::vector<double> y = fast.forward(points, count);
    const std::vector<double> gradient = fast.gradient(coefficients);
    for (std::size_t p = 0; p < count; ++p) {
      const std::vector<double> x(points.begin() + static_cast<std::ptrdiff_t>(18 * p),
                                  points.begin() + static_cast<std::ptrdiff_t>(18 * p + 18));
      const std::vector<double> reference = run_reference(graph, x);
      for (std::size_t j = 0; j < 3; ++j) CHECK(y[3 * p + j] == doctest::Approx(reference[j]).epsilon(1e-9));
      // Difference quotients on both sides; a kink in between shows as disagreement of the two and is skipped.
      const auto value = [&](std::size_t i, double step) {
        std::vector<double> moved = x;
        moved[i] += step;
        const std::vector<double> z = run_reference(graph, moved);
        double sum = 0;
        for (std::size_t j = 0; j < 3; ++j) sum += coefficients[3 * p + j] * z[j];
        return sum;
      };
      for (std::size_t i = 0; i < 18; ++i) {
        constexpr double h = 1e-6;
        const double middle = value(i, 0), left = (middle - value(i, -h)) / h, right = (value(i, h) - middle) / h;
        if (std::fabs(left - right) > 1e-3 * (1 + std::fabs(left))) continue;
        CHECK(gradient[18 * p + i] == doctest::Approx((left + right) / 2).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("fast run: grouped, strided, dilated convolutions in both directions") {
  std::mt19937 engine(16);
  std::uniform_real_distribution<float> draw(-1, 1);
  // 2 images, 4 channels, 5x6, 2 groups, 6 filters, 3x2 kernel, strides 2,1, pads 1,0,2,1, dilations 1,2.
  std::vector<double> weights(6 * 2 * 3 * 2 + 6);
  for (double& value : weights) value = static_cast<double>(draw(engine));
  const std::int64_t oh = (5 + 3 - 2 - 1) / 2 + 1, ow = 6 + 1 - 2;
  const auto size = static_cast<std::uint64_t>(2 * 6 * oh * ow);
  const Graph graph =
      graph_of({make(Kind::input, {}, 240),
                make(Kind::conv, {0}, size, {2, 4, 5, 6, 6, 3, 2, 2, 1, 1, 0, 2, 1, 1, 2, 2, oh, ow, 1}, weights)});
  FastNetwork fast(graph);
  std::vector<double> x(240), c(size);
  for (double& value : x) value = static_cast<double>(draw(engine));
  for (double& value : c) value = static_cast<double>(draw(engine));
  const std::vector<double> y = fast.forward(x, 1), reference = run_reference(graph, x);
  for (std::size_t j = 0; j < size; ++j) CHECK(std::fabs(y[j] - reference[j]) < 1e-5);
  // A linear map: c·(A(x) − A(0)) equals the gradient times x.
  const std::vector<double> gradient = fast.gradient(c);
  const std::vector<double> zero = fast.forward(std::vector<double>(240, 0.0), 1);
  double forward = 0, backward = 0;
  for (std::size_t j = 0; j < size; ++j) forward += c[j] * (y[j] - zero[j]);
  for (std::size_t i = 0; i < 240; ++i) backward += gradient[i] * x[i];
  CHECK(forward == doctest::Approx(backward).epsilon(1e-10));
}
