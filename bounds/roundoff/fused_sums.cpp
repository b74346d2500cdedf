// Sums that a runtime may compute as one dot product: FORMAT.md section 3, for any format. See analysis.hpp.
#include <algorithm>
#include <cmath>

#include "bounds/roundoff/analysis.hpp"

namespace outward::roundoff {
namespace {

// Per member: sum of absolute terms; depth = members on the longest way to the root's leaves; converted = operators on
// it that multiply by, or add, constants that the format does not hold; divisors = the factor by which results grow
// because what they are divided by was converted, however few bits the format leaves of it.
struct Member {
  std::uint64_t depth = 0, converted = 0;
  double magnitude = 1, largest = 0;  // P of FORMAT.md section 3; greatest partial result
  double divisors = 1;
  double constants = 0;    // greatest number made of constants that may be stored
  bool contracts = false;  // there is a contraction: its operands may be rounded first
};

// c^ within drift of |c|: |1/c^ − 1/c| <= (divisor_growth − 1)/|c|.
double divisor_growth(double size, double drift) {
  if (drift == 0) return 1;
  const double held = sub_down(size, drift);
  return held > 0 ? plus(1, div_up(drift, held)) : infinity;
}

// 1/√(var + eps) of a channel of batch normalisation: conversions of both; a root below the least normal number errs by
// eta; one division by a rounded number is (1 + u) where two roundings (root, sum) are counted as 1 + u' each.
double deviation_growth(const Constants& c, std::size_t variance, std::size_t eps, const FormatModel& f) {
  const double total = add_down(c.exact(variance), c.exact(eps)), drift = plus(c.drift(variance), c.drift(eps));
  const double least = sub_down(total, drift);
  if (!(least > 0)) return infinity;
  double growth = times(divisor_growth(total, drift), plus(1, times(times(f.u, f.u), 3)));
  const double root = sqrt_down(least);
  if (root < f.least_normal) growth = times(growth, divisor_growth(root, f.eta));
  return growth;
}

class Group {
 public:
  Group(const Program& p, std::uint32_t root, Analysis& analysis) : p_(p), root_(root), analysis_(analysis) {}

  Member member(std::uint32_t k) {
    const Operator& op = p_.operators[k];
    Member m;
    std::vector<std::vector<double>> sums;
    for (const std::uint32_t operand : op.operands) {
      const bool is_inside = p_.root[operand] == root_ && operand != root_ && is_linear(operand);
      std::vector<double> s;
      Member below;
      if (is_inside) {
        below = member(operand);
        s = analysis_.at[operand].sum;
      } else {
        for (const Quantity& q : analysis_.at[operand].out) {
          s.push_back(q.computed_magnitude());
          below.magnitude = std::max(below.magnitude, s.back());
        }
      }
      m.depth = std::max(m.depth, below.depth);
      m.converted = std::max(m.converted, below.converted);
      m.largest = std::max(m.largest, below.largest);
      m.divisors = std::max(m.divisors, below.divisors);
      m.constants = std::max(m.constants, below.constants);
      m.contracts = m.contracts || below.contracts;
      m.magnitude = op.code == OpCode::add && !sums.empty() ? plus(m.magnitude, below.magnitude)
                                                            : std::max(m.magnitude, below.magnitude);
      sums.push_back(std::move(s));
    }
    ++m.depth;
    const Constants held(op.payload, p_.arithmetic_of(k).values);
    if (held.converted() && op.code != OpCode::divide) m.converted += op.code == OpCode::bn ? 3 : 1;
    m.contracts = m.contracts || op.code == OpCode::dense || op.code == OpCode::conv || op.code == OpCode::reduce;
    std::vector<double>& out = analysis_.at[k].sum;
    out.assign(op.size, 0.0);
    combine(k, sums, held, out, m);
    members_.push_back(k);
    for (const double s : out) m.largest = std::max(m.largest, times(s, p_.moved[k]));
    return m;
  }
  const std::vector<std::uint32_t>& members() const { return members_; }

