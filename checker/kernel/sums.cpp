// Exact sums of products: see sums.hpp.
#include "checker/kernel/sums.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace outward_check {

bool ExactSums::to_integers() {
  std::int64_t high = INT64_MIN;
  low_ = INT64_MAX;
  for (const auto& [z, infinite] : ends_) {
    if (infinite) return false;
    if (z.sign() == 0) continue;
    low_ = std::min(low_, z.e), high = std::max(high, z.e + std::int64_t(z.m.bits()));
    if (z.over != over_ && !z.is_dyadic()) over_ = BigInt::lcm(over_, z.over);
    if (over_.bits() > 512 || high - low_ > 2048) return false;
  }
  for (const auto& [z, infinite] : ends_) {
    integers_.push_back(z.sign() == 0 ? z.m : z.mantissa(over_) << std::uint64_t(z.e - low_));
    length_ = std::max<std::size_t>(length_, (integers_.back().bits() + 63) / 64);
  }
  limbs_.assign(ends_.size() * length_, 0);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    integers_[i].store(limbs_.data() + i * length_);
    points_ &= integers_[i] == -integers_[i ^ 1];
  }
  return true;
}

// With e the exponent in its pattern, a double is below 2^53*2^(e - 1075). Its product is added to
// a little endian total from bit e on: from byte e/8 on, shifted by e%8.
Interval<Exact> ExactSums::sum_of(const double* weights) {
  __extension__ using Wide = unsigned __int128;
  if (!std::exchange(started_, true)) fits_ = to_integers();
  Interval<Exact> r;
  for (std::size_t t = 0; !fits_ && t < offsets_.size(); ++t) {
    const Interval<Exact> z{ends_[2 * t], ends_[2 * t + 1]};
    r = outward_check::add(r, times(z, Exact(weights[offsets_[t]])));
  }
  const std::size_t width = length_ + 36;  // enough for 2^64 products
  totals_.assign(4 * width, 0);            // per end: the positive and the negative products
  for (std::size_t t = 0; fits_ && t < offsets_.size(); ++t) {
    const std::uint64_t w = std::bit_cast<std::uint64_t>(weights[offsets_[t]]);
    const std::uint64_t normal = (w >> 52 & 0x7ff) != 0, e = (w >> 52 & 0x7ff) + 1 - normal;
    const std::uint64_t factor = ((w << 12 >> 12) | normal << 52) << e % 8;
    for (std::size_t end = points_ ? 1 : 0; end < 2; ++end) {
      const std::size_t from = 2 * t + (w >> 63 != 0 ? 1 - end : end);
      const std::uint64_t* z = limbs_.data() + from * length_;
      const std::size_t total = 2 * end + (integers_[from].sign() < 0);
      char* at = reinterpret_cast<char*>(&totals_[total * width]) + e / 8;
      Wide carry = 0;
      for (std::size_t i = 0; i < length_ || carry != 0; ++i, at += 8) {
        std::uint64_t limb = 0;
        std::memcpy(&limb, at, 8);
        carry += i < length_ ? Wide{factor} * z[i] + limb : limb;
        limb = static_cast<std::uint64_t>(carry), carry >>= 64;
        std::memcpy(at, &limb, 8);
      }
    }
  }
  for (std::size_t end = points_ ? 1 : 0; fits_ && end < 2; ++end) {
    const std::uint64_t* total = &totals_[2 * end * width];
    const BigInt m = BigInt::load(total, width) - BigInt::load(total + width, width);
    Fraction z = m >> m.trailing_zeros();
    if (m.sign() != 0) z.e = low_ + std::int64_t(m.trailing_zeros()) - 1075, z.over = over_;
    if (points_) r.n = Exact(-z);
    (end == 0 ? r.n : r.h) = Exact(std::move(z));
  }
  return r;
}

}  // namespace outward_check
