// Profiles: what a user admits when a plan is made. DESIGN section 6. The form of a profile record is in
// certificates/RECORDS.md. Assumes nothing about a text; promises the same strictness as for capsule records.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/capsules/record.hpp"

namespace outward {

class Registry;

enum class Preference {
  any,     // every provider, in the order of the registry
  prefer,  // every provider, those listed first
  only     // no other provider than those listed
};

struct Profile {
  std::string name, device = "cpu";
  Preference preference = Preference::any;
  std::vector<std::string> providers;
  Trust trust = Trust::proved;     // the weakest label admitted
  std::vector<Evidence> evidence;  // the kinds admitted for a contract
  VjpMode vjp = VjpMode::none;     // not none: the plan is for training
  bool coalesced = false;          // neighbours with one capsule are lowered together
  bool available = true;
  std::string reason;              // why it is not
  std::vector<std::string> order;  // capsules to try first, by name
  std::string notes, sha256, source;
  std::vector<Capsule> capsules;  // of the file of a user's profile: they replace those of the registry
};

// A profile record; throws InputRefused.
Profile parse_profile(std::string_view line, const std::string& where, std::size_t line_number = 1);
std::string profile_text(const Profile& profile);

// The profiles built in, and one of them (nullptr if there is none of that name).
const std::vector<Profile>& shipped_profiles();
const Profile* find_profile(std::string_view name);

// A user's file: one profile record, then any number of capsule records. Throws InputRefused.
Profile read_profile_file(const std::string& path);

// verified, checked, external or custom: what the admitted labels and evidence come to.
std::string assurance(const Profile& profile);

// One line: "profile=… device=… providers=… assurance=… vjp=…".
std::string profile_line(const Profile& profile);

}  // namespace outward
