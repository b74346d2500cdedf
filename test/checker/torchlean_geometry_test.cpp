// Splines, cameras and property suites of TorchLean.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

const std::string spline = R"({"format": "piecewise_poly_v0", "degree": 2, "xs": ["0", "1/2", "2"],
  "ys": ["1/3", "13/12", "-1"], "pieces": [{"lo": "0", "hi": "1/2", "coeffs": ["1/3", "1", "1"]},
    {"lo": "1/2", "hi": "2", "coeffs": ["13/12", "-25/18", "0"]}]})";

const std::string camera = R"({"format": "torchlean.camera.box3d.v2", "point_count": 2, "image_width": 640,
  "image_height": 480.0, "tol": 0, "camera_P": [100, 0, 320, 0, 0, 100, 240, 0, 0, 0, 1, 0],
  "corners3d": [-1, -1, 10, 1, 1, 10], "bbox2d": [310, 230, 330, 250]})";

const std::string suite = R"({"format": "vnnlib_suite_v0_1", "instances": [
  {"id": "a", "input_lo": [-1.0, 0], "input_hi": [1, 1], "spec": [{"mat": [[1, 2]], "rhs": [0]},
      {"mat": [[0, 1], [1, 0]], "rhs": [1, 2]}]},
  {"id": "b", "input_lo": [0, 0], "input_hi": [1, 1], "spec": []}]})";

}  // namespace

TEST_CASE("piecewise_poly_v0: exact values at the knots") {
  CHECK(verdict(spline) == "accept");
  const Change changes[] = {
      {R"(["1/3", "1", "1"])", R"(["1/3", "1", "1000000000000000000000000000001/1000000000000000000000000000000"])",
       "reject"},
      {R"(["1/3", "1", "1"])", R"(["2/6", "1", "3/3"])", "accept"},
      {R"(["1/3", "1", "1"])", R"(["1/3", "1", "1", "0"])", "malformed"},
      {R"(["1/3", "1", "1"])", R"(["1/3", "1"])", "malformed"},
      {R"(["1/3", "1", "1"])", R"(["1/3", "1", 1])", "malformed"},
      {R"("hi": "2")", R"("hi": "5/2")", "reject"},
      {R"("lo": "1/2")", R"("lo": "0")", "reject"},
      {R"(["0", "1/2", "2"])", R"(["0", "1/2", "1/2"])", "reject"},
      {R"(["0", "1/2", "2"])", R"(["0", "2"])", "malformed"},
      {R"("-1"])", R"("-1.0"])", "malformed"},
      {R"("-1"])", R"("-1/0"])", "malformed"},
      {R"("-1"])", R"("-1", "0"])", "malformed"},
      {R"("degree": 2)", R"("degree": 3)", "malformed"},
      {R"("degree": 2)", R"("degree": 2, "range": [])", "malformed"},
      {R"(poly_v0)", R"(poly_v1)", "unsupported"},
  };
  check_changes(spline, changes);
  CHECK(verdict(R"({"format": "piecewise_poly_v0", "degree": 0, "xs": ["1"], "ys": ["1"], "pieces": []})") ==
        "malformed");
}

TEST_CASE("piecewise_poly_v0 --ieee32: every number and both values in binary32") {
  ForeignOptions single;
  single.ieee32 = true;
  CHECK(verdict(spline, single) == "reject");  // 1/3
  const std::string text = R"({"format": "piecewise_poly_v0", "degree": 1, "xs": ["0", "3"], "ys": ["1", "4"],
    "pieces": [{"lo": "0", "hi": "3", "coeffs": ["1", "1"]}]})";
  CHECK(verdict(text, single) == "accept");
  // 4097^2 = 16785409 has 25 bits: binary32 arithmetic gives 16785408, and 16785408 again after adding 1.
  const std::string lost = R"({"format": "piecewise_poly_v0", "degree": 2, "xs": ["0", "4097"], "ys": ["1", "16785410"],
    "pieces": [{"lo": "0", "hi": "4097", "coeffs": ["1", "0", "1"]}]})";
  CHECK(verdict(lost) == "accept");
  CHECK(verdict(lost, single) == "reject");
}

