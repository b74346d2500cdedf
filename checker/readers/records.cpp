// Records of certificates: see records.hpp.
#include "checker/readers/records.hpp"

#include <algorithm>

#include "checker/kernel/fraction.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

// One line per record: name, then key:type in file order. "key=value" fixes a string and selects
// the line. Types: u integer, s string, h 64 hex digits, d exact number; U, S, H, D lists of these;
// F files, P shapes, R ranges.
constexpr const char* schema[] = {
    "header format=outward-certificate version:u claim:s semantics:s producer:s",
    "model files:F shapes:P element:s inputs:u outputs:u nodes:u graph:h",
    "property kind=vnnlib path:s sha256:h cases:u boxes:u digest:h",
    "property kind=radius centre:S radius:s scale:s mean:S std:S layout:s clip:S target:s label:u "
    "range:S "
    "deviation:s cases:u boxes:u digest:h",
    "numerics format:s rounding:s subnormals:s order:s fusion:s",
    "capsules profile:s names:S sha256:H",
    "box box:u",
    "slopes id:u node:u lower:s upper:s",
    "step node:u method=interval",
    "step node:u method=backward lower:s upper:s slopes:U",
    "refute case:u rows:U lambda:D slopes:U ranges:R",
    "split node:u element:u at:d",
    "crossed node:u element:u",
    "close",
    "open",
    "point case:u values:S",
    "bound output:u side:s value:d slopes:U",
    "footer records:u sha256:h"};

std::string_view word(std::string_view* rest) {
  const std::size_t end = std::min(rest->find(' '), rest->size());
  const std::string_view first = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return first;
}

[[noreturn]] void malformed(const std::string& text) {
  throw ReadError(ReadError::Class::malformed, text);
}
void require(bool holds, const std::string& key, const char* expected) {
  if (!holds) malformed("\"" + key + "\": expected " + expected);
}

void check_object(std::string_view keys, const Json& object);

void check_value(char type, const std::string& key, const Json& v) {
  Fraction ignored;
  const bool is_text = v.kind == Json::Kind::string;
  if (type == 'u') return require(v.kind == Json::Kind::integer, key, "an integer");
  if (type == 's') return require(is_text, key, "a string");
  if (type == 'd')
    return require(is_text && Fraction::parse(v.text, &ignored), key, "m*2^e (m odd) or 0");
  if (type == 'h') {
    const bool only_digits = v.text.find_first_not_of(hex_digits) == std::string::npos;
    return require(is_text && v.text.size() == 64 && only_digits, key, "64 lower-case hex digits");
  }
  require(v.kind == Json::Kind::list, key, "a list");
  for (const Json& item : v.items) {
    if (type == 'F') {
      check_object("path:s bytes:u sha256:h", item);
    } else if (type == 'P') {
      check_object("input:s dims:U", item);
    } else if (type == 'R') {
      check_object("node:u element:u value:d", item);
    } else {
      check_value(static_cast<char>(type - 'A' + 'a'), key, item);
    }
  }
}

// The object has exactly the keys, in this order, with values of the types.
void check_object(std::string_view keys, const Json& object) {
  std::size_t i = 0;
  for (; !keys.empty(); ++i) {
    const std::string_view entry = word(&keys);
    const std::size_t mark = entry.find_first_of(":=");
    const std::string key(entry.substr(0, mark));
    require(i < object.keys.size() && object.keys[i] == key, key, "this key next");
    check_value(entry[mark] == '=' ? 's' : entry[mark + 1], key, object.items[i]);
  }
  require(i == object.keys.size(), i < object.keys.size() ? object.keys[i] : "", "no further key");
}

// Whether the object has every string that the line fixes.
bool selects(std::string_view line, const Json& object) {
  while (!line.empty()) {
    const std::string_view entry = word(&line);
    const std::size_t mark = entry.find('=');
    if (mark == std::string_view::npos) continue;
    const auto at = std::find(object.keys.begin(), object.keys.end(), entry.substr(0, mark));
    if (at == object.keys.end() ||
        object.items[at - object.keys.begin()].text != entry.substr(mark + 1))
      return false;
  }
  return true;
}

}  // namespace

