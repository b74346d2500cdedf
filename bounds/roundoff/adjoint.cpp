#include "bounds/roundoff/adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bounds/rounding.hpp"

namespace outward::roundoff {
namespace {

constexpr double tiny = 0x1p-1060;  // more than any product or sum here loses to underflow

// Coefficients of one row at one operator: the exact ones lie within radius of the centre.
struct Coefficients {
  std::vector<double> c, r;
  bool active() const { return !c.empty(); }
  void open(std::size_t n) {
    if (active()) return;
    c.assign(n, 0.0);
    r.assign(n, 0.0);
  }
  // Four roundings to nearest are less than the factor.
  void add(std::size_t i, double centre, double radius) {
    c[i] += centre;
    r[i] = (r[i] + radius + std::fabs(c[i]) * 0x1p-53) * (1 + 0x1p-50) + tiny;
  }
};

struct Slope {
  double lo, hi;
};

Slope slope_of(const Operator& op, const Quantity& x) {
  const double lo = x.computed_lo(), hi = x.computed_hi();
  switch (op.code) {
    case OpCode::relu:
      return lo >= 0 ? Slope{1, 1} : hi <= 0 ? Slope{0, 0} : Slope{0, 1};
    case OpCode::leaky:
      return lo >= 0 ? Slope{1, 1} : hi <= 0 ? Slope{op.payload[0], op.payload[0]} : Slope{op.payload[0], 1};
    case OpCode::abs:
      return lo >= 0 ? Slope{1, 1} : hi <= 0 ? Slope{-1, -1} : Slope{-1, 1};
    default:  // clip
      if (lo >= op.payload[0] && hi <= op.payload[1]) return {1, 1};
      if (hi <= op.payload[0] || lo >= op.payload[1]) return {0, 0};
      return {0, 1};
  }
}

class Backward {
 public:
  Backward(const Program& p, const Analysis& a, std::uint32_t top, Form form)
      : p_(p), a_(a), top_(top), form_(form), at_(top + 1), part_(top + 1, 0.0) {}

  // Instead of slopes between two runs, the lines of a scope: CROWN's coefficients of a lower bound.
  void use_lines(const State& state) { state_ = &state; }

  void run(std::uint32_t element, double sign = 1) {
    std::fill(part_.begin(), part_.end(), 0.0);
    at_[top_].open(p_.operators[top_].size);
    at_[top_].c[element] = sign;
    for (std::uint32_t k = top_ + 1; k-- > 0;) {
      Coefficients& mine = at_[k];
      if (!mine.active()) continue;
      const std::vector<double>& local = state_ ? state_->delta[k] : a_.at[k].local;
      double sum = 0;
      for (std::size_t i = 0; i < local.size(); ++i)
        if (local[i] != 0) sum = plus(sum, times(size(mine, i), local[i]));
      part_[k] = plus(part_[k], sum);
      pass(k, mine);
      mine.c.clear();
      mine.r.clear();
    }
  }
  const std::vector<double>& part() const { return part_; }

 private:
  static double size(const Coefficients& m, std::size_t i) { return plus(std::fabs(m.c[i]), m.r[i]); }
  Coefficients& open(std::uint32_t k) {
    at_[k].open(p_.operators[k].size);
    return at_[k];
  }

  // mine·x for every element, x in [lo, hi] of one sign or a point: coefficient times enclosure.
  static void multiplied(const Coefficients& m, std::size_t i, double lo, double hi, Coefficients& to, std::size_t at) {
    const double centre = lo == hi ? lo : 0.5 * (lo + hi);
    const double radius = lo == hi ? 0 : (hi - lo) * (1 + 0x1p-50);
    const double c = m.c[i] * centre;
    const double r =
        (m.r[i] * (std::fabs(centre) + radius) + std::fabs(m.c[i]) * radius + std::fabs(c) * 0x1p-52) * (1 + 0x1p-50) +
        tiny;
    to.add(at, c, r);
  }

