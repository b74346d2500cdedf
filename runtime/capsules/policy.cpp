#include "runtime/capsules/policy.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "formats/error.hpp"
#include "formats/vectors.hpp"

namespace outward {
namespace {

template <typename T>
using WordTable = std::vector<std::pair<T, const char*>>;

const WordTable<Subnormals>& subnormal_words() {
  static const WordTable<Subnormals> words = {{Subnormals::gradual, "gradual"}, {Subnormals::flush, "flush"}};
  return words;
}
const WordTable<Contraction>& contraction_words() {
  static const WordTable<Contraction> words = {{Contraction::none, "none"}, {Contraction::fma, "fma"}};
  return words;
}
const WordTable<Reduction>& reduction_words() {
  static const WordTable<Reduction> words = {{Reduction::none, "none"},
                                             {Reduction::sequential, "sequential"},
                                             {Reduction::pairwise, "pairwise"},
                                             {Reduction::any_order, "any_order"},
                                             {Reduction::any_order_any_fusion, "any_order_any_fusion"},
                                             {Reduction::block, "block"},
                                             {Reduction::implementation_defined, "implementation_defined"}};
  return words;
}

template <typename T>
const char* word_of(const WordTable<T>& table, T value) {
  for (const auto& [v, word] : table)
    if (v == value) return word;
  return "";
}
template <typename T>
std::optional<T> value_of_word(const WordTable<T>& table, std::string_view word) {
  for (const auto& [v, w] : table)
    if (word == w) return v;
  return std::nullopt;
}

[[noreturn]] void refuse_policy(const std::string& what, const std::string& found) {
  throw InputRefused(Blocker{"bad-policy", "", what, "the words of certificates/RECORDS.md", found, ""});
}

void read_word(NumericalPolicy& p, const std::string& name, const std::string& value) {
  const auto bad = [&] { refuse_policy("the policy word " + name + " has an unknown value", value); };
  if (name == "operands") {
    p.operands = parse_format(value);
  } else if (name == "accumulator") {
    p.accumulator = parse_format(value);
  } else if (name == "rounding") {
    const auto r = rounding_of(value);
    if (!r) bad();
    p.rounding = *r;
  } else if (name == "subnormals") {
    const auto s = subnormals_of(value);
    if (!s) bad();
    p.subnormals = *s;
  } else if (name == "contraction") {
    const auto c = contraction_of(value);
    if (!c) bad();
    p.contraction = *c;
  } else if (name == "reduction") {
    const std::size_t open = value.find('(');
    const auto r = reduction_of(value.substr(0, open));
    if (!r) bad();
    p.reduction = *r;
    if (open != std::string::npos) {
      if (value.back() != ')') bad();
      p.block = value.substr(open + 1, value.size() - open - 2);
    }
  } else if (name == "ulp") {
    if (value.empty() || value.size() > 6 || value.find_first_not_of("0123456789") != std::string::npos) bad();
    p.k_ulp = static_cast<std::uint32_t>(std::stoul(value));
  } else {
    refuse_policy("unknown policy word", name);
  }
}

}  // namespace

const BlockModel* block_model(std::string_view name) {
  // Measured figures of the models' authors; b200: tf32 as on the H100.
  static constexpr std::array<BlockModel, 8> models = {{{"v100_f16", 4, 0},
                                                        {"a100_f16", 8, 1},
                                                        {"a100_tf32", 4, 1},
                                                        {"h100_f16", 16, 2},
                                                        {"h100_bf16", 16, 2},
                                                        {"h100_tf32", 8, 2},
                                                        {"h100_fp8", 32, -10},
                                                        {"b200_f16", 32, 2}}};
  for (const BlockModel& m : models)
    if (name == m.name) return &m;
  return nullptr;
}

const char* subnormals_text(Subnormals s) { return word_of(subnormal_words(), s); }
const char* contraction_text(Contraction c) { return word_of(contraction_words(), c); }
const char* reduction_text(Reduction r) { return word_of(reduction_words(), r); }
std::optional<Subnormals> subnormals_of(std::string_view word) { return value_of_word(subnormal_words(), word); }
std::optional<Contraction> contraction_of(std::string_view word) { return value_of_word(contraction_words(), word); }
std::optional<Reduction> reduction_of(std::string_view word) { return value_of_word(reduction_words(), word); }

std::string policy_text(const NumericalPolicy& p) {
  std::string text = format_text(p.format);
  // Formats that are no plain name have blanks in their text.
  const auto add = [&](const char* name, std::string value) {
    std::erase(value, ' ');
    text += std::string(" ") + name + "=" + value;
  };
  std::erase(text, ' ');
  if (p.operands) add("operands", format_text(*p.operands));
  if (p.accumulator) add("accumulator", format_text(*p.accumulator));
  if (p.rounding != Rounding::nearest_even) add("rounding", rounding_text(p.rounding));
  if (p.subnormals != Subnormals::gradual) add("subnormals", subnormals_text(p.subnormals));
  if (p.contraction != Contraction::none) add("contraction", contraction_text(p.contraction));
  if (p.reduction == Reduction::block)
    add("reduction", "block(" + p.block + ")");
  else if (p.reduction != Reduction::none)
    add("reduction", reduction_text(p.reduction));
  if (p.k_ulp != 0) add("ulp", std::to_string(p.k_ulp));
  return text;
}

NumericalPolicy parse_policy(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words[0].empty()) refuse_policy("a policy begins with a number format", std::string(text));
  NumericalPolicy p;
  p.format = parse_format(words[0]);
  std::vector<std::string> seen;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) refuse_policy("a policy word is NAME=VALUE", words[i]);
    const std::string name = words[i].substr(0, equals);
    for (const std::string& s : seen)
      if (s == name) refuse_policy("a policy word occurs twice", name);
    seen.push_back(name);
    read_word(p, name, words[i].substr(equals + 1));
  }
  if (const std::string fault = policy_fault(p); !fault.empty()) refuse_policy(fault, std::string(text));
  return p;
}

