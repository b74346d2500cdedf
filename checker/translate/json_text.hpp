// Ordinary JSON (RFC 8259), as other tools write it: any white space, numbers kept as text until somebody says what
// they mean. Strict: no comments, no trailing commas, no NaN or Infinity, no key twice, valid UTF-8. Promises bounded
// recursion; whatever is refused is a ReadError with line:column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/kernel/fraction.hpp"

namespace outward_check {

struct JsonText {
  enum class Kind : std::uint8_t { null, boolean, number, string, list, object };
  Kind kind = Kind::null;
  bool truth = false;             // of a boolean
  std::string text;               // of a number as written, of a string decoded
  std::vector<JsonText> items;    // of a list or object
  std::vector<std::string> keys;  // of an object, one per item, in file order, no two equal
  std::size_t line = 1, column = 1;

  bool is(Kind k) const { return kind == k; }
  const JsonText* find(std::string_view key) const;  // null if there is none or this is no object
};

using JsonKind = JsonText::Kind;

JsonText parse_json_text(std::string_view text);

// Text as a JSON string, with quotes and the escapes of certificates: for messages and reports.
std::string json_string(std::string_view text);

// Typed access for closed schemas: each function throws ReadError (malformed) with line:column and `what`.
[[noreturn]] void malformed(const JsonText& at, const std::string& what);
// The object has every required key, and no key outside the two lists.
void require_keys(const JsonText& object, const std::vector<std::string>& required,
                  const std::vector<std::string>& optional = {});
const JsonText& member(const JsonText& object, std::string_view key, JsonKind kind);
const std::vector<JsonText>& list_of(const JsonText& value, JsonKind kind);  // a list, all entries of that kind
std::uint64_t index_below(const JsonText& number, std::uint64_t size);  // an integer 0 <= i < size, written as such
Fraction decimal_of(const JsonText& number);   // the exact decimal of a number (or of a string that is one)
Fraction binary64_of(const JsonText& number);  // the binary64 number nearest to the text; refuses overflow

}  // namespace outward_check
