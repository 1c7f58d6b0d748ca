#include "actors/calls/collective_request.hpp"

#include <algorithm>
#include <utility>

#include "actors/calls/collectives.hpp"
#include "actors/calls/rank.hpp"
#include "base/clock.hpp"
#include "collective/mpi/data/staging.hpp"
#include "select/selector.hpp"

namespace tutti::actors {

CollectiveRequest::CollectiveRequest(Rank& owner, Communicator& on, algorithm::Collective collective)
    : Request(owner, &on), collective_(collective) {}

CollectiveRequest::~CollectiveRequest() {
  std::erase(owner_.active_collectives(), this);
}

int CollectiveRequest::rank() const {
  return communicator()->rank();
}

int CollectiveRequest::size() const {
  return communicator()->size();
}

algorithm::Request CollectiveRequest::request() const {
  const bool only_root_knows =
      collective_ == algorithm::Collective::gatherv || collective_ == algorithm::Collective::scatterv;
  return {.collective = collective_, .rank_count = size(), .counts_known_everywhere = !only_root_knows};
}

int CollectiveRequest::bind_operator(MPI_Op op, const mpi::Type* type, BoundOperator* bound) {
  // The operator gets the program's handle, which stays valid while a type is made of it.
  mpi::Type kept = *type;
  if (outlives_call && !kept_types_.keep(&kept)) return MPI_ERR_NO_MEM;
  if (is_predefined(op)) return bound->bind_predefined(op, *type);
  const UserOperator* const own = owner_.operators().find_own(op);
  if (own == nullptr) return MPI_ERR_OP;
  bound->bind_own(*own, *type, owner_.programs(type->handle));
  return MPI_SUCCESS;
}

void CollectiveRequest::make_persistent() {
  is_persistent = true;
  is_active = false;
  persistent_ = collectives_of(owner_, *communicator()).next_persistent();
  counter_ = owner_.services().new_counter_of_request(*communicator());
}

int CollectiveRequest::start() {
  // If load() fails, the operation still runs: the other ranks wait for this rank's part.
  if (load_) outcome_ = load_();
  if (operator_) {
    operator_->start_again();
    bindings_.reducer = &operator_->reducer();
  }
  Collectives& collectives = collectives_of(owner_, *communicator());
  const uint32_t operation =
      is_persistent ? Collectives::number_of_start(persistent_, starts_++) : collectives.next_number();
  const auto kind = is_persistent   ? select::CallInterface::persistent
                    : outlives_call ? select::CallInterface::nonblocking
                                    : select::CallInterface::blocking;
  begin(kind);
  auto started = collectives.start(request_.get(), kind, bindings_, operation, &dispatched_);
  if (dispatched_.is_trial() && event_.started_ns == 0) event_.started_ns = base::monotonic_ns();
  if (!started) {
    outcome_ = started.status();
    return MPI_ERR_OTHER;
  }
  operation_ = *started;
  owner_.active_collectives().push_back(this);
  progress();
  if (event_.started_ns != 0) returned_ns_ = base::monotonic_ns();
  return MPI_SUCCESS;
}

void CollectiveRequest::begin(select::CallInterface interface) {
  const collective::Observers& observers = owner_.services().observers();
  const algorithm::Request& request = request_.get();
  event_ = {.collective = collective_, .interface = interface, .dispatched = &dispatched_};
  event_.bytes_known = select::bytes_of_interest(request, &event_.bytes);
  if (algorithm::is_rooted(collective_)) event_.root = static_cast<uint32_t>(request.root);
  if (observers.is_empty()) return;
  event_.caller = owner_.caller();
  event_.counter = is_persistent ? counter_ : owner_.services().counter_of(*communicator());
  event_.started_ns = base::monotonic_ns();
  observers.begun(event_);
}

/// The cost of a blocking call is the time inside it.
void CollectiveRequest::observe_end() {
  if (event_.started_ns == 0) return;
  DispatchServices& services = owner_.services();
  event_.ended_ns = base::monotonic_ns();
  services.observers().ended(event_);
  if (event_.interface != select::CallInterface::blocking) return;
  const select::Sample cost{.start_ns = event_.ended_ns - event_.started_ns,
                            .began_ns = event_.started_ns,
                            .is_root = request_.get().root == rank()};
  if (dispatched_.is_trial()) services.trial_observer().completed(event_, cost);
  services.observers().completed(event_, cost);
}

void CollectiveRequest::completed(uint64_t awaited_ns) {
  if (event_.started_ns == 0 || event_.interface == select::CallInterface::blocking) return;
  const uint64_t now_ns = base::monotonic_ns(), since_ns = awaited_ns == 0 ? now_ns : awaited_ns;
  owner_.services().observers().completed(event_, {.start_ns = returned_ns_ - event_.started_ns,
                                                   .between_ns = since_ns - returned_ns_,
                                                   .wait_ns = now_ns - since_ns,
                                                   .began_ns = event_.started_ns});
}

void CollectiveRequest::skip_operation() {
  if (!is_persistent) collectives_of(owner_, *communicator()).next_number();
}

bool CollectiveRequest::progress() {
  if (operation_ == nullptr) return false;
  engine::CpuEngine& engine = collectives_of(owner_, *communicator()).engine();
  bool has_moved = false;
  while (engine.progress()) has_moved = true;
  if (!operation_->is_done()) return has_moved;
  if (outcome_) outcome_ = operation_->status();
  engine.release(operation_);
  operation_ = nullptr;
  observe_end();
  std::erase(owner_.active_collectives(), this);
  return true;
}

void CollectiveRequest::detach_sends(DetachedSends* so_far) {
  collectives_of(owner_, *communicator()).detach_sends(so_far);
}

int CollectiveRequest::finish(MPI_Status* status) {
  set_empty(status);
  if (outcome_) outcome_ = buffers_.store();
  if (outcome_) return MPI_SUCCESS;
  return outcome_.code() == base::Code::invalid_argument ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}

}  // namespace tutti::actors
