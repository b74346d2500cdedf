// What the tests of TorchLean artifacts share: the verdict about a text as one word, and variants of a text.
#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "checker/readers/readers.hpp"
#include "checker/translate/foreign.hpp"

namespace torchlean_tools {

using namespace outward_check;

// accept, accept:ASSUMPTION, accept:slack, reject, reject:slack (one would do), malformed, unsupported, limit, unknown.
// why: the reasons or the refusal.
inline std::string verdict(const std::string& text, const ForeignOptions& options = {}, std::string* why = nullptr) {
  std::string reasons;
  try {
    const JsonText document = parse_json_text(text);
    const ForeignKind* kind = foreign_kind(document);
    if (kind == nullptr) return "unknown";
    const Judgement j = kind->judge(document, options);
    for (const std::string& r : j.reasons) reasons += r + "\n";
    if (why != nullptr) *why = reasons;
    CHECK(j.accepted == j.reasons.empty());
    CHECK_FALSE(j.statement.empty());
    CHECK_FALSE((j.accepted && j.slack_needed));
    if (!j.accepted) return j.slack_needed ? "reject:slack" : "reject";
    CHECK_FALSE(j.established.empty());
    CHECK_FALSE(j.not_established.empty());
    if (j.used_slack) return "accept:slack";
    return j.assumptions.empty() ? "accept" : "accept:" + j.assumptions[0];
  } catch (const ReadError& e) {
    if (why != nullptr) *why = e.what();
    if (e.kind == ReadError::Class::unsupported) return "unsupported";
    return e.kind == ReadError::Class::limit ? "limit" : "malformed";
  }
}

// The text with its only occurrence of `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  CAPTURE(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

struct Change {
  const char *from, *to, *expected;
};
// Every change of the text has the verdict that its line says.
template <std::size_t N>
void check_changes(const std::string& text, const Change (&changes)[N], const ForeignOptions& options = {}) {
  for (const Change& c : changes) {
    std::string why;
    const std::string found = verdict(with(text, c.from, c.to), options, &why);
    CAPTURE(c.from);
    CAPTURE(c.to);
    CAPTURE(why);
    CHECK(found == c.expected);
  }
}

inline std::filesystem::path outside() {
  const char* set = std::getenv("OUTWARD_CASES");
  return set != nullptr ? std::filesystem::path(set)
                        : std::filesystem::path(OUTWARD_SOURCE_DIR) / ".." / "shared" / "cases";
}

// A folder for files that a certificate names; removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "torchlean_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace torchlean_tools
