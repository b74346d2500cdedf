// The program `check` as a user sees it: options, exit codes, counterexample files, text form.
#include "checker/report/report.hpp"

#include <doctest/doctest.h>
#include <emmintrin.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "checker/report/options.hpp"
#include "checker/report/text_form.hpp"
#include "checker/report/witness.hpp"
#include "test/checker/proof_tools.hpp"

using namespace proof_tools;

namespace {

struct Result {
  int code = 0;
  std::string out, err;
};

Result check(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  std::streambuf *old_out = std::cout.rdbuf(out.rdbuf()), *old_err = std::cerr.rdbuf(err.rdbuf());
  std::vector<char*> argv;
  arguments.insert(arguments.begin(), "check");
  for (std::string& a : arguments) argv.push_back(a.data());
  Result r;
  r.code = run(static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(old_out), std::cerr.rdbuf(old_err);
  r.out = out.str(), r.err = err.str();
  return r;
}

std::string cases() {
  const char* given = std::getenv("OUTWARD_CASES");
  return given != nullptr ? given : std::string(OUTWARD_SOURCE_DIR) + "/../shared/cases";
}

// Rows of a comma separated file with quoted fields.
std::vector<std::vector<std::string>> table(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back(1);
    bool quoted = false;
    for (char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        rows.back().emplace_back();
      } else if (c != '\r') {
        rows.back().back() += c;
      }
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("options that are not understood are usage errors") {
  const std::vector<std::vector<std::string>> bad = {{},
                                                     {"c", "--unknown"},
                                                     {"c", "--model"},
                                                     {"c", "--model", "m", "--model", "m"},
                                                     {"c", "--property", "p", "--radius", "0.1"},
                                                     {"c", "--label", "1"},
                                                     {"c", "--radius", "x"},
                                                     {"c", "--radius", "0.1", "--label", "-1"},
                                                     {"c", "--radius", "0.1", "--clip", "0"},
                                                     {"c", "--radius", "0.1", "--clip", "0,1,2"},
                                                     {"c", "--radius", "0.1", "--label", "1", "--output-range", "0,1"},
                                                     {"c", "--radius", "0.1", "--layout", "hwc"},
                                                     {"c", "--radius", "0.1", "--norm", "2"},
                                                     {"c", "--expect", "true"},
                                                     {"c", "--semantics", "float"},
                                                     {"c", "--input-shape", "x"},
                                                     {"c", "--input-shape", "=1"},
                                                     {"c", "--input-shape", "x=1,a"},
                                                     {"c", "--input-shape", "x=1", "--input-shape", "x=2"},
                                                     {"c", "--print", "--parse"},
                                                     {"c", "d", "--print"},
                                                     {"c", "--exact=1"},
                                                     {"c", "--slack", "-1"},
                                                     {"c", "--network", "model.onnx"},
                                                     {"c", "-x"}};
  for (const auto& arguments : bad) {
    const Result r = check(arguments);
    const std::string last = arguments.empty() ? "" : arguments.back();
    CHECK_MESSAGE(r.code == 3, last);
    CHECK(r.out.empty());
    CHECK(!r.err.empty());
  }
  CHECK(check({"--help"}).code == 0);
  const Options o = parse_options({"a", "--radius=0.1", "b", "--mean", "1,2,3", "--input-shape", "x=1,3", "--exact"});
  CHECK(o.files == std::vector<std::string>{"a", "b"});
  CHECK(o.radius.radius == "0.1");
  CHECK(o.radius.mean.size() == 3);
  CHECK(o.shapes.at("x") == std::vector<std::int64_t>{1, 3});
  CHECK(o.exact);
}

TEST_CASE("files that are no certificate") {
  CHECK(check({"/nonexistent/file"}).code == 4);
  const struct {
    const char* text;
    const char* word;
  } files[] = {
      {"null", "UNSUPPORTED"},
      {"[[[[[[", "MALFORMED"},
      {"{\"format\": \"other\", \"format\": 1}", "MALFORMED"},
      {"{\"format\": \"other\"}", "UNSUPPORTED"},
      {"unsat\n", "UNSUPPORTED"},
      {"{\"record\":\"header\",", "MALFORMED"},
      {"{\"record\":\"header\",\"format\":\"outward-certificate\",\"version\":7,\"claim\":\"holds\",\"semantics\":"
       "\"real\",\"producer\":\"\"}\n",
       "UNSUPPORTED"}};
  for (const auto& f : files) {
    const TemporaryFile file(f.text);
    const Result r = check({file.path});
    CHECK_MESSAGE(r.code == 4, f.text);
    CHECK_MESSAGE(r.out.starts_with(f.word), r.out);
  }
}

TEST_CASE("several certificates: one line each, the worst exit code") {
  GraphBuilder b(1);
  b.like(Kind::neg, 0);
  const Property p = property(b.graph, {box({{0, 1}})}, {{0, {{-1, 0}}}});
  const TemporaryFile good(opening(b.graph, p, "holds", "real").text()), bad("null");
  const Result r = check({good.path, bad.path, good.path});
  CHECK(r.code == 4);
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 3);
  const Result one = check({good.path});  // no model: only its form could be checked
  CHECK(one.code == 2);
  CHECK(one.out.starts_with("VALID_BUT_NOT_ASKED"));
  CHECK(one.err.find("--model") != std::string::npos);
  CHECK(check({good.path, "--quiet"}).err.empty());
  const Result json = check({good.path, "--json"});
  CHECK(json.out.starts_with("{\"certificate\":"));
  CHECK(json.out.find("\"verdict\":\"VALID_BUT_NOT_ASKED\",\"exit\":2") != std::string::npos);
}

TEST_CASE("counterexample texts") {
  const auto accepts = [](const std::string& text) {
    try {
      parse_witness(text, 2, 1);
      return true;
    } catch (const ReadError&) {
      return false;
    }
  };
  for (const char* good :
       {"sat\n((X_0 1)\n(X_1 -2.5e-3)\n(Y_0 0))\n", "((X_0 1)(X_1 2))", "  sat ( (X_1 2) (X_0 1) ) \r\n"}) {
    CHECK_MESSAGE(accepts(good), good);
  }
  for (const char* bad : {"",
                          "sat",
                          "sat\n()",
                          "unsat\n((X_0 1)(X_1 2))",
                          "((X_0 1))",
                          "((X_0 1)(X_1 2)",
                          "((X_0 1)(X_1 2)) x",
                          "((X_0 1)(X_1 2)(X_1 2))",
                          "((X_0 1)(X_1 2)(X_2 3))",
                          "((X_0 1)(X_01 2))",
                          "((X_0 1)(X_1 2)(Y_1 2))",
                          "((X_0 1)(X_1 nan))",
                          "((X_0 1)(X_1 inf))",
                          "((X_0 1)(X_1 1,5))",
                          "((X_0 1)(X_18446744073709551617 2))",
                          "((X_0 1)(X_1))",
                          "((X_0 1)(X_1 2 3))",
                          "((X_0 1)(Z_1 2)(X_1 2))",
                          "((X_0 1)(X_1 0x1p3))",
                          "((X_0 1)(X_1 2)(Y_0 1)(Y_0 1))"}) {
    CHECK_MESSAGE(!accepts(bad), bad);
  }
}

TEST_CASE("the corpus of counterexample files") {
  const std::string folder = cases() + "/certificates/witness/";
  const auto rows = table(folder + "expected.csv");
  if (rows.empty()) {
    MESSAGE("SKIPPED: no counterexample corpus");
    return;
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (int column : {3, 4}) {
      const Result r = check({folder + rows[i][0], "--model", folder + rows[i][1], "--property", folder + rows[i][2],
                              "--semantics", column == 3 ? "real" : "fp32_sequential"});
      const int expected = rows[i][column] == "accept" ? 0 : rows[i][column] == "reject" ? 1 : 4;
      CHECK_MESSAGE(r.code == expected, rows[i][0], " ", rows[i][column], " ", r.out, r.err);
    }
  }
  const Result wrong = check({folder + "a_output_off_10_percent.txt", "--model", folder + "a.onnx", "--property",
                              folder + "a_box1.vnnlib", "--explain"});
  CHECK(wrong.err.find("the file claims Y_0") != std::string::npos);
  const Result holds = check({folder + "a_good.txt", "--model", folder + "a.onnx", "--property",
                              folder + "a_box1.vnnlib", "--expect", "holds"});
  CHECK(holds.code == 2);
  CHECK(check({folder + "a_good.txt", "--model", folder + "a.onnx"}).code == 3);
  const Result best = check({folder + "b_float_only.txt", "--model", folder + "b.onnx", "--property",
                             folder + "b.vnnlib", "--semantics", "best"});
  CHECK(best.code == 0);
  CHECK(best.out.find("fp32_sequential") != std::string::npos);
  CHECK(best.out.find("real") == std::string::npos);
}

TEST_CASE("hostile JSON files are refused, a large one is read") {
  const std::string folder = cases() + "/hostile/";
  const auto rows = table(folder + "expected.csv");
  if (rows.empty()) {
    MESSAGE("SKIPPED: no hostile corpus");
    return;
  }
  int seen = 0;
  for (const auto& row : rows) {
    if (row[1] != "check" || row[0].ends_with(".gz")) continue;
    ++seen;
    const Result r = check({folder + row[0], "--allow", "asserted-bounds"});
    const bool refused = r.code == 1 || r.code == 4 || r.code == 5;
    CHECK_MESSAGE((row[3] == "accepted" ? r.code == 0 : refused), row[0]);
  }
  CHECK(seen > 15);
}

TEST_CASE("the text form comes back byte for byte") {
  GraphBuilder b(2);
  b.like(Kind::relu, 0);
  const Property p = property(b.graph, {box({{0, 1}, {0, 1}})}, {{0, {{-1, 0, 0}}}});
  Certificate c = opening(b.graph, p, "holds", "real");
  c.lines[0].replace(c.lines[0].find("by hand"), 7, "a \\\"b\\\\ \\u0007 \xc3\xa9");
  c.add(R"({"record":"box","box":0})");
  c.add(R"({"record":"slopes","id":0,"node":1,"lower":"AAA=","upper":""})");
  c.add(R"({"record":"step","node":1,"method":"backward","lower":"0-1","upper":"","slopes":[0]})");
  c.add(R"({"record":"close"})");
  const std::string text = c.text();
  const TemporaryFile file(text);
  const Result printed = check({file.path, "--print"});
  REQUIRE(printed.code == 0);
  CHECK(printed.out.find("step\n  node 1\n") != std::string::npos);
  const TemporaryFile form(printed.out);
  const Result parsed = check({form.path, "--parse"});
  CHECK(parsed.code == 0);
  CHECK(parsed.out == text);
  const TemporaryFile broken("step\n node 1\n");
  CHECK(check({broken.path, "--parse"}).code == 4);
}

TEST_CASE("regression 16 and 20: a rounding mode and flush to zero set by the parent change nothing") {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0xffc0);  // toward zero, flush to zero, denormals are zero
  const Result r = check({"--help"});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  CHECK(r.code == 0);
  CHECK((after & 0xffc0) == 0x1f80);
}
