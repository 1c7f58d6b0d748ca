#include "base/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <climits>

namespace tutti::base {

/// By their numbers, which have to be below the limit: a list of those that are open would take a descriptor.
bool has_free_descriptors(uint64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return true;
  uint64_t free = 0;
  for (int number = 0; free < wanted && number < INT_MAX; ++number) {
    if (static_cast<rlim_t>(number) >= limit.rlim_cur) return false;
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF) ++free;
  }
  return true;
}

}  // namespace tutti::base
