#include "runtime/capsules/registry.hpp"

#include <algorithm>

#include "formats/error.hpp"

namespace outward {

std::vector<std::pair<std::size_t, std::string_view>> record_lines(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string_view>> lines;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++number;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.emplace_back(number, text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

const Registry& Registry::shipped() {
  static const Registry registry = [] {
    Registry r;
    r.add(shipped_records(), "built in");
    for (const Capsule& c : r.capsules_) r.allowed_.insert(c.sha256);
    return r;
  }();
  return registry;
}

void Registry::add(std::string_view text, const std::string& where) {
  std::vector<Blocker> blockers;
  for (const auto& [number, line] : record_lines(text)) {
    if (line.rfind("{\"record\":\"profile\"", 0) == 0) continue;
    try {
      Capsule c = parse_capsule(line, where, number);
      for (const Capsule& other : capsules_)
        if (other.name == c.name)
          blockers.push_back({"duplicate-capsule", c.source, "two records have one name", "", c.name,
                              "the other one is at " + other.source});
      capsules_.push_back(std::move(c));
    } catch (const InputRefused& e) {
      blockers.insert(blockers.end(), e.blockers.begin(), e.blockers.end());
    }
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
}

void Registry::replace(Capsule capsule) {
  for (Capsule& c : capsules_) {
    if (c.name != capsule.name) continue;
    if (c.op != capsule.op || c.provider != capsule.provider || c.device != capsule.device)
      throw InputRefused(Blocker{
          "duplicate-capsule", capsule.source, "a replacement is for the same operator, provider and device",
          c.op + " " + c.provider + " " + c.device, capsule.op + " " + capsule.provider + " " + capsule.device, ""});
    c = std::move(capsule);
    return;
  }
  capsules_.push_back(std::move(capsule));
}

const Capsule* Registry::find(std::string_view name) const {
  for (const Capsule& c : capsules_)
    if (c.name == name) return &c;
  return nullptr;
}

bool Registry::counts(const Capsule& capsule) const { return allowed_.count(capsule.sha256) != 0; }

}  // namespace outward
