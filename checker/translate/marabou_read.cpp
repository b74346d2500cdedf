// Reading a Marabou proof: see marabou_proof.hpp.
#include <algorithm>
#include <charconv>

#include "checker/readers/json.hpp"
#include "checker/readers/readers.hpp"
#include "checker/translate/marabou_proof.hpp"

namespace outward_check {

namespace {

MarabouPlace place_of(const JsonText& at) { return {at.line, at.column}; }

[[noreturn]] void unsupported(const JsonText& at, const std::string& what) {
  throw ReadError(ReadError::Class::unsupported,
                  std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what);
}

// The number as written; the JSON reader has checked its form.
Decimal decimal(const JsonText& number) {
  if (!number.is(JsonKind::number)) malformed(number, "expected a number");
  const std::string& text = number.text;
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::int64_t places = 0, exponent = 0;
  std::string digits;
  bool behind_point = false;
  for (char c : text.substr(0, mark)) {
    behind_point |= c == '.';
    if (c < '0' || c > '9') continue;
    digits.push_back(c), places += behind_point;
  }
  for (char c : text.substr(mark))
    if (c >= '0' && c <= '9') exponent = std::min<std::int64_t>(exponent * 10 + (c - '0'), 1000000);
  places += mark + 1 < text.size() && text[mark + 1] == '-' ? exponent : -exponent;
  const std::size_t last = digits.find_last_not_of('0') + 1;
  if (last == 0) return {};
  places -= static_cast<std::int64_t>(digits.size() - last), digits.resize(last);
  digits.erase(0, digits.find_first_not_of('0'));
  const auto most = static_cast<std::int64_t>(limit(Limit::decimal_places));
  if (places > most || static_cast<std::int64_t>(digits.size()) - std::min<std::int64_t>(places, 0) > most)
    over(Limit::decimal_places,
         std::to_string(number.line) + ":" + std::to_string(number.column) + ": a longer number");
  Decimal value;
  value.m = BigInt::from_decimal(digits);
  if (places < 0) value.m = value.m * power_of_ten(static_cast<unsigned>(-places));
  value.places = static_cast<unsigned>(std::max<std::int64_t>(places, 0));
  if (text[0] == '-') value.m = -value.m;
  return value;
}

// A list of {var, val}; no index twice.
std::vector<MarabouTerm> terms(const JsonText& list, std::uint64_t size) {
  std::vector<MarabouTerm> out;
  std::vector<std::uint32_t> seen;
  for (const JsonText& item : list_of(list, JsonKind::object)) {
    require_keys(item, {"var", "val"});
    out.push_back({static_cast<std::uint32_t>(index_below(*item.find("var"), size)), decimal(*item.find("val"))});
    seen.push_back(out.back().index);
  }
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) malformed(list, "an index occurs twice");
  return out;
}

bool is_upper(const JsonText& side) {
  if (side.is(JsonKind::string) && (side.text == "U" || side.text == "L")) return side.text == "U";
  malformed(side, "expected \"U\" or \"L\"");
}

class Reader {
 public:
  MarabouProof read(const JsonText& document) {
    require_keys(document, {"tableau", "upperBounds", "lowerBounds", "constraints", "proof"});
    read_bounds(document);
    for (const JsonText& row : list_of(*document.find("tableau"), JsonKind::list))
      proof_.rows.push_back(terms(row, variables_));
    for (const JsonText& item : list_of(*document.find("constraints"), JsonKind::object)) read_constraint(item);
    read_tree(*document.find("proof"));
    return std::move(proof_);
  }

 private:
  MarabouProof proof_;
  std::uint64_t variables_ = 0;

  void read_bounds(const JsonText& document) {
    for (const JsonText& x : list_of(*document.find("upperBounds"), JsonKind::number))
      proof_.upper.push_back(decimal(x));
    for (const JsonText& x : list_of(*document.find("lowerBounds"), JsonKind::number))
      proof_.lower.push_back(decimal(x));
    variables_ = proof_.upper.size();
    if (proof_.lower.size() != variables_)
      malformed(*document.find("lowerBounds"),
                std::to_string(proof_.lower.size()) + " lower and " + std::to_string(variables_) + " upper bounds");
    if (variables_ > limit(Limit::variables)) over(Limit::variables, "more variables");
  }

  void read_constraint(const JsonText& item) {
    static const char* const names[] = {"ReLU", "absolute value", "maximum", "disjunction", "sign", "leaky ReLU"};
    require_keys(item, {"constraintType", "vars"});
    const std::uint64_t type = index_below(*item.find("constraintType"), std::uint64_t{1} << 32);
    std::vector<std::uint32_t> vars;
    for (const JsonText& v : list_of(*item.find("vars"), JsonKind::number))
      vars.push_back(static_cast<std::uint32_t>(index_below(v, variables_)));
    if (type != 0)
      unsupported(item, "constraint type " + std::to_string(type) + (type < 6 ? std::string(", ") + names[type] : "") +
                            ": only ReLU (0) has rules here");
    if (vars.size() < 2) malformed(item, "a ReLU constraint has the variables b, f and mostly aux");
    const std::size_t roles = std::min<std::size_t>(vars.size(), 3);
    std::vector<std::uint32_t> sorted(vars.begin(), vars.begin() + static_cast<std::ptrdiff_t>(roles));
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) malformed(item, "b, f and aux are not three");
    proof_.relus.push_back({vars[0], vars[1], roles == 3 ? vars[2] : 0, roles == 3});
  }

