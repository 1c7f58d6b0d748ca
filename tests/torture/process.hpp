#pragma once
// One rank, which carries out its part of a plan.

#include <mpi.h>

#include <map>
#include <memory>
#include <vector>

#include "collective.hpp"
#include "message.hpp"
#include "pending.hpp"
#include "plan.hpp"
#include "window.hpp"

namespace torture {

struct Conduct {
  uint64_t seed = 1;
  int nap_permille = 1000;
  bool is_verbose = false;
};

class Process {
 public:
  Process(const Plan& plan, const Conduct& conduct, int rank);

  /// Everything up to MPI_Finalize, which is left to the caller. Returns a number that stands for all results.
  uint64_t run();

 private:
  struct Persistent {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<CollectiveCall> call;
    int round = 0;
    bool is_active = false;
  };

  using OpIterator = std::vector<Op>::const_iterator;

  uint64_t private_seed(const Op& op) const;
  int rank_in(const Op& op) const;
  int size_of(const Op& op) const;
  MPI_Comm communicator(const Op& op);
  bool takes_part(const Op& op) const;
  OpIterator end_of_group(OpIterator first) const;
  void run_group(OpIterator first, OpIterator last);
  void prepare(const Op& op);
  void run(const Op& op);
  std::vector<MPI_Request> inactive() const;
  void note(uint64_t result) { digest_ ^= result; }

  void collective(const Op& op);
  void among_neighbours(const Op& op);
  void make_persistent(const Op& op);
  void start_persistent(const Op& op);
  void free_persistent(const Op& op);
  void message(const Op& op, bool sends, bool receives, bool is_whole);
  void send(const Op& op, const MessageSpec& spec, MPI_Comm comm, bool is_whole);
  void receive(const Op& op, const MessageSpec& spec, MPI_Comm comm);
  void await_message(const std::shared_ptr<Message>& message, MPI_Request request, const Op& op,
                     bool receives);
  void make_communicator(const Op& op);
  MPI_Comm make(const Op& op, MPI_Comm parent);
  MPI_Comm merge(MPI_Comm parent, int rank, int size);
  MPI_Comm make_of_group(const Op& op, MPI_Comm parent, const Members& members);
  void free_communicator(const Op& op);
  void attribute(const Op& op);
  void error(const Op& op);
  void finish();

  const Plan& plan_;
  const Conduct conduct_;
  const int rank_;
  uint64_t digest_ = 0;
  std::vector<MPI_Comm> communicators_;
  std::vector<std::shared_ptr<MPI_Comm>> coming_;  // of MPI_Comm_idup, until first used
  std::map<int, Persistent> persistent_;
  std::map<int, std::unique_ptr<Window>> windows_;
  std::vector<std::shared_ptr<Message>> given_up_;  // buffers of requests that were freed
  PendingRequests pending_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace torture
