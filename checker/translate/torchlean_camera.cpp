// torchlean.camera.box3d: eight corners (v1; point_count of them in v2) seen by a projective camera.
// Claims that all points lie before the camera, are seen inside the image, and that the 2-D box, widened by the
// tolerance of the file, encloses what is seen. Predicate: the same in exact rationals, numbers read as binary64. The
// point (X, Y, Z) has depth z = P2.(X, Y, Z, 1) and is seen at (P0.(X, Y, Z, 1)/z, P1.(X, Y, Z, 1)/z).
#include "checker/translate/torchlean.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

bool is_camera(const JsonText& document) {
  return has_format(document, "torchlean.camera") || document.find("camera_P") != nullptr;
}

Judgement judge_camera(const JsonText& document, const ForeignOptions& options) {
  const bool second =
      require_format(document, {"torchlean.camera.box3d.v1", "torchlean.camera.box3d.v2"}).ends_with("v2");
  require_keys(document,
               joined({"format", "image_width", "image_height", "tol", "camera_P", "corners3d", "bbox2d"},
                      second ? std::vector<std::string>{"point_count"} : std::vector<std::string>{}),
               {"source"});
  if (document.find("source") != nullptr) member(document, "source", JsonKind::string);
  const std::size_t points = second ? natural(*document.find("point_count"), 1) : 8;
  const Fraction tolerance = float_number(*document.find("tol"));
  const Vector camera = numbers(*document.find("camera_P"), 12);
  const Vector corners = numbers(*document.find("corners3d"), 3 * points);
  const Vector box = numbers(*document.find("bbox2d"), 4);  // left, top, right, bottom
  const Fraction size[] = {float_number(*document.find("image_width")), float_number(*document.find("image_height"))};

  Ruling ruling(document, options);
  ruling.judgement.statement = "all " + counted(points, "point") +
                               " lie before the camera, are seen inside the image and inside the 2-D box" +
                               (tolerance.sign() == 0 ? "" : " widened by " + about(tolerance));
  ruling.judgement.established = {"the statement, by exact arithmetic on the numbers of the file"};
  ruling.judgement.not_established = {"that camera and points are those of any scene", "floating point projections"};
  ruling.require(size[0].sign() > 0 && size[1].sign() > 0, "the image has no size");
  ruling.require(tolerance.sign() >= 0, "the tolerance is negative");
  if (options.max_slack)
    ruling.require(tolerance <= *options.max_slack, "the tolerance is above what --max-slack allows");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    ruling.require(box[axis] <= box[axis + 2], "the 2-D box is empty");
    ruling.require(box[axis].sign() >= 0 && box[axis + 2] <= size[axis], "the 2-D box is not inside the image");
  }
  for (std::size_t p = 0; p < points; ++p) {
    const std::string point = "point " + std::to_string(p);
    Fraction row[3];
    for (std::size_t r = 0; r < 3; ++r) {
      row[r] = camera[4 * r + 3];
      for (std::size_t k = 0; k < 3; ++k) row[r] = row[r] + camera[4 * r + k] * corners[3 * p + k];
    }
    ruling.require(row[2].sign() > 0, point + " is not before the camera");
    if (row[2].sign() <= 0) continue;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Fraction seen = row[axis] / row[2];
      ruling.require(seen.sign() >= 0 && seen <= size[axis], point + " is seen outside the image");
      ruling.at_most(box[axis] - tolerance, seen, axis == 0 ? "the left edge" : "the top edge");
      ruling.at_most(seen, box[axis + 2] + tolerance, axis == 0 ? "the right edge" : "the bottom edge");
    }
  }
  return ruling.finish();
}

}  // namespace outward_check
