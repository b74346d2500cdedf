// SHA-256 against published digests, its two block functions against each other, and streaming.
#include "checker/translate/sha256.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {
std::string digest(const std::string& text) {
  return sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}
}  // namespace

TEST_CASE("published digests") {  // FIPS 180-4 examples and the empty message
  CHECK(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces of any length give the digest of the whole") {
  std::mt19937 random(1);
  for (std::size_t size : {1u, 55u, 56u, 63u, 64u, 65u, 119u, 120u, 1000u}) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    for (int i = 0; i < 20; ++i) {
      Sha256 hash;
      for (std::size_t at = 0; at < size;) {
        const std::size_t take = std::min<std::size_t>(random() % 130, size - at);
        hash.update(text.data() + at, take);
        at += take;
      }
      REQUIRE(hash.hex() == digest(text));
    }
  }
}

TEST_CASE("the CPU's instructions and the portable code agree") {
  if (!sha256_native_available()) {
    MESSAGE("SKIPPED: this CPU has no SHA instructions");
    return;
  }
  std::mt19937 random(2);
  std::vector<std::uint8_t> data(64 * 9);
  for (std::uint8_t& b : data) b = static_cast<std::uint8_t>(random());
  for (std::size_t blocks = 0; blocks <= 9; ++blocks) {
    std::uint32_t native[8], portable[8];
    for (int i = 0; i < 8; ++i) native[i] = portable[i] = static_cast<std::uint32_t>(random());
    sha256_blocks_native(native, data.data(), blocks);
    sha256_blocks_portable(portable, data.data(), blocks);
    for (int i = 0; i < 8; ++i) REQUIRE(native[i] == portable[i]);
  }
}
