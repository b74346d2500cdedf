// Canonical JSON, index lists, base64 and the digests: accepted and refused texts.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "checker/translate/json_text.hpp"
#include "test/checker/proof_tools.hpp"

using namespace proof_tools;

namespace {
// The text as the value of a key of the type.
Json read_value(char type, const std::string& text) {
  const std::string schema = std::string("a:") + type;
  const char* const schemas[] = {schema.c_str()};
  return parse_line("{\"a\":" + text + "}", schemas).items[0];
}

bool accepts(char type, const std::string& text) {
  try {
    read_value(type, text);
    return true;
  } catch (const ReadError&) {
    return false;
  }
}

// What the line is read as, or the refusal.
std::string read_line(const std::string& line, const std::vector<const char*>& schemas) {
  try {
    const Json object = parse_line(line, schemas);
    std::string out;
    for (std::size_t i = 0; i < object.keys.size(); ++i) out += object.keys[i] + "=" + object.items[i].text + " ";
    return out;
  } catch (const ReadError& e) {
    return e.what();
  }
}
}  // namespace

TEST_CASE("canonical JSON") {
  const std::string digest(64, 'a');
  const struct {
    char type;
    std::vector<std::string> good, bad;
  } values[] = {
      {'u',
       {"0", "9223372036854775807"},
       {"", " 1", "1 ", "01", "-1", "+1", "1.5", "1e3", "NaN", "Infinity", "null", "true", "9223372036854775808",
        "18446744073709551617", "\"1\"", "[1]", "{}"}},
      {'s',
       {"\"\"", "\"\\u001f\\\"\\\\\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82\"", "\"\x7f\""},
       {"",
        "1",
        "'a'",
        "a",
        " \"a\"",
        "\"a\" ",
        "\"\\n\"",
        "\"\\u0041\"",
        "\"\\u001F\"",
        "\"\\u0020\"",
        "\"\\u00\"",
        "\"\\u000",
        "\"\\",
        "\"\\ud800\"",
        "\"\n\"",
        "\"\t\"",
        "\"a",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\"\xe2\x82\"",
        "\"\xff\"",
        "[\"a\"]",
        "\"a\"\"b\""}},
      {'d', {"\"0\"", "\"3*2^0\"", "\"-3*2^-7\""}, {"0", "\"\"", "\"2*2^0\"", "\"3\"", "\"3*2^0 \"", "\"1/2\""}},
      {'h',
       {"\"" + digest + "\""},
       {"\"" + digest + "a\"", "\"" + digest.substr(1) + "\"", "\"" + digest.substr(1) + "A\"", digest, "\"\""}},
      {'U',
       {"[]", "[1]", "[1,20]"},
       {"", "1", "[1,]", "[,1]", "[1", "1]", "[1 ,2]", "[1,\"2\"]", "[[1]]", "[1][2]", "{}"}},
      {'S', {"[]", "[\"x\",\"\"]"}, {"\"x\"", "[\"x\",1]", "[\"x\",]", "[\"x\"\"y\"]"}},
      {'D', {"[]", "[\"1*2^0\"]"}, {"[1]", "[\"1\"]"}},
      {'H', {"[]", "[\"" + digest + "\"]"}, {"[\"\"]"}},
      {'R',
       {"[]", "[{\"node\":1,\"element\":2,\"value\":\"0\"},{\"node\":1,\"element\":2,\"value\":\"1*2^0\"}]"},
       {"[{}]", "[{\"node\":1,\"element\":2}]", "[{\"element\":2,\"node\":1,\"value\":\"0\"}]",
        "[{\"node\":1,\"element\":2,\"value\":\"0\",\"more\":1}]", "[{\"node\":1,\"element\":2,\"value\":\"0\",}]",
        "[{\"node\":1,\"element\":2,\"value\":\"0\",\"value\":\"0\"}]", "[{\"node\": 1,\"element\":2,\"value\":\"0\"}]",
        "[{\"node\":1,\"element\":2,\"value\":0}]", "{\"node\":1,\"element\":2,\"value\":\"0\"}"}},
      {'P', {"[{\"input\":\"x\",\"dims\":[1,2]}]"}, {"[{\"input\":\"x\",\"dims\":[-1]}]", "[{\"input\":\"x\"}]"}},
      {'F',
       {"[{\"path\":\"p\",\"bytes\":1,\"sha256\":\"" + digest + "\"}]"},
       {"[{\"path\":\"p\",\"bytes\":1,\"sha256\":\"\"}]",
        "[{\"bytes\":1,\"path\":\"p\",\"sha256\":\"" + digest + "\"}]"}},
  };
  for (const auto& v : values) {
    for (const std::string& text : v.good) CHECK_MESSAGE(accepts(v.type, text), v.type << " " << text);
    for (const std::string& text : v.bad) CHECK_MESSAGE(!accepts(v.type, text), v.type << " " << text);
    CHECK(!accepts(v.type, std::string(100000, '[')));
  }
  CHECK(read_value('s', "\"\\u0007\\\"\"").text == "\a\"");
  CHECK(read_value('U', "[1,20]").items[1].number == 20);
  CHECK(json_string("a\"\\\x01") == "\"a\\\"\\\\\\u0001\"");
}

