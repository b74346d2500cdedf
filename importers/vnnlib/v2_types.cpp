// Declarations of VNN-LIB 2.0, see v2_types.hpp.
#include "importers/vnnlib/v2_types.hpp"

namespace outward::vnnlib {
namespace {

struct TypeName {
  std::string_view name;
  Family family;
};

constexpr TypeName type_names[] = {
    {"real", Family::real},
    {"float16", Family::floating},
    {"float32", Family::floating},
    {"float64", Family::floating},
    {"bfloat16", Family::floating},
    {"float8e4m3fn", Family::floating},
    {"float8e4m3fnuz", Family::floating},
    {"float8e5m2", Family::floating},
    {"float8e5m2fnuz", Family::floating},
    {"float4e2m1", Family::floating},
    {"int4", Family::signed_integer},
    {"int8", Family::signed_integer},
    {"int16", Family::signed_integer},
    {"int32", Family::signed_integer},
    {"int64", Family::signed_integer},
    {"uint4", Family::unsigned_integer},
    {"uint8", Family::unsigned_integer},
    {"uint16", Family::unsigned_integer},
    {"uint32", Family::unsigned_integer},
    {"uint64", Family::unsigned_integer},
    {"bool", Family::other},
    {"string", Family::other},
    {"complex64", Family::other},
    {"complex128", Family::other},
};

std::vector<const Variable*> of_kind(const Network& network, Variable::Kind kind) {
  std::vector<const Variable*> list;
  for (const Variable& v : network.variables) {
    if (v.kind == kind) list.push_back(&v);
  }
  return list;
}

}  // namespace

std::optional<Family> family_of(std::string_view type) {
  for (const TypeName& entry : type_names) {
    if (entry.name == type) return entry.family;
  }
  return std::nullopt;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  for (char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

std::string dims_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

std::string relation_error(const Network& network, const Network& target, std::string* what, bool* types_differ) {
  *types_differ = false;
  for (const Variable::Kind kind : {Variable::Kind::input, Variable::Kind::output}) {
    const std::string kinds = kind == Variable::Kind::input ? "inputs" : "outputs";
    const auto mine = of_kind(network, kind), theirs = of_kind(target, kind);
    if (mine.size() != theirs.size()) {
      *what = "'" + network.name + "' has " + std::to_string(mine.size()) + " " + kinds + ", '" + target.name +
              "' has " + std::to_string(theirs.size());
      return "variable-count-mismatch";
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::string pair = "'" + mine[i]->name + "' and '" + theirs[i]->name + "' differ: ";
      if (mine[i]->shape != theirs[i]->shape) {
        *what = pair + dims_text(mine[i]->shape) + " and " + dims_text(theirs[i]->shape);
        return "variable-shape-mismatch";
      }
      if (mine[i]->type != theirs[i]->type) {
        *what = pair + mine[i]->type + " and " + theirs[i]->type;
        if (network.relation == Network::Relation::equal_to) return "type-mismatch";
        *types_differ = true;
      }
    }
  }
  return "";
}

}  // namespace outward::vnnlib
