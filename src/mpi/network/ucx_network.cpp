#include "mpi/network/ucx_network.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/native/agreement.hpp"
#include "mpi/native/library_version.hpp"
#include "mpi/network/network_probe.hpp"
#include "mpi/network/ucx_library.hpp"

namespace tutti::mpi {

using base::Result;
using base::Status;
using transport::Network;

namespace {

bool is_over_ucx_already() {
  return library_text().find("ch4:ucx") != std::string::npos;
}

/// Collective.
Result<transport::Addresses> exchange_addresses(MPI_Comm world, size_t count, transport::ConstBytes mine) {
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(count), begins(count);
  if (const int code = PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world);
      code != MPI_SUCCESS)
    return Status{base::Code::mpi, "the ranks cannot tell each other their addresses", code};
  transport::Addresses all{.bytes = {}, .begins = std::vector<size_t>(count + 1)};
  std::inclusive_scan(lengths.begin(), lengths.end(), all.begins.begin() + 1, std::plus{}, size_t{0});
  if (all.begins.back() > INT_MAX) return Status::not_supported("so many ranks have too many addresses");
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  all.bytes.resize(all.begins.back());
  if (const int code = PMPI_Allgatherv(mine.data(), length, MPI_BYTE, all.bytes.data(), lengths.data(),
                                       begins.data(), MPI_BYTE, world);
      code != MPI_SUCCESS)
    return Status{base::Code::mpi, "the ranks cannot tell each other their addresses", code};
  return all;
}

}  // namespace

bool ucx_suits(MPI_Comm world) {
  return all_agree(world, is_over_ucx_already() || !has_fast_network());
}

namespace {

bool is_wanted(MPI_Comm world, std::span<const int32_t> node_of_world_rank, const base::Settings& settings,
               const ProgressEngine& progress) {
  const std::string_view wanted = settings.text("TUTTI_TRANSPORT");
  if (wanted == "mpi" || !progress.is_serving()) return false;
  if (wanted == "ucx") return true;
  const bool has_network =
      std::ranges::adjacent_find(node_of_world_rank, std::not_equal_to{}) != node_of_world_rank.end();
  return has_network && progress.has_thread() && progress.is_likely() && ucx_suits(world);
}

}  // namespace

Result<std::unique_ptr<Network>> open_ucx_network(MPI_Comm world, std::span<const int32_t> node_of_world_rank,
                                                  const base::Settings& settings,
                                                  const ProgressEngine& progress) {
  if (!is_wanted(world, node_of_world_rank, settings, progress)) return std::unique_ptr<Network>();
  return connect_ucx(world, node_of_world_rank.size());
}

Result<std::unique_ptr<Network>> connect_ucx(MPI_Comm world, size_t count) {
  std::unique_ptr<Network> network;
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  const auto refuse = [](const Status& mine) {
    return mine ? Status::not_supported("another rank has no UCX network") : mine;
  };
  const Status opened = open_ucx(count, &network);
  if (!all_agree(world, opened.is_ok())) return refuse(opened);
  auto addresses = exchange_addresses(world, count, network->address());
  if (!addresses) return addresses.status();
  network->set_peers(rank, std::move(*addresses));
  if (Status reached = NetworkProbe(*network, world, count).run(); !reached) return reached;
  return network;
}

void leave_ucx(std::unique_ptr<transport::Network> network) {
  // NOLINTNEXTLINE(bugprone-unused-return-value)
  static_cast<void>(network.release());
}

}  // namespace tutti::mpi
