#include "bounds/roundoff/execution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "formats/error.hpp"

namespace outward::roundoff {
namespace {

struct Factor {
  double a, b;  // a·b; b == 1 with `plain`: a number of the accumulator
  bool plain = false;
};

// c + a·b rounded to odd in binary64: every further rounding is then as if from the exact value. a·b must be exact.
double odd_sum(double p, double c) {
  const double s = p + c;
  const double bb = s - p;
  const double rest = (p - (s - bb)) + (c - bb);
  if (rest == 0 || !(std::fabs(s) < infinity)) return s;
  const auto bits = std::bit_cast<std::uint64_t>(s);
  if ((bits & 1U) != 0) return s;
  return std::bit_cast<double>((rest > 0) == (s > 0) ? bits + 1 : bits - 1);
}

// splitmix64 (Steele, Lea and Flood 2014): a state that costs nothing to seed, one for every run.
class Draws {
 public:
  using result_type = std::uint64_t;
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~0ULL; }
  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

class Machine {
 public:
  Machine(const Program& p, RunOrder order, std::uint64_t seed, bool faithful, const HeldConstants* held, Run& run)
      : p_(p), asked_(order), order_(order), random_(seed), faithful_(faithful), held_(held), run_(run) {}

  void go(const std::vector<double>& input) {
    run_.values.resize(p_.operators.size());
    for (std::uint32_t k = 0; k < p_.operators.size(); ++k) {
      a_ = &p_.arithmetic_of(k);
      order_ = order_under(a_->policy);
      const Operator& op = p_.operators[k];
      std::vector<double>& out = run_.values[k];
      out.resize(op.size);
      if (op.code == OpCode::input) {
        for (std::size_t i = 0; i < op.size; ++i) out[i] = stored(input[i]);
      } else {
        compute(op, out);
      }
      for (const double v : out) run_.finite = run_.finite && std::fabs(v) < infinity;
    }
  }

 private:
  // The one order of a policy that leaves no choice, else the one that was asked for.
  RunOrder order_under(const NumericalPolicy& policy) const {
    const std::vector<RunOrder> covered = covered_orders(policy);
    return std::find(covered.begin(), covered.end(), asked_) == covered.end() ? covered[0] : asked_;
  }

  double stored(double x) const { return a_->values.round(x); }
  double summed(double x) const { return a_->sums.round(x); }
  bool narrow_sums() const { return a_->sums.emulable; }

  double fused(double a, double b, double c) const {
    if (!narrow_sums()) return std::fma(a, b, c);
    return summed(odd_sum(a * b, c));
  }
  double formed(const Factor& f) const { return f.plain ? f.a : summed(f.a * f.b); }
  double join(double total, const Factor& f, bool fuse) const {
    return fuse && !f.plain ? fused(f.a, f.b, total) : summed(total + formed(f));
  }

  double chain(const std::vector<Factor>& f, bool fuse) const {
    if (f.empty()) return 0;
    double total = formed(f[0]);
    for (std::size_t i = 1; i < f.size(); ++i) total = join(total, f[i], fuse);
    return total;
  }
  // Rows of constants times x, four at a time: the steps of one row wait for each other, those of four do not. The same
  // steps as sum() takes in the orders from one end to the other.
  bool is_chain() const {
    return a_->policy.reduction != Reduction::block &&
           (order_ == RunOrder::sequential || order_ == RunOrder::reversed || order_ == RunOrder::fused ||
            order_ == RunOrder::fused_reversed);
  }
  void chains(const double* w, const double* bias, const double* x, std::size_t k, std::size_t n, double* out) const {
    const bool back = order_ == RunOrder::reversed || order_ == RunOrder::fused_reversed;
    const bool fuse = order_ == RunOrder::fused || order_ == RunOrder::fused_reversed;
    constexpr std::size_t lanes = 4;
    for (std::size_t from = 0; from < n; from += lanes) {
      const std::size_t count = std::min(lanes, n - from);
      const double* row[lanes];
      double total[lanes];
      for (std::size_t r = 0; r < lanes; ++r) row[r] = w + (from + std::min(r, count - 1)) * k;
      const bool bias_first = back && bias != nullptr;
      for (std::size_t r = 0; r < lanes; ++r)
        total[r] =
            bias_first ? bias[from + std::min(r, count - 1)] : summed(row[r][back ? k - 1 : 0] * x[back ? k - 1 : 0]);
      for (std::size_t step = bias_first ? 0 : 1; step < k; ++step) {
        const std::size_t i = back ? k - 1 - step : step;
        for (std::size_t r = 0; r < lanes; ++r)
          total[r] = fuse ? fused(row[r][i], x[i], total[r]) : summed(total[r] + summed(row[r][i] * x[i]));
      }
      for (std::size_t r = 0; r < count; ++r)
        out[from + r] = stored(!back && bias != nullptr ? summed(total[r] + bias[from + r]) : total[r]);
    }
  }

