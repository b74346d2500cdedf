// Capsule records: what one implementation of one operator is, promises, and by what evidence. DESIGN section 6; the
// words and the file form are in certificates/RECORDS.md. Assumes nothing about a text; promises a closed schema: what
// is not understood is refused, and a record whose digest is not that of its text is never read.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/capsules/policy.hpp"

namespace outward {

// From weakest to strongest.
enum class Trust { external, fuzzed, checked, proved };

enum class VjpMode { none, tape, backend };

// Whether this program can run it.
enum class RuntimeSupport { executable, test_only, planner_only, not_wired };

// What a contract may claim, one word for each of the four fields of a record and one for the absence of a VJP.
enum class Claim { shape_safety, layout_compatibility, value_refinement, vjp_refinement, vjp_unavailable };

enum class Evidence {
  none,            // no evidence recorded
  not_applicable,  // there is nothing to show (a VJP that does not exist)
  boundary,        // believed: an assumption with a name
  test,            // a test suite with a stated number of cases
  fuzz,            // a differential test against exact arithmetic with a stated number of cases
  guard,           // checked at run time before every use
  recheck,         // every result is checked again
  exhaustive,      // all inputs tried; the artefact has a digest
  proof            // machine-checked; the artefact has a digest
};

struct Provenance {
  std::string file, symbol, sha256, note;  // "" where it does not apply; file relative to the source folder
};

struct Contract {
  Claim claim = Claim::shape_safety;
  std::string op;
  std::string of;  // the layout, or the VJP mode; "" for shape and value
  Evidence evidence = Evidence::none;
  std::uint64_t cases = 0;  // of test and fuzz
  std::vector<Provenance> provenance;
};

// The fields of a record, in this order.
enum class Field { shape, layout, value, vjp };
inline constexpr std::array<Field, 4> all_fields = {Field::shape, Field::layout, Field::value, Field::vjp};

struct Capsule {
  std::string name, op, provider, device, spec;
  Trust trust = Trust::external;
  bool forward = true;
  VjpMode vjp = VjpMode::none;
  RuntimeSupport support = RuntimeSupport::not_wired;
  NumericalPolicy policy;
  std::array<Contract, 4> contracts;      // by Field
  std::string assumption;                 // the name of what is believed; "" if nothing is
  std::vector<std::string> requires_off;  // math modes and environment settings that must be off
  std::string notes;
  std::string sha256;  // of the record's text; see record_text
  std::string source;  // file and line, not part of the record

  const Contract& contract(Field f) const { return contracts[static_cast<std::size_t>(f)]; }
  Contract& contract(Field f) { return contracts[static_cast<std::size_t>(f)]; }
};

// One line of a record file. The digest is that of the line without its last member, `,"sha256":"…"`. Throws
// InputRefused naming every fault: schema, words, policy, digest.
Capsule parse_capsule(std::string_view line, const std::string& where, std::size_t line_number = 1);

// The line, with the digest that belongs to it (capsule.sha256 is not looked at).
std::string record_text(const Capsule& capsule);

// The line with its last member `"sha256"` made right, whatever it was; for whoever writes records and profiles.
std::string sealed(std::string_view line);
// "" if the digest at the end of the line is right, else what is wrong.
std::string seal_fault(std::string_view line);

// The strongest label that evidence of this kind supports; nullopt for none and not_applicable.
std::optional<Trust> strength(Evidence evidence);
// The label its weakest evidence supports; nullopt if a contract has no evidence (not_applicable counts only for a VJP
// that the record says is unavailable).
std::optional<Trust> supported_trust(const Capsule& capsule);

// Misplaced claims, one sentence each: a claim sits in its own field, matches the operator and the VJP mode.
std::vector<std::string> misalignments(const Capsule& capsule);

struct OpRow {
  const char* name;
  bool random = false;       // a source of random numbers: exempt from the demand for a VJP
  bool accumulates = false;  // its policy must say how it sums
  bool elementary = false;   // its policy must say how far off it may be
};
// nullptr for an unknown operator. The names of the operators of graphs (op_name) are all known.
const OpRow* find_op(std::string_view name);
// Contractions: the operators whose policy may round operands to another format first. All others compute with what is
// stored.
bool multiplies_rounded_factors(std::string_view op);

const char* trust_text(Trust t);
const char* vjp_text(VjpMode m);
const char* support_text(RuntimeSupport s);
const char* claim_text(Claim c);
const char* evidence_text(Evidence e);
const char* field_text(Field f);
std::optional<Trust> trust_of(std::string_view word);
std::optional<VjpMode> vjp_of(std::string_view word);
std::optional<Evidence> evidence_of(std::string_view word);
bool is_device(std::string_view word);
bool is_provider(std::string_view word);
bool is_layout(std::string_view word);

}  // namespace outward
