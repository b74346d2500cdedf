// Digest of a property, certificates/FORMAT.md section 4.
// Assumes: a well-formed Property (boxes of size `inputs`, case boxes in range, rows reduced).
// Promises: the text is hashed as it is written, so memory stays that of one text per distinct box.
#include "runtime/graph/property.hpp"

#include "runtime/graph/sha256.hpp"

namespace outward {
namespace {

std::string box_text(const std::vector<InputRange>& box) {
  std::string text;
  for (const InputRange& range : box) {
    text += fraction_text(range.lo);
    if (range.lo_strict) text += '!';
    text += ' ';
    text += fraction_text(range.hi);
    if (range.hi_strict) text += '!';
    text += '\n';
  }
  return text;
}

std::string row_text(const Row& row) {
  std::string text = row.strict ? "< " : "<= ";
  for (const auto& [index, coefficient] : row.terms) text += std::to_string(index) + ":" + coefficient.str() + " ";
  return text + row.constant.str() + "\n";
}

}  // namespace

std::string property_digest(const Property& property) {
  Sha256 hash;
  hash.text("outward-property-1\n");
  hash.text("inputs " + std::to_string(property.inputs) + " outputs " + std::to_string(property.outputs) + "\n");
  if (property.bound_only) {
    hash.text("bound\n");
    for (const auto& box : property.boxes) hash.text(box_text(box));
    return hash.hex();
  }
  // Consecutive cases mostly share a box; its text is kept until another one comes.
  std::string text;
  std::size_t text_of = property.boxes.size();
  for (const Case& c : property.cases) {
    hash.text("case\n");
    if (c.box != text_of) {
      text = box_text(property.boxes.at(c.box));
      text_of = c.box;
    }
    hash.text(text);
    for (const Row& row : c.rows) hash.text(row_text(row));
  }
  return hash.hex();
}

}  // namespace outward
