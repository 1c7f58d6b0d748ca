#pragma once
// Where a container and the processes of its ranks find each other: every process listens before any knows which of
// them are containers, and tells all where.

#include <vector>

#include "actors/container/places.hpp"
#include "base/status.hpp"

namespace tutti::actors {

class MeetingPoint {
 public:
  /// Error: system.
  static base::Result<MeetingPoint> open();
  ~MeetingPoint();
  MeetingPoint(MeetingPoint&& other) noexcept;
  MeetingPoint& operator=(MeetingPoint&&) = delete;

  const Places::Address& address() const { return address_; }
  /// By the processes of one container, `places` with the addresses of all. In the container: a socket for each of the
  /// others, in the order of what it gets from them. Elsewhere: one, to the container. Error: system.
  base::Result<std::vector<int>> meet(const Places& places, int rank) const;

 private:
  MeetingPoint() = default;
  int listening_ = -1;
  Places::Address address_ = {};
};

}  // namespace tutti::actors
