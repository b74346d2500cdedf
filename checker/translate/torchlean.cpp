// What the readers of TorchLean's artifacts share: see torchlean.hpp.
#include "checker/translate/torchlean.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "checker/readers/json.hpp"

namespace outward_check::torchlean {

namespace {

constexpr std::size_t most_reasons = 6;

bool only_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The numbers of a document that are not binary32 numbers: strings count where they are rationals.
void collect_wide_numbers(const JsonText& value, std::vector<const JsonText*>* out) {
  Fraction x;
  double rounded = 0;
  if (value.is(JsonKind::number)) {
    x = binary64_of(value);
  } else if (value.is(JsonKind::string)) {
    try {
      x = rational_string(value);
    } catch (const ReadError&) {
      return;
    }
  } else {
    for (const JsonText& item : value.items) collect_wide_numbers(item, out);
    return;
  }
  if (!round_to_float(x, false, &rounded) || Fraction::from_double(rounded) != x) out->push_back(&value);
}

// Measured: Euclid's algorithm takes about 20 steps per word, each several passes over the number.
std::uint64_t divisor_cost(const BigInt& a, const BigInt& b) {
  const std::uint64_t least = std::min(a.bits(), b.bits()), most = std::max(a.bits(), b.bits());
  return most <= 64 || least <= 32 ? 16 + most / 32 : 128 * (least / 32 + 1) * (most / 32 + 1);
}

std::uint64_t words(const Fraction& a) { return (a.m.bits() + a.over.bits()) / 32 + 2; }

}  // namespace

Fraction float_number(const JsonText& value) {
  if (!value.is(JsonKind::string)) return binary64_of(value);
  JsonText number = value;
  number.kind = JsonKind::number;
  try {
    const JsonText inside = parse_json_text(value.text);
    if (!inside.is(JsonKind::number) || inside.text != value.text) malformed(value, "");
  } catch (const ReadError&) {
    malformed(value, "the string " + json_string(value.text) + " holds no finite number");
  }
  return binary64_of(number);
}

Fraction rational_string(const JsonText& value) {
  if (!value.is(JsonKind::string)) malformed(value, "expected a string that holds an integer or a fraction");
  std::string_view text = value.text;
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative);
  const std::size_t slash = text.find('/');
  const std::string_view above = text.substr(0, slash);
  const std::string_view below = slash == std::string_view::npos ? "1" : text.substr(slash + 1);
  if (!only_digits(above) || !only_digits(below))
    malformed(value, json_string(value.text) + ": expected an integer n or a fraction n/d");
  if (text.size() > limit(Limit::digits))
    over(Limit::digits, std::to_string(value.line) + ":" + std::to_string(value.column) + ": a longer number");
  const BigInt n = BigInt::from_decimal(above), d = BigInt::from_decimal(below);
  if (d.sign() == 0) malformed(value, json_string(value.text) + ": the denominator is 0");
  return Fraction(negative ? -n : n, d).reduced();
}

std::size_t natural(const JsonText& value, std::size_t least) {
  constexpr std::uint64_t greatest = std::uint64_t{1} << 31;
  std::uint64_t n = 0;
  std::string_view rest = value.text;
  const bool typed = value.is(JsonKind::number) || value.is(JsonKind::string);
  if (!typed || !take_integer(&rest, greatest, &n) || !rest.empty() || n < least)
    malformed(value, "expected an integer from " + std::to_string(least) + " to " + std::to_string(greatest));
  return n;
}

Vector numbers(const JsonText& list, std::size_t size, ReadNumber read) {
  if (!list.is(JsonKind::list)) malformed(list, "expected a list of numbers");
  if (size == any_size ? list.items.empty() : list.items.size() != size) {
    malformed(list, "expected " + (size == any_size ? "at least one" : std::to_string(size)) + ", found " +
                        counted(list.items.size(), "entry"));
  }
  Vector out;
  for (const JsonText& item : list.items) out.push_back(read(item));
  return out;
}

Matrix matrix(const JsonText& list, std::size_t rows, std::size_t columns, ReadNumber read) {
  if (!list.is(JsonKind::list)) malformed(list, "expected a list of rows");
  if (rows == any_size ? list.items.empty() : list.items.size() != rows) {
    malformed(list, "expected " + (rows == any_size ? "at least one" : std::to_string(rows)) + ", found " +
                        counted(list.items.size(), "row"));
  }
  Matrix out;
  for (const JsonText& row : list.items) {
    out.push_back(numbers(row, columns, read));
    columns = out[0].size();
  }
  return out;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Region bounds_of(const JsonText& object, std::size_t size, ReadNumber read) {
  Region region;
  region.lo = numbers(member(object, "lo", JsonKind::list), size, read);
  region.hi = numbers(member(object, "hi", JsonKind::list), region.lo.size(), read);
  return region;
}

Region region_of(const JsonText& object, std::size_t size) {
  const bool by_center = object.find("center") != nullptr || object.find("eps") != nullptr;
  require_keys(object, by_center ? std::vector<std::string>{"center", "eps"} : std::vector<std::string>{"lo", "hi"},
               {"dim"});
  Region region;
  if (by_center) {
    const Vector center = numbers(member(object, "center", JsonKind::list), size);
    const Fraction eps = float_number(*object.find("eps"));
    for (const Fraction& c : center) region.lo.push_back(c - eps), region.hi.push_back(c + eps);
  } else {
    region = bounds_of(object, size);
  }
  if (const JsonText* dim = object.find("dim"); dim != nullptr && natural(*dim) != region.size())
    malformed(*dim, "dim is " + dim->text + ", the box has " + counted(region.size(), "component"));
  return region;
}

bool is_reversed(const Region& region) {
  for (std::size_t i = 0; i < region.size(); ++i)
    if (region.hi[i] < region.lo[i]) return true;
  return false;
}

Region affine_image(const Matrix& weights, const Vector& bias, const Region& x) {
  Region out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Fraction lo = bias.empty() ? Fraction() : bias[i], hi = lo;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Fraction& w = weights[i][j];
      lo = lo + w * (w.sign() < 0 ? x.hi[j] : x.lo[j]);
      hi = hi + w * (w.sign() < 0 ? x.lo[j] : x.hi[j]);
    }
    out.lo.push_back(lo), out.hi.push_back(hi);
  }
  return out;
}

