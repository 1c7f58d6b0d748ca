#include "actors/loader/guest/program_handle.hpp"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

// Used by dlopen() below.
const void* g_open;
const char* g_program_name;

// Used by dlsym() below.
decltype(&dlsym) g_symbol;
link_map* g_first;  // first object of the namespace; nullptr: the namespace has no list of global libraries

/// glibc's description of a namespace in its loader (elf/ldsodefs.h, link_namespaces); the array of all
/// namespaces is at the beginning of _rtld_global. `global` points to the program's list of libraries, inside
/// its link_map.
struct Namespace {
  link_map* loaded;
  unsigned count;
  void* global;
};

/// Finds this namespace in _rtld_global by its first object, its number of objects and its missing list.
/// nullptr: another version of the loader.
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

bool give_global_list(link_map* first) {
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  void* const all = dlsym(RTLD_DEFAULT, "_rtld_global");
  if (all == nullptr ||
      dladdr1(all, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr)
    return false;
  // The distance from a program's link_map to its list, measured in the process's own namespace.
  const auto* const base = static_cast<const Namespace*>(all);
  const ptrdiff_t offset =
      reinterpret_cast<const char*>(base->global) - reinterpret_cast<const char*>(base->loaded);
  constexpr ptrdiff_t k_most_bytes = 4096;  // of a link_map
  if (base->global == nullptr || offset < static_cast<ptrdiff_t>(sizeof(link_map)) || offset > k_most_bytes)
    return false;
  Namespace* const own = own_namespace(all, symbol->st_size, first);
  if (own == nullptr) return false;
  own->global = reinterpret_cast<char*>(first) + offset;
  return true;
}

/// The library that has this address; nullptr: none has.
link_map* library_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  return dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 ? map : nullptr;
}

/// dlsym(RTLD_DEFAULT, name) for a caller at this address: searches the global libraries, then those that were loaded
/// with the caller's library. glibc's dlsym() marks the thread as a reader of the global list (gscope_flag) and keeps
/// the mark when it finds nothing: the loader raises that error through the process's C library, which unwinds past the
/// reset in the rank's C library. dlopen() and dlclose() of other ranks then wait for this thread.
void* find_default(const char* name, const void* caller) {
  void* const found = g_symbol(g_first, name);
  if (found != nullptr) return found;
  link_map* const own = library_of(caller);
  return own == nullptr || own == g_first ? nullptr : g_symbol(own, name);
}

}  // namespace

bool prepare_symbols() {
  g_symbol = reinterpret_cast<decltype(&dlsym)>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (g_symbol == nullptr)
    g_symbol = reinterpret_cast<decltype(&dlsym)>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return g_symbol != nullptr;
}

void prepare_opening(const dl_phdr_info& program) {
  g_open = reinterpret_cast<const void*>(next(&dlopen, "dlopen"));
  g_program_name = program.dlpi_name;
  // The guest's own place in the list leads to the first object.
  link_map* map = library_of(reinterpret_cast<const void*>(&prepare_opening));
  if (map == nullptr) return;
  while (map->l_prev != nullptr) map = map->l_prev;
  if (map->l_addr != program.dlpi_addr) return;
  if (give_global_list(map)) g_first = map;
  // By this name dladdr() and dl_iterate_phdr() tell of the program.
  map->l_name = const_cast<char*>(own_host().program);
  g_program_name = map->l_name;
}

}  // namespace tutti::actors

extern "C" {

/// The loader determines the namespace and the search path from the caller's address; therefore this function
/// jumps.
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

__attribute__((visibility("hidden"), used)) void* tutti_find_default(const char* name, const void* caller) {
  return tutti::actors::find_default(name, caller);
}

/// The C library looks at who calls, as dlopen() does.
__attribute__((visibility("default"), naked)) void* dlsym(void*, const char*) noexcept {
  __asm__(
      "test %%rdi, %%rdi\n"  // RTLD_DEFAULT
      "jnz 1f\n"
      "cmpq $0, %0\n"
      "je 1f\n"
      "mov %%rsi, %%rdi\n"
      "mov (%%rsp), %%rsi\n"
      "jmp tutti_find_default\n"
      "1: jmp *%1\n"
      :
      : "m"(tutti::actors::g_first), "m"(tutti::actors::g_symbol));
}

}  // extern "C"