  void through_lines(std::uint32_t k, const Coefficients& mine) {
    const Operator& op = p_.operators[k];
    const Lines& lines = state_->lines[k];
    Coefficients& to = open(op.operands[0]);
    for (std::size_t i = 0; i < op.size; ++i) {
      const double slope = mine.c[i] > 0 ? lines.lower_slope[i] : lines.upper_slope[i];
      if (mine.c[i] != 0 && slope != 0) multiplied(mine, i, slope, slope, to, i);
    }
  }
  void through_choice(std::uint32_t k, const Coefficients& mine) {
    const Operator& op = p_.operators[k];
    const MaxChoice& choice = state_->choice[k];
    const auto terms = static_cast<std::size_t>(op.ints[0]);
    Coefficients& to = open(op.operands[0]);
    for (std::size_t i = 0; i < op.size; ++i)
      if (mine.c[i] > 0 || (mine.c[i] < 0 && choice.dominating[i] != 0))
        to.add(i * terms + choice.chosen[i], mine.c[i], mine.r[i]);
  }

  void piecewise(std::uint32_t k, const Coefficients& mine) {
    const Operator& op = p_.operators[k];
    const Quantities& x = a_.at[op.operands[0]].out;
    Coefficients& to = open(op.operands[0]);
    double slack = 0;
    for (std::size_t i = 0; i < op.size; ++i) {
      if (mine.c[i] == 0 && mine.r[i] == 0) continue;
      const Slope s = slope_of(op, x[i]);
      if (s.lo == s.hi) {
        if (s.lo == 1)
          to.add(i, mine.c[i], mine.r[i]);
        else if (s.lo != 0)
          multiplied(mine, i, s.lo, s.hi, to, i);
      } else if (form_ == Form::difference) {
        const double middle = 0.5 * (s.lo + s.hi);
        multiplied(mine, i, middle, middle, to, i);
        const double half = sub_up(s.hi, std::min(middle, s.lo + 0.5 * (s.hi - s.lo)));
        slack = plus(slack, times(times(size(mine, i), times(half, 1 + 0x1p-50)), x[i].error));
      } else {
        // The product of two intervals, its ends rounded outward, as centre and radius.
        const double a = sub_down(mine.c[i], mine.r[i]), b = add_up(mine.c[i], mine.r[i]);
        const double lo = std::min({mul_down(a, s.lo), mul_down(a, s.hi), mul_down(b, s.lo), mul_down(b, s.hi)});
        const double hi = std::max({mul_up(a, s.lo), mul_up(a, s.hi), mul_up(b, s.lo), mul_up(b, s.hi)});
        double centre = 0, radius = 0;
        centre_radius(lo, hi, &centre, &radius);
        to.add(i, centre, radius);
      }
    }
    part_[k] = plus(part_[k], slack);
  }

  void maximum(std::uint32_t k, const Coefficients& mine) {
    const Operator& op = p_.operators[k];
    const auto terms = static_cast<std::size_t>(op.ints[0]);
    const Quantities& x = a_.at[op.operands[0]].out;
    Coefficients& to = open(op.operands[0]);
    for (std::size_t i = 0; i < op.size; ++i) {
      if (mine.c[i] == 0 && mine.r[i] == 0) continue;
      double least = -infinity;
      for (std::size_t j = i * terms; j < (i + 1) * terms; ++j) least = std::max(least, x[j].computed_lo());
      std::size_t candidates = 0, only = 0;
      double error = 0;
      for (std::size_t j = i * terms; j < (i + 1) * terms; ++j) {
        if (x[j].computed_hi() < least) continue;
        ++candidates;
        only = j;
        error = std::max(error, x[j].error);
      }
      if (candidates == 1) {
        to.add(only, mine.c[i], mine.r[i]);
      } else if (form_ == Form::difference) {
        part_[k] = plus(part_[k], times(size(mine, i), error));
      } else {
        // The maximum moves by a mean, with weights in [0, 1], of what its candidates move by.
        const double half = plus(size(mine, i), 0) * 0.5;
        for (std::size_t j = i * terms; j < (i + 1) * terms; ++j)
          if (x[j].computed_hi() >= least) to.add(j, 0.5 * mine.c[i], plus(half, mine.r[i]));
      }
    }
  }

  void dense(const Operator& op, const Coefficients& mine, Coefficients& to) const {
    const auto rows = static_cast<std::size_t>(op.ints[0]), k = static_cast<std::size_t>(op.ints[1]);
    const auto n = static_cast<std::size_t>(op.ints[2]);
    const double g = product_term(n + 1), grow = inflation_up(2 * n + 8);
    std::vector<double> c(k), r(k);
    for (std::size_t row = 0; row < rows; ++row) {
      std::fill(c.begin(), c.end(), 0.0);
      std::fill(r.begin(), r.end(), 0.0);
      for (std::size_t j = 0; j < n; ++j) {
        const double a = mine.c[row * n + j], b = add_up(mine.r[row * n + j], mul_up(g, std::fabs(a)));
        if (a == 0 && b == 0) continue;
        const double* w = op.payload.data() + j * k;
        for (std::size_t i = 0; i < k; ++i) {
          c[i] += a * w[i];
          r[i] += b * std::fabs(w[i]);
        }
      }
      for (std::size_t i = 0; i < k; ++i) to.add(row * k + i, c[i], mul_up(r[i], grow) + tiny);
    }
  }

