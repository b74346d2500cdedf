// Number formats of every family behind one interface on bit patterns, and the one parser of their textual form, used
// by every program. A family joins by one row of the table in number_format.cpp: a function from a plain descriptor
// (lower case, no blanks) to a format, nullptr when the descriptor is not of that family; it throws InputRefused with
// the reason when it is of the family but impossible. Assumes nothing. Promises: operations round correctly, once; what
// a family does not define is refused by name.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/exact.hpp"
#include "formats/rounding.hpp"

namespace outward {

enum class Operation {
  add,
  subtract,
  multiply,
  divide,
  square_root,
  fused_multiply_add,
  remainder,
  minimum,
  maximum,
  minimum_number,
  maximum_number,
  round_to_integral,
  negate,
  absolute,
  next_up,
  next_down,
};

// One row per operation: the name expressions use and the number of operands.
struct OperationRow {
  Operation operation;
  const char* name;
  int operands;
};
std::span<const OperationRow> operation_table();

// The exact meaning of a code, or an exact operand: factor * 2^exponent when it is a number (exponents of binary
// formats reach 2^30; families with small exponents leave it 0).
struct ExactNumber {
  enum class Kind { number, infinite, nan } kind = Kind::number;
  bool negative = false;  // of zeros, infinities and NaNs too; numbers carry their sign in the factor as well
  Rational factor = 0;
  std::int64_t exponent = 0;
};

class NumberFormat {
 public:
  virtual ~NumberFormat() = default;
  // Text that parse_number_format reads back as this format.
  virtual std::string text() const = 0;
  virtual std::string family() const = 0;  // binary, decimal, posit, p3109, integer, block ...
  virtual int width() const = 0;           // bits of a code
  // What `compute formats` prints, in order: exponent bits, largest number, unit roundoff, ...
  virtual std::vector<std::pair<std::string, std::string>> parameters() const = 0;

  // Throws InputRefused when the family has no such operation or rounding. REQUIRES codes of this format, as many as
  // the operation has operands. Flags are added to (families without flags leave them alone).
  virtual Integer apply(Operation operation, std::span<const Integer> operands, Rounding rounding,
                        Flags& flags) const = 0;
  // Correctly rounded into this format; infinities and NaNs by the family's rules.
  virtual Integer from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const = 0;
  // A literal without blanks: decimal, hexadecimal float, inf, nan (families may add their own). nullopt when
  // malformed.
  virtual std::optional<Integer> from_text(std::string_view text, Rounding rounding, Flags& flags) const = 0;
  virtual ExactNumber to_exact(const Integer& code) const = 0;
  // A short text of the value that from_text reads back as the same code (NaN payloads apart).
  virtual std::string value_text(const Integer& code) const = 0;
};

// Throws InputRefused with the reason for an unknown or impossible descriptor.
std::shared_ptr<const NumberFormat> parse_number_format(std::string_view text);

// The names `compute formats` lists, family by family.
std::vector<std::string> number_format_names();

}  // namespace outward
