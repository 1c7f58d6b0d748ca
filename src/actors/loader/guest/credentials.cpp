// User and group of a rank. The C library changes those of all threads of the process, which belong to other ranks and
// their C libraries; the kernel changes those of the calling thread.

#include <grp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int k_unchanged = -1;

template <class... Arguments>
int change(long number, Arguments... arguments) {
  return static_cast<int>(syscall(number, arguments...));
}

}  // namespace

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED int setuid(uid_t user) noexcept {
  return change(SYS_setuid, user);
}

EXPORTED int setgid(gid_t group) noexcept {
  return change(SYS_setgid, group);
}

EXPORTED int seteuid(uid_t user) noexcept {
  return change(SYS_setresuid, k_unchanged, user, k_unchanged);
}

EXPORTED int setegid(gid_t group) noexcept {
  return change(SYS_setresgid, k_unchanged, group, k_unchanged);
}

EXPORTED int setreuid(uid_t real, uid_t effective) noexcept {
  return change(SYS_setreuid, real, effective);
}

EXPORTED int setregid(gid_t real, gid_t effective) noexcept {
  return change(SYS_setregid, real, effective);
}

EXPORTED int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return change(SYS_setresuid, real, effective, saved);
}

EXPORTED int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return change(SYS_setresgid, real, effective, saved);
}

EXPORTED int setgroups(size_t count, const gid_t* groups) noexcept {
  return change(SYS_setgroups, count, groups);
}

EXPORTED int initgroups(const char* user, gid_t group) {
  int count = 0;
  getgrouplist(user, group, nullptr, &count);
  auto* const groups = static_cast<gid_t*>(malloc(static_cast<size_t>(count) * sizeof(gid_t)));
  if (groups == nullptr) return -1;
  const int found = getgrouplist(user, group, groups, &count);
  const int result = found < 0 ? -1 : setgroups(static_cast<size_t>(found), groups);
  free(groups);
  return result;
}

}  // extern "C"
