// The part of JSON that records are written in: objects, arrays, strings, non-negative integers, true and false; no
// key twice, nothing after the value. Assumes nothing about the text; promises that every refusal names line and
// column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outward {

struct JsonMember;

struct JsonValue {
  enum class Kind { object, array, text, number, boolean } kind = Kind::text;
  std::string text;
  std::uint64_t number = 0;
  bool boolean = false;
  std::vector<JsonValue> items;      // of an array
  std::vector<JsonMember> members;   // of an object, in the order of the text
  std::size_t line = 1, column = 1;  // where it begins
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

// Throws InputRefused ("bad-json"). where: what the text is called in messages. first_line: of its first line.
JsonValue parse_json(std::string_view text, const std::string& where, std::size_t first_line = 1);

// A JSON string with its quotes; control characters, the quote and the backslash escaped, everything else as it is.
std::string json_text(std::string_view text);

// Reads the members of an object that must have exactly the keys asked for. Faults are collected, finish() throws them
// all at once.
class ClosedObject {
 public:
  // REQUIRES that `value` outlives it. A value that is no object is a fault.
  ClosedObject(const JsonValue& value, std::string where);
  std::string text(const char* key);
  std::uint64_t number(const char* key);
  bool boolean(const char* key);
  std::vector<std::string> texts(const char* key);
  // nullptr if it is absent or of another kind (a fault).
  const JsonValue* object(const char* key);
  const JsonValue* array(const char* key);
  bool has(const char* key) const;
  void fault(const std::string& what, const std::string& found);
  // Throws InputRefused if there was a fault or a key that nobody asked for.
  void finish();
  const std::string& where() const { return where_; }

 private:
  const JsonValue* find(const char* key, JsonValue::Kind kind);
  const JsonValue& value_;
  std::string where_;
  std::vector<std::string> asked_;
  std::vector<std::pair<std::string, std::string>> faults_;  // what, found
};

}  // namespace outward
