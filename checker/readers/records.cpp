// Records of certificates: see records.hpp.
#include "checker/readers/records.hpp"

#include <algorithm>

#include "checker/kernel/dyadic.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr std::size_t max_line = std::size_t{1} << 28;

// One line per record: name, then key:type in file order. "key=value" fixes a string and selects the line.
// Types: u integer, s string, h 64 hex digits, d exact number; U, S, D lists of these; F files, P shapes, R ranges.
constexpr const char* schema[] = {
    "header format=outward-certificate version:u claim:s semantics:s producer:s",
    "model files:F shapes:P element:s inputs:u outputs:u nodes:u graph:h",
    "property kind=vnnlib path:s sha256:h cases:u boxes:u digest:h",
    "property kind=radius centre:S radius:s scale:s mean:S std:S layout:s clip:S target:s label:u range:S "
    "deviation:s cases:u boxes:u digest:h",
    "numerics format:s rounding:s subnormals:s order:s fusion:s",
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

bool is_digest(const std::string& s) {
  return s.size() == 64 &&
         std::all_of(s.begin(), s.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string object_fault(std::string_view keys, const Json& object);

// Empty if the value has the type, else what was expected.
std::string type_fault(char type, const Json& v) {
  Dyadic ignored;
  const bool is_text = v.kind == Json::Kind::string;
  switch (type) {
    case 'u':
      return v.kind == Json::Kind::integer ? "" : "an integer";
    case 's':
      return is_text ? "" : "a string";
    case 'h':
      return is_text && is_digest(v.text) ? "" : "64 lower-case hex digits";
    case 'd':
      return is_text && Dyadic::parse(v.text, &ignored) ? "" : "an exact number m*2^e (m odd) or 0";
    default:
      break;
  }
  if (v.kind != Json::Kind::list) return "a list";
  for (const Json& item : v.items) {
    std::string fault;
    if (type == 'F') {
      fault = object_fault("path:s bytes:u sha256:h", item);
    } else if (type == 'R') {
      fault = object_fault("node:u element:u value:d", item);
    } else if (type == 'P') {
      fault = object_fault("input:s dims:U", item);
    } else {
      fault = type_fault(static_cast<char>(type - 'A' + 'a'), item);
    }
    if (!fault.empty()) return "a list of items that are " + fault;
  }
  return "";
}

// Empty if the object has exactly the keys, in this order, with values of the types.
std::string object_fault(std::string_view keys, const Json& object) {
  if (object.kind != Json::Kind::object) return "an object";
  std::size_t i = 0;
  for (; !keys.empty(); ++i) {
    const std::string_view entry = word(&keys);
    const std::size_t mark = entry.find_first_of(":=");
    const std::string key(entry.substr(0, mark));
    const std::string_view rest = entry.substr(mark + 1);
    if (i == object.keys.size()) return "the key \"" + key + "\" (found no more keys)";
    if (object.keys[i] != key) return "the key \"" + key + "\" (found \"" + object.keys[i] + "\")";
    std::string fault;
    if (entry[mark] == ':') {
      fault = type_fault(rest[0], object.items[i]);
    } else if (object.items[i].kind != Json::Kind::string || object.items[i].text != rest) {
      fault = "the string \"" + std::string(rest) + "\"";
    }
    if (!fault.empty()) return "for \"" + key + "\" " + fault;
  }
  return i == object.keys.size() ? "" : "no further key (found \"" + object.keys[i] + "\")";
}

}  // namespace

const Json& Record::at(std::string_view key) const {
  return fields
      .items[static_cast<std::size_t>(std::find(fields.keys.begin(), fields.keys.end(), key) - fields.keys.begin())];
}

RecordReader::RecordReader(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) throw ReadError(ReadError::Class::io, path + ": cannot be opened");
}
RecordReader::~RecordReader() { std::fclose(file_); }

bool RecordReader::read_line() {
  text_.clear();
  for (;;) {
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    if (text_.size() + (end - at_) > max_line) {
      throw ReadError(ReadError::Class::limit, "line " + std::to_string(line_ + 1) + ": longer than 2^28 bytes");
    }
    text_.append(buffer_, at_, end - at_);
    at_ = end + 1;
    if (end < buffer_.size()) return ++line_, true;
    buffer_.resize(1 << 16);
    buffer_.resize(std::fread(buffer_.data(), 1, buffer_.size(), file_));
    at_ = 0;
    if (!buffer_.empty()) continue;
    if (text_.empty()) return false;
    throw ReadError(ReadError::Class::malformed,
                    "line " + std::to_string(line_ + 1) + ": the last line has no line end");
  }
}

bool RecordReader::next(Record* record) {
  if (!read_line()) throw FooterFault{"the footer record is missing"};
  record->line = line_;
  try {
    record->fields = parse_json(text_);
    Json& f = record->fields;
    if (f.kind != Json::Kind::object || f.keys[0] != "record" || f.items[0].kind != Json::Kind::string) {
      throw ReadError(ReadError::Class::malformed, "expected an object whose first key is \"record\"");
    }
    record->name = f.items[0].text;
    f.keys.erase(f.keys.begin()), f.items.erase(f.items.begin());
    std::string fault = "expected a known record, found \"" + record->name + "\"";
    for (std::string_view line : schema) {
      if (word(&line) != record->name) continue;
      const std::string first = object_fault(line, f);
      if (first.empty()) {
        fault.clear();
        break;
      }
      const bool variant = first.find("the string \"") != std::string::npos;  // of another kind or method
      if (!variant || fault.find("known record") != std::string::npos) fault = record->name + ": expected " + first;
    }
    if (!fault.empty()) throw ReadError(ReadError::Class::malformed, fault);
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
  if (at_ < buffer_.size() || std::fgetc(file_) != EOF) throw FooterFault{"bytes follow the footer"};
  return false;
}

bool is_certificate(std::string_view first_bytes) { return first_bytes.starts_with("{\"record\":\"header\","); }

bool parse_indices(std::string_view text, std::uint64_t limit, std::vector<std::uint64_t>* out) {
  const auto number = [&](std::uint64_t* n) {
    std::size_t digits = 0;
    for (*n = 0; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 12; ++digits) {
      *n = *n * 10 + static_cast<std::uint64_t>(text[digits] - '0');
    }
    const bool good = digits > 0 && (digits == 1 || text[0] != '0') && *n < limit;
    text.remove_prefix(digits);
    return good;
  };
  out->clear();
  while (!text.empty()) {
    std::uint64_t first = 0, last = 0;
    if (!out->empty()) {
      if (text[0] != ',') return false;
      text.remove_prefix(1);
    }
    if (!number(&first)) return false;
    last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!number(&last) || last <= first) return false;
    }
    if (!out->empty() && first <= out->back() + 1) return false;  // increasing, maximal runs
    for (std::uint64_t i = first; i <= last; ++i) out->push_back(i);
  }
  return true;
}

bool parse_base64(std::string_view text, std::string* out) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out->clear();
  if (text.size() % 4 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t pad = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 4 - pad; ++j) {
      const std::size_t value = letters.find(text[i + j]);
      if (value == std::string_view::npos) return false;
      bits |= static_cast<std::uint32_t>(value) << (18 - 6 * j);
    }
    if ((pad == 1 && (bits & 0xff) != 0) || (pad == 2 && (bits & 0xffff) != 0)) return false;
    for (std::size_t j = 0; j < 3 - pad; ++j) out->push_back(static_cast<char>(bits >> (16 - 8 * j)));
  }
  return true;
}

}  // namespace outward_check
