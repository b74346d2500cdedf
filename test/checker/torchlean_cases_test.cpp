// All rows of the outside TorchLean cases: accepted or not as expected, and in the exact class; digests of files and
// paths below the root as `check --root .` in that folder finds them.
#include <sstream>

#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

struct CaseRow {
  std::string file, kind, option, expected;
};

std::vector<CaseRow> rows(const std::filesystem::path& list) {
  std::ifstream in(list);
  std::vector<CaseRow> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    CaseRow r;
    std::getline(fields, r.file, ','), std::getline(fields, r.kind, ','), std::getline(fields, r.option, ',');
    std::getline(fields, r.expected, ',');
    out.push_back(r);
  }
  return out;
}

ForeignOptions options_of(const CaseRow& row, const std::filesystem::path& folder) {
  ForeignOptions options;
  options.root = folder.string();
  std::istringstream parts(row.option);
  for (std::string part; std::getline(parts, part, ';');) {
    const std::string key = part.substr(0, part.find('=')), value = part.substr(std::min(part.size(), key.size() + 1));
    Fraction number;
    if (key == "slack" || key == "max_slack") REQUIRE(parse_decimal(value, &number));
    if (key == "slack") options.slack = number;
    if (key == "max_slack") options.max_slack = number;
    if (key == "model") options.model = (folder / value).string();
    if (key == "weights") options.weights = (folder / value).string();
    options.recompute = options.recompute || key == "recompute";
    options.ieee32 = options.ieee32 || key == "ieee32";
  }
  return options;
}

}  // namespace

TEST_CASE("TorchLean outside cases: every row in its class") {
  const std::filesystem::path folder = outside() / "certificates" / "torchlean";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("SKIPPED: no outside cases (OUTWARD_CASES)");
    return;
  }
  const std::vector<CaseRow> all = rows(folder / "expected.csv");
  CHECK(all.size() >= 120);
  for (const CaseRow& row : all) {
    const Bytes bytes = read_file((folder / row.file).string());
    std::string why, found = verdict(std::string(bytes.begin(), bytes.end()), options_of(row, folder), &why);
    if (found == "unknown") found = "unsupported";
    CAPTURE(row.file);
    CAPTURE(row.option);
    CAPTURE(why);
    CHECK(found.substr(0, found.find(':')) == row.expected);
    const auto has = [&](const char* option) { return row.option.find(option) != std::string::npos; };
    const bool asserted = (row.kind == "leaf" || row.kind == "margin") && !has("model=") && !has("recompute");
    if (row.expected == "accept") CHECK((found == "accept:asserted-bounds") == asserted);
    if (row.expected == "accept" && row.option.starts_with("slack=1")) CHECK(found == "accept:slack");
  }
}
