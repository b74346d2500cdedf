// File access of the ONNX importer; see file.hpp. Nothing outside the model's folder is ever opened.
#include "importers/onnx/file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "formats/error.hpp"
#include "importers/onnx/value.hpp"

namespace outward::onnx_import {
namespace {

constexpr std::uint64_t max_file = std::uint64_t{1} << 31;  // of protobuf, too
constexpr std::uint64_t max_ratio = 200;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

[[noreturn]] void refuse_file(const std::string& path, const char* code, std::string what, std::string expected = "",
                              std::string found = "") {
  Blocker blocker;
  blocker.code = code;
  blocker.where = path;
  blocker.what = std::move(what);
  blocker.expected = std::move(expected);
  blocker.found = std::move(found);
  throw InputRefused(std::move(blocker));
}

// Empty text on success.
std::string read_all(int fd, Bytes& bytes) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return std::strerror(errno);
  if (!S_ISREG(info.st_mode)) return "is no regular file";
  if (static_cast<std::uint64_t>(info.st_size) >= max_file) return "is 2 GiB or larger";
  bytes.resize(static_cast<std::size_t>(info.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return "became shorter while it was read";
    done += static_cast<std::size_t>(got);
  }
  return "";
}

Bytes unpack(const std::string& path, const Bytes& packed) {
  const std::uint64_t limit = std::min<std::uint64_t>(max_file - 1, max_ratio * packed.size());
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw ResourceError("zlib cannot start");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } const end{&stream};
  Bytes result;
  std::vector<std::uint8_t> block(std::size_t{1} << 18);
  std::size_t fed = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t count = std::min<std::size_t>(packed.size() - fed, std::size_t{1} << 20);
      if (count == 0) refuse_file(path, "malformed", "gzip data are cut off");
      // zlib's interface is not const-correct; it does not write to its input.
      stream.next_in = const_cast<Bytef*>(packed.data() + fed);
      stream.avail_in = static_cast<uInt>(count);
      fed += count;
    }
    stream.next_out = block.data();
    stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      refuse_file(path, "malformed", std::string("gzip data: ") + (stream.msg != nullptr ? stream.msg : "damaged"));
    }
    const std::size_t count = block.size() - stream.avail_out;
    if (result.size() + count > limit) {
      refuse_file(path, "over-limit", "gzip data unpack to too much",
                  "at most " + std::to_string(limit) + " bytes (200 times the packed size, below 2 GiB)");
    }
    result.insert(result.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (stream.avail_in > 0 || fed < packed.size()) {
    refuse_file(path, "malformed", "bytes after the first gzip member", "one member");
  }
  return result;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Bytes read_model_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) refuse_file(path, "unreadable-file", std::string("cannot be opened: ") + std::strerror(errno));
  Bytes bytes;
  if (std::string error = read_all(file.get(), bytes); !error.empty()) refuse_file(path, "unreadable-file", error);
  if (bytes.empty()) refuse_file(path, "malformed", "the file is empty", "an ONNX model");
  if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return unpack(path, bytes);
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "PK\x03\x04", 4) == 0) {
    refuse_file(path, "malformed", "this is a zip archive", "an ONNX model, plain or as .gz");
  }
  return bytes;
}

const Bytes& ExternalData::open(const std::string& location) {
  auto fail = [&](const std::string& why) {
    refuse("external-data", "location " + in_quotes(location) + " " + why,
           "a regular file below the folder of the model");
  };
  if (location.empty() || location.size() > 4096 || location.find('\0') != std::string::npos) fail("is no usable path");
  if (location.front() == '/') fail("is absolute");
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= location.size();) {
    const std::size_t slash = std::min(location.find('/', start), location.size());
    std::string part = location.substr(start, slash - start);
    if (part == "..") fail("leaves the folder");
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    start = slash + 1;
  }
  if (parts.empty() || location.back() == '/') fail("names no file");
  std::string canonical;
  for (const std::string& part : parts) canonical += (canonical.empty() ? "" : "/") + part;
  if (const auto found = files_.find(canonical); found != files_.end()) return found->second;

  Descriptor at(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
    at.reset(openat(at.get(), parts[i].c_str(), flags));
    if (at.get() < 0) {
      const bool link = errno == ELOOP || errno == ENOTDIR;
      fail(link ? "goes through a symbolic link or something that is no folder"
                : std::string("cannot be opened: ") + std::strerror(errno));
    }
  }
  struct stat info {};
  if (fstat(at.get(), &info) != 0) fail("cannot be examined");
  if (S_ISREG(info.st_mode) && info.st_nlink != 1) fail("has more than one hard link");
  Bytes bytes;
  if (std::string error = read_all(at.get(), bytes); !error.empty()) fail(error);
  return files_.emplace(std::move(canonical), std::move(bytes)).first->second;
}

std::vector<ModelFile> ExternalData::manifest() const {
  std::vector<ModelFile> files;
  for (const auto& [path, bytes] : files_)
    files.push_back({path, bytes.size(), sha256_hex(bytes.data(), bytes.size())});
  return files;
}

std::string sha1_hex(const Bytes& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha1(), nullptr) != 1)
    throw ResourceError("SHA-1 failed");
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

}  // namespace outward::onnx_import
