#pragma once
// Messages between containers, over the MPI below.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "actors/container/team.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

/// Whose mailbox a message is for.
struct Destination {
  int process = 0;  // rank of the MPI below
  int rank = -1;    // in it, by its number in MPI_COMM_WORLD; -1: the team
  TeamKey team = 0;
};

/// Where messages go in this process. Any thread.
class Receivers {
 public:
  virtual Mailbox& mailbox_of(int rank) = 0;
  virtual Mailbox& mailbox_of(const TeamKey& team) = 0;

 protected:
  ~Receivers() = default;
};

/// One thread makes all calls of the MPI below that communicate. Any thread sends.
class Network {
 public:
  /// Collective over `processes`, ranks of the MPI below, of which `world` is the group of all.
  Network(Receivers& receivers, std::vector<int> processes, MPI_Group world);
  /// Nothing is under way any more, here and elsewhere.
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// As Mailbox::send(); `sender` waits.
  void send(Mailbox& sender, const Destination& to, const Envelope& envelope, std::span<const std::byte> data,
            SendMode mode, SendOperation* operation);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tutti::actors
