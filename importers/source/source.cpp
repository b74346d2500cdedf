// Reading and unpacking of input files, see source.hpp.
#include "importers/source/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace outward {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& code, const std::string& what,
                         const std::string& expected, const std::string& found, const std::string& next) {
  throw InputRefused(Blocker{code, where, what, expected, found, next});
}

struct File {
  int descriptor = -1;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

struct Inflater {
  z_stream stream{};
  ~Inflater() { inflateEnd(&stream); }
};

}  // namespace

std::string read_file(const std::string& path) {
  File file;
  // O_NONBLOCK: a named pipe must be refused below, not waited for.
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor < 0) {
    refuse(path, "file-missing", "cannot open the file", "a readable file", std::strerror(errno), "check the path");
  }
  struct stat status {};
  if (::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    refuse(path, "not-a-file", "not a regular file", "a regular file", "a folder, pipe or device", "");
  }
  if (static_cast<std::uint64_t>(status.st_size) > max_source_bytes) {
    refuse(path, "file-too-large", "the file is over the size limit",
           "at most " + std::to_string(max_source_bytes) + " bytes", std::to_string(status.st_size) + " bytes", "");
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.descriptor, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, "read-failed", "cannot read the file", "", std::strerror(errno), "");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::string gunzip(std::string_view bytes, const std::string& name) {
  Inflater inflater;
  if (inflateInit2(&inflater.stream, 15 + 16) != Z_OK) throw ResourceError("zlib could not be started");
  const std::uint64_t limit =
      std::min(max_unpacked_bytes, std::max<std::uint64_t>(free_unpacked_bytes, bytes.size() * max_unpack_ratio));
  std::string result;
  std::string block(1 << 18, '\0');
  std::size_t consumed = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (inflater.stream.avail_in == 0) {
      // zlib counts input in 32 bits.
      const std::size_t piece = std::min<std::size_t>(bytes.size() - consumed, 1 << 30);
      inflater.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
      inflater.stream.avail_in = static_cast<uInt>(piece);
      consumed += piece;
    }
    inflater.stream.next_out = reinterpret_cast<Bytef*>(block.data());
    inflater.stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&inflater.stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) {
      refuse(name, "gzip-damaged", "the gzip data are damaged or end early", "one complete gzip member",
             state == Z_BUF_ERROR ? "the end of the file" : "a decoding error", "compress the file again");
    }
    const std::size_t produced = block.size() - inflater.stream.avail_out;
    if (result.size() + produced > limit) {
      refuse(name, "gzip-ratio", "the unpacked data are over the limit",
             "at most " + std::to_string(limit) + " bytes (ratio " + std::to_string(max_unpack_ratio) + ":1)",
             "more than that", "unpack the file first if it is meant to be this large");
    }
    result.append(block, 0, produced);
  }
  if (inflater.stream.avail_in != 0 || consumed != bytes.size()) {
    refuse(name, "gzip-members", "there are bytes after the first gzip member", "exactly one gzip member",
           std::to_string(inflater.stream.avail_in + (bytes.size() - consumed)) + " more bytes",
           "compress the file again");
  }
  return result;
}

std::string read_source(const std::string& path) {
  std::string bytes = read_file(path);
  return is_gzip(bytes) ? gunzip(bytes, path) : bytes;
}

}  // namespace outward
