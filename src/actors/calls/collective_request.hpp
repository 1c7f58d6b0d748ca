#pragma once
// One collective call of the program: its buffers and the operation that uses them.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "actors/calls/request.hpp"
#include "actors/calls/user_operator.hpp"
#include "algorithm/owned_request.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/mpi/data/buffers.hpp"
#include "collective/observer.hpp"
#include "engine/engine.hpp"

namespace tutti::actors {

class CollectiveRequest final : public Request {
 public:
  CollectiveRequest(Rank& owner, Communicator& on, algorithm::Collective collective);
  ~CollectiveRequest() override;

  int rank() const;
  int size() const;
  Rank& owner() const { return owner_; }
  /// Makes this a persistent request. All ranks create the same ones in the same order.
  void make_persistent();
  /// The program may free its datatypes while the operation is in progress.
  bool outlives_call = false;

  // ---- for the argument functions (collective/mpi/arguments/sides.hpp) ----
  bool set_root(int root) const { return root >= 0 && root < size(); }
  /// A request of this collective without sizes.
  algorithm::Request request() const;
  bool goes_native(uint64_t /*bytes*/, bool /*is_known*/ = true) const { return false; }
  bool decline(int error) {
    error_ = error;
    return false;
  }
  bool refuse(int error) {
    error_ = error;
    return true;
  }
  bool refuse_missing_buffer() { return refuse(MPI_ERR_BUFFER); }
  bool prepare(const algorithm::Request& request) {
    request_ = algorithm::OwnedRequest(request);
    return true;
  }
  mpi::Buffers& buffers() { return buffers_; }
  using BoundOperator = actors::BoundOperator;
  int bind_operator(MPI_Op op, const mpi::Type* type, BoundOperator* bound);
  void use_operator(const BoundOperator& bound) { operator_ = bound; }
  template <class Load>
  bool carry_out(const base::Status& bound, Load load, const std::byte* input, std::byte* output) {
    if (!bound) return refuse(MPI_ERR_NO_MEM);
    load_ = load;
    bindings_.input = input;
    bindings_.output = output;
    return true;
  }
  /// The error class of the arguments, or MPI_SUCCESS.
  int error() const { return error_; }

  // ---- life ----
  /// Returns an error class.
  int start() override;
  /// A call with an error in this rank's arguments still uses up a sequence number, as on the other ranks.
  void skip_operation();
  bool is_done() const override { return operation_ == nullptr; }
  bool progress() override;
  void detach_sends(DetachedSends* so_far) override;
  int finish(MPI_Status* status) override;
  void completed(uint64_t awaited_ns) override;

 private:
  void begin(select::CallInterface interface);
  void observe_end();

  const algorithm::Collective collective_;
  algorithm::OwnedRequest request_;
  mpi::Buffers buffers_{mpi::Lifetime::operation};
  mpi::KeptTypes kept_types_;              // of the operator
  std::optional<BoundOperator> operator_;  // of a reduction
  engine::Bindings bindings_;
  std::function<base::Status()> load_;  // copies the program's data to the operation's buffers
  int error_ = MPI_SUCCESS;
  uint32_t persistent_ = 0, starts_ = 0;
  record::OperationCounter* counter_ = nullptr;  // of a persistent request, for the record
  uint64_t returned_ns_ = 0;                     // the call that started the operation has returned
  collective::DispatchedCall dispatched_;
  collective::CallEvent event_;
  engine::Operation* operation_ = nullptr;  // nullptr: not started, or ended
  base::Status outcome_;
};

}  // namespace tutti::actors
