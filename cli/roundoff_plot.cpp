// The SVG of `roundoff --plot`: no script, no outside file, readable in every browser.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "certificates/output_file.hpp"
#include "cli/roundoff_report.hpp"
#include "formats/error.hpp"

namespace outward::cli {
namespace {

constexpr int label_width = 230, share_width = 240, error_width = 420, row_height = 22, top = 70;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* style = "") {
  char head[128];
  std::snprintf(head, sizeof head, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  return head + escaped(text) + "</text>\n";
}
std::string bar(double x, double y, double width, double height, const char* colour, const std::string& title) {
  char head[192];
  std::snprintf(head, sizeof head, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>", x,
                y, std::max(0.0, width), height, colour);
  return head + escaped(title) + "</title></rect>\n";
}
std::string figure_text(const char* form, double x) {
  char text[64];
  std::snprintf(text, sizeof text, form, x);
  return text;
}

}  // namespace

void write_roundoff_plot(const RoundoffReport& r, const std::string& path) {
  // Powers of ten from the least positive local error to the greatest value.
  double least = HUGE_VAL, most = 0;
  for (const OperatorLine& o : r.operators) {
    for (const double x : {o.local, o.total})
      if (x > 0 && x < HUGE_VAL) least = std::min(least, x);
    const double size = std::fmax(std::fabs(o.lo), std::fabs(o.hi));
    for (const double x : {size, o.total})
      if (x > 0 && x < HUGE_VAL) most = std::max(most, x);
  }
  if (!(least < HUGE_VAL)) least = 1e-10;
  if (most <= least) most = least * 10;
  const double from = std::floor(std::log10(least)), to = std::ceil(std::log10(most));
  const auto place = [&](double x) {
    return label_width + share_width + 20 + error_width * std::clamp((std::log10(x) - from) / (to - from), 0.0, 1.0);
  };
  const auto rows = static_cast<int>(r.operators.size());
  const int width = label_width + share_width + error_width + 60, height = top + rows * row_height + 60;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
                    std::to_string(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
                    "fill=\"white\"/>\n";
  svg += text_at(10, 20, r.subject + ": " + r.policy, "font-weight=\"bold\"");
  svg += text_at(10, 38, r.inputs + "; greatest output error " + short_figure_up(r.bound()));
  svg += text_at(label_width, 58, "share of the output error");
  svg += text_at(label_width + share_width + 20, 58, "values (grey), total error (orange), local error (blue)");
  const int step = std::max(1, static_cast<int>((to - from) / 8));
  for (int e = static_cast<int>(from); e <= static_cast<int>(to); e += step) {
    const double x = place(std::pow(10.0, e));
    svg += "<line x1=\"" + figure_text("%.1f", x) + "\" x2=\"" + figure_text("%.1f", x) + "\" y1=\"" +
           std::to_string(top - 6) + "\" y2=\"" + std::to_string(top + rows * row_height) + "\" stroke=\"#ddd\"/>\n";
    svg += text_at(x - 12, top + rows * row_height + 16, "1e" + std::to_string(e), "fill=\"#666\"");
  }
  for (int i = 0; i < rows; ++i) {
    const OperatorLine& o = r.operators[static_cast<std::size_t>(i)];
    const double y = top + i * row_height;
    std::string name = o.name.size() > 30 ? o.name.substr(0, 27) + "..." : o.name;
    svg += text_at(10, y + 14, name);
    svg += bar(label_width, y + 3, share_width * std::clamp(o.share, 0.0, 1.0), row_height - 8, "#c2410c",
               o.name + ": " + figure_text("%.2f %%", 100 * o.share));
    const double size = std::fmax(std::fabs(o.lo), std::fabs(o.hi)), x0 = label_width + share_width + 20;
    const auto line = [&](double value, double at, double thick, const char* colour, const char* what) {
      if (!(value > 0)) return;
      const double end = value < HUGE_VAL ? place(value) : x0 + error_width;
      svg += bar(x0, at, end - x0, thick, colour, o.name + ", " + what + " " + short_figure_up(value));
    };
    line(size, y + 2, row_height - 6, "#e5e7eb", "values up to");
    line(o.total, y + 5, 6, "#fb923c", "total error");
    line(o.local, y + 11, 4, "#2563eb", "local error");
  }
  svg += "</svg>\n";
  save_file(path, svg);
}

}  // namespace outward::cli
