// One gzip member (RFC 1952) holding one deflate stream (RFC 1951), decoded by our own code.
#pragma once
#include "checker/readers/readers.hpp"

namespace outward_check {

// The whole output, or ReadError naming `place`: malformed data, wrong checksum or length, bytes
// after the member; limit when the output exceeds 200 times the input or max_output bytes.
Bytes inflate_gzip(const std::uint8_t* data, std::size_t size, const std::string& place,
                   std::uint64_t max_output = std::uint64_t{8} << 30);

}  // namespace outward_check