TEST_CASE("a line follows one of the schemas from its first to its last byte") {
  const std::vector<const char*> schemas{"record=step node:s method=interval",
                                         "record=step node:s method=backward more:s", "record=close"};
  CHECK(read_line("{\"record\":\"close\"}", schemas) == "record=close ");
  CHECK(read_line("{\"record\":\"step\",\"node\":\"1\",\"method\":\"backward\",\"more\":\"\"}", schemas) ==
        "record=step node=1 method=backward more= ");
  CHECK(read_line("{\"record\":\"step\",\"node\":\"1\",\"method\":\"interval\"}", schemas) ==
        "record=step node=1 method=interval ");
  CHECK(read_line("{\"record\":\"step\",\"node\":\"1\",\"method\":\"other\"}", schemas) ==
        "column 45: expected interval or backward");
  CHECK(read_line("{\"record\":\"step\",\"node\":\"1\",\"method\":\"backward\"}", schemas) ==
        "column 48: expected interval or ,\"more\":");
  CHECK(read_line("{\"record\":\"other\"}", schemas) == "column 18: expected step or step or close");
  for (const char* bad :
       {"", "{}", "[]", "\"close\"", "{\"record\":\"close\"", "{\"record\":\"close\"} ", " {\"record\":\"close\"}",
        "{\"record\":\"close\",\"record\":\"close\"}", "{\"record\":\"close\"}{\"record\":\"close\"}",
        "{\"record\":\"close\",\"node\":\"1\"}", "{\"Record\":\"close\"}", "{record:\"close\"}",
        "{\"record\": \"close\"}", "{\"record\":close}", "{\"record\":\"clos\\u0065\"}", "{\"record\":\"close\",}",
        "{\"record\":\"step\",\"method\":\"interval\",\"node\":\"1\"}"}) {
    CHECK_MESSAGE(read_line(bad, schemas).find("column ") == 0, bad);
  }
}

TEST_CASE("index lists and base64") {
  std::vector<std::uint64_t> v;
  REQUIRE(parse_indices("0,2-4,7", 8, &v));
  CHECK(v == std::vector<std::uint64_t>{0, 2, 3, 4, 7});
  REQUIRE(parse_indices("", 8, &v));
  CHECK(v.empty());
  for (const char* bad : {"8", "1,1", "1,0", "0,1", "2-3,4", "1-1", "2-1", "01", "1-", "-1", "1,,3", ",1", "1,", " 1",
                          "1 ", "a", "0-4294967296000", "1-3-5"})
    CHECK_MESSAGE(!parse_indices(bad, 8, &v), bad);
  std::string s;
  REQUIRE(parse_base64("AAECgA==", &s));
  CHECK(s == std::string({0, 1, 2, static_cast<char>(0x80)}));
  REQUIRE(parse_base64("", &s));
  CHECK(s.empty());
  for (const char* bad :
       {"A", "AA", "AAA", "AA=A", "=AAA", "AB==", "AAB=", "AA==AAAA", "A-==", "A\n==", "A===", "===="})
    CHECK_MESSAGE(!parse_base64(bad, &s), bad);
}

