#include <string>

#include "mpi/native/library_version.hpp"
#include "tutti/version.h"

#pragma GCC visibility push(default)

extern "C" const char* tutti_version(void) {
  return TUTTI_VERSION;
}

/// For `tutti info`: the native MPI, and the parts of MPI 4 that it lacks. The pointer stays valid.
extern "C" const char* tutti_mpi(void) {
  static const auto& text = *new std::string([] {
    const std::string missing = tutti::mpi::missing_features();
    return tutti::mpi::library_title() + (missing.empty() ? "" : "; without " + missing);
  }());
  return text.c_str();
}

#pragma GCC visibility pop
