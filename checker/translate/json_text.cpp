// Ordinary JSON: see json_text.hpp.
#include "checker/translate/json_text.hpp"

#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr std::string_view kind_names[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};

class TextParser {
 public:
  explicit TextParser(std::string_view text) : text_(text) {}

  JsonText document() {
    JsonText value = parse(0);
    skip_blanks();
    if (at_ != text_.size()) fail("the end of the file");
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;

  std::string place() const { return std::to_string(line_) + ":" + std::to_string(at_ - line_start_ + 1) + ": "; }
  [[noreturn]] void fail(const std::string& expected) const {
    throw ReadError(ReadError::Class::malformed, place() + "not JSON: expected " + expected);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found;
    return found;
  }
  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_, line_start_ = at_ + 1;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
    }
  }
  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) fail("a value");
    at_ += expected.size();
  }
  void digits() {
    const std::size_t from = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == from) fail("a digit");
  }

  JsonText parse(int depth) {
    if (depth == static_cast<int>(limit(Limit::json_depth))) over(Limit::json_depth, place() + "deeper nesting");
    skip_blanks();
    JsonText value;
    value.line = line_, value.column = at_ - line_start_ + 1;
    const char c = peek();
    if (c == '{') {
      object(&value, depth);
    } else if (c == '[') {
      list(&value, depth);
    } else if (c == '"') {
      value.kind = JsonKind::string, value.text = string();
    } else if (c == 't' || c == 'f') {
      value.kind = JsonKind::boolean, value.truth = c == 't', word(c == 't' ? "true" : "false");
    } else if (c == 'n') {
      word("null");
    } else {
      value.kind = JsonKind::number, value.text = number();
    }
    return value;
  }

  void object(JsonText* value, int depth) {
    value->kind = JsonKind::object, ++at_, skip_blanks();
    if (take('}')) return;
    do {
      skip_blanks();
      if (peek() != '"') fail("a key");
      value->keys.push_back(string());
      skip_blanks();
      if (!take(':')) fail("`:`");
      value->items.push_back(parse(depth + 1));
      skip_blanks();
    } while (take(','));
    if (!take('}')) fail("`,` or `}`");
    std::vector<std::string_view> sorted(value->keys.begin(), value->keys.end());
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) fail("no key twice in the object before");
  }

  void list(JsonText* value, int depth) {
    value->kind = JsonKind::list, ++at_, skip_blanks();
    if (take(']')) return;
    do {
      value->items.push_back(parse(depth + 1));
      skip_blanks();
    } while (take(','));
    if (!take(']')) fail("`,` or `]`");
  }

  std::string number() {
    const std::size_t from = at_;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
    return std::string(text_.substr(from, at_ - from));
  }

  std::uint32_t four_hex_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char lower = static_cast<char>(c | 0x20);
      if (!(c >= '0' && c <= '9') && !(lower >= 'a' && lower <= 'f')) fail("four hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : lower - 'a' + 10);
    }
    return code;
  }

  void append_utf8(std::uint32_t code, std::string* out) {
    const auto add = [&](std::uint32_t byte) { out->push_back(static_cast<char>(byte)); };
    if (code < 0x80) return add(code);
    if (code < 0x800) return add(0xc0 | code >> 6), add(0x80 | (code & 0x3f));
    if (code < 0x10000) return add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 0x3f)), add(0x80 | (code & 0x3f));
    add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 0x3f)), add(0x80 | (code >> 6 & 0x3f)), add(0x80 | (code & 0x3f));
  }

  void escape(std::string* out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = letters.find(peek()); i != std::string_view::npos && at_ < text_.size()) {
      out->push_back(meanings[i]), ++at_;
      return;
    }
    if (!take('u')) fail("an escape");
    std::uint32_t code = four_hex_digits();
    if (code >= 0xd800 && code < 0xdc00) {
      if (!take('\\') || !take('u')) fail("the second half of a surrogate pair");
      const std::uint32_t low = four_hex_digits();
      if (low < 0xdc00 || low > 0xdfff) fail("the second half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      fail("no lone surrogate");
    }
    append_utf8(code, out);
  }

  std::string string() {
    std::string out;
    ++at_;
    while (!take('"')) {
      if (at_ == text_.size()) fail("the end of the string");
      if (static_cast<unsigned char>(peek()) < 0x20) fail("no control character in a string");
      if (take('\\')) {
        escape(&out);
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) fail("UTF-8");
      out.append(text_.substr(at_, length)), at_ += length;
    }
    return out;
  }
};

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      out += std::string("\\u00") + (c < 16 ? '0' : '1') + hex_digits[c & 15];
    }
  }
  return out + '"';
}

