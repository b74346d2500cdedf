// Makes PNG files for tests, right or wrong in one place: chunks with their checksums, stored zlib streams, headers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace png_test {

inline std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

// One bit at a time, so that it shares nothing with a reader's table.
inline std::uint32_t crc_of(const std::string& text) {
  std::uint32_t crc = 0xffffffffu;
  for (char c : text) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

inline std::string chunk(const std::string& name, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + name + data + big_endian(crc_of(name + data));
}

inline const std::string mark = "\x89PNG\r\n\x1a\n";

inline std::string header(std::uint32_t width, std::uint32_t height, int depth, int colour, int interlace = 0) {
  return chunk("IHDR", big_endian(width) + big_endian(height) +
                           std::string{static_cast<char>(depth), static_cast<char>(colour), '\0', '\0',
                                       static_cast<char>(interlace)});
}

// The zlib stream of the text in stored blocks of at most `block` bytes.
inline std::string stored(const std::string& text, std::size_t block = 65535) {
  std::string out = "\x78\x01";
  std::size_t at = 0;
  do {
    const std::size_t size = text.size() - at < block ? text.size() - at : block;
    const bool last = at + size == text.size();
    const std::uint32_t length = static_cast<std::uint32_t>(size), rest = ~length;
    out += {static_cast<char>(last), static_cast<char>(length), static_cast<char>(length >> 8), static_cast<char>(rest),
            static_cast<char>(rest >> 8)};
    out += text.substr(at, size);
    at += size;
  } while (at < text.size());
  std::uint32_t a = 1, b = 0;
  for (char c : text) a = (a + static_cast<std::uint8_t>(c)) % 65521, b = (b + a) % 65521;
  return out + big_endian(b << 16 | a);
}

inline const std::string end = chunk("IEND", "");

// header is a whole IHDR chunk, lines the filtered scan lines.
inline std::string png(const std::string& ihdr, const std::string& lines) {
  return mark + ihdr + chunk("IDAT", stored(lines)) + end;
}

// One line, filtered; above is the unfiltered line before, empty for the first. The formulas of the PNG specification.
inline std::string filtered(int filter, const std::string& line, const std::string& above, std::size_t pixel) {
  std::string out(1, static_cast<char>(filter));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto at = [&](const std::string& from, bool before) {
      return from.empty() || (before && i < pixel) ? 0 : static_cast<std::uint8_t>(from[before ? i - pixel : i]);
    };
    const int a = at(line, true), b = at(above, false), c = at(above, true), p = a + b - c;
    const auto distance = [p](int q) { return p > q ? p - q : q - p; };
    int guess = 0;
    if (filter == 1) guess = a;
    if (filter == 2) guess = b;
    if (filter == 3) guess = (a + b) / 2;
    if (filter == 4)
      guess = distance(a) <= distance(b) && distance(a) <= distance(c) ? a : distance(b) <= distance(c) ? b : c;
    out += static_cast<char>(static_cast<std::uint8_t>(line[i]) - guess);
  }
  return out;
}

// The pass of each pixel of an 8 by 8 tile, as the specification prints it.
inline constexpr char adam7[8][9] = {"16462646", "77777777", "56565656", "77777777",
                                     "36463646", "77777777", "56565656", "77777777"};

// The scan lines of an image whose pixels take `pixel` bytes each; the filters go round.
inline std::string scan_lines(const std::string& pixels, std::size_t width, std::size_t pixel, bool interlaced,
                              std::vector<int> filters = {0}) {
  std::string out;
  std::size_t lines = 0;
  for (char pass = '1'; pass <= (interlaced ? '7' : '1'); ++pass) {
    std::string above;
    for (std::size_t y = 0; y * width * pixel < pixels.size(); ++y) {
      std::string line;
      for (std::size_t x = 0; x < width; ++x) {
        if (!interlaced || adam7[y % 8][x % 8] == pass) line += pixels.substr((y * width + x) * pixel, pixel);
      }
      if (line.empty()) continue;
      out += filtered(filters[lines++ % filters.size()], line, above, pixel);
      above = line;
    }
  }
  return out;
}

}  // namespace png_test
