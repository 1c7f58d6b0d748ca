#include "actors/loader/guest/program_handle.hpp"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

// Read by dlopen() below.
const void* g_open;
const char* g_program_name;

/// How the loader of glibc describes a namespace (elf/ldsodefs.h, link_namespaces); those of all lie at the
/// beginning of its _rtld_global. Where `global` leads is the program's list of libraries, at a place in its link_map.
struct Namespace {
  link_map* loaded;
  unsigned count;
  void* global;
};

/// Of the rest of _rtld_global, only what looks like this namespace: with its first object, as many as it has, and no
/// list. nullptr: the loader is another one.
Namespace* own_namespace(void* all, size_t bytes, const link_map* first) {
  unsigned count = 0;
  for (const link_map* one = first; one != nullptr; one = one->l_next) ++count;
  Namespace* found = nullptr;
  for (size_t at = 0; at + sizeof(Namespace) <= bytes; at += sizeof(void*)) {
    auto* const one = reinterpret_cast<Namespace*>(static_cast<char*>(all) + at);
    if (one->loaded != first || one->count != count || one->global != nullptr) continue;
    if (found != nullptr) return nullptr;
    found = one;
  }
  return found;
}

void give_global_list(link_map* first) {
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  void* const all = dlsym(RTLD_DEFAULT, "_rtld_global");
  if (all == nullptr ||
      dladdr1(all, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr)
    return;
  // In the process's own namespace: how far a program's list is from where it is described.
  const auto* const base = static_cast<const Namespace*>(all);
  const ptrdiff_t offset =
      reinterpret_cast<const char*>(base->global) - reinterpret_cast<const char*>(base->loaded);
  constexpr ptrdiff_t k_most_bytes = 4096;  // of a link_map
  if (base->global == nullptr || offset < static_cast<ptrdiff_t>(sizeof(link_map)) || offset > k_most_bytes)
    return;
  Namespace* const own = own_namespace(all, symbol->st_size, first);
  if (own != nullptr) own->global = reinterpret_cast<char*>(first) + offset;
}

}  // namespace

void prepare_opening(const dl_phdr_info& program) {
  g_open = reinterpret_cast<const void*>(next(&dlopen, "dlopen"));
  g_program_name = program.dlpi_name;
  Dl_info info;
  link_map* map = nullptr;
  // The guest's own place in the list leads to the first object.
  if (dladdr1(reinterpret_cast<const void*>(&prepare_opening), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0)
    return;
  while (map->l_prev != nullptr) map = map->l_prev;
  if (map->l_addr != program.dlpi_addr) return;
  give_global_list(map);
  // By this name dladdr() and dl_iterate_phdr() tell of the program.
  map->l_name = const_cast<char*>(own_host().program);
  g_program_name = map->l_name;
}

}  // namespace tutti::actors

extern "C" {

/// The loader looks at who calls, for the namespace and the folders to search: so this jumps.
__attribute__((visibility("default"), naked)) void* dlopen(const char*, int) noexcept {
  __asm__(
      "test %%rdi, %%rdi\n"
      "jnz 1f\n"
      "mov %0, %%rdi\n"
      "or %2, %%esi\n"
      "1: jmp *%1\n"
      :
      : "m"(tutti::actors::g_program_name), "m"(tutti::actors::g_open), "i"(RTLD_NOLOAD));
}

}  // extern "C"
