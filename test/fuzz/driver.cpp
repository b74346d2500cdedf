// A main() for fuzz targets (LLVMFuzzerTestOneInput) that needs no fuzzing library: it replays seeds, then mutants of
// them made by a generator with a fixed seed, so that two runs try the same inputs.
// usage: fuzz_TARGET [--runs N] [--seconds S] [--keep FILE] SEED_FILE_OR_FOLDER…
// Assumes the target aborts (or a sanitizer does) on a defect. Promises: then the input is in FILE (default
// fuzz-input.bin) and the exit status is not 0; likewise when one input takes longer than 20 seconds.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
    __attribute__((weak));  // of targets that have one; it may leave the input as it is
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t longest_seed = 1 << 16;
constexpr std::size_t longest_input = 1 << 17;
constexpr unsigned seconds_per_input = 20;

Bytes current;  // the input being tried
std::string keep = "fuzz-input.bin";

void keep_input() {
  std::FILE* file = std::fopen(keep.c_str(), "wb");
  if (!file) return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "the input is in %s (%zu bytes)\n", keep.c_str(), current.size());
}

void on_signal(int signal) {
  std::fprintf(stderr, signal == SIGALRM ? "one input took too long\n" : "stopped by signal %d\n", signal);
  keep_input();
  _exit(1);
}

std::vector<Bytes> read_seeds(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (entry.is_regular_file() && entry.file_size() <= longest_seed) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> seeds{Bytes{}};
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& seeds) : seeds_(seeds) {}

  Bytes next() {
    Bytes bytes = seeds_[below(seeds_.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      if (LLVMFuzzerCustomMutator != nullptr && below(4) != 0)
        restructure(bytes);
      else
        mutate(bytes);
    }
    if (bytes.size() > longest_input) bytes.resize(longest_input);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return n < 2 ? 0 : random_() % n; }

  // A random stretch [at, at + length) of the bytes, mostly short.
  void stretch(const Bytes& bytes, std::size_t& at, std::size_t& length) {
    at = below(bytes.size() + 1);
    length = std::min(bytes.size() - at, below(below(8) == 0 ? 4096 : 16) + 1);
  }

  void insert(Bytes& bytes, std::size_t at, const Bytes& piece) {
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
  }

  void restructure(Bytes& bytes) {
    const std::size_t size = bytes.size();
    bytes.resize(size + 8192);
    bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), static_cast<unsigned>(random_())));
  }

  void mutate(Bytes& bytes) {
    static const char* const words[] = {"0",
                                        "-1",
                                        "9223372036854775807",
                                        "18446744073709551616",
                                        "1e999",
                                        "-0.0",
                                        "nan",
                                        "(",
                                        ")",
                                        "\"",
                                        "\n",
                                        "{}",
                                        "[",
                                        "1*2^-1074",
                                        "\\u0000"};
    static const std::uint8_t special[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff, '0', '9', '-', '"'};
    std::size_t at = 0, length = 0;
    stretch(bytes, at, length);
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to = from + static_cast<std::ptrdiff_t>(length);
    switch (below(8)) {
      case 0:
        if (length) *from = static_cast<std::uint8_t>(*from ^ (1u << below(8)));
        break;
      case 1:
        if (length) *from = special[below(std::size(special))];
        break;
      case 2:
        bytes.erase(from, to);
        break;
      case 3: {
        const Bytes piece(from, to);
        insert(bytes, below(bytes.size() + 1), piece);
        break;
      }
      case 4: {
        const char* word = words[below(std::size(words))];
        insert(bytes, at, Bytes(word, word + std::strlen(word)));
        break;
      }
      case 5: {
        const Bytes& other = seeds_[below(seeds_.size())];
        std::size_t other_at = 0, other_length = 0;
        stretch(other, other_at, other_length);
        const auto piece = other.begin() + static_cast<std::ptrdiff_t>(other_at);
        insert(bytes, at, Bytes(piece, piece + static_cast<std::ptrdiff_t>(other_length)));
        break;
      }
      case 6:
        bytes.resize(at);
        break;
      default:
        for (auto i = from; i != to; ++i) *i = static_cast<std::uint8_t>(random_());
    }
  }

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_{20240229};
};

void try_current() {
  alarm(seconds_per_input);
  LLVMFuzzerTestOneInput(current.data(), current.size());
  alarm(0);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long runs = 100000;
  double seconds = 10;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool option = word.rfind("--", 0) == 0;
    if (option && i + 1 == argc) return std::fprintf(stderr, "%s needs a value\n", argv[i]), 3;
    if (word == "--runs")
      runs = std::strtoul(argv[++i], nullptr, 10);
    else if (word == "--seconds")
      seconds = std::strtod(argv[++i], nullptr);
    else if (word == "--keep")
      keep = argv[++i];
    else if (option)
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 3;
    else
      paths.push_back(word);
  }
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  for (int signal : {SIGALRM, SIGABRT, SIGTERM}) std::signal(signal, on_signal);
  if (!__sanitizer_set_death_callback)
    for (int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, on_signal);

  const std::vector<Bytes> seeds = read_seeds(paths);
  for (const Bytes& seed : seeds) {
    current = seed;
    try_current();
  }
  const auto start = std::chrono::steady_clock::now();
  Mutator mutator(seeds);
  unsigned long done = 0;
  for (; done < runs; ++done) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    current = mutator.next();
    try_current();
  }
  std::printf("%zu seeds and %lu mutants tried\n", seeds.size(), done);
  std::printf("test cases: 1 | 1 passed | 0 failed\n");
  return 0;
}
