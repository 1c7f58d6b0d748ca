#include "topology/cgroup_quota.hpp"

#include <sys/stat.h>

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace tutti::topology {
namespace {

struct Hierarchy {
  bool is_unified = false;  // version 2
  std::string group;        // group of this process, as the kernel names it
  std::string mounted;      // the group at the mount point
  std::string mount_point;
};

bool has_word(std::string_view list, std::string_view word) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

/// Lines of /proc/self/cgroup have the form number:controllers:group. Version 2 has no controllers.
std::vector<Hierarchy> hierarchies(const std::string& root) {
  std::vector<Hierarchy> found;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_word(controllers, "cpu")) continue;
    found.push_back({.is_unified = controllers.empty(), .group = line.substr(second + 1)});
  }
  return found;
}

/// Lines of /proc/self/mountinfo: id parent device mounted mount_point options … - type source super_options.
void find_mount(const std::string& root, Hierarchy* hierarchy) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line), back(line.substr(dash + 3));
    std::string skipped, mounted, mount_point, type, source, options;
    front >> skipped >> skipped >> skipped >> mounted >> mount_point;
    back >> type >> source >> options;
    const bool is_it =
        hierarchy->is_unified ? type == "cgroup2" : type == "cgroup" && has_word(options, "cpu");
    if (!is_it) continue;
    hierarchy->mounted = mounted;
    hierarchy->mount_point = mount_point;
    return;
  }
}

/// The limit of the group with this directory; nullopt if it sets none.
std::optional<uint32_t> milli_cpus(const std::string& folder, bool is_unified) {
  std::string quota;
  uint64_t period_us = 0;
  if (is_unified) {
    std::ifstream(folder + "/cpu.max") >> quota >> period_us;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period_us;
  }
  uint64_t quota_us = 0;
  if (!(std::istringstream(quota) >> quota_us) || quota[0] == '-' || period_us == 0) return std::nullopt;
  constexpr uint64_t k_most = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::min(k_most, std::min(quota_us, k_most) * 1000 / period_us));
}

/// Number of a group, equal for all processes of a machine that see the group.
uint64_t number_of(const std::string& folder) {
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0) return 0;
  return (uint64_t{about.st_dev} << 40) ^ about.st_ino;
}

void add_quotas(const std::string& root, const Hierarchy& hierarchy, std::vector<CpuQuota>* quotas) {
  // The group may be outside the mounted subtree, for example in a container: only the outermost visible group is then
  // known.
  std::string below = hierarchy.group;
  const std::string& mounted = hierarchy.mounted;
  if (mounted != "/") {
    const bool is_inside =
        below.starts_with(mounted) && (below.size() == mounted.size() || below[mounted.size()] == '/');
    below = is_inside ? below.substr(mounted.size()) : "";
  }
  if (below == "/" || below.starts_with("/..")) below.clear();
  while (true) {
    const std::string folder = root + hierarchy.mount_point + below;
    if (const auto limit = milli_cpus(folder, hierarchy.is_unified))
      quotas->push_back({.group = number_of(folder), .milli_cpus = *limit});
    if (below.empty()) return;
    below.erase(below.rfind('/'));
  }
}

}  // namespace

std::vector<CpuQuota> own_cpu_quotas(const std::string& root) {
  std::vector<CpuQuota> quotas;
  for (Hierarchy& hierarchy : hierarchies(root)) {
    find_mount(root, &hierarchy);
    if (!hierarchy.mount_point.empty()) add_quotas(root, hierarchy, &quotas);
  }
  return quotas;
}

}  // namespace tutti::topology
