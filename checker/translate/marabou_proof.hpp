// The data of a Marabou proof in JSON: a query (a tableau of rows sum = 0, bounds, ReLU constraints) and a tree that
// shows it has no solution. Assumes the layout of Marabou's JSON writer. Promises exact decimals, a closed schema and
// every index in range; anything else is a ReadError, before a single step of the proof is judged.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/kernel/bigint.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

// m/10^places, exactly.
struct Decimal {
  BigInt m;
  unsigned places = 0;
};
const BigInt& power_of_ten(unsigned exponent);
BigInt at_places(const Decimal& value, unsigned places);  // value*10^places. REQUIRES places >= value.places
Decimal operator+(const Decimal& a, const Decimal& b);
Decimal operator*(const Decimal& a, const Decimal& b);
std::strong_ordering compare(const Decimal& a, const Decimal& b);
// Not above (upward: not below) the value, with at most so many places; the nearest such number.
Decimal rounded(const Decimal& value, unsigned places, bool upward);
std::string about(const Decimal& value);  // roughly, for messages

struct MarabouTerm {
  std::uint32_t index = 0;  // a variable in a row, a row in a combination
  Decimal value;
};
struct MarabouPlace {  // where in the file, for messages
  std::size_t line = 1, column = 1;
};
struct MarabouBound {  // x_variable >= value or <= value
  std::uint32_t variable = 0;
  bool upper = false;
  Decimal value;
};
struct MarabouLemma {
  std::uint32_t affected = 0, cause = 0;  // variables
  bool affected_upper = false, cause_upper = false;
  std::vector<MarabouTerm>
      explanation;  // of the cause's bound; the printed bound is checked to be a number and dropped
  MarabouPlace place;
};
struct MarabouNode {
  std::vector<MarabouBound> split;
  std::vector<MarabouLemma> lemmas;
  enum class End { nothing, children, combination, crossing } end = End::nothing;
  std::uint32_t first_child = 0, child_count = 0;
  std::vector<MarabouTerm> combination;
  std::uint32_t crossing = 0;  // the variable whose bounds are said to cross
  MarabouPlace place;
};
struct MarabouRelu {  // f = max(b, 0) and, if there is a third variable, aux = f - b
  std::uint32_t b = 0, f = 0, aux = 0;
  bool has_aux = false;
};
struct MarabouProof {
  std::vector<std::vector<MarabouTerm>> rows;
  std::vector<Decimal> lower, upper;  // one per variable
  std::vector<MarabouRelu> relus;
  std::vector<MarabouNode> nodes;  // the root first
};

MarabouProof read_marabou(const JsonText& document);  // throws ReadError

}  // namespace outward_check
