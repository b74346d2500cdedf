#include "bounds/roundoff/specs.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "formats/error.hpp"

namespace outward::roundoff {
namespace {

using Index = std::uint32_t;

class Builder {
 public:
  Builder(const Arithmetic& a, std::size_t inputs, std::pair<double, double> range) {
    out_.program.arithmetics = {a};
    out_.box.lo.assign(inputs, range.first);
    out_.box.hi.assign(inputs, range.second);
    out_.box.rounded = false;
    put({OpCode::input, {}, inputs, {}, {}, "input"});
  }

  Index put(Operator op) {
    out_.program.operators.push_back(std::move(op));
    out_.program.arithmetic.push_back(0);
    return static_cast<Index>(out_.program.operators.size() - 1);
  }
  Index one(OpCode code, Index x, const char* name, std::vector<std::int64_t> ints = {},
            std::vector<double> payload = {}) {
    return put({code, {x}, size(x), std::move(ints), std::move(payload), name});
  }
  Index two(OpCode code, Index x, Index y, std::size_t n, const char* name, std::vector<std::int64_t> ints = {}) {
    return put({code, {x, y}, n, std::move(ints), {}, name});
  }
  // Elements from, from + step, … of x.
  Index part(Index x, std::size_t from, std::size_t count, const char* name, std::size_t step = 1) {
    std::vector<std::int64_t> ints(count);
    for (std::size_t i = 0; i < count; ++i) ints[i] = static_cast<std::int64_t>(from + i * step);
    return put({OpCode::map, {x}, count, std::move(ints), {}, name});
  }
  Index concat(const std::vector<Index>& parts, const char* name) {
    std::size_t n = 0;
    for (const Index p : parts) n += size(p);
    std::vector<std::int64_t> ints(n);
    std::iota(ints.begin(), ints.end(), 0);
    return put({OpCode::map, parts, n, std::move(ints), {}, name});
  }
  // rows × columns to columns × rows.
  Index transposed(Index x, std::size_t rows, std::size_t columns, const char* name) {
    std::vector<std::int64_t> ints;
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) ints.push_back(static_cast<std::int64_t>(r * columns + c));
    return put({OpCode::map, {x}, rows * columns, std::move(ints), {}, name});
  }
  // `rows` vectors of k elements each through a layer with n outputs and a bias.
  Index dense(Index x, std::size_t rows, std::size_t k, std::size_t n, const char* name) {
    std::vector<double> w;
    const double size_of = 1 / std::sqrt(static_cast<double>(k));
    for (std::size_t i = 0; i < n * k + n; ++i) w.push_back(next() * size_of);
    const auto i64 = [](std::size_t v) { return static_cast<std::int64_t>(v); };
    return put({OpCode::dense, {x}, rows * n, {i64(rows), i64(k), i64(n), 1}, std::move(w), name});
  }
  // In [−1, 1], binary32 numbers.
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(static_cast<float>(static_cast<double>(state_ >> 40) * 0x1p-23 - 1));
  }
  std::vector<double> constants(std::size_t n, double lo, double hi) {
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i)
      out.push_back(static_cast<double>(static_cast<float>(lo + (next() + 1) / 2 * (hi - lo))));
    return out;
  }
  std::size_t size(Index x) const { return out_.program.operators[x].size; }
  SpecProgram finish() {
    out_.program.output = static_cast<Index>(out_.program.operators.size() - 1);
    return std::move(out_);
  }

 private:
  SpecProgram out_;
  std::uint64_t state_ = 1;
};

std::size_t chosen(std::size_t given, std::size_t standard) { return given == 0 ? standard : given; }
std::pair<double, double> range_of(const Spec& s, const SpecSizes& z) {
  return z.range ? *z.range : std::pair<double, double>(s.lo, s.hi);
}
std::size_t size_n(const Spec& s, const SpecSizes& z) { return chosen(z.n, s.n); }

