#include "actors/calls/recorded_wait.hpp"

#include "actors/calls/rank.hpp"
#include "base/clock.hpp"
#include "record/rank_record.hpp"

namespace tutti::actors {

RecordedWait::RecordedWait(Rank& me, record::MessageCall call, const std::string& name)
    : me_(me), call_(call), name_(name) {
  if (me_.services().record() != nullptr) arrival_ns_ = base::monotonic_ns();
}

RecordedWait::~RecordedWait() {
  for (size_t i = 0; i < count_; ++i) me_.services().record()->recorder().close(open_[i]);
}

void RecordedWait::begin(Communicator& on, int peer) {
  if (arrival_ns_ == 0 || peer == MPI_PROC_NULL || count_ == k_most) return;
  open_[count_++] =
      me_.services().record()->open_wait(call_, me_.services().counter_of(on), peer, arrival_ns_, &name_);
}

void RecordedWait::begin(const Request& request) {
  if (request.communicator() != nullptr) begin(*request.communicator(), request.awaited_peer());
}

void RecordedWait::end(Communicator& on, int peer) {
  if (arrival_ns_ == 0 || peer == MPI_PROC_NULL) return;
  me_.services().record()->message(call_, me_.services().counter_of(on), peer, arrival_ns_,
                                   base::monotonic_ns() - arrival_ns_, &name_);
}

}  // namespace tutti::actors
