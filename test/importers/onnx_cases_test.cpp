// Networks of the case collection: stored witness outputs, and ONNX Runtime at random points. Skipped visibly when the
// collection or the runtime is absent.
#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "onnx_builder.hpp"
#include "onnx_oracle.hpp"
#include "runtime/cpu/fast.hpp"
#include "runtime/cpu/reference.hpp"

using namespace onnx_test;
namespace fs = std::filesystem;

namespace {

std::string read_plain(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string bytes, block(1 << 16, '\0');
  for (int got; (got = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
    bytes.append(block, 0, static_cast<std::size_t>(got));
  gzclose(file);
  return bytes;
}

// Imported networks by file, null if refused.
class Models {
 public:
  const outward::Model* find(const std::string& path) {
    const auto [at, fresh] = models_.try_emplace(path);
    if (fresh) {
      try {
        at->second = std::make_unique<outward::Model>(outward::import_onnx(path, {}, &summaries_[path]));
      } catch (const outward::InputRefused&) {
      }
    }
    return at->second.get();
  }
  const outward::OnnxSummary& summary(const std::string& path) { return summaries_[path]; }

 private:
  std::map<std::string, std::unique_ptr<outward::Model>> models_;
  std::map<std::string, outward::OnnxSummary> summaries_;
};

// Values of "(X_i v)" or "(Y_i v)" in a witness.
std::vector<double> values_of(const std::string& text, char letter) {
  std::vector<double> values;
  const std::string key = std::string("(") + letter + "_";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    values.push_back(std::stod(text.substr(text.find(' ', at))));
  }
  return values;
}

}  // namespace

TEST_CASE("stored witnesses: the reference order gives their outputs") {
  const std::string cases = cases_folder();
  if (cases.empty()) {
    MESSAGE("SKIPPED: no case folder (set OUTWARD_CASES)");
    return;
  }
  Models models;
  std::istringstream table(read_plain(cases + "/vnncomp/instances.csv"));
  std::string line;
  std::size_t replayed = 0, refused = 0;
  double worst = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (fields.size() < 11 || fields[10].empty() || fields[0] == "onnx" || line.find('"') != std::string::npos)
      continue;
    const std::string witness = cases + "/vnncomp/" + fields[10];
    if (!fs::exists(witness)) continue;
    const std::string path = cases + "/vnncomp/" + fields[0];
    const outward::Model* model = models.find(path);
    if (model == nullptr) {
      ++refused;
      continue;
    }
    CAPTURE(witness);
    const std::string text = read_plain(witness);
    std::vector<double> x = values_of(text, 'X');
    const std::vector<double> expected = values_of(text, 'Y');
    if (model->graph.element == outward::ElementType::binary32) {
      for (double& value : x) value = static_cast<double>(static_cast<float>(value));
    }
    const std::vector<double> y = outward::run_reference(model->graph, x);
    if (expected.empty()) continue;  // the witness stores the point only
    REQUIRE(y.size() == expected.size());
    double scale = 0;
    for (double value : expected) scale = std::max(scale, std::fabs(value));
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double error = std::fabs(y[j] - expected[j]) / std::max(scale, 1e-3);
      CHECK(error < 1e-4);
      worst = std::max(worst, error);
    }
    ++replayed;
  }
  CHECK(replayed > 50);
  MESSAGE(replayed << " witnesses replayed, greatest difference " << worst << " relative to the greatest output; "
                   << refused << " belong to networks that are refused");
}

TEST_CASE("case networks against ONNX Runtime at random points") {
  const std::string cases = cases_folder();
  Oracle* oracle = Oracle::get();
  if (cases.empty() || oracle == nullptr) {
    MESSAGE("SKIPPED: needs the case folder and ONNX Runtime");
    return;
  }
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(cases)) {
    const std::string path = entry.path().string();
    const bool small = path.find(".onnx") != std::string::npos && fs::file_size(path) < 4000000;
    if (small && path.find("hostile") == std::string::npos) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  // Two networks of each folder, unless OUTWARD_ALL asks for every one (about a minute).
  std::map<std::string, int> taken;
  if (std::getenv("OUTWARD_ALL") == nullptr) {
    std::erase_if(paths, [&](const std::string& path) { return ++taken[fs::path(path).parent_path().string()] > 2; });
  }
  Models models;
  std::mt19937 engine(3);
  std::uniform_real_distribution<float> draw(0, 1);
  std::set<std::string> seen;
  double worst = 0, worst_fast = 0;
  for (const std::string& path : paths) {
    const outward::Model* model = models.find(path);
    if (model == nullptr) continue;
    if (!seen.insert(outward::graph_digest(model->graph)).second) continue;
    CAPTURE(path);
    const std::string bytes = read_plain(path);
    const auto& inputs = models.summary(path).inputs;
    REQUIRE(inputs.size() == 1);
    outward::FastNetwork fast(model->graph);
    for (int round = 0; round < 2; ++round) {
      std::vector<double> x(model->graph.nodes[0].size);
      for (double& value : x) value = static_cast<double>(draw(engine));
      const Oracle::Output expected = oracle->run(bytes, inputs[0].shape, x, round == 1);
      REQUIRE_MESSAGE(!expected.failed, expected.message);
      const std::vector<double> y = outward::run_reference(model->graph, x);
      const std::vector<double> z = fast.forward(x, 1);
      REQUIRE(y.size() == expected.values.size());
      double scale = 1e-3;
      for (double value : expected.values) scale = std::max(scale, std::fabs(value));
      // The float traps amplify rounding on purpose.
      const bool trap = path.find("trap") != std::string::npos;
      for (std::size_t j = 0; j < y.size(); ++j) {
        const double error = std::fabs(y[j] - expected.values[j]) / scale, error_fast = std::fabs(y[j] - z[j]) / scale;
        if (trap) continue;
        CHECK(error < 1e-4);
        CHECK(error_fast < 1e-4);
        worst = std::max(worst, error);
        worst_fast = std::max(worst_fast, error_fast);
      }
    }
  }
  CHECK(seen.size() > 30);
  MESSAGE(seen.size() << " networks, greatest difference to ONNX Runtime " << worst << ", to the fast run "
                      << worst_fast << " relative to the greatest output");
}
