// S-expressions as FPCore files have them, each with its place. Assumes nothing about the text. Promises: the tree of
// the text, or InputRefused with line and column; nesting, size and count of tokens are limited.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outward::fpcore {

// Where something stands in the text, from 1.
struct Place {
  std::size_t line = 1, column = 1;
};

// A symbol, a number (text as written), a string (text without quotes and escapes), or a list in ( ) or [ ].
struct Sexp {
  enum class Kind { symbol, number, string, list };
  Kind kind = Kind::list;
  std::string text;
  std::vector<Sexp> items;
  Place place;

  bool is_symbol(std::string_view name) const { return kind == Kind::symbol && text == name; }
  bool is_list() const { return kind == Kind::list; }
  // The symbol at the head of a list; "" if there is none.
  std::string_view head() const {
    return is_list() && !items.empty() && items[0].kind == Kind::symbol ? std::string_view(items[0].text) : "";
  }
};

inline constexpr std::size_t longest_text = std::size_t{1} << 20;  // bytes
inline constexpr std::size_t most_tokens = 100000;
inline constexpr int deepest = 300;  // nesting

// All expressions of the text. `source` names it in errors.
std::vector<Sexp> read_expressions(std::string_view text, const std::string& source);

// "file:3:14".
std::string where(const std::string& source, Place place);

// The expression on one line, at most `most` characters, the middle left out beyond that.
std::string shown(const Sexp& expression, std::size_t most = 60);

}  // namespace outward::fpcore
