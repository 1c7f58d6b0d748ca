#include "record/analysis/worst_calls.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::record::analysis {

namespace {

bool has_more(const WaitedCall& a, const WaitedCall& b) {
  return a.waiting_ns > b.waiting_ns;
}

int64_t first_arrival(const WaitedCall& of) {
  int64_t first_ns = INT64_MAX;
  for (const MemberCall& one : of.call.calls)
    if (one.is_present) first_ns = std::min(first_ns, one.arrival_ns);
  return first_ns;
}

}  // namespace

void WorstCalls::add(const CallInstance& call, const Lateness& lateness) {
  const uint64_t waiting_ns =
      std::accumulate(lateness.awaited_ns.begin(), lateness.awaited_ns.end(), uint64_t{0});
  const bool is_full = records_ + call.calls.size() > most_records_;
  if (is_full && (heap_.empty() || heap_.front().waiting_ns >= waiting_ns)) {
    ++left_out_;
    return;
  }
  while (records_ + call.calls.size() > most_records_ && !heap_.empty()) {
    std::ranges::pop_heap(heap_, has_more);
    records_ -= heap_.back().call.calls.size();
    heap_.pop_back();
    ++left_out_;
  }
  heap_.push_back({.waiting_ns = waiting_ns, .call = call, .lateness = lateness});
  std::ranges::push_heap(heap_, has_more);
  records_ += call.calls.size();
}

std::vector<WaitedCall> WorstCalls::take() {
  std::ranges::sort(heap_, {}, first_arrival);
  return std::move(heap_);
}

}  // namespace tutti::record::analysis
