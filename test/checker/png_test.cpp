// The checker's PNG reader: every kind it takes, in every filter and with interlacing; every other file is refused.
#include "checker/translate/png.hpp"

#include <doctest/doctest.h>

#include "checker/translate/inflate.hpp"
#include "test/checker/png_writer.hpp"

using namespace outward_check;
using namespace png_test;

namespace {

// The samples separated by spaces, or the error's text.
std::string read(const std::string& file, std::uint64_t count) {
  try {
    const PngImage image = read_png(reinterpret_cast<const std::uint8_t*>(file.data()), file.size(), "a.png", count);
    CHECK(std::uint64_t{image.width} * image.height * image.channels == image.samples.size());
    std::string text;
    for (std::uint16_t sample : image.samples) text += (text.empty() ? "" : " ") + std::to_string(sample);
    return text;
  } catch (const ReadError& error) {
    return (error.kind == ReadError::Class::malformed ? "" : "kind: ") + std::string(error.what());
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string unhex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

// Two grey pixels of 8 bits; the parts of the good file, to be put together wrongly.
const std::string ihdr = header(2, 1, 8, 0), lines("\0\x07\xff", 3), idat = chunk("IDAT", stored(lines));
const std::string good = mark + ihdr + idat + end;

}  // namespace

TEST_CASE("PNG: grey and RGB of 8 and 16 bits, every filter, both interlace methods") {
  CHECK(read(good, 2) == "7 255");
  CHECK(read(png(header(2, 1, 16, 0), std::string("\0\x01\x02\xff\xfe", 5)), 2) == "258 65534");
  CHECK(read(png(header(1, 2, 8, 2), std::string("\0\x01\x02\x03\0\x04\x05\x06", 8)), 6) == "1 2 3 4 5 6");
  CHECK(read(png(header(1, 1, 16, 2), std::string("\0\0\x01\x01\0\xff\xff", 7)), 3) == "1 256 65535");
  int files = 0;
  for (const std::size_t width : {1, 2, 3, 4, 5, 8, 9, 17}) {
    for (const std::size_t height : {1, 2, 3, 5, 7, 8, 11}) {
      for (const int kind : {0, 1, 2, 3}) {
        const bool wide = kind > 1, colour = kind % 2 == 1;
        const std::size_t pixel = (colour ? 3 : 1) * (wide ? 2 : 1);
        std::string pixels, expected;
        for (std::size_t i = 0; i < width * height * pixel; ++i) pixels += static_cast<char>(i * i * 7 + i * 131 + 5);
        for (std::size_t i = 0; i < pixels.size(); i += wide ? 2 : 1) {
          const unsigned first = static_cast<std::uint8_t>(pixels[i]);
          const unsigned sample = wide ? first * 256 + static_cast<std::uint8_t>(pixels[i + 1]) : first;
          expected += (expected.empty() ? "" : " ") + std::to_string(sample);
        }
        for (const std::vector<int>& filters :
             std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {4}, {4, 2, 3, 1, 0}}) {
          for (const int interlace : {0, 1}) {
            const std::string file = png(header(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
                                                wide ? 16 : 8, colour ? 2 : 0, interlace),
                                         scan_lines(pixels, width, pixel, interlace == 1, filters));
            REQUIRE(read(file, width * height * pixel / (wide ? 2 : 1)) == expected);
            ++files;
          }
        }
      }
    }
  }
  CHECK(files == 8 * 7 * 4 * 6 * 2);
}

TEST_CASE("PNG: compressed data, in one chunk and in many") {
  // 16 by 16 pixels (x x + 3 y) mod 5 times 50, compressed by zlib with dynamic codes.
  const std::string grey =
      unhex("78dad5cc310100301002b1d3842634a109595d79095d3206d46a20b53b2083074a7270a40cfc9b3e8475639d");
  std::string expected;
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned x = i % 16, y = i / 16;
    expected += (i == 0 ? "" : " ") + std::to_string((x * x + y * 3) % 5 * 50);
  }
  CHECK(read(mark + header(16, 16, 8, 0) + chunk("IDAT", grey) + end, 256) == expected);
  std::string split = mark + header(16, 16, 8, 0);
  for (char c : grey) split += chunk("IDAT", std::string(1, c)) + chunk("IDAT", "");
  CHECK(read(split + end, 256) == expected);
  // 8 by 4 pixels 7 x + 31 y + 3 c, compressed with the fixed code.
  const std::string colour = unhex(
      "78da6360606663e7e2e513141195909691575256d3d4d2353034316790575255d3d4d135303631b7b2b6737472f5f0f4f10f080e63b07374"
      "71"
      "f5f0f6f10f0a0e8b8c8a4d484c49cfc8cecb2f2a65884d484e49cfcace2b2c2aada8aca96f686e6befeaed9b380500d6b11bc1");
  expected.clear();
  for (unsigned i = 0; i < 96; ++i)
    expected += (i == 0 ? "" : " ") + std::to_string(i / 3 % 8 * 7 + i / 24 * 31 + i % 3 * 3);
  CHECK(read(mark + header(8, 4, 8, 2) + chunk("IDAT", colour) + end, 96) == expected);
  for (std::size_t block : {1, 2, 3, 64}) {
    CHECK(read(mark + ihdr + chunk("IDAT", stored(lines, block)) + end, 2) == "7 255");
  }
  // Any flipped bit of the data, with right checksums of the chunk, is noticed: Adler-32 is left. Padding is no data.
  int refused = 0;
  for (std::size_t bit = 0; bit < grey.size() * 8; ++bit) {
    std::string broken = grey;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ 1 << bit % 8);
    const std::string text = read(mark + header(16, 16, 8, 0) + chunk("IDAT", broken) + end, 256);
    refused += has(text, "a.png: ");
  }
  CHECK(refused >= static_cast<int>(grey.size()) * 8 - 7);
}

