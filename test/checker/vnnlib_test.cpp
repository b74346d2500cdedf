// VNN-LIB 1.0: what is accepted and as which property, what is refused and where, limits, and the
// outside collections of syntax, hostile and benchmark files where they are present.
#include <doctest/doctest.h>

#include <ctime>
#include <fstream>

#include "test/checker/vnnlib_tools.hpp"

using namespace outward_check;
using namespace vnnlib_tools;

TEST_CASE("comparisons in every form become scaled rows") {
  CHECK(cases("(assert (<= Y_0 Y_1))") == "case0{<= 0:1 1:-1 0}");
  CHECK(cases("(assert (>= Y_0 Y_1))") == "case0{<= 0:-1 1:1 0}");
  CHECK(cases("(assert (< 0.5 Y_0))") == "case0{< 0:-2 1}");
  CHECK(cases("(assert (> Y_1 -0.25))") == "case0{< 1:-4 -1}");
  CHECK(cases("(assert (>= 3 Y_0))") == "case0{<= 0:1 -3}");
  CHECK(cases("(assert (= Y_0 2))") == "case0{<= 0:1 -2}{<= 0:-1 2}");
  CHECK(cases("(assert (== 2 Y_0))") == "case0{<= 0:-1 2}{<= 0:1 -2}");
  CHECK(cases("(assert (<= (+ (* 2 Y_0) (* Y_1 4) 6) 0))") == "case0{<= 0:1 1:2 3}");
  CHECK(cases("(assert (<= (- Y_0 Y_1 0.5) (- 3)))") == "case0{<= 0:2 1:-2 5}");
  CHECK(cases("(assert (<= (- Y_0) (* 2 3 Y_1 0.5)))") == "case0{<= 0:-1 1:-3 0}");
  CHECK(cases("(assert (<= (* (+ 1 1) (- Y_0 Y_1)) 4))") == "case0{<= 0:1 1:-1 -2}");
  CHECK(cases("(assert (<= (+ Y_0 Y_0 (- Y_1 Y_1)) 1e-3))") == "case0{<= 0:2000 -1}");
  CHECK(cases("(assert (<= (* 0.1 Y_0) (* 0.3 Y_1)))") == "case0{<= 0:1 1:-3 0}");
  CHECK(cases("(assert (<= (* (- Y_0 Y_0) Y_1) -1))(assert (<= Y_0 0))") == "dropped1 vacuous");
}

TEST_CASE("number forms, white space, comments, several assertions in a line") {
  CHECK(read(two_by_two + "(assert (>= X_0 -1)) ( assert\t(<= X_0 1.))\r\n(assert (>= X_1 -1.5e-03)); (unbalanced\n"
                          "(assert(<= X_1 2E+0))(assert (<= Y_0 -.5)) ; end") ==
        "box[-1,1][-3/2000,2] case0{<= 0:2 1}");
  CHECK(read("; first\n(declare-fun X_0 () Real)(declare-const Y_0 Real)(assert (and (<= 0 X_0) (<= X_0 +1)))", 1, 1) ==
        "box[0,1] case0");
  CHECK(read("(declare-const Y_0 Real)(assert (<= Y_0 0))(declare-const X_0 Real)(assert (and (<= 0 X_0) (<= X_0 1)))",
             1, 1) == "box[0,1] case0{<= 0:1 0}");
}

