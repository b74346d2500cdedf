// Marabou's JSON proofs: own small proofs and their broken neighbours, a random search for accepted proofs of queries
// that do have a solution, and the outside cases.
#include "checker/translate/marabou.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {

// "VALID", "INVALID: reason", or the class of the refusal and its text.
std::string verdict(const std::string& text) {
  try {
    const JsonText document = parse_json_text(text);
    const ForeignKind* kind = foreign_kind(document);
    if (kind == nullptr) return "UNKNOWN";
    CHECK(std::string(kind->name) == "Marabou proof");
    const Judgement j = kind->judge(document, {});
    CHECK(!j.statement.empty());
    if (!j.accepted) return "INVALID: " + (j.reasons.empty() ? "" : j.reasons.front());
    CHECK(!j.not_established.empty());
    CHECK(!j.established.empty());
    return "VALID";
  } catch (const ReadError& error) {
    static const char* const classes[] = {"MALFORMED: ", "UNSUPPORTED: ", "LIMIT: ", "IO: "};
    return classes[static_cast<int>(error.kind)] + std::string(error.what());
  }
}

bool says(const std::string& verdict, const std::string& word, const std::string& part) {
  return verdict.starts_with(word) && verdict.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// x0 in [-1, 1], x1 = b = x0, x2 = f = max(b, 0), x3 = aux = f - b (x4 = 0), x5 = y = f >= threshold.
std::string query(const std::string& threshold, const std::string& proof) {
  return R"({"tableau":[[{"var":1,"val":1.0},{"var":0,"val":-1.0}],
[{"var":2,"val":1},{"var":1,"val":-1},{"var":3,"val":-1},{"var":4,"val":-1}],
[{"var":5,"val":1},{"var":2,"val":-1}]],
"upperBounds":[1,4,4,4,0,9],"lowerBounds":[-1.0,-4,0,0,0,)" +
         threshold + R"(],
"constraints":[{"constraintType":0,"vars":[1,2,3,4]}],
"proof":)" +
         proof + "}";
}
const std::string upper_lemma =
    R"({"affVar":2,"affBound":"U","bound":1,"causVar":1,"causBound":"U","constraint":0,"expl":[{"var":0,"val":-1}]})";
const std::string by_lemma = R"({"lemmas":[)" + upper_lemma + R"(],"contradiction":[{"var":2,"val":-1}]})";
const std::string active = R"({"split":[{"var":1,"val":0,"bound":"L"},{"var":3,"val":0.0,"bound":"U"}],
"contradiction":[{"var":2,"val":-1},{"var":1,"val":-1},{"var":0,"val":-1}]})";
const std::string inactive = R"({"split":[{"var":1,"val":0,"bound":"U"},{"var":2,"val":-0.0,"bound":"U"}],
"contradiction":[{"var":2,"val":-1}]})";
std::string tree(const std::string& first, const std::string& second) {
  return R"({"children":[)" + first + "," + second + "]}";
}

// v0 = v1; the split on v0 at 0. Satisfiable at v0 = v1 = -0.7: the first leaf closes, the second does not.
std::string leak(bool infeasible_first) {
  const std::string closed = R"({"split":[{"var":0,"val":0.0,"bound":"L"}],"contradiction":[{"var":0,"val":-1.0}]})";
  const std::string not_closed = R"({"split":[{"var":0,"val":0.0,"bound":"U"}],"contradiction":[{"var":0,"val":-1}]})";
  return R"({"tableau":[[{"var":0,"val":1.0},{"var":1,"val":-1.0}]],"upperBounds":[1,-0.5],"lowerBounds":[-1,-2],
"constraints":[],"proof":)" +
         tree(infeasible_first ? closed : not_closed, infeasible_first ? not_closed : closed) + "}";
}

// A chain of splits x0 >= c | x0 <= c with falling c, `depth` deep; every leaf closes by the lemma at the root.
std::string chain(int depth) {
  std::string opening, closing;
  const std::string leaf = R"("contradiction":[{"var":2,"val":-1}])";
  for (int i = 0; i < depth; ++i) {
    const std::string c = "0." + std::to_string(2000 - i);
    opening += R"("children":[{"split":[{"var":0,"val":)" + c + R"(,"bound":"L"}],)" + leaf +
               R"(},{"split":[{"var":0,"val":)" + c + R"(,"bound":"U"}],)";
    closing += "}]";
  }
  return query("1.5", R"({"lemmas":[)" + upper_lemma + "]," + opening + leaf + closing + "}");
}

}  // namespace

