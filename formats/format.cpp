// Descriptors of binary formats: see the header. Assumes nothing; promises that what parse_format returns is possible.
#include "formats/format.hpp"

#include <charconv>
#include <optional>

#include "formats/error.hpp"

namespace outward {
namespace {

[[noreturn]] void refuse(const std::string& found, const std::string& what, const std::string& expected = "") {
  throw InputRefused({"number-format", "", what, expected, found, "`compute formats` lists the names"});
}

Format named(int e, int f, Convention convention) { return {e, f, default_bias(e, convention), convention}; }

std::vector<NamedFormat> make_names() {
  using enum Convention;
  std::vector<NamedFormat> names = {
      {"binary16", named(5, 10, ieee)},    {"binary32", named(8, 23, ieee)},    {"binary64", named(11, 52, ieee)},
      {"binary128", named(15, 112, ieee)}, {"binary256", named(19, 236, ieee)}, {"bfloat16", named(8, 7, ieee)},
      {"tf32", named(8, 10, ieee)},        {"e5m2", named(5, 2, ieee)},         {"e4m3", named(4, 3, ieee)},
      {"e3m4", named(3, 4, ieee)},         {"e4m3fn", named(4, 3, fn)},         {"e4m3fnuz", named(4, 3, fnuz)},
      {"e5m2fnuz", named(5, 2, fnuz)},     {"e4m3b11fnuz", {4, 3, 11, fnuz}},   {"e3m2", named(3, 2, finite)},
      {"e2m3", named(2, 3, finite)},       {"e2m1", named(2, 1, finite)},       {"e8m0", {8, 0, 127, scale}},
  };
  const auto alias = [&names](const char* name, std::size_t of) { names.push_back({name, names[of].format, true}); };
  for (const char* prefix : {"fp", "float", "f"}) {
    const std::string p = prefix;
    alias((p + "16").c_str(), 0);
    alias((p + "32").c_str(), 1);
    alias((p + "64").c_str(), 2);
    alias((p + "128").c_str(), 3);
    alias((p + "256").c_str(), 4);
  }
  alias("half", 0);
  alias("single", 1);
  alias("double", 2);
  alias("quad", 3);
  alias("bf16", 5);
  alias("tensorfloat32", 6);
  alias("fp8_e5m2", 7);
  alias("fp8_e4m3", 10);
  alias("float8_e5m2", 7);
  alias("float8_e4m3", 8);
  alias("float8_e3m4", 9);
  alias("float8_e4m3fn", 10);
  alias("float8_e4m3fnuz", 11);
  alias("float8_e5m2fnuz", 12);
  alias("float8_e4m3b11fnuz", 13);
  alias("float6_e3m2fn", 14);
  alias("float6_e2m3fn", 15);
  alias("float4_e2m1fn", 16);
  alias("float8_e8m0fnu", 17);
  return names;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Convention> convention_of(std::string_view text) {
  if (text == "ieee") return Convention::ieee;
  if (text == "fn") return Convention::fn;
  if (text == "fnuz") return Convention::fnuz;
  if (text == "finite") return Convention::finite;
  return std::nullopt;
}

const char* convention_text(Convention convention) {
  switch (convention) {
    case Convention::ieee:
      return "ieee";
    case Convention::fn:
      return "fn";
    case Convention::fnuz:
      return "fnuz";
    case Convention::finite:
      return "finite";
    case Convention::scale:
      return "scale";
  }
  return "";
}

// "saturate" or "flush"; false if the word is neither.
bool set_option(Format& format, const std::string& word, const std::string& text) {
  bool* option = word == "saturate" ? &format.saturate : word == "flush" ? &format.flush : nullptr;
  if (option == nullptr) return false;
  if (*option) refuse(text, "the option '" + word + "' is given twice");
  *option = true;
  return true;
}

Format from_parameters(const std::vector<std::string>& arguments, const std::string& text) {
  if (arguments.size() < 2)
    refuse(text, "binary(e, f, ...) needs exponent and fraction bits", "e from 2 to 30, f from 1 to 4096");
  const auto e = integer(arguments[0]), f = integer(arguments[1]);
  if (!e || *e < 2 || *e > max_exponent_bits) refuse(arguments[0], "the exponent width is impossible", "2 to 30 bits");
  if (!f || *f < 1 || *f > max_fraction_bits)
    refuse(arguments[1], "the fraction width is impossible", "1 to 4096 bits");
  Format format{static_cast<int>(*e), static_cast<int>(*f), 0, Convention::ieee};
  std::optional<std::int64_t> bias;
  std::optional<Convention> convention;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (set_option(format, arguments[i], text)) continue;
    if (const auto found = convention_of(arguments[i])) {
      if (convention) refuse(text, "two conventions are given", "one of ieee, fn, fnuz, finite");
      convention = found;
    } else if (const auto number = integer(arguments[i]); number && i == 2) {
      bias = number;
    } else {
      refuse(arguments[i], "this part of the descriptor is not understood",
             "a bias in third place, then any of ieee, fn, fnuz, finite, saturate, flush");
    }
  }
  format.convention = convention.value_or(Convention::ieee);
  format.bias = bias ? *bias : default_bias(format.exponent_bits, format.convention);
  if (const std::string reason = impossible(format); !reason.empty()) refuse(text, reason);
  return format;
}

// IEEE 754-2019 table 3.5: exponent width round(4 log2 k) - 13 for k >= 128, a multiple of 32.
Format interchange(std::int64_t k, const std::string& text) {
  if (k < 128 || k % 32 != 0 || k > 65536)
    refuse(text, "there is no interchange format of this width", "16, 32, 64, or a multiple of 32 from 128");
  // round(log2 k^4) = floor(log2(2 k^8) / 2); k^8 < 2^128.
  unsigned __int128 power = 1;
  for (int i = 0; i < 8; ++i) power *= static_cast<unsigned __int128>(k);
  int log2 = 1;
  for (; power > 1; power >>= 1) ++log2;
  const int w = log2 / 2 - 13;
  const std::int64_t f = k - w - 1;
  if (w > max_exponent_bits || f > max_fraction_bits)
    refuse(text, "the format has " + std::to_string(w) + " exponent and " + std::to_string(f) + " fraction bits",
           "at most 30 and 4096");
  return binary(w, static_cast<int>(f));
}

}  // namespace

std::int64_t default_bias(int exponent_bits, Convention convention) {
  return (std::int64_t{1} << (exponent_bits - 1)) - (convention == Convention::fnuz ? 0 : 1);
}

Format binary(int exponent_bits, int fraction_bits) {
  Format format{exponent_bits, fraction_bits, 1, Convention::ieee};
  if (exponent_bits >= 2 && exponent_bits <= max_exponent_bits)
    format.bias = default_bias(exponent_bits, Convention::ieee);
  if (const std::string reason = impossible(format); !reason.empty())
    refuse("binary(" + std::to_string(exponent_bits) + "," + std::to_string(fraction_bits) + ")", reason);
  return format;
}

std::string impossible(const Format& format) {
  if (format.convention == Convention::scale)
    return format.exponent_bits == 8 && format.fraction_bits == 0 && format.bias == 127
               ? ""
               : "the only unsigned scale format is e8m0 with bias 127";
  if (format.exponent_bits < 2 || format.exponent_bits > max_exponent_bits)
    return "the exponent width must be from 2 to 30 bits";
  if (format.fraction_bits < 1 || format.fraction_bits > max_fraction_bits)
    return "the fraction width must be from 1 to 4096 bits";
  const std::int64_t most = (std::int64_t{1} << format.exponent_bits) - (format.has_infinity() ? 2 : 1);
  if (format.bias < 1 || format.bias > most)
    return "the bias must be from 1 to " + std::to_string(most) + " so that 1 is a finite number";
  return "";
}

std::string plain_descriptor(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c == ' ' || c == '\t') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

DescriptorParts split_descriptor(const std::string& plain) {
  const std::size_t open = plain.find('(');
  DescriptorParts parts{plain.substr(0, open), {}};
  if (open == std::string::npos) {
    if (plain.find_first_of("),") != std::string::npos)
      refuse(plain, "a parenthesis is missing", "name(argument, ...)");
    return parts;
  }
  if (plain.back() != ')' || plain.find(')') != plain.size() - 1 || plain.find('(', open + 1) != std::string::npos)
    refuse(plain, "parentheses are misplaced", "name(argument, ...)");
  std::string inner = plain.substr(open + 1, plain.size() - open - 2);
  for (std::size_t at = 0;;) {
    const std::size_t comma = inner.find(',', at);
    parts.arguments.push_back(inner.substr(at, comma - at));
    if (parts.arguments.back().empty()) refuse(plain, "an argument is empty", "name(argument, ...)");
    if (comma == std::string::npos) return parts;
    at = comma + 1;
  }
}

Format parse_format(std::string_view text) {
  const std::string plain = plain_descriptor(text);
  const DescriptorParts parts = split_descriptor(plain);
  if (parts.name == "binary") return from_parameters(parts.arguments, plain);
  Format format;
  bool known = false;
  for (const NamedFormat& candidate : named_formats()) {
    if (candidate.name != parts.name) continue;
    format = candidate.format;
    known = true;
    break;
  }
  if (!known && parts.name.starts_with("binary")) {
    if (const auto k = integer(std::string_view(parts.name).substr(6))) {
      format = interchange(*k, parts.name);
      known = true;
    }
  }
  if (!known) refuse(std::string(text), "there is no number format of this name");
  for (const std::string& word : parts.arguments)
    if (!set_option(format, word, plain)) refuse(word, "a named format takes no such option", "saturate, flush");
  return format;
}

std::string format_text(const Format& format) {
  std::string options;
  if (format.saturate) options += ",saturate";
  if (format.flush) options += ",flush";
  Format plain = format;
  plain.saturate = plain.flush = false;
  for (const NamedFormat& candidate : named_formats())
    if (candidate.format == plain)
      return options.empty() ? candidate.name : candidate.name + "(" + options.substr(1) + ")";
  std::string text = "binary(" + std::to_string(format.exponent_bits) + "," + std::to_string(format.fraction_bits);
  if (format.bias != default_bias(format.exponent_bits, format.convention)) text += "," + std::to_string(format.bias);
  if (format.convention != Convention::ieee) text += std::string(",") + convention_text(format.convention);
  return text + options + ")";
}

const std::vector<NamedFormat>& named_formats() {
  static const std::vector<NamedFormat> names = make_names();
  return names;
}

}  // namespace outward
