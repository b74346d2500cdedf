// What is left out of a proof: by hand, rule by rule, with the reading that keeps each step alive; and from real proofs
// what was planted into them.
#include <doctest/doctest.h>

#include "test/bounds/branched.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

using Item = OutlineItem::Kind;
using Indices = std::vector<std::uint32_t>;

// Nodes: 0 input, 1 dense, 2 relu, 3 dense, 4 relu, 5 dense, each of two elements but the last.
Graph chain() {
  Graph g;
  g.element = ElementType::binary32;
  const auto add = [&](Kind kind, std::uint64_t size, std::vector<std::int64_t> ints, std::vector<double> payload) {
    Node n;
    n.kind = kind;
    if (!g.nodes.empty()) n.operands = {static_cast<std::uint32_t>(g.nodes.size() - 1)};
    n.size = size;
    n.ints = std::move(ints);
    n.payload = std::move(payload);
    g.nodes.push_back(n);
  };
  add(Kind::input, 2, {}, {});
  for (int layer = 0; layer < 2; ++layer) {
    add(Kind::dense, 2, {1, 2, 2, 0}, {1, 2, -1, 1});
    add(Kind::relu, 2, {}, {});
  }
  add(Kind::dense, 1, {1, 2, 1, 0}, {1, 1});
  g.output = 5;
  return g;
}

// A proof written by hand: logs and splits kept here, items in the order of the calls.
class Hand final : public ProofSource {
 public:
  Hand() { outline_.sources.push_back(this); }
  ProofLog& log() {
    add(Item::log);
    return parts_.back().log;
  }
  void add(Item kind, const Split& at = {}) {
    outline_.items.push_back({kind, 0, static_cast<std::uint32_t>(parts_.size())});
    parts_.push_back({{}, at});
  }
  Outline& outline() { return outline_; }

  ProofLog log(std::uint32_t part) const override { return parts_[part].log; }
  void replace_log(std::uint32_t part, const ProofLog& log) override { parts_[part].log = log; }
  Split split_of(std::uint32_t part) const override { return parts_[part].at; }

  // Trimmed; written as text.
  std::string text() {
    const Graph graph = chain();
    const Network net(graph);
    counts = trim_steps(net, outline_);
    Recorder recorder;
    std::uint32_t next = 0;
    write_outline(outline_, recorder, next);
    return recorder.text;
  }
  TrimCounts counts;

 private:
  struct Part {
    ProofLog log;
    Split at;
  };
  std::deque<Part> parts_;
  Outline outline_;
};

const Indices zero = {0}, both = {0, 1}, nobody = {};

void refute(ProofLog& log, const Indices& slopes = {}, std::uint32_t case_index = 0) {
  const double one = 1;
  const Indices row = {0};
  log.refute(case_index, row, std::span(&one, 1), slopes, {});
}

}  // namespace

TEST_CASE("an interval step that a later one replaces before anything reads it is left out") {
  Hand hand;
  ProofLog& log = hand.log();
  log.interval(1);
  log.interval(1);
  refute(log);
  hand.add(Item::end_closed);
  CHECK(hand.text() == "\ninterval 1\nrefute 0 ( 0) () 1\nclose");
  CHECK(hand.counts.steps == 1);

  Hand read;
  ProofLog& other = read.log();
  other.interval(1);
  other.backward(3, zero, zero, {});  // reads node 1
  other.interval(1);
  refute(other);
  read.add(Item::end_closed);
  CHECK(read.text() == "\ninterval 1\nbackward 3 ( 0) ( 0) ()\ninterval 1\nrefute 0 ( 0) () 1\nclose");
  CHECK(read.counts.steps == 0);
}

TEST_CASE("a backward step replaces ends one by one; a later interval step replaces no backward step") {
  Hand hand;
  ProofLog& log = hand.log();
  log.backward(3, both, zero, {});
  log.backward(3, zero, both, {});
  refute(log);
  hand.add(Item::end_closed);
  // Of the first step the lower end of element 1 is left: element 0's ends come from the second.
  CHECK(hand.text() == "\nbackward 3 ( 1) () ()\nbackward 3 ( 0) ( 0 1) ()\nrefute 0 ( 0) () 1\nclose");
  CHECK(hand.counts.ends == 2);

  Hand interval;
  ProofLog& other = interval.log();
  other.backward(3, zero, nobody, {});
  other.interval(3);
  refute(other);
  interval.add(Item::end_closed);
  CHECK(interval.text() == "\nbackward 3 ( 0) () ()\ninterval 3\nrefute 0 ( 0) () 1\nclose");

  Hand replaced;
  ProofLog& third = replaced.log();
  third.interval(3);
  third.backward(3, both, both, {});
  refute(third);
  replaced.add(Item::end_closed);
  CHECK(replaced.text() == "\nbackward 3 ( 0 1) ( 0 1) ()\nrefute 0 ( 0) () 1\nclose");

  Hand partly;
  ProofLog& fourth = partly.log();
  fourth.interval(3);
  fourth.backward(3, both, zero, {});
  refute(fourth);
  partly.add(Item::end_closed);
  CHECK(partly.text() == "\ninterval 3\nbackward 3 ( 0 1) ( 0) ()\nrefute 0 ( 0) () 1\nclose");
}

