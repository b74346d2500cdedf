// The verdict about one certificate. The kernel reads no options and prints nothing: a Question
// hands it the model and the property that were read independently of the certificate.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "checker/kernel/state.hpp"
#include "checker/readers/readers.hpp"
#include "checker/readers/records.hpp"

namespace outward_check {

// A record that does not follow from the rules. undecided: it was too costly to decide exactly.
struct Rejection {
  std::string rule, expected, found;
  bool undecided = false;
};
void require(bool good, const char* rule, const std::string& expected, const std::string& found);
void require(bool good, const char* rule, const std::string& expected, std::uint64_t found);

struct Bound {
  std::uint32_t output = 0;
  bool is_lower = false;
  Fraction value;
};

// The ledger of a proof: which box, scope and case is open, what a record changes, and when
// everything is discharged. Assumes records that match the schema. The default outcome is failure:
// done() is true only after every box was closed with every case refuted in every scope.
class Proof {
 public:
  virtual ~Proof() = default;
  virtual void record(const Record& record) = 0;  // throws Rejection
  virtual bool done() const = 0;
  std::vector<Bound> bounds;          // proved so far
  std::uint64_t exact_decisions = 0;  // records that needed exact arithmetic
  std::uint64_t open_scopes = 0;      // left unproved by an `open` record
};

// bound_claim: bound records instead of refutations. exact: all arithmetic in exact rationals.
std::unique_ptr<Proof> make_proof(const Structure& structure, const Numerics& numerics,
                                  const Property& property, bool bound_claim, bool exact);

// Executions of single points (FORMAT.md section 5) and what they say about a case.
enum class Execution : std::uint8_t { real, fp32_sequential, fp64_sequential };

struct Run {
  std::string fault;                     // not empty: there is no result, e.g. for an overflow
  std::vector<Interval<Exact>> outputs;  // points, or tight enclosures where a root is irrational
};
// inputs: exact; the float executions receive them rounded to nearest even.
Run execute(const Structure& structure, Execution kind, const std::vector<Fraction>& inputs);

struct Witness {
  bool proved = false;             // the point is in the box of a case and all its rows are true
  std::size_t which = 0;           // that case
  std::string reason;              // if not proved
  std::vector<std::string> notes;  // the value of every row of that or the last case
  std::vector<Interval<Exact>> outputs;
};
// Tries the cases first ... last - 1.
Witness check_witness(const Structure& structure, const Property& property, std::size_t first,
                      std::size_t last, const std::vector<Fraction>& point, Execution kind);

enum class Claim : std::uint8_t { holds, violated, bound };
inline constexpr const char* claim_names[] = {"holds", "violated", "bound"};
inline constexpr const char* semantics_names[] = {"real", "fp32_any", "fp64_any", "capsule"};
enum class Word : std::uint8_t { valid, vacuous, not_asked, invalid, incomplete };

class Question {
 public:
  virtual ~Question() = default;
  Claim expected = Claim::holds;
  bool any_semantics = false;     // accept a proof in any semantics
  bool default_semantics = true;  // ask for the float claim of the model's element type
  Semantics semantics = Semantics::real;  // otherwise for this one
  bool exact = false;             // use exact arithmetic only
  // The model that the answer is about; null if none is at hand. Throws if the record names another.
  virtual const ModelRead* model(const Record& record) = 0;
  // The property that is asked; null if none was named.
  virtual const Property* asked(const Graph& graph) = 0;
  // The property that the certificate describes, if it can be rebuilt.
  virtual const Property* stated(const Record& record, const Graph& graph) = 0;
  // Whether the record names this property.
  virtual bool states(const Record& record, const Property& property) = 0;
};

struct Answer {
  Word word = Word::invalid;
  Claim claim = Claim::holds;
  Semantics semantics = Semantics::real;
  std::string numerics;              // the words of that record
  std::vector<std::string> reasons;  // why it is not VALID
  std::string record, rule;          // of a record that was rejected: its name, what it breaks
  std::vector<std::string> notes;
  std::vector<Bound> bounds;         // claim bound
  std::uint64_t records = 0, exact_decisions = 0;
};

// Throws ReadError for what is malformed, unsupported or over a limit, std::bad_alloc.
Answer check_certificate(const std::string& path, Question* question);

}  // namespace outward_check
