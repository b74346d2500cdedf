// Evidence that can be executed: kernels against exact arithmetic within what their records declare. Assumes nothing
// about a kernel; promises that a verdict `passed` counts only cases that were really compared, and that a failure
// names the input.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/capsules/kernels.hpp"

namespace outward {

struct EvidenceRun {
  std::string capsule, kind;  // fuzz or exhaustive
  std::uint64_t cases = 0;    // results compared
  std::uint64_t failures = 0;
  std::uint64_t seed = 0;
  double seconds = 0;
  std::string first_failure;  // node, operands, what came out, what the policy allows
  bool passed() const { return cases > 0 && failures == 0; }
};

// Random small nodes of the capsule's operator with operands made to hurt (cancellation, absorption, subnormals, ties,
// wide exponents) until `cases` results have been compared, or stop answers true. Every result must lie in the error
// box of the policy around the exact value, and where the policy leaves no choice it must be the very number that the
// policy's order gives. REQUIRES a binary32 or binary64 policy without block model.
EvidenceRun fuzz_kernel(const Capsule& capsule, const KernelFunction& kernel, std::uint64_t cases, std::uint64_t seed,
                        const std::function<bool()>& stop = {});

// All operands of a format of at most 8 bits: add, shift, scale and divide on every pair of finite values, neg, relu
// and abs on every one; results against the nearest number of the format (ties to the even code), found in its table.
EvidenceRun exhaust_kernel(const Capsule& capsule, const KernelFunction& kernel);

// What the record's value contract says is evidence, with this build's kernel: exhaustive where it says so, else fuzz.
EvidenceRun run_evidence(const Capsule& capsule, std::uint64_t cases, std::uint64_t seed,
                         const std::function<bool()>& stop = {});

// "compiler …, flags …" of this build, and the floating-point features of the processor.
std::string build_text();
std::string processor_text();

}  // namespace outward
