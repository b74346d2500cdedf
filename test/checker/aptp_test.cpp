// APTP proofs as the file of --property: the query is what is left without the tree; what is no such file is refused.
#include "checker/translate/aptp.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "checker/readers/readers.hpp"
#include "checker/report/identity.hpp"
#include "test/importers/aptp_example.hpp"

using namespace outward_check;
using namespace outward::testing::aptp;

namespace {

// The digest of the property, or the class of the refusal and its text.
std::string outcome(const std::string& text) {
  try {
    return property_digest(read_aptp_property(text, "f", 2, 1));
  } catch (const ReadError& error) {
    static const char* const classes[] = {"MALFORMED: ", "UNSUPPORTED: ", "LIMIT: ", "IO: "};
    return classes[static_cast<int>(error.kind)] + std::string(error.what());
  }
}

std::string with_tree(const std::string& other) { return declarations + neurons + conditions + other; }

bool refuses(const std::string& text, const std::string& part, const std::string& word = "MALFORMED") {
  const std::string result = outcome(text);
  INFO(result);
  return result.starts_with(word) && result.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("the query of an APTP proof is its text without neurons and tree") {
  const std::string digest = property_digest(read_vnnlib(declarations + conditions, "f", 2, 1));
  CHECK(outcome(good) == digest);
  CHECK(outcome(leaves + declarations + neurons + conditions) == digest);
  CHECK(outcome(with_tree("(assert (or (>= N_1 0) (and (<= N_1 0))))")) == digest);
  CHECK(outcome(with_tree("(assert (or (and)))")) == digest);
  CHECK(outcome(with_tree("(assert (or (and (>= X_0 0) (< N_1 -1e-5)) (and (<= X_0 0))))")) == digest);
  CHECK(outcome(with_tree("(assert (or (and (>= X_0 0)) (and (<= X_0 0))))")) == digest);
  CHECK(outcome(replaced(good, "0.5", "0.25")) != digest);
  CHECK(outcome(replaced(good, "(<= X_0 1.0)", "(<= X_0 2.0)")) != digest);
  // A disjunction over outputs is part of the query.
  const std::string either = "(assert (or (and (<= Y_0 0)) (and (>= Y_0 3))))\n";
  CHECK(outcome(with_tree(either + leaves)) ==
        property_digest(read_vnnlib(declarations + conditions + either, "f", 2, 1)));
  const AptpQuery query = read_aptp_query(good, "f");
  CHECK(query.neurons == 2);
  CHECK(query.leaves == 3);
  CHECK(query.vnnlib.size() == good.size());
  CHECK(query.vnnlib.find(conditions) == good.find(conditions));
  CHECK(query.vnnlib.find("N_") == std::string::npos);
}

TEST_CASE("APTP proofs are told by a command, not by a word") {
  CHECK(is_aptp_proof(good));
  CHECK(is_aptp_proof("(declare-pwl"));
  CHECK(is_aptp_proof("( ; declare\n declare-pwl N_1 ReLU)"));
  CHECK(!is_aptp_proof("; (declare-pwl N_1 ReLU)\n" + declarations + conditions));
  CHECK(!is_aptp_proof(declarations + conditions));
  CHECK(!is_aptp_proof("declare-pwl"));
  CHECK(!is_aptp_proof("(x-declare-pwl N_1 ReLU)"));
  CHECK(!is_aptp_proof(""));
}

TEST_CASE("texts that are no APTP proof are refused with their place") {
  CHECK(refuses(declarations + neurons + conditions, "no assertion"));
  CHECK(refuses(with_tree(leaves + leaves), "a second proof tree"));
  CHECK(refuses(good.substr(0, good.size() - 2), "not closed"));
  CHECK(refuses(good.substr(0, good.size() - 3), "not closed"));
  CHECK(refuses(good + ")", "expected ("));
  CHECK(refuses(good + "x", "expected ("));
  CHECK(refuses(with_tree("(assert (or (and (>= N_3 0))))"), "names N_3, declared are 2"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_0 0))))"), "count from 1"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_01 0))))"), "expected N_k or X_i"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_ 0))))"), "expected N_k or X_i"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_18446744073709551617 0))))"), "expected N_k or X_i"));
  CHECK(refuses(with_tree("(assert (or (and (>= 0 N_1))))"), "expected N_k or X_i"));
  CHECK(refuses(with_tree("(assert (or (and (= N_1 0))))"), "expected a comparison"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 N_2))))"), "expected a decimal"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 nan))))"), "expected a decimal"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0 0))))"), "expected )"));
  CHECK(refuses(with_tree("(assert (or (and (and (>= N_1 0)))))"), "expected a comparison"));
  CHECK(refuses(with_tree("(assert (or))"), "no disjunct"));
  CHECK(refuses(with_tree("(assert (or) (or (and (>= N_1 0))))"), "no disjunct"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0))) (<= X_0 0))"), "expected )"));
  CHECK(refuses(with_tree("(assert (and (>= N_1 0)))" + leaves), "outside the proof tree"));
  CHECK(refuses(with_tree("(assert (>= N_1 Y_0))" + leaves), "outside the proof tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0)) (and (<= Y_0 0))))"), "neurons and outputs", "UNSUPPORTED"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1 LeakyReLU"), "LeakyReLU", "UNSUPPORTED"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1"), "expected ReLU"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1 ReLU ReLU"), "expected )"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_2 ReLU"), "declaration of N_1"));
  CHECK(refuses(replaced(good, "N_2 ReLU", "N_3 ReLU"), "declaration of N_2"));
  CHECK(refuses(replaced(good, "N_2 ReLU", "X_2 ReLU"), "declaration of N_2"));
  CHECK(refuses(replaced(good, "(assert (<= X_0 1.0))", ""), "f:"));
  CHECK(refuses(replaced(good, "(assert (<= X_0 1.0))", "(check-sat)"), "vnnlib.command"));
  CHECK(refuses(replaced(good, "Y_0 0.5", "Y_1 0.5"), "f:9:"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0)) x))"), "f:9:30"));
}

TEST_CASE("outside APTP proofs as properties") {
  const char* given = std::getenv("OUTWARD_CASES");
  const std::string folder = (given != nullptr ? given : std::string(OUTWARD_SOURCE_DIR) + "/../shared/cases") +
                             std::string("/certificates/aptp/");
  std::ifstream rows(folder + "expected.csv");
  if (!rows) {
    MESSAGE("SKIPPED: no outside cases (OUTWARD_CASES)");
    return;
  }
  std::string line;
  std::getline(rows, line);
  int read = 0, refused = 0;
  for (std::string file, model, kind, expected; std::getline(rows, line);) {
    std::istringstream fields(line);
    for (std::string* field : {&file, &model, &kind, &expected}) std::getline(fields, *field, ',');
    std::ifstream in(folder + file);
    REQUIRE_MESSAGE(in, file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK_MESSAGE(is_aptp_proof(text) == (text.find("declare-pwl") != std::string::npos), file);
    if (!is_aptp_proof(text)) continue;
    // Only the text is judged here: how many neurons the network has, a reader of the query does not know.
    const bool wrong = expected == "unsupported" || (expected == "malformed" && file.find("too_many") == file.npos);
    try {
      read_aptp_query(text, file);
      CHECK_MESSAGE(!wrong, file);
      ++read;
    } catch (const ReadError& error) {
      CHECK_MESSAGE(wrong, file << ": " << error.what());
      CHECK((error.kind == ReadError::Class::unsupported) == (expected == "unsupported"));
      ++refused;
    }
  }
  CHECK(read > 10);
  CHECK(refused == 3);
}
