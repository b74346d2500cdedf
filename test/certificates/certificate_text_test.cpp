// Texts of certificates that leave memory: what comes out is what went in and was not cut off, or an error, and a file
// is never left half written.
#include "certificates/certificate_text.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "certificates/output_file.hpp"
#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"
#include "test/runtime/unlinked_files.hpp"

using namespace outward;

namespace {

std::string line(std::mt19937& random, std::size_t length) {
  std::string text(length, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text + "\n";
}

}  // namespace

TEST_CASE("a text in memory or in a file is the lines appended to it, less what was cut off") {
  std::mt19937 random(11);
  for (const std::size_t in_memory : {std::size_t{0}, std::size_t{1} << 30}) {
    CertificateText text(in_memory);
    std::string expected;
    std::vector<std::size_t> marks = {0};
    int cuts_below_the_tail = 0;
    for (int i = 0; i < 3000; ++i) {
      const std::string next = line(random, i % 300 == 7 ? 150000 : random() % 4000);
      text.append(next);
      expected += next;
      if (i % 20 == 0) marks.push_back(expected.size());
      if (i % 100 == 99 || i == 50) {
        const std::size_t back = std::min<std::size_t>(marks.size() - 1, random() % 6);
        const std::size_t to = marks[marks.size() - 1 - back];
        cuts_below_the_tail += expected.size() - to > (std::size_t{1} << 16);
        marks.resize(marks.size() - back);
        text.cut(to);
        expected.resize(to);
      }
      REQUIRE(text.size() == expected.size());
    }
    CHECK(cuts_below_the_tail > 5);
    CHECK(text.whole() == expected);
    CHECK(text.sha256() == sha256_hex(expected.data(), expected.size()));
    CHECK((text.bytes_on_disk() > 0) == (in_memory == 0));
    text.cut(0);
    CHECK(text.empty());
    CHECK(text.whole().empty());
  }
}

TEST_CASE("a temporary file that forgot is an error when the text is read, also after a cut into it") {
  std::mt19937 random(12);
  for (const bool cut : {false, true}) {
    CertificateText text(0);
    for (int i = 0; i < 50; ++i) text.append(line(random, 10000));
    REQUIRE(text.bytes_on_disk() > 0);
    REQUIRE(testing::spoil_files(testing::cut_short) == 1);
    if (cut) text.cut(100);
    CHECK_THROWS_AS(text.whole(), ResourceError);
    CHECK_THROWS_AS(text.sha256(), ResourceError);
  }
}

TEST_CASE("pieces that end in an error leave the old file and nothing else") {
  const std::string folder =
      std::filesystem::temp_directory_path().string() + "/outward-pieces-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/proof";
  save_file(path, "old");
  CHECK_THROWS_AS(save_file(path,
                            [](const auto& each) {
                              each("new");
                              throw ResourceError("lost");
                            }),
                  ResourceError);
  std::ifstream in(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  save_file(path, [](const auto& each) {
    each("new ");
    each("and whole");
  });
  std::ifstream again(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(again), {}) == "new and whole");
  std::filesystem::remove_all(folder);
}
