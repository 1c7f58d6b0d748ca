#include "collective/plan_cache.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tutti::collective {

using algorithm::Blocks;
using algorithm::OwnedRequest;
using algorithm::Request;

namespace {

/// Holds the lock of a cache. Contended only while plans are dropped on behalf of another communicator.
class Hold {
 public:
  explicit Hold(std::atomic_flag& flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  ~Hold() { flag_.clear(std::memory_order_release); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  std::atomic_flag& flag_;
};

uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

uint64_t mix(uint64_t hash, const Blocks& blocks) {
  hash = mix(hash, blocks.uniform_bytes + (blocks.known ? 1 : 0));
  for (uint64_t size : blocks.sizes) hash = mix(hash, size);
  for (uint64_t offset : blocks.offsets) hash = mix(hash, offset);
  return hash;
}

uint64_t hash_of(const Request& r, PlanVariant variant) {
  uint64_t hash = static_cast<uint64_t>(r.collective) * 8 + (r.is_predefined ? 4 : 0) +
                  (r.commutative ? 2 : 0) + (r.in_place ? 1 : 0);
  hash = mix(hash, static_cast<uint64_t>(r.root));
  hash = mix(hash, r.bytes);
  hash = mix(hash, r.element_bytes);
  hash = mix(hash, r.own_bytes);
  return mix(mix(mix(mix(hash, r.blocks), r.receive_blocks), r.passing_blocks),
             uint64_t{variant.number} << 8 | static_cast<uint64_t>(variant.leader));
}

bool are_equal(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  return std::ranges::equal(a, b);
}

bool are_equal(const Blocks& a, const Blocks& b) {
  return a.known == b.known && a.uniform_bytes == b.uniform_bytes && are_equal(a.sizes, b.sizes) &&
         are_equal(a.offsets, b.offsets);
}

bool are_equal(const Request& a, const Request& b) {
  return a.collective == b.collective && a.rank_count == b.rank_count && a.root == b.root &&
         a.bytes == b.bytes && a.element_bytes == b.element_bytes && a.commutative == b.commutative &&
         a.is_predefined == b.is_predefined && a.in_place == b.in_place && a.own_bytes == b.own_bytes &&
         are_equal(a.blocks, b.blocks) && are_equal(a.receive_blocks, b.receive_blocks) &&
         are_equal(a.passing_blocks, b.passing_blocks);
}

}  // namespace

void PlanBudget::enter(PlanCache* cache) {
  const std::lock_guard lock(mutex_);
  caches_.push_back(cache);
}

void PlanBudget::leave(PlanCache* cache) {
  const std::lock_guard lock(mutex_);
  std::erase(caches_, cache);
}

void PlanBudget::shrink(PlanCache* spare) {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, PlanCache*>> oldest_first;  // a snapshot: owners still use their caches
  for (PlanCache* cache : caches_)
    oldest_first.emplace_back(cache->last_use_.load(std::memory_order_relaxed), cache);
  std::sort(oldest_first.begin(), oldest_first.end());
  for (const auto& [last_use, cache] : oldest_first) {
    const Hold hold(cache->is_busy_);
    while (used_bytes() > limit_bytes_ && cache->drop_oldest(cache == spare)) continue;
    if (used_bytes() <= limit_bytes_) return;
  }
}

PlanCache::PlanCache(PlanBudget& budget) : budget_(budget) {
  budget_.enter(this);
}

PlanCache::~PlanCache() {
  budget_.leave(this);
  while (drop_oldest(false)) continue;
}

bool PlanCache::find(const Request& request, PlanVariant variant, PreparedCall* prepared) {
  const auto is_it = [&](const Entry& entry) {
    return entry.variant == variant && are_equal(entry.request.get(), request);
  };
  const Hold hold(is_busy_);
  if (entries_.empty()) return false;
  last_use_.store(budget_.insertions_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  auto found = entries_.begin();  // most calls repeat the previous one
  if (!is_it(*found)) {
    auto [at, end] = by_hash_.equal_range(hash_of(request, variant));
    while (at != end && !is_it(*at->second)) ++at;
    if (at == end) return false;
    found = at->second;
    entries_.splice(entries_.begin(), entries_, found);
  }
  *prepared = found->prepared;
  return true;
}

void PlanCache::insert(const Request& request, PlanVariant variant, const PreparedCall& prepared) {
  Entry entry{.request = OwnedRequest(request),
              .variant = variant,
              .hash = hash_of(request, variant),
              .prepared = prepared};
  constexpr uint64_t k_list_and_index_bytes = 96;
  entry.bytes =
      sizeof(Entry) + k_list_and_index_bytes + entry.request.footprint_bytes() + prepared.footprint_bytes();

  const uint64_t used = budget_.used_bytes_.fetch_add(entry.bytes, std::memory_order_relaxed) + entry.bytes;
  last_use_.store(budget_.insertions_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  {
    const Hold hold(is_busy_);
    entries_.push_front(std::move(entry));
    by_hash_.emplace(entries_.front().hash, entries_.begin());
  }
  if (used > budget_.limit_bytes_) budget_.shrink(this);
}

void PlanCache::drop(Entries::iterator entry) {
  auto [at, end] = by_hash_.equal_range(entry->hash);
  while (at != end && at->second != entry) ++at;
  by_hash_.erase(at);
  budget_.used_bytes_.fetch_sub(entry->bytes, std::memory_order_relaxed);
  entries_.erase(entry);
}

bool PlanCache::drop_oldest(bool keep_newest) {
  if (entries_.empty() || (keep_newest && entries_.size() == 1)) return false;
  drop(std::prev(entries_.end()));
  return true;
}

}  // namespace tutti::collective
