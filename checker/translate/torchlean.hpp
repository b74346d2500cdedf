// What the readers of TorchLean's JSON artifacts share: typed access to numbers, vectors and boxes, a comparison that
// knows the slack, and a budget for exact arithmetic. Numbers are JSON numbers or strings that hold one, and mean the
// nearest binary64 number; the kinds over exact rationals have strings "n" or "n/d" instead. Promises ReadError
// (malformed) for a wrong type, length or number that is not finite.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"
#include "checker/translate/foreign.hpp"

namespace outward_check::torchlean {

using Vector = std::vector<Fraction>;
using Matrix = std::vector<Vector>;
using ReadNumber = Fraction (*)(const JsonText& value);

Fraction float_number(const JsonText& value);     // the nearest binary64 number; refuses overflow
Fraction rational_string(const JsonText& value);  // "n" or "n/d", exact
// A number without sign, fraction and exponent, or a string of one, from least to 2^31.
std::size_t natural(const JsonText& value, std::size_t least = 0);

inline constexpr std::size_t any_size = static_cast<std::size_t>(-1);  // but not empty
Vector numbers(const JsonText& list, std::size_t size, ReadNumber read = float_number);
Matrix matrix(const JsonText& list, std::size_t rows, std::size_t columns, ReadNumber read = float_number);
std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b);

// The numbers lo <= x <= hi per coordinate; lo <= hi is not promised.
struct Region {
  Vector lo, hi;
  std::size_t size() const { return lo.size(); }
};
// The members lo and hi of an object; with_dim: an optional member dim that must be their length.
Region bounds_of(const JsonText& object, std::size_t size, ReadNumber read = float_number);
// An object {lo, hi} or {center, eps}, optionally with dim.
Region region_of(const JsonText& object, std::size_t size);
bool is_reversed(const Region& region);
Region affine_image(const Matrix& weights, const Vector& bias, const Region& x);  // exact; bias may be empty
Fraction binary64_nearest(const Fraction& value);

// The member `format` is prefix + one of versions. Without it malformed, with another one unsupported.
std::string require_format(const JsonText& document, const std::vector<std::string>& known);
bool has_format(const JsonText& document, std::string_view prefix);
[[noreturn]] void refuse_unsupported(const std::string& what);

// The file below the root that a certificate names, also where the root holds only the last folders of its path (the
// longest tail that exists there counts). found: the path that was read. Throws ReadError like read_below_root.
std::string read_named_file(const ForeignOptions& options, const JsonText& path, std::string* found);

std::string about(const Fraction& value);              // six digits, for people
std::string digits(const Fraction& value);             // REQUIRES a binary64 number; reads back as the same
std::string quoted(const JsonText& formula);           // its start and "..." if it is longer than a line or two
std::string counted(std::size_t n, const char* noun);  // "1 row", "2 rows"

// Collects the conditions of a predicate. A false condition is a reason; a <= b may also hold up to the slack.
class Ruling {
 public:
  Ruling(const JsonText& document, const ForeignOptions& options);
  void require(bool good, const std::string& reason);
  void at_most(const Fraction& a, const Fraction& b, const std::string& what);  // a <= b
  // inner is inside outer; what: e.g. "result" for "result[3]".
  void contains(const Region& outer, const Region& inner, const std::string& what);
  bool good() const { return failed_ == 0 && exceeded_ == 0; }
  Judgement finish();

  Judgement judgement;  // statement, established and so on; the rest is filled in by finish()
  const ForeignOptions& options;

 private:
  std::size_t failed_ = 0, exceeded_ = 0;  // conditions without and with a number
  Fraction largest_gap_;
  void reason(const std::string& text);
};

// A limit on the work of exact arithmetic, whose numbers may grow with every operation. Throws ReadError (limit).
class Effort {
 public:
  Fraction sum(const Fraction& a, const Fraction& b);
  Fraction product(const Fraction& a, const Fraction& b);
  Fraction quotient(const Fraction& a, const Fraction& b);  // REQUIRES b != 0
  Fraction reduced(const Fraction& a);
  void spend(std::uint64_t units);

 private:
  std::uint64_t left_ = limit(Limit::number_work);
};

}  // namespace outward_check::torchlean
