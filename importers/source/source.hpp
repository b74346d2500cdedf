// Bytes of an input file, in memory.
// Assumes nothing about the file. Promises: a regular file read once; a gzip file (told by content) is unpacked only if
// it is one complete member within the ratio and size limits.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/error.hpp"

namespace outward {

inline constexpr std::uint64_t max_source_bytes = std::uint64_t{4} << 30;
inline constexpr std::uint64_t max_unpacked_bytes = std::uint64_t{8} << 30;
inline constexpr std::uint64_t max_unpack_ratio = 200;
inline constexpr std::uint64_t free_unpacked_bytes = 1 << 20;  // the ratio counts only beyond this size

// Throws InputRefused (codes file-missing, not-a-file, file-too-large, read-failed).
std::string read_file(const std::string& path);

bool is_gzip(std::string_view bytes);

// The content of a gzip file with exactly one member. Throws InputRefused (codes gzip-damaged, gzip-members,
// gzip-ratio).
std::string gunzip(std::string_view bytes, const std::string& name);

// read_file, then gunzip if the content is gzip.
std::string read_source(const std::string& path);

}  // namespace outward
