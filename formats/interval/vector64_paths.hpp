// What the files of vector64 share: one entry per path.
#pragma once
#include <cstddef>
#include <cstdint>

#include "formats/interval/vector64.hpp"

namespace outward::vector64::detail {

// n a multiple of the width of the path; see run() in vector64_kernel.hpp.
using Run = void (*)(Operation operation, const double* a_lo, const double* a_hi, const double* b_lo,
                     const double* b_hi, std::size_t n, double* lo, double* hi, std::uint8_t* bad_lanes);
void run_portable(Operation, const double*, const double*, const double*, const double*, std::size_t, double*, double*,
                  std::uint8_t*);
void run_avx2(Operation, const double*, const double*, const double*, const double*, std::size_t, double*, double*,
              std::uint8_t*);
void run_avx512(Operation, const double*, const double*, const double*, const double*, std::size_t, double*, double*,
                std::uint8_t*);

}  // namespace outward::vector64::detail
