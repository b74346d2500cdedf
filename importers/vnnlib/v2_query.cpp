// Syntax, scoping and typing of VNN-LIB 2.0 queries, see v2.hpp.
// One token of lookahead, an explicit stack of open parentheses in assertions. Grammar:
//   query   = "(" "vnnlib-version" "<" 2 "." MINOR ">" ")" network {network} {"(" "assert" formula ")"}
//   network = "(" "declare-network" NAME ["(" ("equal-to" | "isomorphic-to") NAME ")"] input {input} {hidden} output
//   {output} ")" input   = "(" "declare-input" NAME TYPE shape ")"       output likewise; hidden has a quoted ONNX name
//   after the shape shape   = "[" [NUMBER {"," NUMBER}] "]" formula = "(" ("and" | "or") formula {formula} ")" | "("
//   ("<" | "<=" | ">" | ">=" | "==" | "!=") term term ")" term    = NUMBER | NAME ["[" index {"," index} "]"] | "("
//   ("+" | "-" | "*") term {term} ")"
// Typing: all variables of one comparison have the same element type, and its constants fit that type.
#include <algorithm>
#include <limits>
#include <map>

#include "importers/vnnlib/numbers.hpp"
#include "importers/vnnlib/v2.hpp"
#include "importers/vnnlib/v2_types.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr std::uint64_t max_elements = std::uint64_t{1} << 31;
constexpr std::size_t max_rank = 16;

class Checker {
 public:
  Checker(std::string_view text, const std::string& name) : tokens_(text, name, Dialect::v2) { advance(); }

  V2Summary run() {
    version();
    while (look_.kind == Token::Kind::open) command();
    if (look_.kind == Token::Kind::close)
      refuse("syntax", "a closing parenthesis without an opening one", "a command or the end of the file");
    if (look_.kind != Token::Kind::end) refuse("syntax", "text outside of a command", "'(' or the end of the file");
    if (networks_.empty()) refuse("missing-network", "the query declares no network", "at least one declare-network");
    if (summary_.assertions == 0) note("a query without assertions (the grammar asks for one)");
    for (const Network& network : networks_) describe(network);
    return std::move(summary_);
  }

 private:
  enum class Level : std::uint8_t { connective, comparison, arithmetic };
  struct Frame {
    Level level;
    std::uint64_t operands = 0;
    Token token;
  };
  struct Entry {  // what a name stands for
    bool is_network = false;
    std::size_t network = 0, variable = 0;
  };
  // What has been seen of the comparison being read.
  struct Typing {
    const Variable* variable = nullptr;
    Token integer, floating, negative;  // the first constant of each sort; Kind::end if none
  };

  void advance() { look_ = tokens_.next(); }
  Token take() {
    const Token token = look_;
    advance();
    return token;
  }
  [[noreturn]] void refuse(const std::string& code, const std::string& what, const std::string& expected,
                           const std::string& next = "") const {
    tokens_.refuse(look_, code, what, expected, next);
  }
  void expect(Token::Kind kind, const char* expected) {
    if (look_.kind != kind) refuse("syntax", "unexpected text", expected);
    advance();
  }
  void note(const std::string& text) {
    if (std::find(summary_.notes.begin(), summary_.notes.end(), text) == summary_.notes.end())
      summary_.notes.push_back(text);
  }

