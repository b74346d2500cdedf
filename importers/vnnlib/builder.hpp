// Builds the formula of a VNN-LIB 1.0 text from operands and closed parentheses.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/linear.hpp"
#include "importers/vnnlib/tokens.hpp"

namespace outward::vnnlib {

enum class Op : std::uint8_t { conjunction, disjunction, le, lt, ge, gt, eq, plus, minus, times };

inline bool is_connective(Op op) { return op == Op::conjunction || op == Op::disjunction; }
inline bool is_comparison(Op op) { return op >= Op::le && op <= Op::eq; }

// One open parenthesis.
struct Frame {
  Op op;
  std::uint32_t start;  // first child or operand
  Token token;          // of the operator
};

// Operands and finished subformulas wait on two stacks until their parenthesis closes. All sizes are checked when they
// are known, before anything of that size is made. tokens is used for refusals only and must outlive the builder.
class Builder {
 public:
  explicit Builder(const Tokens& tokens) : tokens_(tokens) {}

  // A frame that collects from here on.
  Frame open(Op op, const Token& token) const;
  // The frame was the innermost one; token is its closing parenthesis.
  void close(const Frame& frame, const Token& token);

  void add_number(const Token& token);
  void add_variable(std::uint32_t variable);

  // The one finished subformula becomes an assertion.
  void end_assertion(const Token& token);

  Formula finish(std::uint64_t inputs, std::uint64_t outputs);

 private:
  // A number, a variable, or a linear form.
  struct Operand {
    enum class Kind : std::uint8_t { number, variable, form };
    Kind kind = Kind::number;
    std::uint32_t variable = 0;
    Number number;
    std::unique_ptr<LinearForm> form;
  };

  void spend(std::uint64_t bits, const Token& token);
  std::uint64_t cases_of(std::uint32_t child) const;
  std::uint64_t terms_of(std::uint32_t child) const;
  void update_conjunction(Node& node, std::uint32_t child) const;
  void check_size(const Node& node, const Token& token) const;
  std::uint32_t make_node(bool disjunction, std::size_t start, const Token& token);
  void close_connective(const Frame& frame, const Token& token);
  void add_to(LinearForm& form, const Operand& operand, bool negated) const;
  void close_arithmetic(const Frame& frame);
  void push_literal(const Literal& literal);
  void close_comparison(const Frame& frame);
  bool simple_bound(const Frame& frame, const Operand& a, const Operand& b);
  void general_comparison(const Frame& frame, const Operand& a, const Operand& b);
  void add_literal(const LinearForm& form, const Frame& frame);
  void note_unsupported(LiteralStatus status, const Frame& frame);

  const Tokens& tokens_;
  Formula formula_;
  std::vector<Operand> operands_;
  std::vector<std::uint32_t> pending_;     // finished children of the open connectives
  std::vector<std::uint32_t> assertions_;  // children of the root
  std::uint64_t large_bits_spent_ = 0, row_words_ = 0;
};

}  // namespace outward::vnnlib
