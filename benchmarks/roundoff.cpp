// Bounds of rounding errors beside observed ones: for operators by name, and for ONNX networks.
//   roundoff_evidence operators [TREES [NAME [LEAST_N]]]
//       every operator (or one) × format × order × n in 16 … 4096: bound / worst seen, in at least TREES random trees
//       (sums with random brackets and fusion) where the order is open, in other orders, and at worst-case witnesses
//   roundoff_evidence network MODEL PROPERTY FORMAT[/ACCUMULATOR] INPUTS [PARTS]   all orders, bound / worst observed
// Prints one line per row; exit code 1 if any observed error exceeds its bound. Not rigorous where it prints ratios.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "bounds/roundoff/observe.hpp"
#include "bounds/roundoff/parts.hpp"
#include "bounds/roundoff/specs.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace {

using namespace outward;
using namespace outward::roundoff;

double greatest(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, v);
  return out;
}

// The longest sums of one run, and how many there are; {0, 0}: nothing is added up.
struct Sums {
  std::size_t terms = 0, count = 0;
  void add(std::size_t n, std::size_t times) {
    if (n > terms) *this = {n, 0};
    if (n == terms) count += times;
  }
};
Sums sums_of(const Program& p) {
  Sums out;
  for (const Operator& op : p.operators) {
    const auto operand = [&](std::size_t i) { return p.operators[op.operands[i]].size; };
    switch (op.code) {
      case OpCode::dense:
        out.add(static_cast<std::size_t>(op.ints[1]), op.size);
        break;
      case OpCode::conv:
        out.add(static_cast<std::size_t>(op.ints[1] / op.ints[15] * op.ints[5] * op.ints[6]), op.size);
        break;
      case OpCode::reduce:
        out.add(static_cast<std::size_t>(op.ints[0]), op.size);
        break;
      case OpCode::matvec:
        out.add(operand(1), op.size);
        break;
      case OpCode::online_softmax:
        out.add(std::min<std::size_t>(operand(0), static_cast<std::size_t>(op.ints[0])),
                (operand(0) + static_cast<std::size_t>(op.ints[0]) - 1) / static_cast<std::size_t>(op.ints[0]));
        break;
      case OpCode::softmax:
      case OpCode::log_softmax:
      case OpCode::rmsnorm:
        out.add(op.size, 1);
        break;
      case OpCode::layernorm:
        out.add(op.size, 2);
        break;
      default:
        break;
    }
  }
  return out;
}

// The worst seen at inputs made to hurt, in every order of the policy; they count as runs of `all`.
class Witnesses {
 public:
  Witnesses(const SpecProgram& s, const Program& reference, const Analysis& a, const std::vector<double>& bounds,
            Observed& all)
      : s_(s), reference_(reference), a_(a), bounds_(bounds), all_(all), format_(s.program.arithmetics[0].values) {}

  double worst() const { return worst_; }

