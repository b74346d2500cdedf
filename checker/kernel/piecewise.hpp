// The unary piecewise linear functions relu, leaky, clip, abs: pieces, images and lines. One rule:
// a line may have any slope s; its intercept is the extreme of f(x) - s*x over the end points and
// the breakpoints inside. Assumes finite ranges; for an empty one (l > u) any result is as good.
#pragma once
#include <cstdint>

#include "checker/kernel/graph.hpp"
#include "checker/kernel/number.hpp"

namespace outward_check {

// f(x) = slope[q]*x + offset[q] on piece q, pieces meet at at[0] (<= at[1]).
struct Piecewise {
  int breaks = 1;
  double at[2] = {0, 0}, slope[3] = {0, 1, 0}, offset[3] = {0, 0, 0};

  explicit Piecewise(const Node& node) {
    if (node.kind == Kind::leaky) slope[0] = node.payload[0];
    if (node.kind == Kind::abs) slope[0] = -1;
    if (node.kind == Kind::clip) {
      breaks = 2;
      offset[0] = at[0] = node.payload[0];
      offset[2] = at[1] = node.payload[1];
    }
  }
  // The piece that holds all of [l, u], or -1.
  template <class U>
  int piece(const U& l, const U& u) const {
    if (u <= U(at[0])) return 0;
    if (breaks == 2 && l >= U(at[1])) return 2;
    if (l >= U(at[0]) && (breaks == 1 || u <= U(at[1]))) return 1;
    return -1;
  }
  // n: upper bound of max(s*x - f(x)), h: upper bound of max(f(x) - s*x), over [l, u].
  template <class U>
  Interval<U> extremes(const U& l, const U& u, double s) const {
    Interval<U> e = deviation(l, piece(l, l), s);
    const auto widen = [&](const Interval<U>& d) { e = {larger(e.n, d.n), larger(e.h, d.h)}; };
    widen(deviation(u, piece(u, u), s));
    for (int b = 0; b < breaks; ++b) {
      if (l < U(at[b]) && U(at[b]) < u) widen(deviation(U(at[b]), b, s));
    }
    return e;
  }
  // The slope that a byte stands for; any result is sound.
  double slope_of(Kind kind, int byte) const {
    if (kind == Kind::leaky) return slope[0] + (1 - slope[0]) * byte / 128;
    return kind == Kind::abs ? -1 + byte / 64.0 : byte / 128.0;
  }
  // floor(2^24*(f(u) - f(l))/(u - l))/2^24, roughly; any result is sound.
  double chord(double l, double u) const {
    const int a = piece(l, l), b = piece(u, u);
    const double rise = slope[b] * u + offset[b] - (slope[a] * l + offset[a]);
    const double ratio = rise / (u - l);
    if (!(ratio >= -2 && ratio <= 2)) return 0;
    const double scaled = ratio * 16777216;
    const double cut = static_cast<double>(static_cast<std::int64_t>(scaled));
    return (cut > scaled ? cut - 1 : cut) / 16777216;
  }

 private:
  template <class U>
  Interval<U> deviation(const U& x, int q, double s) const {
    const U rise = add_up(mul_up(U(slope[q]), x), mul_up(U(-s), x));
    const U fall = add_up(mul_up(U(-slope[q]), x), mul_up(U(s), x));
    return {add_up(fall, U(-offset[q])), add_up(rise, U(offset[q]))};
  }
};

}  // namespace outward_check
