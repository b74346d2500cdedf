// Text and JSON of a verdict: see line.hpp.
#include <ostream>

#include "checker/report/line.hpp"

namespace outward_check {

namespace {

std::string json_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + json_string(item);
  return "[" + out + "]";
}

}  // namespace

void print_json(const Line& l, std::ostream& out) {
  out << "{\"certificate\":" << json_string(l.file) << ",\"verdict\":" << json_string(l.word) << ",\"exit\":" << l.code
      << ",\"claim\":" << json_string(l.detail) << ",\"semantics\":" << json_list(l.claims)
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
  for (const std::string& r : l.reasons) details << l.file << ": " << r << '\n';
  if (!options.explain) return;
  for (const std::string& n : l.notes) details << l.file << ": note: " << n << '\n';
  details
      << l.file << ": " << l.records << " records, " << l.exact_decisions << " decided by exact arithmetic\n"
      << "trusted: this program, its compiler and CPU, ONNX semantics as certificates/FORMAT.md section 2 states them\n"
      << "float claims do not cover flush to zero, Winograd or FFT convolution, TF32, x87 and approximate division\n";
}

}  // namespace outward_check
