#include "process.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "calls.hpp"

namespace torture {

namespace {

/// Operations that change places on a rank, at most.
constexpr int k_longest_group = 6;

#ifdef MPICH
constexpr bool k_may_free_types_early = true;
#else
constexpr bool k_may_free_types_early = false;  // Open MPI 4.1 crashes in its own nonblocking collectives
#endif

}  // namespace

Process::Process(const Plan& plan, const Conduct& conduct, int rank)
    : plan_(plan),
      conduct_(conduct),
      rank_(rank),
      communicators_(plan.communicators().size(), MPI_COMM_NULL),
      coming_(plan.communicators().size()) {
  communicators_.front() = MPI_COMM_WORLD;
}

uint64_t Process::private_seed(const Op& op) const {
  return mix(mix(conduct_.seed, static_cast<uint64_t>(op.id)), static_cast<uint64_t>(rank_) + 1000);
}

int Process::rank_in(const Op& op) const {
  return plan_.communicators()[static_cast<size_t>(op.communicator)].rank_of(rank_);
}

int Process::size_of(const Op& op) const {
  return static_cast<int>(plan_.communicators()[static_cast<size_t>(op.communicator)].ranks.size());
}

bool Process::takes_part(const Op& op) const {
  return rank_in(op) >= 0;
}

/// The result of MPI_Comm_idup can be used when its request is complete.
MPI_Comm Process::communicator(const Op& op) {
  const auto at = static_cast<size_t>(op.communicator);
  if (coming_[at] != nullptr) {
    pending_.wait_for(plan_.communicators()[at].made_by);
    communicators_[at] = *coming_[at];
    coming_[at].reset();
  }
  return communicators_[at];
}

uint64_t Process::run() {
  const std::vector<Op>& all = plan_.operations();
  for (auto first = all.begin(); first != all.end();) {
    const auto last = end_of_group(first);
    run_group(first, last);
    pending_.complete_some(std::prev(last)->id, inactive(), Random(mix(private_seed(*first), 5)));
    first = last;
  }
  finish();
  return digest_;
}

/// One operation, or several that may change places. None of them uses the same persistent request twice.
Process::OpIterator Process::end_of_group(OpIterator first) const {
  auto last = std::next(first);
  if (!first->may_be_reordered()) return last;
  const auto uses_same = [&](const Op& op) {
    return op.object >= 0 &&
           std::any_of(first, last, [&](const Op& other) { return other.object == op.object; });
  };
  while (last != plan_.operations().end() && last - first < k_longest_group && last->may_be_reordered() &&
         !uses_same(*last))
    ++last;
  return last;
}

void Process::run_group(OpIterator first, OpIterator last) {
  std::vector<const Op*> left;
  for (auto op = first; op != last; ++op)
    if (takes_part(*op)) left.push_back(&*op);
  for (const Op* op : left) prepare(*op);
  Random random(mix(private_seed(*first), 7));
  while (!left.empty()) {
    // Any of them, but the first one of its communicator.
    const Op* chosen = left[static_cast<size_t>(random.below(static_cast<int>(left.size())))];
    const auto is_same = [&](const Op* op) { return op->communicator == chosen->communicator; };
    const auto place = std::find_if(left.begin(), left.end(), is_same);
    const Op& op = **place;
    left.erase(place);
    run(op);
  }
}

/// Waits for what an operation needs, before any of its group is begun.
void Process::prepare(const Op& op) {
  torture_doing.operation = op.id;
  seed_naps(mix(private_seed(op), 11), conduct_.nap_permille);
  static_cast<void>(communicator(op));
  if (op.object < 0) return;
  if (const auto found = persistent_.find(op.object); found != persistent_.end() && found->second.is_active)
    pending_.wait_for(op.object);
}

void Process::run(const Op& op) {
  torture_doing.operation = op.id;
  seed_naps(private_seed(op), conduct_.nap_permille);
  if (conduct_.is_verbose)
    std::fprintf(stderr,
                 "rank %d: operation %d, kind %d, %s, interface %d, communicator %d of %d ranks, object %d\n",
                 rank_, op.id, static_cast<int>(op.kind), name_of(op.collective).data(),
                 static_cast<int>(op.interface), op.communicator, size_of(op), op.object);
  switch (op.kind) {
    case Kind::collective:
      return collective(op);
    case Kind::make_persistent:
      return make_persistent(op);
    case Kind::start_persistent:
      return start_persistent(op);
    case Kind::free_persistent:
      return free_persistent(op);
    case Kind::message:
      return message(op, true, true, true);
    case Kind::send:
      return message(op, true, false, false);
    case Kind::receive:
      return message(op, false, true, false);
    case Kind::make_communicator:
      return make_communicator(op);
    case Kind::free_communicator:
      return free_communicator(op);
    case Kind::make_window:
      windows_[op.id] = std::make_unique<Window>(op, communicator(op), rank_in(op), size_of(op));
      return;
    case Kind::window_epoch:
      return note(windows_.at(op.object)->epoch(op));
    case Kind::free_window:
      windows_.at(op.object)->free();
      windows_.erase(op.object);
      return;
    case Kind::attribute:
      return attribute(op);
    case Kind::error:
      return error(op);
  }
}

std::vector<MPI_Request> Process::inactive() const {
  std::vector<MPI_Request> requests;
  for (const auto& [id, persistent] : persistent_)
    if (!persistent.is_active) requests.push_back(persistent.request);
  return requests;
}

void Process::collective(const Op& op) {
#ifndef TORTURE_COVERED
  if (op.is_among_neighbours) return among_neighbours(op);
#endif
  const uint64_t seed = private_seed(op);
  auto call = std::make_shared<CollectiveCall>(op, rank_in(op), size_of(op), seed);
  call->fill(0);
  if (conduct_.is_verbose) std::fprintf(stderr, "rank %d: %s\n", rank_, call->describe().c_str());
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(call->call(communicator(op), &request));
  const bool is_early = k_may_free_types_early && Random(mix(seed, 3)).percent(50);
  if (op.interface == Interface::blocking) return note(call->check(0));
  if (is_early) call->drop_handles();
  pending_.add({.request = request,
                .operation = op.id,
                .ready = op.ready,
                .end = [this, call](MPI_Request, const MPI_Status&) { note(call->check(0)); }});
}

void Process::make_persistent(const Op& op) {
  const uint64_t seed = private_seed(op);
  Persistent& made = persistent_[op.id];
  made.call = std::make_unique<CollectiveCall>(op, rank_in(op), size_of(op), seed);
  if (conduct_.is_verbose) std::fprintf(stderr, "rank %d: %s\n", rank_, made.call->describe().c_str());
  CALL(made.call->call(communicator(op), &made.request));
  if (k_may_free_types_early && Random(mix(seed, 3)).percent(50)) made.call->drop_handles();
}

void Process::start_persistent(const Op& op) {
  Persistent& persistent = persistent_.at(op.object);
  persistent.call->fill(++persistent.round);
  CALL(MPI_Start(&persistent.request));
  persistent.is_active = true;
  pending_.add({.request = persistent.request,
                .operation = op.object,
                .ready = op.ready,
                .is_persistent_collective = true,
                .end = [this, &persistent](MPI_Request request, const MPI_Status&) {
                  if (request != persistent.request) fail("a persistent request has changed");
                  persistent.is_active = false;
                  note(persistent.call->check(persistent.round));
                }});
}

void Process::free_persistent(const Op& op) {
  CALL(MPI_Request_free(&persistent_.at(op.object).request));
  persistent_.erase(op.object);
}

void Process::finish() {
  seed_naps(mix(conduct_.seed, static_cast<uint64_t>(rank_)), conduct_.nap_permille);
  torture_doing.operation = 1'000'000;
  pending_.wait_for_all();
  for (auto& [id, window] : windows_) window->free();
  for (auto& [id, persistent] : persistent_) {
    CALL(MPI_Request_free(&persistent.request));
    persistent.call->drop_handles();
  }
  for (const auto& message : given_up_) message->drop_type();
  if (keyval_ != MPI_KEYVAL_INVALID) CALL(MPI_Comm_free_keyval(&keyval_));
}

}  // namespace torture
