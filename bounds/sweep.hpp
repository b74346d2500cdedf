// One sweep over a network in a scope: interval steps node by node, backward bounds of the pre-activations that matter,
// lines of the piecewise-linear nodes. Every step is reported.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "bounds/backward.hpp"
#include "bounds/observer.hpp"

namespace outward {

// refine = backward bounds of unstable pre-activations (CROWN; without: CROWN-IBP); parallel = choice of lower slopes.
struct Sweep {
  bool refine, parallel;
};

inline constexpr std::uint32_t no_slopes = 0xffffffff;

// Elements of stored node k whose bounds matter to a reader: not one linear piece, or members of an undecided max
// group.
std::vector<std::uint32_t> undecided_elements(const Network& net, const State& state, std::uint32_t k);

class Sweeper {
 public:
  Sweeper(const Network& net, EngineOptions options) : engine(net, std::move(options)), net_(net) {}

  // Tightens the ranges of the state. slope_ids: per node, the id of its slopes or no_slopes. Throws Interrupted, and
  // ResourceError if bounds cross: then nothing may be claimed.
  // further (may be empty) is called for every node k whose undecided elements were bounded backwards, while the lines
  // of the nodes below are those named by slope_ids; it may tighten the ranges of k, and reports how.
  using Further = std::function<void(std::uint32_t k, const std::vector<std::uint32_t>& slope_ids)>;
  void run(State& state, ProofObserver& observer, Sweep sweep, std::vector<std::uint32_t>& slope_ids,
           const Further& further = {});
  // Ids of the nodes up to top, in the order of the nodes.
  std::vector<std::uint32_t> used_slopes(const std::vector<std::uint32_t>& slope_ids, std::uint32_t top) const;

  // Planes below the refined elements of each node (rows in the order of `elements`), kept if asked for before run().
  struct Refined {
    std::vector<std::uint32_t> elements;
    Planes planes;
  };
  bool keep_planes = false;
  std::vector<Refined> refined;  // per node

  BackwardEngine engine;
  std::uint32_t next_id = 0;  // of slopes

 private:
  void refine_node(State& state, std::uint32_t k, const std::vector<std::uint32_t>& slope_ids, bool exact,
                   ProofObserver& observer);
  const Network& net_;
};

}  // namespace outward
