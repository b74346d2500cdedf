// Canonical JSON along a schema: see json.hpp.
#include "checker/readers/json.hpp"

#include <algorithm>

#include "checker/kernel/fraction.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

std::size_t utf8_length(std::string_view text) {
  const unsigned char c = static_cast<unsigned char>(text[0]);
  if (c < 0x80) return 1;
  const std::size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  std::uint32_t code = c & (0xffu >> (length + 1));
  if (c < 0xc2 || c > 0xf4 || text.size() < length) return 0;
  for (char next : text.substr(1, length - 1)) {
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

namespace {

// One attempt to read a line. Every function says whether it could; if not, what was expected next
// is kept.
class Attempt {
 public:
  explicit Attempt(std::string_view line) : rest_(line) {}

  bool document(std::string_view schema, Json* out) {
    return object(schema, out) && (rest_.empty() || fail("the end of the line"));
  }
  std::size_t left() const { return rest_.size(); }
  const std::string& expected() const { return expected_; }

 private:
  std::string_view rest_;
  std::string expected_;

  bool fail(const std::string& expected) {
    expected_ = expected;
    return false;
  }
  bool literal(const std::string& text) { return take(&rest_, text) || fail(text); }

  bool object(std::string_view schema, Json* out) {
    out->kind = Json::Kind::object;
    while (!schema.empty()) {
      const std::string_view entry = schema.substr(0, schema.find(' '));
      schema.remove_prefix(std::min(entry.size() + 1, schema.size()));
      const std::size_t mark = entry.find_first_of(":=");
      out->items.emplace_back();
      out->keys.emplace_back(entry.substr(0, mark));
      if (!literal((out->keys.size() == 1 ? "{\"" : ",\"") + out->keys.back() + "\":"))
        return false;
      if (!value(entry[mark] == '=' ? 's' : entry[mark + 1], &out->items.back())) return false;
      const std::string_view fixed = entry.substr(mark + 1);
      if (entry[mark] == '=' && out->items.back().text != fixed) return fail(std::string(fixed));
    }
    return literal("}");
  }

  bool value(char type, Json* out) {
    if (type >= 'A' && type <= 'Z') return list(type, out);
    if (type == 'u') return take_integer(&rest_, INT64_MAX, &out->number) || fail("an integer");
    out->kind = Json::Kind::string;
    if (!string(&out->text)) return false;
    Fraction ignored;
    const bool digits = out->text.find_first_not_of(hex_digits) == std::string::npos;
    if (type == 'h' && (out->text.size() != 64 || !digits)) return fail("64 lower-case hex digits");
    return type != 'd' || Fraction::parse(out->text, &ignored) || fail("m*2^e (m odd) or 0");
  }

  bool list(char type, Json* out) {
    out->kind = Json::Kind::list;
    if (!literal("[")) return false;
    if (take(&rest_, "]")) return true;
    do {
      out->items.emplace_back();
      if (!item(type, &out->items.back())) return false;
    } while (take(&rest_, ","));
    return literal("]");
  }

  bool item(char type, Json* out) {
    if (type == 'F') return object("path:s bytes:u sha256:h", out);
    if (type == 'P') return object("input:s dims:U", out);
    if (type == 'R') return object("node:u element:u value:d", out);
    return value(static_cast<char>(type - 'A' + 'a'), out);
  }

  bool string(std::string* out) {
    const auto special = [](char c) { return c == '"' || c == '\\' || c < ' ' || c > '~'; };
    if (!literal("\"")) return false;
    while (!take(&rest_, "\"")) {
      if (take(&rest_, "\\")) {
        if (!escape(out)) return false;
        continue;
      }
      std::size_t length = std::find_if(rest_.begin(), rest_.end(), special) - rest_.begin();
      const bool control = rest_.empty() || static_cast<unsigned char>(rest_[0]) < ' ';
      if (length == 0 && !control) length = utf8_length(rest_);
      if (length == 0) return fail("'\"', valid UTF-8, no raw control character");
      out->append(rest_.substr(0, length));
      rest_.remove_prefix(length);
    }
    return true;
  }

  // Behind the backslash.
  bool escape(std::string* out) {
    const bool simple = rest_.starts_with('"') || rest_.starts_with('\\');
    const std::size_t high = rest_.starts_with("u001") ? 16 : 0;
    const std::size_t low = rest_.size() < 5 ? std::string::npos : hex_digits.find(rest_[4]);
    if (!simple && (low == std::string::npos || (high == 0 && !rest_.starts_with("u000")))) {
      return fail("the escape \\\", \\\\ or \\u00XX of a control character");
    }
    out->push_back(simple ? rest_[0] : static_cast<char>(high + low));
    rest_.remove_prefix(simple ? 1 : 5);
    return true;
  }
};

}  // namespace

Json parse_line(std::string_view line, std::span<const char* const> schemas) {
  std::size_t left = line.size() + 1;
  std::string expected;
  for (const char* schema : schemas) {
    Attempt attempt(line);
    Json read;
    if (attempt.document(schema, &read)) return read;
    if (attempt.left() == left) expected += " or " + attempt.expected();
    if (attempt.left() < left) left = attempt.left(), expected = attempt.expected();
  }
  throw ReadError(ReadError::Class::malformed,
                  "column " + std::to_string(line.size() - left + 1) + ": expected " + expected);
}

bool take_integer(std::string_view* text, std::uint64_t greatest, std::uint64_t* out) {
  std::size_t digits = 0;
  *out = 0;
  for (; digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9'; ++digits) {
    const std::uint64_t digit = static_cast<std::uint64_t>((*text)[digits] - '0');
    if (digit > greatest || *out > (greatest - digit) / 10) return false;
    *out = 10 * *out + digit;
  }
  const bool plain = digits == 1 || (digits > 1 && (*text)[0] != '0');
  if (plain) text->remove_prefix(digits);
  return plain;
}

}  // namespace outward_check