const Json& Record::at(std::string_view key) const {
  return fields.items[std::find(fields.keys.begin(), fields.keys.end(), key) - fields.keys.begin()];
}

RecordReader::RecordReader(const std::string& path)
    : file_(std::fopen(path.c_str(), "rb"), std::fclose) {
  if (!file_) throw ReadError(ReadError::Class::io, path + ": cannot be opened");
}

void RecordReader::read_line() {
  text_.clear();
  int c = getc_unlocked(file_.get());
  if (c == EOF) throw FooterFault{"the footer record is missing"};
  for (++line_; c != '\n'; c = getc_unlocked(file_.get())) {
    if (c == EOF) malformed("the last line has no line end");
    if (text_.size() == limit(Limit::line_bytes)) over(Limit::line_bytes, "a longer line");
    text_.push_back(static_cast<char>(c));
  }
}

bool RecordReader::next(Record* record) {
  try {
    read_line();
    record->fields = parse_json(text_);
    Json& f = record->fields;
    if (f.kind != Json::Kind::object || f.keys[0] != "record" ||
        f.items[0].kind != Json::Kind::string)
      malformed("expected an object whose first key is \"record\"");
    record->line = line_, record->name = f.items[0].text;
    f.keys.erase(f.keys.begin()), f.items.erase(f.items.begin());
    const auto line = std::find_if(
        std::begin(schema), std::end(schema),
        [&](std::string_view keys) { return word(&keys) == record->name && selects(keys, f); });
    if (line == std::end(schema))
      malformed("no record \"" + record->name + "\" of this kind is known");
    std::string_view keys = *line;
    word(&keys);
    check_object(keys, f);
  } catch (const ReadError& e) {
    throw ReadError(e.kind, "line " + std::to_string(line_) + ": " + e.what());
  }
  if (record->name != "footer") {
    text_ += '\n';
    digest_.update(text_.data(), text_.size());
    return true;
  }
  if (record->number("records") != line_ - 1) {
    throw FooterFault{"footer: expected " + std::to_string(line_ - 1) + " records, found " +
                      std::to_string(record->number("records"))};
  }
  const std::string digest = digest_.hex();
  if (digest != record->text("sha256")) {
    throw FooterFault{"footer: expected SHA-256 " + digest + ", found " + record->text("sha256")};
  }
  if (std::fgetc(file_.get()) != EOF) throw FooterFault{"bytes follow the footer"};
  return false;
}

bool is_certificate(std::string_view first_bytes) {
  return first_bytes.starts_with("{\"record\":\"header\",");
}

bool parse_indices(std::string_view text, std::uint64_t limit, std::vector<std::uint64_t>* out) {
  const auto take = [&](char c) {
    const bool found = text.starts_with(c);
    text.remove_prefix(found);
    return found;
  };
  out->clear();
  while (!text.empty()) {
    std::uint64_t first = 0, last = 0;
    if (!out->empty() && !take(',')) return false;
    if (limit == 0 || !take_integer(&text, limit - 1, &first)) return false;
    last = first;
    if (take('-') && (!take_integer(&text, limit - 1, &last) || last <= first)) return false;
    if (!out->empty() && first <= out->back() + 1) return false;  // increasing, maximal runs
    for (std::uint64_t i = first; i <= last; ++i) out->push_back(i);
  }
  return true;
}

bool parse_base64(std::string_view text, std::string* out) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out->clear();
  if (text.size() % 4 != 0) return false;
  text.remove_suffix(text.ends_with("==") ? 2 : text.ends_with('='));
  std::uint32_t bits = 0, held = 0;  // the last `held` bits were not given yet
  for (char c : text) {
    const std::size_t value = letters.find(c);
    if (value == std::string_view::npos) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value), held += 6;
    if (held >= 8) out->push_back(static_cast<char>(bits >> (held -= 8)));
  }
  return (bits & ((1u << held) - 1)) == 0;
}

}  // namespace outward_check