  double halves(const std::vector<Factor>& f, std::size_t from, std::size_t to) const {
    if (to - from == 1) return formed(f[from]);
    const std::size_t middle = from + (to - from + 1) / 2;
    return summed(halves(f, from, middle) + halves(f, middle, to));
  }
  double tree(std::vector<Factor> f) {
    // Partial sums and unused terms in one bag; two are drawn and joined.
    std::shuffle(f.begin(), f.end(), random_);
    while (f.size() > 1) {
      const std::size_t i = random_() % f.size();
      std::swap(f[i], f.back());
      const Factor a = f.back();
      f.pop_back();
      const std::size_t j = random_() % f.size();
      Factor& b = f[j];
      const bool fuse = (random_() & 1U) != 0;
      b = {join(formed(b), a, fuse), 1, true};
    }
    return formed(f[0]);
  }
  // Tensor core: products and accumulator cut off below the greatest exponent, added exactly, cut off to binary32.
  double blocks(const std::vector<Factor>& f) const {
    const BlockModel& model = *block_model(a_->policy.block);
    double total = 0;
    for (std::size_t from = 0; from < f.size(); from += static_cast<std::size_t>(model.products)) {
      const std::size_t to = std::min(f.size(), from + static_cast<std::size_t>(model.products));
      double greatest = std::fabs(total);
      for (std::size_t i = from; i < to; ++i) greatest = std::max(greatest, std::fabs(f[i].a * f[i].b));
      if (greatest == 0) continue;
      const int last = std::ilogb(greatest) - 23 - model.extra_bits;
      const auto cut = [&](double x, int bit) { return std::ldexp(std::trunc(std::ldexp(x, -bit)), bit); };
      double sum = cut(total, last);
      for (std::size_t i = from; i < to; ++i) sum += cut(f[i].a * f[i].b, last);
      total = sum == 0 ? 0 : cut(sum, std::max(std::ilogb(sum) - 23, -149));
    }
    return total;
  }

  // products: then a bias. Stored in the format of values.
  double sum(std::vector<Factor> f, const double* bias) {
    double total = 0;
    if (a_->policy.reduction == Reduction::block && !f.empty() && !f[0].plain) {
      total = blocks(f);
      return stored(bias ? summed(total + *bias) : total);
    }
    const bool in_tree = order_ == RunOrder::random_tree || order_ == RunOrder::reversed ||
                         order_ == RunOrder::ascending || order_ == RunOrder::fused_reversed;
    if (in_tree && bias) f.push_back({*bias, 1, true});
    switch (order_) {
      case RunOrder::sequential:
        total = chain(f, false);
        break;
      case RunOrder::reversed:
        std::reverse(f.begin(), f.end());
        total = chain(f, false);
        break;
      case RunOrder::fused_reversed:
        std::reverse(f.begin(), f.end());
        total = chain(f, true);
        break;
      case RunOrder::ascending:
        std::stable_sort(f.begin(), f.end(),
                         [](const Factor& a, const Factor& b) { return std::fabs(a.a * a.b) < std::fabs(b.a * b.b); });
        total = chain(f, false);
        break;
      case RunOrder::pairwise:
        total = f.empty() ? 0 : halves(f, 0, f.size());
        break;
      case RunOrder::blocked: {
        std::vector<Factor> partial;
        for (std::size_t i = 0; i < f.size(); i += 16)
          partial.push_back({chain({f.begin() + static_cast<std::ptrdiff_t>(i),
                                    f.begin() + static_cast<std::ptrdiff_t>(std::min(f.size(), i + 16))},
                                   true),
                             1, true});
        total = chain(partial, false);
        break;
      }
      case RunOrder::fused:
        total = chain(f, true);
        break;
      case RunOrder::random_tree:
        total = f.empty() ? 0 : tree(f);
        break;
    }
    return stored(!in_tree && bias ? summed(total + *bias) : total);
  }
  double plain_sum(const std::vector<double>& x) {
    std::vector<Factor> f;
    for (const double v : x) f.push_back({v, 1, true});
    return sum(std::move(f), nullptr);
  }

