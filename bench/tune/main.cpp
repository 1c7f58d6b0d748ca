// The program behind `tutti tune`: a plain MPI program that makes the same calls over and over. What is
// preloaded under MPI_* tries its candidates in them, and keeps what it learns in the rules file.

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "bench/collective/cluster.hpp"
#include "bench/collective/files.hpp"
#include "bench/tune/explore.hpp"
#include "bench/tune/learned_sites.hpp"
#include "bench/tune/options.hpp"
#include "bench/tune/stop.hpp"

namespace {

using namespace tutti::bench;
using tutti::algorithm::Collective;
using tutti::select::CallInterface;

/// The sites, one for each size, kind and collective.
std::vector<TunedSite> sites_of(const TuneOptions& options, int ranks) {
  std::vector<TunedSite> sites;
  for (const std::string& collective : options.collectives)
    for (const CallInterface kind : options.kinds)
      for (const uint64_t bytes : options.sizes) {
        if (bytes * static_cast<uint64_t>(ranks) > INT_MAX) continue;  // more than MPI can place
        sites.push_back({.calls = find_tuned_calls(collective), .kind = kind, .bytes = bytes});
        if (collective == "barrier") break;  // has no size
      }
  return sites;
}

void print_header(const TuneOptions& options, size_t sites) {
  const Cluster cluster = find_cluster(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  fmt::print("# tutti tune, {}\n# ranks per node: {}; {} call sites, at most {:.0f} s each\n",
             library_version(), fmt::join(cluster.ranks_of_node, " "), sites, options.seconds);
  std::fflush(stdout);
}

/// A line for each site: what ranks print reaches no terminal directly.
void print_progress(size_t number, size_t count, const TunedSite& site) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  fmt::print("# {} of {}: {} {} {}\n", number, count, tutti::select::to_string(site.kind),
             tutti::algorithm::to_string(site.calls->collective), tutti::base::format_bytes(site.bytes));
  std::fflush(stdout);
}

/// True on all ranks if rank 0 has been told to stop.
bool do_all_stop(MPI_Comm control) {
  int stops = is_stop_asked() ? 1 : 0;
  PMPI_Bcast(&stops, 1, MPI_INT, 0, control);
  return stops != 0;
}

/// Returns false after Ctrl-C: then *sites are those that were begun.
bool explore_all(std::vector<TunedSite>* sites, const TuneOptions& options) {
  MPI_Comm control = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &control);
  const auto computations = make_computations(options.computation);
  bool stops = false;
  for (size_t i = 0; i < sites->size() && !stops; ++i) {
    TunedSite& site = (*sites)[i];
    TunedData data = make_tuned_data(site.calls->collective, site.bytes, MPI_COMM_WORLD);
    site.bytes = data.bytes;
    print_progress(i + 1, sites->size(), site);
    explore(&site, data, options, computations.empty() ? nullptr : computations.front().get(), control);
    stops = do_all_stop(control);
    if (stops) sites->resize(i + 1);
  }
  PMPI_Comm_free(&control);
  return !stops;
}

/// Says it once, for all ranks.
int end(int rank, int status, const std::string& message) {
  if (rank == 0) std::fputs(message.c_str(), status == 0 ? stdout : stderr);
  MPI_Finalize();
  return exit_status(status);
}

}  // namespace

int main(int argc, char** argv) {
  TuneOptions options;
  int status = 0;
  std::string message;
  const bool goes_on = parse_options(argc, argv, &options, &status, &message);
  // Only calls that do not block need the progress thread, whose level of thread support costs all others.
  const bool needs_thread =
      options.wants(CallInterface::nonblocking) || options.wants(CallInterface::persistent);
  if (!needs_thread) setenv("TUTTI_PROGRESS", "off", 0);
  catch_stop();  // before the library checks for a handler of SIGTERM
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!goes_on) return end(rank, status, message);
  if (dlsym(RTLD_DEFAULT, "tutti_version") == nullptr)
    return end(rank, 2, "tutti tune: Tutti is not loaded (start this program by the command tutti tune)\n");
  if (ranks < 2) return end(rank, 2, "tutti tune: one rank has nobody to talk to (mpirun -n 2, or more)\n");

  std::vector<TunedSite> sites = sites_of(options, ranks);
  const auto before = rank == 0 ? rules_so_far(options.rules_file) : std::vector<tutti::select::Rule>{};
  print_header(options, sites.size());
  const bool is_complete = explore_all(&sites, options);
  MPI_Finalize();  // here the file is written
  if (rank != 0) return 0;
  const size_t learned = print_learned(sites, ranks, before, options.rules_file);
  if (!is_complete) {
    fmt::print(stderr, "tutti tune: interrupted; what was found so far is kept\n");
    return k_interrupted;
  }
  if (learned > 0) return exit_status(0);
  fmt::print(
      stderr,
      "tutti tune: {} holds nothing new. Unless a line above says why, more --seconds or --calls or larger "
      "sizes may help; user-written rules and settings are never overridden by trials\n",
      options.rules_file);
  return 1;
}
