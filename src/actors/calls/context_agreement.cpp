#include "actors/calls/context_agreement.hpp"

#include <algorithm>
#include <utility>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"

namespace tutti::actors {

ContextAgreement::ContextAgreement(Rank& me, std::span<const int> members, uint64_t context, int32_t tag,
                                   std::vector<int64_t> mine)
    : me_(me),
      members_(members.begin(), members.end()),
      context_(context),
      tag_(tag),
      each_(mine.size()),
      all_(members.size() * mine.size()),
      own_(std::move(mine)) {
  mine_ = static_cast<size_t>(std::ranges::find(members_, me.world_rank()) - members_.begin());
  std::ranges::copy(own_, all_.begin() + static_cast<ptrdiff_t>(mine_ * each_));
  const auto receive = [&](size_t from, std::span<int64_t> into) {
    receives_.push_back(std::make_unique<ReceiveOperation>());
    me_.mailbox().receive({.context = context_, .source = members_[from], .tag = tag_},
                          std::as_writable_bytes(into), receives_.back().get());
  };
  if (mine_ == 0) {
    for (size_t i = 1; i < size(); ++i) receive(i, std::span(all_).subspan(i * each_, each_));
    return;
  }
  receive(0, all_);
  sends_.push_back(std::make_unique<SendOperation>());
  send(0, own_, sends_.back().get());
}

ContextAgreement::~ContextAgreement() = default;

void ContextAgreement::send(size_t member, std::span<const int64_t> numbers, SendOperation* operation) {
  me_.container().send(me_, members_[member], {.context = context_, .source = me_.world_rank(), .tag = tag_},
                       std::as_bytes(numbers), SendMode::standard, operation);
}

void ContextAgreement::hand_out() {
  has_handed_out_ = true;
  for (size_t i = 1; i < size(); ++i) {
    sends_.push_back(std::make_unique<SendOperation>());
    send(i, all_, sends_.back().get());
  }
}

bool ContextAgreement::are_done() const {
  const auto is_done = [](const auto& operation) { return operation->is_done(); };
  return std::ranges::all_of(receives_, is_done) && std::ranges::all_of(sends_, is_done);
}

bool ContextAgreement::is_over() {
  if (!are_done()) return false;
  if (mine_ != 0 || has_handed_out_) return true;
  hand_out();
  return are_done();
}

void ContextAgreement::wait(Communicator& on, const std::string& name) {
  RecordedWait waiting(me_, record::MessageCall::other, name);
  waiting.begin(on, MPI_ANY_SOURCE);
  me_.wait_until([this] { return is_over(); });
  waiting.end(on, MPI_ANY_SOURCE);
}

}  // namespace tutti::actors
