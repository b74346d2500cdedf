// Tokenizer of VNN-LIB text, see tokens.hpp.
#include "importers/vnnlib/tokens.hpp"

#include <array>

#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

// Bytes of symbols: names, numbers and operators of both versions (the SMT-LIB simple symbols).
constexpr std::array<bool, 256> symbol_bytes = [] {
  std::array<bool, 256> table{};
  for (char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@$%^&*_-+=<>.?/")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_symbol_byte(char c) { return symbol_bytes[static_cast<unsigned char>(c)]; }

}  // namespace

void Tokens::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      line_start_ = ++at_;
      ++line_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == ';') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

Token Tokens::next() {
  skip_space();
  Token token;
  token.line = line_;
  token.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
  if (at_ == text_.size()) return token;
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (is_symbol_byte(c)) {
    while (at_ < text_.size() && is_symbol_byte(text_[at_])) ++at_;
    token.kind = Token::Kind::symbol;
    token.text = text_.substr(begin, at_ - begin);
    if (token.text.size() > vnnlib_limits::token_bytes) {
      refuse(token, "token-too-long", "a word is over the length limit",
             "at most " + std::to_string(vnnlib_limits::token_bytes) + " bytes");
    }
    return token;
  }
  ++at_;
  token.text = text_.substr(begin, 1);
  if (c == '(') {
    token.kind = Token::Kind::open;
    return token;
  }
  if (c == ')') {
    token.kind = Token::Kind::close;
    return token;
  }
  if (dialect_ == Dialect::v2) {
    if (c == '[' || c == ']' || c == ',') {
      token.kind = c == '[' ? Token::Kind::left_bracket : c == ']' ? Token::Kind::right_bracket : Token::Kind::comma;
      return token;
    }
    if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", at_);
      if (end == std::string_view::npos || text_[end] == '\n' || end - at_ > vnnlib_limits::token_bytes) {
        refuse(token, "bad-string", "a quoted name does not end on its line or is over the length limit",
               "a closing quote within " + std::to_string(vnnlib_limits::token_bytes) + " bytes");
      }
      token.kind = Token::Kind::string;
      token.text = text_.substr(at_, end - at_);
      at_ = end + 1;
      return token;
    }
  }
  token.kind = Token::Kind::symbol;
  if (text_.substr(begin, 3) == "\xef\xbb\xbf") {
    token.text = text_.substr(begin, 3);
    refuse(token, "byte-order-mark", "the file has a byte order mark", "plain ASCII text",
           "save the file without a byte order mark");
  }
  refuse(token, "bad-character", "this byte is not part of the language",
         "names, numbers, operators, parentheses and comments", c == ',' ? "write decimals with a point" : "");
}

std::string Tokens::where(const Token& token) const {
  return name_ + ":" + std::to_string(token.line) + ":" + std::to_string(token.column);
}

std::string Tokens::shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the file";
  static constexpr char hex[] = "0123456789abcdef";
  std::string text = "'";
  for (char c : token.text.substr(0, 60)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += std::string("\\x") + hex[byte >> 4] + hex[byte & 15U];
    }
  }
  return text + (token.text.size() > 60 ? "…'" : "'");
}

void Tokens::refuse(const Token& token, const std::string& code, const std::string& what, const std::string& expected,
                    const std::string& next_step) const {
  throw InputRefused(Blocker{code, where(token), what, expected, shown(token), next_step});
}

}  // namespace outward::vnnlib
