// Text and JSON of a verdict: see line.hpp.
#include <ostream>

#include "checker/readers/json.hpp"
#include "checker/report/explain.hpp"
#include "checker/report/line.hpp"

namespace outward_check {

namespace {

std::string json_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + json_string(utf8(item));
  return "[" + out + "]";
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = c == '_' || c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

}  // namespace

std::string stable_code(const Line& l) { return in_small_letters(l.rule.empty() ? l.word : l.rule); }

std::vector<std::string> whole_reasons(const Line& l) {
  std::vector<std::string> reasons = l.reasons;
  if (l.at == 0 || reasons.empty()) return reasons;
  const std::string where = l.rule.empty() ? "" : ", record " + l.record + ", rule " + l.rule;
  reasons.back() = "line " + std::to_string(l.at) + where + ": " + reasons.back();
  return reasons;
}

std::string claim_text(const Line& l) {
  std::string text = l.detail;
  for (std::size_t i = 0; i < l.claims.size(); ++i) text += (i == 0 ? " under " : " and ") + l.claims[i];
  const bool unproved = !l.followed || l.word == "INCOMPLETE" || l.word == "INVALID" || l.word == "RESOURCE_LIMIT";
  return unproved && !l.claims.empty() ? "not proved: " + text : text;
}

std::string utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string("\xef\xbf\xbd") : std::string(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

void print_json(const Line& l, std::ostream& out) {
  out << "{\"certificate\":" << json_string(utf8(l.file)) << ",\"verdict\":" << json_string(l.word)
      << ",\"exit\":" << l.code << ",\"claim\":" << json_string(l.detail) << ",\"semantics\":" << json_list(l.claims)
      << ",\"records\":" << l.records << ",\"exact_decisions\":" << l.exact_decisions
      << ",\"bounds\":" << json_list(l.bounds) << ",\"statements\":" << json_list(l.statements)
      << ",\"reasons\":" << json_list(whole_reasons(l)) << ",\"notes\":" << json_list(l.notes) << "}\n";
}

void print_text(const Line& l, const Options& options, std::ostream& out, std::ostream& details) {
  out << l.word << ' ' << l.file << (l.detail.empty() ? "" : ": ") << claim_text(l) << '\n';
  for (const std::string& b : l.bounds) out << "  " << b << '\n';
  for (const std::string& s : l.statements) out << "  " << s << '\n';
  out.flush();
  if (options.quiet) return;
  for (const std::string& reason : l.reasons) {
    const bool located = l.at != 0 && &reason == &l.reasons.back();
    details << l.file << (located ? ":" + std::to_string(l.at) : "") << ": "
            << (located ? stable_code(l) : in_small_letters(l.word)) << ": "
            << (located && !l.record.empty() ? "record " + l.record + ": " : "") << reason << '\n';
  }
  if (!options.explain) return;
  for (const std::string& n : l.notes) details << l.file << ": note: " << n << '\n';
  if (l.records > 0)
    details << l.file << ": " << l.records << " records, " << l.exact_decisions << " decided by exact arithmetic\n";
  explain(l, options, details);
}

}  // namespace outward_check
