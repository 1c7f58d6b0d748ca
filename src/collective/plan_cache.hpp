#pragma once
// Cache of the decisions and prepared schedules of one communicator, for later calls with an equal request.
//
// All caches of a process share one budget of bytes. The owner of a cache is the thread that is inside a collective on
// its communicator. When the budget is exceeded, the inserting thread drops the least recently used plans of the
// communicator that has been idle longest, whatever its owner. Every access therefore takes a flag, which is contended
// only while another thread drops plans.

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "algorithm/owned_request.hpp"
#include "collective/dispatched_call.hpp"
#include "select/candidate.hpp"

namespace tutti::collective {

class PlanCache;

/// Budget that all caches of a process share. Any thread.
class PlanBudget {
 public:
  void set_limit(uint64_t bytes) { limit_bytes_ = bytes; }
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class PlanCache;
  void enter(PlanCache* cache);
  void leave(PlanCache* cache);
  /// Drops plans until the limit holds again; `spare` keeps its newest plan.
  void shrink(PlanCache* spare);

  uint64_t limit_bytes_ = 0;
  std::atomic<uint64_t> used_bytes_{0};
  std::atomic<uint64_t> insertions_{0};  // logical clock for the age of caches
  std::mutex mutex_;
  std::vector<PlanCache*> caches_;
};

/// Distinguishes the answers to one request, such as those of the candidates of a call site.
struct PlanVariant {
  uint32_t number = 0;
  uint64_t made_for = 0;  // the late rank, or the order of use of the result, for which the schedule is built
  select::LeaderPolicy leader = select::LeaderPolicy::fixed;
  bool is_second_part = false;  // second part of a TwoPhaseCall
  bool operator==(const PlanVariant&) const = default;
};

class PlanCache {
 public:
  explicit PlanCache(PlanBudget& budget);
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The answer by the rules.
  static constexpr PlanVariant k_by_rules{.number = UINT32_MAX};
  /// The answer for a call that returns early.
  static constexpr PlanVariant k_early{.number = UINT32_MAX - 1};

  /// Looks up the answer for an equal request and variant. Allocates nothing.
  bool find(const algorithm::Request& request, PlanVariant variant, PreparedCall* prepared);
  /// Stores an answer.
  void insert(const algorithm::Request& request, PlanVariant variant, const PreparedCall& prepared);

 private:
  friend class PlanBudget;

  /// `request` and `variant`, the key, are all that a schedule depends on.
  struct Entry {
    algorithm::OwnedRequest request;
    PlanVariant variant;
    uint64_t hash = 0;
    uint64_t bytes = 0;  // memory that the entry takes
    PreparedCall prepared;
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

}  // namespace tutti::collective
