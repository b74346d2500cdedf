// Our bounds of the FPBench expressions beside the published ones of FPTaylor, Gappa, Daisy, PRECiSA and VCFloat2, as a
// table in Markdown, with the two scores of the roundoff goal. usage: fpbench [BOXES [SAMPLES]]
// "sampled" is the largest error of SAMPLES runs, half of them near the point where the bound is largest, inputs
// mostly next to ties of their rounding: a lower bound of what any sound tool can print.
// Assumes the table of published bounds (OUTWARD_CASES, or beside the source tree). Every row is analysed with the same
// options; library functions are within 1.5 * 2^-53 relative to the binade (0.75 ulp), which is FPTaylor's model.
// Numbers are compared as printed, with three digits: a published 2.95e-13 may have been anything that rounds to it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bounds/roundoff/fpcore/analyse.hpp"
#include "bounds/roundoff/fpcore/parse.hpp"
#include "formats/exact.hpp"
#include "test/bounds/fpcore/fpbench_table.hpp"
#include "test/bounds/fpcore/sampling.hpp"

namespace {

using namespace outward;

double number(const std::string& text) { return text.empty() ? infinity : std::strtod(text.c_str(), nullptr); }

double three_digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2e", x);
  return number(text);
}

std::string shown(double x) {
  if (!(x < infinity)) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.2e", x);
  return text;
}

double sampled(const fpcore::Core& core, const fpcore::Report& report, int samples) {
  std::mt19937_64 random(1);
  double largest = 0;
  for (int i = 0; i < samples; ++i) {
    std::vector<Rational> inputs;
    for (std::size_t v = 0; v < core.variables.size(); ++v) {
      const fpcore::Variable& variable = core.variables[v];
      const bool near = i % 2 == 1 && v < report.point.size();
      inputs.push_back(fpcore_test::random_input(variable, core.formats[static_cast<std::size_t>(variable.format)],
                                                 random, near ? &report.point[v].second : nullptr));
    }
    if (const auto values = fpcore_test::run(core, inputs))
      largest = std::max(largest, round_down(fpcore_test::error_below((*values)[static_cast<std::size_t>(core.root)])));
  }
  return largest;
}

struct Score {
  int rows = 0, reached = 0;
  std::string losses;

  void count(bool good, const std::string& name) {
    ++rows;
    reached += good;
    if (!good) losses += (losses.empty() ? "" : ", ") + name;
  }
  void print(const char* what) const {
    std::printf("- %s: %d of %d rows (%.0f%%)%s%s\n", what, reached, rows, rows ? 100.0 * reached / rows : 0.0,
                losses.empty() ? "" : "; not on ", losses.c_str());
  }
};

}  // namespace

int main(int argc, char** argv) {
  fpcore::Effort effort;
  if (argc > 1) effort.boxes = std::strtoul(argv[1], nullptr, 10);
  const int samples = argc > 2 ? std::atoi(argv[2]) : 2000;
  const auto rows = fpbench::table(OUTWARD_SOURCE_DIR);
  if (rows.empty()) {
    std::printf("SKIPPED: the table of published bounds is not there (OUTWARD_CASES)\n");
    return 0;
  }
  static const char* const others[] = {"fptaylor_std", "fptaylor_improved", "gappa",   "gappa_hints",
                                       "daisy_ia_aa",  "daisy_subdiv",      "precisa", "vcfloat2"};
  std::printf(
      "| expression | ours | at a point | 1 ulp functions | FPTaylor std | FPTaylor imp. | Gappa | Gappa, hints "
      "| Daisy | Daisy, subdiv. | PRECiSA | VCFloat2 | observed | sampled | boxes | seconds |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Score gappa_daisy, fptaylor_twice, fptaylor_best, everybody, below_observed;
  double seconds_in_all = 0, logarithms = 0, over_sampled = 0;
  for (const fpbench::Row& row : rows) {
    const std::string& name = row.at("name");
    const fpcore::Core core = fpcore::parse_cores(row.at("fpcore"), name).at(0);
    const auto start = std::chrono::steady_clock::now();
    const fpcore::Report report = fpcore::analyse(core, {0.75, false}, effort, false);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool functions = std::any_of(core.nodes.begin(), core.nodes.end(),
                                       [](const fpcore::Node& node) { return node.op == fpcore::Op::function; });
    const double wider = functions ? fpcore::analyse(core, {1, false}, effort, false).absolute : infinity;
    std::printf("| %s | %s | %s | %s |", name.c_str(), shown(report.absolute).c_str(), shown(report.at_point).c_str(),
                shown(wider).c_str());
    for (const char* other : others) std::printf(" %s |", row.at(other).c_str());
    const double reached = sampled(core, report, samples);
    std::printf(" %s | %s | %zu | %.3f |\n", row.at("observed_max").c_str(), shown(reached).c_str(), report.boxes,
                seconds);
    seconds_in_all += seconds;
    const double ours = three_digits(report.absolute);
    const auto best = [&](std::initializer_list<const char*> columns) {
      double least = infinity;
      for (const char* column : columns) least = std::min(least, number(row.at(column)));
      return least;
    };
    const double both = best({"gappa", "gappa_hints", "daisy_ia_aa", "daisy_subdiv"});
    const double fptaylor = best({"fptaylor_std", "fptaylor_improved"});
    if (both < infinity) gappa_daisy.count(ours <= both, name);
    fptaylor_twice.count(ours <= 2 * fptaylor, name);
    fptaylor_best.count(ours <= fptaylor, name);
    everybody.count(ours <= std::min({both, fptaylor, best({"precisa", "vcfloat2"})}), name);
    const double observed = number(row.at("observed_max"));
    below_observed.count(report.absolute >= reached && (!(observed < infinity) || report.absolute >= observed), name);
    over_sampled += std::log(report.absolute / reached);
    logarithms += std::log(report.absolute / fptaylor);
  }
  std::printf("\n");
  gappa_daisy.print("at least as tight as the best of Gappa's and Daisy's");
  fptaylor_twice.print("within a factor of 2 of FPTaylor's best");
  fptaylor_best.print("at least as tight as FPTaylor's best");
  everybody.print("at least as tight as every published bound");
  below_observed.print("not below the largest error observed or sampled");
  std::printf("- geometric mean of ours / FPTaylor's best: %.3f\n",
              std::exp(logarithms / static_cast<double>(rows.size())));
  std::printf("- geometric mean of ours / sampled: %.2f\n", std::exp(over_sampled / static_cast<double>(rows.size())));
  std::printf("- seconds for all rows: %.2f\n", seconds_in_all);
  return 0;
}
