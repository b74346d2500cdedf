// Certificates written by hand: the few that prove something, and the many that must not pass.
#include <doctest/doctest.h>

#include <functional>

#include "test/checker/certificate_example.hpp"

using namespace proof_tools;

TEST_CASE("a proof is valid under every semantics it claims") {
  const Example e;
  CHECK(e.verdict(e.certificate()) == "VALID");
  CHECK(e.verdict(e.certificate("real")) == "VALID");
  CHECK(e.verdict(split_certificate(e)) == "VALID");
  TestQuestion question(e.graph, e.safe);
  question.exact = true;
  CHECK(verdict(e.certificate(), question) == "VALID");
  CHECK(verdict(split_certificate(e), question) == "VALID");
}

TEST_CASE("a float proof answers the question about the reals, not the other way round") {
  const Example e;
  TestQuestion question(e.graph, e.safe);
  question.any_semantics = false, question.semantics = Semantics::real;
  CHECK(verdict(e.certificate("fp32_any"), question) == "VALID");
  question.default_semantics = true;
  CHECK(verdict(e.certificate("fp32_any"), question) == "VALID");
  CHECK(verdict(e.certificate("real"), question) == "NOT_ASKED");
  question.default_semantics = false, question.semantics = Semantics::fp64_any;
  CHECK(verdict(e.certificate("fp32_any"), question) == "NOT_ASKED");
  question.any_semantics = true, question.expected = Claim::violated;
  CHECK(verdict(e.certificate("fp32_any"), question) == "NOT_ASKED");
}

TEST_CASE("what was proved must be what was asked") {
  const Example e, other(4);
  TestQuestion question(e.graph, other.safe);
  CHECK(verdict(e.certificate(), question) == "NOT_ASKED");
  question.property = nullptr;
  CHECK(verdict(e.certificate(), question) == "NOT_ASKED");
  GraphBuilder changed(2);
  changed.dense(0, 1, {1, 1}, false);
  TestQuestion model(changed.graph, e.safe);
  CHECK(verdict(e.certificate(), model) == "INVALID model graph digest");
  TestQuestion bytes(e.graph, e.safe);
  bytes.subject.files[0].bytes = 8;
  CHECK(verdict(e.certificate(), bytes) == "INVALID model file size");
  bytes.subject.files[0] = {"m.onnx", std::string(64, '1'), 7};
  CHECK(verdict(e.certificate(), bytes) == "INVALID model file digest");
}

TEST_CASE("the bound decides, ties only under strict rows") {
  for (int threshold = 1; threshold <= 3; ++threshold) {
    const Example e(threshold);
    Certificate c = split_certificate(e);
    const std::string word = e.verdict(c);
    CHECK(word == (threshold == 3 ? "VALID" : "INVALID refute"));
  }
  // y = x in [0, 1]: y <= 0 is reached, y < 0 is not.
  GraphBuilder b(1);
  b.like(Kind::neg, 0);
  b.like(Kind::neg, 1);
  for (bool strict : {false, true}) {
    Property p = property(b.graph, {box({{0, 1}})}, {{0, {{1, 0}}}});
    p.cases[0].rows[0].strict = strict;
    Certificate c = opening(b.graph, p, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})");
    c.add(R"({"record":"close"})");
    TestQuestion question(b.graph, p);
    CHECK(verdict(c, question) == (strict ? "VALID" : "INVALID refute"));
  }
}

