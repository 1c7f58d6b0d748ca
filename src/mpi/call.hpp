#pragma once
// One collective call of the program on its way through Tutti.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "algorithm/owned_request.hpp"
#include "algorithm/request.hpp"
#include "base/clock.hpp"
#include "base/status.hpp"
#include "engine/engine.hpp"
#include "mpi/buffers.hpp"
#include "mpi/communicator.hpp"
#include "mpi/completing.hpp"
#include "mpi/datatype.hpp"
#include "mpi/runtime.hpp"

namespace tutti::mpi {

using algorithm::Collective;
using select::CallKind;

/// What Tutti keeps for a communicator of the program; nullptr: it does not serve it.
inline Communicator* served(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : runtime->communicators().find(comm);
}

/// The generated entry points make one, offer it to the function of the same name in collectives.hpp, and
/// call the native MPI when that declines. Everything here is one thread's business, until a nonblocking or
/// persistent call has been handed over (pending_call.hpp, persistent_call.hpp).
class Call {
 public:
  Call(Collective collective, Communicator& communicator, CallKind kind = CallKind::blocking)
      : collective_(collective),
        kind_(kind),
        communicator_(&communicator),
        report_(communicator.runtime().report()) {
    if (report_ != nullptr) started_ns_ = base::monotonic_ns();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Collective collective() const { return collective_; }
  bool is_blocking() const { return kind_ == CallKind::blocking; }
  bool is_persistent() const { return kind_ == CallKind::persistent; }
  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }
  bool has_rank(int rank) const { return rank >= 0 && rank < size(); }

  /// A request of this collective that says nothing else yet.
  algorithm::Request request() const {
    const bool only_root_knows = collective_ == Collective::gatherv || collective_ == Collective::scatterv;
    return {.collective = collective_, .rank_count = size(), .counts_known_everywhere = !only_root_knows};
  }

  /// The program has said what it wants: no rule is asked. Before the call is offered to anybody.
  void wish(const algorithm::Choice& choice) { wish_ = choice; }
  /// How often a persistent collective will be started, about; 0: nobody knows. The same on all ranks.
  void expect(uint64_t starts) { expected_starts_ = starts; }

  /// True when no rule wants a call of this size: the cheap way out, before anything is set up.
  /// `bytes` as select::bytes_of_interest() defines them.
  bool goes_native(uint64_t bytes, bool is_known = true);

  /// Decides. False: the native MPI.
  bool prepare(const algorithm::Request& request);
  /// What the call works on; made when it is first asked for.
  Buffers& buffers() {
    if (!buffers_) buffers_.emplace(is_blocking() ? Lifetime::call : Lifetime::operation);
    return *buffers_;
  }

  /// An error in the arguments that the native MPI would run into instead of refusing it. Nothing has taken
  /// place: before prepare(). Returns true.
  bool refuse(int error);
  /// There is no address for data. MPICH refuses that itself, with a better message.
  bool refuse_missing_buffer();

  /// Carries the decision out, or makes ready for it where the call does not block. `bound`: the buffers
  /// stand; `load` brings the program's data into them, at every start of a persistent collective. Errors go
  /// to the communicator's error handler. Where `load` fails the operation takes place all the same, because
  /// the other ranks wait for this one's part in it, and then the call fails. Returns true.
  template <class Load>
  bool carry_out(const base::Status& bound, Load load, const std::byte* input, std::byte* output) {
    is_served_ = true;
    if (!bound || !answer_.prepared.failure) return give_up(bound ? answer_.prepared.failure : bound);
    if (is_persistent())
      load_ = load;
    else
      loaded_ = load();
    bindings_ = {.input = input, .output = output, .reducer = buffers_ ? &buffers_->reducer : nullptr};
    return is_blocking() ? finish(communicator_->run(*answer_.prepared.plan, bindings_)) : true;
  }

  /// Tutti serves the call, or it is not known yet who does.
  bool is_served() const { return is_served_; }
  /// Of a nonblocking call whose site has to agree first: asks again. False: still unknown. Any thread.
  bool decide();
  /// A blocking call waits here before it goes native, if calls before it are not there yet.
  void settle() const {
    if (communicator_->has_held()) communicator_->settle();
  }
  /// Of a persistent collective: makes it ready for one more operation. Where its site has to agree first, the
  /// answer is open, and decide() asks again.
  void start_again();

  /// Of a nonblocking or persistent call that carry_out() has made ready.
  Communicator& communicator() const { return *communicator_; }
  const Answer& answer() const { return answer_; }
  /// When the call began, where anybody wants to know.
  uint64_t started_ns() const { return started_ns_; }
  const engine::Bindings& bindings() const { return bindings_; }

  /// Ends a call that Tutti has served: brings the result to the program. Any thread.
  void end(base::Status status);
  /// The same on the program's thread, inside the call: an error goes to the error handler. Returns true.
  bool finish(base::Status status);
  /// Of a call that has ended badly after it had returned.
  Failure failure() const;

  /// Gives back what the call worked on.
  void drop_buffers() { buffers_.reset(); }

  /// What MPI_* returns.
  int result() const { return result_; }
  /// Ends a call that the native MPI has served: hands its result on.
  int native(int result) {
    if (result == MPI_SUCCESS) communicator_->count_call();
    if (report_ != nullptr) record_native();
    if (answer_.turn && is_blocking()) end_turn();
    return result;
  }

 private:
  bool is_ours() const { return !answer_.prepared.is_native() || answer_.is_open(); }
  /// This rank cannot take part. The operation counts, so that the next ones find their peers.
  bool give_up(const base::Status& why);
  void record_native();
  void ask_site();
  void end_turn();

  Collective collective_;
  CallKind kind_;
  Communicator* communicator_;
  Report* report_;
  uint64_t started_ns_ = 0;
  uint64_t bytes_ = 0;
  bool bytes_known_ = false;
  std::optional<algorithm::Choice> wish_;
  uint64_t expected_starts_ = 0;
  Answer answer_;
  bool is_served_ = false;
  std::optional<algorithm::OwnedRequest> request_;  // of a call whose answer is open
  std::optional<Buffers> buffers_;
  engine::Bindings bindings_;
  std::function<base::Status()> load_;  // of a persistent collective
  base::Status loaded_;                 // how it went
  int result_ = MPI_SUCCESS;
};

}  // namespace tutti::mpi
