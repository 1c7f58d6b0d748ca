#include "mpi/bootstrap/program_symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mpi.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "algorithm/request.hpp"
#include "base/loads.hpp"
#include "mpi/bootstrap/named_calls.hpp"

namespace tutti::mpi {

namespace {

/// The dynamic symbols of a loaded object. With a GNU hash table, undefined symbols come first.
struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* sysv_hash = nullptr;

  /// Number of leading symbols that include all undefined ones.
  uint32_t count() const {
    if (gnu_hash != nullptr) return gnu_hash[1];     // index of the first hashed symbol
    return sysv_hash != nullptr ? sysv_hash[1] : 0;  // all
  }
};

SymbolTable table_of(const dl_phdr_info& object) {
  SymbolTable table;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    // NOLINTBEGIN(performance-no-int-to-ptr): the dynamic linker's addresses are numbers
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // glibc has made these addresses absolute, except in the vDSO.
      const void* const at = reinterpret_cast<const void*>(
          entry->d_un.d_ptr < object.dlpi_addr ? entry->d_un.d_ptr + object.dlpi_addr : entry->d_un.d_ptr);
      // NOLINTEND(performance-no-int-to-ptr)
      if (entry->d_tag == DT_SYMTAB) table.symbols = static_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_STRTAB) table.names = static_cast<const char*>(at);
      if (entry->d_tag == DT_GNU_HASH) table.gnu_hash = static_cast<const uint32_t*>(at);
      if (entry->d_tag == DT_HASH) table.sysv_hash = static_cast<const uint32_t*>(at);
    }
  }
  return table;
}

bool is_collective(std::string_view name) {
  for (int i = 0; i < algorithm::k_collective_count; ++i) {
    const std::string_view start = algorithm::to_string(static_cast<algorithm::Collective>(i));
    if (strncasecmp(name.data(), start.data(), start.size()) == 0) return true;
  }
  return false;
}

/// tutti_bcast_init, …; a Fortran program calls tutti_f_bcast_init.
bool names_collective_of_ours(const char* name, bool) {
  const std::string_view symbol = name;
  return symbol.starts_with("tutti_") && symbol.ends_with("_init") && symbol != "tutti_init" &&
         symbol != "tutti_f_init";
}

/// MPI_Ibcast, mpi_ibcast_, MPI_Bcast_init, MPIX_Bcast_init, …
bool names_nonblocking_collective(const char* symbol, bool) {
  if (strncasecmp(symbol, "mpi", 3) != 0) return false;
  const char* const underscore = std::strchr(symbol, '_');
  if (underscore == nullptr) return false;
  const char* const name = underscore + 1;
  if ((*name == 'I' || *name == 'i') && is_collective(name + 1)) return true;
  return is_collective(name) && strcasestr(name, "_init") != nullptr;
}

bool names_profiling_call(const char* symbol, bool) {
  return strncasecmp(symbol, "pmpi_", 5) == 0;
}