  void conv(const Operator& op, const Coefficients& mine, Coefficients& to) const {
    for (std::size_t i = 0; i < op.size; ++i) {
      const double a = mine.c[i], b = mine.r[i];
      if (a == 0 && b == 0) continue;
      for_each_term(op, i, [&](std::size_t w, std::size_t at) {
        const double c = a * op.payload[w];
        to.add(at, c, b * std::fabs(op.payload[w]) + std::fabs(c) * 0x1p-52);
      });
    }
  }

  void pass(std::uint32_t k, const Coefficients& mine) {
    const Operator& op = p_.operators[k];
    if (op.operands.empty()) return;
    Coefficients& x = open(op.operands[0]);
    const auto each = [&](auto f) {
      for (std::size_t i = 0; i < op.size; ++i)
        if (mine.c[i] != 0 || mine.r[i] != 0) f(i);
    };
    switch (op.code) {
      case OpCode::map: {
        std::vector<std::pair<std::uint32_t, std::size_t>> source;
        for (const std::uint32_t operand : op.operands) {
          open(operand);
          for (std::size_t i = 0; i < p_.operators[operand].size; ++i) source.emplace_back(operand, i);
        }
        each([&](std::size_t i) {
          const auto& [operand, at] = source[static_cast<std::size_t>(op.ints[i])];
          at_[operand].add(at, mine.c[i], mine.r[i]);
        });
        break;
      }
      case OpCode::dense:
        dense(op, mine, x);
        break;
      case OpCode::conv:
        conv(op, mine, x);
        break;
      case OpCode::reduce: {
        const auto terms = static_cast<std::size_t>(op.ints[0]);
        each([&](std::size_t i) {
          const auto d = static_cast<double>(op.ints[i + 1]);
          for (std::size_t j = i * terms; j < (i + 1) * terms; ++j)
            multiplied(mine, i, div_down(1, d), d == 1 ? 1 : div_up(1, d), x, j);
        });
        break;
      }
      case OpCode::bn:
      case OpCode::bn_folded: {
        const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
        each([&](std::size_t i) {
          const ChannelScale s = channel_scale(op, i / inner % channels);
          multiplied(mine, i, s.lo, s.hi, x, i);
        });
        break;
      }
      case OpCode::add: {
        Coefficients& y = open(op.operands[1]);
        const double sign = op.ints[0] == 1 ? -1 : 1;
        each([&](std::size_t i) {
          at_[op.operands[0]].add(i, mine.c[i], mine.r[i]);
          y.add(i, sign * mine.c[i], mine.r[i]);
        });
        break;
      }
      case OpCode::scale:
        each([&](std::size_t i) { multiplied(mine, i, op.payload[i], op.payload[i], x, i); });
        break;
      case OpCode::divide:
        each([&](std::size_t i) { multiplied(mine, i, div_down(1, op.payload[i]), div_up(1, op.payload[i]), x, i); });
        break;
      case OpCode::neg:
        each([&](std::size_t i) { x.add(i, -mine.c[i], mine.r[i]); });
        break;
      case OpCode::shift:
      case OpCode::cast:
        each([&](std::size_t i) { x.add(i, mine.c[i], mine.r[i]); });
        break;
      case OpCode::max:
        state_ ? through_choice(k, mine) : maximum(k, mine);
        break;
      default:
        state_ ? through_lines(k, mine) : piecewise(k, mine);
    }
  }

