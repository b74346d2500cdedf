// branching CASES_DIR ONNX VNNLIB [SECONDS]: one query by every variant of the engine, in one run: kind of halving,
// threads, counterexample search. Prints parts, seconds, processor seconds, parts per second and
// the ratio of the wall time to the first variant that decides the query.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "benchmarks/clock.hpp"
#include "bounds/kernels.hpp"
#include "bounds/verify.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

using namespace outward;

namespace {

struct Variant {
  const char* name;
  std::size_t most_varying_inputs;
  unsigned threads;
  bool attack, branch;
};

constexpr Variant variants[] = {
    {"bounding alone", 16, 2, false, false},
    {"inputs, 2 threads", 1000000, 2, false, true},
    {"inputs, 1 thread", 1000000, 1, false, true},
    {"neurons, 2 threads", 0, 2, false, true},
    {"neurons, 1 thread", 0, 1, false, true},
    {"as verify, no search", 16, 2, false, true},
    {"as verify", 16, 2, true, true},
};

const char* word(Verdict v) { return v == Verdict::holds ? "holds" : v == Verdict::violated ? "violated" : "unknown"; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: branching CASES_DIR ONNX VNNLIB [SECONDS]\n");
    return 3;
  }
  const std::string folder = std::string(argv[1]) + "/";
  const Model model = import_onnx(folder + argv[2], {});
  const Graph& graph = model.graph;
  const Property property = read_vnnlib(folder + argv[3], graph.nodes[0].size, graph.nodes[graph.output].size);
  const Network net(graph);
  std::printf("%s %s\n%-22s %-9s %9s %8s %8s %9s %6s %10s\n", argv[2], argv[3], "variant", "verdict", "parts", "wall s",
              "cpu s", "parts/s", "ratio", "GFLOP/s");
  double first = 0;
  for (const Variant& v : variants) {
    VerifyOptions options;
    options.semantics = graph.element == ElementType::binary32 ? Semantics::fp32_any : Semantics::fp64_any;
    options.timeout_seconds = argc > 4 ? std::atof(argv[4]) : 20;
    options.threads = v.threads;
    options.attack = v.attack;
    options.branch = v.branch;
    options.most_varying_inputs = v.most_varying_inputs;
    ProofObserver none;
    const double w = wall(), c = cpu();
    const std::uint64_t operations = gemm_operations();
    const Outcome outcome = verify_property(net, property, options, none);
    const double seconds = wall() - w;
    if (first == 0 && outcome.verdict != Verdict::unknown) first = seconds;
    std::printf("%-22s %-9s %9llu %8.3f %8.3f %9.0f ", v.name, word(outcome.verdict),
                static_cast<unsigned long long>(outcome.domains), seconds, cpu() - c,
                outcome.seconds.branch > 0 ? static_cast<double>(outcome.domains) / outcome.seconds.branch : 0.0);
    if (outcome.verdict != Verdict::unknown && first > 0)
      std::printf("%6.2f", seconds / first);
    else
      std::printf("%6s", "-");
    std::printf(" %10.2f\n", 1e-9 * static_cast<double>(gemm_operations() - operations) / seconds);
    std::fflush(stdout);
  }
  return 0;
}
