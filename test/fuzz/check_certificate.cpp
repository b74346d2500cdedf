// Fuzz target: whole certificates, about a claim that is false (the example network is not safe at radius 0.2). The
// last line is replaced by a footer that matches, so that mutants get past the digest to the records and the proof
// rules. Any verdict but VALID, and ReadError, are right; VALID is a finding, as is any other exception.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "checker/report/options.hpp"
#include "checker/report/question.hpp"

using namespace outward_check;

namespace {

std::string with_footer(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  const auto records = std::count(text.begin(), text.end(), '\n');
  const std::string digest = sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return text + "{\"record\":\"footer\",\"records\":" + std::to_string(records) + ",\"sha256\":\"" + digest + "\"}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string examples = OUTWARD_SOURCE_DIR "/examples/";
  static const Options options =
      parse_options({"fuzz", "--model", examples + "strokes.onnx", "--radius", "0.2", "--input",
                     examples + "vertical.csv", "--label", "1", "--semantics", "best"});
  const std::string text = with_footer(data, size);
  const int file = memfd_create("certificate", 0);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  try {
    AskedQuestion question(options);
    const Answer answer = check_certificate("/proc/self/fd/" + std::to_string(file), &question);
    if (answer.word == Word::valid) std::abort();
  } catch (const ReadError&) {
  } catch (const std::bad_alloc&) {
  }
  close(file);
  return 0;
}
