#pragma once
// Point-to-point of the user's own MPI as an endpoint. Compiled once per MPI; calls PMPI_* only, so neither
// Tutti's own wrappers nor a tool loaded above it see these messages.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Lets the MPI make progress and returns at once. `comm`: private, and no rank sends to itself on it. Any
/// thread that may call MPI.
void make_mpi_progress(MPI_Comm comm, int own_rank);

/// Connects one rank of a communicator to the others, over a private communicator that carries nothing but
/// Tutti's messages. Peer::rank and Peer::local are served alike.
///
/// Tags are MPI tags: at most MPI_TAG_UB. Any number of operations may be in flight, told apart by their
/// tags. Allocates only while the number of transfers in flight reaches a new maximum. Threads: one at a
/// time; endpoints of different threads need MPI_THREAD_MULTIPLE.
///
/// Only receives can be cancelled: MPIs cannot take a send back. A transfer is reported when the MPI has
/// ended it, and not before. Where the MPI fails without ending it (its progress is broken), the receives in
/// flight are cancelled and carry the MPI's error.
///
/// Where a message is longer than asked for, MPICH calls the error handler of MPI_COMM_WORLD first, whatever
/// the communicator and the call: by default, that ends the job.
class MpiEndpoint final : public Endpoint {
 public:
  /// `private_comm` returns errors (MPI_ERRORS_RETURN). `world_rank_of_rank[r]` is the rank in it of rank r;
  /// the array stays valid as long as the endpoint. Both belong to the caller.
  MpiEndpoint(MPI_Comm private_comm, std::span<const int> world_rank_of_rank);

  base::Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) override;
  base::Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) override;
  size_t poll(std::span<Completion> done) override;
  void cancel(uint64_t cookie) override;
  Capabilities capabilities() const override { return {}; }

 private:
  static constexpr int k_of_send = -1;
  struct Transfer {
    uint64_t cookie = 0;
    int length = k_of_send;  // of the message that is awaited
    bool is_cancelled = false;
    bool is_receive() const { return length != k_of_send; }
  };

  /// The peer's rank in the communicator, with memory for one more transfer.
  base::Result<int> prepare(Peer peer, size_t bytes);
  Completion end_of(const Transfer& transfer, int error, const MPI_Status& status) const;
  /// Where testing all transfers has failed as a whole.
  void test_one_by_one();
  static void cancel(MPI_Request* request, Transfer* transfer);
  void drop_ended();
  size_t hand_over(std::span<Completion> done);

  MPI_Comm comm_;
  std::span<const int> world_rank_of_rank_;
  int own_rank_ = 0;
  // Transfers in flight, without holes: what PMPI_Testsome gets.
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<int> ended_indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> ended_;  // found ended, not yet handed over
  size_t handed_over_ = 0;
  int failure_ = MPI_SUCCESS;  // of an MPI that could not end a transfer
};

}  // namespace tutti::transport