TEST_CASE("Marabou proofs by lemma, by ReLU split and by the split of one variable") {
  CHECK(verdict(query("1.5", by_lemma)) == "VALID");
  CHECK(verdict(query("1.0000000000000000000000000000001", by_lemma)) == "VALID");
  CHECK(verdict(query("1.5", tree(active, inactive))) == "VALID");
  CHECK(verdict(query("1.5", tree(inactive, active))) == "VALID");
  CHECK(verdict(query("1.5", replaced(by_lemma, R"("bound":1,)", R"("bound":-7e3,)"))) == "VALID");
  const std::string side = R"("contradiction":[{"var":2,"val":-1}]})";
  const std::string low = R"({"split":[{"var":0,"val":0.25,"bound":"U"}],)" + side;
  const std::string high = R"({"split":[{"var":0,"val":0.250,"bound":"L"}],)" + side;
  CHECK(verdict(query("1.5", R"({"lemmas":[)" + upper_lemma + R"(],"children":[)" + low + "," + high + "]}")) ==
        "VALID");
  CHECK(verdict(query("9.5", R"({"contradiction":[5]})")) == "VALID");
}

TEST_CASE("a leaf that does not close is named with what it reaches") {
  CHECK(says(verdict(query("1", by_lemma)), "INVALID", "reaches 0, must be below 0"));
  CHECK(says(verdict(query("0.75", by_lemma)), "INVALID", "reaches 0.25"));
  CHECK(says(verdict(query("0.75", tree(active, inactive))), "INVALID", "does not close"));
  CHECK(says(verdict(query("1.5", replaced(by_lemma, R"([{"var":2,"val":-1}])", R"([{"var":2,"val":1}])"))), "INVALID",
             "does not close"));
  CHECK(says(verdict(query("1.5", replaced(by_lemma, R"([{"var":2,"val":-1}])", "[]"))), "INVALID", "reaches 0,"));
  CHECK(says(verdict(query("1.5", R"({"contradiction":[0]})")), "INVALID", "do not cross"));
  CHECK(says(verdict(query("9", R"({"contradiction":[5]})")), "INVALID", "do not cross"));
  CHECK(says(verdict(query("1.5", R"({"contradiction":[{"var":2,"val":-1}]})")), "INVALID", "does not close"));
}

TEST_CASE("the bounds of one child never reach its sibling") {
  CHECK(says(verdict(leak(true)), "INVALID", "does not close"));
  CHECK(says(verdict(leak(false)), "INVALID", "does not close"));
  // The lemma is proved in the first child and needed in the second.
  const std::string with = R"({"split":[{"var":0,"val":0,"bound":"L"}],"lemmas":[)" + upper_lemma +
                           R"(],"contradiction":[{"var":2,"val":-1}]})";
  const std::string without = R"({"split":[{"var":0,"val":0,"bound":"U"}],"contradiction":[{"var":2,"val":-1}]})";
  CHECK(says(verdict(query("1.5", tree(with, without))), "INVALID", "does not close"));
  CHECK(says(verdict(query("1.5", tree(without, with))), "INVALID", "does not close"));
  // The same two levels down.
  const std::string inner = R"({"split":[{"var":5,"val":3,"bound":"U"}],"children":[)" + with + "," +
                            replaced(with, R"("bound":"L"})", R"("bound":"U"})") + "]}";
  const std::string outer = R"({"split":[{"var":5,"val":3,"bound":"L"}],"contradiction":[{"var":2,"val":-1}]})";
  CHECK(says(verdict(query("1.5", tree(inner, outer))), "INVALID", "does not close"));
  CHECK(verdict(query("1.5", tree(inner, replaced(outer, R"("contradiction")",
                                                  R"("lemmas":[)" + upper_lemma + R"(],"contradiction")")))) ==
        "VALID");
}