TEST_CASE("torchlean.camera.box3d: depth, image and box, exactly") {
  CHECK(verdict(camera) == "accept");
  const Change changes[] = {
      {R"([310, 230, 330, 250])", R"([310.00000000000006, 230, 330, 250])", "reject:slack"},
      {R"([310, 230, 330, 250])", R"([309.99999999999994, 230, 330, 250])", "accept"},
      {R"([310, 230, 330, 250])", R"([310, 230, 330, 249.99999999999997])", "reject:slack"},
      {R"([310, 230, 330, 250])", R"([310, 230, 329.99999999999994, 250])", "reject:slack"},
      {R"([310, 230, 330, 250])", R"([310, 230.00000000000003, 330, 250])", "reject:slack"},
      {R"([310, 230, 330, 250])", R"([230, 310, 250, 330])", "reject:slack"},
      {R"([310, 230, 330, 250])", R"([330, 230, 310, 250])", "reject"},
      {R"([310, 230, 330, 250])", R"([310, 230, 641, 250])", "reject"},
      {R"([310, 230, 330, 250])", R"([310, 230, 330])", "malformed"},
      {R"([310, 230, 330, 250])", R"([310, 230, 330, 1e999])", "malformed"},
      {R"([310, 230, 330, 250])", R"([310, 230, 330, "250"])", "accept"},
      {R"([310, 230, 330, 250])", R"([310, 230, 330, "Infinity"])", "malformed"},
      {R"("tol": 0)", R"("tol": -1e-300)", "reject"},
      {R"("image_width": 640)", R"("image_width": 0)", "reject"},
      {R"("image_width": 640)", R"("image_width": 329)", "reject"},
      {R"([-1, -1, 10, 1, 1, 10])", R"([-1, -1, 0, 1, 1, 10])", "reject"},
      {R"([-1, -1, 10, 1, 1, 10])", R"([-1, -1, -10, 1, 1, 10])", "reject"},
      {R"([-1, -1, 10, 1, 1, 10])", R"([-1, -1, 10, 1, 1])", "malformed"},
      {R"(, 0, 0, 0, 1, 0])", R"(, 0, 0, 0, 1])", "malformed"},
      {R"("point_count": 2)", R"("point_count": 3)", "malformed"},
      {R"("point_count": 2, )", "", "malformed"},
      {R"("tol": 0)", R"("tol": 0, "scale": 1)", "malformed"},
      {R"(box3d.v2)", R"(box3d.v3)", "unsupported"},
      {R"(box3d.v2)", R"(box3d.v1)", "malformed"},  // point_count is a key of version 2
  };
  check_changes(camera, changes);
  const std::string inside = with(camera, "[310, ", "[310.00000000000006, ");
  ForeignOptions options;
  options.slack = Fraction(BigInt(1), BigInt::power_of_ten(12));
  CHECK(verdict(inside, options) == "accept:slack");
  options.slack = Fraction(BigInt(1), BigInt::power_of_ten(14));
  CHECK(verdict(inside, options) == "reject:slack");
  const std::string tolerant = with(inside, R"("tol": 0)", R"("tol": 1e-9)");
  CHECK(verdict(tolerant) == "accept");
  options.max_slack = Fraction();
  CHECK(verdict(tolerant, options) == "reject");
}

TEST_CASE("vnnlib_suite_v0_1: never accepted") {
  CHECK(verdict(suite) == "unsupported");
  const Change changes[] = {
      {R"("rhs": [0])", R"("rhs": [0, 1])", "malformed"}, {R"([[1, 2]])", R"([[1, 2, 3]])", "malformed"},
      {R"("id": "b")", R"("id": "a")", "malformed"},      {R"([-1.0, 0])", R"([-1.0])", "malformed"},
      {R"("rhs": [0])", R"("rhs": [null])", "malformed"}, {R"("rhs": [0])", R"("rhs": [0], "or": 1)", "malformed"},
  };
  check_changes(suite, changes);
}