TEST_CASE("exact arithmetic decides where directed arithmetic cannot") {
  // y = (x + 1/3-ish) - x - the same: cancellation leaves exactly 0 for the reals, rounding noise otherwise.
  GraphBuilder b(2);
  std::uint32_t x = b.dense(0, 3,
                            {static_cast<double>(0.1f), static_cast<double>(0.7f), static_cast<double>(0.3f),
                             static_cast<double>(1.3f), static_cast<double>(0.9f), static_cast<double>(0.11f)},
                            false);
  x = b.like(Kind::divide, x, {3, 7, 11});
  const std::uint32_t y = b.like(Kind::divide, x, {13, 17, 19});
  const std::uint32_t twice = b.add(Kind::add, {y, y}, 3, {0});
  const std::uint32_t back = b.add(Kind::add, {twice, y}, 3, {1});
  const std::uint32_t zero = b.add(Kind::add, {back, y}, 3, {1});
  b.add(Kind::reduce, {zero}, 1, {3, 1});
  Property p = property(b.graph, {box({{1, 2}, {-3, 1}})}, {{0, {{1, 0}}}});
  p.cases[0].rows[0].strict = true;
  Certificate c = opening(b.graph, p, "holds", "real");
  c.add(R"({"record":"box","box":0})");
  c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})");
  c.add(R"({"record":"close"})");
  TestQuestion question(b.graph, p);
  CHECK(verdict(c, question) == "VALID");
  p.cases[0].rows[0].constant = -1;  // another property: the digest must change with it
  CHECK(verdict(c, question) == "NOT_ASKED");
}

