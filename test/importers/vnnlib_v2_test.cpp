// VNN-LIB 2.0: what the checker of syntax, scoping and typing accepts and refuses.
#include <doctest/doctest.h>

#include "importers/vnnlib/v2.hpp"
#include "importers/vnnlib/vnnlib.hpp"

using namespace outward;

namespace {

const std::string version = "(vnnlib-version <2.0>)\n";
const std::string network = version + "(declare-network f (declare-input X real [2,3]) (declare-output Y real []))\n";

std::string code_of(const std::string& text) {
  try {
    vnnlib::check_v2(text, "q");
    return "";
  } catch (const InputRefused& refused) {
    REQUIRE(refused.blockers.size() == 1);
    CHECK(refused.blockers[0].where.rfind("q:", 0) == 0);
    CHECK_FALSE(refused.blockers[0].expected.empty());
    return refused.blockers[0].code;
  }
}

std::string assertion(const std::string& text) { return code_of(network + "(assert " + text + ")"); }

std::string declared(const std::string& text) { return code_of(version + text + "(assert (<= X[0] 1.0))"); }

}  // namespace

TEST_CASE("accepted queries") {
  CHECK(assertion("(<= X[1,2] 1.0)") == "");
  CHECK(assertion("(and (or (<= X[0,0] -1.5) (!= Y 2.0)) (== (+ Y X[ 0 , 1 ]) (* X[0,0] X[0,0] 2.0)))") == "");
  CHECK(declared("(declare-network f (declare-input X float32 [1]) (declare-input Z int8 [4]) (declare-hidden H real "
                 "[2] \"n\") "
                 "(declare-output Y float32 [1]) (declare-output W float32 [1]))") == "");
  CHECK(declared("(declare-network f (declare-input X real [1]) (declare-output Y real [1]))"
                 "(declare-network g (equal-to f) (declare-input U real [1]) (declare-output V real [1]))") == "");
  const auto summary = vnnlib::check_v2(network + "(assert (<= Y 1))(assert (<= Y 1e3))", "q");
  CHECK(summary.version == "2.0");
  CHECK(summary.inputs == 6);
  CHECK(summary.outputs == 1);
  CHECK(summary.assertions == 2);
  REQUIRE(summary.networks.size() == 1);
  CHECK(summary.networks[0] == "f: input X real [2,3], output Y real []");
  CHECK(summary.notes.size() == 2);
}

TEST_CASE("refused queries, by error class") {
  CHECK(code_of("") == "syntax");
  CHECK(code_of("(declare-network f)") == "missing-version");
  CHECK(code_of("(vnnlib-version <1.0>)") == "major-version-mismatch");
  CHECK(code_of("(vnnlib-version 2.0)") == "syntax");
  CHECK(code_of("(vnnlib-version <2>)") == "syntax");
  CHECK(code_of(version) == "missing-network");
  CHECK(code_of(version + "(assert (<= X 1.0))") == "missing-network");
  CHECK(code_of(network + "(declare-const X_0 Real)") == "syntax");
  CHECK(assertion("(<= X[0,3] 1.0)") == "index-out-of-bounds");
  CHECK(assertion("(<= X[0,-1] 1.0)") == "index-out-of-bounds");
  CHECK(assertion("(<= X[0,99999999999999999999999] 1.0)") == "index-out-of-bounds");
  CHECK(assertion("(<= X[0] 1.0)") == "not-enough-indices");
  CHECK(assertion("(<= X 1.0)") == "not-enough-indices");
  CHECK(assertion("(<= X[0,0,0] 1.0)") == "too-many-indices");
  CHECK(assertion("(<= Y[0] 1.0)") == "invalid-scalar-access");
  CHECK(assertion("(<= X[0,0.5] 1.0)") == "syntax");
  CHECK(assertion("(<= X[0 0] 1.0)") == "syntax");
  CHECK(assertion("(<= X[] 1.0)") == "syntax");
  CHECK(assertion("(<= Z 1.0)") == "undeclared-variable");
  CHECK(assertion("(<= x[0,0] 1.0)") == "undeclared-variable");
  CHECK(assertion("(<= f 1.0)") == "variable-kind-mismatch");
  CHECK(assertion("(<= 0.0 1.0)") == "untypable");
  CHECK(assertion("(<= 0.0 Y 1.0)") == "syntax");
  CHECK(assertion("(<= Y)") == "syntax");
  CHECK(assertion("(= Y 1.0)") == "syntax");
  CHECK(assertion("(and)") == "syntax");
  CHECK(assertion("(and Y)") == "syntax");
  CHECK(assertion("(+ Y 1.0)") == "syntax");
  CHECK(assertion("(<= (<= Y 1.0) 1.0)") == "syntax");
  CHECK(assertion("(<= (/ Y 2.0) 1.0)") == "syntax");
  CHECK(assertion("(not (<= Y 1.0))") == "syntax");
  CHECK(assertion("(<= Y 1.0.0)") == "syntax");
  CHECK(assertion("(<= Y 1e99999)") == "number-too-large");
  CHECK(assertion("(<= Y 1.0) (<= Y 1.0)") == "syntax");
  CHECK(code_of(network + "(assert (<= Y 1.0)") == "syntax");
  CHECK(code_of(network + "(assert (<= Y 1.0)))") == "syntax");
  std::string deep = network + "(assert ";
  for (int i = 0; i < 300; ++i) deep += "(or ";
  CHECK(code_of(deep) == "too-deep");
}

