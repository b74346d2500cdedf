// Certificates mutated field by field and byte by byte, in process. Two promises: no mutant is VALID for a claim that
// is false (the oracle is an exact point of the box), and mutants in fields that carry meaning change the verdict in at
// least 99% of cases.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "test/cross/proofs.hpp"

using namespace outward;
using namespace outward::testing;
using Json = nlohmann::ordered_json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = text.find('\n', from);
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

// The text again, with a footer that fits: a mutant must not be caught by its checksum alone.
std::string sealed(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) text += lines[i] + "\n";
  const std::string digest = sha256_hex(text.data(), text.size());
  return text + "{\"record\":\"footer\",\"records\":" + std::to_string(lines.size() - 1) + ",\"sha256\":\"" + digest +
         "\"}\n";
}

// One change of one value of a record; names what was changed. Numbers move, strings lose or change a character, lists
// lose, gain or repeat an item.
std::string mutate_value(Json& value, Random& random) {
  if (value.is_number()) {
    value = value.get<std::int64_t>() + (random() % 2 ? 1 : value.get<std::int64_t>() > 0 ? -1 : 2);
    return "number";
  }
  if (value.is_string()) {
    std::string s = value;
    if (s.empty()) {
      s = "AA==";
    } else {
      const std::size_t at = random() % s.size();
      static const std::string letters = "0123456789abcdefAB*^-,=";
      char c = letters[random() % letters.size()];
      while (c == s[at]) c = letters[random() % letters.size()];
      if (random() % 4 == 0)
        s.erase(at, 1);
      else
        s[at] = c;
    }
    value = s;
    return "text";
  }
  if (value.is_array()) {
    if (value.empty()) {
      value.push_back(random() % 3);
      return "item added";
    }
    const std::size_t at = random() % value.size();
    switch (random() % 3) {
      case 0:
        value.erase(at);
        return "item dropped";
      case 1:
        value.push_back(value[at]);
        return "item repeated";
      default:
        return mutate_value(value[at], random);
    }
  }
  if (value.is_object()) {
    auto it = value.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random() % value.size()));
    return mutate_value(it.value(), random);
  }
  value = 1;
  return "other";
}

// Fields whose meaning is the claim or the identity of an object. The rest are hints (any slope byte is sound, a bound
// may be recomputed without one of its elements, a multiplier may be scaled) or comments. Below a split the node of a
// step is a hint too: where a step is missing, the ranges of the enclosing scope stand.
bool carries_meaning(const std::string& record, const std::string& field, bool is_tree) {
  if (is_tree && record == "step" && field == "node") return false;
  static const std::map<std::string, std::vector<std::string>> meaning = {
      {"header", {"record", "format", "version", "claim", "semantics"}},
      {"model", {"record", "files", "shapes", "element", "inputs", "outputs", "nodes", "graph"}},
      {"property", {"record", "kind", "sha256", "cases", "boxes", "digest"}},
      {"numerics", {"record", "format", "rounding", "subnormals", "order", "fusion"}},
      {"box", {"record", "box"}},
      {"slopes", {"record", "id", "node"}},
      {"step", {"record", "node", "method"}},
      {"refute", {"record", "case", "rows"}},
      {"close", {"record"}}};
  const auto it = meaning.find(record);
  return it != meaning.end() && std::find(it->second.begin(), it->second.end(), field) != it->second.end();
}

int budget() {
  const char* text = std::getenv("OUTWARD_MUTANTS");
  return text ? std::atoi(text) : 20000;
}

}  // namespace

TEST_CASE("mutated certificates are never valid for a false claim, and meaning is not idle") {
  Random random(424242);
  const int total = budget();
  int samples = 0, trees = 0, made = 0, meaningful = 0, changed = 0, false_valid = 0, sound_survivors = 0;
  std::map<std::string, int> survivors;
  while (made < total) {
    const bool branching = trees * 4 <= samples;
    const ProofSample s = branching ? random_branching_proof(random, 2 + static_cast<int>(random() % 3))
                                    : random_proof(random, 1 + static_cast<int>(random() % 3));
    if (s.certificate.empty()) continue;
    ++samples;
    trees += branching;
    MemoryQuestion truth(s.model, s.proved), falsehood(s.model, s.refuted);
    REQUIRE(judge(s.certificate, truth) == "VALID");
    const std::vector<std::string> lines = lines_of(s.certificate);
    // The false claim, dressed as the true one: the property record of the false property on the true proof.
    CertificateWriter header({"holds", "fp32_any", "test"}, s.model, s.refuted);
    std::vector<std::string> lying = lines;
    lying[2] = lines_of(header.finish().whole())[2];
    REQUIRE(judge(sealed(lying), falsehood) != "VALID");
    for (int i = 0; i < 200 && made < total; ++i, ++made) {
      std::vector<std::string> mutant = lines;
      std::string kind, record, field;
      if (i % 4 == 3) {  // bytes
        const std::size_t at = random() % (lines.size() - 1);
        kind = "byte";
        std::string& line = mutant[at];
        line[random() % line.size()] = static_cast<char>(32 + random() % 95);
      } else if (i % 16 == 2) {  // whole records
        const std::size_t at = random() % (lines.size() - 1), other = random() % (lines.size() - 1);
        kind = "record";
        if (random() % 3 == 0)
          mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(at));
        else if (random() % 2)
          mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(at), lines[other]);
        else
          std::swap(mutant[at], mutant[other]);
      } else {
        const std::size_t at = random() % (lines.size() - 1);
        Json j = Json::parse(lines[at]);
        auto it = j.begin();
        std::advance(it, static_cast<std::ptrdiff_t>(random() % j.size()));
        record = j["record"];
        field = it.key();
        kind = record + "." + field + ": " + mutate_value(it.value(), random);
        mutant[at] = j.dump();
      }
      const std::string text = sealed(mutant);
      if (text == s.certificate) continue;
      const std::string word = judge(text, truth);
      if (carries_meaning(record, field, branching)) {
        ++meaningful;
        changed += word != "VALID";
        if (word == "VALID") ++survivors[kind];
      } else if (word == "VALID") {
        ++sound_survivors;
      }
      // The same mutation on the lying certificate.
      if (mutant.size() > 2 && mutant[2] == lines[2]) {
        mutant[2] = lying[2];
        const std::string verdict = judge(sealed(mutant), falsehood);
        if (verdict == "VALID") {
          ++false_valid;
          MESSAGE("VALID for a false claim after " << kind);
        }
      }
    }
  }
  CHECK(false_valid == 0);
  CHECK(meaningful > total / 4);
  CHECK(changed * 100 >= meaningful * 99);
  MESSAGE(made << " mutants; " << meaningful << " in fields with meaning, " << changed << " changed the verdict; "
               << sound_survivors << " mutants of hints and comments stayed valid for the true claim");
  for (const auto& [name, count] : survivors) MESSAGE("survivors: " << name << " " << count);
}