  // One sum of all inputs: each is chosen so that, from left to right, the error goes as far as it can to one side.
  void push_sums() {
    const Operator& op = s_.program.operators[s_.program.output];
    const bool dot = op.code == OpCode::matvec;
    if (op.code != OpCode::dense && op.code != OpCode::reduce && !dot) return;
    const std::size_t n = dot ? s_.box.lo.size() / 2 : s_.box.lo.size();
    const FormatModel& sums = s_.program.arithmetics[0].sums;
    for (const double side : {-1.0, 1.0}) {
      std::vector<double> x(s_.box.lo.size(), 1.0);  // the second vector of a scalar product: ones
      double total = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double w = op.code == OpCode::dense ? format_.round(op.payload[i]) : 1;
        double best = -infinity, next = total;
        for (int candidate = 0; candidate < 24; ++candidate) {
          const double lo = s_.box.lo[i], hi = s_.box.hi[i];
          const double t = static_cast<double>(random_() >> 11) * 0x1p-53;
          // The ends, numbers near the upper one, numbers anywhere.
          const double v = format_.round(candidate == 0   ? hi
                                         : candidate == 1 ? lo
                                         : candidate < 16 ? hi - t * 0.5 * (hi - lo) * std::exp2(-candidate / 2)
                                                          : lo + t * (hi - lo));
          const double product = sums.round(w * v), sum = sums.round(total + product);
          const double gain = side * (sum - total - w * v);
          if (!(v >= lo && v <= hi) || !(gain > best)) continue;
          best = gain;
          next = sum;
          x[i] = v;
        }
        total = next;
      }
      look_at(x);
    }
  }

  // One against all the others, in which a softmax is steepest; nearly alike, and small, where a norm is.
  void extremes() {
    const std::size_t n = s_.box.lo.size();
    const auto put = [&](double first, double even, double odd) {
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = format_.round(i == 0 ? first : i % 2 == 0 ? even : odd);
      look_at(x);
    };
    const double lo = s_.box.lo[0], hi = s_.box.hi[0], most = format_.round(0.7 * hi);
    const double next = most - format_.ulp_up(most);
    put(hi, lo, lo);
    put(lo, hi, hi);
    put(most, most, next);
    put(next, most, most);
    for (const double small : {0x1p-4, 0x1p-8, 0x1p-12}) put(0.9 * small * hi, small * hi, small * lo);
  }

  // From a corner: one input after the other is moved, and stays where the error grew.
  void climb(int steps) {
    std::vector<double> x = s_.box.hi;
    for (double& v : x) v = format_.round(v);
    double best = look_at(x);
    for (int step = 0; step < steps; ++step) {
      const std::vector<double> before = x;
      for (std::size_t moved = 0; moved < 1 + x.size() / 16; ++moved) {
        const std::size_t i = random_() % x.size();
        const double t = static_cast<double>(random_() >> 11) * 0x1p-53;
        x[i] = format_.round(s_.box.lo[i] + t * (s_.box.hi[i] - s_.box.lo[i]));
      }
      if (const double error = look_at(x); error > best)
        best = error;
      else
        x = before;
    }
  }

 private:
  double look_at(const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(s_.box.lo[i] <= x[i] && x[i] <= s_.box.hi[i])) return 0;
    const Observed seen = observe(s_.program, reference_, a_, bounds_, {x, x, false}, {1, random_()});
    all_.runs += seen.runs;
    all_.violations += seen.violations;
    const double error = greatest(seen.output);
    worst_ = std::max(worst_, error);
    return error;
  }

  const SpecProgram& s_;
  const Program& reference_;
  const Analysis& a_;
  const std::vector<double>& bounds_;
  Observed& all_;
  const FormatModel& format_;
  std::mt19937_64 random_{1};
  double worst_ = 0;
};

int operators(std::uint64_t trees, const std::string& only, std::size_t least) {
  std::uint64_t violations = 0, runs = 0, rows = 0, most_trees = 0;
  std::printf("%-18s %-9s %-10s %6s %11s %11s %11s %9s %8s %7s\n", "operator", "format", "order", "n", "bound",
              "random", "witness", "ratio", "trees", "runs");
  for (const Spec& spec : spec_table()) {
    const bool block = std::string(spec.name) == "transformer-block";
    if (!only.empty() && only != spec.name) continue;
    for (const std::string format : {"e4m3fn", "e5m2", "bfloat16", "binary16", "binary32"}) {
      struct Way {
        const char *name, *words;
      };
      for (const Way& way :
           {Way{"any", " reduction=any_order_any_fusion"},
            Way{"any/32", " accumulator=binary32 reduction=any_order_any_fusion"},
            Way{"sequential", " reduction=sequential"}, Way{"fused", " contraction=fma reduction=sequential"},
            Way{"pairwise", " reduction=pairwise"}}) {
        const std::string name = way.name;
        if (format == "binary32" && name == "any/32") continue;
        for (const std::size_t n : {16, 64, 256, 1024, 4096}) {
          if (n < least || (block && n > 16)) continue;
          const SpecProgram s = build_spec(spec, {n, spec.d > 0 ? std::size_t{4} : 0, 0, {}},
                                           Arithmetic(parse_policy(format + way.words)));
          const Program reference = in_binary64(s.program);
          const Analysis a = analyse(s.program, s.box);
          const EndToEnd end = end_to_end(s.program, a);
          const Sums sums = sums_of(s.program);
          // Without sums every element is a trial of its own, and all orders are one.
          if (sums.count == 0 && (name == "fused" || name == "pairwise")) continue;
          const std::uint64_t inputs = sums.count == 0 ? std::max<std::uint64_t>(8, trees / n / 4)
                                       : n <= 256      ? 12U
                                                       : 6U;
          ObserveOptions how{inputs, n, 1};
          std::uint64_t made = 0;
          if (name.starts_with("any") && sums.count > 0) {
            const std::uint64_t points = inputs == 12 ? 6 : 2;  // inputs inside the box: the trees grow there
            how.trees = (trees + points * sums.count - 1) / points / sums.count;
            made = points * how.trees * sums.count;
          }
          Observed seen = observe(s.program, reference, a, end.best, s.box, how);
          Witnesses witnesses(s, reference, a, end.best, seen);
          witnesses.push_sums();
          if (sums.count > 0) witnesses.extremes();
          if (n <= 64 && greatest(end.best) > 0) witnesses.climb(n == 16 ? 60 : 15);
          violations += seen.violations;
          runs += seen.runs;
          ++rows;
          most_trees += made;
          const double bound = greatest(end.best), random = greatest(seen.output), witness = witnesses.worst();
          const double worst = std::max(random, witness);
          std::printf("%-18s %-9s %-10s %6zu %11.4g %11.4g %11.4g %9.3g %8llu %7llu%s\n", spec.name, format.c_str(),
                      way.name, n, bound, random, witness, worst > 0 ? bound / worst : NAN,
                      static_cast<unsigned long long>(made), static_cast<unsigned long long>(seen.runs),
                      seen.violations > 0 ? "  VIOLATION" : "");
          std::fflush(stdout);
        }
      }
    }
  }
  std::printf("%llu rows, %llu runs, %llu random trees of the longest sums, %llu beyond a bound\n",
              static_cast<unsigned long long>(rows), static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(most_trees), static_cast<unsigned long long>(violations));
  return violations == 0 ? 0 : 1;
}

