#include "certificates/writer.hpp"

#include <cstdio>

#include "formats/exact.hpp"

namespace outward {

namespace {

std::string string_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? "," : "") + json_string(items[i]);
  return out + "]";
}

template <class Number>
std::string number_list(std::span<const Number> items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? "," : "") + std::to_string(items[i]);
  return out + "]";
}

std::string hex_bits(std::uint64_t bits, bool binary64) {
  char buffer[17];
  std::snprintf(buffer, sizeof buffer, binary64 ? "%016llx" : "%08llx", static_cast<unsigned long long>(bits));
  return buffer;
}

std::string model_record(const Model& model, std::uint64_t outputs) {
  std::string out = "\"record\":\"model\",\"files\":[";
  for (std::size_t i = 0; i < model.files.size(); ++i) {
    const ModelFile& f = model.files[i];
    out += std::string(i ? "," : "") + "{\"path\":" + json_string(f.path) + ",\"bytes\":" + std::to_string(f.bytes) +
           ",\"sha256\":\"" + f.sha256 + "\"}";
  }
  out += "],\"shapes\":[";
  for (std::size_t i = 0; i < model.shape_overrides.size(); ++i) {
    const auto& [name, dims] = model.shape_overrides[i];
    out += std::string(i ? "," : "") + "{\"input\":" + json_string(name) +
           ",\"dims\":" + number_list(std::span<const std::int64_t>(dims)) + "}";
  }
  const bool wide = model.graph.element == ElementType::binary64;
  return out + "],\"element\":\"" + (wide ? "binary64" : "binary32") +
         "\",\"inputs\":" + std::to_string(model.graph.nodes[0].size) + ",\"outputs\":" + std::to_string(outputs) +
         ",\"nodes\":" + std::to_string(model.graph.nodes.size()) + ",\"graph\":\"" + graph_digest(model.graph) + "\"";
}

std::string property_record(const Property& property, bool binary64) {
  const std::string tail = ",\"cases\":" + std::to_string(property.cases.size()) +
                           ",\"boxes\":" + std::to_string(property.boxes.size()) + ",\"digest\":\"" +
                           property_digest(property) + "\"";
  std::string out = "\"record\":\"property\",\"kind\":" + json_string(property.kind);
  if (property.kind == "vnnlib")
    return out + ",\"path\":" + json_string(property.path) + ",\"sha256\":\"" + property.file_sha256 + "\"" + tail;
  const RadiusRecord& r = property.radius;
  out += ",\"centre\":[";
  for (std::size_t i = 0; i < r.centre_bits.size(); ++i)
    out += std::string(i ? "," : "") + "\"" + hex_bits(r.centre_bits[i], binary64) + "\"";
  return out + "],\"radius\":" + json_string(r.radius) + ",\"scale\":" + json_string(r.scale) +
         ",\"mean\":" + string_list(r.mean) + ",\"std\":" + string_list(r.std) +
         ",\"layout\":" + json_string(r.layout) + ",\"clip\":" + string_list(r.clip) +
         ",\"target\":" + json_string(r.target) + ",\"label\":" + std::to_string(r.label) +
         ",\"range\":" + string_list(r.range) + ",\"deviation\":" + json_string(r.deviation) + tail;
}

std::string numerics_record(const CertificateHeader& header) {
  const std::string& semantics = header.semantics;
  if (semantics == "capsule")
    return "\"record\":\"numerics\",\"format\":" + json_string(header.format) +
           ",\"rounding\":" + json_string(header.rounding) + ",\"subnormals\":" + json_string(header.subnormals) +
           R"(,"order":"any","fusion":"any")";
  if (semantics == "real")
    return R"("record":"numerics","format":"real","rounding":"exact",)"
           R"("subnormals":"exact","order":"exact","fusion":"exact")";
  return "\"record\":\"numerics\",\"format\":\"" + std::string(semantics == "fp64_any" ? "binary64" : "binary32") +
         R"(","rounding":"nearest_even","subnormals":"gradual","order":"any","fusion":"any")";
}

}  // namespace

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u00%02X", static_cast<unsigned>(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string index_list(std::span<const std::uint32_t> indices) {
  std::string out;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t j = i;
    while (j + 1 < indices.size() && indices[j + 1] == indices[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += std::to_string(indices[i]);
    if (j > i) out += "-" + std::to_string(indices[j]);
    i = j + 1;
  }
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (n > 1) word |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (n > 2) word |= bytes[i + 2];
    for (std::size_t d = 0; d < 4; ++d) out += d <= n ? digits[(word >> (18 - 6 * d)) & 63] : '=';
  }
  return out;
}

CertificateWriter::CertificateWriter(const CertificateHeader& header, const Model& model, const Property& property) {
  record(
      "\"record\":\"header\",\"format\":\"outward-certificate\",\"version\":3,\"claim\":" + json_string(header.claim) +
      ",\"semantics\":" + json_string(header.semantics) + ",\"producer\":" + json_string(header.producer));
  record(model_record(model, property.outputs));
  record(property_record(property, model.graph.element == ElementType::binary64));
  record(numerics_record(header));
}

