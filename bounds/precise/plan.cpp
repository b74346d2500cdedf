// Choices of a plan: see the header.
#include "bounds/precise/plan.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace outward::precise {

bool is_piecewise_linear(Kind kind) {
  return kind == Kind::relu || kind == Kind::leaky || kind == Kind::clip || kind == Kind::abs;
}

bool is_covered(Kind kind) {
  switch (kind) {
    case Kind::input:
    case Kind::constant:
    case Kind::map:
    case Kind::dense:
    case Kind::conv:
    case Kind::reduce:
    case Kind::bn:
    case Kind::add:
    case Kind::shift:
    case Kind::scale:
    case Kind::divide:
    case Kind::neg:
    case Kind::relu:
    case Kind::leaky:
    case Kind::clip:
    case Kind::abs:
    case Kind::max:
      return true;
    case Kind::function:
    case Kind::product:
    case Kind::quotient:
      return false;
  }
  return false;
}

std::vector<Piece> pieces(const Node& node) {
  switch (node.kind) {
    case Kind::relu:
      return {{std::nullopt, 0.0, 0, 0}, {0.0, std::nullopt, 1, 0}};
    case Kind::leaky:
      return {{std::nullopt, 0.0, node.payload[0], 0}, {0.0, std::nullopt, 1, 0}};
    case Kind::abs:
      return {{std::nullopt, 0.0, -1, 0}, {0.0, std::nullopt, 1, 0}};
    case Kind::clip:
      return {{std::nullopt, node.payload[0], 0, node.payload[0]},
              {node.payload[0], node.payload[1], 1, 0},
              {node.payload[1], std::nullopt, 0, node.payload[1]}};
    default:
      throw std::logic_error(std::string("no piecewise linear kind: ") + kind_name(node.kind));
  }
}

namespace {

double value_at(const std::vector<Piece>& all, double x) {
  for (const Piece& piece : all)
    if (!piece.to || x <= *piece.to) return piece.slope * x + piece.offset;
  return x;
}

}  // namespace

Slopes choose_slopes(const Node& node, double lo, double hi) {
  const std::vector<Piece> all = pieces(node);
  const auto piece_of = [&](double x, bool right) {
    std::size_t i = 0;
    while (i + 1 < all.size() && (x > *all[i].to || (right && x == *all[i].to))) ++i;
    return i;
  };
  const std::size_t first = piece_of(lo, true), last = std::max(first, piece_of(hi, false));
  if (first == last) return {all[first].slope, all[first].slope};
  if (!std::isfinite(hi - lo)) return {all[first].slope, all[last].slope};
  const auto chord = [&](double a, double b) {
    return static_cast<double>(static_cast<float>((value_at(all, b) - value_at(all, a)) / (b - a)));
  };
  if (last - first == 2) return {chord(*all[0].to, hi), chord(lo, *all[1].to)};  // clip: through a corner each
  // Two pieces that meet at one corner: the chord on one side, the piece of the longer part on the other.
  const double corner = *all[first].to;
  const double longer = hi - corner > corner - lo ? all[last].slope : all[first].slope;
  const bool convex = all[last].slope >= all[first].slope;
  return convex ? Slopes{longer, chord(lo, hi)} : Slopes{chord(lo, hi), longer};
}

}  // namespace outward::precise