  double function(double value) {
    const double r = stored(value);
    if (!faithful_ || r == value || (random_() & 1U) == 0 || !(std::fabs(r) < infinity)) return r;
    const FormatModel& v = a_->values;
    const std::int64_t e = std::max<std::int64_t>(r == 0 ? v.least_exponent : std::ilogb(r), v.least_exponent);
    double step = std::ldexp(1.0, static_cast<int>(e - v.precision + 1));
    if (r != 0 && std::fabs(value) < std::fabs(r) && std::fabs(r) == std::ldexp(1.0, static_cast<int>(e)) &&
        e > v.least_exponent)
      step /= 2;
    const double other = value > r ? r + step : r - step;
    return std::fabs(other) <= v.omega ? other : r;
  }
  double of(OpCode code, double x) {
    switch (code) {
      case OpCode::exp:
        return function(std::exp(x));
      case OpCode::log:
        return function(std::log(x));
      case OpCode::sigmoid:
        return function(x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)));
      case OpCode::tanh:
        return function(std::tanh(x));
      case OpCode::erf:
        return function(std::erf(x));
      default:
        return function(0.5 * x * std::erfc(-x * 0.70710678118654752440));
    }
  }

  void softmax(const std::vector<double>& x, std::vector<double>& out, bool logarithm) {
    const double most = *std::max_element(x.begin(), x.end());
    std::vector<double> e(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) e[i] = x[i] == most ? 1 : of(OpCode::exp, stored(x[i] - most));
    const double total = plain_sum(e);
    const double log_total = logarithm ? of(OpCode::log, total) : 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = logarithm ? stored(stored(x[i] - most) - log_total) : stored(e[i] / total);
  }

