// Reading APTP: see aptp.hpp. Commands are told apart by their first words; what is not a declaration of neurons or the
// proof tree is left to the VNN-LIB reader, at its place, with blanks where the rest stood.
#include "importers/aptp/aptp.hpp"

#include <algorithm>
#include <charconv>

#include "importers/source/source.hpp"
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

namespace {

using vnnlib::Token;
using vnnlib::Tokens;
using Kind = Token::Kind;

// A whole command as tokens, from its parenthesis to the one that closes it.
using Command = std::vector<Token>;

class Reader {
 public:
  Reader(std::string_view text, const std::string& name)
      : text_(text), rest_(text), tokens_(text, name, vnnlib::Dialect::v1) {}

  AptpProof read(std::uint64_t inputs) {
    inputs_ = inputs;
    for (Token token = tokens_.next(); token.kind != Kind::end; token = tokens_.next()) {
      const Command command = read_command(token);
      if (command[1].is("declare-pwl")) {
        declare(command);
      } else if (is_tree(command)) {
        if (tree_.kind != Kind::end)
          tokens_.refuse(command[0], "aptp-tree", "a second proof tree", "one disjunction over neurons or inputs");
        tree_ = command[0];
        read_tree(command);
      } else {
        for (const Token& t : command)
          if (is_variable(t, 'N'))
            tokens_.refuse(t, "aptp-neuron", "a condition on a neuron outside the proof tree",
                           "neurons in the tree only");
        continue;
      }
      blank(command);
    }
    if (tree_.kind == Kind::end) {
      Token end;
      tokens_.refuse(end, "aptp-tree", "no proof tree", "an assertion (or (and …) …) over neurons or inputs");
    }
    if (proof_.neurons < greatest_.index)
      tokens_.refuse(greatest_.token, "aptp-neuron", "a neuron that is not declared",
                     "N_1 to N_" + std::to_string(proof_.neurons));
    return std::move(proof_);
  }

  const std::string& rest() const { return rest_; }

 private:
  static std::size_t most_tokens() { return std::size_t{1} << 28; }

  Command read_command(const Token& first) {
    if (first.kind != Kind::open) tokens_.refuse(first, "syntax", "text outside a command", "'('");
    Command command = {first};
    for (std::size_t depth = 1; depth > 0;) {
      command.push_back(tokens_.next());
      const Token& t = command.back();
      if (t.kind == Kind::end) tokens_.refuse(t, "syntax", "a parenthesis is not closed", "')'");
      if (command.size() > most_tokens())
        tokens_.refuse(t, "aptp-size", "a command is over the length limit", "at most 2^28 words");
      if (t.kind == Kind::open && ++depth > vnnlib_limits::depth)
        tokens_.refuse(t, "depth", "nested too deep", "at most " + std::to_string(vnnlib_limits::depth));
      if (t.kind == Kind::close) --depth;
    }
    return command;
  }

  static bool is_variable(const Token& t, char letter) {
    return t.kind == Kind::symbol && t.text.size() > 2 && t.text[0] == letter && t.text[1] == '_';
  }

  // (assert (or …)) that names no output; a disjunction over outputs belongs to the query.
  bool is_tree(const Command& c) const {
    if (c.size() < 6 || !c[1].is("assert") || c[2].kind != Kind::open || !c[3].is("or")) return false;
    const auto names = [&](char letter) {
      return std::find_if(c.begin(), c.end(), [&](const Token& t) { return is_variable(t, letter); });
    };
    if (names('Y') == c.end()) return true;
    if (names('N') != c.end())
      tokens_.refuse(*names('N'), "aptp-mixed", "a disjunction over neurons and outputs is not supported",
                     "neurons and inputs in the tree");
    return false;
  }

  void declare(const Command& c) {
    const std::string expected = "N_" + std::to_string(proof_.neurons + 1);
    if (c.size() < 3 || !c[2].is(expected))
      tokens_.refuse(c[std::min<std::size_t>(2, c.size() - 1)], "aptp-neuron", "neurons are declared in order",
                     expected);
    if (c.size() < 4 || !c[3].is("ReLU"))
      tokens_.refuse(c[3], "unsupported-pwl", "this piecewise-linear function is not supported", "ReLU");
    if (c.size() != 5) tokens_.refuse(c[4], "syntax", "a declaration has two words", "')'");
    ++proof_.neurons;
  }

