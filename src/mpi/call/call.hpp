#pragma once
// State of one collective call of the program inside Tutti.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "algorithm/owned_request.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/dispatched_call.hpp"
#include "collective/mpi/data/buffers.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "collective/observer.hpp"
#include "engine/engine.hpp"
#include "mpi/call/use_trace.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/request/failure.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using algorithm::Collective;
using select::CallInterface;

/// True if a native call with this result has taken place, so that the other ranks count it, too: it has succeeded, or
/// a message was truncated. False: the native MPI has refused it.
bool has_taken_place(int result);

/// The generated entry points create a Call, offer it to the function of the same name in collective/mpi/arguments, and
/// call the native MPI if that declines. Used by one thread, until a nonblocking or persistent call has been handed
/// over (call/nonblocking_call.hpp, call/persistent_call.hpp).
class Call {
 public:
  /// `caller`: the program's return address; nullptr: unknown.
  Call(Collective collective, Communicator& communicator, CallInterface interface = CallInterface::blocking,
       const void* caller = nullptr)
      : communicator_(&communicator),
        is_observed_(!communicator.runtime().observers().is_empty()),
        event_{.collective = collective,
               .interface = interface,
               .caller = caller,
               .counter = communicator.counter()} {
    const bool may_be_sampled = is_blocking() && !communicator.runtime().observers().time_every_call();
    if (is_observed_ && !is_persistent() && !may_be_sampled) begin();
    if (is_blocking() && communicator.dispatcher().may_return_early(collective))
      early_buffers_ = std::make_unique<Buffers>(Lifetime::operation);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Collective collective() const { return event_.collective; }
  bool is_blocking() const { return event_.interface == CallInterface::blocking; }
  bool is_persistent() const { return event_.interface == CallInterface::persistent; }
  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }
  /// Sets the root of a rooted collective. False: there is no such rank.
  bool set_root(int root) {
    event_.root = static_cast<uint32_t>(root);
    return root >= 0 && root < size();
  }

  /// A request of this collective without sizes and buffers.
  algorithm::Request request() const {
    const bool only_root_knows = collective() == Collective::gatherv || collective() == Collective::scatterv;
    return {.collective = collective(), .rank_count = size(), .counts_known_everywhere = !only_root_knows};
  }

  /// The program demands this algorithm: rules do not apply. Called before prepare().
  void set_hint(const algorithm::Choice& choice) { hint_ = choice; }
  /// Sets the approximate number of starts of a persistent collective; 0: unknown. The same on all ranks.
  void expect(uint64_t starts) { expected_starts_ = starts; }

  /// True if a call of this size is left to the native MPI: by the rules, or because it has no data and is no barrier.
  /// Cheap, called before any set-up. `bytes`: as in select::bytes_of_interest().
  bool goes_native(uint64_t bytes, bool is_known = true);
  /// The arguments are invalid: the native MPI takes the call and returns the right error. Returns false.
  bool decline(int /*error*/) { return false; }

  /// Decides what serves the call. False: the native MPI.
  bool prepare(const algorithm::Request& request);
  /// The buffers of the call; created at the first use.
  Buffers& buffers() {
    if (early_buffers_ != nullptr) return *early_buffers_;
    if (!buffers_) buffers_.emplace(is_blocking() ? Lifetime::call : Lifetime::operation);
    return *buffers_;
  }

  using BoundOperator = MpiReducer;
  /// Returns an error class: the reduction stays native if the operator does not fit the type, or if another thread
  /// would call a user-defined one.
  int bind_operator(MPI_Op op, const Type* type, MpiReducer* bound) const {
    return bound->bind(op, *type) && (is_blocking() || !bound->is_own_operator()) ? MPI_SUCCESS : MPI_ERR_OP;
  }
  void use_operator(const MpiReducer& bound) { buffers().reducer = bound; }

  /// Ends the call with an error in its arguments that the native MPI would not detect before it starts. Called before
  /// prepare(), so that the call has not taken place. Returns true.
  bool refuse(int error);
  /// Refuses a call without an address for its data. False with MPICH, which refuses it itself with a better message.
  bool refuse_missing_buffer();

