// SHA-256 (FIPS 180-4), streaming. No library; uses the SHA instructions of the CPU where present.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace outward_check {

class Sha256 {
 public:
  void update(const void* data, std::size_t size);
  std::string hex();  // 64 lower-case digits of everything so far; ends the stream

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_ = {};
  std::uint64_t total_ = 0;
};

// The two block functions, for the test that compares them. native is false where unavailable.
bool sha256_native_available();
void sha256_blocks_native(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks);
void sha256_blocks_portable(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks);

}  // namespace outward_check
