#include "actors/process/own_files.hpp"

#include <sched.h>
#include <unistd.h>

#include <climits>

namespace tutti::actors {

void take_own_files(const int (&files)[4]) {
  if (unshare(CLONE_FILES | CLONE_FS) != 0) return;  // the process's own serve
  if (files[3] >= 0) static_cast<void>(fchdir(files[3]));
  for (int i = 0; i < 3; ++i)
    if (files[i] >= 0) dup2(files[i], i);
  constexpr unsigned k_first_other = 3;
  close_range(k_first_other, UINT_MAX, 0);
}

}  // namespace tutti::actors