TEST_CASE("lemmas follow a rule of one ReLU") {
  const auto with = [](const std::string& from, const std::string& to) {
    return verdict(query("1.5", replaced(by_lemma, from, to)));
  };
  CHECK(says(with(R"("affBound":"U")", R"("affBound":"L")"), "INVALID", "no rule"));
  CHECK(says(with(R"("causBound":"U")", R"("causBound":"L")"), "INVALID", "no rule"));
  CHECK(says(with(R"("affVar":2)", R"("affVar":3)"), "INVALID", "no rule"));
  CHECK(says(with(R"("affVar":2)", R"("affVar":5)"), "INVALID", "no rule"));
  CHECK(says(with(R"("affVar":2)", R"("affVar":1)"), "INVALID", "no rule"));
  CHECK(says(with(R"("causVar":1)", R"("causVar":0)"), "INVALID", "no rule"));
  CHECK(says(with(R"("causVar":1)", R"("causVar":5)"), "INVALID", "no rule"));
  // f >= 0 says nothing about aux, f >= 0.5 says aux <= 0, which with b = f - aux closes what b <= 0 leaves open.
  const std::string phase =
      R"({"affVar":3,"affBound":"U","bound":0,"causVar":2,"causBound":"L","constraint":0,"expl":)";
  CHECK(says(verdict(query("1.5", R"({"lemmas":[)" + phase + R"([]}],"contradiction":[{"var":2,"val":-1}]})")),
             "INVALID", "no rule"));
  CHECK(verdict(query("1.5", R"({"lemmas":[)" + phase + R"([{"var":2,"val":1}]}],"contradiction":[{"var":2,"val":-1},
{"var":1,"val":-1},{"var":0,"val":-1}]})")) == "VALID");
}

TEST_CASE("children that do not cover are rejected") {
  const auto invalid = [](const std::string& proof) {
    return says(verdict(query("1.5", proof)), "INVALID", "not known to cover");
  };
  CHECK(invalid(R"({"children":[)" + active + "]}"));
  CHECK(invalid(R"({"children":[]})"));
  CHECK(invalid(R"({"children":[)" + active + "," + inactive + "," + inactive + "]}"));
  CHECK(invalid(tree(active, active)));
  CHECK(invalid(tree(inactive, inactive)));
  CHECK(invalid(tree(replaced(active, R"("val":0,)", R"("val":0.001,)"), inactive)));
  CHECK(invalid(tree(active, replaced(inactive, R"({"var":2,)", R"({"var":5,)"))));
  CHECK(invalid(tree(active, replaced(inactive, R"("val":-0.0,)", R"("val":-0.1,)"))));
  CHECK(invalid(tree(replaced(active, R"({"var":3,)", R"({"var":2,)"), inactive)));
  CHECK(invalid(tree(active, replaced(inactive, R"("split")", R"("lemmas":[],"split")") + "," + active)));
  CHECK(invalid(tree(active, R"({"contradiction":[{"var":2,"val":-1}]})")));
  CHECK(invalid(tree(active, R"({"split":[],"contradiction":[{"var":2,"val":-1}]})")));
  const std::string side = R"("contradiction":[5]})";
  const auto half = [&](const char* variable, const char* value, const char* bound) {
    return R"({"split":[{"var":)" + std::string(variable) + R"(,"val":)" + value + R"(,"bound":")" + bound + "\"}]," +
           side;
  };
  CHECK(invalid(tree(half("0", "0", "L"), half("0", "-1e-30", "U"))));
  CHECK(invalid(tree(half("0", "0", "L"), half("5", "0", "U"))));
  CHECK(invalid(tree(half("0", "0", "L"), half("0", "0", "L"))));
  CHECK(says(verdict(query("1.5", "{}")), "INVALID", "neither children nor a contradiction"));
  CHECK(says(verdict(query("1.5", tree(R"({"split":[{"var":1,"val":0,"bound":"L"}]})", inactive))), "INVALID",
             "neither children nor a contradiction"));
  CHECK(says(verdict(query("1.5", R"({"split":[{"var":5,"val":0,"bound":"U"}],"contradiction":[5]})")), "INVALID",
             "the root has a split"));
}

