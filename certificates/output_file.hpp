// Writing a result to the place the user named, whatever that is. Assumes a POSIX system; whoever writes into pipes
// ignores SIGPIPE. Promises: a regular file appears whole or stays as it was, and nothing that is not a regular file is
// ever replaced by one.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace outward {

// Writes content to what path names after all symbolic links. A regular file or a new one: under a temporary name in
// its folder, then renamed; where the folder does not let that happen (a file mounted by itself) an existing file is
// overwritten in place. A pipe or character device, or what standard output or standard error already is: written
// through. Throws ResourceError with the reason.
void save_file(const std::string& path, const std::string& content);

// The same for content that comes in pieces: calls its argument with each of them, in order, and may be called twice.
// What it throws is thrown on; then nothing is left behind, but for a file overwritten in place.
using Pieces = std::function<void(const std::function<void(std::string_view)>&)>;
void save_file(const std::string& path, const Pieces& content);

// Why save_file would fail, in words; empty if nothing stands in its way now. Opens no pipe and leaves nothing behind.
std::string obstacle_to_saving(const std::string& path);

// Whether path is a regular file after all symbolic links, or nothing yet.
bool is_regular_or_new(const std::string& path);

}  // namespace outward
