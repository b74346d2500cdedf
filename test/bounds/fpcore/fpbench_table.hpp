// Rows of the published roundoff table (FPBench expressions with bounds of other tools). Outside data: found by
// OUTWARD_CASES or beside the source tree.
#pragma once
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace outward::fpbench {

using Row = std::map<std::string, std::string>;

// Fields of one line, quoted where they contain commas.
inline std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  }
  return out;
}

// Empty when the table is not there. `source`: the root of the source tree.
inline std::vector<Row> table(const std::string& source) {
  const char* cases = std::getenv("OUTWARD_CASES");
  std::ifstream in((cases ? std::string(cases) : source + "/../shared/cases") + "/fpbench/table.csv");
  std::vector<Row> rows;
  std::string line;
  if (!std::getline(in, line)) return rows;
  const std::vector<std::string> names = fields(line);
  while (std::getline(in, line)) {
    const std::vector<std::string> values = fields(line);
    if (values.size() != names.size()) continue;
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace outward::fpbench
