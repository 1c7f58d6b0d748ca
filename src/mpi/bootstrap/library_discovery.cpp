#include "mpi/bootstrap/library_discovery.hpp"

#include <mpi.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/announcement.hpp"
#include "base/settings.hpp"
#include "base/standard_error.hpp"
#include "mpi/bootstrap/build_id.hpp"
#include "mpi/bootstrap/launcher_keys.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

std::unique_ptr<LauncherKeys> open_launcher_keys() {
#ifdef OPEN_MPI
  return open_pmix_keys();
#else
  return open_pmi_keys();
#endif
}

/// The announcement of this process to its launcher.
struct Announcement {
  std::unique_ptr<LauncherKeys> keys;  // nullptr: no supported launcher; the same on all ranks of the job
  Status status;
};

std::once_flag has_announced;

Announcement& announcement() {
  static auto* const one = new Announcement;  // outlives the exit handlers
  return *one;
}

/// The library of another rank.
enum class PeerState : int { same_build, other_build, absent };

/// The lowest rank known to lack this library; the message between ranks that have it.
struct Missing {
  int rank = INT_MAX;  // INT_MAX: none is missing
  int state = 0;

  bool is_any() const { return rank != INT_MAX; }
  void note(const Missing& other) {
    if (other.rank < rank) *this = other;
  }
};
static_assert(sizeof(Missing) == 2 * sizeof(int));

/// The ranks of MPI_COMM_WORLD form a binary tree in the order of their numbers, from which some may be missing. A rank
/// reads only the keys of its neighbours, and exchanges messages only with neighbours that have the library. Two
/// neighbours come to the same result about each other, so no rank waits for a message that is not sent.
///
/// The messages use MPI_COMM_WORLD, because the creation of a communicator is collective. They cannot be confused with
/// the program's: each is received from one rank with one tag; the sender's program sends nothing before MPI_Init
/// returns there, which is after this message; and messages of one sender on one communicator do not overtake each
/// other.
class PresenceTree {
 public:
  explicit PresenceTree(LauncherKeys& keys) : keys_(keys), mine_(build_id()) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  /// Called by every rank that has the library. Either all of them find that a rank is missing, or none does.
  Missing reduce() {
    Missing missing;
    std::vector<int> below;
    for (const int child : {2 * rank_ + 1, 2 * rank_ + 2})
      if (child < size_ && has_this_build(child, &missing)) below.push_back(child);
    for (const int child : below) missing.note(receive(child));
    if (rank_ > 0) {
      const int parent = (rank_ - 1) / 2;
      if (has_this_build(parent, &missing)) {
        send(parent, missing);
        missing = receive(parent);
      }
    }
    for (const int child : below) send(child, missing);
    return missing;
  }

  /// True for the lowest rank that has any build of the library, which prints the message for all ranks.
  bool is_lowest() {
    if (rank_ > 0 && state_of((rank_ - 1) / 2) != PeerState::absent) return false;
    for (int rank = rank_ - 1; rank >= 0; --rank)
      if (state_of(rank) != PeerState::absent) return false;
    return true;
  }

 private:
  /// After an error of the launcher, the rank counts as present, as all ranks do without a supported launcher.
  PeerState state_of(int rank) {
    const auto word = keys_.get(rank);
    if (!word) return PeerState::same_build;
    const std::optional<std::string>& theirs = *word;
    if (!theirs) return PeerState::absent;
    return *theirs == mine_ ? PeerState::same_build : PeerState::other_build;
  }

  bool has_this_build(int rank, Missing* missing) {
    const PeerState state = state_of(rank);
    if (state == PeerState::same_build) return true;
    missing->note({.rank = rank, .state = static_cast<int>(state)});
    return false;
  }

  static void send(int rank, const Missing& missing) {
    PMPI_Send(&missing, 2, MPI_INT, rank, k_tag, MPI_COMM_WORLD);
  }
  static Missing receive(int rank) {
    Missing missing;
    PMPI_Recv(&missing, 2, MPI_INT, rank, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return missing;
  }

  static constexpr int k_tag = 27182;

  LauncherKeys& keys_;
  const std::string mine_;
  int rank_ = 0;
  int size_ = 1;
};

void log_obstacle(const std::string& obstacle) {
  std::vector<std::string> problems;  // ignored: the settings have no effect now
  if (!base::Settings::from_environment(environ, &problems).flag("TUTTI")) return;
  base::log(obstacle + ": all collectives are left to the native MPI");
}

std::string description(const Missing& missing) {
  const bool is_absent = missing.state == static_cast<int>(PeerState::absent);
  return "not every rank has the library (rank " + std::to_string(missing.rank) +
         (is_absent ? " has not)" : " has another build of it)");
}

bool is_one_of_many(int* rank) {
  int size = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, rank);
  return size > 1;
}

}  // namespace

void announce_presence() {
  std::call_once(has_announced, [] {
    int is_initialised = 0;
    PMPI_Initialized(&is_initialised);
    if (is_initialised != 0) return;  // the program or a tool has bypassed this library
    base::announce(std::getenv(base::k_ranks_variable));
    Announcement& mine = announcement();
    mine.keys = open_launcher_keys();
    if (mine.keys != nullptr) mine.status = mine.keys->put(build_id());
  });
}

bool is_present_everywhere() {
  const Announcement made = std::exchange(announcement(), {});
  int rank = 0;
  if (made.keys == nullptr || !is_one_of_many(&rank)) return true;
  const Status status = made.status ? made.keys->late_status() : made.status;
  if (!status) {  // the other ranks conclude that this one lacks the library
    if (rank == 0) log_obstacle(status.message());
    return false;
  }
  if (!made.keys->is_shared()) return true;
  PresenceTree tree(*made.keys);
  const Missing missing = tree.reduce();
  if (missing.is_any() && tree.is_lowest()) log_obstacle(description(missing));
  return !missing.is_any();
}

}  // namespace tutti::mpi
