// The text forms of FORMAT.md section 7: index lists, base64, strings, and whole certificates byte for byte.
#include "certificates/writer.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace outward;

namespace {

std::string list(std::vector<std::uint32_t> v) { return index_list(v); }
std::string coded(const std::string& s) {
  return base64(std::span(reinterpret_cast<const std::uint8_t*>(s.data()), s.size()));
}

// out = max(2·x − 1, 0): the worked example of FORMAT.md section 8.
Model worked_model() {
  Model m;
  Node input, dense, relu;
  input.size = dense.size = relu.size = 1;
  dense.kind = Kind::dense;
  dense.operands = {0};
  dense.ints = {1, 1, 1, 1};
  dense.payload = {2.0, -1.0};
  relu.kind = Kind::relu;
  relu.operands = {1};
  m.graph.nodes = {input, dense, relu};
  m.graph.output = 2;
  m.files = {{"worked.onnx", 123, std::string(64, 'a')}};
  return m;
}

Property worked_property() {
  Property p;
  p.inputs = p.outputs = 1;
  p.kind = "vnnlib";
  p.path = "worked.vnnlib";
  p.file_sha256 = std::string(64, 'b');
  p.boxes = {{{Rational(0), Rational(1), false, false}}};
  p.cases = {{0, {{{{0, Integer(2)}}, Integer(-5), false, 3}}}};
  p.cases[0].rows[0].terms[0].second = -2;  // y >= 5/2 is unsafe: −2·y + 5 <= 0
  p.cases[0].rows[0].constant = 5;
  return p;
}

}  // namespace

TEST_CASE("index lists are maximal runs") {
  CHECK(list({}) == "");
  CHECK(list({7}) == "7");
  CHECK(list({0, 1}) == "0-1");
  CHECK(list({0, 2, 3, 4, 9}) == "0,2-4,9");
  CHECK(list({1, 3, 5}) == "1,3,5");
}

TEST_CASE("base64 of RFC 4648 section 10") {
  CHECK(coded("") == "");
  CHECK(coded("f") == "Zg==");
  CHECK(coded("fo") == "Zm8=");
  CHECK(coded("foo") == "Zm9v");
  CHECK(coded("foob") == "Zm9vYg==");
  CHECK(coded("fooba") == "Zm9vYmE=");
  CHECK(coded("foobar") == "Zm9vYmFy");
}

TEST_CASE("strings escape quotes, backslashes and control characters, and nothing else") {
  CHECK(json_string("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(json_string(std::string("x\n\x1f", 3)) == "\"x\\u000A\\u001F\"");
  CHECK(json_string("é/") == "\"é/\"");
}

TEST_CASE("the worked example of FORMAT.md section 8, byte for byte") {
  CertificateWriter w({"holds", "fp32_any", "example"}, worked_model(), worked_property());
  w.box(0);
  w.interval(1);
  w.interval(2);
  const std::uint8_t bytes[] = {128};
  w.slopes(0, 2, bytes, {});
  const std::uint32_t row = 0, id = 0;
  const double one = 1.0;
  w.refute(0, std::span(&row, 1), std::span(&one, 1), std::span(&id, 1));
  w.close();
  const std::string text = w.finish().whole();
  std::ifstream file(std::string(OUTWARD_SOURCE_DIR) + "/certificates/FORMAT.md");
  std::string page((std::istreambuf_iterator<char>(file)), {});
  // The page shows each line indented by four spaces.
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = text.find('\n', from);
    const std::string line = text.substr(from, to - from);
    CAPTURE(line);
    CHECK(page.find("\n    " + line + "\n") != std::string::npos);
    from = to + 1;
  }
}

TEST_CASE("rewinding drops records and their count") {
  CertificateWriter a({"holds", "real", "example"}, worked_model(), worked_property());
  CertificateWriter b({"holds", "real", "example"}, worked_model(), worked_property());
  a.box(0);
  b.box(0);
  const auto mark = b.mark();
  b.interval(1);
  b.interval(2);
  b.rewind(mark);
  a.close();
  b.close();
  CHECK(a.finish().whole() == b.finish().whole());
}

TEST_CASE("names that are UTF-8 and names that are not") {
  for (const char* good : {"", "a", "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80",
                           "\xf4\x8f\xbf\xbf", "a\xe2\x82\xac."})
    CHECK(is_utf8(good));
  for (const char* bad : {"\x80", "\xff", "a\xc3", "\xc3.", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x90\x80"})
    CHECK(!is_utf8(bad));
}
