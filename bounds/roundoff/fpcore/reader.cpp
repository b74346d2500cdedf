#include "bounds/roundoff/fpcore/reader.hpp"

#include <cctype>

#include "formats/error.hpp"

namespace outward::fpcore {
namespace {

class SexpReader {
 public:
  SexpReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  std::vector<Sexp> run() {
    std::vector<Sexp> found;
    for (skip(); at_ < text_.size(); skip()) found.push_back(expression(0));
    return found;
  }

 private:
  [[noreturn]] void refuse(Place place, const std::string& what, const std::string& expected = "") const {
    throw InputRefused(Blocker{"malformed-expression", where(source_, place), what, expected, "", ""});
  }

  char next() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
    return c;
  }

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';')
        while (at_ < text_.size() && text_[at_] != '\n') next();
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        next();
      else
        return;
    }
  }

  static bool ends_token(char c) {
    return c == '(' || c == ')' || c == '[' || c == ']' || c == '"' || c == ';' || c == ' ' || c == '\t' || c == '\n' ||
           c == '\r';
  }

  Sexp expression(int depth) {
    Sexp out;
    out.place = place_;
    if (++tokens_ > most_tokens) refuse(place_, "more than " + std::to_string(most_tokens) + " tokens");
    const char c = next();
    if (c == '(' || c == '[') {
      if (depth >= deepest) refuse(out.place, "nested more than " + std::to_string(deepest) + " deep");
      const char close = c == '(' ? ')' : ']';
      for (skip(); at_ < text_.size() && text_[at_] != ')' && text_[at_] != ']'; skip())
        out.items.push_back(expression(depth + 1));
      if (at_ == text_.size()) refuse(out.place, "this list is not closed", std::string(1, close));
      const Place end = place_;
      if (next() != close) refuse(end, "a list is closed by the other kind of bracket", std::string(1, close));
      return out;
    }
    if (c == ')' || c == ']') refuse(out.place, "this bracket closes nothing");
    if (c == '"') {
      out.kind = Sexp::Kind::string;
      while (at_ < text_.size() && text_[at_] != '"') {
        char s = next();
        if (s == '\\' && at_ < text_.size()) s = next();
        out.text += s;
      }
      if (at_ == text_.size()) refuse(out.place, "this text is not closed", "\"");
      next();
      return out;
    }
    out.text = c;
    while (at_ < text_.size() && !ends_token(text_[at_])) out.text += next();
    for (const char t : out.text)
      if (t < '!' || t > '~') refuse(out.place, "a character that no symbol may have", "printable ASCII");
    const std::size_t first = out.text[0] == '+' || out.text[0] == '-' ? 1 : 0;
    const auto digit = [&](std::size_t i) {
      return i < out.text.size() && std::isdigit(static_cast<unsigned char>(out.text[i])) != 0;
    };
    const bool number = digit(first) || (first < out.text.size() && out.text[first] == '.' && digit(first + 1));
    out.kind = number ? Sexp::Kind::number : Sexp::Kind::symbol;
    return out;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0, tokens_ = 0;
  Place place_;
};

void write(const Sexp& expression, std::string& out, std::size_t most) {
  if (out.size() > most) return;
  if (!expression.is_list()) {
    out += expression.text;
    return;
  }
  out += '(';
  for (std::size_t i = 0; i < expression.items.size(); ++i) {
    if (i > 0) out += ' ';
    write(expression.items[i], out, most);
  }
  out += ')';
}

}  // namespace

std::vector<Sexp> read_expressions(std::string_view text, const std::string& source) {
  if (text.size() > longest_text)
    throw InputRefused(Blocker{"limit", source, "the text is too long", std::to_string(longest_text) + " bytes",
                               std::to_string(text.size()) + " bytes", ""});
  return SexpReader(text, source).run();
}

std::string where(const std::string& source, Place place) {
  return source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::string shown(const Sexp& expression, std::size_t most) {
  std::string text;
  write(expression, text, 4 * most);
  if (text.size() <= most) return text;
  const std::size_t half = (most - 5) / 2;
  return text.substr(0, half) + " ... " + text.substr(text.size() - half);
}

}  // namespace outward::fpcore
