#include "topology/core_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tutti::topology {
namespace {

constexpr int32_t k_no_node = -1;

/// The NUMA node with most of the cores; k_no_node if several nodes have the maximum.
int32_t home_of(const CoreMap& map) {
  std::map<int32_t, size_t> counts;
  for (const Core& core : map.cores) ++counts[core.numa_node];
  int32_t home = k_no_node;
  size_t most = 0;
  for (const auto& [node, count] : counts) {
    if (count == most) home = k_no_node;
    if (count <= most) continue;
    most = count;
    home = node;
  }
  return home;
}

/// Sorted by preference for the thread, best core first.
std::vector<const Core*> by_preference(const CoreMap& map) {
  const int32_t home = home_of(map);
  const auto is_better = [home](const Core* a, const Core* b) {
    const bool a_is_whole = a->units.size() == a->usable_units.size();
    const bool b_is_whole = b->units.size() == b->usable_units.size();
    if (a_is_whole != b_is_whole) return a_is_whole;
    return a->numa_node == home && b->numa_node != home;
  };
  std::vector<const Core*> cores;
  for (const Core& core : map.cores) cores.insert(cores.begin(), &core);
  std::ranges::stable_sort(cores, is_better);
  return cores;
}

std::string cores_text(size_t count) {
  return fmt::format("{} core{}", count, count == 1 ? "" : "s");
}

std::string why_none_is_spare(size_t core_count, uint32_t process_count) {
  if (process_count == 1)
    return fmt::format("no spare core: this process may use only {}", cores_text(core_count));
  return fmt::format("no spare core: {} processes of this node share {}, and each needs one to compute on",
                     process_count, cores_text(core_count));
}

}  // namespace

CoreChoice choose_cores(const CoreMap& map, CoreMode mode, MaskPlace place) {
  const size_t core_count = map.cores.size();
  if (mode == CoreMode::shared)
    return {{}, fmt::format("shares the {} of this process", cores_text(core_count))};
  if (core_count < size_t{2} * place.count) return {{}, why_none_is_spare(core_count, place.count)};
  const Core& core = *by_preference(map)[place.index];
  return {core.usable_units, fmt::format("core of its own: unit{} {} of {} that this process may use",
                                         core.usable_units.size() == 1 ? "" : "s",
                                         fmt::join(core.usable_units, ", "), cores_text(core_count))};
}

}  // namespace tutti::topology
