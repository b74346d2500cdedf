#include "certificates/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "formats/error.hpp"

namespace outward {

namespace {

// What stands behind a path after all symbolic links.
struct Target {
  enum class Kind { refused, absent, regular, through, descriptor };
  Kind kind = Kind::refused;
  std::string path;     // of the final target
  std::string why;      // of refused
  mode_t mode = 0666;   // of regular: its permissions
  int descriptor = -1;  // of descriptor: open already, as standard output or standard error
};

std::string reason() { return std::strerror(errno); }

Target refused(const std::string& why) { return {Target::Kind::refused, "", why, 0, -1}; }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Links of this folder stand for open files, not for the names they show.
bool is_of_processes(const std::string& folder) {
  std::error_code error;
  return std::filesystem::canonical(folder, error).string().rfind("/proc/", 0) == 0 && !error;
}

// Replacing a file that standard output goes to would lose what is printed there.
int standard_stream(const struct stat& s) {
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && ::fstat(descriptor, &open) == 0 && open.st_dev == s.st_dev &&
        open.st_ino == s.st_ino)
      return descriptor;
  }
  return -1;
}

Target find_target(const std::string& path) {
  if (path.empty()) return refused("no name");
  Target t;
  t.path = path;
  bool as_is = false;
  struct stat s {};
  for (int links = 0;; ++links) {
    if (::lstat(t.path.c_str(), &s) != 0) {
      if (errno != ENOENT) return refused(reason());
      if (t.path.back() == '/') return refused("no such folder");
      t.kind = Target::Kind::absent;
      return t;
    }
    if (!S_ISLNK(s.st_mode)) break;
    as_is = is_of_processes(folder_of(t.path));
    if (as_is) break;
    if (links == 40) return refused("too many symbolic links");
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(t.path, error);
    if (error) return refused(error.message());
    t.path = (std::filesystem::path(folder_of(t.path)) / next).string();
  }
  if (as_is && ::stat(t.path.c_str(), &s) != 0) return refused(reason());
  t.descriptor = standard_stream(s);
  t.mode = s.st_mode & 0777;
  if (S_ISDIR(s.st_mode)) return refused("it is a folder");
  if (S_ISBLK(s.st_mode)) return refused("it is a block device");
  if (t.descriptor >= 0)
    t.kind = Target::Kind::descriptor;
  else if (S_ISSOCK(s.st_mode))
    return refused("it is a socket");
  else
    t.kind = S_ISREG(s.st_mode) && !as_is ? Target::Kind::regular : Target::Kind::through;
  return t;
}

// Writes all of it and closes. False: errno says why. Closes also when content throws.
bool write_all(int descriptor, const Pieces& content) {
  struct Closing {
    int descriptor;
    ~Closing() {
      if (descriptor >= 0) ::close(descriptor);
    }
    bool close() { return ::close(std::exchange(descriptor, -1)) == 0; }
  } open{descriptor};
  int error = 0;
  content([&](std::string_view piece) {
    while (error == 0 && !piece.empty()) {
      const ssize_t n = ::write(descriptor, piece.data(), piece.size());
      if (n > 0)
        piece.remove_prefix(static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR)
        error = n == 0 ? EIO : errno;
    }
  });
  const bool closed = open.close();
  if (error != 0) errno = error;
  return error == 0 && closed;
}

// A new file in the folder of the target; −1: errno says why.
int open_temporary(const Target& t, std::string& name) {
  for (int k = 0; k < 1000; ++k) {
    name = folder_of(t.path) + "/.outward-" + std::to_string(::getpid()) + "-" + std::to_string(k) + ".partial";
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

void write_through(const std::string& path, int descriptor, const Pieces& content) {
  if (descriptor < 0 || !write_all(descriptor, content)) throw ResourceError("cannot write " + path + ": " + reason());
}

}  // namespace

void save_file(const std::string& path, const std::string& content) {
  save_file(path, Pieces([&](const std::function<void(std::string_view)>& each) { each(content); }));
}

void save_file(const std::string& path, const Pieces& content) {
  const Target t = find_target(path);
  if (t.kind == Target::Kind::refused) throw ResourceError("cannot write " + path + ": " + t.why);
  if (t.kind == Target::Kind::descriptor) {
    std::fflush(nullptr);  // what was printed before stays before it
    write_through(path, ::fcntl(t.descriptor, F_DUPFD_CLOEXEC, 3), content);
    return;
  }
  const auto in_place = [&] {
    write_through(path, ::open(t.path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC), content);
  };
  if (t.kind == Target::Kind::through) {
    in_place();
    return;
  }
  const bool is_there = t.kind == Target::Kind::regular;
  std::string temporary;
  const int descriptor = open_temporary(t, temporary);
  if (descriptor < 0) {
    if (!is_there) throw ResourceError("cannot write " + path + ": " + reason());
    in_place();
    return;
  }
  const bool kept = !is_there || ::fchmod(descriptor, t.mode) == 0;
  try {
    if (!write_all(descriptor, content)) throw ResourceError("cannot write " + path + ": " + reason());
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (kept && ::rename(temporary.c_str(), t.path.c_str()) == 0) return;
  const std::string why = reason();
  ::unlink(temporary.c_str());
  if (!is_there) throw ResourceError("cannot rename " + temporary + " to " + path + ": " + why);
  in_place();
}

std::string obstacle_to_saving(const std::string& path) {
  const Target t = find_target(path);
  if (t.kind == Target::Kind::refused) return t.why;
  if (t.kind == Target::Kind::descriptor) return "";
  if (t.kind != Target::Kind::absent)
    return ::faccessat(AT_FDCWD, t.path.c_str(), W_OK, AT_EACCESS) == 0 ? "" : reason();
  std::string temporary;
  const int descriptor = open_temporary(t, temporary);
  if (descriptor < 0) return reason();
  ::close(descriptor);
  ::unlink(temporary.c_str());
  return "";
}

bool is_regular_or_new(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  return type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found;
}

}  // namespace outward
