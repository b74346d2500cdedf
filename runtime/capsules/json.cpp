#include "runtime/capsules/json.hpp"

#include <algorithm>

#include "formats/error.hpp"

namespace outward {
namespace {

constexpr std::size_t most_depth = 16, most_bytes = std::size_t{16} << 20;

// Bytes of the first character of a text that is not empty; 0 if it is no UTF-8 (surrogates and overlong forms
// included).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool no_character = (byte(0) == 0xed && byte(1) >= 0xa0) || (byte(0) == 0xf4 && byte(1) >= 0x90);
  return overlong || no_character ? 0 : length;
}

// What would let a record write lines of its own, or move the cursor, where its texts are printed.
bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& where, std::size_t line)
      : text_(text), where_(where), line_(line) {}

  JsonValue whole() {
    if (text_.size() > most_bytes) fail("a record file of at most 16 MiB", std::to_string(text_.size()) + " bytes");
    JsonValue v = value(0);
    blanks();
    if (at_ < text_.size()) fail("the end of the record", peeked());
    return v;
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputRefused(Blocker{"bad-json", where_ + ":" + std::to_string(line_) + ":" + std::to_string(column()),
                               "not the JSON of a record", expected, found, ""});
  }
  std::size_t column() const { return at_ - line_start_ + 1; }
  std::string peeked() const { return at_ < text_.size() ? json_text(text_.substr(at_, 12)) : "the end"; }
  bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void blanks() {
    for (; at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos; ++at_)
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
  }
  void take(char c) {
    blanks();
    if (!is(c)) fail(std::string("'") + c + "'", peeked());
    ++at_;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  JsonValue value(std::size_t depth) {
    if (depth > most_depth) fail("at most 16 levels", "more");
    blanks();
    JsonValue v;
    v.line = line_;
    v.column = column();
    if (is('{')) {
      object(v, depth);
    } else if (is('[')) {
      array(v, depth);
    } else if (is('"')) {
      v.kind = JsonValue::Kind::text;
      v.text = string();
    } else if (word("true") || word("false")) {
      v.kind = JsonValue::Kind::boolean;
      v.boolean = text_[at_ - 2] == 'u';
    } else {
      number(v);
    }
    return v;
  }

  void object(JsonValue& v, std::size_t depth) {
    v.kind = JsonValue::Kind::object;
    take('{');
    blanks();
    if (is('}')) {
      ++at_;
      return;
    }
    while (true) {
      blanks();
      std::string key = string();
      for (const auto& [known, ignored] : v.members)
        if (known == key) fail("every key once", "a second " + json_text(key));
      take(':');
      v.members.push_back({std::move(key), value(depth + 1)});
      blanks();
      if (!is(',')) break;
      ++at_;
    }
    take('}');
  }

  void array(JsonValue& v, std::size_t depth) {
    v.kind = JsonValue::Kind::array;
    take('[');
    blanks();
    if (is(']')) {
      ++at_;
      return;
    }
    while (true) {
      v.items.push_back(value(depth + 1));
      blanks();
      if (!is(',')) break;
      ++at_;
    }
    take(']');
  }

  void number(JsonValue& v) {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const std::size_t digits = at_ - from;
    if (digits == 0 || digits > 18 || (digits > 1 && text_[from] == '0')) {
      at_ = from;
      fail("a value: object, array, string, non-negative integer, true or false", peeked());
    }
    v.kind = JsonValue::Kind::number;
    v.number = std::stoull(std::string(text_.substr(from, digits)));
  }

  std::string string() {
    if (!is('"')) fail("a string", peeked());
    ++at_;
    std::string out;
    while (!is('"')) {
      if (at_ >= text_.size()) fail("the end of the string", "the end of the text");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) fail("no control character in a string", "one");
      if (c != '\\') {
        const std::size_t bytes = character_bytes(text_.substr(at_));
        if (bytes == 0) fail("UTF-8 in a string", "a byte that is none");
        out += text_.substr(at_, bytes);
        at_ += bytes;
        continue;
      }
      ++at_;
      escape(out);
    }
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    const std::size_t known = at_ < text_.size() ? from.find(text_[at_]) : std::string_view::npos;
    if (known != std::string_view::npos) {
      out += to[known];
      ++at_;
      return;
    }
    unsigned code = 0;
    const bool enough = is('u') && at_ + 5 <= text_.size();
    for (std::size_t i = 1; enough && i <= 4; ++i) {
      const char c = text_[at_ + i];
      const std::size_t digit =
          std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      code = digit == std::string_view::npos ? 0x10000 : code * 16 + static_cast<unsigned>(digit);
      if (code > 0xffff) break;
    }
    if (!enough || code > 0x7f || code == 0) fail("an escape of an ASCII character", peeked());
    out += static_cast<char>(code);
    at_ += 5;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t line_, at_ = 0, line_start_ = 0;
};

