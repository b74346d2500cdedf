#include "runtime/capsules/profile.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "formats/error.hpp"
#include "runtime/capsules/json.hpp"
#include "runtime/capsules/registry.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

const char* preference_text(Preference p) {
  return p == Preference::any ? "any" : p == Preference::prefer ? "prefer" : "only";
}

std::string list_text(const std::vector<std::string>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) text += (i ? "," : "") + json_text(list[i]);
  return text + "]";
}

}  // namespace

Profile parse_profile(std::string_view line, const std::string& where, std::size_t line_number) {
  const std::string at = where + ":" + std::to_string(line_number);
  const JsonValue json = parse_json(line, where, line_number);
  ClosedObject o(json, at);
  Profile p;
  p.source = at;
  const auto unknown = [&](const char* key, const std::string& word) {
    o.fault(std::string("\"") + key + "\" has an unknown value", json_text(word));
  };
  if (o.text("record") != "profile") o.fault("no profile record", "");
  p.name = o.text("name");
  if (p.name.empty()) o.fault("a profile has a name", "none");
  p.device = o.text("device");
  if (!is_device(p.device)) unknown("device", p.device);
  const std::string preference = o.text("preference");
  if (preference != "any" && preference != "prefer" && preference != "only") unknown("preference", preference);
  p.preference = preference == "only"     ? Preference::only
                 : preference == "prefer" ? Preference::prefer
                                          : Preference::any;
  p.providers = o.texts("providers");
  for (const std::string& name : p.providers)
    if (!is_provider(name)) unknown("providers", name);
  if ((p.preference == Preference::any) != p.providers.empty())
    o.fault("providers are listed exactly if they are preferred or the only ones", preference);
  const std::string trust = o.text("trust");
  if (const auto t = trust_of(trust))
    p.trust = *t;
  else
    unknown("trust", trust);
  for (const std::string& word : o.texts("evidence")) {
    const auto e = evidence_of(word);
    if (!e || *e == Evidence::none)
      unknown("evidence", word);
    else
      p.evidence.push_back(*e);
  }
  const std::string vjp = o.text("vjp");
  if (const auto v = vjp_of(vjp))
    p.vjp = *v;
  else
    unknown("vjp", vjp);
  p.coalesced = o.boolean("coalesced");
  p.available = o.boolean("available");
  p.reason = o.text("reason");
  if (p.available != p.reason.empty()) o.fault("a reason is given exactly if the profile is not available", p.reason);
  p.order = o.texts("order");
  p.notes = o.text("notes");
  p.sha256 = o.text("sha256");
  if (const std::string fault = seal_fault(line); !fault.empty()) o.fault(fault, p.sha256);
  o.finish();
  return p;
}

std::string profile_text(const Profile& p) {
  std::vector<std::string> evidence;
  for (const Evidence e : p.evidence) evidence.push_back(evidence_text(e));
  const std::string text =
      "{\"record\":\"profile\",\"name\":" + json_text(p.name) + ",\"device\":" + json_text(p.device) +
      ",\"preference\":\"" + preference_text(p.preference) + "\",\"providers\":" + list_text(p.providers) +
      ",\"trust\":\"" + trust_text(p.trust) + "\",\"evidence\":" + list_text(evidence) + ",\"vjp\":\"" +
      vjp_text(p.vjp) + "\",\"coalesced\":" + (p.coalesced ? "true" : "false") +
      ",\"available\":" + (p.available ? "true" : "false") + ",\"reason\":" + json_text(p.reason) +
      ",\"order\":" + list_text(p.order) + ",\"notes\":" + json_text(p.notes) + ",\"sha256\":\"\"}";
  return sealed(text);
}

const std::vector<Profile>& shipped_profiles() {
  static const std::vector<Profile> profiles = [] {
    std::vector<Profile> list;
    for (const auto& [number, line] : record_lines(shipped_records()))
      if (line.rfind("{\"record\":\"profile\"", 0) == 0) list.push_back(parse_profile(line, "built in", number));
    return list;
  }();
  return profiles;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& p : shipped_profiles())
    if (p.name == name) return &p;
  return nullptr;
}

Profile read_profile_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw InputRefused(Blocker{"no-file", path, "cannot be read", "", "", ""});
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto lines = record_lines(text);
  if (lines.empty()) throw InputRefused(Blocker{"bad-record", path, "no profile record", "", "an empty file", ""});
  Profile p = parse_profile(lines[0].second, path, lines[0].first);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    p.capsules.push_back(parse_capsule(lines[i].second, path, lines[i].first));
    for (std::size_t j = 0; j + 1 < p.capsules.size(); ++j)
      if (p.capsules[j].name == p.capsules.back().name)
        throw InputRefused(Blocker{"duplicate-capsule", p.capsules.back().source, "two records have one name", "",
                                   p.capsules.back().name, ""});
  }
  return p;
}

std::string assurance(const Profile& p) {
  const auto admits = [&](Evidence e) {
    return std::find(p.evidence.begin(), p.evidence.end(), e) != p.evidence.end();
  };
  if (p.trust == Trust::proved && !admits(Evidence::boundary)) return "verified";
  if (p.trust == Trust::fuzzed && admits(Evidence::guard) && admits(Evidence::fuzz) && !admits(Evidence::boundary))
    return "checked";
  return p.trust == Trust::external && admits(Evidence::boundary) ? "external" : "custom";
}

std::string profile_line(const Profile& p) {
  std::string providers = preference_text(p.preference);
  for (std::size_t i = 0; i < p.providers.size(); ++i) providers += (i ? "," : ":") + p.providers[i];
  return "profile=" + p.name + " device=" + p.device + " providers=" + providers + " assurance=" + assurance(p) +
         " vjp=" + vjp_text(p.vjp);
}

}  // namespace outward