template <OpCode code>
SpecProgram elementwise(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, n, range_of(s, z));
  std::vector<double> payload;
  if constexpr (code == OpCode::leaky) payload = {static_cast<double>(0.01F)};
  if constexpr (code == OpCode::clip) payload = {0, 6};
  if constexpr (code == OpCode::shift || code == OpCode::scale) payload = b.constants(n, -1, 1);
  if constexpr (code == OpCode::divide) payload = b.constants(n, 0.5, 2);
  if constexpr (code == OpCode::layernorm) payload = {0x1.4f8b58p-17, 1, 0};  // eps = 1e-5
  if constexpr (code == OpCode::rmsnorm) payload = {0x1.4f8b58p-17, 1};
  b.one(code, 0, s.name, {}, std::move(payload));
  return b.finish();
}

template <OpCode code>
SpecProgram pairs(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, 2 * n, range_of(s, z));
  const Index x = b.part(0, 0, n, "x"), y = b.part(0, n, n, "y");
  b.two(code, x, y, n, s.name, {0});
  return b.finish();
}

SpecProgram reduction(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, n, range_of(s, z));
  const auto count = static_cast<std::int64_t>(n);
  const bool mean = std::string_view(s.name) == "mean";
  b.put({OpCode::reduce, {0}, 1, {count, mean ? count : 1}, {}, s.name});
  return b.finish();
}

SpecProgram greatest(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, n, range_of(s, z));
  b.put({OpCode::max, {0}, 1, {static_cast<std::int64_t>(n)}, {}, s.name});
  return b.finish();
}

SpecProgram dot(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, 2 * n, range_of(s, z));
  const Index x = b.part(0, 0, n, "x"), y = b.part(0, n, n, "y");
  b.two(OpCode::matvec, x, y, 1, s.name);
  return b.finish();
}

SpecProgram dense(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, n, range_of(s, z));
  b.dense(0, 1, n, chosen(z.d, s.d), s.name);
  return b.finish();
}

SpecProgram convolution(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);  // channels of a 5 × 5 image, 3 × 3 kernels, padding 1
  Builder b(a, 25 * n, range_of(s, z));
  const auto c = static_cast<std::int64_t>(n);
  const auto m = static_cast<std::int64_t>(chosen(z.d, s.d));
  const double size = 1 / std::sqrt(9 * static_cast<double>(n));
  std::vector<double> w = b.constants(static_cast<std::size_t>(m * c * 9 + m), -size, size);
  b.put({OpCode::conv,
         {0},
         static_cast<std::size_t>(m * 25),
         {1, c, 5, 5, m, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 1},
         std::move(w),
         s.name});
  return b.finish();
}

template <OpCode code>
SpecProgram batch_norm(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z);
  Builder b(a, n, range_of(s, z));
  std::vector<double> payload = b.constants(n, 0.5, 1.5);  // scale, shift, mean, variance, eps
  for (const auto& [lo, hi] : {std::pair(-1.0, 1.0), std::pair(-1.0, 1.0), std::pair(0.5, 2.0)})
    for (const double v : b.constants(n, lo, hi)) payload.push_back(v);
  payload.push_back(0x1.4f8b58p-17);
  b.one(code, 0, s.name, {static_cast<std::int64_t>(n), 1}, std::move(payload));
  return b.finish();
}

SpecProgram online(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z), d = chosen(z.d, s.d);
  Builder b(a, n + n * d, range_of(s, z));
  const Index x = b.part(0, 0, n, "scores"), v = b.part(0, n, n * d, "values");
  b.two(OpCode::online_softmax, x, v, d, s.name, {static_cast<std::int64_t>(chosen(z.block, s.block))});
  return b.finish();
}

// softmax(K q / √d)ᵀ V for one query.
Index attention_of(Builder& b, Index q, Index keys, Index values, std::size_t n, std::size_t d) {
  const Index scores = b.two(OpCode::matvec, keys, q, n, "scores");
  const double factor = static_cast<double>(static_cast<float>(1 / std::sqrt(static_cast<double>(d))));
  const Index scaled = b.one(OpCode::scale, scores, "scale 1/sqrt(d)", {}, std::vector<double>(n, factor));
  const Index p = b.one(OpCode::softmax, scaled, "softmax");
  return b.two(OpCode::matvec, b.transposed(values, n, d, "values transposed"), p, d, "weighted values");
}