TEST_CASE("files that are no Marabou proof of the known form are refused") {
  const std::string good = query("1.5", tree(active, inactive)), lemma = query("1.5", by_lemma);
  const auto refuses = [](const std::string& text, const std::string& part, const char* word = "MALFORMED") {
    return says(verdict(text), word, part);
  };
  CHECK(refuses(good.substr(0, good.size() - 3), "not JSON"));
  CHECK(refuses(replaced(good, R"("bound":"U"}],)", R"("bound":"U"}],,)"), "not JSON"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", R"([{"var":2,"val":NaN}])"), "not JSON"));
  CHECK(refuses(query("1.5,1", by_lemma), "7 lower and 6 upper"));
  CHECK(refuses(query("\"1.5\"", by_lemma), "expected a number"));
  CHECK(refuses(query("1e400000", by_lemma), "digits", "LIMIT"));
  CHECK(refuses(query("1e-400000", by_lemma), "digits", "LIMIT"));
  CHECK(refuses(replaced(good, R"({"var":2,"val":1})", R"({"var":6,"val":1})"), "from 0 to 6 - 1"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", R"([{"var":3,"val":-1}])"), "from 0 to 3 - 1"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", R"([{"var":-1,"val":-1}])"), "from 0 to"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", R"([{"var":18446744073709551616,"val":-1}])"), "from 0 to"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", R"([{"var":2,"val":-1},{"var":2,"val":-1}])"), "twice"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", "[6]"), "from 0 to 6 - 1"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", "[1.0]"), "from 0 to 6 - 1"));
  CHECK(refuses(replaced(good, R"([{"var":2,"val":-1}])", "[1,2]"), "expected an object"));
  CHECK(refuses(replaced(good, R"("children":)", R"("contradiction":[],"children":)"), "both children and"));
  CHECK(refuses(replaced(good, R"("children":)", R"("note":1,"children":)"), "unknown key"));
  CHECK(refuses(replaced(good, R"("split":[{)", R"("split":[{"x":0,)"), "unknown key"));
  CHECK(refuses(replaced(good, R"("bound":"L")", R"("bound":"l")"), "expected \"U\" or \"L\""));
  CHECK(refuses(replaced(good, R"([1,2,3,4])", "[1]"), "has the variables"));
  CHECK(refuses(replaced(good, R"([1,2,3,4])", "[1,1,3,4]"), "are not three"));
  CHECK(refuses(replaced(good, R"([1,2,3,4])", "[1,2,6,4]"), "from 0 to 6 - 1"));
  CHECK(refuses(replaced(lemma, R"("bound":1,)", ""), "\"bound\" is missing"));
  CHECK(refuses(replaced(lemma, R"("bound":1,)", R"("bound":"1",)"), "expected a number"));
  CHECK(refuses(replaced(lemma, R"("affVar":2)", R"("affVar":6)"), "from 0 to 6 - 1"));
  CHECK(refuses(replaced(lemma, R"("causVar":1)", R"("causVars":[1])"), "several causes", "UNSUPPORTED"));
  CHECK(refuses(replaced(lemma, R"("constraint":0)", R"("constraint":4)"), "other than ReLU", "UNSUPPORTED"));
  for (const char* type : {"1", "2", "3", "4", "5", "77"})
    CHECK(refuses(replaced(good, R"("constraintType":0)", R"("constraintType":)" + std::string(type)),
                  "only ReLU (0) has rules", "UNSUPPORTED"));
  CHECK(verdict(R"({"leaf":1})") == "UNKNOWN");
}

TEST_CASE("deep Marabou proofs are judged without recursion, too deep ones refused") {
  CHECK(verdict(chain(500)) == "VALID");
  CHECK(
      says(verdict(replaced(chain(500), "\"upperBounds\":[1,", "\"upperBounds\":[1.6,")), "INVALID", "does not close"));
  CHECK(says(verdict(chain(520)), "LIMIT", "json-depth=N"));
}

