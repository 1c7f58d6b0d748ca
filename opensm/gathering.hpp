#pragma once
// Join requests are held until their group is complete: its MLID depends on all members, but is sent with the
// first answer.
//
// A group is due when it has the expected number of members, when no port has joined for the quiet time, or
// after ten quiet times in any case. Not thread-safe.
// after ten quiet times in any case. Not for several threads at once.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fabric/groups.hpp"

namespace tutti::opensm {

/// `Request` holds a copy of a request; it is movable, and releases its resources when it is destroyed.
template <class Request>
class Gathering {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expected`: number of members of a group, 0 if unknown.
  Gathering(std::chrono::milliseconds quiet, uint32_t expected) : quiet_(quiet), expected_(expected) {}

  bool has(const fabric::Mgid& mgid) const { return groups_.contains(mgid); }
  size_t request_count() const { return request_count_; }

  /// Replaces an earlier request of the same port: its sender no longer waits for the answer.
  void add(const fabric::Mgid& mgid, uint64_t port_guid, Request request, Clock::time_point now) {
    Group& group = groups_[mgid];
    if (group.requests.empty()) group.first = now;
    deadlines_.erase({group.due, mgid});
    request_count_ -= group.requests.size();
    group.requests.insert_or_assign(port_guid, std::move(request));
    request_count_ += group.requests.size();
    const bool is_complete = expected_ != 0 && group.requests.size() >= expected_;
    group.due = is_complete ? now : std::min(now + quiet_, group.first + 10 * quiet_);
    deadlines_.insert({group.due, mgid});
  }

  /// The time when the next group is due.
  std::optional<Clock::time_point> next_due() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
  }

  using Requests = std::map<uint64_t, Request>;  // by port GUID

  /// Removes and returns a group that is due; nullopt if there is none.
  std::optional<std::pair<fabric::Mgid, Requests>> take_due(Clock::time_point now) {
    if (deadlines_.empty() || deadlines_.begin()->first > now) return std::nullopt;
    const fabric::Mgid mgid = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    auto node = groups_.extract(mgid);
    request_count_ -= node.mapped().requests.size();
    return std::pair{mgid, std::move(node.mapped().requests)};
  }

 private:
  struct Group {
    Requests requests;
    Clock::time_point first{}, due{};
  };

  const std::chrono::milliseconds quiet_;
  const uint32_t expected_;
  std::map<fabric::Mgid, Group> groups_;
  std::set<std::pair<Clock::time_point, fabric::Mgid>> deadlines_;
  size_t request_count_ = 0;
};

}  // namespace tutti::opensm
