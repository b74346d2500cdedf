// What is cut off a part of a box before it is halved: no point of it is unsafe, exactly; what is left is smaller.
#include <doctest/doctest.h>

#include "test/bounds/branched.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// Unsafe: output 0 at most `threshold`; with two outputs also output 1 at least −threshold − 1: a case of two rows.
Property low_output(const Box& box, std::size_t outputs, const Rational& threshold) {
  Property p = output_below(box, outputs, threshold);
  if (outputs > 1)
    p.cases[0].rows.push_back(
        {{{1, -denominator(threshold)}}, -numerator(threshold) - denominator(threshold), false, 0});
  return p;
}

}  // namespace

TEST_CASE("no point that is cut off is unsafe, over the reals and in binary32") {
  Random random(3141);
  int parts = 0, pieces = 0, unsafe_left = 0;
  for (int t = 0; t < 700; ++t) {
    const Graph graph = random_graph(random, 1 + static_cast<int>(random() % 3));
    const Network net(graph);
    Box box = random_box(random, graph.nodes[0].size, 2);
    const std::size_t outputs = graph.nodes[graph.output].size;
    // A threshold that some points of the box reach: what is cut off must not hold any of them.
    Rational least = 0;
    for (int p = 0; p < 10; ++p) {
      const Rational y = evaluate_exactly(graph, exact_vector(random_point(random, box)))[graph.output][0];
      if (p == 0 || y < least) least = y;
    }
    const Property property = low_output(box, outputs, least);
    const RowTable rows(property);
    for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
      BoxProver prover(net, semantics, {1, true, {}});
      Part part;
      part.input = input_range(property.boxes[0], semantics, graph.element);
      part.open = {0};
      ProofLog log;
      const PartResult r = prover.prove_part(rows, part, log);
      parts += !r.clips.empty();
      Box left = box;
      for (const Clip& c : r.clips) {
        CHECK(left.lo[c.input] < c.at);
        CHECK(c.at < left.hi[c.input]);
        Box piece = left;
        (c.keep_lower ? piece.lo : piece.hi)[c.input] = c.at;
        (c.keep_lower ? left.hi : left.lo)[c.input] = c.at;
        ++pieces;
        for (int p = 0; p < 12; ++p) {
          std::vector<double> x = random_point(random, box);  // in the other inputs of the piece
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::min(std::max(x[i], piece.lo[i]), piece.hi[i]);
          CHECK_FALSE(is_unsafe(property.cases[0], evaluate_exactly(graph, exact_vector(x))[graph.output]));
          for (double& v : x) v = static_cast<float>(v);
          bool inside = true;
          for (std::size_t i = 0; i < x.size(); ++i) inside = inside && piece.lo[i] <= x[i] && x[i] <= piece.hi[i];
          if (semantics == Semantics::fp32_any && inside)
            CHECK_FALSE(is_unsafe(property.cases[0], exact_vector(evaluate_binary32(graph, x, random)[graph.output])));
        }
      }
      for (int p = 0; p < 4 && !r.clips.empty(); ++p) {
        const std::vector<double> x = random_point(random, left);
        unsafe_left += is_unsafe(property.cases[0], evaluate_exactly(graph, exact_vector(x))[graph.output]);
      }
    }
  }
  MESSAGE(parts << " parts, " << pieces << " pieces cut off; " << unsafe_left << " unsafe points in what is left");
  CHECK(parts > 100);
  CHECK(pieces > 200);
  CHECK(unsafe_left > 20);
}
