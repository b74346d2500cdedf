// Whole files into memory. Promises the bytes of one read, so that what is hashed is what is
// parsed.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "checker/readers/readers.hpp"
#include "checker/translate/inflate.hpp"

namespace outward_check {

Bytes read_file(const std::string& path) {
  const auto require = [&](bool holds, const char* text) {
    if (!holds) throw ReadError(ReadError::Class::io, path + ": file." + text);
  };
  std::error_code error;
  require(path.find('\0') == std::string::npos && std::filesystem::is_regular_file(path, error),
          "open: not a readable file, expected a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  require(!error && file, "open: cannot be opened for reading");
  if (size > limit(Limit::file_bytes)) over(Limit::file_bytes, path + ": file.size: too large");
  Bytes bytes(static_cast<std::size_t>(size));
  const std::size_t got = bytes.empty() ? 0 : std::fread(bytes.data(), 1, bytes.size(), file.get());
  require(got == bytes.size() && std::ferror(file.get()) == 0 && std::fgetc(file.get()) == EOF,
          "read: the file changed or could not be read to its end");
  return bytes;
}

Bytes read_maybe_gzip(const std::string& path) {
  Bytes bytes = read_file(path);
  if (bytes.size() < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b) return bytes;
  return inflate_gzip(bytes.data(), bytes.size(), path);
}

}  // namespace outward_check
