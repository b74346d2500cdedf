// Canonical JSON: see json.hpp.
#include "checker/readers/json.hpp"

#include <algorithm>
#include <limits>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr int max_depth = 4;  // record, list, object, list

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    Json value = parse(0);
    if (at_ != text_.size()) fail("the end of the line");
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;

  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = "the end of the line";
    if (at_ < text_.size()) {
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      found = c > ' ' && c < 127 ? std::string("'") + text_[at_] + "'" : "byte " + std::to_string(c);
    }
    throw ReadError(ReadError::Class::malformed,
                    "column " + std::to_string(at_ + 1) + ": expected " + expected + ", found " + found);
  }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  Json parse(int depth) {
    if (depth == max_depth) fail("no deeper nesting (limit " + std::to_string(max_depth) + ")");
    Json value;
    if (take('{')) {
      value.kind = Json::Kind::object;
      do {
        const std::size_t start = at_;
        if (!take('"')) fail("a key");
        value.keys.push_back(string_rest());
        if (std::find(value.keys.begin(), value.keys.end() - 1, value.keys.back()) != value.keys.end() - 1) {
          at_ = start;
          fail("no second key \"" + value.keys.back() + "\"");
        }
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
    } else if (digit()) {
      value.number = integer();
    } else {
      fail("an object, list, string or unsigned integer without blanks before it");
    }
    return value;
  }

  std::uint64_t integer() {
    if (take('0')) return digit() ? (fail("no leading zero"), 0) : 0;
    std::uint64_t n = 0;
    for (; digit(); ++at_) {
      const std::uint64_t d = static_cast<std::uint64_t>(text_[at_] - '0');
      if (n > (static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - d) / 10) {
        fail("an integer below 2^63");
      }
      n = 10 * n + d;
    }
    return n;
  }

  std::string string_rest() {
    std::string out;
    for (;;) {
      if (at_ == text_.size()) fail("'\"'");
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x20) fail("no raw control character in a string");
      if (c == '"') return ++at_, out;
      if (c == '\\') {
        out += escape();
      } else if (c < 0x80) {
        out += text_[at_++];
      } else {
        multibyte(&out);
      }
    }
  }
  char escape() {
    ++at_;
    if (take('"')) return '"';
    if (take('\\')) return '\\';
    const std::string_view rest = text_.substr(at_, 5);
    if (rest.size() == 5 && rest.starts_with("u00") && (rest[3] == '0' || rest[3] == '1')) {
      const std::size_t low = std::string_view("0123456789abcdef").find(rest[4]);
      if (low != std::string_view::npos)
        return at_ += 5, static_cast<char>((rest[3] - '0') * 16 + static_cast<int>(low));
    }
    fail("the escape \\\", \\\\ or \\u00XX of a control character");
  }
  // One UTF-8 sequence of two to four bytes; overlong forms, surrogates and values above 10ffff are refused.
  void multibyte(std::string* out) {
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    const std::size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    std::uint32_t code = c & (0xffu >> (length + 1));
    bool good = c >= 0xc2 && c <= 0xf4 && text_.size() - at_ >= length;
    for (std::size_t i = 1; good && i < length; ++i) {
      const unsigned char next = static_cast<unsigned char>(text_[at_ + i]);
      good = (next & 0xc0) == 0x80;
      code = code << 6 | (next & 0x3f);
    }
    constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (!good || code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) fail("valid UTF-8");
    out->append(text_.substr(at_, length));
    at_ += length;
  }
};

}  // namespace

Json parse_json(std::string_view line) { return Parser(line).document(); }

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    } else {
      out += std::string("\\u00") + (c < 16 ? '0' : '1') + "0123456789abcdef"[c & 15];
    }
  }
  return out + '"';
}

}  // namespace outward_check
