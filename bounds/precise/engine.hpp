// Interval and linear bounds of a graph, over the real numbers or of every execution in binary32 or binary64, computed
// in one number format with outward rounding. Assumes a valid graph and lo <= hi in the box. Promises: ranges contain
// what every execution over the box gives, exact and (under a float claim, unless overflow() says otherwise) rounded;
// with one plan, every bound is an inclusion isotonic expression of the box and the weights (spans.hpp), so a format
// that has all numbers of another never gives a wider bound. Ends that the format cannot hold are unbounded.
//
// Backwards (Zhang et al. 2018): coefficients are spans too, so the lines of a neuron need no rounding of coefficients.
// A coefficient whose sign is open takes its positive part below the lower line, its negative part below the upper one.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "bounds/precise/error_boxes.hpp"
#include "bounds/precise/plan.hpp"
#include "bounds/precise/terms.hpp"
#include "formats/interval/spans.hpp"
#include "runtime/graph/property.hpp"

namespace outward::precise {

template <class Ends>
class Engine {
 public:
  using Number = typename Ends::Number;
  using S = Span<Ends>;
  using Form = std::vector<S>;  // coefficients, one per element of a node

  // check: called before every backward pass; what it throws ends the work.
  Engine(const Graph& graph, Ends ends, const FloatModel& model, std::function<void()> check)
      : graph_(graph),
        spans_(std::move(ends)),
        check_(std::move(check)),
        range_(graph.nodes.size()),
        errors_(graph, spans_, model, payload_, scale_) {
    for (const Node& node : graph.nodes) {
      payload_.emplace_back();
      for (double value : node.payload) payload_.back().push_back(constant(value));
    }
    for (std::size_t k = 0; k < graph.nodes.size(); ++k)
      if (graph.nodes[k].kind == Kind::bn) prepare_batch_norm(k);
  }

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Spans<Ends>& spans() const { return spans_; }
  const std::vector<S>& range(std::size_t node) const { return range_[node]; }
  // Under a float claim: why nothing is known of the last box; empty if overflow is excluded in it.
  const std::string& overflow() const { return errors_.overflow(); }

  // Ranges of all nodes by intervals alone.
  void intervals(const std::vector<S>& input) {
    range_[0] = input;
    errors_.forget();
    errors_.check_range(0, range_[0]);
    for (std::size_t k = 1; k < range_.size(); ++k) {
      range_[k] = computed(k);
      errors_.check_range(k, range_[k]);
    }
  }

  // Ranges after intervals(), narrowed: elements of the plan bounded backwards, and what follows from them. With
  // `making` the plan is made on the way, from the ranges at hand.
  void narrow(Plan& plan, bool making) {
    if (making) {
      plan.backward.resize(range_.size());
      plan.slopes.resize(range_.size());
      plan.operand.resize(range_.size());
      plan.is_greatest.resize(range_.size());
    }
    lines_.assign(range_.size(), {});
    for (std::size_t k = 1; k < range_.size(); ++k) {
      const Node& node = graph_.nodes[k];
      if (is_piecewise_linear(node.kind) || node.kind == Kind::max) {
        if (making) choose_backward(k, plan);
        narrow_operand(node.operands[0], plan.backward[k], plan);
        if (making) choose_lines(k, plan);
        if (is_piecewise_linear(node.kind)) set_lines(k, plan);
      }
      const std::vector<S> now = computed(k);
      for (std::size_t i = 0; i < now.size(); ++i) range_[k][i] = spans_.meet(range_[k][i], now[i]);
    }
  }

  // Lower bound of form · (node) + constant, a lower end. REQUIRES narrow(). plane (if not null) receives what the
  // bound is over the inputs, a form and a constant; an empty form if there is none.
  Number lower(std::size_t node, Form form, Number constant, const Plan& plan,
               std::pair<Form, Number>* plane = nullptr) {
    check_();
    std::vector<Form> at(node + 1);
    at[node] = std::move(form);
    for (std::size_t k = node; k > 0; --k) {
      if (at[k].empty()) continue;
      pass(k, at, constant, plan);
      if (!spans_.ends().is_bounded(constant)) return constant;
      Form().swap(at[k]);
    }
    if (plane) *plane = {at[0], constant};
    for (std::size_t i = 0; i < at[0].size(); ++i) constant = spans_.fused_lower(at[0][i], range_[0][i], constant);
    return constant;
  }