/// The name of an MPI call as in the table: lower case, without the suffixes of Fortran bindings.
std::string plain_name(std::string_view symbol) {
  std::string name;
  for (const char letter : symbol)
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  name.erase(name.find_last_not_of('_') + 1);
  for (const std::string_view end : {"_f08", "_f08ts", "_cptr"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

/// True for a call that blocks, or by which a program waits, until a peer has acted, and in which Tutti makes no
/// progress; for calls that bypass Tutti on purpose; and for calls that this MPI did not have when Tutti was built.
bool names_undriven_call(const char* symbol, bool is_function) {
  if (names_profiling_call(symbol, is_function)) return true;
  const bool is_extension = strncasecmp(symbol, "mpix_", 5) == 0;
  if (!is_extension && strncasecmp(symbol, "mpi_", 4) != 0) return false;
  const std::string name = plain_name(symbol + (is_extension ? 5 : 4));
  const auto calls = named_calls();
  const auto at = std::ranges::lower_bound(calls, name, {}, &NamedCall::name);
  return at != calls.end() && at->name == name ? at->is_undriven : is_function;
}

/// MPI_Win_create, mpi_win_allocate_, …
bool names_window(const char* symbol, bool) {
  return strncasecmp(symbol, "mpi_win_", 8) == 0 &&
         (strncasecmp(symbol + 8, "create", 6) == 0 || strncasecmp(symbol + 8, "allocate", 8) == 0);
}

/// MPI_Comm_create_errhandler, mpi_errhandler_create_, mpi_grequest_start_, …, and the throwing error handler of the
/// MPI's C++ bindings.
bool names_locked_callback(const char* symbol, bool) {
  constexpr const char* k_throwing_handler = "_ZN3MPI23ERRORS_THROW_EXCEPTIONSE";
  constexpr std::array k_makers = {"create_errhandler", "errhandler_create", "grequest_start"};
  if (std::strcmp(symbol, k_throwing_handler) == 0) return true;
  return (strncasecmp(symbol, "mpi_", 4) == 0 || strncasecmp(symbol, "mpix_", 5) == 0) &&
         std::ranges::any_of(k_makers,
                             [symbol](const char* maker) { return strcasestr(symbol, maker) != nullptr; });
}

bool is_of_an_mpi(const char* file) {
  const char* const slash = std::strrchr(file, '/');
  const std::string_view name = slash != nullptr ? slash + 1 : file;
  for (const char* own : {"libmpi", "libtutti", "libopen-", "libucp", "libpmpi", "mca_"})
    if (name.starts_with(own)) return true;
  return false;
}

using Predicate = bool (*)(const char* symbol, bool is_function);

/// Number of undefined symbols of the object that are wanted, at most `most`.
int named_in(const dl_phdr_info& object, Predicate is_wanted, int most) {
  if (object.dlpi_name != nullptr && is_of_an_mpi(object.dlpi_name)) return 0;
  const SymbolTable table = table_of(object);
  if (table.symbols == nullptr || table.names == nullptr) return 0;
  int count = 0;
  for (uint32_t i = 0; i < table.count() && count < most; ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (symbol.st_shndx == SHN_UNDEF && is_wanted(table.names + symbol.st_name, is_function)) ++count;
  }
  return count;
}

int look(dl_phdr_info* object, size_t, void* data) {
  return named_in(*object, *static_cast<const Predicate*>(data), 1);
}

/// An object that references so many of MPI's 17 nonblocking collectives is taken for a language binding.
constexpr int k_most_of_them = 15;

int look_for_choice(dl_phdr_info* object, size_t, void*) {
  const int count = named_in(*object, names_nonblocking_collective, k_most_of_them);
  return count > 0 && count < k_most_of_them ? 1 : 0;
}

}  // namespace

bool program_calls_nonblocking_collectives() {
  Predicate wanted = names_nonblocking_collective;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_chooses_nonblocking_collectives() {
  return base::for_each_object(look_for_choice, nullptr) != 0;
}

bool program_calls_collectives_of_ours() {
  Predicate wanted = names_collective_of_ours;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_makes_undriven_calls() {
  Predicate wanted = names_undriven_call;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_uses_one_sided() {
  Predicate wanted = names_window;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_has_locked_callbacks() {
  Predicate wanted = names_locked_callback;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_passes_by() {
  Predicate wanted = names_profiling_call;
  return base::for_each_object(look, &wanted) != 0;
}

bool program_has_race_detector() {
  return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

bool starts_reach_us() {
  const auto is = [](const char* name, auto* ours) {
    return dlsym(RTLD_DEFAULT, name) == reinterpret_cast<void*>(ours);
  };
  return is("MPI_Start", &MPI_Start) && is("MPI_Startall", &MPI_Startall) &&
         is("MPI_Request_free", &MPI_Request_free);
}

}  // namespace tutti::mpi
