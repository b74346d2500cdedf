// How far ONNX Runtime's functions are off, against what the records onnxruntime.NAME.binary32 say (`ulp=K`): binary32
// numbers at equal steps of their bit patterns, beside the machine's functions in binary64, whose own error of some
// 2^-50 is granted. OUTWARD_ULPS_STEP: the step (default 100003; test/long/runtime_ulps takes all numbers, step 1).
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "runtime/capsules/registry.hpp"
#include "runtime/cpu/fast_functions.hpp"
#include "test/importers/onnx_builder.hpp"
#include "test/importers/onnx_oracle.hpp"

namespace {

struct Worst {
  std::uint64_t numbers = 0, not_finite = 0;
  double ulps = 0, at = 0;
};

// The distance of y from the exact value, in ulps of binary32 there.
double ulps_between(double y, double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::fabs(y - value) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

Worst measure(outward::ElementFunction function, onnx_test::Oracle::Session& session, std::uint64_t step) {
  constexpr std::size_t batch = 1 << 16;
  const double greatest = std::numeric_limits<float>::max();
  Worst worst;
  std::vector<double> x(batch);
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += batch * step) {
    for (std::size_t i = 0; i < batch; ++i) {
      const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits + i * step));
      x[i] = std::isfinite(v) ? static_cast<double>(v) : 0.0;
    }
    const auto y = session.run({1, batch}, x);
    REQUIRE_MESSAGE(!y.failed, y.message);
    for (std::size_t i = 0; i < batch; ++i) {
      const double value = outward::about(function, x[i]);
      if (std::isnan(value) || std::fabs(value) > greatest) continue;  // not defined, or an overflow
      ++worst.numbers;
      if (!std::isfinite(y.values[i])) {
        ++worst.not_finite;
      } else if (const double ulps = ulps_between(y.values[i], value); ulps > worst.ulps) {
        worst.ulps = ulps;
        worst.at = x[i];
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("ONNX Runtime's functions are within the ulps of their records") {
  onnx_test::Oracle* oracle = onnx_test::Oracle::get();
  if (oracle == nullptr) return;
  const char* given = std::getenv("OUTWARD_ULPS_STEP");
  const std::uint64_t step = given ? std::max<std::uint64_t>(std::strtoull(given, nullptr, 10), 1) : 100003;
  const std::pair<const char*, outward::ElementFunction> functions[] = {
      {"Exp", outward::ElementFunction::exp},
      {"Log", outward::ElementFunction::log},
      {"Tanh", outward::ElementFunction::tanh},
      {"Erf", outward::ElementFunction::erf},
      {"Softplus", outward::ElementFunction::softplus}};
  std::size_t records = 0;
  for (const outward::Capsule& c : outward::Registry::shipped().capsules())
    if (c.provider == "onnxruntime" && c.policy.k_ulp > 0) ++records;
  CHECK(records == std::size(functions));
  for (const auto& [op, function] : functions) {
    const std::string name = std::string("onnxruntime.") + outward::row_of(function).name + ".binary32";
    const outward::Capsule* record = outward::Registry::shipped().find(name);
    REQUIRE(record != nullptr);
    onnx_test::Net net(13);
    net.input("x", {1, 1 << 16}).output("y").node(op, {"x"}, {"y"});
    const auto session = oracle->open(net.bytes(), 99);
    const Worst worst = measure(function, *session, step);
    CHECK(worst.numbers > 1000);
    CHECK(worst.not_finite == 0);
    CHECK(worst.ulps <= record->policy.k_ulp + 0x1p-20);
    MESSAGE(name << ": " << worst.numbers << " numbers, worst " << worst.ulps << " ulps at " << worst.at << ", record "
                 << record->policy.k_ulp);
  }
}