  void online(const Operator& op, const std::vector<double>& x, const std::vector<double>& v,
              std::vector<double>& out) {
    const auto block = static_cast<std::size_t>(op.ints[0]), d = op.size;
    double most = -infinity, ell = 0;
    std::vector<double> o(d, 0.0);
    for (std::size_t from = 0; from < x.size(); from += block) {
      const std::size_t to = std::min(x.size(), from + block);
      const double next = std::max(most, *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(from),
                                                           x.begin() + static_cast<std::ptrdiff_t>(to)));
      const double factor = from == 0 ? 0 : next == most ? 1 : of(OpCode::exp, stored(most - next));
      std::vector<double> e;
      for (std::size_t i = from; i < to; ++i) e.push_back(x[i] == next ? 1 : of(OpCode::exp, stored(x[i] - next)));
      const double part = plain_sum(e);
      ell = from == 0 ? part : stored(summed(summed(ell * factor) + part));
      for (std::size_t c = 0; c < d; ++c) {
        double total = from == 0 ? 0 : summed(o[c] * factor);
        for (std::size_t i = from; i < to; ++i) total = fused(e[i - from], v[i * d + c], total);
        o[c] = stored(total);
      }
      most = next;
    }
    for (std::size_t c = 0; c < d; ++c) out[c] = stored(o[c] / ell);
  }

  void normalised(const Operator& op, const std::vector<double>& x, std::vector<double>& out, bool centre) {
    const auto n = static_cast<double>(x.size());
    const double divisor = summed(n);
    const double mean = centre ? stored(summed(unstored_sum(x) / divisor)) : 0;
    std::vector<double> d;
    for (const double v : x) d.push_back(centre ? stored(v - mean) : v);
    std::vector<Factor> squares;
    for (const double v : d) squares.push_back({v, v, false});
    const double total = unstored([&] { return sum(std::move(squares), nullptr); });
    const double variance = stored(summed(total / divisor));
    const double deviation = stored(std::sqrt(stored(variance + stored(op.payload[0]))));
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = stored(stored(d[i] / deviation) * stored(op.payload[1]));
      if (op.payload.size() > 2) out[i] = stored(out[i] + stored(op.payload[2]));
    }
  }

  // x as the factors of a contraction are held; `room` is where that is kept if it is another vector.
  const std::vector<double>& factors(const std::vector<double>& x, std::vector<double>& room) const {
    if (!a_->converts) return x;
    for (const double v : x) room.push_back(a_->factors.round(v));
    return room;
  }

  void compute(const Operator& op, std::vector<double>& out) {
    static const std::vector<double> none;
    const std::vector<double>& x = op.operands.empty() ? none : run_.values[op.operands[0]];
    const std::vector<double>& y = op.operands.size() < 2 ? none : run_.values[op.operands[1]];
    const std::vector<double>& c = op.payload;
    const auto each = [&](auto f) {
      for (std::size_t i = 0; i < op.size; ++i) out[i] = f(i);
    };
    switch (op.code) {
      case OpCode::input:
        break;
      case OpCode::constant:
        each([&](std::size_t i) { return stored(c[i]); });
        break;
      case OpCode::map: {
        std::vector<double> all;
        for (const std::uint32_t operand : op.operands)
          all.insert(all.end(), run_.values[operand].begin(), run_.values[operand].end());
        each([&](std::size_t i) { return stored(all[static_cast<std::size_t>(op.ints[i])]); });
        break;
      }
      case OpCode::dense:
      case OpCode::conv: {
        std::vector<double> own, converted;
        if (held_ == nullptr) own = held_constants(op, *a_);
        const std::vector<double>& z = factors(x, converted);
        const std::vector<double>& w = held_ ? (*held_)[static_cast<std::size_t>(&op - p_.operators.data())] : own;
        if (op.code == OpCode::dense && is_chain()) {
          const auto rows = static_cast<std::size_t>(op.ints[0]), k = static_cast<std::size_t>(op.ints[1]);
          const auto n = static_cast<std::size_t>(op.ints[2]);
          const double* const bias = op.ints[3] == 0 ? nullptr : w.data() + n * k;
          for (std::size_t row = 0; row < rows; ++row)
            chains(w.data(), bias, z.data() + row * k, k, n, out.data() + row * n);
          break;
        }
        each([&](std::size_t i) {
          std::vector<Factor> f;
          f.reserve(c.size() / op.size + 2);
          for_each_term(op, i, [&](std::size_t j, std::size_t at) { f.push_back({w[j], z[at], false}); });
          const std::int64_t bias = bias_of(op, i);
          return sum(std::move(f), bias < 0 ? nullptr : &w[static_cast<std::size_t>(bias)]);
        });
        break;
      }
      case OpCode::matvec:
        each([&](std::size_t i) {
          std::vector<Factor> f;
          for (std::size_t j = 0; j < y.size(); ++j)
            f.push_back({a_->factors.round(x[i * y.size() + j]), a_->factors.round(y[j]), false});
          return sum(std::move(f), nullptr);
        });
        break;
      case OpCode::reduce: {
        std::vector<double> converted;
        const std::vector<double>& z = factors(x, converted);
        const auto k = static_cast<std::size_t>(op.ints[0]);
        each([&](std::size_t i) {
          const double total = unstored_sum(
              {z.begin() + static_cast<std::ptrdiff_t>(i * k), z.begin() + static_cast<std::ptrdiff_t>((i + 1) * k)});
          return stored(op.ints[i + 1] == 1 ? total : summed(total / summed(static_cast<double>(op.ints[i + 1]))));
        });
        break;
      }
      case OpCode::bn: {
        const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
        each([&](std::size_t i) {
          const std::size_t q = i / inner % channels;
          const double deviation = stored(std::sqrt(stored(stored(c[3 * channels + q]) + stored(c[4 * channels]))));
          const double quotient = stored(stored(x[i] - stored(c[2 * channels + q])) / deviation);
          return stored(stored(quotient * stored(c[q])) + stored(c[channels + q]));
        });
        break;
      }
      case OpCode::bn_folded: {
        const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
        const bool fuse =
            order_ == RunOrder::fused || order_ == RunOrder::fused_reversed || order_ == RunOrder::blocked;
        const auto affine = [&](double v, double factor, double summand) {
          return stored(fuse ? fused(v, factor, summand) : summed(stored(v * factor) + summand));
        };
        each([&](std::size_t i) {
          const std::size_t q = i / inner % channels;
          const double deviation = stored(std::sqrt(stored(stored(c[3 * channels + q]) + stored(c[4 * channels]))));
          const double factor = stored(stored(c[q]) / deviation);
          return affine(x[i], factor, affine(-stored(c[2 * channels + q]), factor, stored(c[channels + q])));
        });
        break;
      }
      case OpCode::add:
        each([&](std::size_t i) { return stored(op.ints[0] == 1 ? x[i] - y[i] : x[i] + y[i]); });
        break;
      case OpCode::shift:
        each([&](std::size_t i) { return stored(x[i] + stored(c[i])); });
        break;
      case OpCode::scale:
        each([&](std::size_t i) { return stored(x[i] * stored(c[i])); });
        break;
      case OpCode::divide:
        each([&](std::size_t i) { return stored(x[i] / stored(c[i])); });
        break;
      case OpCode::multiply:
        each([&](std::size_t i) { return stored(x[i] * y[i]); });
        break;
      case OpCode::neg:
        each([&](std::size_t i) { return -x[i]; });
        break;
      case OpCode::cast:
        each([&](std::size_t i) { return stored(x[i]); });
        break;
      case OpCode::relu:
        each([&](std::size_t i) { return x[i] > 0 ? x[i] : 0.0; });
        break;
      case OpCode::leaky:
        each([&](std::size_t i) { return x[i] < 0 ? stored(stored(c[0]) * x[i]) : x[i]; });
        break;
      case OpCode::clip:
        each([&](std::size_t i) {
          const double v = x[i] < c[0] ? stored(c[0]) : x[i];
          return v > c[1] ? stored(c[1]) : v;
        });
        break;
      case OpCode::abs:
        each([&](std::size_t i) { return std::fabs(x[i]); });
        break;
      case OpCode::max: {
        const auto k = static_cast<std::size_t>(op.ints[0]);
        each([&](std::size_t i) {
          return *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(i * k),
                                   x.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
        });
        break;
      }
      case OpCode::sqrt:
        each([&](std::size_t i) { return stored(std::sqrt(x[i])); });
        break;
      case OpCode::softmax:
        return softmax(x, out, false);
      case OpCode::log_softmax:
        return softmax(x, out, true);
      case OpCode::online_softmax:
        return online(op, x, y, out);
      case OpCode::layernorm:
        return normalised(op, x, out, true);
      case OpCode::rmsnorm:
        return normalised(op, x, out, false);
      default:
        each([&](std::size_t i) { return of(op.code, x[i]); });
    }
  }

  // What a sum is before it is stored.
  template <class F>
  double unstored(F sum_up) {
    if (!a_->narrows) return sum_up();
    Arithmetic wide = *a_;
    wide.values = wide.sums;
    const Arithmetic* const kept = a_;
    a_ = &wide;
    const double total = sum_up();
    a_ = kept;
    return total;
  }
  double unstored_sum(const std::vector<double>& x) {
    return unstored([&] { return plain_sum(x); });
  }

  const Program& p_;
  RunOrder asked_, order_;
  Draws random_;
  bool faithful_;
  const HeldConstants* held_;
  Run& run_;
  const Arithmetic* a_ = nullptr;
};

}  // namespace

Run run(const Program& program, const std::vector<double>& input, RunOrder order, std::uint64_t seed, bool faithful,
        const HeldConstants* held) {
  if (input.size() != program.operators[0].size) throw ResourceError("run of a program: wrong number of inputs");
  Run out;
  Machine(program, order, seed, faithful, held, out).go(input);
  return out;
}

}  // namespace outward::roundoff
