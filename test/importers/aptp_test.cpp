// APTP proofs: what is read, what is refused, and whether boxes cover a box, against enumeration of cells.
#include "importers/aptp/aptp.hpp"

#include <doctest/doctest.h>

#include <random>

#include "formats/error.hpp"
#include "importers/source/source.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "test/importers/aptp_example.hpp"
#include "test/importers/cases.hpp"

using namespace outward;
using namespace outward::testing::aptp;

namespace {

AptpProof parse(const std::string& text) { return parse_aptp(text, "f", 2, 1); }
std::string with_tree(const std::string& other) { return declarations + neurons + conditions + other; }

// The code of the refusal and where it is; "" if there is none.
std::string refusal(const std::string& text) {
  try {
    parse(text);
    return "";
  } catch (const InputRefused& refused) {
    return refused.blockers.front().code + " " + refused.blockers.front().where;
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

CoverBox box(std::initializer_list<std::pair<int, int>> ends) {
  CoverBox out;
  std::uint64_t dimension = 0;
  for (const auto& [lo, hi] : ends) out[dimension++] = {Rational(lo), Rational(hi)};
  return out;
}

// Every cut is inside its part, and every leaf lies in the box that it names.
void check_tree(const CoverTree& tree, const CoverBox& whole, const std::vector<CoverBox>& boxes) {
  std::vector<std::pair<std::uint32_t, CoverBox>> open = {{0, whole}};
  while (!open.empty()) {
    const auto [index, part] = open.back();
    open.pop_back();
    const CoverTree::Part& p = tree.parts[index];
    if (!p.is_cut) {
      for (const auto& [dimension, range] : boxes[p.box]) {
        const auto mine = part.find(dimension);
        const CoverRange own = mine == part.end() ? CoverRange{} : mine->second;
        CHECK((!range.lo || (own.lo && *range.lo <= *own.lo)));
        CHECK((!range.hi || (own.hi && *own.hi <= *range.hi)));
      }
      continue;
    }
    CoverBox upper = part, lower = part;
    CHECK((!part.contains(p.dimension) || !part.at(p.dimension).lo || *part.at(p.dimension).lo < p.at));
    CHECK((!part.contains(p.dimension) || !part.at(p.dimension).hi || p.at < *part.at(p.dimension).hi));
    upper[p.dimension].lo = lower[p.dimension].hi = p.at;
    open.push_back({p.first_half, upper});
    open.push_back({p.first_half + 1, lower});
  }
}

}  // namespace

TEST_CASE("an APTP proof is its query and its leaves") {
  const AptpProof proof = parse(good);
  CHECK(proof.neurons == 2);
  CHECK(proof.only_neurons);
  CHECK(property_digest(proof.query) == property_digest(parse_vnnlib(declarations + conditions, "f", 2, 1)));
  CHECK(proof.query.file_sha256 == parse(good).query.file_sha256);
  CHECK(proof.query.file_sha256 != parse(good + "\n").query.file_sha256);  // of the whole file
  REQUIRE(proof.leaves.size() == 3);
  CHECK(proof.leaves[0].size() == 1);
  CHECK(*proof.leaves[0].at(3).hi == 0);  // N_2 <= 0: closed
  CHECK(!proof.leaves[0].at(3).lo);
  CHECK(*proof.leaves[1].at(2).lo == 0);
  CHECK(*proof.leaves[2].at(2).hi == 0);
  CHECK(cover({}, proof.leaves).parts.size() == 5);
  CHECK(parse(with_tree("(assert (or (>= N_1 0) (and (<= N_1 -1.5e1))))")).leaves[1].at(2).hi == Rational(-15));
  CHECK(parse(with_tree("(assert (or (and)))")).leaves[0].empty());
  const AptpProof mixed = parse(with_tree("(assert (or (and (>= X_0 0) (<= X_0 0.5) (> X_0 0.25)) (< N_1 0)))"));
  CHECK(!mixed.only_neurons);
  CHECK(*mixed.leaves[0].at(0).lo == Rational(1, 4));
  CHECK(*mixed.leaves[0].at(0).hi == Rational(1, 2));
  // Without neurons the file is VNN-LIB, and the leaves are its cases.
  const AptpProof inputs =
      parse(declarations + conditions + "(assert (or (and (>= X_0 0) (<= X_1 0.5)) (and (<= X_0 0))))");
  CHECK(inputs.neurons == 0);
  REQUIRE(inputs.leaves.size() == 2);
  CHECK(*inputs.leaves[0].at(1).lo == Rational(-1, 1000));
  CHECK(*inputs.leaves[0].at(1).hi == Rational(1, 2));
}

TEST_CASE("texts that are no APTP proof are refused with their place by the importer") {
  const auto refuses = [](const std::string& text, const std::string& expected) {
    INFO(refusal(text));
    return refusal(text).starts_with(expected);
  };
  CHECK(refusal(good) == "");
  CHECK(refuses(declarations + neurons + conditions, "aptp-tree"));
  CHECK(refuses("", "aptp-tree"));
  CHECK(refuses(with_tree(leaves + leaves), "aptp-tree f:12:1"));
  CHECK(refuses(good.substr(0, good.size() - 2), "syntax"));
  CHECK(refuses(good + ")", "syntax"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_3 0))))"), "aptp-neuron f:9:22"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_0 0))))"), "aptp-neuron"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_01 0))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_18446744073709551617 0))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= 0 N_1))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (= N_1 0))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 N_2))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 nan))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0 0))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (and (>= N_1 0)))))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= X_2 0))))"), "undeclared-variable"));
  CHECK(refuses(with_tree("(assert (or))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0))) (<= X_0 0))"), "aptp-tree"));
  CHECK(refuses(with_tree("(assert (>= N_1 0))" + leaves), "aptp-neuron"));
  CHECK(refuses(with_tree("(assert (or (and (>= N_1 0)) (and (<= Y_0 0))))"), "aptp-mixed"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1 LeakyReLU"), "unsupported-pwl"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1"), "unsupported-pwl"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_1 ReLU ReLU"), "syntax"));
  CHECK(refuses(replaced(good, "N_1 ReLU", "N_2 ReLU"), "aptp-neuron"));
  CHECK(refuses(replaced(good, "N_2 ReLU", "N_4 ReLU"), "aptp-neuron"));
  CHECK(refusal(replaced(good, "(assert (<= X_0 1.0))", "")) != "");
  CHECK(refusal(replaced(good, "(assert (<= X_0 1.0))", "(check-sat)")) != "");
  CHECK(refusal(replaced(good, "Y_0 0.5", "Y_1 0.5")) != "");
}