TEST_CASE("tampered lines of a valid proof do not pass") {
  const Example e;
  struct Change {
    std::size_t line;
    const char *from, *to;
    const char* verdict;
  };
  const Change changes[] = {
      {0, "outward-certificate", "outward-certificates", "MALFORMED"},
      {0, "\"version\":3", "\"version\":2", "UNSUPPORTED"},
      {0, "\"claim\":\"holds\"", "\"claim\":\"bound\"", "INVALID property"},
      {0, "\"claim\":\"holds\"", "\"claim\":\"violated\"", "INVALID sequence"},
      {0, "\"claim\":\"holds\"", "\"claim\":\"safe\"", "UNSUPPORTED"},
      {0, "fp32_any", "fp64_any", "INVALID semantics"},
      {0, "fp32_any", "real", "INVALID numerics"},
      {0, "fp32_any", "tf32", "UNSUPPORTED"},
      {0, "\"version\":3,\"claim\":\"holds\"", "\"claim\":\"holds\",\"version\":3", "MALFORMED"},
      {0, "\"version\":3", "\"version\":3,\"version\":3", "MALFORMED"},
      {0, "\"version\":3", "\"version\":\"3\"", "MALFORMED"},
      {0, ",\"producer\":\"by hand\"", "", "MALFORMED"},
      {0, "by hand\"", "by hand\",\"more\":1", "MALFORMED"},
      {0, "\"version\":3", "\"version\": 3", "MALFORMED"},
      {0, "\"version\":3", "\"version\":03", "MALFORMED"},
      {1, "\"bytes\":7", "\"bytes\":8", "INVALID model file size"},
      {1, "\"inputs\":2", "\"inputs\":3", "INVALID inputs"},
      {1, "\"outputs\":1", "\"outputs\":2", "INVALID outputs"},
      {1, "\"nodes\":4", "\"nodes\":5", "INVALID nodes"},
      {1, "binary32", "binary64", "INVALID element type"},
      {1, "\"sha256\":\"0000", "\"sha256\":\"1000", "INVALID model file digest"},
      {1, "\"sha256\":\"0000", "\"sha256\":\"000", "MALFORMED"},
      {1, "\"sha256\":\"0000", "\"sha256\":\"A000", "MALFORMED"},
      {2, "\"cases\":1", "\"cases\":2", "INVALID property"},
      {2, "\"boxes\":1", "\"boxes\":0", "INVALID property"},
      {2, "\"sha256\":\"0", "\"sha256\":\"1", "INVALID property file"},
      {2, "vnnlib", "onnx", "MALFORMED"},
      {3, "nearest_even", "exact", "INVALID numerics"},
      {3, "binary32", "binary64", "INVALID numerics"},
      {3, "\"order\":\"any\"", "\"order\":\"sequential\"", "INVALID numerics"},
      {3, "gradual", "flushed", "INVALID numerics"},
      {4, "\"box\":0", "\"box\":1", "INVALID box"},
      {5, "\"node\":1", "\"node\":0", "INVALID step"},
      {5, "\"node\":1", "\"node\":4", "INVALID node"},
      {5, "\"node\":1", "\"node\":9223372036854775808", "MALFORMED"},
      {5, "\"node\":1", "\"node\":-1", "MALFORMED"},
      {5, "interval", "guess", "MALFORMED"},
      {8, "\"id\":0", "\"id\":1", "INVALID slopes"},
      {8, "\"node\":2", "\"node\":1", "INVALID slopes"},
      {8, "\"upper\":\"\"", "\"upper\":\"QEA=\"", "INVALID slopes"},
      {8, "\"lower\":\"QEA=\"", "\"lower\":\"QIE=\"", "INVALID slopes"},  // byte 129
      {8, "\"lower\":\"QEA=\"", "\"lower\":\"QP8=\"", "INVALID slopes"},  // byte 255
      {8, "\"lower\":\"QEA=\"", "\"lower\":\"QA==\"", "INVALID slopes"},
      {8, "\"lower\":\"QEA=\"", "\"lower\":\"QEB=\"", "INVALID slopes"},  // bits after the end
      {8, "\"lower\":\"QEA=\"", "\"lower\":\"QE\"", "INVALID slopes"},
      {9, "\"lower\":\"0\"", "\"lower\":\"1\"", "INVALID step"},
      {9, "\"lower\":\"0\"", "\"lower\":\"0,0\"", "INVALID step"},
      {9, "\"lower\":\"0\"", "\"lower\":\"0-0\"", "INVALID step"},
      {9, "\"lower\":\"0\"", "\"lower\":\"00\"", "INVALID step"},
      {9, "\"lower\":\"0\"", "\"lower\":\"0,\"", "INVALID step"},
      {9, "\"lower\":\"0\"", "\"lower\":\"0-18446744073709551616\"", "INVALID step"},
      {9, "\"slopes\":[0]", "\"slopes\":[1]", "INVALID slopes"},
      {9, "\"slopes\":[0]", "\"slopes\":[0,0]", "INVALID slopes"},
      {9, "\"slopes\":[0]", "\"slopes\":[]", "INVALID step"},
      {10, "\"case\":0", "\"case\":1", "INVALID refute"},
      {10, "\"rows\":[0]", "\"rows\":[1]", "INVALID refute"},
      {10, "\"rows\":[0]", "\"rows\":[]", "INVALID refute"},
      {10, "\"rows\":[0],\"lambda\":[\"1*2^0\"]", "\"rows\":[0,0],\"lambda\":[\"1*2^0\",\"1*2^0\"]", "INVALID refute"},
      {10, "1*2^0", "-1*2^0", "INVALID refute"},
      {10, "\"1*2^0\"", "\"0\"", "INVALID refute"},
      {10, "1*2^0", "2*2^0", "MALFORMED"},
      {10, "\"1*2^0\"", "1", "MALFORMED"},
      {10, "1*2^0", "1*2^20001", "MALFORMED"},
      {10, "\"rows\":[0]", "\"rows\":[0 ]", "MALFORMED"},
      {11, "close", "closed", "MALFORMED"},
      {11, "{\"record\":\"close\"}", "{\"record\":\"crossed\",\"node\":1,\"element\":0}", "INVALID crossed"},
      {11, "{\"record\":\"close\"}", "{\"record\":\"close\"} ", "MALFORMED"},
      {11, "{\"record\":\"close\"}", " {\"record\":\"close\"}", "MALFORMED"},
      {11, "{\"record\":\"close\"}", "{\"record\":\"close\"}\r", "MALFORMED"},
      {11, "{\"record\":\"close\"}",
       "{\"record\":\"bound\",\"output\":0,\"side\":\"lower\",\"value\":\"-9*2^0\",\"slopes\":[0]}",
       "INVALID sequence"},
      {11, "{\"record\":\"close\"}", "{\"record\":\"box\",\"box\":1}", "INVALID sequence"},
      {11, "{\"record\":\"close\"}", "", "MALFORMED"},
      {11, "{\"record\":\"close\"}", "null", "MALFORMED"},
      {11, "{\"record\":\"close\"}", "[]", "MALFORMED"},
      {11, "{\"record\":\"close\"}", "{}", "MALFORMED"},
  };
  for (const Change& change : changes) {
    Certificate c = e.certificate();
    c.lines[change.line] = replaced(c.lines[change.line], change.from, change.to);
    CHECK_MESSAGE(e.verdict(c) == std::string(change.verdict), change.line, ": ", std::string(change.to));
  }
}

