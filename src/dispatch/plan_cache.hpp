#pragma once
// Decisions and prepared schedules of one communicator, kept for the next call of the same kind.
//
// All caches of a process share one budget of bytes. The owner of a cache is the thread that is inside a
// collective on its communicator; when the budget is exceeded, the thread that inserts drops the least
// recently used plans of the communicator that has been idle longest, of any owner. Hence the flag around
// every access: it is free except while another thread drops plans here.

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "algorithm/owned_request.hpp"
#include "dispatch/answer.hpp"
#include "select/candidate.hpp"

namespace tutti::dispatch {

class PlanCache;

/// What all caches of a process share. Any thread.
class PlanBudget {
 public:
  void set_limit(uint64_t bytes) { limit_bytes_ = bytes; }
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class PlanCache;
  void enter(PlanCache* cache);
  void leave(PlanCache* cache);
  /// Drops plans until the limit holds again; `spare` keeps its newest.
  void shrink(PlanCache* spare);

  uint64_t limit_bytes_ = 0;
  std::atomic<uint64_t> used_bytes_{0};
  std::atomic<uint64_t> insertions_{0};  // the clock by which caches are old or young
  std::mutex mutex_;
  std::vector<PlanCache*> caches_;
};

/// One of the candidates of a call site: variants of the answer to one request.
struct PlanVariant {
  uint32_t number = 0;
  uint64_t made_for =
      0;  // of candidates that change with a late rank, or with the order in which the result is used
  select::LeaderPolicy leader = select::LeaderPolicy::fixed;
  bool is_second_part = false;  // of a RelayedCall
  bool operator==(const PlanVariant&) const = default;
};

class PlanCache {
 public:
  explicit PlanCache(PlanBudget& budget);
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// What serves a request by the rules.
  static constexpr PlanVariant k_by_rules{.number = UINT32_MAX};
  /// The same where it returns early.
  static constexpr PlanVariant k_early{.number = UINT32_MAX - 1};

  /// The answer kept for a request like this one. Allocates nothing.
  bool find(const algorithm::Request& request, PlanVariant variant, Prepared* prepared);
  /// Keeps an answer.
  void insert(const algorithm::Request& request, PlanVariant variant, const Prepared& prepared);

 private:
  friend class PlanBudget;

  /// All that a schedule depends on, and nothing else.
  struct Entry {
    algorithm::OwnedRequest request;
    PlanVariant variant;
    uint64_t hash = 0;
    uint64_t bytes = 0;  // memory that it takes
    Prepared prepared;
  };
  using Entries = std::list<Entry>;

  void drop(Entries::iterator entry);
  bool drop_oldest(bool keep_newest);

  PlanBudget& budget_;
  std::atomic_flag is_busy_;
  std::atomic<uint64_t> last_use_{0};
  Entries entries_;  // most recently used first
  std::unordered_multimap<uint64_t, Entries::iterator> by_hash_;
};

}  // namespace tutti::dispatch
