// The verdict about one certificate. The kernel reads no options and prints nothing: a Question
// hands it the model and the property that were read independently of the certificate.
#pragma once
#include <string>
#include <vector>

#include "checker/kernel/execution.hpp"
#include "checker/kernel/proof.hpp"
#include "checker/readers/readers.hpp"
#include "checker/readers/records.hpp"

namespace outward_check {

enum class Claim : std::uint8_t { holds, violated, bound };
enum class Word : std::uint8_t { valid, vacuous, not_asked, invalid, incomplete };

class Question {
 public:
  virtual ~Question() = default;
  Claim expected = Claim::holds;
  bool any_semantics = false;     // accept a proof in any semantics
  bool default_semantics = true;  // ask for the float claim of the model's element type
  Semantics semantics = Semantics::real;  // otherwise for this one
  bool exact = false;             // use exact arithmetic only
  // The model that the answer is about; null if none is at hand.
  virtual const ModelRead* model(const Record& record) = 0;
  // The property that is asked; null if none was named.
  virtual const Property* asked(const Graph& graph) = 0;
  // The property that the certificate describes, if it can be rebuilt.
  virtual const Property* stated(const Record& record, const Graph& graph) = 0;
};

struct Answer {
  Word word = Word::invalid;
  Claim claim = Claim::holds;
  Semantics semantics = Semantics::real;
  std::vector<std::string> reasons;  // why it is not VALID
  std::vector<std::string> notes;
  std::vector<Bound> bounds;         // claim bound
  std::uint64_t records = 0, exact_decisions = 0;
};

// Throws ReadError for what is malformed, unsupported or over a limit, std::bad_alloc.
Answer check_certificate(const std::string& path, Question* question);
const char* semantics_name(Semantics semantics);

}  // namespace outward_check
