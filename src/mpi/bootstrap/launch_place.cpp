#include "mpi/bootstrap/launch_place.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace tutti::mpi {

bool is_launched_on_one_node() {
  // Number of ranks, and number of those on this node: Open MPI's launcher, and Hydra.
  static constexpr std::array<std::pair<const char*, const char*>, 2> k_names = {{
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
      {"PMI_SIZE", "MPI_LOCALNRANKS"},
  }};
  for (const auto& [of_job, of_node] : k_names) {
    const char* const all = std::getenv(of_job);
    const char* const here = std::getenv(of_node);
    if (all != nullptr && here != nullptr) return std::string_view(all) == here;
  }
  return false;
}

}  // namespace tutti::mpi
