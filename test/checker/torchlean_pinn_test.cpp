// PINN certificates of a network that is constant or linear to many digits, so that every interval is known by hand.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

// u = 3 everywhere: all weights but the last bias are 0.
const std::string constant = R"({"model": {"arch": [1, 2, 1, 1], "activations": ["tanh", "tanh"],
      "weights": {"W1": [[0], [0]], "b1": [0, 0],
    "Wm": [[0, 0]], "bm": [0], "W2": [[1]], "b2": [3]}},
  "pinn": {"pde": "u_xx + 2*u*ux - u^2", "domain": [0, 1], "h": 0.5, "eps": 0.25, "points": [0.5, 1]},
  "residual_bounds": {"lo": [0, 0], "hi": [0, 0.000009]}, "residual_bounds_deriv": {"lo": [-9, -9], "hi": [-9, -9]},
  "u_bounds": [{"x": 0.5, "u_minus": {"lo": 3, "hi": 3}, "u": {"lo": 2.999995, "hi": 3}, "u_plus": {"lo": 3, "hi": 3}},
    {"x": 1, "u_minus": {"lo": 3, "hi": 3}, "u": {"lo": 3, "hi": 3}, "u_plus": {"lo": 3, "hi": 3.0}}]})";

}  // namespace

TEST_CASE("PINN certificate: every end within the tolerance of the format") {
  CHECK(verdict(constant) == "accept");
  const Change changes[] = {
      {"2.999995", "2.99998", "reject"},
      {"\"hi\": 3.0}", "\"hi\": 3.00002}", "reject"},
      {"\"hi\": 3.0}", "\"hi\": 2.999999}", "reject"},  // within the tolerance, but an empty interval
      {"0.000009", "0.00002", "reject"},
      {"\"lo\": [-9, -9]", "\"lo\": [-9, -9.1]", "reject"},
      {"\"lo\": [-9, -9]", "\"lo\": [-9]", "malformed"},
      {"\"lo\": [-9, -9]", "\"lo\": [-9, NaN]", "malformed"},
      {"\"b2\": [3]", "\"b2\": [3.1]", "reject"},
      {"\"b2\": [3]", "\"b2\": [3, 3]", "malformed"},
      {"\"arch\": [1, 2, 1, 1]", "\"arch\": [1, 2, 2, 1]", "malformed"},
      {"\"arch\": [1, 2, 1, 1]", "\"arch\": [1, 2, 1]", "malformed"},
      {"[\"tanh\", \"tanh\"]", "[\"tanh\", \"relu\"]", "unsupported"},
      {"\"h\": 0.5", "\"h\": 0", "malformed"},
      {"\"h\": 0.5", "\"h\": -0.5", "malformed"},
      {"\"eps\": 0.25", "\"eps\": -0.25", "reject"},
      {"\"points\": [0.5, 1]", "\"points\": [0.5, 1, 1]", "malformed"},
      {"\"points\": [0.5, 1]", "\"points\": [0.5, 0.75]", "reject"},
      {"\"domain\": [0, 1]", "\"domain\": [0, 0.9]", "reject"},
      {"u_xx + 2*u*ux - u^2", "u_xx + 2*u*ux - u^2 + 1", "reject"},
      {"u_xx + 2*u*ux - u^2", "u_xx / u", "unsupported"},
      {"u_xx + 2*u*ux - u^2", "u_xx = 0", "unsupported"},
      {"u_xx + 2*u*ux - u^2", "u_t - u_xx", "unsupported"},
      {"u_xx + 2*u*ux - u^2", "sin(u)", "unsupported"},
      {"u_xx + 2*u*ux - u^2", "u_xx +", "malformed"},
      {"\"pinn\": {", "\"pinn\": {\"seed\": 1, ", "malformed"},
  };
  check_changes(constant, changes);
  ForeignOptions exact;
  exact.max_slack = Fraction();
  CHECK(verdict(constant, exact) == "reject");
  CHECK(verdict(with(with(constant, "2.999995", "3"), "0.000009", "0"), exact) == "accept");
}
