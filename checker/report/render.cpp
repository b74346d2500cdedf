// Text and JSON of a verdict: see line.hpp.
#include <ostream>

#include "checker/readers/json.hpp"
#include "checker/report/line.hpp"

namespace outward_check {

namespace {

std::string json_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + json_string(utf8(item));
  return "[" + out + "]";
}

bool take(std::string_view* text, std::string_view start) {
  if (!text->starts_with(start)) return false;
  text->remove_prefix(start.size());
  return true;
}
std::string_view take_until(std::string_view* text, std::string_view end) {
  const std::size_t at = text->find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view found = text->substr(0, at);
  text->remove_prefix(at + end.size());
  return found;
}

}  // namespace

Reason taken_apart(const Line& line, const std::string& reason) {
  Reason r;
  std::string_view rest = reason;
  take(&rest, line.file + ": ");
  if (take(&rest, "line ") && !take_integer(&rest, ~std::uint64_t{0}, &r.line)) r.line = 0;
  std::string record;
  if (r.line != 0 && take(&rest, ", record ")) {
    record = take_until(&rest, ", rule ");
    r.code = take_until(&rest, ": ");
  } else if (r.line != 0) {
    take(&rest, ": ");
  } else {
    rest = reason;
    take(&rest, line.file + ": ");
  }
  if (r.code.empty())
    for (char c : line.word) r.code += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (char& c : r.code) c = c == ' ' ? '-' : c;
  r.text = (record.empty() ? "" : "record " + record + ": ") + std::string(rest);
  return r;
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
      << ",\"reasons\":" << json_list(l.reasons) << ",\"notes\":" << json_list(l.notes) << "}\n";
}

void print_text(const Line& l, const Options& options, std::ostream& out, std::ostream& details) {
  out << l.word << ' ' << l.file;
  if (!l.detail.empty()) {
    out << ": " << l.detail;
    for (std::size_t i = 0; i < l.claims.size(); ++i) out << (i == 0 ? " under " : " and ") << l.claims[i];
  }
  out << '\n';
  for (const std::string& b : l.bounds) out << "  " << b << '\n';
  for (const std::string& s : l.statements) out << "  " << s << '\n';
  out.flush();
  if (options.quiet) return;
  for (const std::string& reason : l.reasons) {
    const Reason r = taken_apart(l, reason);
    details << l.file << (r.line == 0 ? "" : ":" + std::to_string(r.line)) << ": " << r.code << ": " << r.text << '\n';
  }
  if (!options.explain) return;
  for (const std::string& n : l.notes) details << l.file << ": note: " << n << '\n';
  details
      << l.file << ": " << l.records << " records, " << l.exact_decisions << " decided by exact arithmetic\n"
      << "trusted: this program, its compiler and CPU, ONNX semantics as certificates/FORMAT.md section 2 states them\n"
      << "float claims do not cover flush to zero, Winograd or FFT convolution, TF32, x87 and approximate division\n";
}

}  // namespace outward_check
