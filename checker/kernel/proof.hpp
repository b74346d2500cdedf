// The ledger of a proof: which box, scope and case is open, what a record changes, and when
// everything is discharged. Assumes records that match the schema. The default outcome is failure:
// done() is true only after every box was closed with every case refuted in every scope.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/kernel/state.hpp"
#include "checker/readers/records.hpp"

namespace outward_check {

// A record that does not follow from the rules. undecided: it was too costly to decide exactly.
struct Rejection {
  std::string rule, expected, found;
  bool undecided = false;
};

struct Bound {
  std::uint32_t output = 0;
  bool is_lower = false;
  Dyadic value;
};

class Proof {
 public:
  virtual ~Proof() = default;
  virtual void record(const Record& record) = 0;  // throws Rejection
  virtual bool done() const = 0;
  virtual const std::vector<Bound>& bounds() const = 0;
  virtual std::uint64_t exact_decisions() const = 0;  // records that needed exact arithmetic
};

// bound_claim: bound records instead of refutations. exact: all arithmetic in exact rationals.
std::unique_ptr<Proof> make_proof(const Structure& structure, Semantics semantics,
                                  const Property& property, bool bound_claim, bool exact);

}  // namespace outward_check
