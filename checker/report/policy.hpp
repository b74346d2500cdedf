// Policy files of `check` (certificates/CI.md). Promises that no option beside --policy makes anything VALID that is
// not VALID under the policy alone: an option may ask the policy's question more strictly, never less.
#pragma once
#include <string>
#include <vector>

#include "checker/report/options.hpp"

namespace outward_check {

// What becomes of an option that the command line gives beside a policy. Every option of the table in options.cpp has
// one of these.
enum class Beside {
  open,      // says which files and which question, how the answer is printed, or makes it only stricter
  same,      // what the policy names can be repeated but not changed; what it does not name is open
  at_most,   // no more than the policy's number, which is 0 if it names none
  at_least,  // no less than the policy's number, if it names one
  listed,    // only what the policy lists
  named,     // only as the policy names it
  limit,     // no higher than the policy sets that limit
  refused    // judges nothing, and its exit code 0 would pass for a verdict
};

// The file's content as options in the form of the command line. Throws UsageError, naming the file.
std::vector<std::string> policy_arguments(const std::string& path);

// Throws UsageError, naming option and policy, if `value` given to the option is weaker than the policy. `named`: the
// options that the policy sets, as parsed into `policy`.
void require_no_weaker(Beside rule, const std::string& option, const std::string& value, const std::string& path,
                       const std::vector<std::string>& named, const Options& policy);

}  // namespace outward_check
