// The canonical JSON of certificates (certificates/FORMAT.md section 7): one value without blanks,
// integers without sign, fraction or leading zeros, strings with the escapes \" \\ \u00XX only.
// Promises bounded recursion; everything else, also legal JSON of another style, is refused with
// the column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outward_check {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

struct Json {
  enum class Kind { integer, string, list, object };
  Kind kind = Kind::integer;
  std::uint64_t number = 0;
  std::string text;
  std::vector<Json> items;        // of a list or object
  std::vector<std::string> keys;  // of an object, one per item, in file order, no two equal
};

Json parse_json(std::string_view line);          // throws ReadError (malformed)
std::size_t utf8_length(std::string_view text);  // of the first character; 0: not valid UTF-8

// Takes an integer without sign and leading zeros off the start of the text; false if there is none
// up to `greatest`.
bool take_integer(std::string_view* text, std::uint64_t greatest, std::uint64_t* out);

}  // namespace outward_check