 private:
  bool is_linear(std::uint32_t k) const {
    const auto c = static_cast<std::uint8_t>(p_.operators[k].code);
    return c >= static_cast<std::uint8_t>(Kind::map) && c <= static_cast<std::uint8_t>(Kind::neg);
  }
  static double greatest(const std::vector<double>& values, std::size_t from, std::size_t to) {
    double most = 1;
    for (std::size_t i = from; i < to; ++i) most = std::max(most, std::fabs(values[i]));
    return most;
  }

  void combine(std::uint32_t k, const std::vector<std::vector<double>>& in, const Constants& held,
               std::vector<double>& out, Member& m) const {
    const Operator& op = p_.operators[k];
    const std::vector<double>& c = op.payload;
    switch (op.code) {
      case OpCode::map: {
        std::vector<double> all;
        for (const auto& s : in) all.insert(all.end(), s.begin(), s.end());
        for (std::size_t i = 0; i < op.size; ++i) out[i] = all[static_cast<std::size_t>(op.ints[i])];
        break;
      }
      case OpCode::dense:
      case OpCode::conv: {
        std::size_t terms = 0;
        for (std::size_t i = 0; i < op.size; ++i) {
          std::size_t count = 0;
          for_each_term(op, i, [&](std::size_t w, std::size_t at) {
            ++count;
            out[i] = plus(out[i], times(std::fabs(c[w]), in[0][at]));
          });
          terms = std::max(terms, count);
          if (const std::int64_t b = bias_of(op, i); b >= 0)
            out[i] = plus(out[i], std::fabs(c[static_cast<std::size_t>(b)]));
        }
        const double w = greatest(c, 0, c.size());
        m.magnitude = times(p_.moved[k], plus(times(times(static_cast<double>(terms), w), m.magnitude), w));
        break;
      }
      case OpCode::reduce: {
        const auto terms = static_cast<std::size_t>(op.ints[0]);
        for (std::size_t i = 0; i < op.size; ++i) {
          for (std::size_t j = i * terms; j < (i + 1) * terms; ++j) out[i] = plus(out[i], in[0][j]);
          m.largest = std::max(m.largest, times(out[i], p_.moved[k]));
          out[i] = div_up(out[i], static_cast<double>(op.ints[i + 1]));
        }
        m.magnitude = times(p_.moved[k], times(static_cast<double>(terms), m.magnitude));
        break;
      }
      case OpCode::bn: {
        const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
        double factor = 1, divisors = 1;
        for (std::size_t i = 0; i < op.size; ++i) {
          const std::size_t q = i / inner % channels;
          const ChannelScale s = channel_scale(op, q);
          const double a = std::fmax(std::fabs(s.lo), std::fabs(s.hi));
          const double inverse = div_up(1, sqrt_down(add_down(c[3 * channels + q], c[4 * channels])));
          divisors =
              std::max(divisors, deviation_growth(held, 3 * channels + q, 4 * channels, p_.arithmetic_of(k).values));
          factor = std::max({factor, times(std::max(1.0, inverse), std::max(1.0, std::fabs(c[q])))});
          const double centred = plus(in[0][i], std::fabs(c[2 * channels + q]));
          m.largest =
              std::max({m.largest, centred, times(centred, inverse), add_up(c[3 * channels + q], c[4 * channels])});
          out[i] = plus(times(a, centred), std::fabs(c[channels + q]));
          // In the stored format, where members are: also of the folded form, x·a + (shift − mean·a).
          const double folded = plus(times(a, std::fabs(c[2 * channels + q])), std::fabs(c[channels + q]));
          m.constants = std::max({m.constants, centred, a, times(centred, inverse), inverse, folded, times(centred, a),
                                  add_up(c[3 * channels + q], c[4 * channels])});
        }
        m.divisors = times(m.divisors, divisors);
        m.magnitude = plus(times(factor, plus(m.magnitude, greatest(c, 2 * channels, 3 * channels))),
                           greatest(c, channels, 2 * channels));
        break;
      }
      case OpCode::add:
        for (std::size_t i = 0; i < op.size; ++i) out[i] = plus(in[0][i], in[1][i]);
        break;
      case OpCode::shift:
        for (std::size_t i = 0; i < op.size; ++i) out[i] = plus(in[0][i], std::fabs(c[i]));
        m.magnitude = plus(m.magnitude, greatest(c, 0, c.size()));
        break;
      case OpCode::scale:
        for (std::size_t i = 0; i < op.size; ++i) out[i] = times(in[0][i], std::fabs(c[i]));
        m.magnitude = times(m.magnitude, greatest(c, 0, c.size()));
        break;
      case OpCode::divide: {
        double inverse = 1, divisors = 1;
        for (std::size_t i = 0; i < op.size; ++i) {
          out[i] = div_up(in[0][i], std::fabs(c[i]));
          inverse = std::max(inverse, div_up(1, std::fabs(c[i])));
          divisors = std::max(divisors, divisor_growth(std::fabs(c[i]), held.drift(i)));
        }
        m.divisors = times(m.divisors, divisors);
        m.constants = std::max(m.constants, inverse);
        m.largest = std::max(m.largest, inverse);
        m.magnitude = times(m.magnitude, inverse);
        break;
      }
      default:
        out = in[0];
    }
  }