TEST_CASE("bounds: the tightest counts, a strict one before an equal other, exactly") {
  const std::string head = "(declare-const X_0 Real)(declare-const Y_0 Real)";
  const auto box = [&](const std::string& bounds) { return read(head + bounds, 1, 1); };
  CHECK(box("(assert (<= X_0 1))(assert (< X_0 1))(assert (<= X_0 1.0))(assert (>= X_0 0))") == "box[0,1!] case0");
  CHECK(box("(assert (< X_0 2))(assert (<= X_0 1))(assert (> X_0 0))(assert (> 3 X_0))") == "box[0!,1] case0");
  CHECK(box("(assert (= X_0 0.1))") == "box[1/10,1/10] case0");
  CHECK(box("(assert (== 0.1 X_0))(assert (<= X_0 0.1))") == "box[1/10,1/10] case0");
  CHECK(box("(assert (< X_0 0.1))(assert (>= X_0 0.1))") == "dropped1 vacuous");
  CHECK(box("(assert (<= X_0 0.1))(assert (>= X_0 0.10000000000000000000000001))") == "dropped1 vacuous");
  CHECK(box("(assert (<= (* 3 X_0) 1))(assert (>= (* -3 X_0) -5))(assert (<= 0 (+ X_0 1)))") == "box[-1,1/3] case0");
  CHECK(box("(assert (<= X_0 1e30))(assert (<= X_0 1000000000000000000000000000000))(assert (>= X_0 -1e-30))") ==
        "box[-1/1000000000000000000000000000000,1000000000000000000000000000000] case0");
  CHECK(box("(assert (<= (- X_0 X_0) 0))(assert (<= 0 X_0))(assert (>= 1 X_0))") == "box[0,1] case0");
}

TEST_CASE("or is a concatenation, and a product, the right side fastest") {
  CHECK(cases("(assert (or (and (<= Y_0 1) (<= Y_1 2)) (>= Y_0 3)))") ==
        "case0{<= 0:1 -1}{<= 1:1 -2} case0{<= 0:-1 3}");
  CHECK(cases("(assert (or (<= Y_0 1) (<= Y_0 2)))(assert (or (<= Y_1 3) (<= Y_1 4)))") ==
        "case0{<= 0:1 -1}{<= 1:1 -3} case0{<= 0:1 -1}{<= 1:1 -4} case0{<= 0:1 -2}{<= 1:1 -3} case0{<= 0:1 -2}{<= 1:1 "
        "-4}");
  CHECK(cases("(assert (and (or (<= Y_0 1) (<= Y_0 2)) (<= Y_1 9) (or (<= Y_1 3) (<= Y_1 4))))") ==
        "case0{<= 0:1 -1}{<= 1:1 -9}{<= 1:1 -3} case0{<= 0:1 -1}{<= 1:1 -9}{<= 1:1 -4} "
        "case0{<= 0:1 -2}{<= 1:1 -9}{<= 1:1 -3} case0{<= 0:1 -2}{<= 1:1 -9}{<= 1:1 -4}");
  CHECK(cases("(assert (or (and (or (<= Y_0 1) (<= Y_0 2)) (<= Y_1 9) (or (<= Y_1 3) (<= Y_1 4))) (<= Y_0 7)))") ==
        "case0{<= 0:1 -1}{<= 1:1 -9}{<= 1:1 -3} case0{<= 0:1 -1}{<= 1:1 -9}{<= 1:1 -4} "
        "case0{<= 0:1 -2}{<= 1:1 -9}{<= 1:1 -3} case0{<= 0:1 -2}{<= 1:1 -9}{<= 1:1 -4} case0{<= 0:1 -7}");
  CHECK(cases("(assert (or (or (<= Y_0 1)) (and (and (<= Y_0 2)))))") == "case0{<= 0:1 -1} case0{<= 0:1 -2}");
}

TEST_CASE("rows beside an or keep the order of the file") {
  CHECK(cases("(assert (<= Y_0 5))(assert (or (<= Y_1 1) (<= Y_1 2)))(assert (<= Y_0 6))") ==
        "case0{<= 0:1 -5}{<= 1:1 -1}{<= 0:1 -6} case0{<= 0:1 -5}{<= 1:1 -2}{<= 0:1 -6}");
}

