// What the VNN-LIB tests share: properties as short texts, faults as texts, the outside folder.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "checker/readers/readers.hpp"

namespace vnnlib_tools {

using namespace outward_check;

inline const std::string two_by_two =
    "(declare-const X_0 Real)\n(declare-const X_1 Real)\n(declare-const Y_0 Real)\n(declare-const Y_1 Real)\n";
inline const std::string unit_box =
    "(assert (<= X_0 1))\n(assert (>= X_0 -1))\n(assert (<= X_1 1))\n(assert (>= X_1 -1))\n";

// "box[lo,hi][..]" per box and "case B{rows}" per case; ends and rows as in the digest.
inline std::string describe(const Property& p) {
  std::string text;
  for (const auto& box : p.boxes) {
    text += "box";
    for (const InputRange& r : box) {
      text += "[" + r.lo.text() + (r.lo_strict ? "!" : "") + "," + r.hi.text() + (r.hi_strict ? "!" : "") + "]";
    }
    text += " ";
  }
  for (const Case& c : p.cases) {
    text += "case" + std::to_string(c.box);
    for (const Row& row : c.rows) {
      text += row.strict ? "{< " : "{<= ";
      for (const auto& [output, coefficient] : row.terms)
        text += std::to_string(output) + ":" + coefficient.decimal() + " ";
      text += row.constant.decimal() + "}";
    }
    text += " ";
  }
  if (p.dropped != 0) text += "dropped" + std::to_string(p.dropped) + " ";
  if (p.vacuous) text += "vacuous ";
  if (!text.empty()) text.pop_back();
  return text;
}

inline std::string read(const std::string& text, std::uint64_t inputs = 2, std::uint64_t outputs = 2) {
  try {
    return describe(read_vnnlib(text, "f", inputs, outputs));
  } catch (const ReadError& error) {
    const char* kinds[] = {"malformed ", "unsupported ", "limit ", "io "};
    return kinds[static_cast<int>(error.kind)] + std::string(error.what());
  }
}

// Assertions behind the declarations and the box [-1,1]^2.
inline std::string rows(const std::string& assertions) { return read(two_by_two + unit_box + assertions); }
inline std::string cases(const std::string& assertions) {
  const std::string text = rows(assertions), box = "box[-1,1][-1,1] ";
  return text.rfind(box, 0) == 0 ? text.substr(box.size()) : text;
}
inline std::string fault(const std::string& assertions) { return read(two_by_two + unit_box + assertions); }
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::filesystem::path outside() {
  const char* folder = std::getenv("OUTWARD_CASES");
  return folder != nullptr ? folder : std::string(OUTWARD_SOURCE_DIR) + "/../shared/cases";
}

// The numbers of declared inputs and outputs, by plain text search.
inline std::pair<std::uint64_t, std::uint64_t> declared(const std::string& text) {
  std::pair<std::uint64_t, std::uint64_t> n;
  for (std::size_t at = text.find("(declare-"); at != std::string::npos; at = text.find("(declare-", at + 1)) {
    const std::size_t name = text.find_first_of("XY", at);
    if (name != std::string::npos) ++(text[name] == 'X' ? n.first : n.second);
  }
  return n;
}

}  // namespace vnnlib_tools
