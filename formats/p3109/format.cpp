// IEEE P3109 formats behind the interface of all number formats.
#include "formats/error.hpp"
#include "formats/exact_format.hpp"

namespace outward {

namespace {

class P3109Format : public ExactFormat {
 public:
  P3109Format(const p3109::Format& format, p3109::Saturation saturation) : format_(format), saturation_(saturation) {}

  std::string text() const override {
    const char* option = saturation_ == p3109::Saturation::finite      ? "(satfinite)"
                         : saturation_ == p3109::Saturation::propagate ? "(satpropagate)"
                                                                       : "";
    return p3109::text(format_) + option;
  }
  std::string family() const override { return "p3109"; }
  int width() const override { return format_.bits; }
  std::vector<std::pair<std::string, std::string>> parameters() const override {
    return {{"precision", std::to_string(format_.precision)},
            {"bias", std::to_string(format_.bias())},
            {"max", fraction_text(p3109::decode(format_, format_.greatest_code()).number)},
            {"least", "2^" + std::to_string(2 - format_.bias() - format_.precision)}};
  }

 protected:
  p3109::Value value(const Integer& code) const override {
    return p3109::decode(format_, code.convert_to<std::uint32_t>());
  }
  Integer code(const p3109::Value& x, Rounding rounding, Flags&) const override {
    return p3109::project(format_, x, rounding, saturation_);
  }
  Integer neighbour(const Integer& from, bool upwards) const override {
    const auto bits = from.convert_to<std::uint32_t>();
    if (bits == format_.nan_code()) return from;
    // Signed position among the codes of numbers and infinities.
    const std::int64_t half = format_.nan_code();
    const std::int64_t end = format_.extended ? format_.infinity_code() : format_.greatest_code();
    std::int64_t place = bits > half ? half - std::int64_t{bits} : std::int64_t{bits};
    place += upwards ? 1 : -1;
    place = std::clamp(place, format_.is_signed ? -end : 0, end);
    return place < 0 ? half - place : place;
  }

 private:
  p3109::Format format_;
  p3109::Saturation saturation_;
};

}  // namespace

std::shared_ptr<const NumberFormat> p3109_family(const std::string& plain) {
  const DescriptorParts parts = split_descriptor(plain);
  const auto format = p3109::parse(parts.name);
  if (!format) return nullptr;
  if (format->bits < 3 || format->bits > 16 || format->precision < 1 || format->precision >= format->bits)
    throw InputRefused(
        {"number-format", "", "there is no such P3109 format", "3 <= K <= 16 and 1 <= P < K", plain, ""});
  auto saturation = p3109::Saturation::overflow;
  for (const std::string& option : parts.arguments) {
    if (option == "satfinite")
      saturation = p3109::Saturation::finite;
    else if (option == "satpropagate")
      saturation = p3109::Saturation::propagate;
    else if (option != "ovfinf")
      throw InputRefused({"number-format", "", "an option of a P3109 format is unknown",
                          "satfinite, satpropagate, ovfinf", option, ""});
  }
  return std::make_shared<P3109Format>(*format, saturation);
}

std::vector<std::string> p3109_names() {
  std::vector<std::string> names;
  for (int p = 1; p <= 7; ++p) names.push_back("binary8p" + std::to_string(p));
  return names;
}

}  // namespace outward
