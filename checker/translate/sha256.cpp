// SHA-256 (FIPS 180-4). Promises the same digest with and without the SHA instructions.
#include "checker/translate/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/readers/readers.hpp"
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace outward_check {

namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void sha256_blocks_portable(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks) {
  for (; blocks != 0; --blocks, data += 64) {
    std::uint32_t w[64], v[8];
    for (int t = 0; t < 16; ++t) {
      const std::uint8_t* p = data + 4 * t;
      w[t] = std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
    }
    for (int t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15], y = w[t - 2];
      w[t] = w[t - 16] + w[t - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
    }
    std::copy(state, state + 8, v);
#pragma GCC unroll 64
    for (int t = 0; t < 64; ++t) {  // a is v[-t], b is v[1 - t], ...: the names move, not the values
      const std::uint32_t a = v[(64 - t) % 8], b = v[(65 - t) % 8], c = v[(66 - t) % 8];
      const std::uint32_t e = v[(68 - t) % 8], f = v[(69 - t) % 8], g = v[(70 - t) % 8];
      std::uint32_t& h = v[(71 - t) % 8];
      h += (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
      v[(67 - t) % 8] += h;
      h += (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    }
    for (int i = 0; i < 8; ++i) state[i] += v[i];
  }
}

#if defined(__x86_64__)
bool sha256_native_available() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") &&
         __builtin_cpu_supports("ssse3");
}

__attribute__((target("sha,sse4.1,ssse3"))) void sha256_blocks_native(std::uint32_t* state, const std::uint8_t* data,
                                                                      std::size_t blocks) {
  // The instructions keep the state as (a, b, e, f) and (c, d, g, h), highest lane first.
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_set_epi32(int(state[0]), int(state[1]), int(state[4]), int(state[5]));
  __m128i cdgh = _mm_set_epi32(int(state[2]), int(state[3]), int(state[6]), int(state[7]));
  for (; blocks != 0; --blocks, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i));
      w[i] = _mm_shuffle_epi8(w[i], swap);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {  // four rounds each, w[i % 4] holds their message words
      const __m128i now = w[i % 4];
      const __m128i k = _mm_load_si128(reinterpret_cast<const __m128i*>(round_constants + 4 * i));
      const __m128i sum = _mm_add_epi32(now, k);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (i < 12) {
        const __m128i last = w[(i + 3) % 4];
        __m128i next = _mm_sha256msg1_epu32(now, w[(i + 1) % 4]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
        w[i % 4] = _mm_sha256msg2_epu32(next, last);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  alignas(16) std::uint32_t x[4], y[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(x), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(y), cdgh);
  state[0] = x[3], state[1] = x[2], state[4] = x[1], state[5] = x[0];
  state[2] = y[3], state[3] = y[2], state[6] = y[1], state[7] = y[0];
}
#else
bool sha256_native_available() { return false; }
void sha256_blocks_native(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks) {
  sha256_blocks_portable(state, data, blocks);
}
#endif

void Sha256::update(const void* data, std::size_t size) {
  static const auto blocks = sha256_native_available() ? sha256_blocks_native : sha256_blocks_portable;
  const std::uint8_t* p = static_cast<const std::uint8_t*>(data);
  std::size_t held = total_ % 64;
  total_ += size;
  if (held != 0) {
    const std::size_t take = std::min(size, 64 - held);
    std::copy(p, p + take, block_.data() + held);
    held += take, p += take, size -= take;
    if (held < 64) return;
    blocks(state_.data(), block_.data(), 1);
  }
  blocks(state_.data(), p, size / 64);
  std::copy(p + size / 64 * 64, p + size, block_.data());
}

std::string Sha256::hex() {
  const std::uint64_t bits = total_ * 8;
  std::uint8_t tail[72] = {0x80};
  const std::size_t padding = 1 + (119 - total_ % 64) % 64;  // up to 8 bytes below a block end
  for (int i = 0; i < 8; ++i) tail[padding + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  update(tail, padding + 8);
  std::string text;
  for (std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

std::string sha256_hex(const std::uint8_t* data, std::size_t size) {
  Sha256 hash;
  hash.update(data, size);
  return hash.hex();
}

}  // namespace outward_check
