#include "cli/common/profiles.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "formats/error.hpp"

namespace outward::cli {

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw InputRefused(Blocker{"no-file", path, "the file cannot be read", "", "", ""});
  return {std::istreambuf_iterator<char>(in), {}};
}

Registry registry_of(const RecordOptions& options) {
  Registry registry = Registry::shipped();
  if (!options.records.empty()) {
    if (!std::filesystem::is_directory(options.records))
      throw UsageError("--records " + options.records + ": there is no such folder");
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(options.records))
      if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
    if (paths.empty()) throw UsageError("--records " + options.records + ": the folder has no .jsonl file");
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      // A pipe may have no end.
      if (!std::filesystem::is_regular_file(path))
        throw InputRefused(Blocker{"no-file", path, "the file cannot be read", "a regular file", "", ""});
      const std::string text = file_text(path);
      registry.add(text, path);
      // Profiles are given with --profile; one that was tampered with is not passed over.
      for (const auto& [number, line] : record_lines(text))
        if (line.rfind("{\"record\":\"profile\"", 0) == 0) parse_profile(line, path, number);
    }
  }
  if (!options.allow.empty()) {
    std::set<std::string> digests;
    const std::string list = file_text(options.allow);
    for (const auto& [number, line] : record_lines(list)) {
      std::string word(line.substr(0, line.find('#')));
      word.erase(word.find_last_not_of(" \t\r") + 1);
      if (word.empty()) continue;
      if (word.size() != 64 || word.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw InputRefused(Blocker{"bad-allow-list", options.allow + ":" + std::to_string(number), "no SHA-256 digest",
                                   "64 lower-case hexadecimal digits", word, ""});
      digests.insert(word);
    }
    registry.allow(digests);
  }
  return registry;
}

Profile profile_of(const std::string& text) {
  if (const Profile* p = find_profile(text)) return *p;
  if (std::filesystem::exists(text)) return read_profile_file(text);
  std::string names;
  for (const Profile& p : shipped_profiles()) names += (names.empty() ? "" : ", ") + p.name;
  throw UsageError("--profile " + text + ": neither a file nor one of " + names);
}

}  // namespace outward::cli
