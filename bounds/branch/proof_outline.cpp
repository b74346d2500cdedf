#include "bounds/branch/proof_outline.hpp"

#include <string>
#include <unordered_map>

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

// Slopes that are used, each once.
class SlopePool {
 public:
  std::uint32_t add(std::uint32_t node, const SlopeBytes& bytes) {
    std::string key(reinterpret_cast<const char*>(&node), sizeof node);
    key.append(bytes.lower.begin(), bytes.lower.end());
    key.append(bytes.upper.begin(), bytes.upper.end());  // the lengths of both follow from the node
    const auto [at, is_new] = index_.emplace(std::move(key), static_cast<std::uint32_t>(items.size()));
    if (is_new) items.push_back({node, bytes, none, none});
    return at->second;
  }
  struct Item {
    std::uint32_t node;
    SlopeBytes bytes;
    std::uint32_t scope, id;  // none: not used, not written yet
  };
  std::vector<Item> items;

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
};

// Which slopes of the pool the ids of a log stand for.
struct LogIds {
  std::uint32_t shared = 0;
  std::vector<std::uint32_t> own;  // of ids from shared on
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
  Collector(SlopePool& pool, const std::vector<Scope>& scopes, std::vector<LogIds>& logs)
      : pool_(pool), scopes_(scopes), logs_(logs) {}
  void start(std::uint32_t scope, std::uint32_t shared) {
    scope_ = scope;
    logs_.push_back({shared, {}});
  }
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override {
    std::vector<std::uint32_t>& own = logs_.back().own;
    const std::size_t at = id - logs_.back().shared;
    if (own.size() <= at) own.resize(at + 1, none);
    own[at] = pool_.add(node, bytes);
  }
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
      const LogIds& log = id < logs_.back().shared ? logs_.front() : logs_.back();
      std::uint32_t& at = pool_.items[log.own[id - log.shared]].scope;
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
  std::vector<LogIds>& logs_;
  std::uint32_t scope_ = 0;
};

// Passes everything on but slopes, which come right before what first needs them.
class Emitter final : public ProofObserver {
 public:
  Emitter(SlopePool& pool, const std::vector<LogIds>& logs, ProofObserver& to, std::uint32_t& next)
      : pool_(pool), logs_(logs), to_(to), next_(next) {}
  void start(std::size_t log) { log_ = log; }
  void write(std::uint32_t index) {
    SlopePool::Item& item = pool_.items[index];
    if (item.id != none) return;
    item.id = next_++;
    to_.slopes(item.id, item.node, item.bytes);
  }
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
      const LogIds& log = id < logs_[log_].shared ? logs_.front() : logs_[log_];
      const std::uint32_t index = log.own[id - log.shared];
      write(index);
      out.push_back(pool_.items[index].id);
    }
    return out;
  }
  SlopePool& pool_;
  const std::vector<LogIds>& logs_;
  ProofObserver& to_;
  std::uint32_t& next_;
  std::size_t log_ = 0;
};

}  // namespace

void write_outline(const Outline& outline, ProofObserver& to, std::uint32_t& next) {
  SlopePool pool;
  std::vector<Scope> scopes;
  std::vector<LogIds> logs;
  Collector collector(pool, scopes, logs);
  const auto nothing = [](auto&&...) {};
  walk(
      outline, scopes,
      [&](const OutlineItem& item, std::size_t log, std::uint32_t scope) {
        collector.start(scope, log == 0 ? 0 : outline.shared);
        replay_unchanged(*item.log, collector);
      },
      nothing, nothing, nothing);
  std::vector<std::vector<std::uint32_t>> of_scope(scopes.size());
  for (std::uint32_t i = 0; i < pool.items.size(); ++i)
    if (pool.items[i].scope != none) of_scope[pool.items[i].scope].push_back(i);

  Emitter emitter(pool, logs, to, next);
  walk(
      outline, scopes,
      [&](const OutlineItem& item, std::size_t log, std::uint32_t) {
        emitter.start(log);
        replay_unchanged(*item.log, emitter);
      },
      [&](const OutlineItem& item, std::uint32_t scope) {
        for (std::uint32_t i : of_scope[scope]) emitter.write(i);
        to.split(item.split.node, item.split.element, item.split.at);
      },
      nothing,
      [&](const OutlineItem& item) {
        if (item.kind == Item::end_crossed)
          to.crossed(item.split.node, item.split.element);
        else if (item.kind == Item::end_open)
          to.leave_open();
        else
          to.close();
      });
}

}  // namespace outward
