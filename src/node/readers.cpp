#include "node/readers.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace tutti::node {

namespace {

constexpr size_t k_most_ancestors = 1000;  // a parent that changes during the walk could cause a cycle

/// The process, its parent, grandparent, and so on.
std::vector<int32_t> lineage(int32_t pid, const std::function<int32_t(int32_t)>& parent_of) {
  std::vector<int32_t> all;
  for (; pid > 0 && all.size() < k_most_ancestors; pid = parent_of(pid)) all.push_back(pid);
  return all;
}

bool asks_for_permission() {
  int scope = 0;
  return std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope && scope == 1;
}

}  // namespace

int32_t nearest_common_ancestor(std::span<const int32_t> pids,
                                const std::function<int32_t(int32_t)>& parent_of) {
  std::vector<int32_t> common;
  bool is_first = true;
  for (const int32_t pid : pids) {
    if (pid == 0) continue;
    const std::vector<int32_t> line = lineage(pid, parent_of);
    if (std::exchange(is_first, false)) common = line;
    std::erase_if(common, [&](int32_t ancestor) {
      return std::find(line.begin(), line.end(), ancestor) == line.end();
    });
  }
  return common.empty() ? 0 : common.front();
}

int32_t parent_of(int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // "PID (NAME) STATE PARENT ...", where NAME may contain any characters.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return 0;
  int32_t parent = 0;
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

void permit_readers(std::span<const int32_t> pids) {
  if (!asks_for_permission()) return;
  const int32_t ancestor = nearest_common_ancestor(pids, parent_of);
  if (ancestor > 0) prctl(PR_SET_PTRACER, static_cast<unsigned long>(ancestor), 0, 0, 0);
}

}  // namespace tutti::node
