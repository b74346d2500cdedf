// Backward rules: one function per kind, one signature, listed in apply_backward_rule. Each takes the coefficients ν of
// node k (rows × size) and writes those of its operands, adding constants on the way. Rounding is charged by the caller
// (State::cost), except slope products, which relax_row weighs itself.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bounds/kernels.hpp"
#include "bounds/pass.hpp"
#include "bounds/rounding.hpp"

namespace outward {

namespace {

void constant_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const double* nu = pass.work.coefficient[k].data();
  for (std::size_t r = 0; r < pass.rows; ++r) pass.add_constant(r, nu + r * node.size, node.payload.data(), node.size);
}

void map_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  std::size_t total = 0;
  std::vector<std::size_t> from;
  for (std::uint32_t operand : node.operands) {
    from.push_back(total);
    total += pass.net.node(operand).size;
  }
  const double* nu = pass.work.coefficient[k].data();
  std::vector<double>& joined = pass.work.columns;
  if (joined.size() < total * pass.rows) joined.resize(total * pass.rows);
  std::fill(joined.begin(), joined.begin() + static_cast<std::ptrdiff_t>(total * pass.rows), 0.0);
  for (std::size_t r = 0; r < pass.rows; ++r)
    for (std::size_t i = 0; i < node.size; ++i)
      joined[r * total + static_cast<std::size_t>(node.ints[i])] += nu[r * node.size + i];
  for (std::size_t o = 0; o < node.operands.size(); ++o) {
    const std::size_t n = pass.net.node(node.operands[o]).size;
    double* target = pass.begin(node.operands[o]);
    for (std::size_t r = 0; r < pass.rows; ++r)
      std::memcpy(target + r * n, joined.data() + r * total + from[o], n * sizeof(double));
    pass.end(node.operands[o]);
  }
}

// Rows that start at single neurons need no product: each becomes a multiple of one weight row. False if some row has
// two nonzeros.
bool copy_single_rows(const double* nu, std::size_t rows, std::size_t columns, const double* weights, std::size_t depth,
                      double* target) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t nonzeros = 0, at = 0;
    for (std::size_t j = 0; j < columns && nonzeros < 2; ++j) {
      if (nu[r * columns + j] == 0) continue;
      ++nonzeros;
      at = j;
    }
    if (nonzeros == 2) return false;
    const double v = nonzeros ? nu[r * columns + at] : 0.0;
    for (std::size_t i = 0; i < depth; ++i) target[r * depth + i] = v * weights[at * depth + i];
  }
  return true;
}

void add_sparse_rows(const SparseWeights& w, const double* nu, std::size_t rows, std::size_t columns, std::size_t depth,
                     double* target) {
  std::fill(target, target + rows * depth, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double v = nu[r * columns + j];
      if (v == 0) continue;
      for (std::uint32_t e = w.start[j]; e < w.start[j + 1]; ++e) target[r * depth + w.column[e]] += v * w.value[e];
    }
  }
}

void dense_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const auto repeats = static_cast<std::size_t>(node.ints[0]), depth = static_cast<std::size_t>(node.ints[1]);
  const auto columns = static_cast<std::size_t>(node.ints[2]);
  const double* nu = pass.work.coefficient[k].data();
  if (node.ints[3]) {
    const double* bias = node.payload.data() + columns * depth;
    for (std::size_t r = 0; r < pass.rows * repeats; ++r)
      pass.add_constant(r / repeats, nu + r * columns, bias, columns);
  }
  double* target = pass.begin(node.operands[0]);
  const SparseWeights& weights = pass.net.sparse[k];
  if (weights.used())
    add_sparse_rows(weights, nu, pass.rows * repeats, columns, depth, target);
  else if (!copy_single_rows(nu, pass.rows * repeats, columns, node.payload.data(), depth, target))
    gemm(pass.rows * repeats, depth, columns, nu, node.payload.data(), target);
  pass.end(node.operands[0]);
}

// Output positions with a nonzero coefficient of one row and group: a rectangle, and how many at most.
struct Support {
  std::int64_t y0 = 0, y1 = 0, x0 = 0, x1 = 0, count = 0;
  std::int64_t area() const { return (y1 - y0) * (x1 - x0); }
};