  void read_tree(const Command& c) {
    std::size_t at = 4;
    const auto take = [&](Kind kind, const char* expected) {
      if (c[at].kind != kind)
        tokens_.refuse(c[at], "aptp-tree", "not a disjunction of conjunctions of comparisons", expected);
      return c[at++];
    };
    const auto literal = [&](CoverBox& leaf) {
      const Token comparison = take(Kind::symbol, "a comparison"), variable = take(Kind::symbol, "N_k or X_i"),
                  number = take(Kind::symbol, "a number");
      take(Kind::close, "')'");
      add(comparison, variable, number, leaf);
    };
    while (c[at].kind == Kind::open) {
      ++at;
      CoverBox leaf;
      if (c[at].is("and")) {
        for (++at; c[at].kind == Kind::open;) ++at, literal(leaf);
        take(Kind::close, "a comparison or ')'");
      } else {
        literal(leaf);
      }
      proof_.leaves.push_back(std::move(leaf));
    }
    take(Kind::close, "a disjunct or ')'");
    take(Kind::close, "')'");
    if (proof_.leaves.empty()) tokens_.refuse(c[4], "aptp-tree", "the tree has no leaf", "(and …)");
  }

  void add(const Token& comparison, const Token& variable, const Token& number, CoverBox& leaf) {
    const bool below = comparison.is("<") || comparison.is("<=");
    if (!below && !comparison.is(">") && !comparison.is(">="))
      tokens_.refuse(comparison, "aptp-tree", "not a comparison", "<, <=, > or >=");
    const bool neuron = is_variable(variable, 'N');
    std::uint64_t index = 0;
    const std::string_view digits = variable.text.substr(std::min<std::size_t>(2, variable.text.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool canonical = error == std::errc() && end == digits.data() + digits.size() && !digits.empty() &&
                           (digits.size() == 1 || digits[0] != '0') && index <= vnnlib_limits::index;
    if (!canonical || (!neuron && !is_variable(variable, 'X')))
      tokens_.refuse(variable, "aptp-tree", "not a neuron or an input", "N_k or X_i");
    if (neuron && index == 0) tokens_.refuse(variable, "aptp-neuron", "neurons count from 1", "N_1 or more");
    if (!neuron && index >= inputs_)
      tokens_.refuse(variable, "undeclared-variable", "the model has no such input",
                     "X_0 to X_" + std::to_string(inputs_ - 1));
    const std::optional<Rational> value = parse_decimal(number.text);
    if (!value) tokens_.refuse(number, "aptp-tree", "not a decimal number", "a decimal number");
    if (neuron && index > greatest_.index) greatest_ = {index, variable};
    proof_.only_neurons = proof_.only_neurons && neuron;
    CoverRange& range = leaf[neuron ? inputs_ + index - 1 : index];
    if (below && (!range.hi || *value < *range.hi)) range.hi = value;
    if (!below && (!range.lo || *value > *range.lo)) range.lo = value;
  }

  void blank(const Command& c) {
    const auto offset = [&](const Token& t) { return static_cast<std::size_t>(t.text.data() - text_.data()); };
    for (std::size_t i = offset(c.front()); i <= offset(c.back()); ++i)
      if (rest_[i] != '\n') rest_[i] = ' ';
  }

  struct Greatest {
    std::uint64_t index = 0;
    Token token;
  };
  std::string_view text_;
  std::string rest_;
  Tokens tokens_;
  std::uint64_t inputs_ = 0;
  AptpProof proof_;
  Token tree_;
  Greatest greatest_;
};

}  // namespace

AptpProof parse_aptp(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  Reader reader(text, name);
  AptpProof proof = reader.read(inputs);
  if (proof.neurons > 0) {
    proof.query = parse_vnnlib(reader.rest(), name, inputs, outputs);
    proof.query.file_sha256 = sha256_hex(text.data(), text.size());
    return proof;
  }
  proof.query = parse_vnnlib(text, name, inputs, outputs);
  proof.leaves.clear();
  for (const Case& c : proof.query.cases) {
    CoverBox leaf;
    for (std::uint64_t i = 0; i < inputs; ++i)
      leaf[i] = {proof.query.boxes[c.box][i].lo, proof.query.boxes[c.box][i].hi};
    proof.leaves.push_back(std::move(leaf));
  }
  return proof;
}

AptpProof read_aptp(const std::string& path, std::uint64_t inputs, std::uint64_t outputs) {
  return parse_aptp(read_source(path), path, inputs, outputs);
}

}  // namespace outward
