// The set of capsule records that a program knows: those built in, and those of files the user names. Promises: no two
// records with one name, nor two with one name, operator, provider and device; a record that is not built in never
// counts unless its digest is on the user's allow-list.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/capsules/record.hpp"

namespace outward {

class Registry {
 public:
  // The records of certificates/records/ as they were when the program was built.
  static const Registry& shipped();

  // Adds the capsule records of a text of JSON Lines (profile records are skipped, see profile.hpp). Throws
  // InputRefused with every fault of every line, and for duplicates.
  void add(std::string_view text, const std::string& where);
  // Takes the place of the record of that name, operator, provider and device, or is added.
  void replace(Capsule capsule);
  // Digests of records that are not built in and may be used all the same.
  void allow(const std::set<std::string>& digests) { allowed_.insert(digests.begin(), digests.end()); }

  const std::vector<Capsule>& capsules() const { return capsules_; }
  const Capsule* find(std::string_view name) const;
  // Built in with this very digest, or on the allow-list.
  bool counts(const Capsule& capsule) const;

 private:
  std::vector<Capsule> capsules_;
  std::set<std::string> allowed_;
};

// Lines of a text, which must outlive them, with their numbers from 1; empty lines are left out.
std::vector<std::pair<std::size_t, std::string_view>> record_lines(std::string_view text);

// What is wrong with a set of records, one sentence each with the record's name; empty if nothing is: misaligned
// claims, a label stronger than the evidence, evidence without what it must state (cases, digest), an assumption
// without a name, a policy that does not say how its operator sums. root: the source folder; then the files and symbols
// that evidence names must exist and digests match (no files are looked at if it is empty).
std::vector<std::string> lint(const std::vector<Capsule>& capsules, const std::string& root);

// What the evidence of a contract must state and does not (certificates/RECORDS.md): the number of cases of a test,
// where it is, the digest of an artefact; each goes on after "the … contract".
std::vector<std::string> unstated_evidence(const Contract& contract);

// What is wrong with the meaning of one record alone, whoever wrote it: an assumption without a name or with another
// label than external, a policy that does not say how its operator sums or how far off it may be, a policy_fault.
std::vector<std::string> meaning_faults(const Capsule& capsule);

// The text built in, JSON Lines.
std::string_view shipped_records();

}  // namespace outward
