// Digest of a property, certificates/FORMAT.md section 4.
// Assumes: a well-formed Property (boxes of size `inputs`, case boxes in range, rows reduced).
// Promises: the text is hashed as it is written, so memory stays that of one text per distinct box.
#include "runtime/graph/property.hpp"

#include <openssl/evp.h>

#include <memory>

#include "formats/error.hpp"

namespace outward {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) fail();
  }
  void add(const std::string& text) {
    if (EVP_DigestUpdate(context_.get(), text.data(), text.size()) != 1) fail();
  }
  std::string finish() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (EVP_DigestFinal_ex(context_.get(), bytes, &count) != 1) fail();
    static constexpr char hex[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      text += hex[bytes[i] >> 4];
      text += hex[bytes[i] & 15U];
    }
    return text;
  }

 private:
  [[noreturn]] static void fail() { throw ResourceError("SHA-256 of the property failed"); }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

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
  hash.add("outward-property-1\n");
  hash.add("inputs " + std::to_string(property.inputs) + " outputs " + std::to_string(property.outputs) + "\n");
  if (property.bound_only) {
    hash.add("bound\n");
    for (const auto& box : property.boxes) hash.add(box_text(box));
    return hash.finish();
  }
  // Consecutive cases mostly share a box; its text is kept until another one comes.
  std::string text;
  std::size_t text_of = property.boxes.size();
  for (const Case& c : property.cases) {
    hash.add("case\n");
    if (c.box != text_of) {
      text = box_text(property.boxes.at(c.box));
      text_of = c.box;
    }
    hash.add(text);
    for (const Row& row : c.rows) hash.add(row_text(row));
  }
  return hash.finish();
}

}  // namespace outward
