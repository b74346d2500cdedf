// crown_pass TABLE CASES_DIR [REPEATS]: times one CROWN pass (every unstable pre-activation bounded backwards, then the
// rows of the property) with rigour and without, in one run and in turns, and compares with the dgemm rate of this
// machine and with the bounds and times of other tools in TABLE (columns: onnx, vnnlib, what, peer_bound,
// peer_seconds). what is `margin` (least row bound, scaled; one sweep and all sweeps of verify) or `width` (mean width
// of the outputs). Times are the least CPU and wall seconds of the repeats.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/clock.hpp"
#include "bounds/branch/tighten.hpp"
#include "bounds/kernels.hpp"
#include "bounds/prove.hpp"
#include "bounds/replay.hpp"
#include "formats/error.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

using namespace outward;

namespace {

// Square dgemm on one thread, best of three: the rate everything else is a fraction of.
double dgemm_rate() {
  const std::size_t n = 1024;
  const std::vector<double> a(n * n, 1.0 / 3), b(n * n, 3.0 / 7);
  std::vector<double> c(n * n);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double t = cpu();
    gemm(n, n, n, a.data(), b.data(), c.data());
    best = std::min(best, cpu() - t);
  }
  return 2.0 * static_cast<double>(n * n * n) / best;
}

struct Timing {
  double cpu = 1e9, wall = 1e9, bound = 0, gemm = 0;
};

void measure(const Network& net, const Property& property, bool widths, unsigned threads, bool rigorous, bool one_sweep,
             Timing& best) {
  BoxProver prover(net, Semantics::real, {threads, rigorous, {}}, {one_sweep});
  ProofObserver none;
  const double w = wall(), c = cpu();
  const std::uint64_t before = gemm_operations();
  std::optional<RootProof> root;
  BoxResult r = widths ? prover.enclose(property, none, &root) : prover.prove(RowTable(property), 0, none);
  if (widths && !one_sweep) tighten_outputs(net, *root, r.output, {threads, {}, 0, 20}, none);
  best.cpu = std::min(best.cpu, cpu() - c);
  best.wall = std::min(best.wall, wall() - w);
  best.gemm = static_cast<double>(gemm_operations() - before);
  if (widths) {
    best.bound = 0;
    for (std::size_t i = 0; i < r.output.lo.size(); ++i)
      best.bound += (r.output.hi[i] - r.output.lo[i]) / static_cast<double>(r.output.lo.size());
  } else {
    best.bound = infinity;
    for (const CaseBound& b : r.cases)
      best.bound = std::min(best.bound, b.bound / row_scale(property.cases[b.case_index].rows[b.row]));
  }
}

void run(const std::string& root, const std::vector<std::string>& field, int repeats, double peak) {
  const Model model = import_onnx(root + "/" + field[0], {});
  const Property property =
      read_vnnlib(root + "/" + field[1], model.graph.nodes[0].size, model.graph.nodes[model.graph.output].size);
  const Network net(model.graph);
  const bool widths = field[2] == "width";
  Timing rigorous, plain, two;
  for (int i = 0; i < repeats; ++i) {
    measure(net, property, widths, 1, false, true, plain);
    measure(net, property, widths, 1, true, true, rigorous);
    measure(net, property, widths, 2, true, true, two);
  }
  Timing all;  // what verify does: more sweeps with other slopes, bounds intersected; widths by α-CROWN too
  measure(net, property, widths, 2, true, false, all);
  const bool known =
      !field[3].empty();  // an empty peer_bound: the peer's time is for another property of the same network
  const double peer_bound = known ? std::atof(field[3].c_str()) : std::nan(""),
               peer_seconds = std::atof(field[4].c_str());
  const bool tighter =
      widths ? all.bound <= peer_bound * (1 + 1e-4) : all.bound >= peer_bound - 1e-4 * std::abs(peer_bound);
  std::printf("%-24s %-34s %12.6g %12.6g %12.6g %-6s %8.5f %8.5f %5.2f %8.5f %6.1fx %6.1fx %5.0f%%\n",
              field[0].substr(field[0].rfind('/') + 1, 24).c_str(),
              field[1].substr(field[1].rfind('/') + 1, 34).c_str(), rigorous.bound, all.bound, peer_bound,
              !known    ? "-"
              : tighter ? "yes"
                        : "no",
              rigorous.cpu, plain.cpu, rigorous.cpu / plain.cpu, two.wall, peer_seconds / two.wall,
              peer_seconds / rigorous.cpu, 100 * rigorous.gemm / rigorous.cpu / peak);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: crown_pass TABLE CASES_DIR [REPEATS]\n");
    return 3;
  }
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 7;
  std::ifstream table(argv[1]);
  std::string line;
  std::getline(table, line);
  const double peak = dgemm_rate();
  std::printf("dgemm 1024, one thread: %.1f GFLOP/s (OPENBLAS_CORETYPE=%s)\n", peak * 1e-9,
              std::getenv("OPENBLAS_CORETYPE") ? std::getenv("OPENBLAS_CORETYPE") : "unset");
  std::printf("%-24s %-34s %12s %12s %12s %-6s %8s %8s %5s %8s %7s %7s %6s\n", "model", "property", "one sweep",
              "all sweeps", "peer", "tight", "cpu s", "no rig.", "ratio", "2 thr s", "speed", "speed1", "dgemm");
  while (std::getline(table, line)) {
    std::vector<std::string> field;
    std::stringstream stream(line);
    for (std::string f; std::getline(stream, f, ',');) field.push_back(f);
    if (field.size() < 5) continue;
    try {
      run(argv[2], field, repeats, peak);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", field[0].c_str(), error.what());
    }
  }
}
