// Fuzz target: whole certificates about claims that are false. Seeds are the accepted examples: a property record that
// is one of theirs is replaced by that of the example whose network violates it (under the claim violated: by that of
// one that holds), and the last line by a footer that matches, so that mutants get past the digests to the proof rules.
// Any verdict but VALID, and ReadError, are right; VALID is a finding, as is any other exception.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "checker/report/options.hpp"
#include "checker/report/question.hpp"

using namespace outward_check;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));

namespace {

using Lines = std::vector<std::string>;

const std::string examples = OUTWARD_SOURCE_DIR "/certificates/examples/";
constexpr const char* networks[] = {"worked",      "deep",  "single", "double",   "leaky",     "folded",
                                    "elementwise", "image", "signal", "matrices", "constants", "factors"};

Lines lines_of(std::string_view text) {
  Lines out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

std::string text_of(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string property_line(const std::string& certificate) {
  std::ifstream file(examples + "accepted/" + certificate + ".jsonl");
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(file, line);
  if (line.find("\"property\"") == std::string::npos) std::abort();
  return line;
}

// One false claim: the network and a property that it violates (or, to be shown violated, one that holds).
struct FalseClaim {
  FalseClaim(const std::string& network, const std::string& property, const char* expected)
      : record(property_line(network + "_" + property)),
        options(parse_options({"fuzz", "--model", examples + "models/" + network + ".onnx", "--property",
                               examples + "properties/" + network + "_" + property + ".vnnlib", "--semantics", "best",
                               "--expect", expected})),
        reader(options),
        model(reader.read_model_file(options.model)),
        asked(*reader.asked(model.graph)) {}
  std::string record;
  Options options;
  AskedQuestion reader;
  const ModelRead& model;
  Property asked;
};

struct Claims {
  std::map<std::string, std::unique_ptr<FalseClaim>> holds, violated;  // by the file name of the network
  std::map<std::string, bool> known;                                   // property records of the examples

  Claims() {
    for (const std::string network : networks) {
      const bool worked = network == "worked";
      holds[network + ".onnx"] = std::make_unique<FalseClaim>(network, "violated", "holds");
      if (!worked) violated[network + ".onnx"] = std::make_unique<FalseClaim>(network, "easy", "violated");
      known[property_line(network + "_violated")] = true;
      if (worked) known[property_line("worked")] = true;
      for (const char* of : {"_easy", "_tight"})
        if (!worked) known[property_line(network + of)] = true;
    }
  }
};

const FalseClaim* claim_of(const Lines& lines, const Claims& claims) {
  if (lines.size() < 2) return nullptr;
  const auto& among = lines[0].find("\"violated\"") == std::string::npos ? claims.holds : claims.violated;
  static const std::string before = "[{\"path\":\"";
  const std::size_t at = lines[1].find(before);
  if (at == std::string::npos) return nullptr;
  const std::size_t from = at + before.size();
  const auto found = among.find(lines[1].substr(from, lines[1].find('"', from) - from));
  return found == among.end() ? nullptr : found->second.get();
}

std::string with_footer(Lines lines) {
  if (!lines.empty()) lines.pop_back();
  const std::string text = text_of(lines);
  const std::string digest = sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return text + "{\"record\":\"footer\",\"records\":" + std::to_string(lines.size()) + ",\"sha256\":\"" + digest +
         "\"}\n";
}

// A number somewhere in the line becomes another one.
void change_number(std::string* line, std::mt19937& random) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < line->size(); ++i) {
    const auto digit = [&](std::size_t at) { return (*line)[at] >= '0' && (*line)[at] <= '9'; };
    if (digit(i) && (i == 0 || !digit(i - 1))) starts.push_back(i);
  }
  if (starts.empty()) return;
  const std::size_t at = starts[random() % starts.size()];
  const std::size_t end = std::min(line->find_first_not_of("0123456789", at), line->size());
  static const char* const big[] = {"18446744073709551615", "18446744073709551616", "4294967296", "100000", "128"};
  line->replace(at, end - at, random() % 8 == 0 ? big[random() % 5] : std::to_string(random() % 9));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  Lines lines = lines_of({reinterpret_cast<const char*>(data), size});
  const auto bytes = [&] { return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size; };
  if (lines.size() < 4 || random() % 4 == 0) return bytes();
  const auto somewhere = [&] { return static_cast<std::ptrdiff_t>(random() % lines.size()); };
  const std::ptrdiff_t at = somewhere(), other = somewhere();
  std::string& line = lines[static_cast<std::size_t>(at)];
  switch (random() % 6) {
    case 0:
      lines.erase(lines.begin() + at);
      break;
    case 1:
      lines.insert(lines.begin() + other, std::string(line));
      break;
    case 2:
      std::swap(line, lines[static_cast<std::size_t>(other)]);
      break;
    default:
      change_number(&line, random);
  }
  const std::string text = text_of(lines);
  if (text.size() > most) return bytes();
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Claims claims;
  Lines lines = lines_of({reinterpret_cast<const char*>(data), size});
  const FalseClaim* claim = claim_of(lines, claims);
  if (claim == nullptr) claim = claims.holds.begin()->second.get();
  if (lines.size() > 3 && claims.known.count(lines[2])) lines[2] = claim->record;
  const std::string text = with_footer(std::move(lines));
  const int file = memfd_create("certificate", 0);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  try {
    AskedQuestion question(claim->options);
    question.ask(claim->model, claim->asked);
    const Answer answer = check_certificate("/proc/self/fd/" + std::to_string(file), &question);
    if (answer.word == Word::valid) std::abort();
  } catch (const ReadError&) {
  } catch (const std::bad_alloc&) {
  }
  close(file);
  return 0;
}
