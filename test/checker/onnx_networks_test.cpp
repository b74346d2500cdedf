// The networks of outside test data: those made of operators of FORMAT.md are read and give the outputs stored in the
// witness files, the others are refused with their operators named. Skipped with a line when the data is not there.
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <set>

#include "test/checker/onnx_evaluate.hpp"
#include "test/checker/onnx_writer.hpp"

using namespace onnx_test;
namespace fs = std::filesystem;

namespace {

fs::path cases() {
  const char* given = std::getenv("OUTWARD_CASES");
  return (given ? fs::path(given) : fs::path(OUTWARD_SOURCE_DIR) / "../shared/cases") / "vnncomp";
}

constexpr std::uint32_t kLargest = 2 << 20;  // bytes; larger networks are left out to keep the suite fast

// The last four bytes of a gzip file: its size when unpacked.
std::uint32_t unpacked_size(const fs::path& path) {
  std::uint32_t size = 0;
  std::ifstream in(path, std::ios::binary);
  in.seekg(-4, std::ios::end);
  in.read(reinterpret_cast<char*>(&size), 4);
  return size;
}

std::string unpacked(const fs::path& path) {
  const outward_check::Bytes bytes = outward_check::read_maybe_gzip(path.string());
  return std::string(bytes.begin(), bytes.end());
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) out.push_back(field);
  return out;
}

// "((X_0 0.5)" ... "(Y_0 1.5))": the numbers by letter, in order.
Values numbers(const std::string& text, char letter) {
  Values out;
  const std::string start = std::string("(") + letter + "_";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    out.push_back(std::strtod(text.c_str() + text.find(' ', at), nullptr));
  }
  return out;
}

}  // namespace

TEST_CASE("witnesses of known instances") {
  if (!fs::exists(cases() / "instances.csv")) {
    std::cout << "SKIPPED: no networks at " << cases() << "\n";
    return;
  }
  std::ifstream list(cases() / "instances.csv");
  std::string line;
  std::getline(list, line);
  const std::vector<std::string> head = fields(line);
  const std::size_t column = std::find(head.begin(), head.end(), "witness") - head.begin();
  REQUIRE(column < head.size());
  int compared = 0;
  while (std::getline(list, line)) {
    const std::vector<std::string> row = fields(line);
    if (row.size() <= column || row[column].empty() || !fs::exists(cases() / row[column])) continue;
    if (unpacked_size(cases() / row[0]) > kLargest) continue;
    Graph graph;
    try {
      graph = read_bytes(unpacked(cases() / row[0])).graph;
    } catch (const ReadError&) {
      continue;  // other test case
    }
    const std::string witness = unpacked(cases() / row[column]);
    const Values x = numbers(witness, 'X'), y = numbers(witness, 'Y');
    if (y.empty()) continue;  // only inputs stored
    REQUIRE_MESSAGE(x.size() == graph.nodes[0].size, row[column]);
    REQUIRE_MESSAGE(y.size() == graph.nodes[graph.output].size, row[column]);
    const Values got = evaluate(graph, x);
    double worst = 0;
    for (std::size_t j = 0; j < y.size(); ++j)
      worst = std::max(worst, std::fabs(got[j] - y[j]) / std::max(1.0, std::fabs(y[j])));
    CHECK_MESSAGE(worst < 1e-4, row[column] << " differs by " << worst);
    ++compared;
  }
  std::cout << compared << " witnesses agree\n";
  CHECK(compared > 40);
}

TEST_CASE("every network is read, or refused with what is not in FORMAT.md") {
  if (!fs::exists(cases())) {
    std::cout << "SKIPPED: no networks at " << cases() << "\n";
    return;
  }
  static const std::set<std::string> outside{"Softmax",       "ArgMax",   "OneHot",  "ScatterND", "Resize",
                                             "ConvTranspose", "Upsample", "Sigmoid", "Sin",       "Cos",
                                             "Floor",         "Pow",      "Sign"};
  int read = 0, refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(cases())) {
    if (!contains(entry.path().string(), ".onnx") || unpacked_size(entry.path()) > kLargest) continue;
    const std::string text = show(unpacked(entry.path()));
    CHECK(!contains(text, "fault: "));
    if (!contains(text, "refused")) {
      ++read;
      continue;
    }
    // Every refused network here has an operator outside of the page, a product of two of its values, or rounds one.
    bool known = contains(text, "between two values of the network") || contains(text, "(Cast, opset 11): a change");
    for (const auto& op : outside) known = known || contains(text, "(" + op + ", opset");
    CHECK_MESSAGE(known, entry.path() << "\n" << text);
    ++refused;
  }
  std::cout << read << " networks read, " << refused << " refused\n";
  CHECK(read > 70);
  CHECK(refused > 5);
}
