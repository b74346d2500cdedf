// Decimal numbers of the command line and of the text formats outside the trusted readers. Promises that a number over
// a limit is told from one that is malformed: it is a ReadError (limit) that names the limits.
#pragma once
#include <string>
#include <string_view>

#include "checker/limits/limits.hpp"
#include "checker/readers/readers.hpp"

namespace outward_check {

// False if it is no decimal number. Throws ReadError (limit).
inline bool take_decimal(std::string_view text, Fraction* out) {
  const DecimalStatus status = read_decimal(text, out);
  if (status == DecimalStatus::over_limit)
    throw ReadError(ReadError::Class::limit, "the number " + std::string(text.substr(0, 40)) +
                                                 " has too many digits, " + limit_text(Limit::digits) +
                                                 ", or too great an exponent, " + limit_text(Limit::exponent));
  return status == DecimalStatus::ok;
}

}  // namespace outward_check
