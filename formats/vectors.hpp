// Test vectors in the style of Berkeley TestFloat: one case per line, hexadecimal bit patterns separated by blanks,
//   OPERAND... RESULT FLAGS [RESULT FLAGS ...]
// with one pair per rounding direction (nearest even, toward zero, down, up, nearest away) or a single pair. Flags in
// hexadecimal: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 10 invalid. NaN results are compared by class,
// integer results with `invalid` by the flag alone. Assumes nothing; promises that a line is judged or refused by name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.hpp"
#include "formats/rounding.hpp"

namespace outward {

// An operand or result type: a binary format, or integers of 32 or 64 bits.
struct VectorType {
  Format format;
  int integer_bits = 0;  // 0: a number of the format
  bool integer_signed = false;
  bool boolean = false;  // results of comparisons
};

// What every line of a file computes.
struct VectorFunction {
  std::string operation;  // add sub mul div rem sqrt mulAdd roundToInt eq le lt eq_signaling le_quiet lt_quiet to
  VectorType operand, result;
  int operands = 1;
};

// "f32_add", "f64_to_i32", "e4m3fn_mulAdd", ...: TYPE_OPERATION or TYPE_to_TYPE, where TYPE is i32, i64, ui32, ui64 or
// the name of a binary format (f16 f32 f64 f128 bf16 ...). nullopt if it is neither.
std::optional<VectorFunction> vector_function(std::string_view name);
// The same with the format given apart. Throws InputRefused for an unknown operation.
VectorFunction vector_function(const std::string& operation, const Format& format);

// What comparing one line gave: how many results were compared, and a sentence for each that differs.
struct VectorLine {
  int compared = 0;
  std::vector<std::string> mismatches;
};

// Throws InputRefused when the line is malformed. single: the direction of a lone pair.
VectorLine compare_vector_line(const VectorFunction& function, std::string_view line,
                               Rounding single = Rounding::nearest_even);

// "RNE", "up", "nearest_even", ...; nullopt for any other word.
std::optional<Rounding> rounding_of(std::string_view word);
std::string rounding_text(Rounding rounding);

// "invalid inexact", or "none".
std::string flags_text(const Flags& flags);

}  // namespace outward