TEST_CASE("records that are missing, doubled or out of order do not pass") {
  const Example e;
  const Certificate good = e.certificate();
  for (std::size_t i = 0; i < good.lines.size(); ++i) {
    Certificate without = good, twice = good;
    without.lines.erase(without.lines.begin() + static_cast<std::ptrdiff_t>(i));
    twice.lines.insert(twice.lines.begin() + static_cast<std::ptrdiff_t>(i), twice.lines[i]);
    const bool harmless = i == 7 || i == 9;  // the steps of the output are not needed for this bound ...
    const bool repeatable = i == 5 || i == 6 || i == 7 || i == 9 || i == 10;
    CHECK_MESSAGE((e.verdict(without) == "VALID") == (harmless), i);
    CHECK_MESSAGE((e.verdict(twice) == "VALID") == repeatable, i);
  }
  Certificate neither = good;  // ... but one of them is: the output needs a range under a float claim
  neither.lines.erase(neither.lines.begin() + 9), neither.lines.erase(neither.lines.begin() + 7);
  CHECK(e.verdict(neither) == "INVALID close");
  Certificate swapped = good;
  std::swap(swapped.lines[4], swapped.lines[5]);
  CHECK(e.verdict(swapped) == "INVALID sequence");
  Certificate late = good;
  std::swap(late.lines[8], late.lines[10]);
  CHECK(e.verdict(late) == "INVALID slopes");
}

TEST_CASE("the file as a whole") {
  const Example e;
  TestQuestion question(e.graph, e.safe);
  const std::string text = e.certificate().text();
  const auto with = [&](const std::string& t) { return verdict(t, question); };
  CHECK(with(text) == "VALID");
  CHECK(with(text + "\n") == "INVALID footer");
  CHECK(with(text + " ") == "INVALID footer");
  CHECK(with(text + text) == "INVALID footer");
  CHECK(with(text.substr(0, text.size() - 1)) == "MALFORMED");  // no line end
  CHECK(with(text.substr(0, text.rfind("{\"record\":\"footer\""))) == "INVALID footer");
  CHECK(with(text.substr(0, text.size() / 2)) == "MALFORMED");
  CHECK(with("") == "INVALID footer");
  CHECK(with("\xef\xbb\xbf" + text) == "MALFORMED");
  CHECK(with(replaced(text, "by hand", "by hanD")) == "INVALID footer");
  CHECK(with(replaced(text, "\"records\":12", "\"records\":13")) == "INVALID footer");
  CHECK(with(replaced(text, "\"records\":12", "\"records\":12,\"more\":0")) == "MALFORMED");
  std::string crlf;
  for (char ch : text) crlf += ch == '\n' ? std::string("\r\n") : std::string(1, ch);
  CHECK(with(crlf) == "MALFORMED");
  Certificate early = e.certificate();
  early.lines.pop_back();
  CHECK(with(early.text()) == "INVALID ledger");
  Certificate more = e.certificate();
  more.add(R"({"record":"close"})");
  CHECK(with(more.text()) == "INVALID sequence");
  Certificate again = e.certificate();
  again.add(R"({"record":"box","box":1})");
  CHECK(with(again.text()) == "INVALID box");
}