TEST_CASE("what a Marabou proof takes for granted is said") {
  const auto said = [](const std::string& text, const std::string& part) {
    const Judgement j = judge_marabou(parse_json_text(text), {});
    REQUIRE(j.accepted);
    for (const std::string& n : j.not_established)
      if (n.find(part) != std::string::npos) return true;
    return false;
  };
  CHECK(said(query("1.5", by_lemma), "encodes a given network"));
  CHECK(!said(query("1.5", by_lemma), "no row says so"));
  CHECK(said(replaced(query("1.5", by_lemma), R"({"var":3,"val":-1})", R"({"var":3,"val":-2})"), "x3 = x2 - x1"));
  CHECK(said(replaced(query("1.5", by_lemma), R"([1,4,4,4,0,9])", R"([1,4,4,4,1,9])"), "x3 = x2 - x1"));
  CHECK(!said(query("1.5", by_lemma), "empty to begin with"));
  CHECK(said(query("9.5", R"({"contradiction":[5]})"), "empty to begin with"));
}

// Numbers of sound proofs are changed at random; what is still accepted must have no solution on a fine grid of x0,
// where everything else follows exactly (all values are multiples of 1/64 far below 2^53).
TEST_CASE("no accepted mutant of a Marabou proof has a solution") {
  std::mt19937 random(7);
  int accepted = 0, satisfiable = 0;
  const std::vector<std::string> proofs = {by_lemma, tree(active, inactive), tree(inactive, active)};
  for (int round = 0; round < 6000; ++round) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const double threshold = pick(160) / 64.0, low = (pick(128) - 128) / 64.0, high = low + pick(192) / 64.0;
    const double b_low = (pick(256) - 256) / 64.0, b_high = pick(128) / 64.0, f_high = pick(192) / 64.0;
    const auto text = [](double v) { return std::to_string(v); };
    std::string proof = proofs[random() % proofs.size()];
    for (int change = pick(3); change > 0; --change) {  // one number of the proof becomes another
      std::vector<std::size_t> places;
      for (std::size_t at = proof.find("\"val\":"); at != std::string::npos; at = proof.find("\"val\":", at + 1))
        places.push_back(at + 6);
      const std::size_t from = places[random() % places.size()];
      const std::size_t to = proof.find_first_of(",}", from);
      proof.replace(from, to - from, text((pick(17) - 8) / 4.0));
    }
    std::string whole = replaced(query(text(threshold), proof), "[-1.0,-4,", "[" + text(low) + "," + text(b_low) + ",");
    whole = replaced(whole, "[1,4,4,4,0,9]", "[" + text(high) + "," + text(b_high) + "," + text(f_high) + ",4,0,9]");
    bool solution = false;
    for (double v = low; v <= high && !solution; v += 1 / 64.0) {
      const double f = v > 0 ? v : 0, aux = f - v;
      solution = v >= b_low && v <= b_high && f <= f_high && aux <= 4 && f >= threshold;
    }
    const std::string result = verdict(whole);
    satisfiable += solution, accepted += result == "VALID";
    if (solution) CHECK_MESSAGE(result != "VALID", whole);
  }
  CHECK(accepted > 100);
  CHECK(satisfiable > 500);
}

TEST_CASE("outside Marabou proofs") {
  const char* given = std::getenv("OUTWARD_CASES");
  const std::string folder = (given != nullptr ? given : std::string(OUTWARD_SOURCE_DIR) + "/../shared/cases") +
                             std::string("/certificates/marabou/");
  std::ifstream rows(folder + "expected.csv");
  if (!rows) {
    MESSAGE("SKIPPED: no outside cases (OUTWARD_CASES)");
    return;
  }
  const std::map<std::string, std::string> words = {
      {"accept", "VALID"}, {"reject", "INVALID"}, {"malformed", "MALFORMED"}, {"unsupported", "UNSUPPORTED"}};
  std::string line;
  std::getline(rows, line);
  int seen = 0;
  for (std::string file, kind, expected; std::getline(rows, line); ++seen) {
    std::istringstream fields(line);
    std::getline(fields, file, ','), std::getline(fields, kind, ','), std::getline(fields, expected, ',');
    std::ifstream in(folder + file);
    REQUIRE_MESSAGE(in, file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK_MESSAGE(verdict(text).starts_with(words.at(expected)), file << ": " << verdict(text));
  }
  CHECK(seen > 50);
}
