#include "bounds/branch/proof_tree.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace outward {

static_assert(std::is_trivially_copyable_v<Split>);

// The split of a part that is closed is zeros: every blob has the same form.
void ProofTree::store(Index part, const Split& at, const ProofLog& log) {
  std::vector<std::uint8_t> bytes(sizeof at + log.bytes().size());
  std::memcpy(bytes.data(), &at, sizeof at);
  if (!log.empty()) std::memcpy(bytes.data() + sizeof at, log.bytes().data(), log.bytes().size());
  parts_[part].place = spool_->append(bytes) & Spool::nowhere;
  parts_[part].has_log = !log.empty();
}

std::vector<std::uint8_t> ProofTree::stored(Index part) const {
  if (parts_[part].place == Spool::nowhere) return std::vector<std::uint8_t>(sizeof(Split));
  return spool_->read(parts_[part].place);
}

ProofLog ProofTree::log(Index part) const {
  if (part == before_all) return root_log_;
  std::vector<std::uint8_t> bytes = stored(part);
  bytes.erase(bytes.begin(), bytes.begin() + sizeof(Split));
  return ProofLog(std::move(bytes));
}

Split ProofTree::split_of(Index part) const {
  Split at;
  std::memcpy(&at, stored(part).data(), sizeof at);
  return at;
}

void ProofTree::replace_log(Index part, const ProofLog& log) {
  if (part == before_all)
    root_log_ = log;
  else
    store(part, split_of(part), log);
}

// The part and all below it leave the counts.
void ProofTree::forget(Index part) {
  std::vector<Index> waiting = {part};
  while (!waiting.empty()) {
    const Index p = waiting.back();
    waiting.pop_back();
    if (state(p) == State::split) {
      waiting.push_back(parts_[p].first_half);
      waiting.push_back(parts_[p].first_half + 1);
    } else if (state(p) == State::open) {
      --open_;
    } else {
      --leaves_;
    }
  }
}

void ProofTree::replace_by_half(Index part, bool first) {
  Part& whole = parts_[part];
  forget(whole.first_half + (first ? 1 : 0));
  const Part& half = parts_[whole.first_half + (first ? 0 : 1)];
  whole.place = half.place;
  whole.has_log = half.has_log;
  whole.state = half.state;
  whole.first_half = half.first_half;
  if (state(part) != State::split) return;
  for (const Index child : {whole.first_half, whole.first_half + 1}) parts_[child].parent = part;
}

void ProofTree::finish(Index part, State state, const Split& at, const ProofLog& log) {
  if (state != State::closed || !log.empty()) store(part, at, log);
  parts_[part].state = static_cast<std::uint64_t>(state) & 3;
  int depth = 0;
  for (Index p = part; p != 0; p = parts_[p].parent) ++depth;
  closed_share_ += std::ldexp(1.0, -depth);
  --open_;
  ++leaves_;
}

void ProofTree::close(Index part, const ProofLog& log) { finish(part, State::closed, {}, log); }

void ProofTree::cross(Index part, const Split& at) { finish(part, State::crossed, at, {}); }

ProofTree::Index ProofTree::split(Index part, const Split& at, const ProofLog& log) {
  store(part, at, log);
  const auto first = static_cast<Index>(parts_.size());
  for (int half = 0; half < 2; ++half) parts_.emplace_back().parent = part;
  parts_[part].first_half = first;
  parts_[part].state = static_cast<std::uint64_t>(State::split) & 3;
  ++open_;
  return first;
}

void ProofTree::outline_root(Outline& to) {
  to.items.push_back({OutlineItem::Kind::log, static_cast<std::uint32_t>(to.sources.size()), before_all});
  to.sources.push_back(this);
}

void ProofTree::outline(Outline& to, bool without_end) {
  using Item = OutlineItem::Kind;
  struct Step {
    Index part;
    bool begins;  // a half; else its end is what is left of it
  };
  const auto source = static_cast<std::uint32_t>(to.sources.size());
  to.sources.push_back(this);
  const auto add = [&](Item kind, Index part) { to.items.push_back({kind, source, part}); };
  constexpr Item ends[] = {Item::end_open, Item::end_closed, Item::end_crossed, Item::end_split};
  if (!root_log_.empty()) add(Item::log, before_all);
  std::vector<Step> waiting = {{0, true}};
  while (!waiting.empty()) {
    const Step step = waiting.back();
    waiting.pop_back();
    const Part& part = parts_[step.part];
    if (!step.begins) {
      add(ends[part.state], step.part);
      continue;
    }
    if (step.part != 0) add(Item::begin, step.part);
    if (part.has_log) add(Item::log, step.part);
    if (step.part != 0 || !without_end) waiting.push_back({step.part, false});
    if (state(step.part) != State::split) continue;
    add(Item::split, step.part);
    for (const Index half : {part.first_half + 1, part.first_half}) waiting.push_back({half, true});
  }
}

}  // namespace outward