void widen(Support& s, const double* plane, const double* row_absolute, const ConvGeometry& g) {
  for (std::int64_t y = 0; y < g.oh; ++y) {
    if (row_absolute[y] == 0) continue;
    const double* line = plane + y * g.ow;
    std::int64_t first = 0, last = g.ow;
    while (line[first] == 0) ++first;
    while (line[last - 1] == 0) --last;
    s.y0 = std::min(s.y0, y);
    s.y1 = std::max(s.y1, y + 1);
    s.x0 = std::min(s.x0, first);
    s.x1 = std::max(s.x1, last);
    s.count += last - first;
  }
}

// Few coefficients: each adds its kernel to the image.
void conv_scatter(const double* nu, const double* weights, std::int64_t filters, const ConvGeometry& g,
                  const Support& s, double* image) {
  for (std::int64_t m = 0; m < filters; ++m) {
    for (std::int64_t oy = s.y0; oy < s.y1; ++oy) {
      for (std::int64_t ox = s.x0; ox < s.x1; ++ox) {
        const double v = nu[(m * g.oh + oy) * g.ow + ox];
        if (v == 0) continue;
        const double* w = weights + m * g.window();
        for (std::int64_t c = 0; c < g.group_channels(); ++c) {
          for (std::int64_t ky = 0; ky < g.kh; ++ky, w += g.kw) {
            const std::int64_t iy = oy * g.sh - g.pt + ky * g.dh;
            if (iy < 0 || iy >= g.height) continue;
            double* line = image + (c * g.height + iy) * g.width;
            for (std::int64_t kx = 0; kx < g.kw; ++kx) {
              const std::int64_t ix = ox * g.sw - g.pl + kx * g.dw;
              if (ix >= 0 && ix < g.width) line[ix] += v * w[kx];
            }
          }
        }
      }
    }
  }
}

// Many: one matrix product over the rectangle, then the columns are added into the image (transposed im2col).
void conv_product(Pass& pass, const double* nu, const double* weights, std::int64_t filters, const ConvGeometry& g,
                  const Support& s, double* image) {
  const std::int64_t area = s.area(), width = s.x1 - s.x0, window = g.window();
  const double* block = nu;
  if (area != g.positions()) {
    std::vector<double>& compact = pass.work.compact;
    if (compact.size() < static_cast<std::size_t>(filters * area))
      compact.resize(static_cast<std::size_t>(filters * area));
    for (std::int64_t m = 0; m < filters; ++m)
      for (std::int64_t y = s.y0; y < s.y1; ++y)
        std::memcpy(compact.data() + (m * (s.y1 - s.y0) + y - s.y0) * width, nu + (m * g.oh + y) * g.ow + s.x0,
                    static_cast<std::size_t>(width) * sizeof(double));
    block = compact.data();
  }
  std::vector<double>& columns = pass.work.columns;
  if (columns.size() < static_cast<std::size_t>(window * area)) columns.resize(static_cast<std::size_t>(window * area));
  gemm_transposed_a(static_cast<std::size_t>(window), static_cast<std::size_t>(area), static_cast<std::size_t>(filters),
                    weights, static_cast<std::size_t>(window), block, static_cast<std::size_t>(area), columns.data(),
                    static_cast<std::size_t>(area));
  add_columns(columns.data(), g, s.y0, s.y1, s.x0, s.x1, image);
}

