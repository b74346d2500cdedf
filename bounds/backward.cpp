#include "bounds/backward.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "bounds/parallel.hpp"
#include "bounds/pass.hpp"
#include "bounds/rounding.hpp"

extern "C" void openblas_set_num_threads(int);

namespace outward {

struct BackwardEngine::Impl {
  Impl(const Network& n, EngineOptions o) : net(n), options(std::move(o)) {
    openblas_set_num_threads(1);  // batches are the parallelism; see EngineOptions::threads
    for (unsigned i = 0; i < std::max(1u, options.threads); ++i) workspaces.emplace_back(n.size());
    std::size_t widest = 1;
    double flops = 0;
    for (std::uint32_t k = 0; k < n.size(); ++k) {
      const Node& node = n.node(k);
      widest = std::max<std::size_t>(widest, node.size);
      if (node.kind == Kind::dense) flops += 2.0 * static_cast<double>(node.ints[0] * node.ints[1] * node.ints[2]);
      if (node.kind == Kind::conv) {
        const ConvGeometry g = conv_geometry(node);
        flops += 2.0 * static_cast<double>(g.batch * g.filters * g.positions() * g.window());
      }
      flops += static_cast<double>(node.size);
      cost_so_far.push_back(flops);
    }
    // Two or three buffers of a batch fit into a core's cache.
    batch = std::clamp<std::size_t>((std::size_t{1} << 16) / widest, 8, 128);
  }

  // fill(pass, first, count) sets the coefficients of rows first … first+count−1 at node k.
  template <class Fill>
  void run(const State& state, std::uint32_t k, std::size_t rows, std::span<double> bounds, Planes* planes,
           const RowLines* row_lines, const Fill& fill) {
    const std::size_t inputs = net.node(0).size;
    if (planes) {
      planes->coefficient.assign(rows * inputs, 0.0);
      planes->offset.assign(rows, 0.0);
    }
    const Prepared prepared(net, state, k, options.rigorous);
    const bool worth = static_cast<double>(rows) * cost_so_far[k] > 4e6;
    // An even number of batches of equal size, so that two workers end together. Fixed by the model and the number of
    // rows alone, so results do not depend on the number of threads.
    std::size_t batches = (rows + batch - 1) / batch;
    if (worth && rows > 1) batches += batches % 2;
    const std::size_t size = (rows + batches - 1) / batches;
    parallel_for(worth ? workspaces.size() : 1, batches, [&](std::size_t worker, std::size_t b) {
      if (options.stop && options.stop()) throw Interrupted();
      Workspace& space = workspaces[worker];
      const std::size_t first = std::min(b * size, rows), count = std::min(size, rows - first);
      if (count == 0) return;
      for (std::uint32_t node = 0; node < net.size(); ++node)
        space.release(node);  // left over from an interrupted pass
      Pass pass(net, state, prepared, space, count, options.rigorous);
      pass.row_lines = row_lines;
      pass.first_row = first;
      if (planes && !planes->at_node.empty()) pass.at_node = &planes->at_node;
      if (planes) pass.plane = planes->coefficient.data() + first * inputs;
      fill(pass, first);
      pass.run(k);
      pass.lower(bounds.subspan(first, count));
      for (std::size_t r = 0; planes && r < count; ++r)
        planes->offset[first + r] = bounds[first + r] - pass.least_of_plane(r);
    });
  }

  const Network& net;
  EngineOptions options;
  std::vector<Workspace> workspaces;
  std::vector<double> cost_so_far;  // floating-point operations of one row from node k to the input, at most
  std::size_t batch = 1;            // rows of one batch, at most
};

BackwardEngine::BackwardEngine(const Network& net, EngineOptions options)
    : impl_(std::make_unique<Impl>(net, std::move(options))) {}
BackwardEngine::~BackwardEngine() = default;

void BackwardEngine::unit_bounds(const State& state, std::uint32_t k, std::span<const std::uint32_t> elements,
                                 double sign, std::span<double> bounds, Planes* planes) {
  const std::size_t n = impl_->net.node(k).size;
  impl_->run(state, k, elements.size(), bounds, planes, nullptr, [&](Pass& pass, std::size_t first) {
    double* nu = pass.begin(k);
    std::fill(nu, nu + pass.rows * n, 0.0);
    for (std::size_t r = 0; r < pass.rows; ++r) nu[r * n + elements[first + r]] = sign;
    pass.end(k);
    if (!pass.rigorous || state.cost[k].empty()) return;
    for (std::size_t r = 0; r < pass.rows; ++r) pass.error[r] = state.cost[k][elements[first + r]];
    pass.top_charged = true;
  });
}

void BackwardEngine::form_bounds(const State& state, std::uint32_t k, const Forms& forms, std::span<double> bounds,
                                 Planes* planes, const RowLines* row_lines) {
  const std::size_t n = impl_->net.node(k).size;
  impl_->run(state, k, forms.rows, bounds, planes, row_lines, [&](Pass& pass, std::size_t first) {
    double* nu = pass.begin(k);
    std::copy_n(forms.coefficient.begin() + static_cast<std::ptrdiff_t>(first * n), pass.rows * n, nu);
    pass.end(k);
    for (std::size_t r = 0; r < pass.rows; ++r) {
      pass.constant[r] += forms.constant[first + r];
      pass.absolute[r] += std::fabs(forms.constant[first + r]);
      if (forms.radius.empty() || !pass.rigorous) continue;
      for (std::size_t i = 0; i < n; ++i) {
        const double radius = forms.radius[(first + r) * n + i];
        if (radius != 0)
          pass.error[r] =
              add_up(pass.error[r],
                     mul_up(radius, std::max(std::fabs(state.range[k].lo[i]), std::fabs(state.range[k].hi[i]))));
      }
    }
  });
}

}  // namespace outward