std::string policy_fault(const NumericalPolicy& p) {
  if ((p.reduction == Reduction::block) != !p.block.empty()) return "a block model belongs to the reduction `block`";
  if (p.reduction == Reduction::block && block_model(p.block) == nullptr) return "unknown block model " + p.block;
  if (p.operands && *p.operands == p.format) return "operands in the format itself are not rounded: leave the word out";
  if (p.accumulator && *p.accumulator == p.format) return "the accumulator is the format itself: leave the word out";
  if (p.contraction == Contraction::fma && p.reduction == Reduction::none)
    return "contraction needs a sum: the policy has no reduction";
  return "";
}

bool covered_by_any(const NumericalPolicy& p) {
  const bool element =
      p.format == Format{8, 23, 127, Convention::ieee} || p.format == Format{11, 52, 1023, Convention::ieee};
  return element && !p.operands && !p.accumulator && p.rounding == Rounding::nearest_even &&
         p.subnormals == Subnormals::gradual && p.reduction != Reduction::block && p.k_ulp == 0;
}

std::optional<NumericalPolicy> common_policy(std::span<const NumericalPolicy> policies, const Format& element) {
  constexpr std::string_view claimed[] = {"tf32", "bfloat16", "binary16"};
  NumericalPolicy all;
  all.format = element;
  all.reduction = Reduction::any_order_any_fusion;
  for (const NumericalPolicy& p : policies) {
    if (p.format != element || p.reduction == Reduction::block || p.k_ulp != 0) return std::nullopt;
    if (p.accumulator) {
      // Rounded twice to nearest, a result is still one of its two neighbours.
      const Format& wide = *p.accumulator;
      if (p.rounding != Rounding::nearest_even || wide.convention != Convention::ieee || wide.saturate || wide.flush ||
          wide.fraction_bits <= element.fraction_bits || wide.least_exponent() > element.least_exponent() ||
          wide.greatest_exponent() < element.greatest_exponent())
        return std::nullopt;
      all.rounding = Rounding::toward_zero;
    }
    if (p.operands) {
      const bool known =
          std::find(std::begin(claimed), std::end(claimed), format_text(*p.operands)) != std::end(claimed);
      if (!known || (all.operands && all.operands != p.operands)) return std::nullopt;
      all.operands = p.operands;
    }
    if (p.rounding != Rounding::nearest_even) all.rounding = Rounding::toward_zero;
    if (p.subnormals == Subnormals::flush) all.subnormals = Subnormals::flush;
  }
  return all;
}

bool covered_by(const NumericalPolicy& common, const NumericalPolicy& p) {
  const std::optional<NumericalPolicy> own = common_policy(std::span(&p, 1), common.format);
  return own && (!own->operands || own->operands == common.operands) &&
         (own->rounding == Rounding::nearest_even || common.rounding != Rounding::nearest_even) &&
         (own->subnormals == Subnormals::gradual || common.subnormals == Subnormals::flush);
}

}  // namespace outward