TEST_CASE("boxes are shared and numbered by first appearance") {
  const std::string both =
      "(assert (or (and (<= X_0 0) (<= Y_0 1)) (and (>= X_0 0) (<= Y_0 2)) (and (< X_0 0.0) (<= Y_0 3)) "
      "(and (<= X_0 0e5) (<= Y_0 4)) (and (<= X_0 9) (<= Y_0 5))))";
  CHECK(rows(both) ==
        "box[-1,0][-1,1] box[0,1][-1,1] box[-1,0!][-1,1] box[-1,1][-1,1] "
        "case0{<= 0:1 -1} case1{<= 0:1 -2} case2{<= 0:1 -3} case0{<= 0:1 -4} case3{<= 0:1 -5}");
  // An empty case gives no box.
  CHECK(rows("(assert (or (and (>= X_0 2) (<= Y_0 1)) (and (>= X_0 0) (<= Y_0 2))))") ==
        "box[0,1][-1,1] case0{<= 0:1 -2} dropped1");
  // Boxes in the disjunction only.
  CHECK(read(two_by_two + "(assert (or (and (>= X_0 0)(<= X_0 1)(>= X_1 0)(<= X_1 1)(>= Y_0 2))"
                          "(and (>= X_0 2)(<= X_0 3)(>= X_1 0)(<= X_1 1)(<= Y_0 -2))))") ==
        "box[0,1][0,1] box[2,3][0,1] case0{<= 0:-1 2} case1{<= 0:1 2}");
}

TEST_CASE("many disjuncts with long boxes share equal ones") {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "(declare-const X_" + std::to_string(i) + " Real)";
  text += "(declare-const Y_0 Real)(assert (or ";
  for (int k = 0; k < 300; ++k) {
    text += "(and (<= Y_0 " + std::to_string(k) + ")";
    for (int i = 0; i < 40; ++i) {
      const std::string x = "X_" + std::to_string(i), least = std::to_string(i == 17 ? k % 7 : i);
      text += "(>= " + x + " " + least + (k % 2 ? ".0)" : ")") + "(<= " + x + " 50)";
    }
    text += ")";
  }
  const Property p = read_vnnlib(text + "))", "f", 40, 1);
  REQUIRE(p.cases.size() == 300);
  REQUIRE(p.boxes.size() == 7);
  for (std::size_t k = 0; k < 300; ++k) {
    REQUIRE(p.cases[k].box == k % 7);
    REQUIRE(p.boxes[p.cases[k].box][17].lo == Fraction(BigInt(static_cast<int>(k % 7))));
    REQUIRE(p.boxes[p.cases[k].box][39].lo == Fraction(39));
  }
}

TEST_CASE("empty cases are dropped, an empty property is vacuous") {
  CHECK(cases("(assert (<= 1 2))(assert (<= Y_0 0))") == "case0{<= 0:1 0}");
  CHECK(cases("(assert (<= 2 1))(assert (<= Y_0 0))") == "dropped1 vacuous");
  CHECK(cases("(assert (or (< 1 1) (<= Y_0 0) (== 1 1.0) (= 1 2)))") == "case0{<= 0:1 0} case0 dropped2");
  CHECK(cases("(assert (<= Y_0 0))(assert (>= Y_0 1))") == "dropped1 vacuous");
  CHECK(cases("(assert (<= Y_0 1))(assert (>= Y_0 1))") == "case0{<= 0:1 -1}{<= 0:-1 1}");
  CHECK(cases("(assert (<= Y_0 1))(assert (> Y_0 1))") == "dropped1 vacuous");
  CHECK(cases("(assert (<= (* 3 Y_0) 1))(assert (>= (* 6 Y_0) 2))") == "case0{<= 0:3 -1}{<= 0:-3 1}");
  CHECK(cases("(assert (<= (* 3 Y_0) 1))(assert (> (* 6 Y_0) 2))") == "dropped1 vacuous");
  CHECK(cases("(assert (or (<= Y_0 0) (<= Y_1 0)))(assert (>= Y_0 1))") == "case0{<= 1:1 0}{<= 0:-1 1} dropped1");
  CHECK(cases("(assert (<= Y_0 Y_1))(assert (> Y_0 Y_1))") == "case0{<= 0:1 1:-1 0}{< 0:-1 1:1 0}");
  CHECK(read(two_by_two + unit_box) == "box[-1,1][-1,1] case0");
}