TEST_CASE("digests depend on everything") {
  Random r(5);
  const Graph g = random_graph(r, 6);
  const std::string digest = graph_digest(g);
  CHECK(digest.size() == 64);
  for (std::size_t k = 0; k < g.nodes.size(); ++k) {
    Graph changed = g;
    if (!changed.nodes[k].payload.empty()) {
      changed.nodes[k].payload[0] = changed.nodes[k].payload[0] == 0 ? -0.0 : -changed.nodes[k].payload[0];
      CHECK(graph_digest(changed) != digest);
    }
    changed = g;
    if (!changed.nodes[k].ints.empty()) {
      ++changed.nodes[k].ints[0];
      CHECK(graph_digest(changed) != digest);
    }
    changed = g;
    changed.nodes[k].kind = changed.nodes[k].kind == Kind::relu ? Kind::abs : Kind::relu;
    CHECK(graph_digest(changed) != digest);
  }
  Graph wide = g;
  wide.is_binary64 = true;
  CHECK(graph_digest(wide) != digest);
  // The page's own definition, written out for a graph of two nodes.
  GraphBuilder b(1);
  b.like(Kind::shift, 0, {1.5});
  Sha256 hash;
  hash.update("outward-graph-1\n", 16);
  const std::uint64_t words[] = {32, 2, 0, 0, 1, 0, 0, 8, 1, 0, 1, 0, 1};
  hash.update(words, sizeof words);
  hash.update("\x00\x00\xc0\x3f", 4);
  const std::uint64_t last = 1;
  hash.update(&last, 8);
  CHECK(graph_digest(b.graph) == hash.hex());
  Property p = property(b.graph, {{{Fraction(BigInt(1), BigInt(10)), Fraction(2), true, false}}}, {{0, {{-1, 0}}}});
  Sha256 text;
  const std::string page = "outward-property-1\ninputs 1 outputs 1\ncase\n1/10! 2\n<= 0:-1 0\n";
  text.update(page.data(), page.size());
  CHECK(property_digest(p) == text.hex());
  p.bound_only = true, p.cases.clear();
  Sha256 bound;
  const std::string other = "outward-property-1\ninputs 1 outputs 1\nbound\n1/10! 2\n";
  bound.update(other.data(), other.size());
  CHECK(property_digest(p) == bound.hex());
}

