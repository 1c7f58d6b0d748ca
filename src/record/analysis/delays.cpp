#include "record/analysis/delays.hpp"

#include <algorithm>

namespace tutti::record::analysis {

namespace {

/// Maximum number of delays in an account; the smallest are dropped.
constexpr size_t k_most_delays = 16;

int64_t delay_by(const std::vector<Blame>& delays, uint32_t rank) {
  const auto found = std::ranges::find(delays, rank, &Blame::rank);
  return found == delays.end() ? 0 : static_cast<int64_t>(found->ns);
}

void add(std::vector<Blame>* delays, uint32_t rank, uint64_t ns) {
  const auto found = std::ranges::find(*delays, rank, &Blame::rank);
  if (found != delays->end()) {
    found->ns += ns;
    return;
  }
  if (delays->size() < k_most_delays) {
    delays->push_back({rank, ns});
    return;
  }
  const auto least = std::ranges::min_element(*delays, {}, &Blame::ns);
  if (least->ns < ns) *least = {rank, ns};
}

}  // namespace

uint64_t Delays::blame(const Worked& waiter, const Worked& late, uint64_t most_ns,
                       std::vector<Blame>* blamed) {
  const std::vector<Blame>&its = accounts_[late.rank].delays, &own = accounts_[waiter.rank].delays;
  // Additional work of the late rank, corrected for what the two ranks have waited for each other.
  const int64_t work = work_ns(late) - work_ns(waiter) + delay_by(its, late.rank) - delay_by(own, late.rank) +
                       delay_by(its, waiter.rank) - delay_by(own, waiter.rank);
  differences_.clear();
  if (work > 0) differences_.push_back({late.rank, static_cast<uint64_t>(work)});
  int64_t later = work;  // total lateness that the accounts explain
  const auto is_of_both = [&](const Blame& delay) {
    return delay.rank == late.rank || delay.rank == waiter.rank;
  };
  for (const Blame& delay : own)
    if (!is_of_both(delay)) later -= static_cast<int64_t>(delay.ns);
  for (const Blame& delay : its) {
    if (is_of_both(delay)) continue;
    later += static_cast<int64_t>(delay.ns);
    const int64_t more = static_cast<int64_t>(delay.ns) - delay_by(own, delay.rank);
    if (more > 0) differences_.push_back({delay.rank, static_cast<uint64_t>(more)});
  }
  if (later <= 0) return 0;
  most_ns = std::min(most_ns, static_cast<uint64_t>(later));
  uint64_t explained_ns = 0, sum_ns = 0;
  for (const Blame& one : differences_) explained_ns += one.ns;
  const double part =
      explained_ns > most_ns ? static_cast<double>(most_ns) / static_cast<double>(explained_ns) : 1;
  for (Blame& one : differences_) {
    one.ns = static_cast<uint64_t>(static_cast<double>(one.ns) * part);
    sum_ns += one.ns;
    if (one.ns > 0) blamed->push_back(one);
  }
  return sum_ns;
}

/// Work beyond `least_ns` becomes a delay of the rank's own account, which others take over.
void Delays::count_as_delay(const Worked& of, int64_t least_ns) {
  const int64_t more = work_ns(of) - least_ns;
  if (more <= 0) return;
  Account& account = accounts_[of.rank];
  account.from_ns += static_cast<uint64_t>(more);
  add(&account.delays, of.rank, static_cast<uint64_t>(more));
}

void Delays::follow(const Worked& waiter, const Worked& late) {
  if (waiter.rank == late.rank) return;
  count_as_delay(late, work_ns(waiter));
  Account& own = accounts_[waiter.rank];
  own.from_ns += static_cast<uint64_t>(work_ns(waiter) - work_ns(late));
  own.delays = accounts_[late.rank].delays;
}

void Delays::meet(const std::vector<Worked>& all, const Worked& last) {
  thread_local std::vector<int64_t> work;
  work.clear();
  for (const Worked& one : all) work.push_back(work_ns(one));
  const auto middle = work.begin() + static_cast<ptrdiff_t>((work.size() - 1) / 2);
  std::nth_element(work.begin(), middle, work.end());
  count_as_delay(last, *middle);
  for (const Worked& one : all) {
    if (one.rank == last.rank) continue;
    Account& account = accounts_[one.rank];
    account.from_ns += static_cast<uint64_t>(work_ns(one) - work_ns(last));
    account.delays = accounts_[last.rank].delays;
  }
}

void Delays::forget(const std::vector<Worked>& all) {
  for (const Worked& one : all) accounts_[one.rank] = {.from_ns = one.ns, .delays = {}};
}

}  // namespace tutti::record::analysis