  void version() {
    if (look_.kind == Token::Kind::end) refuse("syntax", "the file is empty", "(vnnlib-version <2.0>)");
    expect(Token::Kind::open, "(vnnlib-version <2.0>)");
    if (!look_.is("vnnlib-version"))
      refuse("missing-version", "the file does not start with its version", "(vnnlib-version <2.0>)");
    advance();
    const std::string_view text = look_.text;
    const std::size_t point = text.find('.');
    const auto digits = [](std::string_view part) {
      return !part.empty() && part.size() < 4 && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (look_.kind != Token::Kind::symbol || text.size() < 5 || text.front() != '<' || text.back() != '>' ||
        point == std::string_view::npos || !digits(text.substr(1, point - 1)) ||
        !digits(text.substr(point + 1, text.size() - point - 2))) {
      refuse("syntax", "not a version", "<2.0>");
    }
    if (text.substr(1, point - 1) != "2") refuse("major-version-mismatch", "this version is not supported", "<2.0>");
    summary_.version = std::string(text.substr(1, text.size() - 2));
    if (summary_.version != "2.0") note("minor version " + summary_.version + " is read as 2.0");
    advance();
    expect(Token::Kind::close, "')'");
  }

  void command() {
    advance();
    if (look_.is("declare-network")) {
      if (summary_.assertions > 0)
        refuse("syntax", "a declaration after an assertion", "all networks before the first assertion");
      network();
    } else if (look_.is("assert")) {
      if (networks_.empty()) refuse("missing-network", "an assertion before any network", "(declare-network …)");
      advance();
      assertion();
      ++summary_.assertions;
    } else {
      refuse("syntax", "not a command of VNN-LIB 2.0", "declare-network or assert");
    }
  }

  void define(const Token& name, const Entry& entry) {
    if (name.kind != Token::Kind::symbol || !is_name(name.text)) {
      tokens_.refuse(name, "syntax", "not a name", "a letter followed by letters, digits and '_'");
    }
    if (!names_.emplace(std::string(name.text), entry).second) {
      tokens_.refuse(name, "multiple-declaration", "this name is already declared",
                     "a name used once in the whole query");
    }
  }

  void network() {
    advance();
    Network& network = networks_.emplace_back();
    network.name = std::string(look_.text);
    define(look_, Entry{true, networks_.size() - 1, 0});
    advance();
    Token relation_token;
    int stage = 0;  // 0 relation, 1 inputs, 2 hidden, 3 outputs
    bool has_input = false, has_output = false;
    while (look_.kind == Token::Kind::open) {
      advance();
      if (stage == 0 && (look_.is("equal-to") || look_.is("isomorphic-to"))) {
        relation_token = relation(network);
        stage = 1;
        continue;
      }
      const bool input = look_.is("declare-input"), hidden = look_.is("declare-hidden"),
                 output = look_.is("declare-output");
      const int wanted = input ? 1 : hidden ? 2 : output ? 3 : 0;
      if (wanted == 0 || wanted < stage || (wanted > 1 && !has_input)) {
        refuse("syntax", "not the declaration that comes here",
               "inputs, then hidden nodes, then outputs, at least one input and output");
      }
      stage = wanted;
      has_input = has_input || input;
      has_output = has_output || output;
      advance();
      variable(network, input ? Variable::Kind::input : hidden ? Variable::Kind::hidden : Variable::Kind::output);
    }
    if (!has_output) refuse("syntax", "a network without an output", "at least one declare-output");
    expect(Token::Kind::close, "')' after the declarations of the network");
    if (network.relation != Network::Relation::none) check_relation(network, relation_token);
  }

  Token relation(Network& network) {
    network.relation = look_.is("equal-to") ? Network::Relation::equal_to : Network::Relation::isomorphic_to;
    advance();
    const Token target = take();
    if (target.kind != Token::Kind::symbol || !is_name(target.text))
      tokens_.refuse(target, "syntax", "not a name", "the name of a network");
    network.target = std::string(target.text);
    expect(Token::Kind::close, "')'");
    return target;
  }

  void check_relation(const Network& network, const Token& token) {
    const auto found = names_.find(network.target);
    if (found == names_.end() || !found->second.is_network || found->second.network + 1 == networks_.size()) {
      tokens_.refuse(token, "missing-network", "no network of this name is declared above", "an earlier network");
    }
    const Network& target = networks_[found->second.network];
    if (target.relation != Network::Relation::none) {
      tokens_.refuse(token, "chained-relation", "the target is itself declared as a copy",
                     "a network without equal-to or isomorphic-to");
    }
    std::string what;
    bool types_differ = false;
    const std::string code = relation_error(network, target, &what, &types_differ);
    if (!code.empty()) tokens_.refuse(token, code, what, "the same inputs and outputs as the target");
    if (types_differ) note("element types differ under isomorphic-to (the text allows it, other readers refuse it)");
  }

  void variable(Network& network, Variable::Kind kind) {
    const Token name = take();
    define(name, Entry{false, networks_.size() - 1, network.variables.size()});
    Variable variable;
    variable.name = std::string(name.text);
    variable.kind = kind;
    const auto family = look_.kind == Token::Kind::symbol ? family_of(look_.text) : std::nullopt;
    if (!family) refuse("unknown-type", "not an element type", "real, float32, float64, int64, … (ONNX names)");
    variable.family = *family;
    variable.type = std::string(take().text);
    shape(variable);
    if (kind == Variable::Kind::hidden) {
      expect(Token::Kind::string, "the quoted ONNX name of the hidden node");
    } else if (look_.kind == Token::Kind::string) {
      note("a quoted ONNX name after an input or output (older grammar)");
      advance();
    } else if (kind == Variable::Kind::input && look_.is("initialized")) {
      note("an initialized input (grammar 2.1)");
      advance();
    }
    expect(Token::Kind::close, "')' after the shape");
    if (kind == Variable::Kind::input) summary_.inputs += variable.elements;
    if (kind == Variable::Kind::output) summary_.outputs += variable.elements;
    network.variables.push_back(std::move(variable));
  }

  // A decimal integer without sign; nullopt if the token is none.
  static std::optional<std::uint64_t> integer(const Token& token) {
    if (token.kind != Token::Kind::symbol || token.text.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    std::uint64_t value = 0;
    for (char c : token.text) {
      value = std::min(value * 10 + static_cast<std::uint64_t>(c - '0'), std::uint64_t{1} << 40);
    }
    return value;
  }

  void shape(Variable& variable) {
    expect(Token::Kind::left_bracket, "the shape, '[' dimensions ']'");
    while (look_.kind != Token::Kind::right_bracket) {
      if (!variable.shape.empty()) expect(Token::Kind::comma, "',' or ']'");
      const auto dim = integer(look_);
      if (!dim) refuse("syntax", "not a dimension", "a decimal integer");
      if (*dim == 0) refuse("invalid-dimensions", "a dimension of 0", "dimensions of at least 1");
      if (variable.shape.size() == max_rank || *dim > max_elements / variable.elements) {
        refuse("invalid-dimensions", "the shape is over the limit",
               "at most " + std::to_string(max_rank) + " dimensions and " + std::to_string(max_elements) + " elements");
      }
      variable.shape.push_back(*dim);
      variable.elements *= *dim;
      advance();
    }
    advance();
  }

  void assertion() {
    if (look_.kind != Token::Kind::open)
      refuse("syntax", "an assertion without a formula", "'(' and a comparison, and or or");
    do {
      if (look_.kind == Token::Kind::open) {
        open_frame();
      } else if (look_.kind == Token::Kind::close) {
        close_frame();
      } else if (look_.kind == Token::Kind::symbol) {
        term();
      } else {
        refuse("syntax", look_.kind == Token::Kind::end ? "the file ends inside an assertion" : "unexpected text",
               "an operator, a term or ')'");
      }
    } while (!frames_.empty());
    expect(Token::Kind::close, "')' at the end of the assertion");
  }

  void open_frame() {
    advance();
    Level level{};
    if (look_.is("and") || look_.is("or")) {
      level = Level::connective;
    } else if (look_.is("<") || look_.is("<=") || look_.is(">") || look_.is(">=") || look_.is("==") || look_.is("!=")) {
      level = Level::comparison;
    } else if (look_.is("+") || look_.is("-") || look_.is("*")) {
      level = Level::arithmetic;
    } else {
      refuse("syntax", "not an operator of VNN-LIB 2.0", "and, or, <, <=, >, >=, ==, !=, +, - or *");
    }
    const bool formula_wanted = frames_.empty() || frames_.back().level == Level::connective;
    if (formula_wanted == (level == Level::arithmetic)) {
      refuse("syntax",
             formula_wanted ? "a number where a truth value is needed" : "a truth value where a number is needed",
             formula_wanted ? "and, or or a comparison" : "a term");
    }
    if (frames_.size() == vnnlib_limits::depth) {
      refuse("too-deep", "the nesting is over the limit",
             "at most " + std::to_string(vnnlib_limits::depth) + " open parentheses");
    }
    if (!frames_.empty()) ++frames_.back().operands;
    if (level == Level::comparison) typing_ = Typing{};
    frames_.push_back(Frame{level, 0, take()});
  }

  void close_frame() {
    const Frame frame = frames_.back();
    if (frame.operands == 0) refuse("syntax", "an operator without operands", "at least one operand");
    if (frame.level == Level::comparison) {
      if (frame.operands != 2)
        refuse("syntax", "a comparison with " + std::to_string(frame.operands) + " operands", "two operands");
      check_types(frame.token);
    }
    frames_.pop_back();
    advance();
  }

  void term() {
    if (frames_.back().level == Level::connective)
      refuse("syntax", "a term where a truth value is needed", "'(' and a comparison, and or or");
    ++frames_.back().operands;
    const char c = look_.text[0];
    if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
      constant();
    } else {
      variable_reference();
    }
  }

  void constant() {
    const Token token = take();
    if (!looks_like_decimal(token.text))
      tokens_.refuse(token, "syntax", "not a number", "an optional '-', digits, and an optional fraction");
    if (!parse_decimal(token.text)) {
      tokens_.refuse(
          token, "number-too-large", "a number is over the size limits",
          "at most " + std::to_string(max_digits) + " digits, exponents up to " + std::to_string(max_exponent));
    }
    const std::string_view text = token.text;
    const std::size_t point = text.find('.');
    if (text.find_first_of("eE") != std::string_view::npos) note("a number with an exponent (not in the grammar)");
    if (text[0] == '+') note("a number with '+' (not in the grammar)");
    if (point != std::string_view::npos &&
        (point == 0 || point + 1 == text.size() || text.find_first_of("0123456789") > point)) {
      note("a number with no digit on one side of the point (not in the grammar)");
    }
    Token& sort = text.find_first_of(".eE") == std::string_view::npos ? typing_.integer : typing_.floating;
    if (sort.kind == Token::Kind::end) sort = token;
    if (text[0] == '-' && typing_.negative.kind == Token::Kind::end) typing_.negative = token;
  }

  void variable_reference() {
    const Token name = take();
    const auto found = names_.find(std::string(name.text));
    if (found == names_.end()) {
      tokens_.refuse(name, "undeclared-variable", "this name is not declared", "a declared variable or a number");
    }
    if (found->second.is_network)
      tokens_.refuse(name, "variable-kind-mismatch", "this is the name of a network", "a variable");
    const Variable& variable = networks_[found->second.network].variables[found->second.variable];
    indices(name, variable);
    if (typing_.variable == nullptr) {
      typing_.variable = &variable;
    } else if (typing_.variable->type != variable.type) {
      tokens_.refuse(name, "type-mismatch", "one comparison of " + typing_.variable->type + " and " + variable.type,
                     "variables of one element type");
    }
  }

  void indices(const Token& name, const Variable& variable) {
    const std::string rank = std::to_string(variable.shape.size());
    if (look_.kind != Token::Kind::left_bracket) {
      if (!variable.shape.empty()) {
        tokens_.refuse(name, "not-enough-indices",
                       "a tensor of shape " + dims_text(variable.shape) + " without indices", rank + " indices");
      }
      return;
    }
    if (variable.shape.empty())
      tokens_.refuse(name, "invalid-scalar-access", "a scalar with indices", "the name alone");
    advance();
    std::size_t position = 0;
    for (;; ++position) {
      if (look_.text.size() > 1 && look_.text[0] == '-' && looks_like_decimal(look_.text)) {
        refuse("index-out-of-bounds", "a negative index", "indices from 0");
      }
      const auto index = integer(look_);
      if (!index) refuse("syntax", "not an index", "a decimal integer");
      if (position >= variable.shape.size()) {
        refuse("too-many-indices", "more indices than dimensions of " + dims_text(variable.shape), rank + " indices");
      }
      if (*index >= variable.shape[position]) {
        refuse("index-out-of-bounds", "the index is outside of shape " + dims_text(variable.shape),
               "0 to " + std::to_string(variable.shape[position] - 1));
      }
      advance();
      if (look_.kind != Token::Kind::comma) break;
      advance();
    }
    if (look_.kind == Token::Kind::right_bracket && position + 1 < variable.shape.size()) {
      refuse("not-enough-indices", "fewer indices than dimensions of " + dims_text(variable.shape), rank + " indices");
    }
    expect(Token::Kind::right_bracket, "',' or ']'");
  }

  void check_types(const Token& token) {
    if (typing_.variable == nullptr) {
      tokens_.refuse(token, "untypable", "a comparison without variables has no element type", "at least one variable");
    }
    const Family family = typing_.variable->family;
    const std::string type = typing_.variable->type;
    const bool has_integer = typing_.integer.kind != Token::Kind::end,
               has_floating = typing_.floating.kind != Token::Kind::end;
    if (has_integer && family == Family::real)
      note("an integer constant compared with a real variable, read as a real number");
    if (has_integer && (family == Family::floating || family == Family::other)) {
      tokens_.refuse(typing_.integer, "type-mismatch", "an integer constant in a comparison of " + type,
                     family == Family::floating ? "a constant with a decimal point" : "variables only");
    }
    if (has_floating && family != Family::floating && family != Family::real) {
      tokens_.refuse(typing_.floating, "type-mismatch", "a constant with a fraction in a comparison of " + type,
                     "integer constants");
    }
    if (family == Family::unsigned_integer && typing_.negative.kind != Token::Kind::end) {
      tokens_.refuse(typing_.negative, "type-mismatch", "a negative constant in a comparison of " + type,
                     "constants of at least 0");
    }
  }

  void describe(const Network& network) {
    std::string text = network.name + ":";
    if (network.relation != Network::Relation::none) {
      text += network.relation == Network::Relation::equal_to ? " equal to " : " isomorphic to ";
      text += network.target + ",";
    }
    for (std::size_t i = 0; i < network.variables.size(); ++i) {
      const Variable& v = network.variables[i];
      text += i == 0 ? " " : ", ";
      text += v.kind == Variable::Kind::input ? "input " : v.kind == Variable::Kind::output ? "output " : "hidden ";
      text += v.name + " " + v.type + " " + dims_text(v.shape);
    }
    summary_.networks.push_back(std::move(text));
  }

  Tokens tokens_;
  Token look_;
  V2Summary summary_;
  std::vector<Network> networks_;
  std::map<std::string, Entry> names_;
  std::vector<Frame> frames_;
  Typing typing_;
};

}  // namespace

V2Summary check_v2(std::string_view text, const std::string& name) { return Checker(text, name).run(); }

}  // namespace outward::vnnlib
