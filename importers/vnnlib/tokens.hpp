// Tokens of VNN-LIB text, both versions, with positions.
// Assumes nothing about the bytes. Promises: comments run to the end of the line; a byte that belongs to no token is
// refused where it stands; no token is longer than the limit.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/error.hpp"

namespace outward::vnnlib {

struct Token {
  enum class Kind : std::uint8_t { open, close, symbol, left_bracket, right_bracket, comma, string, end };
  Kind kind = Kind::end;
  std::string_view text;               // of a string: without the quotes
  std::uint32_t line = 0, column = 0;  // from 1, columns in bytes

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

enum class Dialect { v1, v2 };  // brackets, commas and quoted strings exist only in version 2

class Tokens {
 public:
  Tokens(std::string_view text, std::string name, Dialect dialect)
      : text_(text), name_(std::move(name)), dialect_(dialect) {}

  Token next();

  // "file:line:column"
  std::string where(const Token& token) const;
  const std::string& name() const { return name_; }

  // What the message shows of a token; long ones are cut, unprintable bytes become \xNN.
  static std::string shown(const Token& token);

  // Refuses with found = shown(token).
  [[noreturn]] void refuse(const Token& token, const std::string& code, const std::string& what,
                           const std::string& expected, const std::string& next_step = "") const;

 private:
  void skip_space();

  std::string_view text_;
  std::string name_;
  Dialect dialect_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace outward::vnnlib
