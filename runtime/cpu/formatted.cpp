// Node by node, in the order of runtime/cpu/reference.cpp (FORMAT.md section 5), on codes of a number format. Assumes
// what NumberFormat promises: every operation rounds once.
#include "runtime/cpu/formatted.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "formats/error.hpp"
#include "runtime/cpu/element_functions.hpp"

namespace outward {
namespace {

using Codes = std::vector<Integer>;
using Term = std::pair<Integer, Integer>;  // a product

// One format with the rounding of the run; flags, and whether everything was finite, are collected in one place.
class Arithmetic {
 public:
  Arithmetic(const NumberFormat& format, Rounding rounding, FormattedResult& result)
      : format_(format), rounding_(rounding), result_(result) {}

  Integer operator()(Operation operation, const Integer& a) const { return apply<1>(operation, {a}); }
  Integer operator()(Operation operation, const Integer& a, const Integer& b) const {
    return apply<2>(operation, {a, b});
  }
  Integer fused(const Integer& a, const Integer& b, const Integer& c) const {
    return apply<3>(Operation::fused_multiply_add, {a, b, c});
  }
  Integer from(const ExactNumber& x) const { return seen(format_.from_exact(x, rounding_, result_.flags)); }
  Integer from(const Rational& x) const { return from(ExactNumber{ExactNumber::Kind::number, x < 0, x, 0}); }
  Integer from(double x) const { return from(ExactNumber{ExactNumber::Kind::number, std::signbit(x), exact(x), 0}); }
  Integer operator()(ElementFunction function, const Integer& a) const {
    return seen(evaluate(function, a, format_, rounding_, result_.flags));
  }
  ExactNumber exact_value(const Integer& code) const { return format_.to_exact(code); }
  // −1, 0, 1; 2 for NaN.
  int sign(const Integer& code) const {
    const ExactNumber x = format_.to_exact(code);
    if (x.kind == ExactNumber::Kind::nan) return 2;
    if (x.kind == ExactNumber::Kind::infinite) return x.negative ? -1 : 1;
    return x.factor.is_zero() ? 0 : x.factor < 0 ? -1 : 1;
  }

 private:
  template <std::size_t N>
  Integer apply(Operation operation, const std::array<Integer, N>& operands) const {
    return seen(format_.apply(operation, operands, rounding_, result_.flags));
  }
  // Every value that arises passes here: also a partial sum of which the node's value shows nothing.
  Integer seen(Integer code) const {
    if (result_.finite && format_.to_exact(code).kind != ExactNumber::Kind::number) result_.finite = false;
    return code;
  }
  const NumberFormat& format_;
  Rounding rounding_;
  FormattedResult& result_;
};

class Runner {
 public:
  Runner(const Graph& graph, const FormattedRun& how, FormattedResult& result)
      : graph_(graph),
        how_(how),
        all_(result.nodes),
        values_(*how.format, how.rounding, result),
        sums_(how.accumulator ? *how.accumulator : *how.format, how.rounding, result) {}

  void run(const std::vector<Rational>& input) {
    all_.resize(graph_.nodes.size());
    for (const Rational& x : input) all_[0].push_back(values_.from(x));
    for (std::size_t k = 1; k < graph_.nodes.size(); ++k) all_[k] = node(graph_.nodes[k]);
  }

 private:
  Codes constants(const Node& node, std::size_t from, std::size_t count) const {
    Codes out;
    for (std::size_t i = from; i < from + count; ++i) out.push_back(values_.from(node.payload[i]));
    return out;
  }
  // Codes of the accumulator, and back.
  Codes widened(const Codes& codes) const {
    if (!how_.accumulator) return codes;
    Codes out;
    for (const Integer& code : codes) out.push_back(sums_.from(values_.exact_value(code)));
    return out;
  }
  Integer narrowed(const Integer& code) const {
    return how_.accumulator ? values_.from(sums_.exact_value(code)) : code;
  }

  Integer pairwise(const Codes& products, std::size_t from, std::size_t to) const {
    if (to - from == 1) return products[from];
    const std::size_t middle = from + (to - from + 1) / 2;
    return sums_(Operation::add, pairwise(products, from, middle), pairwise(products, middle, to));
  }
  Integer sum(const Codes& parts) const {
    if (how_.order == SumOrder::pairwise) return pairwise(parts, 0, parts.size());
    Integer total = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) total = sums_(Operation::add, total, parts[i]);
    return total;
  }
  // Σ of the terms, and the bias if there is one; a sum of nothing is 0.
  Integer sum_of_products(const std::vector<Term>& terms, const Integer* bias) const {
    Integer total;
    if (terms.empty()) {
      total = sums_.from(Rational(0));
    } else if (how_.order == SumOrder::fused) {
      total = sums_(Operation::multiply, terms[0].first, terms[0].second);
      for (std::size_t i = 1; i < terms.size(); ++i) total = sums_.fused(terms[i].first, terms[i].second, total);
    } else {
      Codes products;
      for (const auto& [w, x] : terms) products.push_back(sums_(Operation::multiply, w, x));
      total = sum(products);
    }
    return narrowed(bias ? sums_(Operation::add, total, *bias) : total);
  }