void CertificateWriter::record(const std::string& body) {
  text_.append("{" + body + "}\n");
  ++records_;
}

void CertificateWriter::capsules(const std::string& profile, const std::vector<std::string>& names,
                                 const std::vector<std::string>& digests) {
  record("\"record\":\"capsules\",\"profile\":" + json_string(profile) + ",\"names\":" + string_list(names) +
         ",\"sha256\":" + string_list(digests));
}

void CertificateWriter::box(std::uint32_t index) { record("\"record\":\"box\",\"box\":" + std::to_string(index)); }

void CertificateWriter::slopes(std::uint32_t id, std::uint32_t node, std::span<const std::uint8_t> lower,
                               std::span<const std::uint8_t> upper) {
  record("\"record\":\"slopes\",\"id\":" + std::to_string(id) + ",\"node\":" + std::to_string(node) + ",\"lower\":\"" +
         base64(lower) + "\",\"upper\":\"" + base64(upper) + "\"");
}

void CertificateWriter::interval(std::uint32_t node) {
  record("\"record\":\"step\",\"node\":" + std::to_string(node) + ",\"method\":\"interval\"");
}

void CertificateWriter::backward(std::uint32_t node, std::span<const std::uint32_t> lower,
                                 std::span<const std::uint32_t> upper, std::span<const std::uint32_t> slopes) {
  record("\"record\":\"step\",\"node\":" + std::to_string(node) + ",\"method\":\"backward\",\"lower\":\"" +
         index_list(lower) + "\",\"upper\":\"" + index_list(upper) + "\",\"slopes\":" + number_list(slopes));
}

void CertificateWriter::refute(std::uint32_t case_index, std::span<const std::uint32_t> rows,
                               std::span<const double> multipliers, std::span<const std::uint32_t> slopes,
                               std::span<const RangeTerm> ranges) {
  std::string lambda, multiples;
  for (const RangeTerm& r : ranges)
    multiples += (multiples.empty() ? "{\"node\":" : ",{\"node\":") + std::to_string(r.node) +
                 ",\"element\":" + std::to_string(r.element) + ",\"value\":\"" + dyadic_text(r.value) + "\"}";
  for (double m : multipliers) lambda += (lambda.empty() ? "\"" : ",\"") + dyadic_text(m) + "\"";
  record("\"record\":\"refute\",\"case\":" + std::to_string(case_index) + ",\"rows\":" + number_list(rows) +
         ",\"lambda\":[" + lambda + "],\"slopes\":" + number_list(slopes) + ",\"ranges\":[" + multiples + "]");
}

void CertificateWriter::bound(std::uint32_t output, bool is_lower, double value,
                              std::span<const std::uint32_t> slopes) {
  record("\"record\":\"bound\",\"output\":" + std::to_string(output) + ",\"side\":\"" + (is_lower ? "lower" : "upper") +
         "\",\"value\":\"" + dyadic_text(value) + "\",\"slopes\":" + number_list(slopes));
}

void CertificateWriter::point(std::uint32_t case_index, const std::vector<std::string>& decimals) {
  record("\"record\":\"point\",\"case\":" + std::to_string(case_index) + ",\"values\":" + string_list(decimals));
}

void CertificateWriter::split(std::uint32_t node, std::uint32_t element, double at) {
  record("\"record\":\"split\",\"node\":" + std::to_string(node) + ",\"element\":" + std::to_string(element) +
         ",\"at\":\"" + dyadic_text(at) + "\"");
}

void CertificateWriter::crossed(std::uint32_t node, std::uint32_t element) {
  record("\"record\":\"crossed\",\"node\":" + std::to_string(node) + ",\"element\":" + std::to_string(element));
}

void CertificateWriter::leave_open() { record("\"record\":\"open\""); }

void CertificateWriter::close() { record("\"record\":\"close\""); }

void CertificateWriter::rewind(Mark mark) {
  text_.cut(mark.bytes);
  records_ = mark.records;
}

CertificateText CertificateWriter::finish() {
  const std::string digest = text_.sha256();
  const std::string count = std::to_string(records_);
  record("\"record\":\"footer\",\"records\":" + count + ",\"sha256\":\"" + digest + "\"");
  return std::move(text_);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(i);
    const std::size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || text.size() - i <= more) return false;
    for (std::size_t k = i + 1; k <= i + more; ++k)
      if ((byte(k) & 0xc0) != 0x80) return false;
    const unsigned char second = more > 0 ? byte(i + 1) : 0;
    // Overlong, surrogates, beyond U+10FFFF.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
      return false;
    i += more + 1;
  }
  return true;
}

}  // namespace outward