  // Both bounds of one element.
  S bound(std::size_t node, std::size_t element, const Plan& plan) {
    Form form(graph_.nodes[node].size, spans_.zero());
    form[element] = spans_.from(Rational(1));
    const Number lo = lower(node, form, spans_.ends().zero(), plan);
    form[element] = spans_.from(Rational(-1));
    const Number hi = lower(node, std::move(form), spans_.ends().zero(), plan);
    return {lo, spans_.ends().negate(hi, Rounding::up)};
  }

 private:
  struct Lines {  // f(x) >= lower * x + below and f(x) <= upper * x + above on the range
    S lower, upper;
    Number below, above;
  };

  S constant(double value) const { return spans_.from(exact(value)); }
  S point(const Number& x) const { return {x, x}; }

  void prepare_batch_norm(std::size_t k) {
    const auto channels = static_cast<std::size_t>(graph_.nodes[k].ints[0]);
    const std::vector<S>& c = payload_[k];
    scale_.resize(range_.size());
    shift_.resize(range_.size());
    for (std::size_t q = 0; q < channels; ++q) {
      const S deviation = spans_.square_root(spans_.add(c[3 * channels + q], c[4 * channels]));
      scale_[k].push_back(spans_.divide(c[q], deviation));
      shift_[k].push_back(spans_.fused(spans_.negate(scale_[k].back()), c[2 * channels + q], c[channels + q]));
    }
  }

  // The bias of an output, or null.
  const S* bias(std::size_t k, std::size_t out) const {
    const std::size_t at = bias_index(graph_.nodes[k], out);
    return at == no_bias ? nullptr : &payload_[k][at];
  }

  // The part of x where a piece counts, a little more where the format lacks its ends; false: none of it.
  bool part(const Piece& piece, S& x) const {
    if (piece.from) x.lo = spans_.greatest(x.lo, constant(*piece.from).lo);
    if (piece.to) x.hi = spans_.least(x.hi, constant(*piece.to).hi);
    return spans_.ends().compare(x.lo, x.hi) <= 0;
  }
  // f(x) - slope * x over the range x, f piecewise linear.
  S over_pieces(const std::vector<Piece>& all, const S& x, double slope) const {
    S out{};
    bool first = true;
    for (const Piece& piece : all) {
      S here = x;
      if (!part(piece, here)) continue;
      const S tilt = spans_.from(exact(piece.slope) - exact(slope));
      const S value = spans_.fused(tilt, here, constant(piece.offset));
      out = first ? value : spans_.hull(out, value);
      first = false;
    }
    return first ? spans_.whole() : out;
  }

  // The interval rule of node k with its error box.
  std::vector<S> computed(std::size_t k) {
    std::vector<S> out = image(k);
    errors_.update(k, range_);
    const std::vector<Number>& errors = errors_.of(k);
    for (std::size_t i = 0; i < errors.size(); ++i) out[i] = spans_.add(out[i], around_zero(errors[i]));
    return out;
  }
  S around_zero(const Number& radius) const { return {spans_.ends().negate(radius, Rounding::down), radius}; }