TEST_CASE("what is refused, where and with which code") {
  const struct {
    const char *text, *expected;
  } faults[] = {
      {"(assert (<= Y_0 1)", "malformed f:9:19: vnnlib.syntax"},
      {"(assert (<= Y_0 1)))", "malformed f:9:20: vnnlib.syntax"},
      {"(assert ((<= Y_0 1)))", "malformed f:9:10: vnnlib.operator"},
      {"(assert (<= Y_0))", "malformed f:9:16: vnnlib.arity"},
      {"(assert (<=))", "malformed f:9:12: vnnlib.arity"},
      {"(assert (<= Y_0 1 2))", "malformed f:9:19: vnnlib.arity"},
      {"(assert (and))", "malformed f:9:13: vnnlib.arity"},
      {"(assert (or))", "malformed f:9:12: vnnlib.arity"},
      {"(assert (<= (+) 1))", "malformed f:9:15: vnnlib.arity"},
      {"(assert)", "malformed f:9:8: vnnlib.syntax"},
      {"(assert (<= Y_0 1) (<= Y_0 2))", "malformed f:9:20: vnnlib.syntax"},
      {"(assert Y_0)", "malformed f:9:9: vnnlib.syntax"},
      {"(assert true)", "malformed f:9:9: vnnlib.syntax"},
      {"(assert (not (<= Y_0 1)))", "malformed f:9:10: vnnlib.operator"},
      {"(assert (=> (<= Y_0 1) (<= Y_0 2)))", "malformed f:9:10: vnnlib.operator"},
      {"(assert (distinct Y_0 1))", "malformed f:9:10: vnnlib.operator"},
      {"(assert (<= (<= Y_0 1) 2))", "malformed f:9:14: vnnlib.syntax"},
      {"(assert (or Y_0 (<= Y_0 2)))", "malformed f:9:13: vnnlib.syntax"},
      {"(assert (<= Z_0 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= x_0 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_01 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_ 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_-1 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_1e0 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_2 1))", "malformed f:9:13: vnnlib.size"},
      {"(assert (<= X_18446744073709551616 1))", "malformed f:9:13: vnnlib.size"},
      {"(assert (<= Y_4294967296 1))", "malformed f:9:13: vnnlib.size"},
      {"(assert (<= Y_0 nan))", "malformed f:9:17: vnnlib.symbol"},
      {"(assert (<= Y_0 inf))", "malformed f:9:17: vnnlib.symbol"},
      {"(assert (<= Y_0 -inf))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 1,5))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 1.0.0))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 --1.0))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 - 1))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 0x10))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 1/3))", "malformed f:9:17: vnnlib.number"},
      {"(assert (<= Y_0 (/ 1 3)))", "unsupported f:9:18: vnnlib.nonlinear"},
      {"(assert (<= Y_0 (max 1 3)))", "malformed f:9:18: vnnlib.syntax"},
      {"(assert (<= (* Y_0 Y_1) 1))", "unsupported f:9:20: vnnlib.nonlinear"},
      {"(assert (<= (* (+ Y_0 1) X_0) 1))", "unsupported f:9:26: vnnlib.nonlinear"},
      {"(assert (<= (0.74 (- Y_0 1))))", "malformed f:9:14: vnnlib.syntax"},
      {"(assert (<= Y_0 1e20001))", "limit f:9:17: vnnlib.number"},
      {"(declare-const X_0 Real)", "malformed f:9:16: vnnlib.declared"},
      {"(declare-const X_2 Real)", "malformed f:9:16: vnnlib.size"},
      {"(declare-const N_0 Real)", "malformed f:9:16: vnnlib.symbol"},
      {"(declare-const X_0 Int)", "malformed f:9:16: vnnlib.declared"},
      {"(declare-const)", "malformed f:9:15: vnnlib.symbol"},
      {"(check-sat)", "malformed f:9:2: vnnlib.command"},
      {"(include \"a\")", "malformed f:9:2: vnnlib.command"},
      {"()", "malformed f:9:2: vnnlib.command"},
      {"text", "malformed f:9:1: vnnlib.syntax"},
      {"(vnnlib-version <2.0>)", "unsupported f:9:2: vnnlib.version"},
      {"(declare-network f (declare-input X Real [2]))", "unsupported f:9:2: vnnlib.version"},
      {"(assert (<=X_0 1))", "malformed f:9:10: vnnlib.operator"},
      {"(assert (<= |X_0| 1))", "malformed f:9:13: vnnlib.symbol"},
      {"(assert (<= X_0 \xc2\xa0"
       "1))",
       "malformed f:9:17: vnnlib.symbol"},
      {"(assert (<= Y_0 Y_1)) ; fine\n\xef\xbb\xbf", "malformed f:10:1: vnnlib.syntax"},
  };
  for (const auto& f : faults) {
    const std::string found = fault(f.text);
    CAPTURE(f.text);
    CAPTURE(found);
    CHECK(found.rfind(f.expected, 0) == 0);
    CHECK(has(found, "expected"));
    CHECK(has(found, "found"));
  }
  CHECK(has(read("\xef\xbb\xbf" + two_by_two + unit_box), "f:1:1: vnnlib.syntax"));
  CHECK(has(read(std::string("(assert \0(<= Y_0 1))", 20)), "f:1:9: vnnlib.syntax"));
  CHECK(has(read("(declare-const X_0 Int)"), "vnnlib.type"));
  CHECK(has(read("(declare-fun X_0 (Real) Real)"), "f:1:19: vnnlib.syntax"));
  CHECK(has(read("(assert (<= X_0 1))"), "f:1:13: vnnlib.undeclared"));
}