Fraction binary64_nearest(const Fraction& value) {
  double rounded = 0;
  if (!round_to_float(value, true, &rounded)) throw ReadError(ReadError::Class::malformed, "a number outside binary64");
  return Fraction::from_double(rounded);
}

std::string require_format(const JsonText& document, const std::vector<std::string>& known) {
  const std::string& format = member(document, "format", JsonKind::string).text;
  if (std::find(known.begin(), known.end(), format) == known.end())
    refuse_unsupported("the format " + json_string(format) + "; this version reads " + known[0]);
  return format;
}

bool has_format(const JsonText& document, std::string_view prefix) {
  const JsonText* format = document.find("format");
  return format != nullptr && format->is(JsonKind::string) && format->text.starts_with(prefix);
}

void refuse_unsupported(const std::string& what) { throw ReadError(ReadError::Class::unsupported, what); }

std::string read_named_file(const ForeignOptions& options, const JsonText& path, std::string* found) {
  namespace fs = std::filesystem;
  const std::string bad = "the file " + json_string(path.text) + " that it names: ";
  const fs::path whole(path.text);
  if (path.text.empty() || whole.is_absolute()) malformed(path, bad + "expected a relative path");
  for (const fs::path& part : whole)
    if (part == ".." || part == "." || part.empty()) malformed(path, bad + "expected a path without . and ..");
  for (auto from = whole.begin(); !options.root.empty() && from != whole.end(); ++from) {
    fs::path tail;
    for (auto part = from; part != whole.end(); ++part) tail /= *part;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(fs::path(options.root) / tail, ignored))) continue;
    *found = tail.string();
    return read_below_root(options, *found);
  }
  return *found = path.text, read_below_root(options, path.text);
}

std::string about(const Fraction& value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value.double_up());
  return text;
}

std::string digits(const Fraction& value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value.double_up()).ptr};
}

std::string quoted(const JsonText& formula) {
  constexpr std::size_t most = 200;
  return formula.text.size() <= most ? formula.text : formula.text.substr(0, most) + "...";
}

std::string counted(std::size_t n, const char* noun) {
  const std::string one = noun;
  if (n == 1) return "1 " + one;
  const std::string many = one.ends_with('y')   ? one.substr(0, one.size() - 1) + "ies"
                           : one.ends_with('x') ? one + "es"
                                                : one + "s";
  return std::to_string(n) + " " + many;
}

Ruling::Ruling(const JsonText& document, const ForeignOptions& given) : options(given) {
  if (!options.ieee32) return;
  std::vector<const JsonText*> wide;
  collect_wide_numbers(document, &wide);
  for (const JsonText* n : wide)
    require(false, std::to_string(n->line) + ":" + std::to_string(n->column) + ": " + n->text.substr(0, 40) +
                       " is not a binary32 number");
}

void Ruling::reason(const std::string& text) {
  if (judgement.reasons.size() < most_reasons) judgement.reasons.push_back(text);
}

void Ruling::require(bool condition, const std::string& text) {
  if (condition) return;
  ++failed_;
  reason(text);
}

void Ruling::at_most(const Fraction& a, const Fraction& b, const std::string& what) {
  const Fraction gap = a - b;
  if (gap.sign() <= 0) return;
  if (gap <= options.slack) {
    judgement.used_slack = true;
    return;
  }
  ++exceeded_;
  largest_gap_ = largest_gap_ < gap ? gap : largest_gap_;
  reason(what + " is exceeded by about " + about(gap));
}

void Ruling::contains(const Region& outer, const Region& inner, const std::string& what) {
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const std::string place = "[" + std::to_string(i) + "] of " + what;
    at_most(outer.lo[i], inner.lo[i], "lo" + place);
    at_most(inner.hi[i], outer.hi[i], "hi" + place);
  }
}

Judgement Ruling::finish() {
  judgement.accepted = good();
  const std::size_t all = failed_ + exceeded_;
  if (all > judgement.reasons.size())
    judgement.reasons.push_back("and " + counted(all - judgement.reasons.size(), "other reason"));
  if (failed_ == 0 && exceeded_ != 0) judgement.slack_needed = largest_gap_.up(53);
  return std::move(judgement);
}

void Effort::spend(std::uint64_t units) {
  if (units > left_) {
    over(Limit::number_work, "exact arithmetic: the numbers grow too long");
  }
  left_ -= units;
}
Fraction Effort::sum(const Fraction& a, const Fraction& b) {
  spend(words(a) + words(b));
  if (a.over != b.over) spend(divisor_cost(a.over, b.over) + words(a) * words(b));
  return a + b;
}
Fraction Effort::product(const Fraction& a, const Fraction& b) { return spend(words(a) * words(b)), a * b; }
Fraction Effort::quotient(const Fraction& a, const Fraction& b) { return spend(words(a) * words(b)), a / b; }
Fraction Effort::reduced(const Fraction& a) { return spend(words(a) + divisor_cost(a.m, a.over)), a.reduced(); }

}  // namespace outward_check::torchlean
