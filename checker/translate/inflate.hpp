// Deflate streams (RFC 1951), decoded by our own code: in one gzip member (RFC 1952) or in zlib's wrapper (RFC 1950).
#pragma once
#include "checker/readers/readers.hpp"

namespace outward_check {

// The whole output, or ReadError naming `place`: malformed data, wrong checksum or length, bytes after the member;
// limit when the output exceeds max_output bytes, or unpacked-ratio times the input and 1 MiB.
Bytes inflate_gzip(const std::uint8_t* data, std::size_t size, const std::string& place,
                   std::uint64_t max_output = limit(Limit::unpacked_bytes));

// The same for zlib's wrapper: header, stream, Adler-32, nothing behind; no dictionary. More than max_output bytes are
// malformed data. The window size in the header is not enforced (decoders differ, the output does not).
Bytes inflate_zlib(const std::uint8_t* data, std::size_t size, const std::string& place, std::uint64_t max_output);

std::uint32_t crc32(const std::uint8_t* data, std::size_t size);  // of gzip and PNG

}  // namespace outward_check
