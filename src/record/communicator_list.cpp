#include "record/communicator_list.hpp"

namespace tutti::record {

CommunicatorDescription CommunicatorList::Entry::in_words() const {
  return {.name = name, .number = number, .generation = generation, .rank = rank, .members = *members};
}

OperationCounter* CommunicatorList::add(uint32_t rank, std::span<const int> world_ranks, uint32_t number,
                                        std::string name) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() == k_most) {
    ++left_out_;
    return nullptr;
  }
  const auto members = members_.try_emplace({world_ranks.begin(), world_ranks.end()}).first;
  const uint32_t generation = members->second[number]++;
  const auto communicator = static_cast<uint32_t>(entries_.size());
  entries_.push_back({.rank = rank,
                      .number = number,
                      .generation = generation,
                      .members = &members->first,
                      .name = std::move(name)});
  on_new_(entries_.back().in_words());
  return counters_.emplace_back(std::make_unique<OperationCounter>(communicator, 0)).get();
}

OperationCounter* CommunicatorList::add_stream(OperationCounter& counter) {
  const std::lock_guard lock(mutex_);
  return counters_
      .emplace_back(std::make_unique<OperationCounter>(counter.communicator(), counter.next_stream()))
      .get();
}

std::vector<CommunicatorDescription> CommunicatorList::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<CommunicatorDescription> all;
  all.reserve(entries_.size());
  for (const Entry& entry : entries_) all.push_back(entry.in_words());
  return all;
}

uint64_t CommunicatorList::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

}  // namespace tutti::record
