#include "mpi/api/openmp_core_lending.hpp"

#include <dlfcn.h>

namespace tutti::mpi::api {

namespace {

/// Functions of the program's OpenMP run-time, if it has one.
struct OpenMp {
  int (*max_threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  void (*set_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  bool is_there() const { return max_threads != nullptr && set_threads != nullptr; }
};

const OpenMp& open_mp() {
  static const OpenMp found;
  return found;
}

thread_local int lent_count = 0;
thread_local int full_team = 0;  // 0: the team has not been changed

}  // namespace

void lend_core() {
  if (lent_count++ > 0 || !open_mp().is_there()) return;
  const int threads = open_mp().max_threads();
  if (threads < 2) return;
  full_team = threads;
  open_mp().set_threads(threads - 1);
}

void return_core() {
  if (--lent_count > 0 || full_team == 0) return;
  if (open_mp().max_threads() == full_team - 1) open_mp().set_threads(full_team);
  full_team = 0;
}

}  // namespace tutti::mpi::api