TEST_CASE("scopes: what a scope knows vanishes with it") {
  const Example e;
  const Certificate good = split_certificate(e);
  REQUIRE(e.verdict(good) == "VALID");
  const auto edited = [&](const std::function<void(std::vector<std::string>&)>& f) {
    Certificate c = good;
    f(c.lines);
    return e.verdict(c);
  };
  using Lines = std::vector<std::string>;
  // The refutation of the first scope does not count in its sibling.
  CHECK(edited([](Lines& l) { l.erase(l.begin() + 10, l.begin() + 12); }) == "INVALID close");
  // Nor does one of the second scope count in the first.
  CHECK(edited([](Lines& l) { l.erase(l.begin() + 8); }) == "INVALID close");
  // Slopes of the first scope are not visible in its sibling.
  CHECK(edited([](Lines& l) { l[11] = replaced(l[11], "\"slopes\":[1]", "\"slopes\":[0]"); }) == "INVALID slopes");
  // One half is missing.
  CHECK(edited([](Lines& l) { l.resize(10); }) == "INVALID ledger");
  // A third half.
  CHECK(edited([](Lines& l) { l.push_back(l[13]); }) == "INVALID sequence");
  // A refutation above the split counts in both halves.
  CHECK(edited([](Lines& l) {
          l[6] = R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})";
          l[7] = R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})";
          l[8] = R"({"record":"split","node":1,"element":0,"at":"0"})";
          l[10] = l[11] = l[9], l.resize(12);
        }) == "VALID");
  // A slope set from above the split may be used below it.
  CHECK(edited([](Lines& l) {
          std::swap(l[6], l[7]);
          l.erase(l.begin() + 10);
          l[10] = replaced(l[10], "\"slopes\":[1]", "\"slopes\":[0]");
        }) == "VALID");
  // Splits at illegal places.
  CHECK(edited([](Lines& l) { l[6] = replaced(l[6], "\"element\":0", "\"element\":2"); }) == "INVALID element");
  CHECK(edited([](Lines& l) { l[6] = replaced(l[6], "\"node\":1", "\"node\":9"); }) == "INVALID node");
  CHECK(edited([](Lines& l) { l[6] = replaced(l[6], "\"at\":\"0\"", "\"at\":\"0*2^0\""); }) == "MALFORMED");
}

TEST_CASE("the ends of scopes: every one is needed, none is free") {
  const Example e;
  const Certificate good = split_certificate(e);
  const auto edited = [&](const std::function<void(std::vector<std::string>&)>& f) {
    Certificate c = good;
    f(c.lines);
    return e.verdict(c);
  };
  using Lines = std::vector<std::string>;
  // The scope that was split has an end of its own, and only the whole box asks for every case.
  CHECK(edited([](Lines& l) { l.pop_back(); }) == "INVALID ledger");
  // What only one half refutes is not refuted, however often.
  CHECK(edited([](Lines& l) {
          l.erase(l.begin() + 10, l.begin() + 12);
          l.insert(l.begin() + 8, l[8]);
        }) == "INVALID close");
  // Said to be open: the rest is followed, the verdict is no VALID.
  CHECK(edited([](Lines& l) { l[12] = R"({"record":"open"})"; }) == "INCOMPLETE");
  CHECK(edited([](Lines& l) { l[9] = R"({"record":"open"})"; }) == "INCOMPLETE");
  CHECK(edited([](Lines& l) { l[13] = R"({"record":"open"})"; }) == "INCOMPLETE");
  CHECK(edited([](Lines& l) { l[12] = R"({"record":"open"})", l.pop_back(); }) == "INVALID ledger");
  CHECK(edited([](Lines& l) { l[11] = replaced(l[11], "2^-1", "2^-1\",\"1*2^0"), l[9] = R"({"record":"open"})"; }) ==
        "INVALID refute");
  // A second split after the first one's halves are done, and what both splits refute together.
  CHECK(edited([](Lines& l) {
          l[8] = l[9], l.erase(l.begin() + 9);  // the first half refutes nothing now
          l.back() = R"({"record":"split","node":1,"element":0,"at":"0"})";
          for (const char* slopes : {"2", "3"}) {
            l.push_back(replaced(l[7], "\"id\":0", "\"id\":" + std::string(slopes)));
            l.push_back(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[)" +
                        std::string(slopes) + R"(],"ranges":[]})");
            l.push_back(R"({"record":"close"})");
          }
          l.push_back(R"({"record":"close"})");
        }) == "VALID");
}