SpecProgram attention(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z), d = chosen(z.d, s.d);
  Builder b(a, d + 2 * n * d, range_of(s, z));
  const Index q = b.part(0, 0, d, "query"), keys = b.part(0, d, n * d, "keys"),
              v = b.part(0, d + n * d, n * d, "values");
  attention_of(b, q, keys, v, n, d);
  return b.finish();
}

// Pre-norm block with one head, the output of the first of n tokens of width d.
SpecProgram transformer(const Spec& s, const SpecSizes& z, const Arithmetic& a) {
  const std::size_t n = size_n(s, z), d = chosen(z.d, s.d);
  Builder b(a, n * d, range_of(s, z));
  const std::vector<double> norm{0x1.4f8b58p-17, 1, 0};
  std::vector<Index> normalised;
  Index first = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const Index token = b.part(0, t * d, d, "token");
    if (t == 0) first = token;
    normalised.push_back(b.one(OpCode::layernorm, token, "layernorm 1", {}, norm));
  }
  const Index all = b.concat(normalised, "normalised tokens");
  const Index q = b.dense(normalised[0], 1, d, d, "query projection");
  const Index keys = b.dense(all, n, d, d, "key projection"), v = b.dense(all, n, d, d, "value projection");
  const Index o = attention_of(b, q, keys, v, n, d);
  const Index projected = b.dense(o, 1, d, d, "output projection");
  const Index x = b.two(OpCode::add, first, projected, d, "residual 1", {0});
  const Index z1 = b.one(OpCode::layernorm, x, "layernorm 2", {}, norm);
  const Index wide = b.dense(z1, 1, d, 4 * d, "feed-forward 1");
  const Index active = b.one(OpCode::gelu, wide, "gelu");
  const Index narrow = b.dense(active, 1, 4 * d, d, "feed-forward 2");
  b.two(OpCode::add, x, narrow, d, "residual 2", {0});
  return b.finish();
}