TEST_CASE("small covers and gaps") {
  const CoverBox square = box({{0, 4}, {0, 4}});
  CHECK(!cover(square, {square}).missing);
  CHECK(!cover(square, {box({{0, 2}, {0, 4}}), box({{2, 4}, {-1, 9}})}).missing);
  CHECK(!cover(square, {{}}).missing);
  CHECK(cover(square, {}).missing);
  CHECK(cover(square, {box({{0, 2}, {0, 4}}), box({{3, 4}, {0, 4}})}).missing);
  // A flat box, or one that only touches, covers nothing of a square.
  CHECK(cover(square, {box({{0, 2}, {0, 4}}), box({{3, 3}, {0, 4}}), box({{4, 9}, {0, 4}})}).missing);
  CHECK(!cover(box({{3, 3}, {0, 4}}), {box({{0, 3}, {0, 2}}), box({{3, 9}, {2, 4}})}).missing);
  CHECK(cover(box({{3, 3}, {0, 4}}), {box({{0, 2}, {0, 4}}), box({{4, 9}, {0, 4}})}).missing);
  const CoverBox above{{0, {Rational(1, 2), {}}}}, below{{0, {{}, Rational(1, 2)}}}, far{{0, {{}, Rational(0)}}};
  CHECK(!cover({}, {above, below}).missing);
  const CoverTree gap = cover({}, {above, far});
  REQUIRE(gap.missing);
  CHECK(*gap.missing->at(0).lo == 0);
  CHECK(*gap.missing->at(0).hi == Rational(1, 2));
}