  Codes dense(const Node& node, const Codes& x) const {
    const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
    const auto n = static_cast<std::size_t>(node.ints[2]);
    const Codes w = widened(constants(node, 0, n * k)), in = widened(x);
    const Codes bias = node.ints[3] != 0 ? widened(constants(node, n * k, n)) : Codes();
    Codes out;
    std::vector<Term> terms(k);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < k; ++i) terms[i] = {w[j * k + i], in[r * k + i]};
        out.push_back(sum_of_products(terms, bias.empty() ? nullptr : &bias[j]));
      }
    }
    return out;
  }

  Codes conv(const Node& node, const Codes& x) const {
    const auto& p = node.ints;
    const std::int64_t batch = p[0], channels = p[1], height = p[2], width = p[3], filters = p[4], kh = p[5], kw = p[6],
                       sh = p[7], sw = p[8], top = p[9], left = p[10], dh = p[13], dw = p[14], groups = p[15],
                       oh = p[16], ow = p[17];
    const std::int64_t per_group = channels / groups, kernel = per_group * kh * kw;
    const Codes w = widened(constants(node, 0, static_cast<std::size_t>(filters * kernel))), in = widened(x);
    const Codes bias = p[18] != 0 ? widened(constants(node, w.size(), static_cast<std::size_t>(filters))) : Codes();
    Codes out;
    std::vector<Term> terms;
    for (std::int64_t image = 0; image < batch * filters; ++image) {
      const std::int64_t b = image / filters, m = image % filters;
      const std::int64_t plane = (b * channels + m / (filters / groups) * per_group) * height * width;
      for (std::int64_t position = 0; position < oh * ow; ++position) {
        terms.clear();
        for (std::int64_t e = 0; e < kernel; ++e) {
          const std::int64_t c = e / (kh * kw), y = position / ow * sh - top + e / kw % kh * dh,
                             column = position % ow * sw - left + e % kw * dw;
          if (y < 0 || y >= height || column < 0 || column >= width) continue;
          terms.emplace_back(w[static_cast<std::size_t>(m * kernel + e)],
                             in[static_cast<std::size_t>(plane + (c * height + y) * width + column)]);
        }
        out.push_back(sum_of_products(terms, bias.empty() ? nullptr : &bias[static_cast<std::size_t>(m)]));
      }
    }
    return out;
  }

  Codes reduce(const Node& node, const Codes& x) const {
    const auto k = static_cast<std::size_t>(node.ints[0]);
    const Codes in = widened(x);
    Codes out;
    for (std::size_t i = 0; i < node.size; ++i) {
      Integer total = sum(Codes(in.begin() + static_cast<std::ptrdiff_t>(i * k),
                                in.begin() + static_cast<std::ptrdiff_t>((i + 1) * k)));
      const std::int64_t divisor = node.ints[i + 1];
      if (divisor != 1) total = sums_(Operation::divide, total, sums_.from(Rational(divisor)));
      out.push_back(narrowed(total));
    }
    return out;
  }

  Codes batch_norm(const Node& node, const Codes& x) const {
    const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
    const Codes c = constants(node, 0, 4 * channels + 1);
    Codes out;
    for (std::size_t i = 0; i < node.size; ++i) {
      const std::size_t q = i / inner % channels;
      const Integer deviation =
          values_(Operation::square_root, values_(Operation::add, c[3 * channels + q], c[4 * channels]));
      const Integer centred = values_(Operation::subtract, x[i], c[2 * channels + q]);
      const Integer scaled = values_(Operation::multiply, values_(Operation::divide, centred, deviation), c[q]);
      out.push_back(values_(Operation::add, scaled, c[channels + q]));
    }
    return out;
  }

  Codes map(const Node& node) const {
    Codes joined, out;
    for (std::uint32_t operand : node.operands) joined.insert(joined.end(), all_[operand].begin(), all_[operand].end());
    for (std::size_t i = 0; i < node.size; ++i) out.push_back(joined[static_cast<std::size_t>(node.ints[i])]);
    return out;
  }

  // A bound at the end of the element type is one that the model does not have (FORMAT.md section 2). In the element
  // type itself it turns an infinity into a number, as in the reference execution. Rounded into another format it could
  // be an infinity or a NaN, or cut off what the format can hold: there it takes no part.
  Codes clip(const Node& node, const Codes& x) const {
    const bool single = graph_.element == ElementType::binary32;
    const double end =
        single ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
    const bool own = how_.format->text() == (single ? "binary32" : "binary64");
    const bool has_lo = own || node.payload[0] != -end, has_hi = own || node.payload[1] != end;
    Codes out = x;
    const auto bound = [&](Operation operation, double at) {
      const Integer limit = values_.from(at);
      for (Integer& v : out) v = values_(operation, v, limit);
    };
    if (has_lo) bound(Operation::maximum, node.payload[0]);
    if (has_hi) bound(Operation::minimum, node.payload[1]);
    return out;
  }

  Codes maximum(const Node& node, const Codes& x) const {
    const auto k = static_cast<std::size_t>(node.ints[0]);
    Codes out;
    for (std::size_t i = 0; i < node.size; ++i) {
      Integer greatest = x[i * k];
      for (std::size_t j = 1; j < k; ++j) greatest = values_(Operation::maximum, greatest, x[i * k + j]);
      out.push_back(std::move(greatest));
    }
    return out;
  }

  template <typename F>
  static Codes each(const Codes& x, F f) {
    Codes out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(f(x[i], i));
    return out;
  }

  Codes with_constants(const Node& node, const Codes& x, Operation operation) const {
    const Codes c = constants(node, 0, node.size);
    return each(x, [&](const Integer& v, std::size_t i) { return values_(operation, v, c[i]); });
  }

  Codes node(const Node& node) const {
    static const Codes nothing;
    const Codes& x = node.operands.empty() ? nothing : all_[node.operands[0]];
    switch (node.kind) {
      case Kind::input:
        return {};
      case Kind::constant:
        return constants(node, 0, node.size);
      case Kind::map:
        return map(node);
      case Kind::dense:
        return dense(node, x);
      case Kind::conv:
        return conv(node, x);
      case Kind::reduce:
        return reduce(node, x);
      case Kind::bn:
        return batch_norm(node, x);
      case Kind::add: {
        const Codes& y = all_[node.operands[1]];
        const Operation operation = node.ints[0] == 0 ? Operation::add : Operation::subtract;
        return each(x, [&](const Integer& v, std::size_t i) { return values_(operation, v, y[i]); });
      }
      case Kind::shift:
        return with_constants(node, x, Operation::add);
      case Kind::scale:
        return with_constants(node, x, Operation::multiply);
      case Kind::divide:
        return with_constants(node, x, Operation::divide);
      case Kind::neg:
        return each(x, [&](const Integer& v, std::size_t) { return values_(Operation::negate, v); });
      case Kind::relu: {
        const Integer zero = values_.from(Rational(0));
        return each(x, [&](const Integer& v, std::size_t) { return values_.sign(v) <= 0 ? zero : v; });
      }
      case Kind::leaky: {
        const Integer slope = values_.from(node.payload[0]);
        return each(x, [&](const Integer& v, std::size_t) {
          return values_.sign(v) < 0 ? values_(Operation::multiply, slope, v) : v;
        });
      }
      case Kind::clip:
        return clip(node, x);
      case Kind::abs:
        return each(x, [&](const Integer& v, std::size_t) { return values_(Operation::absolute, v); });
      case Kind::max:
        return maximum(node, x);
      case Kind::function: {
        const ElementFunction function = element_function(node);
        return each(x, [&](const Integer& v, std::size_t) { return values_(function, v); });
      }
      case Kind::product:
      case Kind::quotient: {
        const Codes& y = all_[node.operands[1]];
        const Operation operation = node.kind == Kind::product ? Operation::multiply : Operation::divide;
        return each(x, [&](const Integer& v, std::size_t i) { return values_(operation, v, y[i]); });
      }
    }
    return {};
  }

  const Graph& graph_;
  const FormattedRun& how_;
  std::vector<Codes>& all_;
  Arithmetic values_, sums_;
};

}  // namespace

FormattedResult run_in_format(const Graph& graph, const std::vector<Rational>& input, const FormattedRun& how) {
  if (input.size() != graph.nodes[0].size) throw ResourceError("run in a format: wrong number of inputs");
  FormattedResult result;
  Runner(graph, how, result).run(input);
  return result;
}

}  // namespace outward