TEST_CASE("declarations must be the model's, every input bounded in every case") {
  CHECK(has(read(two_by_two + unit_box, 3, 2), "X_2 is not declared"));
  CHECK(has(read(two_by_two + unit_box, 2, 3), "Y_2 is not declared"));
  CHECK(has(read(two_by_two + unit_box, 1, 2), "f:2:16: vnnlib.size"));
  CHECK(has(read("(declare-const X_0 Real)(declare-const X_2 Real)(declare-const Y_0 Real)", 3, 1),
            "X_1 is not declared"));
  CHECK(has(read(""), "X_0 is not declared"));
  CHECK(has(read("  ; only a comment"), "X_0 is not declared"));
  CHECK(has(read(two_by_two + "(assert (<= X_0 1))(assert (>= X_0 0))(assert (>= X_1 0))"),
            "vnnlib.unbounded: X_1 has no upper"));
  CHECK(has(read(two_by_two + "(assert (<= X_1 1))(assert (>= X_1 0))"), "vnnlib.unbounded: X_0 has no lower"));
  CHECK(has(read(two_by_two + "(assert (<= X_1 1))(assert (>= X_1 0))(assert (>= X_0 0))"
                              "(assert (or (<= X_0 1) (<= Y_0 1)))"),
            "vnnlib.unbounded: X_0 has no upper"));
}

TEST_CASE("rows over inputs and outputs, or several inputs, are unsupported; the first is named") {
  CHECK(has(fault("(assert (<= Y_0 1))\n(assert (<= X_0 Y_0))\n(assert (<= 1"), "unsupported f:10:20: vnnlib.mixed"));
  CHECK(has(fault("(assert (or (<= Y_0 1) (== (+ X_0 X_1) 0)))"), "unsupported f:9:41: vnnlib.mixed"));
  CHECK(cases("(assert (<= (+ X_0 Y_0) (+ X_0 1)))") == "case0{<= 0:1 -1}");
}

