// How the programs find profiles and records: by name among those built in, or in files that the user names.
#pragma once
#include <string>
#include <vector>

#include "runtime/capsules/planner.hpp"

namespace outward::cli {

// Where records come from besides those built in; the same options in every program.
struct RecordOptions {
  std::string records;  // folder of .jsonl files; "": none
  std::string allow;    // file of digests, one a line, `#` begins a comment; "": none
};

// The built-in records, those of the folder and the allow-list. Throws InputRefused naming every fault, UsageError if
// there is no such folder or file.
Registry registry_of(const RecordOptions& options);

// A built-in profile, or the file of that path. Throws UsageError listing the built-in names if it is neither.
Profile profile_of(const std::string& text);

// The text of a file; throws InputRefused.
std::string file_text(const std::string& path);

}  // namespace outward::cli