TEST_CASE("multiples of range ends in a refutation") {
  const Example e;
  const auto with = [&](const std::string& ranges) {
    Certificate c = e.certificate();
    c.lines[10] = replaced(c.lines[10], "\"ranges\":[]", "\"ranges\":[" + ranges + "]");
    return e.verdict(c);
  };
  CHECK(with(R"({"node":1,"element":0,"value":"1*2^-6"})") == "VALID");
  CHECK(with(R"({"node":1,"element":1,"value":"-1*2^-6"},{"node":0,"element":0,"value":"1*2^-6"})") == "VALID");
  CHECK(with(R"({"node":1,"element":0,"value":"1*2^6"})") == "INVALID refute");  // costs more than there is
  CHECK(with(R"({"node":1,"element":0,"value":"0"})") == "INVALID refute");
  CHECK(with(R"({"node":1,"element":2,"value":"1*2^-6"})") == "INVALID element");
  CHECK(with(R"({"node":4,"element":0,"value":"1*2^-6"})") == "INVALID node");
  CHECK(with(R"({"node":1,"element":0,"value":"2*2^-6"})") == "MALFORMED");
  CHECK(with(R"({"node":1,"value":"1*2^-6"})") == "MALFORMED");
  CHECK(with(R"({"node":1,"element":0,"value":"1*2^-6","more":1})") == "MALFORMED");
  CHECK(with(R"([1,0,"1*2^-6"])") == "MALFORMED");
  // Of a range that nothing is known of.
  Certificate c = e.certificate();
  c.lines[10] = replaced(c.lines[10], "\"ranges\":[]", R"("ranges":[{"node":3,"element":0,"value":"1*2^-6"}])");
  c.lines.erase(c.lines.begin() + 9), c.lines.erase(c.lines.begin() + 7);
  CHECK(e.verdict(c) == "INVALID refute");
}

TEST_CASE("the sibling leak: bounds of one half must not help the other") {
  // y = |x| on [-1, 1], unsafe y <= 1/2 is reached at 0. Each half is refutable only with the other's split.
  GraphBuilder b(1);
  b.like(Kind::abs, 0);
  const Property p = property(b.graph, {box({{-1, 1}})}, {{0, {{2, -1}}}});
  const auto half = [](Certificate& c) {
    c.add(R"({"record":"step","node":1,"method":"interval"})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})");
    c.add(R"({"record":"close"})");
  };
  TestQuestion question(b.graph, p);
  for (const char* at : {"3*2^-2", "-3*2^-2", "1*2^-1", "0"}) {
    Certificate c = opening(b.graph, p, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"split","node":0,"element":0,"at":")" + std::string(at) + "\"}");
    half(c), half(c);
    CHECK(verdict(c, question) == "INVALID refute");
  }
}

TEST_CASE("crossed scopes are empty, others are not") {
  const Example e;
  const auto with = [&](const std::string& at, const std::string& element) {
    Certificate c = opening(e.graph, e.safe, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"step","node":1,"method":"interval"})");
    c.add(R"({"record":"split","node":1,"element":0,"at":")" + at + "\"}");
    c.add(R"({"record":"crossed","node":1,"element":)" + element + "}");
    c.add(R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})");
    c.add(R"({"record":"close"})");
    c.add(R"({"record":"close"})");
    return e.verdict(c);
  };
  CHECK(with("3*2^0", "0") == "VALID");  // z >= 3 against z <= 2
  CHECK(with("5*2^-1", "0") == "VALID");
  CHECK(with("1*2^1", "0") == "INVALID crossed");  // z = 2 is possible
  CHECK(with("3*2^0", "1") == "INVALID crossed");  // the other element is not crossed
  CHECK(with("0", "0") == "INVALID crossed");
}