TEST_CASE("a dead step takes what only it reads along") {
  Hand hand;
  ProofLog& log = hand.log();
  log.backward(1, zero, zero, {});
  log.interval(2);
  log.backward(3, zero, zero, {});
  log.backward(1, zero, zero, {});
  log.interval(2);
  log.backward(3, zero, zero, {});
  refute(log);
  hand.add(Item::end_closed);
  CHECK(hand.text() == "\nbackward 1 ( 0) ( 0) ()\ninterval 2\nbackward 3 ( 0) ( 0) ()\nrefute 0 ( 0) () 1\nclose");
  CHECK(hand.counts.steps == 3);
}

TEST_CASE("a step of an enclosing scope is dead only if both halves replace it") {
  for (const bool both_halves : {true, false}) {
    Hand hand;
    hand.log().interval(1);
    hand.add(Item::split, {0, 0, 0.5});
    for (const bool first : {true, false}) {
      hand.add(Item::begin);
      ProofLog& log = hand.log();
      if (first || both_halves) log.interval(1);
      refute(log);
      hand.add(Item::end_closed);
    }
    hand.add(Item::end_split);
    const std::string text = hand.text();
    CHECK(hand.counts.steps == (both_halves ? 1 : 0));
    CHECK((text.find("\ninterval 1\nsplit") == 0) == !both_halves);
  }
}

TEST_CASE("the end of a scope reads every range, the split element is read, and so is what a multiplier names") {
  Hand end;
  ProofLog& log = end.log();
  refute(log);
  log.interval(5);
  end.add(Item::end_closed);
  CHECK(end.text() == "\nrefute 0 ( 0) () 1\ninterval 5\nclose");

  Hand split;  // nothing else reads node 5
  split.log().interval(5);
  split.add(Item::split, {5, 0, 0.25});
  for (int half = 0; half < 2; ++half) {
    split.add(Item::begin);
    ProofLog& part = split.log();
    part.interval(5);
    refute(part);
    split.add(Item::end_closed);
  }
  split.add(Item::end_split);
  CHECK(split.text().find("\ninterval 5\nsplit 5 0") == 0);

  Hand multiplier;
  ProofLog& other = multiplier.log();
  other.interval(5);
  const double one = 1;
  const RangeMultiplier beta{5, 0, 0.5};
  other.refute(0, zero, std::span(&one, 1), {}, std::span(&beta, 1));
  other.interval(5);
  multiplier.add(Item::end_closed);
  CHECK(multiplier.text() == "\ninterval 5\nrefute 0 ( 0) () 1 [5,0,0.5]\ninterval 5\nclose");
}

TEST_CASE("a case is refuted once along every path; halves do not know of each other") {
  Hand hand;
  ProofLog& log = hand.log();
  refute(log, {}, 7);
  refute(log, {}, 7);
  hand.add(Item::split, {0, 0, 0.5});
  for (int half = 0; half < 2; ++half) {
    hand.add(Item::begin);
    ProofLog& part = hand.log();
    refute(part, {}, 7);
    refute(part, {}, 3);
    hand.add(Item::end_closed);
  }
  hand.add(Item::end_split);
  const std::string leaf = "\nrefute 3 ( 0) () 1\nclose";
  CHECK(hand.text() == "\nrefute 7 ( 0) () 1\nsplit 0 0 0.5" + leaf + leaf + "\nclose");
  CHECK(hand.counts.refutations == 3);
}

TEST_CASE("slopes: unused ones are left out, equal ones stand once, around all that use them and no further out") {
  SlopeBytes a, b;
  a.lower = {0, 128};
  b.lower = {64, 128};
  Hand hand;
  hand.add(Item::split, {0, 0, 0.5});
  for (int half = 0; half < 2; ++half) {
    hand.add(Item::begin);
    hand.add(Item::split, {0, 0, half ? 0.25 : 0.75});
    for (int quarter = 0; quarter < 2; ++quarter) {
      hand.add(Item::begin);
      ProofLog& log = hand.log();
      log.slopes(0, 2, a);
      log.slopes(1, 4, half ? b : a);
      log.slopes(2, 4, a);  // used nowhere in the second half
      const Indices used = half ? Indices{0, 1} : Indices{0, 2};
      refute(log, used);
      hand.add(Item::end_closed);
    }
    hand.add(Item::end_split);
  }
  hand.add(Item::end_split);
  const std::string first = "\nrefute 0 ( 0) ( 0 1) 1\nclose", second = "\nrefute 0 ( 0) ( 0 2) 1\nclose";
  CHECK(hand.text() == "\nslopes 0 2 0 128\nsplit 0 0 0.5\nslopes 1 4 0 128\nsplit 0 0 0.75" + first + first +
                           "\nclose\nslopes 2 4 64 128\nsplit 0 0 0.25" + second + second + "\nclose\nclose");
}

TEST_CASE("slopes of the first log are shared by the others, and go where they are used") {
  SlopeBytes a;
  a.lower = {1, 2};
  Hand hand;
  hand.log().slopes(0, 2, a);
  hand.outline().shared = 1;
  hand.add(Item::split, {1, 0, 0});
  for (int half = 0; half < 2; ++half) {
    hand.add(Item::begin);
    ProofLog& log = hand.log();
    log.slopes(1, 4, a);
    refute(log, half ? Indices{0, 1} : Indices{1});
    hand.add(Item::end_closed);
  }
  hand.add(Item::end_split);
  CHECK(hand.text() ==
        "\nslopes 0 4 1 2\nsplit 1 0 0\nrefute 0 ( 0) ( 0) 1\nclose\nslopes 1 2 1 2\n"
        "refute 0 ( 0) ( 1 0) 1\nclose\nclose");
}