TEST_CASE("PNG: chunks that change no sample are skipped") {
  const std::string text = chunk("tEXt", std::string("Title\0x", 7)), palette = chunk("PLTE", "rgbRGB");
  CHECK(read(mark + ihdr + text + chunk("gAMA", "?") + idat + text + chunk("zzZz", "") + end, 2) == "7 255");
  const std::string colour = chunk("IDAT", stored(std::string("\0\x01\x02\x03", 4)));
  CHECK(read(mark + header(1, 1, 8, 2) + palette + colour + end, 3) == "1 2 3");
  CHECK(has(read(mark + header(1, 1, 8, 2) + palette + palette + colour + end, 3), "palette"));
  CHECK(has(read(mark + header(1, 1, 8, 2) + colour + palette + end, 3), "palette"));
  CHECK(has(read(mark + header(1, 1, 8, 2) + chunk("PLTE", "") + colour + end, 3), "palette"));
  CHECK(has(read(mark + header(1, 1, 8, 2) + chunk("PLTE", "rgbR") + colour + end, 3), "palette"));
  CHECK(has(read(mark + header(1, 1, 8, 2) + chunk("PLTE", std::string(771, 'x')) + colour + end, 3), "palette"));
  CHECK(has(read(mark + ihdr + palette + idat + end, 2), "palette"));
}

