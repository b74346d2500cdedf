// Canonical JSON: see json.hpp.
#include "checker/readers/json.hpp"

#include <algorithm>

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

constexpr int max_depth = 5;  // record, list, object, list, number

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  Json document() {
    Json value = parse(0);
    if (!rest_.empty()) fail("the end of the line");
    return value;
  }

 private:
  std::string_view text_, rest_;

  [[noreturn]] void fail(const std::string& expected) const {
    throw ReadError(
        ReadError::Class::malformed,
        "column " + std::to_string(text_.size() - rest_.size() + 1) + ": expected " + expected);
  }
  bool take(char c) {
    const bool found = rest_.starts_with(c);
    rest_.remove_prefix(found);
    return found;
  }

  Json parse(int depth) {
    if (depth == max_depth) fail("no deeper nesting (limit " + std::to_string(max_depth) + ")");
    Json value;
    if (take('{')) {
      value.kind = Json::Kind::object;
      do {
        if (!take('"')) fail("a key");
        std::string key = string_rest();
        if (std::find(value.keys.begin(), value.keys.end(), key) != value.keys.end())
          fail("no key twice");
        value.keys.push_back(std::move(key));
        if (!take(':')) fail("':'");
        value.items.push_back(parse(depth + 1));
      } while (take(','));
      if (!take('}')) fail("',' or '}'");
    } else if (take('[')) {
      value.kind = Json::Kind::list;
      if (take(']')) return value;
      do value.items.push_back(parse(depth + 1));
      while (take(','));
      if (!take(']')) fail("',' or ']'");
    } else if (take('"')) {
      value.kind = Json::Kind::string;
      value.text = string_rest();
    } else if (!take_integer(&rest_, INT64_MAX, &value.number)) {
      fail("an object, list, string or plain integer below 2^63");
    }
    return value;
  }

  std::string string_rest() {
    const auto special = [](char c) { return c == '"' || c == '\\' || c < ' ' || c > '~'; };
    std::string out;
    while (!take('"')) {
      std::size_t length = std::find_if(rest_.begin(), rest_.end(), special) - rest_.begin();
      if (length == 0) {
        if (rest_.empty() || static_cast<unsigned char>(rest_[0]) < 0x20)
          fail("'\"', no raw control character");
        if (take('\\')) {
          out += escape();
          continue;
        }
        length = utf8_length(rest_);
        if (length == 0) fail("valid UTF-8");
      }
      out += rest_.substr(0, length);
      rest_.remove_prefix(length);
    }
    return out;
  }

  char escape() {
    if (take('"')) return '"';
    if (take('\\')) return '\\';
    const std::size_t low = rest_.size() < 5 ? std::string_view::npos : hex_digits.find(rest_[4]);
    if (low == std::string_view::npos ||
        (!rest_.starts_with("u000") && !rest_.starts_with("u001"))) {
      fail("the escape \\\", \\\\ or \\u00XX of a control character");
    }
    const std::size_t high = rest_[3] == '1' ? 16 : 0;
    rest_.remove_prefix(5);
    return static_cast<char>(high + low);
  }
};

}  // namespace

Json parse_json(std::string_view line) { return Parser(line).document(); }

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
