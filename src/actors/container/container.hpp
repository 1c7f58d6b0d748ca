#pragma once
// The process whose threads are the ranks of (a part of) one node.

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "actors/calls/rank.hpp"
#include "actors/container/places.hpp"
#include "actors/container/team.hpp"

namespace tutti::actors {

class Network;

/// Hears what becomes of ranks. Any thread.
class LifeObserver {
 public:
  /// The rank has called MPI_Finalize, and so have all others.
  virtual void finalised(const Rank& rank) = 0;
  /// The job has to end. The MPI below must not be told by a thread of a rank, which has not the process's files.
  virtual void aborts(const Rank& rank, int code) = 0;

 protected:
  ~LifeObserver() = default;
};

/// What ranks ask of it. Any thread, unless said otherwise.
class Container {
 public:
  /// After MPI_Init_thread() of the MPI below, which has granted MPI_THREAD_MULTIPLE. `mine`: the ranks that are
  /// threads of this process.
  Container(Places places, const std::vector<int>& mine);
  /// All its ranks have been finalised, and so have those of the others.
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  int rank_count() const { return places_.rank_count(); }
  const Places& places() const { return places_; }
  int node_of(int world_rank) const { return places_.node_of(world_rank); }
  MPI_Group world_group() const { return world_group_; }
  /// nullptr: another process has it.
  Rank* rank(int world_rank) const { return by_world_rank_[static_cast<size_t>(world_rank)]; }
  std::span<const std::unique_ptr<Rank>> ranks() const { return ranks_; }

  /// As Mailbox::send(), to a rank wherever it is. Called by the thread of `from`.
  void send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data, SendMode mode,
            SendOperation* operation);
  /// The same to a team, in the container that has the rank `leader`.
  void send_to_team(Rank& from, int leader, const TeamKey& key, const Envelope& envelope,
                    std::span<const std::byte> data, SendOperation* operation);

  /// Lasts until all its ranks here have left it.
  Team& team(const TeamKey& key);
  /// A rank has.
  void drop_team_if_over(const TeamKey& key);

  /// What the launcher has told.
  int* universe_size() { return &universe_size_; }
  /// The first thread of the rank calls this.
  bool is_first_thread(const Rank& rank) const;

  /// They end the job.
  [[noreturn]] void abort(const Rank& rank, int code, const std::string& why) const;
  [[noreturn]] void abort_with_error(const Rank& rank, const Communicator* on, int code) const;

  void finalised(const Rank& rank);
  /// All ranks of the job have: nothing is sent any more.
  void disconnect();
  void set_observer(LifeObserver* observer) { observer_ = observer; }

 private:
  const Places places_;
  MPI_Group world_group_ = MPI_GROUP_NULL;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<Rank*> by_world_rank_;
  std::unique_ptr<Network> network_;  // nullptr: all ranks are in this process
  std::mutex mutex_;
  std::map<TeamKey, std::unique_ptr<Team>> teams_;
  int universe_size_ = 0;
  LifeObserver* observer_ = nullptr;
};

}  // namespace tutti::actors
