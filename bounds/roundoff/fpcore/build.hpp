// The body of an FPCore as a graph: names resolved, equal operations shared, constants folded.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bounds/roundoff/fpcore/constants.hpp"
#include "formats/error.hpp"

namespace outward::fpcore {

// Formats by FPCore's and our names; collects refusals.
class Builder {
 public:
  Builder(Core& core, std::vector<Blocker>& blockers) : core_(core), blockers_(blockers) {}

  // The node of an expression evaluated with the rounding of `format` (index); -1 where it was refused.
  int build(const Sexp& expression, int format);
  // The index of the format of a :precision value, -1 after a refusal.
  int format(const Sexp& precision);
  int format(const std::string& name, Place place);
  // Reads properties (:name value ...) from items[at]; returns the format they give, and checks :round.
  int rounding_context(const std::vector<Sexp>& items, std::size_t from, std::size_t to, int outer);

  void define(const std::string& name, int node) { scope_[name].push_back(node); }
  int add_variable(const Variable& variable);
  void refuse(Place place, const std::string& code, const std::string& what, const std::string& expected = "",
              const std::string& found = "");

 private:
  using Key = std::tuple<Op, std::array<int, 3>, int, Function, long, int>;

  int symbol(const Sexp& expression, int format);
  int literal(const Sexp& expression, int format);
  int let(const Sexp& expression, int format, bool sequential);
  int application(const Sexp& expression, int format);
  int sum_of_two_or_more(const Sexp& expression, Op op, std::vector<int> operands, int format);
  int power(const Sexp& expression, int format);
  int node(Node made, const Sexp& expression);
  int constant(const ConstantValue& value, int format, const Sexp& expression);

  Core& core_;
  std::vector<Blocker>& blockers_;
  std::map<std::string, std::vector<int>, std::less<>> scope_;
  std::map<Key, int> known_;
  std::map<int, ConstantValue> constants_;
  std::map<std::pair<std::string, int>, int> known_constants_;
};

}  // namespace outward::fpcore
