#pragma once
// One collective call of the program on its way through Tutti.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "algorithm/owned_request.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/answer.hpp"
#include "dispatch/observer.hpp"
#include "engine/engine.hpp"
#include "mpi/data/buffers.hpp"
#include "mpi/data/datatype.hpp"
#include "mpi/lifecycle/communicator.hpp"
#include "mpi/lifecycle/runtime.hpp"
#include "mpi/request/failure.hpp"
#include "mpi/request/use_trace.hpp"

namespace tutti::mpi {

using algorithm::Collective;
using select::CallKind;

/// The native MPI has carried a call out that has this result, well or badly, and has not refused it at once: the other
/// ranks count it, too.
bool has_taken_place(int result);

/// The generated entry points make one, offer it to the function of the same name in collectives.hpp, and
/// call the native MPI when that declines. Everything here is one thread's business, until a nonblocking or
/// persistent call has been handed over (request/nonblocking_call.hpp, request/persistent_call.hpp).
class Call {
 public:
  /// `caller`: where the program called from, its return address; nullptr: unknown.
  Call(Collective collective, Communicator& communicator, CallKind interface = CallKind::blocking,
       const void* caller = nullptr)
      : communicator_(&communicator),
        is_observed_(!communicator.runtime().observers().is_empty()),
        event_{.collective = collective,
               .interface = interface,
               .caller = caller,
               .track = communicator.track()} {
    const bool may_be_sampled = is_blocking() && !communicator.runtime().observers().time_every_call();
    if (is_observed_ && !is_persistent() && !may_be_sampled) begin();
    if (is_blocking() && communicator.decisions().may_return_early(collective))
      early_buffers_ = std::make_unique<Buffers>(Lifetime::operation);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Collective collective() const { return event_.collective; }
  bool is_blocking() const { return event_.interface == CallKind::blocking; }
  bool is_persistent() const { return event_.interface == CallKind::persistent; }
  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }
  /// Of a rooted collective. False: there is no such rank.
  bool set_root(int root) {
    event_.root = static_cast<uint32_t>(root);
    return root >= 0 && root < size();
  }

  /// A request of this collective that says nothing else yet.
  algorithm::Request request() const {
    const bool only_root_knows = collective() == Collective::gatherv || collective() == Collective::scatterv;
    return {.collective = collective(), .rank_count = size(), .counts_known_everywhere = !only_root_knows};
  }

  /// The program has said what it wants: no rule is asked. Before prepare().
  void set_hint(const algorithm::Choice& choice) { hint_ = choice; }
  /// How often a persistent collective will be started, about; 0: unknown. The same on all ranks.
  void expect(uint64_t starts) { expected_starts_ = starts; }

  /// True when no rule wants a call of this size: the cheap way out, before anything is set up.
  /// `bytes` as select::bytes_of_interest() defines them.
  bool goes_native(uint64_t bytes, bool is_known = true);

  /// Decides. False: the native MPI.
  bool prepare(const algorithm::Request& request);
  /// What the call works on; made when it is first asked for.
  Buffers& buffers() {
    if (early_buffers_ != nullptr) return *early_buffers_;
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
    bindings_ = {.input = input, .output = output, .reducer = has_buffers() ? &buffers().reducer : nullptr};
    if (answer_.prepared.execution.returns_early) return leave_early();
    return is_blocking() ? finish(communicator_->run(answer_.prepared, bindings_)) : true;
  }

  /// Tutti serves the call, or that has not been decided yet.
  bool is_served() const { return is_served_; }
  /// Of a nonblocking call whose site has to agree first: asks again. False: still unknown. Any thread.
  bool decide();
  /// Of a persistent collective: makes it ready for one more operation. Where its site has to agree first,
  /// the answer is open, and decide() asks again.
  void start_again();

  /// Of a nonblocking or persistent call that carry_out() has made ready.
  Communicator& communicator() const { return *communicator_; }
  const dispatch::Answer& answer() const { return answer_; }
  /// When the call began, where it is observed or a trial; 0 elsewhere.
  uint64_t started_ns() const { return event_.started_ns; }
  bool is_observed() const { return is_observed_; }
  /// The native MPI serves a call that does not block: observers hear of its completion with this.
  dispatch::CallEvent native_event() const;
  /// Of a persistent collective: its own numbers. Before it is started.
  void set_track(record::Track* track) { event_.track = track; }
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
  int native(int result);
  /// The program knows of the end of a call that does not block, which has cost it so much.
  void complete(const select::Sample& cost);

 private:
  bool has_buffers() const { return early_buffers_ != nullptr || buffers_.has_value(); }
  bool leave_early();
  void trace_uses();
  bool is_ours() const { return !answer_.prepared.is_native() || answer_.is_open(); }
  /// This rank cannot take part. The operation counts, so that the next ones find their peers.
  bool give_up(const base::Status& why);
  void begin();
  void begin_sampled(bool is_native);
  void over();
  void ask_site();

  Communicator* communicator_;
  bool is_observed_;
  dispatch::CallEvent event_;
  std::optional<algorithm::Choice> hint_;
  uint64_t expected_starts_ = 0;
  dispatch::Answer answer_;
  bool is_served_ = false;
  bool is_root_ = false;
  std::optional<algorithm::OwnedRequest> request_;  // of a call whose answer is open
  std::optional<Buffers> buffers_;
  /// In their place, of a call that may return before its operation has ended.
  std::unique_ptr<Buffers> early_buffers_;
  engine::Bindings bindings_;
  std::optional<UseTrace> use_trace_;   // of a call whose order is being learned
  std::function<base::Status()> load_;  // of a persistent collective
  base::Status loaded_;                 // how it went
  int result_ = MPI_SUCCESS;
};

}  // namespace tutti::mpi
