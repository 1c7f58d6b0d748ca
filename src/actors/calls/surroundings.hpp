#pragma once
// Interface from a rank (a thread) to its container process.

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>

#include "actors/container/places.hpp"
#include "actors/container/team.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

class Communicator;
class Rank;

/// Callable by any thread, except as noted.
class Surroundings {
 public:
  virtual const Places& places() const = 0;
  /// Group of MPI_COMM_WORLD of the native MPI, whose ranks are those of the program.
  virtual MPI_Group world_group() const = 0;
  int rank_count() const { return places().rank_count(); }

  /// As Mailbox::send(), to a rank in any container. Called by the thread of `from`.
  virtual void send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data,
                    SendMode mode, SendOperation* operation) = 0;
  /// The same to a team, in the container of rank `leader`.
  virtual void send_to_team(Rank& from, int leader, const TeamKey& key, const Envelope& envelope,
                            std::span<const std::byte> data, SendOperation* operation) = 0;
  /// Exists until all its ranks in this container have left it.
  virtual Team& team(const TeamKey& key) = 0;
  /// A rank joins the team: `here` are all ranks of the team in this container, this one at `index`.
  virtual std::unique_ptr<TeamSeat> take_seat(const TeamKey& key, std::span<const int> here,
                                              size_t index) = 0;
  /// Called after a rank has left the team.
  virtual void drop_team_if_over(const TeamKey& key) = 0;

  /// The universe size given by the launcher.
  virtual int* universe_size() = 0;

  /// End the job. `on`: nullptr if no communicator is involved.
  [[noreturn]] virtual void abort(const Rank& rank, int code, const std::string& why) const = 0;
  [[noreturn]] virtual void abort_with_error(const Rank& rank, const Communicator* on, int code) const = 0;
  /// The rank has called MPI_Init.
  virtual void initialised(const Rank& rank) = 0;

 protected:
  ~Surroundings() = default;
};

}  // namespace tutti::actors
