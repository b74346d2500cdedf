// All rows of the Berkeley TestFloat vectors below cases/testfloat, and the value tables below cases/fp8. Both are
// outside data; without them the tests say SKIPPED.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "formats/operations.hpp"
#include "formats/vectors.hpp"

using namespace outward;

namespace {

std::string cases_folder() {
  const char* given = std::getenv("OUTWARD_CASES");
  return given != nullptr ? given : OUTWARD_SOURCE_DIR "/../shared/cases";
}

// The lines of an .xz file, through the xz program.
std::vector<std::string> lines_of_xz(const std::string& path) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("xz -dc '" + path + "' 2>/dev/null").c_str(), "r"), pclose);
  std::string line;
  char buffer[4096];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) {
    line += buffer;
    if (line.back() != '\n') continue;
    line.pop_back();
    lines.push_back(line);
    line.clear();
  }
  return lines;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

TEST_CASE("all rows of the TestFloat vectors") {
  const std::string folder = cases_folder() + "/testfloat";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("SKIPPED: no TestFloat vectors (OUTWARD_CASES)");
    return;
  }
  if (std::system("xz --version >/dev/null 2>&1") != 0) {
    MESSAGE("SKIPPED: TestFloat vectors need the xz program");
    return;
  }
  long files = 0, rows = 0, compared = 0, wrong = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".tv.xz")) continue;
    const auto function = vector_function(name.substr(0, name.size() - 6));
    REQUIRE_MESSAGE(function.has_value(), name);
    const std::vector<std::string> lines = lines_of_xz(entry.path().string());
    CHECK_MESSAGE(lines.size() > 100, name);
    ++files;
    for (const std::string& line : lines) {
      const VectorLine result = compare_vector_line(*function, line);
      ++rows;
      compared += result.compared;
      wrong += static_cast<long>(result.mismatches.size());
      if (!result.mismatches.empty() && wrong < 10) MESSAGE(name << ": " << line << ": " << result.mismatches[0]);
    }
  }
  MESSAGE("TestFloat: " << files << " files, " << rows << " rows, " << compared << " results, " << wrong << " wrong");
  CHECK(files == 90);
  CHECK(wrong == 0);
}

TEST_CASE("value tables of the 8, 6 and 4 bit formats") {
  const std::string folder = cases_folder() + "/fp8";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("SKIPPED: no value tables (OUTWARD_CASES)");
    return;
  }
  int tables = 0;
  long codes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    const Format format = parse_format(entry.path().stem().string());
    CAPTURE(format_text(format));
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    int rows = 0;
    while (std::getline(file, line)) {
      const std::vector<std::string> cell = split(line, ',');
      REQUIRE(cell.size() == 7);
      const int code = std::stoi(cell[0]);
      CAPTURE(code);
      const Value x = decode(format, code);
      CHECK(encode(format, x) == code);
      const bool negative = cell[3] == "-";
      if (cell[2] == "nan") {
        CHECK(x.is_nan());
      } else if (cell[2] == "inf") {
        CHECK((x.kind == ValueKind::infinite && x.negative == negative));
      } else if (cell[2] == "zero") {
        CHECK((x.kind == ValueKind::zero && x.negative == negative));
      } else {
        CHECK(identical(x, {ValueKind::finite, negative, Integer(cell[4]), std::stol(cell[5]), 0}));
        const bool normal = floor_log2(x) >= format.least_exponent();
        CHECK((cell[2] == "normal") == normal);
        Flags flags;
        for (Rounding rounding : {Rounding::nearest_even, Rounding::up, Rounding::to_odd})
          CHECK(identical(round(format, to_rational(x), rounding, flags), x));
        CHECK(flags == Flags{});
      }
      ++rows;
    }
    CHECK(rows == 1 << format.width());
    ++tables;
    codes += rows;
  }
  MESSAGE("value tables: " << tables << " formats, " << codes << " codes");
  CHECK(tables == 11);
}
