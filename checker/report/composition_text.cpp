// The records of a composition: see composition_text.hpp.
#include "checker/report/composition_text.hpp"

#include <algorithm>

#include "checker/readers/readers.hpp"
#include "checker/readers/records.hpp"

namespace outward_check {

namespace {

using Class = ReadError::Class;

class Parser {
 public:
  explicit Parser(std::string_view text) : whole_(text), rest_(text) {}

  Composition run() {
    Json r = record({"record=composition format=outward-composition version:u semantics:s producer:s"});
    if (number(r, "version") != 1) throw ReadError(Class::unsupported, "line 1: expected composition version 1");
    out_.semantics = text(r, "semantics");
    r = record({"record=dataset rows:u inputs:u outputs:u graph:h"});
    const std::uint64_t rows = number(r, "rows");
    out_.inputs = number(r, "inputs"), out_.outputs = number(r, "outputs"), out_.graph = text(r, "graph");
    for (std::uint64_t i = 0; i < rows; ++i) row(i);
    r = record({"record=accuracy clean:u attacked:u certified:u"});
    out_.clean = number(r, "clean"), out_.attacked = number(r, "attacked"), out_.certified = number(r, "certified");
    footer();
    return std::move(out_);
  }

 private:
  std::string_view whole_, rest_;
  std::uint64_t line_ = 0;
  Composition out_;

  [[noreturn]] void fail(const std::string& what) const {
    throw ReadError(Class::malformed, "line " + std::to_string(line_) + ": expected " + what);
  }
  void require(bool good, const std::string& what) const {
    if (!good) fail(what);
  }

  static const Json& at(const Json& r, std::string_view key) {
    return r.items[std::find(r.keys.begin(), r.keys.end(), key) - r.keys.begin()];
  }
  static const std::string& text(const Json& r, std::string_view key) { return at(r, key).text; }
  static std::uint64_t number(const Json& r, std::string_view key) { return at(r, key).number; }

  // The next line, a record of one of these forms.
  Json record(std::initializer_list<const char*> schemas) {
    ++line_;
    const std::size_t end = rest_.find('\n');
    require(end != std::string_view::npos, "a line that ends");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    try {
      return parse_line(line, {schemas.begin(), schemas.size()});
    } catch (const ReadError& e) {
      throw ReadError(e.kind, "line " + std::to_string(line_) + ": " + e.what());
    }
  }

  void row(std::uint64_t i) {
    const Json next = record(
        {"record=row row:u label:u property:h claim:s path:s sha256:h", "record=row row:u label:u property:h claim:s"});
    const bool has_part = next.keys.back() == "sha256";
    CompositionRow r{number(next, "label"), text(next, "property"), text(next, "claim"), "", ""};
    require(number(next, "row") == i, "row " + std::to_string(i));
    const bool decided = r.claim == "holds" || r.claim == "violated";
    require(decided || r.claim == "unknown" || r.claim == "misclassified",
            "one of the claims holds, violated, unknown and misclassified");
    require(decided == has_part, "a part with holds and violated, and with no other claim");
    if (has_part) r.path = text(next, "path"), r.sha256 = text(next, "sha256");
    out_.rows.push_back(std::move(r));
  }

  void footer() {
    const std::string_view before = whole_.substr(0, whole_.size() - rest_.size());
    const std::string digest = sha256_hex(reinterpret_cast<const std::uint8_t*>(before.data()), before.size());
    const Json r = record({"record=footer records:u sha256:h"});
    out_.records = line_ - 1;
    if (number(r, "records") != line_ - 1) throw FooterFault{"footer: another number of records"};
    if (text(r, "sha256") != digest) throw FooterFault{"footer: expected SHA-256 " + digest};
    if (!rest_.empty()) throw FooterFault{"bytes follow the footer"};
  }
};

}  // namespace

Composition parse_composition(std::string_view text) { return Parser(text).run(); }

}  // namespace outward_check