constexpr std::array specs{
    Spec{"map", "reordering", 16, 0, 0, -1, 1,
         [](const Spec& s, const SpecSizes& z, const Arithmetic& a) {
           const std::size_t n = size_n(s, z);
           Builder b(a, n, range_of(s, z));
           b.transposed(0, 1, n, s.name);
           return b.finish();
         }},
    Spec{"cast", "conversion into the format", 16, 0, 0, -1, 1, elementwise<OpCode::cast>},
    Spec{"dense", "matrix (d × n) times vector, with bias", 256, 4, 0, -1, 1, dense},
    Spec{"conv", "3 × 3 convolution of n channels, d filters", 16, 2, 0, -1, 1, convolution},
    Spec{"sum", "sum of n numbers", 256, 0, 0, -1, 1, reduction},
    Spec{"mean", "mean of n numbers", 256, 0, 0, -1, 1, reduction},
    Spec{"dot", "scalar product of two vectors", 256, 0, 0, -1, 1, dot},
    Spec{"batchnorm", "batch normalisation, inference, as written", 16, 0, 0, -2, 2, batch_norm<OpCode::bn>},
    Spec{"batchnorm-folded", "the same as one factor and one summand, computed in the format", 16, 0, 0, -2, 2,
         batch_norm<OpCode::bn_folded>},
    Spec{"add", "sum of two", 16, 0, 0, -1, 1, pairs<OpCode::add>},
    Spec{"multiply", "product of two", 16, 0, 0, -1, 1, pairs<OpCode::multiply>},
    Spec{"shift", "plus a constant", 16, 0, 0, -1, 1, elementwise<OpCode::shift>},
    Spec{"scale", "times a constant", 16, 0, 0, -1, 1, elementwise<OpCode::scale>},
    Spec{"divide", "divided by a constant", 16, 0, 0, -1, 1, elementwise<OpCode::divide>},
    Spec{"neg", "negation", 16, 0, 0, -1, 1, elementwise<OpCode::neg>},
    Spec{"relu", "max(x, 0)", 16, 0, 0, -1, 1, elementwise<OpCode::relu>},
    Spec{"leaky", "leaky relu, slope 0.01", 16, 0, 0, -1, 1, elementwise<OpCode::leaky>},
    Spec{"clip", "clip to [0, 6]", 16, 0, 0, -1, 8, elementwise<OpCode::clip>},
    Spec{"abs", "absolute value", 16, 0, 0, -1, 1, elementwise<OpCode::abs>},
    Spec{"max", "greatest of n", 16, 0, 0, -1, 1, greatest},
    Spec{"exp", "exponential", 16, 0, 0, -4, 4, elementwise<OpCode::exp>},
    Spec{"log", "natural logarithm", 16, 0, 0, 0.125, 8, elementwise<OpCode::log>},
    Spec{"sqrt", "square root", 16, 0, 0, 0, 4, elementwise<OpCode::sqrt>},
    Spec{"sigmoid", "1/(1 + e^-x)", 16, 0, 0, -8, 8, elementwise<OpCode::sigmoid>},
    Spec{"tanh", "hyperbolic tangent", 16, 0, 0, -4, 4, elementwise<OpCode::tanh>},
    Spec{"erf", "error function", 16, 0, 0, -4, 4, elementwise<OpCode::erf>},
    Spec{"gelu", "x(1 + erf(x/√2))/2", 16, 0, 0, -4, 4, elementwise<OpCode::gelu>},
    Spec{"softmax", "softmax of n scores", 256, 0, 0, -4, 4, elementwise<OpCode::softmax>},
    Spec{"log-softmax", "log of the softmax of n scores", 256, 0, 0, -4, 4, elementwise<OpCode::log_softmax>},
    Spec{"online-softmax", "softmax of n scores times values (n × d), in one pass over blocks", 256, 1, 64, -4, 4,
         online},
    Spec{"layernorm", "layer normalisation of n numbers, eps 1e-5", 256, 0, 0, -1, 1, elementwise<OpCode::layernorm>},
    Spec{"rmsnorm", "root mean square normalisation, eps 1e-5", 256, 0, 0, -1, 1, elementwise<OpCode::rmsnorm>},
    Spec{"attention", "one query of width d, n keys and values", 64, 16, 0, -1, 1, attention},
    Spec{"transformer-block", "pre-norm block, one head, n tokens of width d", 8, 16, 0, -1, 1, transformer},
};

}  // namespace

std::span<const Spec> spec_table() { return specs; }

const Spec* spec_named(std::string_view name) {
  for (const Spec& spec : specs)
    if (name == spec.name) return &spec;
  return nullptr;
}

SpecProgram build_spec(const Spec& spec, const SpecSizes& sizes, const Arithmetic& arithmetic) {
  const std::string name = spec.name;
  if (sizes.d > 0 && spec.d == 0) throw UsageError("--d: " + name + " has no such size");
  if (sizes.block > 0 && spec.block == 0) throw UsageError("--block: " + name + " has no blocks");
  const double elements =
      static_cast<double>(size_n(spec, sizes)) * static_cast<double>(chosen(sizes.d, std::max<std::size_t>(1, spec.d)));
  if (elements > 4e6) throw UsageError("--n, --d: " + name + " is analysed up to 4,000,000 elements");
  SpecProgram out = spec.build(spec, sizes, arithmetic);
  for (const Operator& op : out.program.operators)
    if (arithmetic.converts && op.code == OpCode::online_softmax)
      throw InputRefused(Blocker{"no-rule", name, "operands rounded to a third format have no formula here",
                                 "no operands=", policy_text(arithmetic.policy), ""});
  return out;
}

}  // namespace outward::roundoff
