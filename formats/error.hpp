// Typed errors of the libraries. Libraries never print and never exit; they throw one of these and cli/ renders it.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace outward {

// One reason why something was not accepted. Empty fields are not shown.
struct Blocker {
  std::string code;      // stable, lower-case words joined by '-', e.g. "unsupported-operator"
  std::string where;     // file, node, line:column or byte offset
  std::string what;      // one sentence
  std::string expected;  // what would have been accepted
  std::string found;     // what was there
  std::string next;      // what the user can do
};

// An input (model, property, array, certificate) is malformed, unsupported or over a limit: exit code 4.
// Holds every blocker found, at least one.
class InputRefused : public std::runtime_error {
 public:
  explicit InputRefused(std::vector<Blocker> list) : std::runtime_error(text_of(list)), blockers(std::move(list)) {}
  explicit InputRefused(Blocker one) : InputRefused(std::vector<Blocker>{std::move(one)}) {}
  std::vector<Blocker> blockers;

 private:
  static std::string text_of(const std::vector<Blocker>& list) {
    std::string text;
    for (const Blocker& b : list) {
      if (!text.empty()) text += '\n';
      text += (b.where.empty() ? "" : b.where + ": ") + b.code + ": " + b.what;
      if (!b.expected.empty()) text += "; expected " + b.expected;
      if (!b.found.empty()) text += "; found " + b.found;
      if (!b.next.empty()) text += " (" + b.next + ")";
    }
    return text;
  }
};

// The request itself makes no sense (exit code 3).
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Memory, time or an internal inconsistency (exit code 5).
class ResourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace outward