TEST_CASE("cover agrees with the enumeration of cells") {
  std::mt19937 random(5);
  int covered = 0, open = 0;
  for (int round = 0; round < 3000; ++round) {
    const int side = 2 + static_cast<int>(random() % 3), dimensions = 1 + static_cast<int>(random() % 3);
    CoverBox whole;
    for (int d = 0; d < dimensions; ++d) whole[static_cast<std::uint64_t>(d)] = {Rational(0), Rational(side)};
    std::vector<CoverBox> boxes;
    const int count = 1 + static_cast<int>(random() % 8);
    for (int b = 0; b < count; ++b) {
      CoverBox one;
      for (int d = 0; d < dimensions; ++d) {
        if (random() % 6 == 0) continue;
        CoverRange range;
        if (random() % 2) range.lo = Rational(static_cast<int>(random() % 4) - 1);
        if (random() % 2) range.hi = Rational(static_cast<int>(random() % 4) + side - 2);
        one[static_cast<std::uint64_t>(d)] = range;
      }
      boxes.push_back(one);
    }
    int cells = 1;
    for (int d = 0; d < dimensions; ++d) cells *= side;
    bool all = true;
    for (int cell = 0; cell < cells && all; ++cell) {
      all = std::any_of(boxes.begin(), boxes.end(), [&](const CoverBox& b) {
        int rest = cell;
        for (int d = 0; d < dimensions; ++d, rest /= side) {
          const auto it = b.find(static_cast<std::uint64_t>(d));
          if (it == b.end()) continue;
          if ((it->second.lo && *it->second.lo > rest % side) || (it->second.hi && *it->second.hi < rest % side + 1))
            return false;
        }
        return true;
      });
    }
    const CoverTree tree = cover(whole, boxes);
    CHECK(tree.missing.has_value() == !all);
    CHECK(tree.parts.empty() == !all);
    if (all) check_tree(tree, whole, boxes);
    (all ? covered : open) += 1;
  }
  CHECK(covered > 300);
  CHECK(open > 300);
}

TEST_CASE("outside APTP proofs: what is malformed is refused, what has a gap is not covered") {
  const std::string folder = outward_test::cases_folder("APTP proofs");
  if (folder.empty()) return;
  int read = 0, gaps = 0, refused = 0;
  for (const auto& row : outward_test::csv_rows(folder + "/certificates/aptp/expected.csv")) {
    const std::string file = folder + "/certificates/aptp/" + row.at("file"), expected = row.at("expected");
    const std::string text = read_source(file);
    const std::uint64_t inputs = text.find("X_2") != text.npos ? 3 : 2, outputs = text.find("Y_1") != text.npos ? 2 : 1;
    const bool wrong =
        expected == "unsupported" || (expected == "malformed" && row.at("file").find("too_many") == std::string::npos);
    try {
      const AptpProof proof = read_aptp(file, inputs, outputs);
      CHECK_MESSAGE(!wrong, file);
      ++read;
      CoverBox whole;
      if (proof.neurons == 0)
        for (std::uint64_t i = 0; i < inputs; ++i) whole[i] = {Rational(-1), Rational(1)};
      const bool gap = cover(whole, proof.leaves).missing.has_value();
      const bool expects_gap = expected == "reject" && row.at("reason").find("feasible") == std::string::npos;
      CHECK_MESSAGE(gap == expects_gap, file);
      gaps += gap;
    } catch (const InputRefused& error) {
      CHECK_MESSAGE(wrong, file << ": " << error.what());
      ++refused;
    }
  }
  CHECK(read > 20);
  CHECK(gaps > 8);
  CHECK(refused == 3);
}
