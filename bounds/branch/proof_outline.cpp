#include "bounds/branch/proof_outline.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "runtime/graph/spool.hpp"

namespace outward {

namespace {

using Item = OutlineItem::Kind;
constexpr std::uint32_t none = 0xffffffff;

// Ids as they are.
void replay_unchanged(const ProofLog& log, ProofObserver& to) {
  std::uint32_t next = 0;
  log.replay(to, {none, 0}, next);
}

struct Scope {
  std::uint32_t parent = 0, depth = 0;
};

// Slopes that are used, each once. In memory about 50 bytes each: the rest is in a spool of its own.
class SlopePool {
 public:
  static constexpr std::uint32_t no_item = 0xffffffff;
  struct Item {
    std::uint64_t hash;
    Spool::Place place;
    std::uint32_t scope = none, id = none;  // none: not used, not written yet
  };
  std::deque<Item> items;

  std::uint32_t add(std::uint32_t node, const SlopeBytes& bytes) {
    const std::vector<std::uint8_t> key = key_of(node, bytes);
    const std::uint64_t hash = hash_of(key);
    const std::size_t slot = find(key, hash);
    if (table_[slot] != no_item) return table_[slot];
    table_[slot] = static_cast<std::uint32_t>(items.size());
    items.push_back({hash, spool_.append(key), none, none});
    const std::uint32_t added = table_[slot];
    if (2 * items.size() > table_.size()) grow();
    return added;
  }
  void read(std::uint32_t index, std::uint32_t& node, SlopeBytes& bytes) const {
    const std::vector<std::uint8_t> key = spool_.read(items[index].place);
    std::uint32_t head[2];
    std::memcpy(head, key.data(), sizeof head);
    node = head[0];
    const auto lower = key.begin() + sizeof head, upper = lower + static_cast<std::ptrdiff_t>(head[1]);
    bytes.lower.assign(lower, upper);
    bytes.upper.assign(upper, key.end());
  }

 private:
  static std::vector<std::uint8_t> key_of(std::uint32_t node, const SlopeBytes& bytes) {
    const std::uint32_t head[2] = {node, static_cast<std::uint32_t>(bytes.lower.size())};
    std::vector<std::uint8_t> key(sizeof head);
    std::memcpy(key.data(), head, sizeof head);
    key.insert(key.end(), bytes.lower.begin(), bytes.lower.end());
    key.insert(key.end(), bytes.upper.begin(), bytes.upper.end());
    return key;
  }
  static std::uint64_t hash_of(const std::vector<std::uint8_t>& key) {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), key.size()});
  }
  // The slot of the key, or the free one where it belongs.
  std::size_t find(const std::vector<std::uint8_t>& key, std::uint64_t hash) const {
    std::size_t slot = hash & (table_.size() - 1);
    for (; table_[slot] != no_item; slot = (slot + 1) & (table_.size() - 1))
      if (items[table_[slot]].hash == hash && spool_.read(items[table_[slot]].place) == key) break;
    return slot;
  }
  void grow() {
    table_.assign(2 * table_.size(), no_item);
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      std::size_t slot = items[i].hash & (table_.size() - 1);
      while (table_[slot] != no_item) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = i;
    }
  }
  Spool spool_;
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(1024, no_item);  // open addressing, a power of 2
};

// Which items of the pool the slope ids of a log stand for. Both passes find them in the same way; only those of the
// first log are kept from one log to the next.
class LogIds {
 public:
  explicit LogIds(SlopePool& pool) : pool_(pool) {}
  void start(std::size_t log, std::uint32_t shared) {
    if (log == 1) first_ = std::move(own_);
    own_.clear();
    shared_ = log == 0 ? 0 : shared;
  }
  void add(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) {
    const std::size_t at = id - shared_;
    if (own_.size() <= at) own_.resize(at + 1, none);
    own_[at] = pool_.add(node, bytes);
  }
  std::uint32_t operator[](std::uint32_t id) const { return id < shared_ ? first_[id] : own_[id - shared_]; }

 private:
  SlopePool& pool_;
  std::uint32_t shared_ = 0;
  std::vector<std::uint32_t> first_, own_;  // of ids below shared_, from shared_ on
};

// Both passes walk the same way: `scope` is the index of the scope at hand, counted in the order of their beginnings.
template <class AtLog, class AtSplit, class AtBegin, class AtEnd>
void walk(const Outline& outline, std::vector<Scope>& scopes, AtLog at_log, AtSplit at_split, AtBegin at_begin,
          AtEnd at_end) {
  scopes.assign(1, {});
  std::uint32_t scope = 0;
  std::size_t log = 0;
  for (const OutlineItem& item : outline.items) {
    if (item.kind == Item::log) {
      at_log(item, log++, scope);
    } else if (item.kind == Item::split) {
      at_split(item, scope);
    } else if (item.kind == Item::begin) {
      scopes.push_back({scope, scopes[scope].depth + 1});
      scope = static_cast<std::uint32_t>(scopes.size() - 1);
      at_begin(scope);
    } else {
      at_end(item);
      scope = scopes[scope].parent;
    }
  }
}