int network(int argc, char** argv) {
  const Model model = import_onnx(argv[2], {});
  const Network net(model.graph);
  const Property property = read_vnnlib(argv[3], net.node(0).size, net.node(net.graph.output).size);
  const std::string text = argv[4];
  const std::size_t slash = text.find('/');
  const Arithmetic a(parse_policy(text.substr(0, slash) +
                                  (slash == std::string::npos ? "" : " accumulator=" + text.substr(slash + 1)) +
                                  " reduction=any_order_any_fusion"));
  Box box;
  for (const InputRange& r : property.boxes.at(0)) {
    box.lo.push_back(round_down(r.lo));
    box.hi.push_back(round_up(r.hi));
  }
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const Program program = program_of(net.graph, a);
  const TightAnalysis tight = analyse_tightly(program, box, exact_ranges(net, box), 1e10);
  EndToEnd end = end_to_end(program, tight.analysis);
  std::printf("%s %s %s: forward %.4g, mean value %.4g, difference %.4g (%.2f s)", argv[2], argv[3], argv[4],
              greatest(end.forward), greatest(end.mean_value), greatest(end.difference), seconds());
  if (argc > 6) {
    const Parts parts = bound_by_parts(net, program, box, std::strtoull(argv[6], nullptr, 10), 1e9);
    end.best = parts.bound;
    std::printf(", %zu parts %.4g (%.2f s)", parts.count, greatest(parts.bound), seconds());
  }
  const Observed seen =
      observe(program, in_binary64(program), tight.analysis, end.best, box, {std::strtoull(argv[5], nullptr, 10), 1});
  std::printf("\n  %llu runs (%llu not finite), %llu beyond a bound, %.1f s;",
              static_cast<unsigned long long>(seen.runs), static_cast<unsigned long long>(seen.not_finite),
              static_cast<unsigned long long>(seen.violations), seconds());
  for (const Observed::Order& o : seen.orders) std::printf(" %s %.4g;", run_order_text(o.order), o.worst);
  std::printf(" bound / worst %.4g\n", greatest(end.best) / greatest(seen.output));
  return seen.violations == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "operators")
    return operators(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000, argc > 3 ? argv[3] : "",
                     argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0);
  if (what == "network" && argc >= 6) return network(argc, argv);
  std::fprintf(stderr,
               "usage: roundoff_evidence operators [TREES [NAME [LEAST_N]]] | network MODEL PROPERTY FORMAT[/SUMS] "
               "INPUTS [PARTS]\n");
  return 3;
}
