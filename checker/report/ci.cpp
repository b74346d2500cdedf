// SARIF, JUnit and in-toto: see ci.hpp.
#include "checker/report/ci.hpp"

#include <ostream>
#include <set>

#include "checker/readers/json.hpp"

namespace outward_check {

namespace {

std::string json_quoted(std::string_view text) { return json_string(utf8(text)); }

// A path as a URI reference: everything but unreserved characters and / is percent-encoded (RFC 3986).
std::string uri(std::string_view path) {
  std::string out;
  for (char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    out += plain ? std::string(1, c) : std::string{'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
  }
  return out;
}

// XML 1.0 has no way to write most control characters, not even escaped.
std::string xml(std::string_view text) {
  std::string out;
  for (char c : utf8(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n' || c == '\t')
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out;
}

std::string verdict(const Line& l) { return l.word + (l.detail.empty() ? "" : ": " + claim_text(l)); }

std::string message(const Line& l) {
  std::string text = verdict(l);
  for (const std::string& s : l.statements) text += "\n" + s;
  for (const std::string& r : whole_reasons(l)) text += "\n" + r;
  return text;
}

std::string sarif_result(const Line& l) {
  const char* level = l.code == 0 ? "none" : l.code == 2 ? "warning" : "error";
  std::string region;
  if (l.at != 0) region = ",\"region\":{\"startLine\":" + std::to_string(l.at) + "}";
  return "{\"ruleId\":" + json_quoted(stable_code(l)) + ",\"kind\":\"" + (l.code == 0 ? "pass" : "fail") +
         "\",\"level\":\"" + level + "\",\"message\":{\"text\":" + json_quoted(message(l)) +
         "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":" + json_quoted(uri(l.file)) + "}" +
         region + "}}]}";
}

std::string resource(const Line::File& f) {
  return "{\"name\":" + json_quoted(f.name) + ",\"digest\":{\"sha256\":" + json_quoted(f.sha256) + "}}";
}

}  // namespace

void print_sarif(const std::vector<Line>& lines, std::ostream& out) {
  std::set<std::string> codes;
  std::string results, rules;
  for (const Line& l : lines) {
    codes.insert(stable_code(l));
    results += (results.empty() ? "" : ",\n") + sarif_result(l);
  }
  for (const std::string& c : codes) rules += (rules.empty() ? "" : ",") + ("{\"id\":" + json_quoted(c) + "}");
  out << "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{"
         "\"driver\":{\"name\":\"check\",\"rules\":["
      << rules << "]}},\"results\":[\n"
      << results << "\n]}]}\n";
}

void print_junit(const std::vector<Line>& lines, std::ostream& out) {
  std::size_t failures = 0, errors = 0;
  for (const Line& l : lines) failures += l.code == 1 || l.code == 2, errors += l.code > 2;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"check\" tests=\"" << lines.size()
      << "\" failures=\"" << failures << "\" errors=\"" << errors << "\">\n";
  for (const Line& l : lines) {
    out << "<testcase classname=\"check\" name=\"" << xml(l.file) << "\">";
    const char* kind = l.code == 0 ? nullptr : l.code <= 2 ? "failure" : "error";
    if (kind != nullptr)
      out << "<" << kind << " type=\"" << xml(l.word) << "\" message=\"" << xml(verdict(l)) << "\">" << xml(message(l))
          << "</" << kind << ">";
    out << "</testcase>\n";
  }
  out << "</testsuite>\n</testsuites>\n";
}

void print_statement(const std::vector<Line>& lines, const std::vector<std::string>& arguments, std::ostream& out) {
  std::set<std::string> seen;
  std::string subjects, tests, asked;
  for (const std::string& a : arguments) asked += (asked.empty() ? "" : ",") + json_quoted(a);
  for (const Line& l : lines) {
    for (const Line::File& f : l.about)
      if (seen.insert(f.name + '\0' + f.sha256).second) subjects += (subjects.empty() ? "" : ",") + resource(f);
    tests += (tests.empty() ? "" : ",") + json_quoted(l.file + ": " + claim_text(l));
  }
  out << "{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[" << subjects
      << "],\"predicateType\":\"https://in-toto.io/attestation/test-result/v0.1\",\"predicate\":{\"result\":\"PASSED\","
         "\"configuration\":[{\"name\":\"arguments\",\"annotations\":{\"arguments\":["
      << asked << "]}}],\"passedTests\":[" << tests << "],\"warnedTests\":[],\"failedTests\":[]}}";
}

}  // namespace outward_check