TEST_CASE("PNG: other kinds are refused by name") {
  const auto kind = [](int depth, int colour) {
    return read(png(header(2, 1, depth, colour), std::string(32, '\0')), 2);
  };
  for (int depth : {0, 1, 2, 3, 4, 7, 8, 9, 16, 32, 255}) {
    for (int colour : {0, 1, 2, 3, 4, 5, 6, 7, 255}) {
      if ((depth == 8 || depth == 16) && (colour == 0 || colour == 2)) continue;
      CAPTURE(depth);
      CAPTURE(colour);
      CHECK(has(kind(depth, colour), "kind: a.png: png.data: byte 16: colour type " + std::to_string(colour)));
    }
  }
  CHECK(has(read(mark + ihdr + chunk("tRNS", std::string(2, '\0')) + idat + end, 2), "transparency"));
  CHECK(has(read(mark + ihdr + idat + chunk("tRNS", "") + end, 2), "transparency"));
  CHECK(has(read(mark + ihdr + chunk("ABcD", "") + idat + end, 2), "unknown critical chunk ABcD"));
  CHECK(has(read(mark + ihdr + idat + chunk("JDAT", "x") + end, 2), "unknown critical chunk JDAT"));
  const auto with = [](std::size_t at, char value) {
    std::string data = ihdr.substr(8, 13);
    data[at] = value;
    return read(mark + chunk("IHDR", data) + idat + end, 2);
  };
  CHECK(has(with(10, 1), "compression 0"));
  CHECK(has(with(11, 1), "filter method 0"));
  CHECK(has(with(12, 2), "interlace method 0 or 1"));
  CHECK(has(with(3, 0), "positive width"));
  CHECK(has(with(7, 0), "positive width"));
  CHECK(has(with(1, 1), "kind: a.png: png.data: byte 16: width or height over the limit 65535"));
  CHECK(has(with(4, '\x80'), "over the limit 65535"));
  CHECK(has(with(3, 3), "expected 2, found 3"));
  CHECK(has(with(9, 2), "expected 2, found 6"));
}

TEST_CASE("PNG: order and checksums of the chunks") {
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(has(read(good.substr(0, size), 2), "a.png: "));
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string broken = good;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ 1 << bit % 8);
    CAPTURE(bit);
    CHECK(has(read(broken, 2), "a.png: "));
  }
  CHECK(has(read(good + std::string(1, '\0'), 2), "nothing behind"));
  CHECK(has(read(good + good, 2), "nothing behind"));
  CHECK(has(read(good + end, 2), "nothing behind"));
  CHECK(has(read(mark + ihdr + end, 2), "an IDAT chunk"));
  CHECK(has(read(mark + idat + end, 2), "IHDR"));
  CHECK(has(read(mark + chunk("tEXt", "x") + ihdr + idat + end, 2), "IHDR"));
  CHECK(has(read(mark + ihdr + ihdr + idat + end, 2), "IHDR"));
  CHECK(has(read(mark + ihdr + idat + ihdr + end, 2), "IHDR"));
  CHECK(has(read(mark + chunk("IHDR", ihdr.substr(8, 12)) + idat + end, 2), "13 bytes"));
  CHECK(has(read(mark + chunk("IHDR", ihdr.substr(8, 13) + "x") + idat + end, 2), "13 bytes"));
  CHECK(has(read(mark + ihdr + idat + chunk("IEND", "x"), 2), "empty IEND"));
  CHECK(has(read(mark + ihdr + idat, 2), "a whole chunk"));
  CHECK(has(read(mark + ihdr + chunk("te\x80t", "") + idat + end, 2), "letters"));
  CHECK(has(read(mark + ihdr + chunk("1234", "") + idat + end, 2), "letters"));
  std::string text = chunk("tEXt", "some text");
  text[10] = 'S';
  CHECK(has(read(mark + ihdr + text + idat + end, 2), "checksum of the chunk"));
  // IDAT chunks with another one between them, whatever they hold.
  const std::string data = stored(lines), between = chunk("tEXt", "");
  CHECK(read(mark + ihdr + chunk("IDAT", data.substr(0, 5)) + chunk("IDAT", data.substr(5)) + end, 2) == "7 255");
  for (std::size_t at : {std::size_t{0}, std::size_t{5}, data.size()}) {
    const std::string first = chunk("IDAT", data.substr(0, at)), second = chunk("IDAT", data.substr(at));
    CAPTURE(at);
    CHECK(has(read(mark + ihdr + first + between + second + end, 2), "one after the other"));
  }
  CHECK(has(read(mark + ihdr + std::string("\xff\xff\xff\xff", 4) + "IDAT" + data, 2), "inside the file"));
  CHECK(has(read(mark + ihdr + std::string("\x80\0\0\0", 4) + "tEXt" + data, 2), "inside the file"));
  CHECK(has(read("GIF89a" + good, 2), "mark"));
  CHECK(has(read("", 2), "mark"));
}

