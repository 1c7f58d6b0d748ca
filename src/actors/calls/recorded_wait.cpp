#include "actors/calls/recorded_wait.hpp"

#include "actors/calls/rank.hpp"
#include "base/clock.hpp"

namespace tutti::actors {

RecordedWait::RecordedWait(Rank& me, record::MessageCall call, const std::string& name)
    : me_(me), call_(call), name_(name) {
  record::RankRecord* const record = me_.services().record();
  if (record == nullptr) return;
  me_.services().tests_in_loop().end(*record);
  arrival_ns_ = base::monotonic_ns();
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
  if (arrival_ns_ == 0 || request.communicator() == nullptr) return;
  for (const int peer : request.awaited_peers()) begin(*request.communicator(), peer);
}

void RecordedWait::end(Communicator& on, int peer) {
  if (arrival_ns_ == 0 || peer == MPI_PROC_NULL) return;
  me_.services().record()->message(call_, me_.services().counter_of(on), peer, arrival_ns_,
                                   base::monotonic_ns() - arrival_ns_, &name_);
}

void RecordedWait::end(const Request& request) {
  if (arrival_ns_ == 0 || request.communicator() == nullptr) return;
  for (const int peer : request.awaited_peers()) end(*request.communicator(), peer);
}

RecordedTest::RecordedTest(Rank& me, const std::string& name) : me_(me), name_(name) {
  record::RankRecord* const record = me_.services().record();
  if (record == nullptr) return;
  began_ns_ = base::monotonic_ns();
  me_.services().tests_in_loop().begin(*record, began_ns_);
}

template <class AddAwaited>
void RecordedTest::failed(AddAwaited add_awaited) {
  if (began_ns_ == 0) return;
  DispatchServices& services = me_.services();
  services.tests_in_loop().failed(*services.record(), &name_, began_ns_, base::monotonic_ns(), add_awaited);
}

void RecordedTest::failed(Communicator& on, int peer) {
  failed([&](record::TestsInLoop& tests) { tests.add(me_.services().counter_of(on), peer); });
}

void RecordedTest::failed(std::span<Request* const> requests) {
  failed([&](record::TestsInLoop& tests) {
    for (const Request* const one : requests) {
      if (one == nullptr || !one->is_active || one->is_done() || one->communicator() == nullptr) continue;
      record::OperationCounter* const counter = me_.services().counter_of(*one->communicator());
      const std::vector<int> peers = one->awaited_peers();
      if (peers.empty()) tests.add(counter, MPI_ANY_SOURCE);
      for (const int peer : peers) tests.add(counter, peer);
    }
  });
}

void RecordedTest::succeeded() {
  if (began_ns_ != 0) me_.services().tests_in_loop().end(*me_.services().record(), base::monotonic_ns());
}

}  // namespace tutti::actors
