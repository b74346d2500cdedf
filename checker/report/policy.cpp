// Policy files: see policy.hpp.
#include "checker/report/policy.hpp"

#include <algorithm>

#include "checker/limits/limits.hpp"
#include "checker/readers/readers.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

namespace {

constexpr const char* keys[] = {"expect",    "semantics",     "allow",  "limit",      "slack",
                                "max-slack", "min-certified", "trust",  "fail-below", "allow-records",
                                "exact",     "recompute",     "ieee32", "under"};

const std::string* value_after(const std::vector<std::string>& asked, const std::string& option) {
  const auto at = std::find(asked.begin(), asked.end(), option);
  return at == asked.end() || at + 1 == asked.end() ? nullptr : &at[1];
}

}  // namespace

std::vector<std::string> policy_arguments(const std::string& path) {
  std::vector<std::string> out;
  try {
    const Bytes bytes = read_file(path);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      throw UsageError{"--policy " + path + ": the file is empty; a policy is a JSON object, {} at least"};
    const JsonText policy = parse_json_text(text);
    require_keys(policy, {}, {std::begin(keys), std::end(keys)});
    for (std::size_t i = 0; i < policy.keys.size(); ++i) {
      const std::string name = "--" + policy.keys[i];
      const JsonText& value = policy.items[i];
      const bool is_flag = name == "--exact" || name == "--recompute" || name == "--ieee32";
      if (name == "--allow" || name == "--limit") {
        for (const JsonText& item : list_of(value, JsonKind::string)) out.insert(out.end(), {name, item.text});
      } else if (is_flag) {
        if (member(policy, policy.keys[i], JsonKind::boolean).truth) out.push_back(name);
      } else {
        out.insert(out.end(), {name, member(policy, policy.keys[i], JsonKind::string).text});
      }
    }
  } catch (const ReadError& e) {
    throw UsageError{"--policy " + path + ": " + e.what()};
  }
  return out;
}

void require_no_weaker(Beside rule, const std::string& option, const std::string& value, const std::string& path,
                       const std::vector<std::string>& named, const Options& policy) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError{option + (value.empty() ? "" : " " + value) + ": " + why + " (--policy " + path + ")"};
  };
  const bool is_named = std::find(named.begin(), named.end(), option) != named.end();
  switch (rule) {
    case Beside::open:
      return;
    case Beside::same:
      if (const std::string* set = is_named ? value_after(policy.asked, option) : nullptr; set && *set != value)
        refuse("the policy says " + *set);
      return;
    case Beside::named:
      if (!is_named || *value_after(policy.asked, option) != value) refuse("the policy does not name it");
      return;
    case Beside::at_most: {
      const Fraction most = option == "--slack" ? policy.foreign.slack : policy.foreign.max_slack.value_or(Fraction());
      Fraction given;
      if (parse_decimal(value, &given) && given > most)
        refuse(is_named ? "the policy allows at most " + *value_after(policy.asked, option)
                        : "the policy names no " + option.substr(2) + ", which is 0");
      return;
    }
    case Beside::at_least: {
      const std::string* set = is_named ? value_after(policy.asked, option) : nullptr;
      Fraction least, given;
      if (set != nullptr && parse_decimal(*set, &least) && parse_decimal(value, &given) && given < least)
        refuse("the policy says " + *set);
      return;
    }
    case Beside::listed:
      if (std::find(policy.allowed.begin(), policy.allowed.end(), value) == policy.allowed.end())
        refuse("the policy does not allow it");
      return;
    case Beside::limit:
      for (const std::string& set : policy.limits) {
        const std::size_t name = set.find('=') + 1;
        if (!value.starts_with(set.substr(0, name))) continue;
        std::uint64_t most = 0, given = 0;
        std::string_view most_text = std::string_view(set).substr(name), text = std::string_view(value).substr(name);
        const bool numbers = take_integer(&most_text, ~std::uint64_t{0}, &most) &&
                             take_integer(&text, ~std::uint64_t{0}, &given) && text.empty();
        if (!numbers || given > most) refuse("the policy sets " + set);
      }
      return;
    case Beside::refused:
      refuse("judges nothing, so that it does not go with a policy");
  }
}

}  // namespace outward_check
