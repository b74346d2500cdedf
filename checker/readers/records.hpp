// Certificates as a stream of records (certificates/FORMAT.md section 7). Promises memory for one
// line, the closed schema with its key order, and that the end is reported only after a footer
// whose count and digest match and after which no byte follows. Meaning is judged by
// checker/kernel.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/readers/json.hpp"
#include "checker/translate/sha256.hpp"

namespace outward_check {

struct Record {
  std::string name;                            // "header", "step", ...
  std::uint64_t line = 0;                      // from 1
  Json fields;                                 // without the key "record"
  const Json& at(std::string_view key) const;  // REQUIRES a key of the record's schema
  const std::string& text(std::string_view key) const { return at(key).text; }
  std::uint64_t number(std::string_view key) const { return at(key).number; }
};

// The footer's count or digest is wrong, or it is missing: the file is not what its producer wrote.
struct FooterFault {
  std::string text;
};

class RecordReader {
 public:
  explicit RecordReader(const std::string& path);  // ReadError (io)
  // False after a correct footer at the end of the file. Throws ReadError (malformed, limit) or
  // FooterFault.
  bool next(Record* record);
  std::uint64_t line() const { return line_; }  // of the line read last

 private:
  void read_line();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string text_;
  std::uint64_t line_ = 0;
  Sha256 digest_;
};

bool is_certificate(std::string_view first_bytes);  // starts like a header record
// Values inside strings. False if malformed.
bool parse_indices(std::string_view text, std::uint64_t limit, std::vector<std::uint64_t>* out);
bool parse_base64(std::string_view text, std::string* out);

}  // namespace outward_check