TEST_CASE("declarations of networks") {
  const std::string x = "(declare-input X real [1])", y = "(declare-output Y real [1])";
  CHECK(declared("(declare-network f " + x + y + ")") == "");
  CHECK(declared("(declare-network f " + y + x + ")") == "syntax");
  CHECK(declared("(declare-network f " + x + ")") == "syntax");
  CHECK(declared("(declare-network f " + y + ")") == "syntax");
  CHECK(declared("(declare-network f " + x + y + "(declare-hidden H real [1] \"h\"))") == "syntax");
  CHECK(declared("(declare-network f " + x + "(declare-hidden H real [1])" + y + ")") == "syntax");
  CHECK(declared("(declare-network 1f " + x + y + ")") == "syntax");
  CHECK(declared("(declare-network X " + x + y + ")") == "multiple-declaration");
  CHECK(declared("(declare-network f " + x + x + y + ")") == "multiple-declaration");
  CHECK(declared("(declare-network f (declare-input X Float [1])" + y + ")") == "unknown-type");
  CHECK(declared("(declare-network f (declare-input X real 1)" + y + ")") == "syntax");
  CHECK(declared("(declare-network f (declare-input X real [1,])" + y + ")") == "syntax");
  CHECK(declared("(declare-network f (declare-input X real [0])" + y + ")") == "invalid-dimensions");
  CHECK(declared("(declare-network f (declare-input X real [65536,65536])" + y + ")") == "invalid-dimensions");
  CHECK(declared("(declare-network f (declare-input X real [1] \"open)" + y + ")") == "bad-string");
  const std::string f = "(declare-network f " + x + y + ")";
  const auto copy = [&](const std::string& relation, const std::string& u, const std::string& v) {
    return declared(f + "(declare-network g (" + relation + ")(declare-input U " + u + ")(declare-output V " + v +
                    "))");
  };
  CHECK(copy("equal-to f", "real [1]", "real [1]") == "");
  CHECK(copy("equal-to f", "real [2]", "real [1]") == "variable-shape-mismatch");
  CHECK(copy("equal-to f", "real [1]", "float32 [1]") == "type-mismatch");
  CHECK(copy("isomorphic-to f", "real [1]", "float32 [1]") == "");
  CHECK(copy("isomorphic-to f", "real [1]", "real []") == "variable-shape-mismatch");
  CHECK(copy("equal-to h", "real [1]", "real [1]") == "missing-network");
  CHECK(copy("equal-to g", "real [1]", "real [1]") == "missing-network");
  CHECK(copy("equal-to X", "real [1]", "real [1]") == "missing-network");
  const std::string g = "(declare-network g (equal-to f)(declare-input U real [1])(declare-output V real [1]))";
  CHECK(declared(f + g + "(declare-network h (equal-to g)(declare-input A real [1])(declare-output B real [1]))") ==
        "chained-relation");
  CHECK(declared(f + "(declare-network g (equal-to f)(declare-input U real [1])(declare-input A real "
                     "[1])(declare-output V real [1]))") == "variable-count-mismatch");
}

TEST_CASE("types") {
  const auto typed = [](const std::string& type, const std::string& comparison) {
    return code_of(version + "(declare-network f (declare-input X " + type + " [])(declare-output Y real []))(assert " +
                   comparison + ")");
  };
  for (const char* type : {"float16", "float32", "float64", "bfloat16"}) {
    CHECK(typed(type, "(<= X 1.5)") == "");
    CHECK(typed(type, "(<= X 5)") == "type-mismatch");
  }
  for (const char* type : {"int8", "int64"}) {
    CHECK(typed(type, "(<= X -5)") == "");
    CHECK(typed(type, "(<= X 5.0)") == "type-mismatch");
  }
  CHECK(typed("uint8", "(<= X 5)") == "");
  CHECK(typed("uint8", "(<= (+ X -5) 5)") == "type-mismatch");
  CHECK(typed("bool", "(== X 1)") == "type-mismatch");
  CHECK(typed("real", "(<= X 5)") == "");
  CHECK(typed("float32", "(<= X Y)") == "type-mismatch");
  CHECK(typed("int8", "(and (<= X 5) (<= Y 5.0))") == "");
}

TEST_CASE("verification of a version 2 query is refused by name, errors in it come first") {
  try {
    parse_vnnlib(network + "(assert (<= Y 1.0))", "q", 6, 1);
    FAIL("accepted");
  } catch (const InputRefused& refused) {
    CHECK(refused.blockers.at(0).code == "unsupported-vnnlib-2");
  }
  try {
    parse_vnnlib(network + "(assert (<= Y))", "q", 6, 1);
    FAIL("accepted");
  } catch (const InputRefused& refused) {
    CHECK(refused.blockers.at(0).code == "syntax");
  }
  CHECK(summarize_vnnlib_text(network + "(assert (<= Y 1.0))", "q").version == "2.0");
}