TEST_CASE("PNG: the compressed data are exactly the image") {
  const auto with = [](const std::string& data) { return read(mark + ihdr + chunk("IDAT", data) + end, 2); };
  const std::string data = stored(lines);
  CHECK(with(data) == "7 255");
  CHECK(has(with(stored(lines.substr(0, 2))), "all lines"));
  CHECK(has(with(stored("")), "all lines"));
  CHECK(has(with(stored(lines + "x")), "more than the expected 3 bytes"));
  CHECK(has(with(stored(std::string(100000, '\0'))), "more than the expected 3 bytes"));
  CHECK(has(with(data + "x"), "bytes after the stream"));
  CHECK(has(with(data + data), "bytes after the stream"));
  CHECK(has(with(data.substr(0, data.size() - 1)), "ends early"));
  CHECK(has(with(data.substr(0, data.size() - 4)), "ends early"));
  CHECK(has(with(""), "ends early"));
  CHECK(has(with("x"), "ends early"));
  CHECK(has(read(mark + ihdr + idat + chunk("IDAT", "x") + end, 2), "bytes after the stream"));
  CHECK(read(mark + ihdr + chunk("IDAT", "") + idat + chunk("IDAT", "") + end, 2) == "7 255");
  for (std::size_t k = 1; k <= 4; ++k) {
    std::string wrong = data;
    wrong[wrong.size() - k] = static_cast<char>(wrong[wrong.size() - k] ^ 1);
    CHECK(has(with(wrong), "checksum differs"));
  }
  const auto start = [&](const char* two) { return with(two + data.substr(2)); };
  CHECK(start("\x08\x1d") == "7 255");  // window of 256
  CHECK(has(start("\x78\x02"), "check bits"));
  CHECK(has(start("\x79\x16"), "compression method"));
  CHECK(has(start("\x88\x1c"), "window size"));
  CHECK(has(start("\x78\x20"), "dictionary"));
  CHECK(has(start("\x1f\x8b"), "compression method"));
  for (int filter : {5, 6, 64, 128, 255}) {
    CAPTURE(filter);
    CHECK(has(with(stored(static_cast<char>(filter) + lines.substr(1))), "filter 0 to 4"));
  }
  CHECK(has(read(png(header(2, 1, 8, 0, 1), lines), 2), "all lines"));  // two passes, so two filters
  CHECK(read(png(header(2, 1, 8, 0, 1), std::string("\0\x07\0\xff", 4)), 2) == "7 255");
  CHECK(has(read(png(header(2, 1, 8, 0, 1), std::string("\0\x07\x05\xff", 4)), 2), "filter 0 to 4"));
  // A small file may not ask for much: the size is compared before anything is unpacked.
  CHECK(has(read(png(header(65535, 65535, 16, 2), lines), 2), "expected 2, found 12884508675"));
}

TEST_CASE("zlib's wrapper") {
  const std::string data = stored("hello");
  const auto inflated = [](const std::string& bytes, std::uint64_t most) {
    const Bytes out = inflate_zlib(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), "z", most);
    return std::string(out.begin(), out.end());
  };
  CHECK(inflated(data, 5) == "hello");
  CHECK(inflated(data, 99) == "hello");
  CHECK_THROWS_AS(inflated(data, 4), ReadError);
  CHECK_THROWS_AS(inflated(data + "x", 5), ReadError);
  CHECK_THROWS_AS(inflated("", 5), ReadError);
  // One code of one bit for the code lengths is no complete code (zlib refuses it as well).
  CHECK_THROWS_AS(inflated(unhex("789c05e081080000000020b6fde5"), 5), ReadError);
}