const char* kind_word(JsonValue::Kind kind) {
  static constexpr const char* words[] = {"an object", "an array", "a string", "a non-negative integer", "a boolean"};
  return words[static_cast<std::size_t>(kind)];
}

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& where, std::size_t first_line) {
  return JsonReader(text, where, first_line).whole();
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char digits[] = "0123456789abcdef";
      out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

ClosedObject::ClosedObject(const JsonValue& value, std::string where) : value_(value), where_(std::move(where)) {
  if (value.kind != JsonValue::Kind::object) fault("not an object", kind_word(value.kind));
}

const JsonValue* ClosedObject::find(const char* key, JsonValue::Kind kind) {
  asked_.push_back(key);
  for (const auto& [name, value] : value_.members) {
    if (name != key) continue;
    if (value.kind == kind) return &value;
    fault(std::string("\"") + key + "\" is not " + kind_word(kind), kind_word(value.kind));
    return nullptr;
  }
  if (value_.kind == JsonValue::Kind::object) fault(std::string("the key \"") + key + "\" is missing", "");
  return nullptr;
}

std::string ClosedObject::text(const char* key) {
  const JsonValue* v = find(key, JsonValue::Kind::text);
  if (v && has_control(v->text)) fault(std::string("\"") + key + "\" has a control character", json_text(v->text));
  return v ? v->text : "";
}
std::uint64_t ClosedObject::number(const char* key) {
  const JsonValue* v = find(key, JsonValue::Kind::number);
  return v ? v->number : 0;
}
bool ClosedObject::boolean(const char* key) {
  const JsonValue* v = find(key, JsonValue::Kind::boolean);
  return v && v->boolean;
}
const JsonValue* ClosedObject::object(const char* key) { return find(key, JsonValue::Kind::object); }
const JsonValue* ClosedObject::array(const char* key) { return find(key, JsonValue::Kind::array); }

std::vector<std::string> ClosedObject::texts(const char* key) {
  std::vector<std::string> out;
  const JsonValue* v = find(key, JsonValue::Kind::array);
  if (!v) return out;
  for (const JsonValue& item : v->items) {
    if (item.kind != JsonValue::Kind::text) fault(std::string("\"") + key + "\" holds strings", kind_word(item.kind));
    if (has_control(item.text)) fault(std::string("\"") + key + "\" has a control character", json_text(item.text));
    out.push_back(item.text);
  }
  return out;
}

bool ClosedObject::has(const char* key) const {
  return std::any_of(value_.members.begin(), value_.members.end(), [&](const auto& m) { return m.key == key; });
}

void ClosedObject::fault(const std::string& what, const std::string& found) { faults_.emplace_back(what, found); }

void ClosedObject::finish() {
  for (const auto& [name, value] : value_.members)
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) fault("unknown key", json_text(name));
  if (faults_.empty()) return;
  std::vector<Blocker> blockers;
  for (const auto& [what, found] : faults_) blockers.push_back({"bad-record", where_, what, "", found, ""});
  throw InputRefused(std::move(blockers));
}

}  // namespace outward