  MarabouLemma lemma(const JsonText& item) {
    if (item.find("causVars") != nullptr || item.find("expls") != nullptr)
      unsupported(item, "a lemma with several causes: it belongs to no ReLU constraint");
    require_keys(item, {"affVar", "affBound", "bound", "causVar", "causBound", "constraint", "expl"});
    if (index_below(*item.find("constraint"), std::uint64_t{1} << 32) != 0)
      unsupported(*item.find("constraint"), "a lemma of a constraint type other than ReLU (0)");
    decimal(*item.find("bound"));
    MarabouLemma out;
    out.affected = static_cast<std::uint32_t>(index_below(*item.find("affVar"), variables_));
    out.cause = static_cast<std::uint32_t>(index_below(*item.find("causVar"), variables_));
    out.affected_upper = is_upper(*item.find("affBound")), out.cause_upper = is_upper(*item.find("causBound"));
    out.explanation = terms(*item.find("expl"), proof_.rows.size());
    out.place = place_of(item);
    return out;
  }

  void read_contradiction(const JsonText& list, MarabouNode* node) {
    node->end = MarabouNode::End::combination;
    if (list.is(JsonKind::list) && list.items.size() == 1 && list.items[0].is(JsonKind::number)) {
      node->end = MarabouNode::End::crossing;
      node->crossing = static_cast<std::uint32_t>(index_below(list.items[0], variables_));
    } else {
      node->combination = terms(list, proof_.rows.size());
    }
  }

  void read_node(const JsonText& item, MarabouNode* node) {
    require_keys(item, {}, {"split", "lemmas", "children", "contradiction"});
    node->place = place_of(item);
    if (const JsonText* split = item.find("split")) {
      for (const JsonText& s : list_of(*split, JsonKind::object)) {
        require_keys(s, {"var", "val", "bound"});
        node->split.push_back({static_cast<std::uint32_t>(index_below(*s.find("var"), variables_)),
                               is_upper(*s.find("bound")), decimal(*s.find("val"))});
      }
    }
    if (const JsonText* lemmas = item.find("lemmas"))
      for (const JsonText& l : list_of(*lemmas, JsonKind::object)) node->lemmas.push_back(lemma(l));
    const JsonText* contradiction = item.find("contradiction");
    if (contradiction != nullptr && item.find("children") != nullptr)
      malformed(item, "a node with both children and a contradiction");
    if (contradiction != nullptr) read_contradiction(*contradiction, node);
  }

  // Without recursion, since proofs are deep.
  void read_tree(const JsonText& root) {
    std::vector<const JsonText*> items = {&root};
    for (std::size_t i = 0; i < items.size(); ++i) {
      MarabouNode node;
      read_node(*items[i], &node);
      if (const JsonText* children = items[i]->find("children")) {
        node.end = MarabouNode::End::children;
        node.first_child = static_cast<std::uint32_t>(items.size());
        for (const JsonText& child : list_of(*children, JsonKind::object)) items.push_back(&child);
        node.child_count = static_cast<std::uint32_t>(items.size() - node.first_child);
      }
      proof_.nodes.push_back(std::move(node));
    }
  }
};

}  // namespace

const BigInt& power_of_ten(unsigned exponent) {
  static thread_local std::vector<BigInt> powers = {1};
  while (powers.size() <= exponent) powers.push_back(powers.back() * 10);
  return powers[exponent];
}

BigInt at_places(const Decimal& value, unsigned places) {
  return places == value.places ? value.m : value.m * power_of_ten(places - value.places);
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  const unsigned places = std::max(a.places, b.places);
  BigInt sum = at_places(a, places);
  sum += at_places(b, places);
  return {std::move(sum), places};
}

Decimal operator*(const Decimal& a, const Decimal& b) { return {a.m * b.m, a.places + b.places}; }

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
  const unsigned places = std::max(a.places, b.places);
  return at_places(a, places) <=> at_places(b, places);
}

Decimal rounded(const Decimal& value, unsigned places, bool upward) {
  if (value.places <= places) return value;
  BigInt quotient;
  BigInt::divide_floor(upward ? -value.m : value.m, power_of_ten(value.places - places), &quotient, nullptr);
  return {upward ? -quotient : quotient, places};
}

std::string about(const Decimal& value) {
  char text[64];
  const double rough = Fraction(value.m, power_of_ten(value.places)).double_up();
  return {text, std::to_chars(text, text + sizeof text, rough, std::chars_format::general, 4).ptr};
}

MarabouProof read_marabou(const JsonText& document) { return Reader().read(document); }

}  // namespace outward_check
