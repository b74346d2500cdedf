// The table of limits: complete, named once, and every limit can be lowered and raised; a refusal names the limit and
// the option that raises it.
#include "checker/limits/limits.hpp"

#include <doctest/doctest.h>

#include <set>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {

// Sets a limit for one test.
class Lowered {
 public:
  Lowered(Limit id, std::uint64_t value) : row_(limit_table[static_cast<std::size_t>(id)]), before_(row_.value) {
    row_.value = value;
  }
  ~Lowered() { row_.value = before_; }
  Lowered(const Lowered&) = delete;
  Lowered& operator=(const Lowered&) = delete;

 private:
  LimitRow& row_;
  std::uint64_t before_;
};

std::string fault_of(const std::string& body) {
  const std::string text =
      "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= X_0 1))(assert (>= X_0 0))" + body;
  try {
    read_vnnlib(text, "f", 1, 1);
    return "read";
  } catch (const ReadError& e) {
    return (e.kind == ReadError::Class::limit ? "limit: " : "other: ") + std::string(e.what());
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the table of limits has a row for each, in order, with a name of its own") {
  std::set<std::string> names;
  std::size_t n = 0;
  for (const LimitRow& row : limit_rows()) {
    CHECK(static_cast<std::size_t>(row.id) == n++);
    CHECK(names.insert(row.name).second);
    CHECK(row.value > 0);
    CHECK(row.value <= row.most);
    CHECK(*row.protects != '\0');
  }
}

TEST_CASE("settings are NAME=VALUE, not above what the code is written for") {
  const Lowered restored(Limit::nesting, limit(Limit::nesting));
  CHECK(set_limit("nesting=1000") == "");
  CHECK(limit(Limit::nesting) == 1000);
  for (const char* wrong : {"nesting", "nesting=", "nesting=-1", "nesting=1x", "nesting=2049", "Nesting=3", "depth=3",
                            "=3", "", "nesting=18446744073709551617"}) {
    CAPTURE(wrong);
    CHECK(set_limit(wrong) != "");
    CHECK(limit(Limit::nesting) == 1000);
  }
}

TEST_CASE("a refusal names its limit; a raised limit reads what was refused") {
  CHECK(fault_of("(assert (<= Y_0 0))") == "read");
  {
    const Lowered low(Limit::nesting, 1);
    CHECK(has(fault_of("(assert (<= Y_0 0))"), "limit: f:1:"));
    CHECK(has(fault_of("(assert (<= Y_0 0))"), "limit 1 levels, raised by --limit nesting=N"));
  }
  {
    // The lists of comparisons themselves, before there is any case: 1000 alternatives of 1001 each.
    const Lowered low(Limit::case_bytes, 1 << 17);
    std::string either, also;
    for (int i = 0; i < 1000; ++i) either += "(<= X_0 1)", also += "(<= X_0 1)";
    CHECK(fault_of("(assert (or " + either + "))(assert (and " + also + "))") == "read");
    CHECK(has(fault_of("(assert (and (or " + either + ")" + also + "))"), "raised by --limit case-bytes=N"));
  }
  {
    const Lowered low(Limit::digits, 3);
    CHECK(fault_of("(assert (<= Y_0 100))") == "read");
    CHECK(has(fault_of("(assert (<= Y_0 1000))"), "limit 3 digits, raised by --limit digits=N"));
  }
  const std::string long_number = "(assert (<= Y_0 " + std::string(10001, '1') + "))";
  CHECK(has(fault_of(long_number), "limit 10000 digits, raised by --limit digits=N"));
  const Lowered high(Limit::digits, 20000);
  CHECK(fault_of(long_number) == "read");
  CHECK(limit_text(Limit::image_side) == "limit 65535 pixels");
}