void conv_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const ConvGeometry g = conv_geometry(node);
  const double* nu = pass.work.coefficient[k].data();
  const auto filters = g.group_filters(), window = g.window();
  const double* bias = g.has_bias ? node.payload.data() + g.filters * window : nullptr;
  const std::size_t image_size = pass.net.node(node.operands[0]).size;
  double* target = pass.begin(node.operands[0]);
  std::fill(target, target + pass.rows * image_size, 0.0);
  std::vector<double> line_absolute(static_cast<std::size_t>(g.oh));
  for (std::size_t r = 0; r < pass.rows; ++r) {
    for (std::int64_t b = 0; b < g.batch; ++b) {
      const double* rows = nu + r * node.size + static_cast<std::size_t>(b * g.filters * g.positions());
      for (std::int64_t q = 0; q < g.groups; ++q) {
        const double* block = rows + q * filters * g.positions();
        Support s{g.oh, 0, g.ow, 0, 0};
        for (std::int64_t m = 0; m < filters; ++m) {
          const double* plane = block + m * g.positions();
          double absolute = 0;
          const double sum = plane_sums(plane, g.oh, g.ow, line_absolute.data(), &absolute);
          if (absolute == 0) continue;
          if (bias) {
            const double b_m = bias[q * filters + m];
            pass.constant[r] += b_m * sum;
            pass.absolute[r] += std::fabs(b_m) * absolute;
          }
          widen(s, plane, line_absolute.data(), g);
        }
        if (s.count == 0) continue;
        const double* weights = node.payload.data() + q * filters * window;
        double* image = target + r * image_size +
                        static_cast<std::size_t>((b * g.channels + q * g.group_channels()) * g.height * g.width);
        if (s.count * 8 < filters * s.area() || s.count < 8)
          conv_scatter(block, weights, filters, g, s, image);
        else
          conv_product(pass, block, weights, filters, g, s, image);
      }
    }
  }
  pass.end(node.operands[0]);
}

void reduce_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const auto depth = static_cast<std::size_t>(node.ints[0]);
  const double* nu = pass.work.coefficient[k].data();
  double* target = pass.begin(node.operands[0]);
  for (std::size_t r = 0; r < pass.rows; ++r) {
    for (std::size_t i = 0; i < node.size; ++i) {
      const double v = nu[r * node.size + i] / static_cast<double>(node.ints[1 + i]);
      std::fill_n(target + (r * node.size + i) * depth, depth, v);
    }
  }
  pass.end(node.operands[0]);
}

// ν·(a·(x − mean) + shift) = (ν·a)·x + ν·(shift − a·mean). The constants are charged as part of S through State::cost.
void bn_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const BatchNormCoefficients& f = pass.net.batch_norm[k];
  const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
  const double* nu = pass.work.coefficient[k].data();
  double* target = pass.begin(node.operands[0]);
  for (std::size_t r = 0; r < pass.rows; ++r) {
    double constant = 0, absolute = 0;
    for (std::size_t i = 0; i < node.size; ++i) {
      const std::size_t q = (i / inner) % channels;
      const double v = nu[r * node.size + i], scaled = v * f.a[q];
      target[r * node.size + i] = scaled;
      constant += v * f.shift[q] - scaled * f.mean[q];
      absolute += std::fabs(v * f.shift[q]) + std::fabs(scaled * f.mean[q]);
    }
    pass.constant[r] += constant;
    pass.absolute[r] += 4 * absolute;  // four roundings per term instead of the one that scalar_sum_term counts
  }
  pass.terms += 3 * node.size;
  pass.end(node.operands[0]);
}

void add_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const bool minus = node.ints[0] == 1;
  const std::size_t length = pass.rows * node.size;
  for (int side = 0; side < 2; ++side) {
    double* target = pass.begin(node.operands[static_cast<std::size_t>(side)]);
    const double* nu = pass.work.coefficient[k].data();
    if (side == 1 && minus)
      for (std::size_t i = 0; i < length; ++i) target[i] = -nu[i];
    else
      std::memcpy(target, nu, length * sizeof(double));
    pass.end(node.operands[static_cast<std::size_t>(side)]);
  }
}

void shift_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const double* nu = pass.work.coefficient[k].data();
  for (std::size_t r = 0; r < pass.rows; ++r) pass.add_constant(r, nu + r * node.size, node.payload.data(), node.size);
  double* target = pass.begin(node.operands[0]);
  std::memcpy(target, nu, pass.rows * node.size * sizeof(double));
  pass.end(node.operands[0]);
}