TEST_CASE("limits are met before memory and time are used") {
  const std::clock_t start = std::clock();
  std::string blowup, wide = "(assert (or", many;
  for (int i = 0; i < 60; ++i) blowup += "(assert (or (<= Y_0 " + std::to_string(i) + ") (<= Y_1 2)))";
  CHECK(has(fault(blowup), "limit f:9:"));
  CHECK(has(fault(blowup), "vnnlib.cases"));
  std::string inner;
  for (int i = 0; i < 60; ++i) inner += "(or (<= Y_0 1) (<= Y_1 2))";
  CHECK(has(fault("(assert (or (<= Y_0 1) (and " + inner + ")))"), "vnnlib.cases"));
  for (int i = 0; i < 1000001; ++i) wide += "(< Y_0 1)";
  CHECK(has(fault(wide + "))"), "vnnlib.cases"));
  CHECK(has(fault("(assert " + std::string(300, '(')), "vnnlib.operator"));
  std::string ands, sums;
  for (int i = 0; i < 300; ++i) ands += "(and ", sums += "(+ ";
  CHECK(has(fault("(assert " + ands), "vnnlib.depth"));
  CHECK(has(fault("(assert (<= " + sums), "vnnlib.depth"));
  CHECK(has(fault("(assert (<= Y_0 " + std::string(70000, '1') + "))"), "vnnlib.token"));
  CHECK(has(fault("(assert (<= Y_0 " + std::string(20000, '1') + "))"), "limit f:9:17: vnnlib.number"));
  std::string product = "(assert (<= (*";
  for (int i = 0; i < 100; ++i) product += " 1e20000";
  CHECK(has(fault(product + ") Y_0))"), "limit f:9:"));
  for (int i = 0; i < 2000; ++i) many += "(assert (<= Y_0 1e-" + std::to_string(20000 - i) + "))";
  CHECK(has(fault(many), "vnnlib.work"));
  CHECK(rows("(assert (<= Y_0 1e-20000))") == "box[-1,1][-1,1] case0{<= 0:1" + std::string(20000, '0') + " -1}");
  // About one second of processor time; much more means that a limit came too late.
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 30);
}

TEST_CASE("the digest of the text is kept") {
  const std::string text = two_by_two + unit_box;
  CHECK(read_vnnlib(text, "f", 2, 2).file_sha256 ==
        sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

TEST_CASE("outside files: syntax collection, hostile files, benchmark files") {
  const std::filesystem::path syntax = outside() / "vnncomp" / "vnnlib_syntax";
  if (!std::filesystem::exists(syntax)) {
    MESSAGE("SKIPPED: no outside cases (OUTWARD_CASES)");
    return;
  }
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(syntax)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".vnnlib" || name == "v2_reject_empty_file.vnnlib") continue;
    const Bytes bytes = read_file(entry.path().string());
    const std::string found = read(std::string(bytes.begin(), bytes.end()));
    CAPTURE(name);
    CAPTURE(found);
    const bool refused = found.rfind("malformed", 0) == 0, unsupported = found.rfind("unsupported", 0) == 0;
    const bool mixed = name == "v1_accept_input_output_linear.vnnlib";
    if (name.rfind("v1_accept", 0) == 0) CHECK((mixed ? unsupported : !refused && !unsupported));
    if (name.rfind("v1_reject", 0) == 0) CHECK(refused);
    if (name.rfind("v2_", 0) == 0) CHECK((refused || unsupported));
    ++seen;
  }
  CHECK(seen > 60);
  std::ifstream expected(outside() / "hostile" / "expected.csv");
  std::string line;
  int hostile = 0;
  while (std::getline(expected, line)) {
    const std::string name = line.substr(0, line.find(','));
    if (name.size() < 7 || name.substr(name.size() - 7) != ".vnnlib") continue;
    const Bytes bytes = read_file((outside() / "hostile" / name).string());
    const std::string found = read(std::string(bytes.begin(), bytes.end()), 2, 1);
    CAPTURE(name);
    CAPTURE(found);
    const bool refused = has(found, "vnnlib.");
    if (has(line, ",refused,")) CHECK(refused);
    if (has(line, ",accepted,")) CHECK_FALSE(refused);
    if (has(line, ",vacuous,")) CHECK((refused || has(found, "vacuous")));
    ++hostile;
  }
  CHECK(hostile > 15);
  int benchmarks = 0;
  for (const char* folder : {"acasxu", "test", "collins_rul_cnn", "tllverifybench", "gen_fp_traps", "rl_benchmarks"}) {
    const std::filesystem::path files = outside() / "vnncomp" / folder / "vnnlib";
    if (!std::filesystem::exists(files)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(files)) {
      const Bytes bytes = read_maybe_gzip(entry.path().string());
      const std::string text(bytes.begin(), bytes.end());
      const auto [inputs, outputs] = declared(text);
      CAPTURE(entry.path().string());
      CHECK_NOTHROW(read_vnnlib(text, entry.path().string(), inputs, outputs));
      ++benchmarks;
    }
  }
  CHECK(benchmarks > 20);
}
