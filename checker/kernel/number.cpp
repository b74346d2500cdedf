// MXCSR: see number.hpp.
#include "checker/kernel/number.hpp"

namespace outward_check {

constexpr std::uint32_t nearest_mode = 0x1f80;  // exceptions masked, no flush to zero, no DAZ
constexpr std::uint32_t up_mode = nearest_mode | 0x4000;

static void write_mode(std::uint32_t mode) {
  __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory");
}

Rounding<double>::Rounding() : saved(_mm_getcsr()) { write_mode(up_mode); }
Rounding<double>::~Rounding() { write_mode(saved); }

void reset_float_environment() { write_mode(nearest_mode); }

}  // namespace outward_check
