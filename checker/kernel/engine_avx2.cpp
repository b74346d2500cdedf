// Rows in lanes on AVX2 and FMA. Nothing of the standard library is instantiated below the pragma.
#include "checker/kernel/engine.hpp"

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#include "checker/kernel/vectors.hpp"

namespace outward_check {
constinit const Engine<double> avx2_engine = engine_of<Vectors<4>>;
}
#if defined(__clang__)
#pragma clang attribute pop
#endif
