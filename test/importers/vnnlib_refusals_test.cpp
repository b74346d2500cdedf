// VNN-LIB 1.0: everything that is refused, with its code and place.
#include <doctest/doctest.h>
#include <zlib.h>

#include "importers/source/source.hpp"
#include "importers/vnnlib/vnnlib.hpp"

using namespace outward;

namespace {

const std::string head =
    "(declare-const X_0 Real)\n(declare-const Y_0 Real)\n(declare-const Y_1 Real)\n"
    "(assert (<= X_0 1))\n(assert (>= X_0 0))\n";  // five lines

// The blockers of a text read for one input and two outputs; empty if it is accepted.
std::vector<Blocker> blockers_of(const std::string& text, std::uint64_t inputs = 1, std::uint64_t outputs = 2) {
  try {
    parse_vnnlib(text, "f", inputs, outputs);
    return {};
  } catch (const InputRefused& refused) {
    return refused.blockers;
  }
}

void check_refused(const std::string& text, const std::string& code, const std::string& where) {
  CAPTURE(text.substr(0, 300));
  const auto blockers = blockers_of(text);
  REQUIRE(blockers.size() == 1);
  CHECK(blockers[0].code == code);
  CHECK(blockers[0].where == where);
  CHECK_FALSE(blockers[0].what.empty());
  CHECK_FALSE(blockers[0].expected.empty());
}

std::string gzip(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("the head alone is a property") { CHECK(blockers_of(head).empty()); }

TEST_CASE("malformed text is refused where it stands") {
  check_refused("", "empty-file", "f:1:1");
  check_refused(" ; only a comment", "empty-file", "f:1:18");
  check_refused(head + ")", "syntax", "f:6:1");
  check_refused(head + "x", "syntax", "f:6:1");
  check_refused(head + "(", "unknown-command", "f:6:2");
  check_refused(head + "(assert", "syntax", "f:6:8");
  check_refused(head + "(assert)", "syntax", "f:6:8");
  check_refused(head + "(assert true)", "syntax", "f:6:9");
  check_refused(head + "(assert (<= Y_0 1)", "syntax", "f:6:19");
  check_refused(head + "(assert (<= Y_0 1) (<= Y_1 1))", "syntax", "f:6:20");
  check_refused(head + "(assert (<= Y_0", "syntax", "f:6:16");
  check_refused(head + "(assert (<= Y_0 1)))", "syntax", "f:6:20");
  check_refused(head + "(assert ((<= Y_0 1)))", "syntax", "f:6:10");
  check_refused(head + "(assert ())", "syntax", "f:6:10");
  check_refused(head + "(assert (and))", "syntax", "f:6:13");
  check_refused(head + "(assert (or (and)))", "syntax", "f:6:17");
  check_refused(head + "(assert (<= Y_0))", "syntax", "f:6:10");
  check_refused(head + "(assert (<= 0 Y_0 1))", "syntax", "f:6:10");
  check_refused(head + "(assert (<= (+) Y_0))", "syntax", "f:6:14");
  check_refused(head + "(assert (<= (<= Y_0 1) 1))", "syntax", "f:6:14");
  check_refused(head + "(assert (<= (and Y_0 1) 1))", "syntax", "f:6:14");
  check_refused(head + "(assert (+ Y_0 1))", "syntax", "f:6:10");
  check_refused(head + "(assert (and Y_0))", "syntax", "f:6:14");
  check_refused(head + "(assert (not (<= Y_0 1)))", "unknown-operator", "f:6:10");
  check_refused(head + "(assert (=> (<= Y_0 1) (<= Y_1 1)))", "unknown-operator", "f:6:10");
  check_refused(head + "(assert (!= Y_0 1))", "unknown-operator", "f:6:10");
  check_refused(head + "(assert (<= (/ Y_0 2) 1))", "unknown-operator", "f:6:14");
  check_refused(head + "(assert (AND (<= Y_0 1)))", "unknown-operator", "f:6:10");
  check_refused(head + "(check-sat)", "unknown-command", "f:6:2");
  check_refused(head + "(Assert (<= Y_0 1))", "unknown-command", "f:6:2");
  check_refused(head + "(vnnlib-version <2.0>)", "missing-version", "f:6:2");
  check_refused(head + "(assert (<= Y_0 [1]))", "bad-character", "f:6:17");
  check_refused(head + "(assert (<= Y_0 \"1\"))", "bad-character", "f:6:17");
  check_refused(head + "(assert (<= Y_0 1,0))", "bad-character", "f:6:18");
  check_refused(head + std::string("(assert\0(<= Y_0 1))", 19), "bad-character", "f:6:8");
  check_refused(head + "(assert (\xe2\x89\xa4 Y_0 1))", "bad-character", "f:6:10");
  check_refused("\xef\xbb\xbf" + head, "byte-order-mark", "f:1:1");
}

TEST_CASE("numbers that are none, or over the limits") {
  for (const char* number : {"1.0.0", "--1", "+-1", "1e", "1e1.5", "0x10", "1f", "-.", "1/2", "-Y_0", "1e5e5"}) {
    check_refused(head + "(assert (<= Y_0 " + number + "))", "bad-number", "f:6:17");
  }
  for (const char* word : {"nan", "inf", "Infinity", "true", "Z_0", "x_0", "y_1", "*"}) {
    check_refused(head + "(assert (<= Y_0 " + word + "))", "unknown-symbol", "f:6:17");
  }
  check_refused(head + "(assert (<= Y_0 1e20001))", "number-too-large", "f:6:17");
  check_refused(head + "(assert (<= Y_0 1e-999999999999))", "number-too-large", "f:6:17");
  check_refused(head + "(assert (<= Y_0 0." + std::string(10001, '3') + "))", "number-too-large", "f:6:17");
  CHECK(blockers_of(head + "(assert (<= Y_0 1e999))").empty());
  CHECK(blockers_of(head + "(assert (<= Y_0 0." + std::string(9999, '3') + "))").empty());
  check_refused(head + "(assert (<= Y_0 " + std::string(70000, '1') + "))", "token-too-long", "f:6:17");
  std::string product = "(*";
  for (int i = 0; i < 10; ++i) product += " 1e20000";
  check_refused(head + "(assert (<= Y_0 " + product + ")))", "number-too-large", "f:6:18");
}

TEST_CASE("declarations") {
  check_refused("(declare-const X_0 Int)", "unsupported-type", "f:1:20");
  check_refused("(declare-const X_0 Real Real)", "syntax", "f:1:25");
  check_refused("(declare-const X0 Real)", "bad-name", "f:1:16");
  check_refused("(declare-const X_ Real)", "bad-name", "f:1:16");
  check_refused("(declare-const X_00 Real)", "bad-name", "f:1:16");
  check_refused("(declare-const X_-1 Real)", "bad-name", "f:1:16");
  check_refused("(declare-const Z_0 Real)", "bad-name", "f:1:16");
  check_refused("(declare-const X_18446744073709551617 Real)", "bad-name", "f:1:16");
  check_refused("(declare-const X_100000001 Real)", "bad-name", "f:1:16");
  check_refused("(declare-fun X_0 Real)", "syntax", "f:1:18");
  check_refused("(declare-fun X_0 (Real) Real)", "syntax", "f:1:19");
  check_refused(head + "(declare-const Y_1 Real)", "multiple-declaration", "f:6:16");
  check_refused(head + "(assert (<= Y_2 0))", "undeclared-variable", "f:6:13");
  check_refused(head + "(assert (<= Y_01 0))", "undeclared-variable", "f:6:13");
  check_refused("(declare-const X_0 Real)(assert (<= X_0 1))(assert (<= X_1 1))(declare-const X_1 Real)",
                "undeclared-variable", "f:1:56");
  // Every mismatch is named at once.
  const auto wrong = blockers_of(head, 3, 1);
  REQUIRE(wrong.size() == 2);
  CHECK(wrong[0].code == "wrong-input-count");
  CHECK(wrong[1].code == "wrong-output-count");
  CHECK(wrong[1].found == "2");
  const auto gap = blockers_of("(declare-const X_1 Real)(declare-const Y_2 Real)(declare-const Y_0 Real)", 1, 2);
  REQUIRE(gap.size() == 2);
  CHECK(gap[0].found == "X_0 is not declared");
  CHECK(gap[1].found == "Y_1 is not declared");
  REQUIRE(blockers_of("(declare-const X_0 Real)(assert (<= X_0 1))(assert (>= X_0 1))", 1, 0).size() == 1);
}

TEST_CASE("every input needs both bounds in every case") {
  const std::string names =
      "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(assert (<= X_0 1))";
  const auto blockers = blockers_of(names, 2, 1);
  REQUIRE(blockers.size() == 1);
  CHECK(blockers[0].code == "unbounded-input");
  CHECK(blockers[0].found == "X_0 has no lower bound, X_1 has no bounds");
  const std::string some = names + "(assert (>= X_0 0))(assert (or (and (<= X_1 1) (>= X_1 0)) (<= X_1 2)))";
  REQUIRE(blockers_of(some, 2, 1).size() == 1);
  CHECK(blockers_of(some, 2, 1)[0].found == "X_1 has no lower bound");
  CHECK(blockers_of(some + "(assert (>= X_1 -1))", 2, 1).empty());
}

TEST_CASE("nonlinear and mixed comparisons") {
  check_refused(head + "(assert (<= (* Y_0 Y_1) 1))", "nonlinear", "f:6:14");
  check_refused(head + "(assert (<= (* 2 (+ Y_0 1) (- X_0)) 1))", "nonlinear", "f:6:14");
  const std::string mixed = head + "(assert (<= Y_0 X_0))\n(assert (or (<= Y_0 0) (>= (- Y_1 (* 3.5 X_0)) 0)))";
  const auto blockers = blockers_of(mixed);
  REQUIRE(blockers.size() == 2);
  CHECK(blockers[0].code == "row-mixes-inputs-and-outputs");
  CHECK(blockers[0].where == "f:6:10");
  CHECK(blockers[1].where == "f:7:25");
  // … but the syntax is right, which is what `model property` asks.
  const VnnlibSummary summary = summarize_vnnlib_text(mixed, "f");
  CHECK(summary.unsupported_rows == 2);
  CHECK(summary.unsupported.size() == 2);
  CHECK(summary.digest.empty());
  CHECK(summary.inputs == 1);
  const std::string several =
      "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(assert (<= (+ X_0 X_1) 1))"
      "(assert (<= X_0 1))(assert (>= X_0 0))(assert (<= X_1 1))(assert (>= X_1 0))";
  REQUIRE(blockers_of(several, 2, 1).size() == 1);
  CHECK(blockers_of(several, 2, 1)[0].code == "row-with-several-inputs");
  std::string many = head;
  for (int i = 0; i < 30; ++i) many += "(assert (<= Y_0 X_0))";
  REQUIRE(blockers_of(many).size() == 20);
  CHECK(blockers_of(many)[19].found.find("10 more") != std::string::npos);
}

TEST_CASE("sizes are refused before they cost anything") {
  CHECK(blockers_of(std::string(300000, '('))[0].code == "unknown-command");
  std::string deep = head + "(assert ";
  for (int i = 0; i < 257; ++i) deep += "(and ";
  CHECK(blockers_of(deep)[0].code == "too-deep");
  std::string nested = head + "(assert ", closing;
  for (int i = 0; i < 255; ++i) {
    nested += "(and ";
    closing += ")";
  }
  CHECK(blockers_of(nested + "(<= Y_0 1)" + closing + ")").empty());
  // 2^k cases.
  std::string blowup = head;
  for (int i = 0; i < 60; ++i) blowup += "(assert (or (<= Y_0 1) (<= Y_1 1)))\n";
  CHECK(blockers_of(blowup)[0].code.rfind("too-many", 0) == 0);
  std::string wide = head + "(assert (and";
  for (int i = 0; i < 64; ++i) wide += "(or (<= X_0 1) (<= X_0 2))";
  CHECK(blockers_of(wide + "))")[0].code == "too-many-cases");
  // Few cases, but each with very many rows.
  std::string rows = head;
  for (int i = 0; i < 2000; ++i) rows += "(assert (<= Y_0 " + std::to_string(i) + "))";
  for (int i = 0; i < 14; ++i) rows += "(assert (or (<= Y_0 1) (<= Y_1 1)))";
  CHECK(blockers_of(rows)[0].code == "too-many-terms");
  // Long numbers, many times.
  std::string numbers = head;
  for (int i = 0; i < 150; ++i) numbers += "(assert (<= Y_0 1e" + std::to_string(20000 - i) + "))";
  CHECK(blockers_of(numbers)[0].code == "number-too-large");
}

TEST_CASE("gzip") {
  const std::string packed = gzip(head);
  CHECK(is_gzip(packed));
  CHECK(gunzip(packed, "g") == head);
  const auto code = [](const std::string& bytes) -> std::string {
    try {
      gunzip(bytes, "g");
      return "";
    } catch (const InputRefused& refused) {
      return refused.blockers.at(0).code;
    }
  };
  CHECK(code(packed) == "");
  CHECK(code(packed + packed) == "gzip-members");
  CHECK(code(packed + "x") == "gzip-members");
  CHECK(code(packed.substr(0, packed.size() - 1)) == "gzip-damaged");
  CHECK(code(packed.substr(0, 12)) == "gzip-damaged");
  std::string damaged = packed;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);
  CHECK(code(damaged) == "gzip-damaged");
  CHECK(code(gzip(std::string(8 << 20, ' '))) == "gzip-ratio");
  CHECK(code(gzip(std::string(1 << 20, ' '))) == "");
}

TEST_CASE("files that cannot be read") {
  CHECK_THROWS_AS(read_vnnlib("/nonexistent/p.vnnlib", 1, 1), InputRefused);
  CHECK_THROWS_AS(read_vnnlib("/", 1, 1), InputRefused);
  CHECK_THROWS_AS(read_vnnlib("/dev/zero", 1, 1), InputRefused);
}
