// Certificates with several boxes, of every kind of claim, and of great depth.
#include <doctest/doctest.h>

#include <functional>

#include "test/checker/certificate_example.hpp"

using namespace proof_tools;

TEST_CASE("several boxes and cases: each must be refuted in its own box") {
  GraphBuilder b(1);
  b.like(Kind::neg, 0);
  const Property p = property(b.graph, {box({{1, 2}}), box({{3, 4}})}, {{0, {{1, 0}}}, {1, {{1, 2}}}, {0, {{-1, -3}}}});
  TestQuestion question(b.graph, p);
  // y in [-2, -1]: y <= 0 is reached, so case 0 is violated: nothing can prove it.
  Certificate c = opening(b.graph, p, "holds", "real");
  c.add(R"({"record":"box","box":0})");
  c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})");
  CHECK(verdict(c, question) == "INVALID refute");
  const Property q = property(b.graph, {box({{1, 2}}), box({{3, 4}})}, {{0, {{1, 3}}}, {1, {{1, 5}}}, {0, {{-1, 0}}}});
  TestQuestion second(b.graph, q);
  const auto refute = [](int number) {
    return R"({"record":"refute","case":)" + std::to_string(number) +
           R"(,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})";
  };
  Certificate good = opening(b.graph, q, "holds", "real");
  good.add(R"({"record":"box","box":0})");
  good.add(refute(0)), good.add(refute(2)), good.add(R"({"record":"close"})");
  good.add(R"({"record":"box","box":1})");
  good.add(refute(1)), good.add(R"({"record":"close"})");
  CHECK(verdict(good, second) == "VALID");
  Certificate one = good;
  one.lines.resize(8);  // the second box is missing
  CHECK(verdict(one, second) == "INVALID ledger");
  Certificate open = good;
  open.lines.erase(open.lines.begin() + 6);  // case 2 stays open
  CHECK(verdict(open, second) == "INVALID close");
  Certificate wrong = good;
  wrong.lines[5] = refute(1);  // a case of the other box
  CHECK(verdict(wrong, second) == "INVALID refute");
  Certificate order = good;
  std::rotate(order.lines.begin() + 4, order.lines.begin() + 8, order.lines.end());
  CHECK(verdict(order, second) == "INVALID box");
}

TEST_CASE("claim bound: the listed bounds, nothing else") {
  const Example e;
  Property p = e.safe;
  p.cases.clear(), p.bound_only = true;
  TestQuestion question(e.graph, p);
  question.expected = Claim::bound;
  const auto with = [&](const std::vector<std::string>& lines) {
    Certificate c = opening(e.graph, p, "bound", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"step","node":1,"method":"interval"})");
    c.add(R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})");
    for (const std::string& l : lines) c.add(l);
    c.add(R"({"record":"close"})");
    return verdict(c, question);
  };
  const auto bound = [](const std::string& side, const std::string& value, const std::string& output = "0") {
    return R"({"record":"bound","output":)" + output + R"(,"side":")" + side + R"(","value":")" + value +
           R"(","slopes":[0]})";
  };
  CHECK(with({bound("upper", "1*2^1"), bound("lower", "-1*2^1")}) == "VALID");
  CHECK(with({bound("upper", "5*2^-1")}) == "VALID");
  CHECK(with({bound("upper", "3*2^-1")}) == "INVALID bound");
  CHECK(with({bound("lower", "-3*2^-1")}) == "INVALID bound");
  CHECK(with({bound("lower", "-1*2^1", "1")}) == "INVALID bound");
  CHECK(with({bound("middle", "0")}) == "INVALID bound");
  CHECK(with({}) == "VACUOUS");
  CHECK(with({R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})"}) ==
        "INVALID sequence");
  CHECK(with({R"({"record":"split","node":1,"element":0,"at":"0"})"}) == "INVALID sequence");
}

TEST_CASE("claim violated: a point that is in the box and unsafe") {
  const Example e(2);  // y >= 2 is reached at (1, 1) only
  TestQuestion question(e.graph, e.safe);
  question.expected = Claim::violated;
  const auto with = [&](const std::string& semantics, const std::string& number, const std::string& values) {
    Certificate c = opening(e.graph, e.safe, "violated", semantics);
    c.add(R"({"record":"point","case":)" + number + R"(,"values":)" + values + "}");
    return verdict(c, question);
  };
  CHECK(with("real", "0", R"(["1","1.0"])") == "VALID");
  CHECK(with("fp32_any", "0", R"(["1e0","1"])") == "VALID");
  CHECK(with("real", "0", R"(["1","0.99999999999999999999"])") == "INVALID point");
  CHECK(with("fp32_any", "0", R"(["1","0.99999999999999999999"])") == "VALID");  // rounds to 1
  CHECK(with("real", "0", R"(["1","1.00000000000000000001"])") == "INVALID point");
  CHECK(with("real", "1", R"(["1","1"])") == "INVALID point");
  CHECK(with("real", "0", R"(["1"])") == "INVALID point");
  CHECK(with("real", "0", R"(["1","1","1"])") == "INVALID point");
  CHECK(with("real", "0", R"(["1","nan"])") == "INVALID point");
  CHECK(with("real", "0", R"(["1","inf"])") == "INVALID point");
  CHECK(with("real", "0", R"(["1",1])") == "MALFORMED");
  // A number over a limit says nothing about the claim; it was called a wrong point.
  CHECK(with("real", "0", R"(["1","1e20001"])") == "LIMIT");
  CHECK(with("real", "0", "[\"1\",\"" + std::string(10001, '1') + "\"]") == "LIMIT");
  Certificate c = opening(e.graph, e.safe, "violated", "real");
  CHECK(verdict(c, question) == "INVALID sequence");
  question.expected = Claim::holds;
  CHECK(with("real", "0", R"(["1","1"])") == "NOT_ASKED");
  question.any_semantics = false, question.semantics = Semantics::real, question.expected = Claim::violated;
  CHECK(with("fp32_any", "0", R"(["1","1"])") == "NOT_ASKED");  // a float execution says nothing about the reals
  CHECK(with("real", "0", R"(["1","1"])") == "VALID");
}

TEST_CASE("an empty property is never plainly valid") {
  const Example e;
  Property p = e.safe;
  p.cases.clear(), p.boxes.clear(), p.vacuous = true;
  TestQuestion question(e.graph, p);
  CHECK(verdict(opening(e.graph, p, "holds", "real"), question) == "VACUOUS");
}

TEST_CASE("deep trees need no stack, and there is a limit") {
  const Example e;
  for (int depth : {300, 10001}) {
    Certificate c = opening(e.graph, e.safe, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"step","node":1,"method":"interval"})");
    c.add(R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})");
    for (int i = 0; i < depth; ++i) c.add(R"({"record":"split","node":1,"element":0,"at":"0"})");
    for (int i = 0; i <= 2 * depth; ++i) c.add(R"({"record":"close"})");
    if (depth < 10000) {
      CHECK(e.verdict(c) == "VALID");
    } else {
      CHECK(e.verdict(c) == "LIMIT");
    }
  }
}
