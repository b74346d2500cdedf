// Right-hand sides and residuals that certificates write as text, evaluated over intervals.
//   sum = term {(+|-) term};  term = unary {(*|/) unary};  unary = - unary | power;  power = atom [^ natural];
//   atom = number | name | function ( sum ) | ( sum )
// Numbers are decimals without exponent; where such a number is no binary64 number both readings are enclosed. pi is
// enclosed with its binary64 neighbour. Promises bounded nesting and size.
#pragma once
#include <map>
#include <optional>

#include "checker/translate/enclosures.hpp"

namespace outward_check::torchlean {

struct ExpressionRules {
  std::map<std::string, std::size_t> variables;  // name to place
  bool division = false, functions = false;      // sin, cos, exp, log; with them also pi
};

class Expression {
 public:
  // at: where the text is, for messages. Throws ReadError: malformed syntax; names and operators outside the rules are
  // unsupported.
  Expression(const JsonText& at, const ExpressionRules& rules);
  bool uses(std::size_t variable) const;
  // Nothing where a divisor may be 0, a logarithm's argument not positive or an exponential's too great.
  std::optional<Enclosure> over(const std::vector<Enclosure>& variables, std::uint64_t bits) const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t {
    constant,
    variable,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    sin,
    cos,
    exp,
    log
  };
  struct Item {  // operands are places of earlier items
    Op op = Op::constant;
    std::size_t left = 0, right = 0;  // right: also the variable or the exponent
    Enclosure value;
  };
  std::vector<Item> items_;
};

}  // namespace outward_check::torchlean
