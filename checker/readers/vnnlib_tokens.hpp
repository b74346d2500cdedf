// The tokens of a VNN-LIB text with their places, and the errors that name them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "checker/readers/readers.hpp"

namespace outward_check {

struct Token {
  std::string_view text;  // "(", ")", a run of other characters, or empty at the end of the file
  std::uint32_t line = 1;
  std::size_t column = 1;
  bool is(const char* other) const { return text == other; }
};

class Tokens {
 protected:
  using Class = ReadError::Class;

  Tokens(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text.substr(0, 3) != "\xef\xbb\xbf") return;
    malformed("bom: byte order mark", "text without one", {text.substr(0, 3)});
  }

  // text: "code: what".
  [[noreturn]] void fail(Class kind, const std::string& text, const std::string& expected,
                         const Token& found) const {
    std::string shown = found.text.empty() ? "end of file" : std::string(found.text.substr(0, 40));
    for (char& c : shown) c = c < 32 || c > 126 ? '?' : c;
    throw ReadError(kind, name_ + ":" + std::to_string(found.line) + ":" +
                              std::to_string(found.column) + ": vnnlib." + text + ", expected " +
                              expected + ", found '" + shown + "'");
  }
  [[noreturn]] void malformed(const std::string& text, const std::string& expected,
                              const Token& found) const {
    fail(Class::malformed, text, expected, found);
  }
  [[noreturn]] void unsupported(const std::string& text, const std::string& expected,
                                const Token& found) const {
    fail(Class::unsupported, text, expected, found);
  }
  [[noreturn]] void syntax(const std::string& expected, const Token& found) const {
    malformed("syntax: unexpected text", expected, found);
  }
  [[noreturn]] void arity(const std::string& expected, const Token& found) const {
    malformed("arity: wrong number of operands", expected, found);
  }
  [[noreturn]] void limit(const std::string& text, std::uint64_t value) const {
    fail(Class::limit, text, "at most " + std::to_string(value), last_);
  }

  Token next() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (c == '\n') {
        ++line_, line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        break;
      }
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && !ends_token(text_[at_])) ++at_;
    if (at_ == start && at_ < text_.size()) ++at_;  // a parenthesis
    last_ = {text_.substr(start, at_ - start), line_, start - line_start_ + 1};
    if (last_.text.size() > max_token) limit("token: token too long", max_token);
    if (last_.is("(") && ++depth_ > max_depth) limit("depth: nested too deep", max_depth);
    if (last_.is(")") && depth_-- == 0) syntax("a command", last_);
    return last_;
  }

  void close() {
    if (!next().is(")")) syntax(")", last_);
  }

  const std::string& name() const { return name_; }
  const Token& last() const { return last_; }

 private:
  static constexpr std::size_t max_depth = 256, max_token = 65536;

  static bool ends_token(char c) {
    return c == '(' || c == ')' || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';';
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, line_start_ = 0, depth_ = 0;
  std::uint32_t line_ = 1;
  Token last_;
};

}  // namespace outward_check
