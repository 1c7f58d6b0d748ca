#include "mpi/entry/fortran_passage.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/standard_error.hpp"

namespace tutti::mpi::fortran {

namespace {

#ifdef OPEN_MPI
constexpr std::array k_libraries = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
constexpr std::array k_libraries = {"libmpifort.so.12", "libmpichfort.so.12"};
#endif

}  // namespace

void* native_binding(const char* name) {
  if (void* const next = base::next_definition(name)) return next;
  for (const char* const library : k_libraries) {
    void* const opened = dlopen(library, RTLD_LAZY);
    void* const found = opened == nullptr ? nullptr : dlsym(opened, name);
    if (found != nullptr) return found;
  }
  base::log("the program calls " + std::string(name) + ", which no Fortran library of its MPI has (" +
            k_libraries.front() + "): link it with that");
  std::abort();
}

}  // namespace tutti::mpi::fortran
