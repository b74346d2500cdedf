// Bounds of rounding errors beside observed ones: for operators by name, and for ONNX networks.
//   roundoff_evidence operators [TRIALS]                    every operator × format × n in 16 … 4096: bound / worst
//   seen roundoff_evidence network MODEL PROPERTY FORMAT[/ACCUMULATOR] INPUTS [PARTS]   all orders, bound / worst
//   observed
// Prints one line per row; exit code 1 if any observed error exceeds its bound. Not rigorous where it prints ratios.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bounds/roundoff/observe.hpp"
#include "bounds/roundoff/parts.hpp"
#include "bounds/roundoff/specs.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace {

using namespace outward;
using namespace outward::roundoff;

Arithmetic arithmetic(const std::string& format, const std::string& sums, Reduction reduction, bool fma = false) {
  NumericalPolicy p;
  p.format = parse_format(format);
  if (!sums.empty() && sums != format) p.accumulator = parse_format(sums);
  p.reduction = reduction;
  p.contraction = fma ? Contraction::fma : Contraction::none;
  return Arithmetic(p);
}

double greatest(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, v);
  return out;
}

int operators(std::uint64_t trials) {
  std::uint64_t violations = 0, runs = 0;
  std::printf("%-18s %-10s %-9s %-10s %6s %11s %11s %9s %7s\n", "operator", "format", "sums", "order", "n", "bound",
              "observed", "ratio", "runs");
  for (const Spec& spec : spec_table()) {
    const bool block = std::string(spec.name) == "transformer-block";
    for (const char* format : {"e4m3fn", "e5m2", "bfloat16", "binary16", "binary32"}) {
      struct Way {
        const char *sums, *order;
        Reduction reduction;
        bool fma;
      };
      for (const Way& way :
           {Way{"", "any", Reduction::any_order_any_fusion, false},
            Way{"binary32", "any", Reduction::any_order_any_fusion, false},
            Way{"", "sequential", Reduction::sequential, false}, Way{"", "fused", Reduction::sequential, true},
            Way{"", "pairwise", Reduction::pairwise, false}}) {
        if (*way.sums != 0 && std::string(format) == way.sums) continue;
        for (const std::size_t n : {16, 64, 256, 1024, 4096}) {
          if (block && n > 16) continue;
          const SpecProgram s = build_spec(spec, {n, spec.d > 0 ? std::size_t{4} : 0, 0, {}},
                                           arithmetic(format, way.sums, way.reduction, way.fma));
          const Analysis a = analyse(s.program, s.box);
          const EndToEnd end = end_to_end(s.program, a);
          const std::uint64_t samples = std::max<std::uint64_t>(3, trials * 16 / n);
          const Observed seen = observe(s.program, in_binary64(s.program), a, end.best, s.box, {samples, n});
          violations += seen.violations;
          runs += seen.runs;
          const double bound = greatest(end.best), worst = greatest(seen.output);
          std::printf("%-18s %-10s %-9s %-10s %6zu %11.4g %11.4g %9.3g %7llu%s\n", spec.name, format,
                      *way.sums != 0 ? way.sums : "=", way.order, n, bound, worst, worst > 0 ? bound / worst : NAN,
                      static_cast<unsigned long long>(seen.runs), seen.violations > 0 ? "  VIOLATION" : "");
          std::fflush(stdout);
        }
      }
    }
  }
  std::printf("%llu runs, %llu beyond a bound\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(violations));
  return violations == 0 ? 0 : 1;
}

int network(int argc, char** argv) {
  const Model model = import_onnx(argv[2], {});
  const Network net(model.graph);
  const Property property = read_vnnlib(argv[3], net.node(0).size, net.node(net.graph.output).size);
  const std::string text = argv[4];
  const std::size_t slash = text.find('/');
  const Arithmetic a = arithmetic(text.substr(0, slash), slash == std::string::npos ? "" : text.substr(slash + 1),
                                  Reduction::any_order_any_fusion);
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
  if (what == "operators") return operators(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100);
  if (what == "network" && argc >= 6) return network(argc, argv);
  std::fprintf(stderr,
               "usage: roundoff_evidence operators [TRIALS] | network MODEL PROPERTY FORMAT[/SUMS] INPUTS [PARTS]\n");
  return 3;
}
