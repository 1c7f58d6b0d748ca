#include "topology/cpu_use.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>

#include "base/cpu_set.hpp"
#include "topology/cgroup_quota.hpp"

namespace tutti::topology {
namespace {

/// The first level of OMP_NUM_THREADS, for example of "4" or "4,2"; 1 if it is not set.
uint32_t own_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 1;
  const std::string_view view(text);
  uint32_t count = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), count);
  return error == std::errc() && count > 0 ? count : 1;
}

std::vector<uint32_t> units_of(const base::CpuSet& set) {
  std::vector<uint32_t> units;
  for (uint32_t unit = 0; unit < 8 * set.bytes(); ++unit)
    if (set.has(unit)) units.push_back(unit);
  return units;
}

/// Parses a list of the kernel, for example "0-3,8".
std::vector<uint32_t> parse_units(const std::string& list) {
  std::vector<uint32_t> units;
  const char *at = list.data(), *const end = at + list.size();
  while (at < end) {
    uint32_t first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    uint32_t last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    for (uint32_t unit = first; unit <= last; ++unit) units.push_back(unit);
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return units;
}

}  // namespace

CpuUse own_cpu_use() {
  return {.units = units_of(base::CpuSet::of_this_thread()),
          .quotas = own_cpu_quotas(),
          .threads = own_threads()};
}

std::vector<uint32_t> encode(const CpuUse& use) {
  std::vector<uint32_t> words = {use.threads, static_cast<uint32_t>(use.quotas.size())};
  for (const CpuQuota& quota : use.quotas)
    words.insert(words.end(), {static_cast<uint32_t>(quota.group >> 32), static_cast<uint32_t>(quota.group),
                               quota.milli_cpus});
  for (size_t i = 0; i < use.units.size();) {
    size_t end = i + 1;
    while (end < use.units.size() && use.units[end] == use.units[end - 1] + 1) ++end;
    words.insert(words.end(), {use.units[i], use.units[end - 1]});
    i = end;
  }
  return words;
}

CpuUse decode_cpu_use(std::span<const uint32_t> words) {
  CpuUse use;
  size_t at = 0;
  const auto next = [&] { return at < words.size() ? words[at++] : 0; };
  use.threads = next();
  use.quotas.resize(next());
  for (CpuQuota& quota : use.quotas) {
    const uint64_t high = next();
    quota.group = high << 32 | next();
    quota.milli_cpus = next();
  }
  while (at < words.size()) {
    const uint32_t first = next(), last = next();
    for (uint32_t unit = first; unit <= last; ++unit) use.units.push_back(unit);
  }
  return use;
}

std::vector<uint32_t> read_core_of_unit(std::span<const uint32_t> units, const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/";
  std::vector<uint32_t> core_of(units.empty() ? 0 : std::ranges::max(units) + 1);
  std::iota(core_of.begin(), core_of.end(), 0);
  if (char active = '?'; std::ifstream(folder + "smt/active") >> active && active == '0') return core_of;
  std::vector<bool> is_known(core_of.size());
  for (const uint32_t unit : units) {
    if (is_known[unit]) continue;
    std::string list;
    std::ifstream(folder + "cpu" + std::to_string(unit) + "/topology/thread_siblings_list") >> list;
    const std::vector<uint32_t> siblings = parse_units(list);
    for (const uint32_t sibling : siblings) {
      if (sibling >= core_of.size()) continue;
      core_of[sibling] = siblings.front();
      is_known[sibling] = true;
    }
  }
  return core_of;
}

}  // namespace tutti::topology