  const Program& p_;
  const Analysis& a_;
  std::uint32_t top_;
  Form form_;
  std::vector<Coefficients> at_;
  std::vector<double> part_;
  const State* state_ = nullptr;
};

}  // namespace

bool has_slopes(const Program& p, std::uint32_t top) {
  for (std::uint32_t k = 0; k <= top; ++k)
    if (p.operators[k].code > OpCode::max && p.operators[k].code != OpCode::cast &&
        p.operators[k].code != OpCode::bn_folded)
      return false;
  return true;
}

double backward_work(const Program& p, std::uint32_t top) {
  double work = 0;
  for (std::uint32_t k = 0; k <= top; ++k) {
    const Operator& op = p.operators[k];
    double each = 4;
    if (op.code == OpCode::dense) each = static_cast<double>(op.ints[1]);
    if (op.code == OpCode::conv) each = 6 * static_cast<double>(op.ints[1] / op.ints[15] * op.ints[5] * op.ints[6]);
    if (op.code == OpCode::reduce) each = 4 * static_cast<double>(op.ints[0]);
    work += each * static_cast<double>(op.size);
  }
  return work;
}

DifferenceBounds difference_bounds(const Program& p, const Analysis& a, std::uint32_t top,
                                   std::span<const std::uint32_t> elements, Form form) {
  DifferenceBounds out;
  Backward pass(p, a, top, form);
  for (const std::uint32_t element : elements) {
    pass.run(element);
    double sum = 0;
    for (const double part : pass.part()) sum = plus(sum, part);
    out.bound.push_back(sum);
    out.part.push_back(pass.part());
  }
  return out;
}

TightAnalysis analyse_tightly(const Program& p, const Box& box, const std::vector<Quantities>& exact, double work) {
  TightAnalysis out;
  std::vector<char> wanted(p.operators.size(), 0);
  for (const Operator& op : p.operators)
    if (op.code >= OpCode::relu && op.code <= OpCode::max) wanted[op.operands[0]] = 1;
  out.analysis = analyse(p, box, exact, [&](std::uint32_t k, Analysis& so_far) {
    if (wanted[k] == 0 || k == 0 || p.operators[k].operands.empty() || !has_slopes(p, k)) return;
    // Nothing but one operator before it: the forward bound is the same.
    bool deep = false;
    for (std::uint32_t j = 0; j < k; ++j)
      deep = deep || (p.operators[j].code >= OpCode::relu && p.operators[j].code <= OpCode::max);
    if (!deep) return;
    Quantities& q = so_far.at[k].out;
    std::vector<std::uint32_t> elements;
    // Where the sign is the same in both runs however large the error is, its size matters only to `local`.
    for (std::uint32_t i = 0; i < q.size(); ++i)
      if (q[i].error > 0 && q[i].error < infinity) elements.push_back(i);
    const double cost = 2 * backward_work(p, k) * static_cast<double>(elements.size());
    if (out.spent + cost > work) {
      ++out.skipped;
      return;
    }
    out.spent += cost;
    for (const Form form : {Form::difference, Form::mean_value}) {
      const DifferenceBounds bounds = difference_bounds(p, so_far, k, elements, form);
      for (std::size_t i = 0; i < elements.size(); ++i)
        q[elements[i]].error = std::min(q[elements[i]].error, bounds.bound[i]);
    }
  });
  return out;
}

std::vector<double> box_shares(const Program& p, const State& state, std::uint32_t top, std::uint32_t element,
                               double sign) {
  const Analysis none;
  Backward pass(p, none, top, Form::mean_value);
  pass.use_lines(state);
  pass.run(element, sign);
  return pass.part();
}

EndToEnd end_to_end(const Program& p, const Analysis& a) {
  EndToEnd out;
  const Quantities& y = a.at[p.output].out;
  for (const Quantity& q : y) out.forward.push_back(q.error);
  out.best = out.forward;
  out.form.assign(y.size(), "forward");
  if (!has_slopes(p, p.output)) return out;
  std::vector<std::uint32_t> elements(y.size());
  std::iota(elements.begin(), elements.end(), 0U);
  DifferenceBounds mean = difference_bounds(p, a, p.output, elements, Form::mean_value);
  DifferenceBounds difference = difference_bounds(p, a, p.output, elements, Form::difference);
  for (std::size_t j = 0; j < y.size(); ++j) {
    const bool better = mean.bound[j] <= difference.bound[j];
    const DifferenceBounds& best = better ? mean : difference;
    out.part.push_back(best.part[j]);
    if (best.bound[j] <= out.best[j]) {
      out.best[j] = best.bound[j];
      out.form[j] = better ? "mean-value" : "difference";
    }
  }
  out.mean_value = std::move(mean.bound);
  out.difference = std::move(difference.bound);
  return out;
}

}  // namespace outward::roundoff
