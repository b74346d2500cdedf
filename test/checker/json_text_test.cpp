// Ordinary JSON of other tools: what is read, with which value, and what is refused with line and column.
#include "checker/translate/json_text.hpp"

#include <doctest/doctest.h>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {

std::string refusal(std::string_view text) {
  try {
    parse_json_text(text);
  } catch (const ReadError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("legal JSON in every style") {
  const JsonText v =
      parse_json_text("\t{ \"a\" : [ 1 , -0.5e+3 ,true,false , null ],\r\n\"b\":{},\"c\":[] , \"\":\"x\"}\n");
  CHECK(v.keys == std::vector<std::string>{"a", "b", "c", ""});
  const std::vector<JsonText>& a = v.find("a")->items;
  REQUIRE(a.size() == 5);
  CHECK(a[1].text == "-0.5e+3");
  CHECK(a[2].truth);
  CHECK_FALSE(a[3].truth);
  CHECK(a[4].is(JsonKind::null));
  CHECK(v.find("b")->line == 2);
  CHECK(v.find("b")->column == 5);
  CHECK(v.find("d") == nullptr);
  CHECK(parse_json_text(R"("\"\\\/\b\f\n\r\tA\u00e9\u20ac\ud83d\ude00")").text ==
        "\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001f600");
}

TEST_CASE("what is no JSON is refused with its place") {
  const char* bad[] = {"",
                       " ",
                       "{",
                       "[",
                       "[1,]",
                       "{\"a\":1,}",
                       "{\"a\"}",
                       "{a:1}",
                       "{1:1}",
                       "[1 2]",
                       "01",
                       "1.",
                       ".5",
                       "+1",
                       "-",
                       "1e",
                       "1e+",
                       "NaN",
                       "-Infinity",
                       "Infinity",
                       "nul",
                       "truex",
                       "'a'",
                       "\"a",
                       "\"\\x\"",
                       "\"\\u12\"",
                       "\"\\ud800\"",
                       "\"\\udc00\"",
                       "\"\\ud800\\u0041\"",
                       "\"\n\"",
                       "\"\xff\"",
                       "\"\xc0\x80\"",
                       "1 1",
                       "[1]]",
                       "/*c*/1",
                       "{\"a\":1,\"a\":2}",
                       "{\"a\":1,\"\\u0061\":2}"};
  for (const char* text : bad) CHECK_MESSAGE(refusal(text) != "", text);
  CHECK(refusal("[1,\n  2,\n  x]").starts_with("3:3:"));
  CHECK(refusal(std::string(limit(Limit::json_depth), '[') + std::string(limit(Limit::json_depth), ']')) == "");
  CHECK(refusal(std::string(limit(Limit::json_depth) + 1, '[')) != "");
  CHECK(refusal(std::string(1000000, '[')) != "");
}

TEST_CASE("numbers mean exact decimals or the nearest binary64, as the schema says") {
  const JsonText v = parse_json_text("[0.1, \"0.1\", 1e999, 1e-400, true, 3, 3.0, -1, 4, 1e99999]");
  const auto at = [&](std::size_t i) -> const JsonText& { return v.items[i]; };
  CHECK(decimal_of(at(0)) == Fraction(1, 10));
  CHECK(decimal_of(at(1)) == Fraction(1, 10));
  CHECK(binary64_of(at(0)) == Fraction::from_double(0.1));
  CHECK(binary64_of(at(3)).sign() == 0);
  CHECK_THROWS_AS(binary64_of(at(1)), ReadError);
  CHECK_THROWS_AS(binary64_of(at(2)), ReadError);
  CHECK_THROWS_AS(decimal_of(at(4)), ReadError);
  CHECK_THROWS_AS(decimal_of(at(9)), ReadError);
  CHECK(index_below(at(5), 4) == 3);
  for (std::size_t i : {0, 1, 4, 6, 7, 8}) CHECK_THROWS_AS(index_below(at(i), 4), ReadError);
  CHECK_THROWS_AS(index_below(at(5), 0), ReadError);
}

TEST_CASE("closed schemas") {
  const JsonText v = parse_json_text("{\"a\":[1,2],\"b\":\"x\"}");
  require_keys(v, {"a", "b"});
  require_keys(v, {"a"}, {"b", "c"});
  CHECK_THROWS_AS(require_keys(v, {"a"}), ReadError);
  CHECK_THROWS_AS(require_keys(v, {"a", "b", "c"}), ReadError);
  CHECK_THROWS_AS(require_keys(*v.find("a"), {}), ReadError);
  CHECK(list_of(member(v, "a", JsonKind::list), JsonKind::number).size() == 2);
  CHECK_THROWS_AS(list_of(member(v, "a", JsonKind::list), JsonKind::string), ReadError);
  CHECK_THROWS_AS(member(v, "a", JsonKind::object), ReadError);
  CHECK_THROWS_AS(member(v, "c", JsonKind::list), ReadError);
}
