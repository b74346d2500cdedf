// Rows in lanes on AVX-512. Nothing of the standard library is instantiated below the pragma.
#include "checker/kernel/engine.hpp"

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#include "checker/kernel/vectors.hpp"

namespace outward_check {
constinit const Engine<double> avx512_engine = engine_of<Vectors<8>>;
}
#if defined(__clang__)
#pragma clang attribute pop
#endif
