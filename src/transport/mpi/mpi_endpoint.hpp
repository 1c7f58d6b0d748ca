#pragma once
// Point-to-point of the program's MPI as an endpoint. Compiled once per MPI. Calls PMPI_* only: neither
// Tutti's own wrappers nor a tool loaded above them see these messages.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Lets the MPI make progress and returns without blocking. `comm`: private, and no rank sends to itself on
/// it. Any thread that may call MPI.
void make_mpi_progress(MPI_Comm comm, int own_rank);

/// Connects one rank of a communicator to the others, over a private communicator that carries only Tutti's
/// messages. Peer::rank and Peer::local are equivalent.
///
/// Tags are MPI tags: at most MPI_TAG_UB. Tags distinguish operations in flight, whose number is unlimited.
/// Allocates only while the number of transfers in flight reaches a new maximum. Used by one thread at a
/// time; endpoints of different threads need MPI_THREAD_MULTIPLE.
///
/// Only receives can be cancelled, because MPI implementations cannot cancel a send. A transfer is reported
/// only after the MPI has ended it. If the MPI fails without ending it (its progress is broken), the receives
/// in flight are cancelled and carry the MPI's error.
///
/// If a message is longer than the receive buffer, MPICH first calls the error handler of MPI_COMM_WORLD,
/// regardless of the communicator and the call: by default, that ends the job.
class MpiEndpoint final : public Endpoint {
 public:
  /// `private_comm` returns errors (MPI_ERRORS_RETURN). `world_rank_of_rank[r]`: rank of r in `private_comm`;
  /// the array must outlive the endpoint. The caller owns both.
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
    int length = k_of_send;  // of the expected message
    bool is_cancelled = false;
    bool is_receive() const { return length != k_of_send; }
  };

  /// The peer's rank in the communicator; reserves memory for one more transfer.
  base::Result<int> prepare(Peer peer, size_t bytes);
  Completion end_of(const Transfer& transfer, int error, const MPI_Status& status) const;
  /// Called after a test of all transfers together has failed.
  void test_one_by_one();
  static void cancel(MPI_Request* request, Transfer* transfer);
  void drop_ended();
  size_t hand_over(std::span<Completion> done);

  MPI_Comm comm_;
  std::span<const int> world_rank_of_rank_;
  int own_rank_ = 0;
  // Transfers in flight, without gaps: the arrays of PMPI_Testsome.
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<int> ended_indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> ended_;  // ended, not yet reported by poll()
  size_t handed_over_ = 0;
  int failure_ = MPI_SUCCESS;  // error of an MPI that could not end a transfer
};

}  // namespace tutti::transport
