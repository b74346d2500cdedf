// Numerical policies: what one kernel promises about its arithmetic, in words a bound can be computed from. DESIGN
// sections 6 and 7. Assumes nothing; promises that the text of a policy names it completely and reads back the same.
// The error formulas belong to bounds/; certificates/RECORDS.md lists the words.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/format.hpp"
#include "formats/rounding.hpp"

namespace outward {

enum class Subnormals {
  gradual,
  flush  // operands and results below the least normal number, before or after rounding, may be taken as zero
};

enum class Contraction {
  none,  // products are rounded before they are added
  fma    // a product may be added without being rounded first
};

enum class Reduction {
  none,                   // the operator adds nothing up
  sequential,             // left to right, the bias last; with `fma`: a chain of fused steps
  pairwise,               // the two halves of the list, recursively
  any_order,              // every order and bracketing, the same contraction for all steps
  any_order_any_fusion,   // every order and bracketing, each product rounded or fused
  block,                  // steps of a named tensor core model, see BlockModel
  implementation_defined  // not said: bounds are those of any_order_any_fusion
};

// One step of a tensor core: `products` exact products and the accumulator, each cut off (towards zero) below
// 2^(E − fraction_bits − extra_bits), E the greatest exponent among them, added exactly, then cut off to the
// accumulator's format. A model of measurements (Khattak and Mikaitis), no promise of the vendor: where a policy names
// one, that is an assumption.
struct BlockModel {
  const char* name;  // "h100_f16"
  int products;
  int extra_bits;  // may be negative: fewer bits than the accumulator has
};
// nullptr for an unknown name.
const BlockModel* block_model(std::string_view name);

struct NumericalPolicy {
  Format format = {8, 23, 127, Convention::ieee};  // of operands as stored, and of results
  std::optional<Format> operands;                  // contractions round their operands to it first (TF32, bfloat16)
  std::optional<Format> accumulator;               // of products and sums inside one operator; format if absent
  Rounding rounding = Rounding::nearest_even;
  Subnormals subnormals = Subnormals::gradual;
  Contraction contraction = Contraction::none;
  Reduction reduction = Reduction::none;
  std::string block;        // name of a BlockModel iff reduction is block
  std::uint32_t k_ulp = 0;  // results of elementary functions are within so many ulps; 0: no such function
  bool operator==(const NumericalPolicy&) const = default;
};

// Whether each product of a sum may be rounded or fused.
inline bool leaves_fusion_open(const NumericalPolicy& p) {
  return p.reduction == Reduction::any_order_any_fusion || p.reduction == Reduction::implementation_defined;
}

// "binary32", then the words that differ from the defaults, joined by one blank, in this order: operands=FORMAT
// accumulator=FORMAT rounding=NAME subnormals=flush contraction=fma reduction=NAME (block(MODEL) for blocks) ulp=K.
std::string policy_text(const NumericalPolicy& policy);

// Reads it, words in any order, each at most once. Throws InputRefused naming the word that is not understood. A policy
// that contradicts itself is refused too: see policy_fault.
NumericalPolicy parse_policy(std::string_view text);

// Why a policy makes no sense ("" if it does): block without a known model or the other way round, an accumulator or
// operand format equal to the format (say nothing instead), contraction without a reduction.
std::string policy_fault(const NumericalPolicy& policy);

const char* subnormals_text(Subnormals s);
const char* contraction_text(Contraction c);
// Without the model of a block.
const char* reduction_text(Reduction r);
std::optional<Subnormals> subnormals_of(std::string_view word);
std::optional<Contraction> contraction_of(std::string_view word);
std::optional<Reduction> reduction_of(std::string_view word);

// True if every execution under the policy is one that fp32_any (or, for a binary64 format, fp64_any) covers: that
// format, nothing rounded to another one, nearest even, gradual underflow, sums in whatever order, no elementary
// function beyond correct rounding. FORMAT.md section 5.
bool covered_by_any(const NumericalPolicy& policy);

// One policy that covers all of them, of the few that a certificate can claim (FORMAT.md section 5, `capsule`): results
// in `element`, operands rounded to one format at most, rounding nearest_even or (standing for every rounding to a
// neighbour, and for sums in a wider format that are rounded once more) toward_zero, flushing or not, any order and
// fusion. Nothing if there is none.
std::optional<NumericalPolicy> common_policy(std::span<const NumericalPolicy> policies, const Format& element);

// Whether a claim under `common` (made by common_policy, or its words in a certificate) covers every execution under p.
bool covered_by(const NumericalPolicy& common, const NumericalPolicy& p);

}  // namespace outward
