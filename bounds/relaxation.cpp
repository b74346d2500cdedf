#include "bounds/relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "formats/directed.hpp"

namespace outward {

namespace {

// One linear piece p·x + q of the function. Both numbers exact.
struct Piece {
  double slope, offset;
};

Piece piece_at(const Node& node, double x) {
  switch (node.kind) {
    case Kind::relu:
      return {x > 0 ? 1.0 : 0.0, 0.0};
    case Kind::leaky:
      return {x > 0 ? 1.0 : node.payload[0], 0.0};
    case Kind::abs:
      return {x > 0 ? 1.0 : -1.0, 0.0};
    default:  // clip
      if (x <= node.payload[0]) return {0.0, node.payload[0]};
      if (x >= node.payload[1]) return {0.0, node.payload[1]};
      return {1.0, 0.0};
  }
}

// Breakpoints strictly inside (lo, hi), at most two.
int breakpoints(const Node& node, double lo, double hi, double* out) {
  int count = 0;
  auto take = [&](double b) {
    if (lo < b && b < hi) out[count++] = b;
  };
  if (node.kind == Kind::clip) {
    take(node.payload[0]);
    if (node.payload[1] != node.payload[0]) take(node.payload[1]);
  } else {
    take(0.0);
  }
  return count;
}

// The piece that covers all of [lo, hi]. REQUIRES no breakpoint inside.
Piece whole_piece(const Node& node, double lo, double hi) {
  if (node.kind == Kind::clip) {
    if (hi <= node.payload[0]) return {0.0, node.payload[0]};
    if (lo >= node.payload[1]) return {0.0, node.payload[1]};
    return {1.0, 0.0};
  }
  return piece_at(node, hi <= 0 ? -1.0 : 1.0);
}

// f(x) − s·x at x, rounded down or up. The piece at x gives f(x) = p·x + q exactly.
double residual_down(const Node& node, double s, double x) {
  const Piece p = piece_at(node, x);
  const double a = sub_down(p.slope, s), b = sub_up(p.slope, s);
  return add_down(std::min(mul_down(a, x), mul_down(b, x)), p.offset);
}
double residual_up(const Node& node, double s, double x) {
  const Piece p = piece_at(node, x);
  const double a = sub_down(p.slope, s), b = sub_up(p.slope, s);
  return add_up(std::max(mul_up(a, x), mul_up(b, x)), p.offset);
}

double lower_offset(const Node& node, double s, double lo, double hi) {
  double points[2];
  const int n = breakpoints(node, lo, hi, points);
  double t = std::min(residual_down(node, s, lo), residual_down(node, s, hi));
  for (int i = 0; i < n; ++i) t = std::min(t, residual_down(node, s, points[i]));
  return t;
}
double upper_offset(const Node& node, double s, double lo, double hi) {
  double points[2];
  const int n = breakpoints(node, lo, hi, points);
  double t = std::max(residual_up(node, s, lo), residual_up(node, s, hi));
  for (int i = 0; i < n; ++i) t = std::max(t, residual_up(node, s, points[i]));
  return t;
}

// floor(2^24·chord)/2^24.
double chord_slope(const Node& node, double lo, double hi) {
  const double chord = (function_value(node, hi) - function_value(node, lo)) / (hi - lo);
  return std::floor(0x1p24 * chord) * 0x1p-24;
}

// The byte whose line has the best value in the middle of [lo, hi] (equivalently, the smallest area).
std::uint8_t best_clip_byte(const Node& node, double lo, double hi, bool lower) {
  const double a = std::max(lo, node.payload[0]), b = std::min(hi, node.payload[1]), middle = lo + 0.5 * (hi - lo);
  const double candidates[] = {0, 128, 128 * (b - std::max(a, lo)) / (hi - a), 128 * (b - a) / (b - lo),
                               128 * (b - a) / (hi - lo)};
  std::uint8_t best = 0;
  double best_value = lower ? -infinity : infinity;
  for (double c : candidates) {
    if (!(c >= 0 && c <= 128)) continue;
    for (double r : {std::floor(c), std::ceil(c)}) {
      const auto byte = static_cast<std::uint8_t>(r);
      const double s = slope_of_byte(node, byte);
      const double v = s * middle + (lower ? lower_offset(node, s, lo, hi) : upper_offset(node, s, lo, hi));
      if (lower ? v > best_value : v < best_value) {
        best_value = v;
        best = byte;
      }
    }
  }
  return best;
}

void set_max_choice(const Network& net, State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  const auto width = static_cast<std::size_t>(node.ints[0]);
  const Range& x = state.range[node.operands[0]];
  MaxChoice& choice = state.choice[k];
  choice.chosen.assign(node.size, 0);
  choice.dominating.assign(node.size, 1);
  choice.upper.assign(node.size, -infinity);
  for (std::size_t i = 0; i < node.size; ++i) {
    const std::size_t base = i * width;
    std::size_t best = 0;
    for (std::size_t j = 1; j < width; ++j)
      if (x.lo[base + j] > x.lo[base + best]) best = j;
    for (std::size_t j = 0; j < width; ++j) {
      if (j != best && !(x.lo[base + best] >= x.hi[base + j])) choice.dominating[i] = 0;
      choice.upper[i] = std::max(choice.upper[i], x.hi[base + j]);
    }
    choice.chosen[i] = static_cast<std::uint32_t>(best);
  }
}

}  // namespace

double slope_of_byte(const Node& node, std::uint8_t byte) {
  const double b = byte;
  switch (node.kind) {
    case Kind::leaky:
      return node.payload[0] + (1 - node.payload[0]) * (b / 128);
    case Kind::abs:
      return -1 + b / 64;
    default:
      return b / 128;
  }
}

double function_value(const Node& node, double x) {
  const Piece p = piece_at(node, x);
  return p.slope * x + p.offset;
}

bool is_unstable(const Node& node, double lo, double hi) {
  double points[2];
  return breakpoints(node, lo, hi, points) > 0;
}

SlopeBytes adaptive_slopes(const Network& net, const State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  const Range& x = state.range[node.operands[0]];
  SlopeBytes out;
  if (node.kind == Kind::max) {
    const auto width = static_cast<std::size_t>(node.ints[0]);
    out.lower.assign(node.size * width, 0);
    for (std::size_t i = 0; i < node.size; ++i) {
      const auto from = x.lo.begin() + static_cast<std::ptrdiff_t>(i * width);
      out.lower[i * width + static_cast<std::size_t>(std::max_element(from, from + static_cast<std::ptrdiff_t>(width)) -
                                                     from)] = 128;
    }
    return out;
  }
  out.lower.assign(node.size, 0);
  if (node.kind == Kind::clip) out.upper.assign(node.size, 0);
  for (std::size_t i = 0; i < node.size; ++i) {
    if (node.kind == Kind::clip) {
      if (!is_unstable(node, x.lo[i], x.hi[i])) continue;
      out.lower[i] = best_clip_byte(node, x.lo[i], x.hi[i], true);
      out.upper[i] = best_clip_byte(node, x.lo[i], x.hi[i], false);
    } else {
      out.lower[i] = x.hi[i] > -x.lo[i] ? 128 : 0;  // stable elements get the byte of their piece
    }
  }
  return out;
}

SlopeBytes parallel_slopes(const Network& net, const State& state, std::uint32_t k) {
  const Node& node = net.node(k);
  SlopeBytes out = adaptive_slopes(net, state, k);
  if (node.kind != Kind::relu && node.kind != Kind::leaky && node.kind != Kind::abs) return out;
  const Range& x = state.range[node.operands[0]];
  const double least = slope_of_byte(node, 0), reach = slope_of_byte(node, 128) - least;
  for (std::size_t i = 0; i < node.size; ++i) {
    if (!is_unstable(node, x.lo[i], x.hi[i]) || !(reach > 0)) continue;
    const double byte = 128 * (chord_slope(node, x.lo[i], x.hi[i]) - least) / reach;
    if (byte >= 0 && byte <= 128) out.lower[i] = static_cast<std::uint8_t>(std::lround(byte));
  }
  return out;
}

ElementLines element_lines(const Node& node, double lo, double hi, std::uint8_t lower_byte, std::uint8_t upper_byte) {
  if (!is_unstable(node, lo, hi)) {
    const Piece p = whole_piece(node, lo, hi);
    return {p.slope, p.offset, p.slope, p.offset};
  }
  if (!(lo > -infinity && hi < infinity)) return {0, -infinity, 0, infinity};
  ElementLines e;
  e.lower_slope = slope_of_byte(node, lower_byte);
  e.lower_offset = lower_offset(node, e.lower_slope, lo, hi);
  e.upper_slope = node.kind == Kind::clip ? slope_of_byte(node, upper_byte) : chord_slope(node, lo, hi);
  e.upper_offset = upper_offset(node, e.upper_slope, lo, hi);
  return e;
}

void set_lines(const Network& net, State& state, std::uint32_t k, const SlopeBytes& bytes) {
  const Node& node = net.node(k);
  if (node.kind == Kind::max) {
    set_max_choice(net, state, k);
    return;
  }
  const Range& x = state.range[node.operands[0]];
  Lines& lines = state.lines[k];
  for (auto* v : {&lines.lower_slope, &lines.lower_offset, &lines.upper_slope, &lines.upper_offset})
    v->assign(node.size, 0.0);
  for (std::size_t i = 0; i < node.size; ++i) {
    const ElementLines e =
        element_lines(node, x.lo[i], x.hi[i], bytes.lower[i], node.kind == Kind::clip ? bytes.upper[i] : 0);
    lines.lower_slope[i] = e.lower_slope;
    lines.lower_offset[i] = e.lower_offset;
    lines.upper_slope[i] = e.upper_slope;
    lines.upper_offset[i] = e.upper_offset;
  }
}

}  // namespace outward
