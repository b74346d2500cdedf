// Records of certificates: see records.hpp.
#include "checker/readers/records.hpp"

#include <algorithm>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

// Schemas as parse_line reads them, the frequent ones first.
constexpr const char* schemas[] = {
    "record=step node:u method=backward lower:s upper:s slopes:U",
    "record=slopes id:u node:u lower:s upper:s",
    "record=refute case:u rows:U lambda:D slopes:U ranges:R",
    "record=split node:u element:u at:d",
    "record=close",
    "record=crossed node:u element:u",
    "record=step node:u method=interval",
    "record=box box:u",
    "record=open",
    "record=point case:u values:S",
    "record=bound output:u side:s value:d slopes:U",
    "record=footer records:u sha256:h",
    "record=header format=outward-certificate version:u claim:s semantics:s producer:s",
    "record=model files:F shapes:P element:s inputs:u outputs:u nodes:u graph:h",
    "record=property kind=vnnlib path:s sha256:h cases:u boxes:u digest:h",
    "record=property kind=radius centre:S radius:s scale:s mean:S std:S layout:s clip:S target:s "
    "label:u range:S deviation:s cases:u boxes:u digest:h",
    "record=numerics format:s rounding:s subnormals:s order:s fusion:s",
    "record=capsules profile:s names:S sha256:H"};

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
    if (c == EOF) throw ReadError(ReadError::Class::malformed, "the last line has no line end");
    if (text_.size() == limit(Limit::line_bytes)) over(Limit::line_bytes, "a longer line");
    text_.push_back(static_cast<char>(c));
  }
}

bool RecordReader::next(Record* record) {
  try {
    read_line();
    record->fields = parse_line(text_, schemas);
  } catch (const ReadError& e) {
    throw ReadError(e.kind, "line " + std::to_string(line_) + ": " + e.what());
  }
  Json& f = record->fields;
  record->line = line_, record->name = f.items[0].text;
  f.keys.erase(f.keys.begin()), f.items.erase(f.items.begin());
  if (record->name != "footer") {
    text_ += '\n';
    digest_.update(text_.data(), text_.size());
    return true;
  }
  const auto compare = [](const std::string& right, const std::string& found) {
    if (found != right) throw FooterFault{"footer: expected " + right + ", found " + found};
  };
  compare(std::to_string(line_ - 1) + " records",
          std::to_string(record->number("records")) + " records");
  compare("SHA-256 " + digest_.hex(), "SHA-256 " + record->text("sha256"));
  if (std::fgetc(file_.get()) != EOF) throw FooterFault{"bytes follow the footer"};
  return false;
}

bool is_certificate(std::string_view first_bytes) {
  return first_bytes.starts_with("{\"record\":\"header\",");
}

bool parse_indices(std::string_view text, std::uint64_t limit, std::vector<std::uint64_t>* out) {
  out->clear();
  while (!text.empty()) {
    std::uint64_t first = 0, last = 0;
    if (!out->empty() && !take(&text, ",")) return false;
    if (limit == 0 || !take_integer(&text, limit - 1, &first)) return false;
    last = first;
    if (take(&text, "-") && (!take_integer(&text, limit - 1, &last) || last <= first)) return false;
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
