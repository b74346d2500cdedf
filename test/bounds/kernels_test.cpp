// The kernels against their definitions, on numbers that every order of additions gets right.
#include "bounds/kernels.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace outward;

TEST_CASE("columns are added where the window took them from: strides, dilations, pads and rectangles of every kind") {
  std::mt19937_64 random(17);
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
  };
  int pairs = 0, compared = 0;
  while (compared < 4000) {
    ConvGeometry g;
    g.batch = g.groups = 1;
    g.channels = pick(1, 2);
    g.filters = 1;
    g.height = pick(1, 7), g.width = pick(1, 60);
    g.kh = pick(1, 3), g.kw = pick(1, 5);
    g.sh = pick(1, 3), g.sw = pick(1, 3), g.dh = pick(1, 2), g.dw = pick(1, 2);
    g.pt = pick(0, 3), g.pl = pick(0, 4);
    const std::int64_t bottom = pick(0, 3), right = pick(0, 4);
    const std::int64_t down = g.height + g.pt + bottom - (g.kh - 1) * g.dh - 1;
    const std::int64_t across = g.width + g.pl + right - (g.kw - 1) * g.dw - 1;
    if (down < 0 || across < 0) continue;
    g.oh = down / g.sh + 1, g.ow = across / g.sw + 1;
    const std::int64_t y0 = pick(0, g.oh - 1), y1 = pick(y0 + 1, g.oh), x0 = pick(0, g.ow - 1), x1 = pick(x0 + 1, g.ow);
    const std::int64_t area = (y1 - y0) * (x1 - x0);
    std::vector<double> columns(static_cast<std::size_t>(g.window() * area));
    for (double& v : columns) v = static_cast<double>(pick(-1000, 1000));
    std::vector<double> expected(static_cast<std::size_t>(g.channels * g.height * g.width), 1.0), found = expected;
    std::size_t at = 0;
    for (std::int64_t c = 0; c < g.channels; ++c)
      for (std::int64_t ky = 0; ky < g.kh; ++ky)
        for (std::int64_t kx = 0; kx < g.kw; ++kx)
          for (std::int64_t oy = y0; oy < y1; ++oy)
            for (std::int64_t ox = x0; ox < x1; ++ox, ++at) {
              const std::int64_t iy = oy * g.sh - g.pt + ky * g.dh, ix = ox * g.sw - g.pl + kx * g.dw;
              if (iy < 0 || iy >= g.height || ix < 0 || ix >= g.width) continue;
              expected[static_cast<std::size_t>((c * g.height + iy) * g.width + ix)] += columns[at];
            }
    add_columns(columns.data(), g, y0, y1, x0, x1, found.data());
    REQUIRE(found == expected);
    ++compared;
    pairs += g.sw == 2 && g.dw == 1 && g.kw > 1 && x1 - x0 >= 8;
  }
  CHECK(pairs > 100);
}
