#include "mpi/bootstrap/other_mpi.hpp"

#include <link.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/loads.hpp"

namespace tutti::mpi {

namespace {

#ifdef OPEN_MPI
constexpr const char* k_mine = "Open MPI";
constexpr const char* k_other = "MPICH";
constexpr std::string_view k_other_library = "/libmpich.so.";
#else
constexpr const char* k_mine = "MPICH";
constexpr const char* k_other = "Open MPI";
constexpr std::string_view k_other_library = "/libmpi.so.40";
#endif

int is_other_library(dl_phdr_info* object, size_t, void*) {
  return std::string_view(object->dlpi_name).find(k_other_library) != std::string_view::npos;
}

/// Reads the launcher's process number, because MPI is not yet initialised.
bool is_first_process() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace

void refuse_other_mpi() {
  if (base::for_each_object(is_other_library, nullptr) == 0) return;
  const bool is_first = is_first_process();
  if (is_first)
    std::fprintf(
        stderr,
        "tutti: the library for programs of %s is preloaded, but this program uses %s; start it with "
        "mpirun of %s under tutti run\n",
        k_mine, k_other, k_other);
  std::fflush(nullptr);
  // PRRTE ends a job at the first process that fails, and may lose the output of the others.
  using std::chrono_literals::operator""ms;
  std::this_thread::sleep_for(is_first ? 300ms : 2000ms);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace tutti::mpi
