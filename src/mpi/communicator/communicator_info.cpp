#include "mpi/communicator/communicator_info.hpp"

#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

namespace {

constexpr const char* k_overlap_key = "tutti_overlap";

}  // namespace

void take_info(MPI_Comm comm, MPI_Info info) {
  Communicator* const communicator = served(comm);
  if (communicator == nullptr || info == MPI_INFO_NULL) return;
  std::array<char, MPI_MAX_INFO_VAL + 1> text{};
  int is_there = 0;
  PMPI_Info_get(info, k_overlap_key, MPI_MAX_INFO_VAL, text.data(), &is_there);
  if (is_there == 0) return;
  const std::string_view value(text.data());
  if (value == "on" || value == "off")
    communicator->set_overlap(value == "on");
  else
    communicator->runtime().log("info key tutti_overlap: " + base::in_quotes(value) +
                                " is neither on nor off");
}

void inherit_info(MPI_Comm made, MPI_Comm parent) {
  Communicator* const communicator = served(made);
  const Communicator* const origin = served(parent);
  if (communicator != nullptr && origin != nullptr) communicator->set_overlap(origin->has_overlap());
}

void add_info(MPI_Comm comm, MPI_Info info) {
  const Communicator* const communicator = served(comm);
  if (communicator != nullptr && !communicator->has_overlap()) PMPI_Info_set(info, k_overlap_key, "off");
}

}  // namespace tutti::mpi
