#pragma once
// Requests that are under way, and every way that MPI has to complete them.

#include <mpi.h>

#include <functional>
#include <vector>

#include "random.hpp"

namespace torture {

struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  int operation = 0;
  int ready = 0;  // it may be waited for when all operations up to this one are behind this rank
  bool is_persistent_collective = false;
  std::function<void(MPI_Request, const MPI_Status&)> end;  // gets the request back: null, or inactive
};

class PendingRequests {
 public:
  void add(Pending pending) { pending_.push_back(std::move(pending)); }
  size_t count() const { return pending_.size(); }

  /// Some of them, or none, in a way that the seed chooses. `behind` is the last operation that is behind this rank;
  /// `inactive` are persistent requests that are not started, which may stand in between.
  void complete_some(int behind, const std::vector<MPI_Request>& inactive, Random random);
  /// All of operation `operation`, which can be waited for.
  void wait_for(int operation);
  void wait_for_all();

 private:
  using Places = std::vector<size_t>;

  Places choose(Random& random, int behind) const;
  MPI_Request* array(const Places& places, Random& random);
  void finish(const std::vector<int>& indices);
  bool may_test_all() const;

  void wait_one(Random& random);
  void wait_all();
  void wait_any();
  void wait_some();
  void test(Random& random);
  void test_until_done(size_t at);
  void ask_until_done(size_t at);

  std::vector<Pending> pending_;
  // The arguments of the current call: requests, their owners (-1: none), statuses.
  std::vector<MPI_Request> requests_;
  std::vector<int> owners_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace torture
