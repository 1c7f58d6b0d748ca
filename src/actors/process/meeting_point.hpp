#pragma once
// Connects a container and the processes of its ranks: every process listens before the containers are known,
// and publishes its address to all.

#include <vector>

#include "actors/container/rank_map.hpp"
#include "base/status.hpp"

namespace tutti::actors {

class MeetingPoint {
 public:
  /// Error: system.
  static base::Result<MeetingPoint> open();
  ~MeetingPoint();
  MeetingPoint(MeetingPoint&& other) noexcept;
  MeetingPoint& operator=(MeetingPoint&&) = delete;

  const RankMap::Address& address() const { return address_; }
  /// Called by the processes of one container, with the addresses of all in `rank_map`. In the container: returns a
  /// socket for each of the other processes, in order of connection. Elsewhere: returns one, to the container.
  /// Error: system.
  base::Result<std::vector<int>> meet(const RankMap& rank_map, int rank) const;

 private:
  MeetingPoint() = default;
  int listening_ = -1;
  RankMap::Address address_ = {};
};

}  // namespace tutti::actors
