// Declarations of VNN-LIB 2.0: element types, variables, networks.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/vnnlib/tokens.hpp"

namespace outward::vnnlib {

// What constants an element type takes.
enum class Family : std::uint8_t { real, floating, signed_integer, unsigned_integer, other };

// The family of a type name of the standard; nullopt if it is none.
std::optional<Family> family_of(std::string_view type);

struct Variable {
  enum class Kind : std::uint8_t { input, hidden, output };
  std::string name, type;
  Kind kind = Kind::input;
  Family family = Family::real;
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 1;
};

struct Network {
  enum class Relation : std::uint8_t { none, equal_to, isomorphic_to };
  std::string name, target;
  Relation relation = Relation::none;
  std::vector<Variable> variables;  // in file order
};

// A letter followed by letters, digits and '_'.
bool is_name(std::string_view text);

// Shown as "[1,3]".
std::string dims_text(const std::vector<std::uint64_t>& shape);

// Is `network` a legal copy of `target` (same inputs and outputs: shapes, and for equal-to also types)?
// Empty if it is; otherwise the error code, and *what says why. *note: types differ under isomorphic-to.
std::string relation_error(const Network& network, const Network& target, std::string* what, bool* types_differ);

}  // namespace outward::vnnlib