  // The interval rule of node k over exact operations.
  std::vector<S> image(std::size_t k) const {
    const Node& node = graph_.nodes[k];
    const auto x = [&](std::size_t i) -> const S& { return range_[node.operands[0]][i]; };
    std::vector<S> out;
    out.reserve(node.size);
    const std::vector<Piece> all = is_piecewise_linear(node.kind) ? pieces(node) : std::vector<Piece>();
    const auto element = [&](std::size_t i) -> S {
      switch (node.kind) {
        case Kind::map: {
          const auto [operand, at] = source(graph_, node, i);
          return range_[operand][at];
        }
        case Kind::dense:
        case Kind::conv: {
          const S* first = bias(k, i);
          S sum = first ? *first : spans_.zero();
          for_each_term(node, i,
                        [&](std::size_t w, std::size_t at) { sum = spans_.fused(payload_[k][w], x(at), sum); });
          return sum;
        }
        case Kind::reduce: {
          const auto terms = static_cast<std::size_t>(node.ints[0]);
          S sum = spans_.zero();
          for (std::size_t j = 0; j < terms; ++j) sum = spans_.add(sum, x(i * terms + j));
          return spans_.divide(sum, spans_.from(Rational(node.ints[i + 1])));
        }
        case Kind::bn: {
          const std::size_t q = channel(node, i), channels = static_cast<std::size_t>(node.ints[0]);
          const S centred = spans_.add(x(i), spans_.negate(payload_[k][2 * channels + q]));
          return spans_.fused(scale_[k][q], centred, payload_[k][channels + q]);
        }
        case Kind::add: {
          const S& y = range_[node.operands[1]][i];
          return spans_.add(x(i), node.ints[0] == 0 ? y : spans_.negate(y));
        }
        case Kind::shift:
          return spans_.add(x(i), payload_[k][i]);
        case Kind::scale:
          return spans_.multiply(x(i), payload_[k][i]);
        case Kind::divide:
          return spans_.divide(x(i), payload_[k][i]);
        case Kind::neg:
          return spans_.negate(x(i));
        case Kind::max: {
          const auto terms = static_cast<std::size_t>(node.ints[0]);
          S greatest = x(i * terms);
          for (std::size_t j = 1; j < terms; ++j) greatest = spans_.maximum(greatest, x(i * terms + j));
          return greatest;
        }
        case Kind::constant:
          return payload_[k][i];
        default:
          return over_pieces(all, x(i), 0);
      }
    };
    for (std::size_t i = 0; i < node.size; ++i) out.push_back(element(i));
    return out;
  }

  // The backward rule of node k: its coefficients go to its operands, the rest to the constant.
  void pass(std::size_t k, std::vector<Form>& at, Number& rest, const Plan& plan) const {
    const Node& node = graph_.nodes[k];
    for (std::uint32_t operand : node.operands)
      if (at[operand].empty()) at[operand].assign(graph_.nodes[operand].size, spans_.zero());
    const auto give = [&](std::uint32_t operand, std::size_t i, const S& coefficient) {
      at[operand][i] = spans_.add(at[operand][i], coefficient);
    };
    const auto keep = [&](const S& a, const S& c) { rest = spans_.fused_lower(a, c, rest); };
    for (std::size_t i = 0; i < node.size; ++i) {
      const S& a = at[k][i];
      if (spans_.is_zero(a)) continue;
      if (!errors_.of(k).empty()) keep(a, around_zero(errors_.of(k)[i]));
      switch (node.kind) {
        case Kind::map: {
          const auto [operand, element] = source(graph_, node, i);
          give(operand, element, a);
          break;
        }
        case Kind::dense:
        case Kind::conv: {
          Form& to = at[node.operands[0]];
          for_each_term(node, i, [&](std::size_t w, std::size_t j) { to[j] = spans_.fused(payload_[k][w], a, to[j]); });
          if (const S* b = bias(k, i)) keep(a, *b);
          break;
        }
        case Kind::reduce: {
          const auto terms = static_cast<std::size_t>(node.ints[0]);
          const S each = spans_.divide(a, spans_.from(Rational(node.ints[i + 1])));
          for (std::size_t j = 0; j < terms; ++j) give(node.operands[0], i * terms + j, each);
          break;
        }
        case Kind::bn: {
          const std::size_t q = channel(node, i);
          give(node.operands[0], i, spans_.multiply(a, scale_[k][q]));
          keep(a, shift_[k][q]);
          break;
        }
        case Kind::add:
          give(node.operands[0], i, a);
          give(node.operands[1], i, node.ints[0] == 0 ? a : spans_.negate(a));
          break;
        case Kind::shift:
          give(node.operands[0], i, a);
          keep(a, payload_[k][i]);
          break;
        case Kind::scale:
          give(node.operands[0], i, spans_.multiply(a, payload_[k][i]));
          break;
        case Kind::divide:
          give(node.operands[0], i, spans_.divide(a, payload_[k][i]));
          break;
        case Kind::neg:
          give(node.operands[0], i, spans_.negate(a));
          break;
        case Kind::constant:
          keep(a, payload_[k][i]);
          break;
        case Kind::max: {
          const auto terms = static_cast<std::size_t>(node.ints[0]);
          const std::size_t chosen = i * terms + plan.operand[k][i];
          const S below = spans_.positive_part(a), above = spans_.negative_part(a);
          give(node.operands[0], chosen, below);
          const bool is_greatest = plan.is_greatest[k][i] != 0;
          if (is_greatest) give(node.operands[0], chosen, above);
          keep(above, point(is_greatest ? excess(node, i, chosen) : range_[k][i].hi));
          break;
        }
        default: {
          const Lines& lines = lines_[k][i];
          const S below = spans_.positive_part(a), above = spans_.negative_part(a);
          if (!spans_.is_zero(below)) {
            give(node.operands[0], i, spans_.multiply(below, lines.lower));
            keep(below, point(lines.below));
          }
          if (!spans_.is_zero(above)) {
            give(node.operands[0], i, spans_.multiply(above, lines.upper));
            keep(above, point(lines.above));
          }
        }
      }
    }
  }