  const Program& p_;
  std::uint32_t root_;
  Analysis& analysis_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

void fused_sum_error(const Program& p, std::uint32_t root, Analysis& analysis) {
  Group group(p, root, analysis);
  const Member m = group.member(root);
  const Arithmetic& a = p.arithmetic_of(root);
  // Under the policy every constant may be converted, every member stored in the narrower format.
  const double in_sums = growth_up(static_cast<double>(p.roundings[root]), a.sums.u_path);
  const auto stores = static_cast<double>(m.converted + (a.narrows ? m.depth : 0));
  // Both factors of a product are rounded first, once each: a contraction is never behind another one in a group.
  const bool converts = a.converts && m.contracts;
  const double of_factors = converts ? growth_up(2, a.factors.u_path) : 0;
  const double roundings =
      times(times(plus(1, in_sums), plus(1, growth_up(stores, a.values.u_path))), plus(1, of_factors));
  const double factor = sub_up(times(roundings, m.divisors), 1);
  const double eta = std::max({a.sums.eta, stores > 0 ? a.values.eta : 0, converts ? a.factors.eta : 0});
  const double events =
      times(static_cast<double>(p.terms[root]), static_cast<double>(p.products[root]) + 2 + (converts ? 2 : 0) +
                                                    static_cast<double>(m.converted + m.depth));
  const double tiny = times(times(times(events, times(2, eta)), m.magnitude), plus(1, factor));
  OperatorErrors& e = analysis.at[root];
  e.underflow = tiny;
  for (std::size_t i = 0; i < e.local.size(); ++i) e.local[i] = plus(times(factor, e.sum[i]), tiny);
  e.largest = times(std::max({m.largest, m.constants, 0.0}), plus(1, factor));
  e.largest = plus(e.largest, tiny);
  // Whatever is folded into a factor of a product, it is at most P.
  if (converts && !(m.magnitude <= a.factors.omega)) e.largest = infinity;
  e.stored = plus(times(a.narrows ? m.constants : 0, plus(1, factor)), tiny);
  for (std::size_t i = 0; i < e.local.size(); ++i)
    e.stored = std::max(e.stored, plus(e.out[i].computed_magnitude(), e.local[i]));
  // Every member may be stored, with the factors of others already in it or not.
  for (const std::uint32_t k : group.members()) {
    if (!a.narrows) break;
    const OperatorErrors& inside = analysis.at[k];
    for (std::size_t i = 0; i < inside.out.size(); ++i) {
      const double size = plus(plus(inside.out[i].computed_magnitude(), times(factor, inside.sum[i])), tiny);
      e.stored = std::max(e.stored, times(size, p.moved[k]));
    }
  }
}

}  // namespace outward::roundoff
