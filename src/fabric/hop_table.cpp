#include "fabric/hop_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tutti::fabric {

namespace {

/// Neighbours without parallel cables, which breadth-first search need not look at twice.
struct Neighbours {
  std::vector<uint32_t> first{0};
  std::vector<SwitchId> to;

  explicit Neighbours(const Fabric& fabric) {
    std::vector<SwitchId> here;
    for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
      here.clear();
      for (const Arc& arc : fabric.arcs(id)) here.push_back(arc.to);
      std::sort(here.begin(), here.end());
      to.insert(to.end(), here.begin(), std::unique(here.begin(), here.end()));
      first.push_back(static_cast<uint32_t>(to.size()));
    }
  }
};

/// Fills the row of `start`. False when the distances do not fit a byte.
bool search(const Neighbours& neighbours, SwitchId start, Hops* row, std::vector<SwitchId>& queue) {
  const size_t count = neighbours.first.size() - 1;
  std::fill(row, row + count, k_unreachable);
  queue.clear();
  queue.push_back(start);
  row[start] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    const SwitchId at = queue[head];
    const unsigned next = row[at] + 1u;
    for (uint32_t i = neighbours.first[at]; i < neighbours.first[at + 1]; ++i) {
      const SwitchId to = neighbours.to[i];
      if (row[to] != k_unreachable) continue;
      if (next >= k_unreachable) return false;
      row[to] = static_cast<Hops>(next);
      queue.push_back(to);
    }
  }
  return true;
}

}  // namespace

base::Result<HopTable> HopTable::compute(const Fabric& fabric, unsigned threads) {
  HopTable table;
  table.count_ = fabric.switch_count();
  table.hops_.resize(size_t{table.count_} * table.count_);
  const Neighbours neighbours(fabric);
  std::atomic<SwitchId> next{0};
  std::atomic<bool> is_too_far{false};
  const auto work = [&] {
    std::vector<SwitchId> queue;
    for (SwitchId start; (start = next.fetch_add(1)) < table.count_;)
      if (!search(neighbours, start, table.hops_.data() + size_t{start} * table.count_, queue))
        is_too_far = true;
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (is_too_far)
    return base::Status::invalid_argument(
        fmt::format("switches of this fabric are more than {} hops apart", k_unreachable - 1));
  for (const Hops hops : table.hops_) table.diameter_ = std::max(table.diameter_, hops);
  return table;
}

}  // namespace tutti::fabric