TEST_CASE("graphs that break an invariant are named") {
  const auto fault = [](const std::function<void(GraphBuilder&)>& f) {
    GraphBuilder b(4);
    f(b);
    return graph_fault(b.graph);
  };
  CHECK(fault([](GraphBuilder& b) { b.like(Kind::relu, 0); }) == "");
  CHECK(fault([](GraphBuilder& b) {
          b.add(Kind::conv, {0}, 4, {1, 1, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0}, {2});
        }) == "");
  using F = std::function<void(GraphBuilder&)>;
  const F bad[] = {
      [](GraphBuilder& b) { b.add(Kind::input, {}, 4); },
      [](GraphBuilder& b) { b.add(Kind::relu, {1}, 4); },
      [](GraphBuilder& b) { b.add(Kind::relu, {0}, 3); },
      [](GraphBuilder& b) {
        b.add(Kind::relu, {0, 0}, 4);
      },
      [](GraphBuilder& b) { b.add(Kind::relu, {0}, 0); },
      [](GraphBuilder& b) { b.add(static_cast<Kind>(17), {0}, 4); },
      [](GraphBuilder& b) {
        b.like(Kind::shift, 0, {1, 2, 3});
      },
      [](GraphBuilder& b) {
        b.like(Kind::shift, 0, {1, 2, 3, infinity});
      },
      [](GraphBuilder& b) {
        b.like(Kind::shift, 0, {1, 2, 3, 0.1});
      },  // no binary32 number
      [](GraphBuilder& b) {
        b.like(Kind::shift, 0, {1, 2, 3, infinity - infinity});
      },
      [](GraphBuilder& b) {
        b.like(Kind::divide, 0, {1, 2, 3, 0});
      },
      [](GraphBuilder& b) {
        b.like(Kind::divide, 0, {1, 2, 3, -0.0});
      },
      [](GraphBuilder& b) { b.like(Kind::leaky, 0, {1.5}); },
      [](GraphBuilder& b) { b.like(Kind::leaky, 0, {-0.5}); },
      [](GraphBuilder& b) {
        b.like(Kind::clip, 0, {1, 0});
      },
      [](GraphBuilder& b) { b.add(Kind::max, {0}, 2, {3}); },
      [](GraphBuilder& b) { b.add(Kind::max, {0}, 4, {0}); },
      [](GraphBuilder& b) {
        b.add(Kind::map, {0}, 2, {0, 4});
      },
      [](GraphBuilder& b) {
        b.add(Kind::map, {0}, 2, {0, -1});
      },
      [](GraphBuilder& b) { b.add(Kind::map, {0}, 2, {0}); },
      [](GraphBuilder& b) { b.add(Kind::map, {}, 1, {0}); },
      [](GraphBuilder& b) {
        b.add(Kind::reduce, {0}, 2, {2, 1});
      },
      [](GraphBuilder& b) {
        b.add(Kind::reduce, {0}, 2, {2, 1, 0});
      },
      [](GraphBuilder& b) {
        b.add(Kind::reduce, {0}, 2, {3, 1, 1});
      },
      [](GraphBuilder& b) {
        b.add(Kind::add, {0, 0}, 4, {2});
      },
      [](GraphBuilder& b) { b.add(Kind::add, {0}, 4, {0}); },
      [](GraphBuilder& b) {
        b.add(Kind::dense, {0}, 2, {1, 3, 2, 0}, {1, 2, 3, 4, 5, 6});
      },
      [](GraphBuilder& b) {
        b.add(Kind::dense, {0}, 2, {1, 4, 2, 0}, {1, 2, 3, 4, 5, 6, 7});
      },
      [](GraphBuilder& b) {
        b.add(Kind::dense, {0}, 2, {1, 4, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
      },
      [](GraphBuilder& b) {
        b.add(Kind::dense, {0}, 2, {1, 4, 2, 2}, std::vector<double>(10, 1));
      },
      [](GraphBuilder& b) {
        b.add(Kind::dense, {0}, 4, {2, 2, 2, -1}, std::vector<double>(4, 1));
      },
      [](GraphBuilder& b) {
        b.add(Kind::conv, {0}, 4, {1, 1, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 2, 1, 0}, {2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::conv, {0}, 4, {1, 1, 2, 2, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0}, {2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::conv, {0}, 4, {1, 1, 2, 2, 1, 1, 1, 1, 1, 0, -1, 0, 1, 1, 1, 1, 2, 2, 0}, {2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::conv, {0}, 4, {1, 1, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 2, 2, 2, 0}, {2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::conv, {0}, 4, {1, 2147483648, 2147483648, 2147483648, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0},
              {2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::bn, {0}, 4, {2, 1}, {1, 1, 0, 0, 0, 0, 1, -1, 2});
      },
      [](GraphBuilder& b) {
        b.add(Kind::bn, {0}, 4, {2, 1}, {1, 1, 0, 0, 0, 0, 1, 0, 0});
      },
      [](GraphBuilder& b) {
        b.add(Kind::bn, {0}, 4, {3, 1}, std::vector<double>(13, 1));
      },
      [](GraphBuilder& b) {
        b.like(Kind::relu, 0);
        b.like(Kind::neg, 0);
      },
  };
  int number = 0;
  for (const F& f : bad) {
    CHECK_MESSAGE(fault(f) != "", number);
    ++number;
  }
  Graph none;
  CHECK(graph_fault(none) != "");
}