void factor_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const bool divide = node.kind == Kind::divide;
  const double* nu = pass.work.coefficient[k].data();
  double* target = pass.begin(node.operands[0]);
  for (std::size_t r = 0; r < pass.rows; ++r)
    for (std::size_t i = 0; i < node.size; ++i) {
      const double v = nu[r * node.size + i], c = node.payload[i];
      target[r * node.size + i] = divide ? v / c : v * c;
    }
  pass.end(node.operands[0]);
}

void neg_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const double* nu = pass.work.coefficient[k].data();
  double* target = pass.begin(node.operands[0]);
  for (std::size_t i = 0; i < pass.rows * node.size; ++i) target[i] = -nu[i];
  pass.end(node.operands[0]);
}

void piecewise_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const double* nu = pass.work.coefficient[k].data();
  if (pass.at_node) (*pass.at_node)[k].assign(nu, nu + node.size);
  double* target = pass.begin(node.operands[0]);
  for (std::size_t r = 0; r < pass.rows; ++r) {
    const Lines& lines = node.kind == Kind::function ? pass.state.lines[k] : pass.lines(r, k);
    const RowSums sums =
        relax_row(nu + r * node.size, lines.lower_slope.data(), lines.lower_offset.data(), lines.upper_slope.data(),
                  lines.upper_offset.data(), pass.prepared.weight[k].data(), target + r * node.size, node.size);
    pass.constant[r] += sums.constant;
    pass.absolute[r] += sums.absolute;
    pass.error[r] += sums.error;
  }
  pass.end(node.operands[0]);
}

void max_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const MaxChoice& choice = pass.state.choice[k];
  const auto width = static_cast<std::size_t>(node.ints[0]);
  const double* nu = pass.work.coefficient[k].data();
  double* target = pass.begin(node.operands[0]);
  std::fill(target, target + pass.rows * node.size * width, 0.0);
  for (std::size_t r = 0; r < pass.rows; ++r) {
    for (std::size_t i = 0; i < node.size; ++i) {
      const double v = nu[r * node.size + i];
      if (v > 0 || (v < 0 && choice.dominating[i])) {
        target[(r * node.size + i) * width + choice.chosen[i]] = v;
      } else if (v < 0) {
        const double t = v * choice.upper[i];
        pass.constant[r] += t;
        pass.absolute[r] += std::fabs(t);
      }
    }
  }
  pass.end(node.operands[0]);
}

// The end of the range that is least for the sign of the coefficient; nothing goes on to the operands.
void opaque_backward(Pass& pass, std::uint32_t k) {
  const Node& node = pass.net.node(k);
  const Range& range = pass.state.range[k];
  const double* nu = pass.work.coefficient[k].data();
  for (std::size_t r = 0; r < pass.rows; ++r) {
    for (std::size_t i = 0; i < node.size; ++i) {
      const double v = nu[r * node.size + i];
      if (v == 0) continue;
      const double t = v * (v > 0 ? range.lo[i] : range.hi[i]);
      pass.constant[r] += t;
      pass.absolute[r] += std::fabs(t);
    }
  }
}

}  // namespace

void apply_backward_rule(Pass& pass, std::uint32_t k) {
  switch (pass.net.node(k).kind) {
    case Kind::input:
      return;
    case Kind::constant:
      return constant_backward(pass, k);
    case Kind::map:
      return map_backward(pass, k);
    case Kind::dense:
      return dense_backward(pass, k);
    case Kind::conv:
      return conv_backward(pass, k);
    case Kind::reduce:
      return reduce_backward(pass, k);
    case Kind::bn:
      return bn_backward(pass, k);
    case Kind::add:
      return add_backward(pass, k);
    case Kind::shift:
      return shift_backward(pass, k);
    case Kind::scale:
    case Kind::divide:
      return factor_backward(pass, k);
    case Kind::neg:
      return neg_backward(pass, k);
    case Kind::relu:
    case Kind::leaky:
    case Kind::clip:
    case Kind::abs:
      return piecewise_backward(pass, k);
    case Kind::max:
      return max_backward(pass, k);
    case Kind::function:
      return piecewise_backward(pass, k);
    case Kind::product:
    case Kind::quotient:
      return opaque_backward(pass, k);
  }
}

}  // namespace outward
