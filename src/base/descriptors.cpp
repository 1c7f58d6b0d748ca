#include "base/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <climits>

namespace tutti::base {

/// Tests numbers below the limit one by one: reading a list of open descriptors would need a descriptor.
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