  // By how much the greatest of a max group may exceed the chosen operand; at least 0.
  Number excess(const Node& node, std::size_t i, std::size_t chosen) const {
    const auto terms = static_cast<std::size_t>(node.ints[0]);
    const std::vector<S>& x = range_[node.operands[0]];
    Number most = spans_.ends().zero();
    for (std::size_t j = i * terms; j < (i + 1) * terms; ++j)
      if (j != chosen) most = spans_.greatest(most, spans_.add(x[j], spans_.negate(x[chosen])).hi);
    return most;
  }

  void narrow_operand(std::size_t node, const std::vector<char>& which, const Plan& plan) {
    for (std::size_t i = 0; i < which.size(); ++i)
      if (which[i] != 0) range_[node][i] = spans_.meet(range_[node][i], bound(node, i, plan));
  }

  void set_lines(std::size_t k, const Plan& plan) {
    const Node& node = graph_.nodes[k];
    const std::vector<Piece> all = pieces(node);
    for (std::size_t i = 0; i < node.size; ++i) {
      const Slopes& s = plan.slopes[k][i];
      const S& x = range_[node.operands[0]][i];
      lines_[k].push_back(
          {constant(s.lower), constant(s.upper), over_pieces(all, x, s.lower).lo, over_pieces(all, x, s.upper).hi});
    }
  }

  // What is worth a backward pass: elements around a corner, unless nothing but one sum lies before them.
  void choose_backward(std::size_t k, Plan& plan) const {
    if constexpr (std::is_same_v<Number, double>) {
      const Node& node = graph_.nodes[k];
      const Node& operand = graph_.nodes[node.operands[0]];
      plan.backward[k].assign(operand.size, 0);
      if (operand.operands.empty() || operand.operands == std::vector<std::uint32_t>{0}) return;
      const std::vector<Piece> all = node.kind == Kind::max ? std::vector<Piece>() : pieces(node);
      for (std::size_t i = 0; i < operand.size; ++i) {
        const S& x = range_[node.operands[0]][i];
        bool worth = node.kind == Kind::max;
        for (const Piece& piece : all) worth = worth || (piece.to && *piece.to > x.lo && *piece.to < x.hi);
        plan.backward[k][i] = worth ? 1 : 0;
      }
    }
  }
  void choose_lines(std::size_t k, Plan& plan) const {
    if constexpr (std::is_same_v<Number, double>) {
      const Node& node = graph_.nodes[k];
      const std::vector<S>& x = range_[node.operands[0]];
      if (node.kind != Kind::max) {
        for (std::size_t i = 0; i < node.size; ++i) plan.slopes[k].push_back(choose_slopes(node, x[i].lo, x[i].hi));
        return;
      }
      const auto terms = static_cast<std::size_t>(node.ints[0]);
      for (std::size_t i = 0; i < node.size; ++i) {
        std::size_t chosen = i * terms;
        for (std::size_t j = chosen; j < (i + 1) * terms; ++j)
          if (x[j].lo > x[chosen].lo) chosen = j;
        bool greatest = true;
        for (std::size_t j = i * terms; j < (i + 1) * terms; ++j)
          greatest = greatest && (j == chosen || x[j].hi <= x[chosen].lo);
        plan.operand[k].push_back(static_cast<std::uint32_t>(chosen - i * terms));
        plan.is_greatest[k].push_back(greatest ? 1 : 0);
      }
    }
  }

  const Graph& graph_;
  Spans<Ends> spans_;
  std::function<void()> check_;
  std::vector<std::vector<S>> range_, payload_, scale_, shift_;
  ErrorBoxes<Ends> errors_;
  std::vector<std::vector<Lines>> lines_;
};

}  // namespace outward::precise
