// Text form: one block per record, its name on a line, then one indented line `key value` per key; values
// are canonical JSON. Blocks are the records in file order, the footer included.
#include "checker/report/text_form.hpp"

#include <istream>
#include <ostream>

#include "checker/readers/readers.hpp"
#include "checker/readers/records.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

namespace {

std::string json_text(const Json& v) {
  if (v.kind == Json::Kind::integer) return std::to_string(v.number);
  if (v.kind == Json::Kind::string) return json_string(v.text);
  std::string out;
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    if (i > 0) out += ',';
    if (v.kind == Json::Kind::object) out += json_string(v.keys[i]) + ":";
    out += json_text(v.items[i]);
  }
  return v.kind == Json::Kind::object ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace

void print_certificate(const std::string& path, std::ostream& out) {
  RecordReader reader(path);
  Record record;
  for (bool more = true; more;) {
    more = reader.next(&record);
    out << record.name << '\n';
    for (std::size_t i = 0; i < record.fields.keys.size(); ++i) {
      out << "  " << record.fields.keys[i] << ' ' << json_text(record.fields.items[i]) << '\n';
    }
  }
}

void parse_certificate(std::istream& in, std::ostream& out) {
  std::string line, record;
  std::uint64_t number = 0;
  const auto flush = [&] {
    if (!record.empty()) out << record << "}\n";
    record.clear();
  };
  while (std::getline(in, line)) {
    ++number;
    const std::size_t space = line.find(' ', 2);
    const bool is_key = line.starts_with("  ") && space != std::string::npos && !record.empty();
    if (!is_key && (line.empty() || line.find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos)) {
      throw ReadError(ReadError::Class::malformed,
                      "line " + std::to_string(number) + ": expected a record name or \"  key value\"");
    }
    if (is_key) {
      record += "," + json_string(line.substr(2, space - 2)) + ":" + line.substr(space + 1);
    } else {
      flush();
      record = "{\"record\":" + json_string(line);
    }
  }
  flush();
}

}  // namespace outward_check
