#include "actors/process/meeting_point.hpp"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

/// In the abstract namespace: leaves no file behind.
socklen_t fill(sockaddr_un* socket_address, const RankMap::Address& address) {
  *socket_address = {};
  socket_address->sun_family = AF_UNIX;
  std::copy(address.begin(), address.end(), socket_address->sun_path + 1);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
}

RankMap::Address random_address() {
  RankMap::Address address = {};
  const auto end = std::copy_n("tutti-actors-", 13, address.begin());
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uint64_t>(getpid());
  for (auto at = end; number != 0; number /= 16) *at++ = "0123456789abcdef"[number % 16];
  return address;
}

Result<int> make_socket() {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return Status::system("a socket for ranks", errno);
  return socket;
}

Result<int> connect_to(const RankMap::Address& address) {
  auto socket = make_socket();
  if (!socket) return socket;
  sockaddr_un to;
  const socklen_t bytes = fill(&to, address);
  if (connect(*socket, reinterpret_cast<const sockaddr*>(&to), bytes) == 0) return socket;
  const int error = errno;
  close(*socket);
  return Status::system("connecting to a container", error);
}

/// Any process on the machine can connect.
bool is_own_user(int socket) {
  ucred peer = {};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

}  // namespace

Result<MeetingPoint> MeetingPoint::open() {
  auto socket = make_socket();
  if (!socket) return socket.status();
  MeetingPoint made;
  made.listening_ = *socket;
  made.address_ = random_address();
  sockaddr_un here;
  const socklen_t bytes = fill(&here, made.address_);
  if (bind(*socket, reinterpret_cast<const sockaddr*>(&here), bytes) != 0 || listen(*socket, SOMAXCONN) != 0)
    return Status::system("a socket for ranks", errno);
  return made;
}

MeetingPoint::MeetingPoint(MeetingPoint&& other) noexcept
    : listening_(std::exchange(other.listening_, -1)), address_(other.address_) {}

MeetingPoint::~MeetingPoint() {
  if (listening_ >= 0) close(listening_);
}

Result<std::vector<int>> MeetingPoint::meet(const RankMap& rank_map, int rank) const {
  const int leader = rank_map.leader_of(rank);
  std::vector<int> sockets;
  if (rank != leader) {
    auto socket = connect_to(rank_map.address_of(leader));
    if (!socket) return socket.status();
    sockets.push_back(*socket);
    return sockets;
  }
  while (sockets.size() + 1 < rank_map.ranks_of_leader(leader).size()) {
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && errno == EINTR) continue;
    if (socket < 0) return Status::system("a rank's socket", errno);
    if (is_own_user(socket))
      sockets.push_back(socket);
    else
      close(socket);
  }
  return sockets;
}

}  // namespace tutti::actors