  /// Carries out the decision, or prepares for it if the call does not block. `bound`: result of binding the buffers;
  /// `load` copies the program's data into them, at every start of a persistent collective. Errors go to the
  /// communicator's error handler. If `load` fails, the operation still runs, because the other ranks depend on it, and
  /// then the call fails. Returns true.
  template <class Load>
  bool carry_out(const base::Status& bound, Load load, const std::byte* input, std::byte* output) {
    is_served_ = true;
    if (!bound) return fail_locally(bound);
    if (const auto* const failed = std::get_if<collective::FailedCall>(&dispatched_.prepared.work))
      return fail_locally(failed->why);
    if (is_persistent())
      load_ = load;
    else
      loaded_ = load();
    bindings_ = {.input = input, .output = output, .reducer = has_buffers() ? &buffers().reducer : nullptr};
    if (dispatched_.prepared.execution.returns_early) return leave_early();
    return is_blocking() ? finish(communicator_->run(dispatched_.prepared, bindings_)) : true;
  }

  /// True if Tutti serves the call, or the decision is still open.
  bool is_served() const { return is_served_; }
  /// For a call whose site has to agree first: requests the decision again. False: still unknown. Any thread.
  bool decide();
  /// Prepares a persistent collective for another operation. If its site has to agree first, the answer is open, and
  /// decide() requests it again.
  void start_again();

  /// For a nonblocking or persistent call that carry_out() has prepared.
  Communicator& communicator() const { return *communicator_; }
  const collective::DispatchedCall& dispatched() const { return dispatched_; }
  /// Time at which the call began; 0: it is neither observed nor a trial.
  uint64_t started_ns() const { return event_.started_ns; }
  bool is_observed() const { return is_observed_; }
  /// Event for the completion of a call that does not block and that the native MPI serves.
  collective::CallEvent native_event() const;
  /// Sets a persistent collective's own counter. Called before it is started.
  void set_counter(record::OperationCounter* counter) { event_.counter = counter; }
  const engine::Bindings& bindings() const { return bindings_; }

  /// Ends a call that Tutti has served: copies the result to the program's buffers. Any thread.
  void end(base::Status status);
  /// The same on the program's thread, inside the call: an error goes to the error handler. Returns true.
  bool finish(base::Status status);
  /// The failure of an operation that ended after its call had returned.
  Failure failure() const;

  /// Releases the buffers of the call.
  void drop_buffers() { buffers_.reset(); }

  /// The return value of MPI_*.
  int result() const { return result_; }
  /// Ends a call that the native MPI has served; returns its result.
  int native(int result);
  /// The program has learned of the end of the call. `cost`: the cost of the call to the program.
  void complete(const select::Sample& cost);

 private:
  bool has_buffers() const { return early_buffers_ != nullptr || buffers_.has_value(); }
  bool leave_early();
  void trace_uses();
  bool is_ours() const { return !dispatched_.prepared.is_native() || dispatched_.is_open(); }
  /// Called if this rank cannot take part. The operation is counted, so that later ones match those of the peers.
  bool fail_locally(const base::Status& why);
  void begin();
  void begin_sampled(bool is_native);
  void on_operation_ended();
  void ask_site();

  Communicator* communicator_;
  bool is_observed_;
  collective::CallEvent event_;
  std::optional<algorithm::Choice> hint_;
  uint64_t expected_starts_ = 0;
  collective::DispatchedCall dispatched_;
  bool is_served_ = false;
  bool is_root_ = false;
  std::optional<algorithm::OwnedRequest> request_;  // of a call whose decision comes later
  std::optional<Buffers> buffers_;
  /// Used instead of buffers_ by a call that may return before its operation has ended.
  std::unique_ptr<Buffers> early_buffers_;
  engine::Bindings bindings_;
  std::optional<UseTrace> use_trace_;   // of a call whose order of use is being recorded
  std::function<base::Status()> load_;  // of a persistent collective
  base::Status loaded_;                 // the result of the latest load
  int result_ = MPI_SUCCESS;
};

}  // namespace tutti::mpi
