// The families of number formats beside the binary ones, each as a row for the table in number_format.cpp: a parser of
// plain descriptors (nullptr when the text is not of the family) and the names it lists. And what they share.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.hpp"
#include "formats/number_format.hpp"

namespace outward {

std::shared_ptr<const NumberFormat> decimal_family(const std::string& plain);  // decimal64, decimal64(dpd)
std::shared_ptr<const NumberFormat> posit_family(const std::string& plain);    // posit32, posit(n)
std::shared_ptr<const NumberFormat> p3109_family(const std::string& plain);    // binary8p3, binary8p3uf(satfinite)
std::shared_ptr<const NumberFormat> grid_family(const std::string& plain);     // int8(scale=1/16, zero=3)
std::shared_ptr<const NumberFormat> block_family(const std::string& plain);    // mxfp8e4m3(scale=-3)
std::vector<std::string> decimal_names();
std::vector<std::string> posit_names();
std::vector<std::string> p3109_names();
std::vector<std::string> grid_names();
std::vector<std::string> block_names();

// The value of a number as a rational. Beyond 2^±100000 it is cut there, outside the range of every family that calls
// this, so that rounding gives the same. REQUIRES Kind::number.
Rational bounded_rational(const ExactNumber& x);

// "1.5e-3", "0x1.8p+3", "inf", "nan" without rounding (decimals beyond 10000 digits or 10^20000 are malformed).
std::optional<ExactNumber> exact_literal(std::string_view text);

// The value as an exact number.
ExactNumber exact_number(const Rational& value);

// The value itself when 8 decimal digits hold it, else the shortest decimal, to 40 digits, for which `reads_back`
// holds; "p/q" if there is none.
std::string shortest_text(const Rational& value, bool (*reads_back)(const Rational&, const void*), const void* context);

// value rounded to an integer.
Integer round_to_integer(const Rational& value, Rounding rounding);
// floor(log2 |value|). REQUIRES value != 0.
std::int64_t floor_log2(const Rational& value);

// InputRefused: this family has no such operation, or rounds otherwise.
[[noreturn]] void refuse_operation(const std::string& family, Operation operation);
[[noreturn]] void refuse_rounding(const std::string& family, const std::string& offered);

// The decimal integer of an option, in a range. Throws InputRefused naming it.
std::int64_t integer_option(const std::string& text, const std::string& what, std::int64_t low, std::int64_t high);

}  // namespace outward
