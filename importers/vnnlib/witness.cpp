// Counterexample text, see witness.hpp.
#include "importers/vnnlib/witness.hpp"

#include <stdexcept>

#include "formats/exact.hpp"

namespace outward {

std::string witness_text(const std::vector<std::string>& x_decimals, const std::vector<double>& y) {
  std::string text = "(";
  const auto add = [&text](char letter, std::size_t index, const std::string& value) {
    if (text.size() > 1) text += '\n';
    text += std::string("(") + letter + "_" + std::to_string(index) + " " + value + ")";
  };
  for (std::size_t i = 0; i < x_decimals.size(); ++i) {
    if (!parse_decimal(x_decimals[i]))
      throw std::invalid_argument("witness_text: '" + x_decimals[i] + "' is no decimal");
    add('X', i, x_decimals[i]);
  }
  for (std::size_t j = 0; j < y.size(); ++j) add('Y', j, shortest_decimal(y[j]));
  return text + ")\n";
}

}  // namespace outward
