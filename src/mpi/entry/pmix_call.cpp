// Intercepts Open MPI's own initialisation of PMIx, after which a rank can store a value for the others
// (pmix_keys.cpp).

#include <dlfcn.h>
#include <mpi.h>

#include "mpi/bootstrap/launcher_keys.hpp"
#include "mpi/bootstrap/pmix_abi.hpp"

#ifdef OPEN_MPI

namespace pmix = tutti::mpi::pmix;

namespace {

/// RTLD_NEXT does not find a library that a plugin of Open MPI 4 has loaded.
pmix::Init* real_init() {
  constexpr const char* k_name = "PMIx_Init";
  if (void* const next = dlsym(RTLD_NEXT, k_name)) return reinterpret_cast<pmix::Init*>(next);
  void* const library = dlopen(pmix::k_library, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<pmix::Init*>(dlsym(library, k_name));
}

}  // namespace

#pragma GCC visibility push(default)
// NOLINTNEXTLINE(readability-identifier-naming): PMIx calls it so.
extern "C" int PMIx_Init(pmix::Process* self, pmix::Info* info, size_t info_count) {
  static pmix::Init* const init = real_init();
  if (init == nullptr) return pmix::k_not_supported;
  const int code = init(self, info, info_count);
  if (code == pmix::k_success && self != nullptr) tutti::mpi::pmix_is_initialised(*self);
  return code;
}
#pragma GCC visibility pop

#endif
