#include "tests/support/transport/fault_endpoint.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tutti::transport {

using base::Code;
using base::Status;

FaultEndpoint::FaultEndpoint(Endpoint& inner, const Faults& faults)
    : inner_(inner), faults_(faults), random_(faults.seed) {}

/// Returns 0, or with this probability a number of polls.
uint32_t FaultEndpoint::draw(uint32_t percent) {
  if (random_() % 100 >= percent) return 0;
  ++injected_count_;
  return 1 + static_cast<uint32_t>(random_() % std::max(1u, faults_.max_delay_polls));
}

Status FaultEndpoint::send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) {
  return accept(
      {.kind = Transfer::Kind::send, .peer = to, .tag = tag, .source = data, .end = {.cookie = cookie}});
}

Status FaultEndpoint::recv(Peer from, Tag tag, Bytes data, uint64_t cookie) {
  return accept(
      {.kind = Transfer::Kind::recv, .peer = from, .tag = tag, .target = data, .end = {.cookie = cookie}});
}

Status FaultEndpoint::accept(Transfer transfer) {
  if (draw(faults_.refuse_percent) > 0) return try_again();
  transfer.id = ++accepted_count_;
  if (faults_.failing_transfer > 0 && transfer.id >= faults_.failing_transfer) {
    ++injected_count_;
    if (faults_.fails_at_start) return {Code::system, "injected error", k_injected_error};
    hold(transfer, {.code = Code::system, .native = k_injected_error});
    transfers_.push_back(transfer);
    return {};
  }
  transfer.polls_left = draw(faults_.delay_percent);
  transfers_.push_back(transfer);
  if (transfer.polls_left > 0 || follows_a_delayed_one(transfers_.size() - 1)) return {};
  Status started = pass_on(transfer);
  if (started)
    transfers_.back().state = Transfer::State::started;
  else
    transfers_.pop_back();
  return started;
}

Status FaultEndpoint::pass_on(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::send
             ? inner_.send(transfer.peer, transfer.tag, transfer.source, transfer.id)
             : inner_.recv(transfer.peer, transfer.tag, transfer.target, transfer.id);
}

bool FaultEndpoint::follows_a_delayed_one(size_t index) const {
  const Transfer& transfer = transfers_[index];
  return std::any_of(transfers_.begin(), transfers_.begin() + static_cast<ptrdiff_t>(index),
                     [&](const Transfer& other) {
                       return other.state == Transfer::State::delayed && other.kind == transfer.kind &&
                              other.peer == transfer.peer && other.tag == transfer.tag;
                     });
}

void FaultEndpoint::start_delayed() {
  for (size_t i = 0; i < transfers_.size(); ++i) {
    Transfer& transfer = transfers_[i];
    if (transfer.state != Transfer::State::delayed) continue;
    if (transfer.polls_left > 0) --transfer.polls_left;
    if (transfer.polls_left > 0 || follows_a_delayed_one(i)) continue;
    const Status started = pass_on(transfer);
    if (started)
      transfer.state = Transfer::State::started;
    else if (!is_try_again(started))
      hold(transfer, {.code = started.code(), .native = started.native()});
  }
}

void FaultEndpoint::hold(Transfer& transfer, const Completion& end) {
  transfer.state = Transfer::State::held;
  transfer.polls_left = draw(faults_.hold_percent);
  transfer.end.code = end.code;
  transfer.end.native = end.native;
}

void FaultEndpoint::cancel(uint64_t cookie) {
  const auto found = std::ranges::find_if(
      transfers_, [&](const Transfer& transfer) { return transfer.end.cookie == cookie; });
  if (found == transfers_.end()) return;
  if (found->state == Transfer::State::started)
    inner_.cancel(found->id);
  else if (found->state == Transfer::State::delayed && found->kind == Transfer::Kind::recv)
    hold(*found, cancelled(cookie));
}

void FaultEndpoint::collect() {
  std::array<Completion, 16> ended;
  for (size_t count = ended.size(); count == ended.size();) {
    count = inner_.poll(ended);
    for (const Completion& end : std::span(ended).first(count))
      hold(*std::ranges::find(transfers_, end.cookie, &Transfer::id), end);
  }
}

size_t FaultEndpoint::poll(std::span<Completion> done) {
  start_delayed();
  collect();
  size_t count = 0;
  std::erase_if(transfers_, [&](Transfer& transfer) {
    if (transfer.state != Transfer::State::held) return false;
    if (transfer.polls_left > 0) --transfer.polls_left;
    if (transfer.polls_left > 0 || count == done.size()) return false;
    done[count++] = transfer.end;
    return true;
  });
  return count;
}

}  // namespace tutti::transport
