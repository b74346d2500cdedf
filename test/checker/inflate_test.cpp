// Our inflate against files of the system's gzip, and against broken members made by hand.
#include "checker/translate/inflate.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {

// "hello hello hello hello\n" compressed with a fixed code, header without name and time.
const Bytes hello = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9,
                     0x57, 0xc8, 0x40, 0x27, 0xb9, 0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00};

std::string inflated(const Bytes& bytes, std::uint64_t most = std::uint64_t{8} << 30) {
  try {
    const Bytes out = inflate_gzip(bytes.data(), bytes.size(), "member", most);
    return std::string(out.begin(), out.end());
  } catch (const ReadError& error) {
    return std::string(error.kind == ReadError::Class::limit ? "limit: " : "error: ") + error.what();
  }
}

Bytes stored(const std::string& text) {  // without checksum and length
  const std::string size(1, static_cast<char>(text.size())), rest(1, static_cast<char>(~text.size()));
  const std::string all = std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01", 11) + size + '\0' + rest + '\xff' + text;
  return Bytes(all.begin(), all.end());
}

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

}  // namespace

TEST_CASE("files of the system's gzip") {
  if (std::system("gzip --version > /dev/null 2>&1") != 0) {
    MESSAGE("SKIPPED: no gzip program");
    return;
  }
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "outward_inflate_test";
  std::filesystem::create_directories(folder);
  const std::string plain = (folder / "data").string();
  std::mt19937_64 random(11);
  for (int kind = 0; kind < 8; ++kind) {
    std::string text;
    const std::size_t size = kind == 0 ? 0 : static_cast<std::size_t>(random() % 200000);
    while (text.size() < size) {
      if (kind % 4 == 1) text += static_cast<char>(random());  // incompressible: stored blocks
      if (kind % 4 == 2) text += "(assert (<= X_" + std::to_string(random() % 800) + " 0.5))\n";  // text: dynamic codes
      if (kind % 4 == 3)
        text += std::string(random() % 40 + 1, static_cast<char>('a' + random() % 3)) + std::to_string(random());
      if (kind % 4 == 0) text += "ab" + std::string(1, static_cast<char>(random() % 4));
    }
    std::ofstream(plain, std::ios::binary) << text;
    for (const char* level : {"-1", "-6", "-9", "-9n"}) {
      REQUIRE(std::system(("gzip -kf " + std::string(level) + " '" + plain + "'").c_str()) == 0);
      Bytes bytes;
      REQUIRE_NOTHROW(bytes = read_maybe_gzip(plain + ".gz"));
      REQUIRE(std::string(bytes.begin(), bytes.end()) == text);
      // A flipped bit never gives another text (padding bits do not count).
      Bytes packed = read_file(plain + ".gz");
      for (int i = 0; i < 20 && packed.size() > 40; ++i) {
        Bytes broken = packed;
        const std::size_t at = 15 + random() % (packed.size() - 15);
        broken[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        const std::string result = inflated(broken);
        REQUIRE((starts(result, "error: ") || starts(result, "limit: ") || result == text));
        Bytes cut(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(random() % packed.size()));
        const std::string cut_result = inflated(cut);
        REQUIRE((starts(cut_result, "error: ") || starts(cut_result, "limit: ")));
      }
    }
    Bytes as_is;
    REQUIRE_NOTHROW(as_is = read_maybe_gzip(plain));
    REQUIRE(std::string(as_is.begin(), as_is.end()) == text);
  }
  std::ofstream(plain, std::ios::binary) << std::string(3000000, '\0');
  REQUIRE(std::system(("gzip -kf '" + plain + "'").c_str()) == 0);
  const Bytes bomb = read_file(plain + ".gz");
  CHECK(starts(inflated(bomb), "limit: "));  // about 1000 to 1
  std::filesystem::remove_all(folder);
}

TEST_CASE("one member, nothing else") {
  Bytes bytes = stored("some text");
  const std::string missing = inflated(bytes);
  CHECK(starts(missing, "error: "));
  // CRC-32 and length of "some text".
  const Bytes tail = {0xba, 0xbd, 0xba, 0x4f, 9, 0, 0, 0};
  Bytes whole = bytes;
  whole.insert(whole.end(), tail.begin(), tail.end());
  CHECK(inflated(whole) == "some text");
  Bytes twice = whole;
  twice.insert(twice.end(), whole.begin(), whole.end());
  CHECK(inflated(twice).find("after the member") != std::string::npos);
  Bytes zeros = whole;
  zeros.push_back(0);
  CHECK(inflated(zeros).find("after the member") != std::string::npos);
  for (std::size_t at : {0u, 1u, 2u, 3u, 10u, 11u, 13u, 15u, 24u, 28u}) {
    Bytes broken = whole;
    broken[at] ^= 0x82;
    CAPTURE(at);
    CHECK(starts(inflated(broken), "error: "));
  }
}

TEST_CASE("header fields are skipped and checked") {
  const Bytes body = stored("x");
  const Bytes tail = {0x83, 0x16, 0xdc, 0x8c, 1, 0, 0, 0};
  const auto with = [&](std::uint8_t flags, const Bytes& extra) {
    Bytes b(body.begin(), body.begin() + 10);
    b[3] = flags;
    b.insert(b.end(), extra.begin(), extra.end());
    b.insert(b.end(), body.begin() + 10, body.end());
    b.insert(b.end(), tail.begin(), tail.end());
    return inflated(b);
  };
  CHECK(with(0, {}) == "x");
  CHECK(with(4, {2, 0, 9, 9}) == "x");
  CHECK(with(8, {'n', 0}) == "x");
  CHECK(with(24, {'n', 0, 'c', 0}) == "x");
  CHECK(with(2, {0, 0}).find("header checksum") != std::string::npos);
  CHECK(with(0x20, {}).find("reserved") != std::string::npos);
  CHECK(starts(with(4, {0xff, 0xff}), "error: "));
}

TEST_CASE("limits and malformed codes") {
  // 20641 zeros: a fixed-code block with one literal and many copies of length 258, distance 1.
  std::string bits =
      "1"
      "10"
      "00110000";  // last block, fixed code, literal 0 (code 8 bits, value 0x30)
  for (int i = 0; i < 80; ++i)
    bits +=
        "11000101"
        "00000";  // length 258, distance 1
  bits += "0000000";
  Bytes bomb = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  while (bits.size() % 8 != 0) bits += "0";
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t b = 0; b < 8; ++b) byte |= static_cast<unsigned>(bits[i + b] == '1') << b;
    bomb.push_back(static_cast<std::uint8_t>(byte));
  }
  bomb.insert(bomb.end(), 8, 0);
  // 20641 zeros from 148 bytes pass the ratio, not the sum; a smaller maximum is the other limit.
  CHECK(inflated(bomb).find("checksum") != std::string::npos);
  CHECK(starts(inflated(bomb, 20640), "limit: "));
  CHECK(inflated(bomb, 20641).find("checksum") != std::string::npos);
  const auto block = [](Bytes data) {
    Bytes b = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    b.insert(b.end(), data.begin(), data.end());
    b.insert(b.end(), 8, 0);
    return inflated(b);
  };
  CHECK(block({0x07}).find("block type 3") != std::string::npos);
  CHECK(starts(block({0x01, 5, 0, 0, 0}), "error: "));                          // complement of the length
  CHECK(block({0x03, 0x02}).find("distance") != std::string::npos);             // a copy before any output
  CHECK(starts(block({0x05, 0xff, 0xff, 0xff, 0xff}), "error: "));              // 286+ lengths, over-full codes
  CHECK(starts(block({0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}), "error: "));  // no codes at all
  CHECK(inflated(hello) == "hello hello hello hello\n");
}
