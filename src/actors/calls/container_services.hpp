#pragma once
// Interface from a rank (a thread) to its container process.

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>

#include "actors/container/container_group.hpp"
#include "actors/container/job_record.hpp"
#include "actors/container/job_settings.hpp"
#include "actors/container/rank_map.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

class Communicator;
class Rank;

/// Callable by any thread, except as noted.
class ContainerServices {
 public:
  virtual const RankMap& rank_map() const = 0;
  virtual const JobSettings& job_settings() const = 0;
  /// nullptr: the job is not recorded.
  virtual const JobRecord* job_record() const = 0;
  /// Waits until the clocks of the machines have been compared, for the records. Called by the thread of `rank` when
  /// all ranks of the job have entered MPI_Finalize.
  virtual void end_record(Rank& rank) = 0;
  /// Group of MPI_COMM_WORLD of the native MPI, whose ranks are those of the program.
  virtual MPI_Group world_group() const = 0;
  int rank_count() const { return rank_map().rank_count(); }

  /// As Mailbox::send(), to a rank in any container. Called by the thread of `from`.
  virtual void send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data,
                    SendMode mode, SendOperation* operation) = 0;
  /// The same to a group, in the container of rank `leader`.
  virtual void send_to_group(Rank& from, int leader, const ContainerGroupKey& key, const Envelope& envelope,
                             std::span<const std::byte> data, SendOperation* operation) = 0;
  /// Exists until all its ranks in this container have left it.
  virtual ContainerGroup& group(const ContainerGroupKey& key) = 0;
  /// A rank joins the group: `here` are all ranks of the group in this container, this one at `index`.
  virtual std::unique_ptr<ContainerGroupMember> join_group(const ContainerGroupKey& key,
                                                           std::span<const int> here, size_t index) = 0;
  /// Called after a rank has left the group.
  virtual void drop_group_if_over(const ContainerGroupKey& key) = 0;

  /// The universe size given by the launcher; 0: it gives none.
  virtual int* universe_size() = 0;

  /// End the job. `on`: nullptr if no communicator is involved.
  [[noreturn]] virtual void abort(const Rank& rank, int code, const std::string& why) const = 0;
  [[noreturn]] virtual void abort_with_error(const Rank& rank, const Communicator* on, int code) const = 0;
  /// False while programs are being loaded, one after the other: their constructors run.
  virtual bool are_loaded() const = 0;
  /// The rank has called MPI_Init.
  virtual void initialised(const Rank& rank) = 0;

 protected:
  ~ContainerServices() = default;
};

}  // namespace tutti::actors
