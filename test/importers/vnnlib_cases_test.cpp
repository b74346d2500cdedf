// VNN-LIB files from outside the repository: syntax corpus, hostile files, competition properties.
#include <doctest/doctest.h>

#include <chrono>

#include "importers/vnnlib/vnnlib.hpp"
#include "test/importers/cases.hpp"

using namespace outward;

namespace {

bool accepted(const std::string& path) {
  try {
    summarize_vnnlib(path);
    return true;
  } catch (const InputRefused&) {
    return false;
  }
}

}  // namespace

TEST_CASE("syntax corpus: accepted and rejected files") {
  const std::string folder = outward_test::cases_folder("syntax corpus");
  if (folder.empty()) return;
  const auto rows = outward_test::csv_rows(folder + "/vnncomp/vnnlib_syntax/expected.csv");
  CHECK(rows.size() >= 79);
  for (const auto& row : rows) {
    CAPTURE(row.at("file"));
    const bool is_accepted = accepted(folder + "/vnncomp/" + row.at("file"));
    if (row.at("verdict") == "accept") CHECK(is_accepted);
    if (row.at("verdict") == "reject") CHECK_FALSE(is_accepted);
  }
}

TEST_CASE("hostile property files, for the model of two inputs and one output") {
  const std::string folder = outward_test::cases_folder("hostile properties");
  if (folder.empty()) return;
  int files = 0;
  for (const auto& row : outward_test::csv_rows(folder + "/hostile/expected.csv")) {
    if (row.at("file").rfind("vnnlib_", 0) != 0) continue;
    CAPTURE(row.at("file"));
    const auto start = std::chrono::steady_clock::now();
    std::string outcome = "accepted";
    try {
      if (read_vnnlib(folder + "/hostile/" + row.at("file"), 2, 1).vacuous) outcome = "vacuous";
    } catch (const InputRefused&) {
      outcome = "refused";
    }
    const std::string& expected = row.at("expected");
    if (expected != "either") CHECK(outcome == expected);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    ++files;
  }
  CHECK(files >= 22);
}

TEST_CASE("competition properties are all read") {
  const std::string folder = outward_test::cases_folder("competition properties");
  if (folder.empty()) return;
  int files = 0;
  for (const auto& row : outward_test::csv_rows(folder + "/vnncomp/instances.csv")) {
    const std::string& file = row.at("vnnlib");
    // The largest ones only take time.
    if (row.at("category") == "vnnlib2" || row.at("category") == "yolo" || row.at("category") == "cctsdb_yolo" ||
        file.find("0_1000_128") != std::string::npos) {
      continue;
    }
    CAPTURE(file);
    const VnnlibSummary summary = summarize_vnnlib(folder + "/vnncomp/" + file);
    CHECK(summary.unsupported_rows == 0);
    CHECK(summary.digest.size() == 64);
    CHECK(summary.cases > 0);
    ++files;
  }
  CHECK(files >= 200);
}