const JsonText* JsonText::find(std::string_view key) const {
  const auto it = std::find(keys.begin(), keys.end(), key);
  return it == keys.end() ? nullptr : &items[static_cast<std::size_t>(it - keys.begin())];
}

JsonText parse_json_text(std::string_view text) { return TextParser(text).document(); }

void malformed(const JsonText& at, const std::string& what) {
  throw ReadError(ReadError::Class::malformed, std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what);
}

void require_keys(const JsonText& object, const std::vector<std::string>& required,
                  const std::vector<std::string>& optional) {
  if (!object.is(JsonKind::object)) malformed(object, "expected an object");
  for (const std::string& key : required)
    if (object.find(key) == nullptr) malformed(object, "the key " + json_string(key) + " is missing");
  const auto known = [&](const std::string& key) {
    return std::find(required.begin(), required.end(), key) != required.end() ||
           std::find(optional.begin(), optional.end(), key) != optional.end();
  };
  for (std::size_t i = 0; i < object.keys.size(); ++i)
    if (!known(object.keys[i])) malformed(object.items[i], "unknown key " + json_string(object.keys[i]));
}

const JsonText& member(const JsonText& object, std::string_view key, JsonKind kind) {
  const JsonText* value = object.find(key);
  if (value == nullptr) malformed(object, "the key " + json_string(key) + " is missing");
  if (!value->is(kind))
    malformed(*value, json_string(key) + ": expected " + std::string(kind_names[static_cast<int>(kind)]));
  return *value;
}

const std::vector<JsonText>& list_of(const JsonText& value, JsonKind kind) {
  if (!value.is(JsonKind::list)) malformed(value, "expected a list");
  for (const JsonText& item : value.items)
    if (!item.is(kind)) malformed(item, "expected " + std::string(kind_names[static_cast<int>(kind)]));
  return value.items;
}

std::uint64_t index_below(const JsonText& number, std::uint64_t size) {
  std::uint64_t index = 0;
  std::string_view rest = number.text;
  const bool good = number.is(JsonKind::number) && size != 0 && take_integer(&rest, size - 1, &index) && rest.empty();
  if (!good) malformed(number, "expected an integer from 0 to " + std::to_string(size) + " - 1");
  return index;
}

Fraction decimal_of(const JsonText& number) {
  Fraction value;
  if (!number.is(JsonKind::number) && !number.is(JsonKind::string)) malformed(number, "expected a number");
  const DecimalStatus status = read_decimal(number.text, &value);
  if (status == DecimalStatus::over_limit)
    over(Limit::digits, std::to_string(number.line) + ":" + std::to_string(number.column) +
                            ": too many digits or too great an exponent (" + limit_text(Limit::exponent) + ")");
  if (status != DecimalStatus::ok) malformed(number, "expected a decimal number");
  return value;
}

Fraction binary64_of(const JsonText& number) {
  if (!number.is(JsonKind::number)) malformed(number, "expected a number");
  double value = 0;
  if (!round_to_float(decimal_of(number), true, &value)) malformed(number, "the number is outside binary64");
  return Fraction::from_double(value);
}

}  // namespace outward_check
