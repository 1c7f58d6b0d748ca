#include "actors/loader/link_namespace.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <vector>

#include "actors/loader/guest_host.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

Status loader_error() {
  const char* const why = dlerror();
  return Status::not_supported(why != nullptr ? why : "the loader does not say why");
}

/// Reserves the guest's slot in the C library of the process.
bool keep_guest_slot() {
  std::vector<pthread_key_t> keys;
  do {
    if (pthread_key_create(&keys.emplace_back(), nullptr) != 0) return false;
  } while (keys.back() < k_guest_slot);
  const pthread_key_t last = keys.back();
  keys.pop_back();
  for (const pthread_key_t below : keys) pthread_key_delete(below);
  return last == k_guest_slot;
}

}  // namespace

/// Resolves all symbols at load time, so that no rank ends later because a symbol is missing.
Result<uint64_t> load_in_namespace(const std::string& file_name, char** environment) {
  static std::mutex mutex;
  const std::lock_guard one_at_a_time(mutex);
  static const bool has_slot = keep_guest_slot();
  if (!has_slot) return Status::not_supported("the process has too many keys of pthread_key_create()");
  // The loader passes `environ` to constructors, and to the namespace's C library.
  char** const own = environ;
  environ = environment;
  void* const handle = dlmopen(LM_ID_NEWLM, file_name.c_str(), RTLD_NOW | RTLD_LOCAL);
  environ = own;
  if (handle == nullptr) return loader_error();
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return loader_error();
  return map->l_addr;
}

}  // namespace tutti::actors
