// Where the test data outside of the repository are, if they are there.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace outward_test {

// The folder of the cases, or "" (and a visible line) when it is absent.
inline std::string cases_folder(const char* wanted_by) {
  const char* variable = std::getenv("OUTWARD_CASES");
  const std::string folder = variable != nullptr ? variable : OUTWARD_SOURCE_DIR "/../shared/cases";
  if (std::filesystem::is_directory(folder)) return folder;
  std::printf("SKIPPED: %s: no folder %s (set OUTWARD_CASES)\n", wanted_by, folder.c_str());
  return "";
}

// The rows of a CSV file with a header line, by column name. Fields may be quoted.
inline std::vector<std::map<std::string, std::string>> csv_rows(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') {
        if (quoted && i + 1 < line.size() && line[i + 1] == '"')
          fields.back() += line[i++];
        else
          quoted = !quoted;
      } else if (line[i] == ',' && !quoted) {
        fields.emplace_back();
      } else if (line[i] != '\r') {
        fields.back() += line[i];
      }
    }
    if (names.empty()) {
      names = fields;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

}  // namespace outward_test
