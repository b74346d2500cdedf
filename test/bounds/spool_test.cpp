// Proofs that leave memory: what comes back is what went out, or an error; a disk that fails costs memory or the proof,
// never a verdict; where a proof was kept does not show in it.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "formats/error.hpp"
#include "test/bounds/branched.hpp"
#include "test/bounds/curves.hpp"
#include "test/runtime/unlinked_files.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
  return bytes;
}

void change_a_byte(int file) {
  std::uint8_t byte = 0;
  REQUIRE(::pread(file, &byte, 1, 40) == 1);
  byte ^= 1;
  REQUIRE(::pwrite(file, &byte, 1, 40) == 1);
}

}  // namespace

TEST_CASE("a spool gives back what it got, from memory and from its file, and forgets on demand") {
  Random random(5);
  for (const std::size_t in_memory : {0u, 300u, 1u << 30}) {
    Spool spool("", in_memory);
    std::vector<std::pair<Spool::Place, Bytes>> all;
    for (int i = 0; i < 200; ++i) {
      const Bytes bytes = random_bytes(random, i % 50 == 7 ? 20000 : random() % 90);
      all.emplace_back(spool.append(bytes), bytes);
      if (i % 40 == 39) {
        spool.rewind(all[all.size() - 5].first);
        all.resize(all.size() - 5);
      }
    }
    for (const auto& [place, bytes] : all) CHECK(spool.read(place) == bytes);
    CHECK(spool.failure() == "");
    CHECK((spool.bytes_on_disk() > 0) == (in_memory < 1000));
    CHECK(spool.bytes_in_memory() <= in_memory + 20100);
  }
}

TEST_CASE("without a place for the file everything stays in memory, and the reason is known") {
  Random random(6);
  std::vector<std::string> folders = {"/no such folder", "/proc"};
  struct stat s {};
  if (::stat("/dev/shm", &s) == 0) folders.push_back("/dev/shm");
  for (const std::string& folder : folders) {
    Spool spool(folder, 0);
    const Bytes a = random_bytes(random, 100), b = random_bytes(random, 5000);
    const Spool::Place at = spool.append(a), bt = spool.append(b);
    CHECK(spool.read(at) == a);
    CHECK(spool.read(bt) == b);
    CHECK(spool.bytes_on_disk() == 0);
    CHECK(spool.failure().find(folder) != std::string::npos);
  }
}

TEST_CASE("a file that was changed or cut is noticed") {
  Random random(7);
  const Bytes bytes = random_bytes(random, 100);
  for (const bool cut : {false, true}) {
    Spool spool("", 0);
    const Spool::Place place = spool.append(bytes);
    spool.append(bytes);
    REQUIRE(spool.bytes_on_disk() > 0);
    CHECK(spool.read(place) == bytes);
    CHECK(spoil_files([&](int file) {
            if (cut)
              REQUIRE(::ftruncate(file, 50) == 0);
            else
              change_a_byte(file);
          }) == 1);
    CHECK_THROWS_AS(spool.read(place), ResourceError);
  }
}

TEST_CASE("the same proof comes out of memory and out of a file; a spoiled file is an error, not another proof") {
  Random random(72);
  int compared[2] = {0, 0};
  for (int t = 0; t < 120; ++t) {
    const CurveNetwork s = random_curve_network(random, 2 + t % 3, 6);
    const Network net(s.graph);
    const Property property = below(s, s.least - (1 + abs(s.least)) / 10000, false);
    for (const bool on_inputs : {true, false}) {
      std::string texts[2];
      bool split = false;
      for (const bool in_file : {false, true}) {
        BoxProof proof(std::make_shared<Spool>("", in_file ? 0 : std::size_t{1} << 30));
        branched(net, property, Semantics::real, on_inputs, 200, 1, proof);
        Recorder recorder;
        std::uint32_t next = 0;
        proof.write(net, recorder, next);
        texts[in_file] = recorder.text;
        split = recorder.splits > 0;
        if (!split || !in_file) continue;
        CHECK(proof.spool->bytes_on_disk() > 0);
        spoil_files(cut_short);
        CHECK_THROWS_AS(proof.write(net, recorder, next), ResourceError);
      }
      CHECK(texts[0] == texts[1]);
      compared[on_inputs] += split;
    }
  }
  MESSAGE("compared: " << compared[1] << " by inputs, " << compared[0] << " by neurons");
  CHECK(compared[0] > 5);
  CHECK(compared[1] > 5);
}
