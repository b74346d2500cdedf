// Fuzz target: certificates of other tools, all JSON kinds of the table. A judgement or ReadError, nothing else; an
// accepted one has no reasons against it and says what it established and what not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checker/readers/readers.hpp"
#include "checker/translate/foreign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outward_check;
  try {
    const JsonText document = parse_json_text({reinterpret_cast<const char*>(data), size});
    const ForeignKind* kind = foreign_kind(document);
    if (kind == nullptr) return 0;
    ForeignOptions options;
    options.root = OUTWARD_SOURCE_DIR "/test/fuzz/seeds/check_foreign";
    options.model = OUTWARD_SOURCE_DIR "/test/fuzz/seeds/check_foreign/chain.onnx";
    for (const bool loose : {false, true}) {
      if (loose) options.slack = options.max_slack.emplace(1), options.model.clear();
      const Judgement j = kind->judge(document, options);
      const bool said = !j.statement.empty() && !j.established.empty() && !j.not_established.empty();
      if (j.accepted && (!j.reasons.empty() || j.slack_needed || !said)) std::abort();
      if (!j.accepted && j.reasons.empty()) std::abort();
    }
  } catch (const ReadError&) {
  }
  return 0;
}
