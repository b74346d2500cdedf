// MXCSR and the self-test of the scalar directed arithmetic: see number.hpp.
#include "checker/kernel/number.hpp"

namespace outward_check {

namespace {

constexpr std::uint32_t nearest_mode = 0x1f80;  // exceptions masked, no flush to zero, no DAZ
constexpr std::uint32_t up_mode = nearest_mode | 0x4000;

std::uint32_t read_mode() {
  std::uint32_t mode = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(mode) : : "memory");
  return mode;
}
void write_mode(std::uint32_t mode) { __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory"); }

}  // namespace

Rounding<double>::Rounding() : saved(read_mode()) { write_mode(up_mode); }
Rounding<double>::~Rounding() { write_mode(saved); }

void reset_float_environment() { write_mode(nearest_mode); }

std::string arithmetic_fault() {
  const volatile double one_v = 1, three_v = 3, tiny_v = 0x1p-60;
  const double one = one_v, three = three_v;
  if ((read_mode() & 0xffc0) != nearest_mode) return "MXCSR is not in its default state";
  if (one + tiny_v != one) return "default arithmetic does not round to nearest";
  const RoundUp up;
  const bool good = div_up(one, three) == 0x1.5555555555556p-2 &&
                    div_up(-one, three) == -0x1.5555555555555p-2 &&
                    add_up(infinity, -infinity) == infinity && mul_up(0, infinity) == infinity;
  return good ? "" : "directed operations do not round upward";
}

}  // namespace outward_check
