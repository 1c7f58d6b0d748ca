#include "mpi/node/cpu_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "topology/cpu_use.hpp"

namespace tutti::mpi {
namespace {

using base::Result;
using base::Status;
using topology::CpuUse;

struct Machine {
  std::vector<CpuUse> ranks;  // of this machine, in their order
  size_t me = 0;              // in `ranks`
};

Result<Machine> gather(MPI_Comm comm, std::span<const int32_t> machine_of_rank) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const std::vector<uint32_t> mine = encode(topology::own_cpu_use());
  const auto my_count = static_cast<int>(mine.size());
  std::vector<int> counts(machine_of_rank.size()), starts(counts.size());
  int code = PMPI_Allgather(&my_count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  if (code == MPI_SUCCESS) {
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    std::vector<uint32_t> words(static_cast<size_t>(starts.back() + counts.back()));
    code = PMPI_Allgatherv(mine.data(), my_count, MPI_UINT32_T, words.data(), counts.data(), starts.data(),
                           MPI_UINT32_T, comm);
    const auto me = static_cast<size_t>(rank);
    Machine machine;
    for (size_t r = 0; code == MPI_SUCCESS && r < counts.size(); ++r) {
      if (machine_of_rank[r] != machine_of_rank[me]) continue;
      if (r == me) machine.me = machine.ranks.size();
      machine.ranks.push_back(topology::decode_cpu_use(
          std::span(words).subspan(static_cast<size_t>(starts[r]), static_cast<size_t>(counts[r]))));
    }
    if (code == MPI_SUCCESS) return machine;
  }
  return Status{base::Code::mpi, "the ranks cannot tell each other which processors they may use", code};
}

std::vector<uint32_t> units_of_all(std::span<const CpuUse> ranks) {
  std::vector<uint32_t> units;
  for (const CpuUse& use : ranks) units.insert(units.end(), use.units.begin(), use.units.end());
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

/// Position of this rank among the ranks with the same units.
topology::MaskPlace place_of(const Machine& machine) {
  topology::MaskPlace place{.index = 0, .count = 0};
  for (size_t rank = 0; rank < machine.ranks.size(); ++rank) {
    if (machine.ranks[rank].units != machine.ranks[machine.me].units) continue;
    if (rank < machine.me) ++place.index;
    ++place.count;
  }
  return place;
}

std::string describe(const Machine& machine, base::CpuShare share, size_t unit_count) {
  const CpuUse& mine = machine.ranks[machine.me];
  std::string text = fmt::format("{}: {} on {} of this machine, of which it may use {}", to_string(share),
                                 base::counted(machine.ranks.size(), "rank"),
                                 base::counted(unit_count, "processor"), mine.units.size());
  if (mine.threads > 1) text += fmt::format(" and its {} threads", mine.threads);
  for (const topology::CpuQuota& quota : mine.quotas)
    text += fmt::format(", CPU time of {:g}", quota.milli_cpus / 1000.0);
  return text;
}

}  // namespace

Result<CpuPlace> find_cpu_place(MPI_Comm comm, std::span<const int32_t> machine_of_rank) {
  const Result<Machine> machine = gather(comm, machine_of_rank);
  if (!machine) return machine.status();
  const std::vector<uint32_t> units = units_of_all(machine->ranks);
  const topology::CpuShares shares = topology::share_cpus(machine->ranks, topology::read_core_of_unit(units));
  CpuPlace place{.share = shares.of_process[machine->me], .place = place_of(*machine), .description = {}};
  place.place.can_have_two_cores = shares.has_two_cores[machine->me];
  place.description = describe(*machine, place.share, units.size());
  return place;
}

}  // namespace tutti::mpi
