#include "record/analysis/lateness.hpp"

#include <algorithm>

namespace tutti::record::analysis {

namespace {

struct Ends {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  int64_t over_ns = INT64_MIN;  // end of the last rank; INT64_MIN: unknown
  uint32_t last = 0;
  uint64_t error_ns = 0;
};

Ends ends_of(const CallInstance& call) {
  Ends ends;
  uint64_t errors[2] = {0, 0};  // the two largest: a difference of times involves two clocks
  for (uint32_t i = 0; i < call.calls.size(); ++i) {
    const MemberCall& one = call.calls[i];
    if (!one.is_present) continue;
    ends.first_ns = std::min(ends.first_ns, one.arrival_ns);
    if (one.arrival_ns > ends.last_ns) {
      ends.last_ns = one.arrival_ns;
      ends.over_ns = one.is_over() ? one.end_ns() : INT64_MIN;
      ends.last = i;
    }
    if (one.error_ns > errors[0]) {
      errors[1] = errors[0];
      errors[0] = one.error_ns;
    } else {
      errors[1] = std::max(errors[1], one.error_ns);
    }
  }
  ends.error_ns = errors[0] > k_unknown_ns - errors[1] ? k_unknown_ns : errors[0] + errors[1];
  return ends;
}

/// The rank that rank `i` waits for.
class AwaitedRank {
 public:
  AwaitedRank(const CallInstance& call, const Ends& ends)
      : call_(call), dependence_(dependence_of(call.collective)), last_(ends.last) {
    const bool needs_root = dependence_ == Dependence::all_on_root || dependence_ == Dependence::root_on_all;
    has_root_ = call.root < call.calls.size() && call.calls[call.root].is_present;
    if (needs_root && !has_root_) dependence_ = Dependence::root_on_all;  // without a root no wait is known
  }

  /// Must be called for the ranks in increasing order.
  uint32_t of(uint32_t i) {
    switch (dependence_) {
      case Dependence::all_on_all:
        return last_;
      case Dependence::all_on_root:
        return arrival(call_.root) > arrival(i) ? call_.root : i;
      case Dependence::root_on_all:
        return has_root_ && i == call_.root ? last_ : i;
      case Dependence::on_lower_ranks:
        if (!call_.calls[latest_below_].is_present || arrival(i) > arrival(latest_below_)) latest_below_ = i;
        return latest_below_;
    }
    return i;
  }

 private:
  int64_t arrival(uint32_t i) const { return call_.calls[i].arrival_ns; }

  const CallInstance& call_;
  Dependence dependence_;
  uint32_t last_, latest_below_ = 0;
  bool has_root_ = false;
};

/// Whether the rank, which began at `from_ns`, left soon after the last one had arrived, or left at about the same time
/// as that one after at least half of its time had passed before.
bool was_held_up(const MemberCall& one, int64_t from_ns, const Ends& ends) {
  if (one.whole_ns == k_unknown_ns || one.end_ns() < ends.last_ns) return false;
  const int64_t after_ns = one.end_ns() - ends.last_ns, quarter_ns = (ends.last_ns - ends.first_ns) / 4;
  const bool leaves_with_the_last = ends.over_ns != INT64_MIN && one.end_ns() <= ends.over_ns + quarter_ns;
  return after_ns <= quarter_ns || (leaves_with_the_last && after_ns <= ends.last_ns - from_ns);
}

/// When ranks begin to wait for a nonblocking call. First and last are equal if not all times are known.
Ends waits_of(const CallInstance& call) {
  Ends ends;
  for (uint32_t i = 0; i < call.calls.size(); ++i) {
    const MemberCall& one = call.calls[i];
    if (!one.is_present) continue;
    if (call.interface == select::CallInterface::blocking || !one.is_over())
      return {.first_ns = 0, .last_ns = 0};
    ends.first_ns = std::min(ends.first_ns, one.wait_begins_ns());
    if (one.wait_begins_ns() <= ends.last_ns) continue;
    ends.last_ns = one.wait_begins_ns();
    ends.over_ns = one.end_ns();
    ends.last = i;
  }
  return ends;
}

/// `ready_ns`: from the rank's arrival to that of the last rank for which it waits.
MemberTimes times_of(const MemberCall& one, uint64_t ready_ns) {
  MemberTimes times;
  if (one.inside_ns == k_unknown_ns) return times;
  const uint64_t whole_ns =
      one.whole_ns == k_unknown_ns ? one.inside_ns : std::max(one.whole_ns, one.inside_ns);
  times.hidden_ns = whole_ns - one.inside_ns;
  // The computation came first, so it hides the waiting before it hides the transfer.
  const uint64_t waiting_ns = std::min(ready_ns, whole_ns);
  times.waiting_ns = waiting_ns > times.hidden_ns ? waiting_ns - times.hidden_ns : 0;
  times.transfer_ns = one.inside_ns - std::min(times.waiting_ns, one.inside_ns);
  return times;
}

uint64_t typical_gap(const CallInstance& call) {
  thread_local std::vector<uint64_t> gaps;
  gaps.clear();
  for (const MemberCall& one : call.calls)
    if (one.is_present && one.gap_ns != k_unknown_ns) gaps.push_back(one.gap_ns);
  if (gaps.empty()) return k_unknown_ns;
  const auto middle = gaps.begin() + static_cast<ptrdiff_t>((gaps.size() - 1) / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

}  // namespace

void judge(const CallInstance& call, Lateness* lateness) {
  const Ends ends = ends_of(call);
  lateness->spread_ns = static_cast<uint64_t>(ends.last_ns - ends.first_ns);
  lateness->last = ends.last;
  lateness->is_judged =
      call.present > 1 && ends.error_ns != k_unknown_ns && lateness->spread_ns / 2 >= ends.error_ns;
  lateness->typical_gap_ns = typical_gap(call);
  lateness->members.assign(call.calls.size(), {});
  lateness->awaited_ns.assign(call.calls.size(), 0);
  const Ends waits = waits_of(call);
  const bool are_waits_judged = ends.error_ns != k_unknown_ns && waits.last_ns > waits.first_ns &&
                                static_cast<uint64_t>(waits.last_ns - waits.first_ns) / 2 >= ends.error_ns;
  AwaitedRank awaited(call, ends);
  for (uint32_t i = 0; i < call.calls.size(); ++i) {
    const MemberCall& one = call.calls[i];
    if (!one.is_present) continue;
    const uint32_t needed = awaited.of(i);
    const uint32_t whom = lateness->is_judged && was_held_up(one, one.arrival_ns, ends) ? ends.last : needed;
    const int64_t ready_ns = call.calls[whom].arrival_ns - one.arrival_ns;
    MemberTimes& times = lateness->members[i];
    times = times_of(one, lateness->is_judged && ready_ns > 0 ? static_cast<uint64_t>(ready_ns) : 0);
    times.awaited = whom;
    times.late_ns = static_cast<uint64_t>(one.arrival_ns - ends.first_ns);
    if (are_waits_judged && i != waits.last && was_held_up(one, one.wait_begins_ns(), waits)) {
      const auto held_ns =
          std::min(one.inside_ns, static_cast<uint64_t>(waits.last_ns - one.wait_begins_ns()));
      if (held_ns > times.waiting_ns) {
        times.waiting_ns = held_ns;
        times.transfer_ns = one.inside_ns - held_ns;
        times.awaited = waits.last;
        times.is_for_wait = true;
      }
    }
    lateness->awaited_ns[times.awaited] += times.waiting_ns;
  }
}

}  // namespace tutti::record::analysis