// Fills the pool, and finds for each of its items the innermost scope around all uses.
class Collector final : public ProofObserver {
 public:
  Collector(SlopePool& pool, const std::vector<Scope>& scopes) : pool_(pool), scopes_(scopes), ids_(pool) {}
  void start(std::size_t log, std::uint32_t shared, std::uint32_t scope) {
    scope_ = scope;
    ids_.start(log, shared);
  }
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override { ids_.add(id, node, bytes); }
  void backward(std::uint32_t, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                std::span<const std::uint32_t> slopes) override {
    use(slopes);
  }
  void refute(std::uint32_t, std::span<const std::uint32_t>, std::span<const double>,
              std::span<const std::uint32_t> slopes, std::span<const RangeMultiplier>) override {
    use(slopes);
  }

 private:
  void use(std::span<const std::uint32_t> ids) {
    for (std::uint32_t id : ids) {
      std::uint32_t& at = pool_.items[ids_[id]].scope;
      at = at == none ? scope_ : common(at, scope_);
    }
  }
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b)
      (scopes_[a].depth >= scopes_[b].depth ? a : b) = scopes_[scopes_[a].depth >= scopes_[b].depth ? a : b].parent;
    return a;
  }
  SlopePool& pool_;
  const std::vector<Scope>& scopes_;
  LogIds ids_;
  std::uint32_t scope_ = 0;
};

// Passes everything on but slopes, which come right before what first needs them.
class Emitter final : public ProofObserver {
 public:
  Emitter(SlopePool& pool, ProofObserver& to, std::uint32_t& next) : pool_(pool), ids_(pool), to_(to), next_(next) {}
  void start(std::size_t log, std::uint32_t shared) { ids_.start(log, shared); }
  void write(std::uint32_t index) {
    SlopePool::Item& item = pool_.items[index];
    if (item.id != none) return;
    item.id = next_++;
    std::uint32_t node = 0;
    SlopeBytes bytes;
    pool_.read(index, node, bytes);
    to_.slopes(item.id, node, bytes);
  }
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override { ids_.add(id, node, bytes); }
  void interval(std::uint32_t node) override { to_.interval(node); }
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> slopes) override {
    to_.backward(node, lower, upper, numbered(slopes));
  }
  void refute(std::uint32_t case_index, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> slopes, std::span<const RangeMultiplier> ranges) override {
    to_.refute(case_index, rows, multipliers, numbered(slopes), ranges);
  }

 private:
  std::vector<std::uint32_t> numbered(std::span<const std::uint32_t> ids) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t id : ids) {
      const std::uint32_t index = ids_[id];
      write(index);
      out.push_back(pool_.items[index].id);
    }
    return out;
  }
  SlopePool& pool_;
  LogIds ids_;
  ProofObserver& to_;
  std::uint32_t& next_;
};

}  // namespace

void write_outline(const Outline& outline, ProofObserver& to, std::uint32_t& next) {
  SlopePool pool;
  std::vector<Scope> scopes;
  Collector collector(pool, scopes);
  const auto nothing = [](auto&&...) {};
  walk(
      outline, scopes,
      [&](const OutlineItem& item, std::size_t log, std::uint32_t scope) {
        collector.start(log, outline.shared, scope);
        replay_unchanged(outline.log(item), collector);
      },
      nothing, nothing, nothing);
  std::vector<std::uint32_t> by_scope;
  for (std::uint32_t i = 0; i < pool.items.size(); ++i)
    if (pool.items[i].scope != none) by_scope.push_back(i);
  const auto scope_of = [&](std::uint32_t item) { return pool.items[item].scope; };
  std::sort(by_scope.begin(), by_scope.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scope_of(a) != scope_of(b) ? scope_of(a) < scope_of(b) : a < b;
  });

  Emitter emitter(pool, to, next);
  walk(
      outline, scopes,
      [&](const OutlineItem& item, std::size_t log, std::uint32_t) {
        emitter.start(log, outline.shared);
        replay_unchanged(outline.log(item), emitter);
      },
      [&](const OutlineItem& item, std::uint32_t scope) {
        auto at = std::lower_bound(by_scope.begin(), by_scope.end(), scope,
                                   [&](std::uint32_t i, std::uint32_t wanted) { return scope_of(i) < wanted; });
        for (; at != by_scope.end() && scope_of(*at) == scope; ++at) emitter.write(*at);
        const Split split = outline.split(item);
        to.split(split.node, split.element, split.at);
      },
      nothing,
      [&](const OutlineItem& item) {
        if (item.kind == Item::end_crossed) {
          const Split split = outline.split(item);
          to.crossed(split.node, split.element);
        } else if (item.kind == Item::end_open) {
          to.leave_open();
        } else {
          to.close();
        }
      });
}

}  // namespace outward
