#pragma once
// Messages between containers, over the native MPI.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "actors/container/container_group.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

/// Destination mailbox of a message.
struct Destination {
  int process = 0;  // rank of the native MPI: the container
  int rank = -1;    // rank in that container, numbered as in MPI_COMM_WORLD; -1: the group
  ContainerGroupKey group = 0;
};

/// The mailboxes of this process. Any thread.
class Receivers {
 public:
  virtual Mailbox& mailbox_of(int rank) = 0;
  virtual Mailbox& mailbox_of(const ContainerGroupKey& group) = 0;

 protected:
  ~Receivers() = default;
};

/// One thread makes all communicating calls of the native MPI. Any thread sends.
class ContainerNetwork {
 public:
  /// Collective over `processes`, ranks of the native MPI, whose group of all ranks is `world`.
  ContainerNetwork(Receivers& receivers, std::vector<int> processes, MPI_Group world);
  /// No message may be pending, in any container.
  ~ContainerNetwork();
  ContainerNetwork(const ContainerNetwork&) = delete;
  ContainerNetwork& operator=(const ContainerNetwork&) = delete;

  /// As Mailbox::send(); the owner of `sender` waits.
  void send(Mailbox& sender, const Destination& to, const Envelope& envelope, std::span<const std::byte> data,
            SendMode mode, SendOperation* operation);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tutti::actors
