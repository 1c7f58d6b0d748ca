#include "overlap/guard/code_memory.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "base/loads.hpp"

namespace tutti::overlap::guard {

namespace {

std::atomic<uint64_t> g_changes{1};  // changes by the program that may have made such memory
std::atomic<uint64_t> g_seen_changes{0}, g_seen_loads{0};
std::atomic<bool> g_has_some{false};

/// Whether a mapping in this address range is writable and executable. Returns true if the list cannot be read.
bool is_any_between(uint64_t begin, uint64_t end) {
  const auto list = base::read_file("/proc/self/maps");
  if (!list) return true;
  std::istringstream lines(*list);
  for (std::string line; std::getline(lines, line);) {
    uint64_t from = 0, to = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, rights) != 3) continue;
    if (rights[1] == 'w' && rights[2] == 'x' && from < end && begin < to) return true;
  }
  return false;
}

}  // namespace

void expect_code_memory() {
  g_changes.fetch_add(1);
}

bool may_hold_code(Pages pages) {
  // Loading a library may make all stacks executable.
  const uint64_t changes = g_changes.load(), loads = base::count_of_loads();
  if (g_seen_changes.load() != changes || g_seen_loads.load() != loads) {
    g_has_some.store(is_any_between(0, UINT64_MAX));
    g_seen_changes.store(changes);
    g_seen_loads.store(loads);
  }
  return g_has_some.load() && is_any_between(number_of(pages.begin), number_of(pages.end()));
}

}  // namespace tutti::overlap::guard
