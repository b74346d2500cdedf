// The canonical JSON of certificates (certificates/FORMAT.md section 7), read along a schema: the
// keys in their order, no blanks, integers without sign, fraction or leading zeros, strings with
// the escapes \" \\ \u00XX only. Everything else, also legal JSON of another style, is refused with
// the column. Nothing recurses deeper than the schema.
#pragma once
#include <cstdint>
#include <span>
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
  std::vector<std::string> keys;  // of an object, one per item, in file order
};

// A schema lists the keys of an object, "key:type" or, for one fixed string, "key=string". Types: u
// integer below 2^63, s string, h 64 hex digits, d exact number; U, S, H, D lists of these; F
// files, P shapes, R ranges. The line as the first of the schemas that it follows; else ReadError
// (malformed) about the one that it follows longest.
Json parse_line(std::string_view line, std::span<const char* const> schemas);
std::size_t utf8_length(std::string_view text);  // of the first character; 0: not valid UTF-8

// Takes an integer without sign and leading zeros off the start of the text; false if there is none
// up to `greatest`.
bool take_integer(std::string_view* text, std::uint64_t greatest, std::uint64_t* out);
inline bool take(std::string_view* text, std::string_view start) {
  const bool found = text->starts_with(start);
  if (found) text->remove_prefix(start.size());
  return found;
}

}  // namespace outward_check
