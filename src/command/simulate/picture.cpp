#include "command/simulate/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace tutti::command {

namespace {

constexpr double k_width = 520, k_height = 320, k_left = 70, k_top = 40, k_legend = 300, k_line = 18;
constexpr std::array<const char*, 8> k_colours = {"#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2",
                                                  "#e08e0b", "#555555", "#17a2b8", "#a0522d"};
/// Combined with the colours, these distinguish four times as many lines.
constexpr std::array<const char*, 4> k_dashes = {"", "6 3", "2 3", "8 3 2 3"};

struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // bytes, ns
};

/// Maps values to pixels; the range is extended to integer powers of a base. 0 is drawn as the minimum.
class Axis {
 public:
  Axis(double base, double first_pixel, double last_pixel)
      : base_(base), first_(first_pixel), last_(last_pixel) {}

  void take_in(double value) {
    if (value <= 0) return;
    const double power = std::log(value) / std::log(base_);
    constexpr double k_rounding = 1e-9;
    low_ = std::min(low_, std::floor(power + k_rounding));
    high_ = std::max(high_, std::ceil(power - k_rounding));
  }
  double pixel(double value) const {
    const double power = std::max(std::log(std::max(value, 1e-300)) / std::log(base_), low());
    return first_ + (power - low()) / (high() - low()) * (last_ - first_);
  }
  std::vector<double> ticks() const {
    std::vector<double> values;
    const auto count = static_cast<int>(high() - low()) + 1;
    for (int i = 0; i < count; ++i) values.push_back(std::pow(base_, low() + i));
    return values;
  }

 private:
  double low() const { return std::isfinite(low_) ? low_ : 0; }
  double high() const { return std::isfinite(high_) ? std::max(high_, low() + 1) : low() + 1; }

  double base_, first_, last_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

std::vector<Line> lines_of(const SimulationTable& table) {
  std::vector<Line> lines;
  for (const SimulationCell& cell : table.cells) {
    if (!cell.why_not.empty()) continue;
    const std::string name = table.leaders.size() > 1 ? fmt::format("{}, leader {}", to_string(cell.choice),
                                                                    to_string(cell.leader))
                                                      : to_string(cell.choice);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) line = lines.insert(lines.end(), {name, {}});
    line->points.emplace_back(static_cast<double>(cell.bytes), cell.figures.mean_ns);
  }
  return lines;
}

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:g} ns", ns);
  if (ns < 1e6) return fmt::format("{:g} us", ns / 1e3);
  return ns < 1e9 ? fmt::format("{:g} ms", ns / 1e6) : fmt::format("{:g} s", ns / 1e9);
}

class Picture {
 public:
  explicit Picture(const SimulationTable& table) : lines_(lines_of(table)) {
    for (const Line& line : lines_)
      for (const auto& [bytes, ns] : line.points) {
        x_.take_in(bytes);
        y_.take_in(ns);
      }
    const double height =
        std::max(k_top + k_height + 50, k_top + k_line * static_cast<double>(lines_.size() + 1));
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        k_left + k_width + k_legend, height);
    put("<text x=\"{}\" y=\"{}\" font-size=\"13\">{} on {} of {}, machine {}, arrivals {}</text>\n", k_left,
        k_top - 16, algorithm::to_string(table.collective), base::counted(table.nodes, "node"),
        base::counted(table.ranks_per_node, "rank"), base::escape_xml(table.machine.name),
        base::escape_xml(to_text(table.arrivals)));
    draw_axes();
    for (size_t i = 0; i < lines_.size(); ++i) draw(lines_[i], i);
    text_ += "</svg>\n";
  }

  std::string text() && { return std::move(text_); }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void draw_axes() {
    constexpr double k_bottom = k_top + k_height, k_right = k_left + k_width;
    const std::vector<double> sizes = x_.ticks();
    const size_t each = sizes.size() / 12 + 1;  // space for the labels
    for (size_t i = 0; i < sizes.size(); i += each) {
      const double x = x_.pixel(sizes[i]);
      put("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#e4e4e4\"/>\n", x, k_top,
          k_bottom);
      put("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, k_bottom + 16,
          base::format_bytes(static_cast<uint64_t>(std::llround(sizes[i]))));
    }
    for (const double ns : y_.ticks()) {
      const double y = y_.pixel(ns);
      put("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#e4e4e4\"/>\n", k_left, k_right, y,
          y);
      put("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", k_left - 6, y + 4, time_text(ns));
    }
    put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n", k_left, k_top,
        k_width, k_height);
    put("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">bytes; time in the call, mean of the ranks</text>\n",
        k_left + k_width / 2, k_bottom + 36);
  }

  void draw(const Line& line, size_t number) {
    const char* const colour = k_colours[number % k_colours.size()];
    const char* const dashes = k_dashes[number / k_colours.size() % k_dashes.size()];
    put("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\" points=\"",
        colour, dashes);
    for (const auto& [bytes, ns] : line.points) put("{:.1f},{:.1f} ", x_.pixel(bytes), y_.pixel(ns));
    put("\"/>\n");
    for (const auto& [bytes, ns] : line.points)
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x_.pixel(bytes), y_.pixel(ns),
          colour);
    const double x = k_left + k_width + 16, y = k_top + 6 + k_line * static_cast<double>(number);
    put("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"1.8\" "
        "stroke-dasharray=\"{}\"/>\n",
        x, x + 24, y, y, colour, dashes);
    put("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 30, y + 4, base::escape_xml(line.name));
  }

  std::vector<Line> lines_;
  Axis x_{4, k_left, k_left + k_width}, y_{10, k_top + k_height, k_top};
  std::string text_;
};

}  // namespace

std::string simulation_picture(const SimulationTable& table) {
  return Picture(table).text();
}

}  // namespace tutti::command
