// Front door of the array readers, see arrays.hpp: tells the format, and brings the numbers into the model's order.
#include "importers/arrays/arrays.hpp"

#include <algorithm>

#include "importers/arrays/raw.hpp"
#include "importers/source/source.hpp"

namespace outward {
namespace {

using arrays::RawArray;
using arrays::refuse;
using arrays::shape_text;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

RawArray parse(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  if (bytes.substr(0, 6) == "\x93NUMPY") return arrays::parse_npy(bytes, name, request);
  if (request.rows && bytes.substr(0, 8) == std::string_view("\x89PNG\r\n\x1a\n", 8))
    refuse(name, "unsupported-dataset", "an image is no list of points", ".npy, .csv, .json or .pb", "an image");
  if (bytes.substr(0, 8) == std::string_view("\x89PNG\r\n\x1a\n", 8)) return arrays::parse_png(bytes, name, request);
  if (bytes.substr(0, 4) == std::string_view("PK\3\4", 4)) {
    refuse(name, "npz-unsupported", "zip archives (.npz) are not supported", "a single .npy array", "a zip archive",
           "save the one array with numpy.save");
  }
  if (ends_with(name, ".csv") || ends_with(name, ".txt")) return arrays::parse_csv(bytes, name, request);
  if (ends_with(name, ".json")) return arrays::parse_json(bytes, name, request);
  if (ends_with(name, ".pb")) return arrays::parse_tensor(bytes, name, request);
  if (bytes.size() >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7' && !request.rows)
    return arrays::parse_pnm(bytes, name, request);
  refuse(name, "unknown-array-format", "the format of the array is not known",
         ".npy, .csv, .json, .pb, PNG, PGM or PPM",
         std::to_string(bytes.size()) + " bytes that start with no known mark");
}

// Dimensions of 1 carry no order.
template <class Integer>
std::vector<std::uint64_t> without_ones(const std::vector<Integer>& shape) {
  std::vector<std::uint64_t> result;
  for (Integer dim : shape) {
    if (dim != 1) result.push_back(static_cast<std::uint64_t>(dim));
  }
  return result;
}

bool is_flat(const std::vector<std::uint64_t>& shape) { return shape.size() <= 1; }

void check_shape(const RawArray& array, const ArrayRequest& request, const std::string& name) {
  const auto have = without_ones(array.shape), want = without_ones(request.shape);
  if (is_flat(have) || is_flat(want) || have == want) return;
  refuse(name, "wrong-shape", "the array has another shape than the model's input",
         shape_text(want) + " (or a flat list)", shape_text(have), "transpose the array to the model's order");
}

// Does the model's input have these dimensions, up to 1s, or no structure at all?
bool accepts(const ArrayRequest& request, const std::vector<std::uint64_t>& shape) {
  const auto want = without_ones(request.shape);
  return is_flat(want) || want == without_ones(shape);
}

// Images come as [height, width, channels]; nchw models want the channels first.
void order_channels(RawArray& array, const ArrayRequest& request, const std::string& name) {
  const std::uint64_t height = array.shape[0], width = array.shape[1], channels = array.shape[2];
  const std::vector<std::uint64_t> first = {channels, height, width};
  const bool last_fits = accepts(request, array.shape), first_fits = accepts(request, first);
  std::string layout = request.layout;
  if (layout.empty() && channels == 1) layout = "nhwc";
  if (layout.empty() && last_fits != first_fits) layout = last_fits ? "nhwc" : "nchw";
  if (layout.empty() && last_fits) {
    refuse(name, "layout-missing", "the model's input shape does not tell the order of the image samples",
           "--layout nchw or --layout nhwc", "no layout");
  }
  if (layout.empty() || !(layout == "nchw" ? first_fits : last_fits)) {
    refuse(name, "wrong-shape", "the image has another shape than the model's input",
           shape_text(without_ones(request.shape)), "height, width, channels " + shape_text(array.shape),
           "resize the image, or check --layout");
  }
  if (layout != "nchw" || channels == 1) return;
  std::vector<std::uint64_t> bits(array.bits.size());
  const std::uint64_t plane = height * width;
  for (std::uint64_t p = 0; p < plane; ++p) {
    for (std::uint64_t c = 0; c < channels; ++c) bits[c * plane + p] = array.bits[p * channels + c];
  }
  array.bits = std::move(bits);
}

}  // namespace

std::vector<std::uint64_t> parse_array(std::string_view bytes, const std::string& name, const ArrayRequest& request) {
  RawArray array = parse(bytes, name, request);
  if (array.is_image) {
    order_channels(array, request, name);
  } else {
    check_shape(array, request, name);
  }
  return std::move(array.bits);
}

namespace {

// The bytes, unpacked, and the name without .gz.
std::pair<std::string, std::string> unpacked(const std::string& path) {
  std::string bytes = read_file(path);
  if (!is_gzip(bytes)) return {std::move(bytes), path};
  return {gunzip(bytes, path), ends_with(path, ".gz") ? path.substr(0, path.size() - 3) : path};
}

}  // namespace

std::vector<std::uint64_t> read_array(const std::string& path, const ArrayRequest& request) {
  const auto [bytes, name] = unpacked(path);
  return parse_array(bytes, name, request);
}

arrays::RawArray arrays::read_rows(const std::string& path, const ArrayRequest& request) {
  const auto [bytes, name] = unpacked(path);
  ArrayRequest several = request;
  several.rows = true;
  return parse(bytes, name, several);
}

std::vector<std::uint64_t> read_array(const std::string& path, ElementType element, std::uint64_t expected_count) {
  ArrayRequest request;
  request.element = element;
  request.count = expected_count;
  return read_array(path, request);
}

}  // namespace outward