TEST_CASE("only stored nodes have ranges") {
  GraphBuilder b(2);
  std::uint32_t x = b.dense(0, 2, {1, 2, 3, 4}, false);
  x = b.like(Kind::shift, x, {1, 1});
  b.dense(x, 1, {1, 1}, false);
  const Property p = property(b.graph, {box({{0, 1}, {0, 1}})}, {{0, {{1, 0}}}});
  TestQuestion question(b.graph, p);
  for (const char* line :
       {R"({"record":"step","node":1,"method":"interval"})", R"({"record":"split","node":1,"element":0,"at":"0"})",
        R"({"record":"step","node":1,"method":"backward","lower":"0","upper":"","slopes":[]})"}) {
    Certificate c = opening(b.graph, p, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(line);
    CHECK(verdict(c, question) == "INVALID node");
  }
}

TEST_CASE("a float claim needs ranges below overflow for every node") {
  GraphBuilder b(1);
  std::uint32_t x = b.like(Kind::scale, 0, {0x1p100});
  x = b.like(Kind::relu, x);
  x = b.like(Kind::scale, x, {0x1p100});
  b.like(Kind::clip, x, {0, 1});
  const Property p = property(b.graph, {box({{0, 1}})}, {{0, {{-1, 2}}}});
  for (const char* semantics : {"real", "fp32_any"}) {
    Certificate c = opening(b.graph, p, "holds", semantics);
    c.add(R"({"record":"box","box":0})");
    for (int k = 1; k <= 4; ++k) c.add(R"({"record":"step","node":)" + std::to_string(k) + R"(,"method":"interval"})");
    c.add(R"({"record":"slopes","id":0,"node":4,"lower":"AA==","upper":"AA=="})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})");
    c.add(R"({"record":"close"})");
    TestQuestion question(b.graph, p);
    CHECK(verdict(c, question) == (std::string(semantics) == "real" ? "VALID" : "INVALID refute"));
  }
}

TEST_CASE("rounding of binary32 makes the absorption network unprovable") {
  // y = (x + 2^24) - 2^24 over [1, 1]: 1 in the reals, possibly 0 in binary32. Unsafe: y <= 1/2.
  GraphBuilder b(1);
  std::uint32_t x = b.like(Kind::shift, 0, {0x1p24});
  b.like(Kind::shift, x, {-0x1p24});
  const Property p = property(b.graph, {box({{1, 1}})}, {{0, {{2, -1}}}});
  TestQuestion question(b.graph, p);
  for (const char* semantics : {"real", "fp32_any"}) {
    Certificate c = opening(b.graph, p, "holds", semantics);
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"step","node":2,"method":"interval"})");
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[],"ranges":[]})");
    c.add(R"({"record":"close"})");
    CHECK(verdict(c, question) == (std::string(semantics) == "real" ? "VALID" : "INVALID refute"));
  }
}

TEST_CASE("multipliers combine rows; a case with several rows needs only one combination") {
  // y0 = x, y1 = -x: y0 >= 1/2 and y1 >= 1/2 cannot both be: sum of rows (1 - 2 y0) + (1 - 2 y1) = 2 > 0.
  GraphBuilder b(1);
  b.dense(0, 2, {1, -1}, false);
  const Property p = property(b.graph, {box({{-1, 1}})}, {{0, {{-2, 0, 1}, {0, -2, 1}}}});
  TestQuestion question(b.graph, p);
  const auto with = [&](const std::string& rows, const std::string& lambda) {
    Certificate c = opening(b.graph, p, "holds", "real");
    c.add(R"({"record":"box","box":0})");
    c.add(R"({"record":"refute","case":0,"rows":)" + rows + R"(,"lambda":)" + lambda + R"(,"slopes":[],"ranges":[]})");
    c.add(R"({"record":"close"})");
    return verdict(c, question);
  };
  CHECK(with("[0,1]", R"(["1*2^0","1*2^0"])") == "VALID");
  CHECK(with("[0,1]", R"(["1*2^-300","1*2^-300"])") == "VALID");
  CHECK(with("[0,1]", R"(["1*2^0","0"])") == "INVALID refute");
  CHECK(with("[0]", R"(["1*2^0"])") == "INVALID refute");
  CHECK(with("[0,1]", R"(["1*2^0","-1*2^0"])") == "INVALID refute");
  CHECK(with("[1,0]", R"(["1*2^0","1*2^0"])") == "INVALID refute");
  CHECK(with("[0,1]", R"(["1*2^0"])") == "INVALID refute");
}
