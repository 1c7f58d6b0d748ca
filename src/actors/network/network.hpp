#pragma once
// Messages between containers, over the MPI below.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>

#include "actors/container/team.hpp"
#include "actors/messages/mailbox.hpp"

namespace tutti::actors {

class Container;
class Rank;

/// Whose mailbox a message is for.
struct Destination {
  int process = 0;  // rank of the MPI below
  int rank = -1;    // in it, by its number in MPI_COMM_WORLD; -1: the team
  TeamKey team = {};
};

/// One thread makes all calls of the MPI below that communicate. Any thread sends.
class Network {
 public:
  explicit Network(Container& container);
  /// Nothing is under way any more, here and elsewhere.
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// As Mailbox::send().
  void send(Rank& from, const Destination& to, const Envelope& envelope, std::span<const std::byte> data,
            SendMode mode, SendOperation* operation);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tutti::actors
