#include "actors/process/own_files.hpp"

#include <sched.h>
#include <unistd.h>

#include <climits>
#include <thread>

namespace tutti::actors {

namespace {

bool unshare_files() {
  return unshare(CLONE_FILES | CLONE_FS) == 0;
}

}  // namespace

bool can_take_own_files() {
  bool can = false;
  std::thread([&can] { can = unshare_files(); }).join();
  return can;
}

void take_own_files(const int (&files)[4]) {
  if (!unshare_files()) return;  // can_take_own_files() has reported it
  if (files[3] >= 0) static_cast<void>(fchdir(files[3]));
  for (int i = 0; i < 3; ++i)
    if (files[i] >= 0) dup2(files[i], i);
  constexpr unsigned k_first_other = 3;
  close_range(k_first_other, UINT_MAX, 0);
}

}  // namespace tutti::actors
