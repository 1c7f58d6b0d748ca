#include "actors/process/meeting_point.hpp"

#include <mpi.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

constexpr size_t k_name_bytes = 64;

/// In the abstract name space: nothing is left behind.
socklen_t fill(sockaddr_un* address, const std::string& name) {
  *address = {};
  address->sun_family = AF_UNIX;
  name.copy(address->sun_path + 1, sizeof address->sun_path - 1);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

std::string random_name() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uint64_t>(getpid());
  return std::to_string(number);
}

Result<int> listen_at(const std::string& name, int count) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return Status::system("socket", errno);
  sockaddr_un address;
  const socklen_t bytes = fill(&address, name);
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), bytes) == 0 && listen(socket, count) == 0)
    return socket;
  const int error = errno;
  close(socket);
  return Status::system("a socket for ranks", error);
}

Result<int> connect_to(const std::string& name) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return Status::system("socket", errno);
  sockaddr_un address;
  const socklen_t bytes = fill(&address, name);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return socket;
  const int error = errno;
  close(socket);
  return Status::system("connecting to a container", error);
}

}  // namespace

Result<std::vector<int>> meet(int leader, int rank, int count) {
  MPI_Comm together = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, leader, rank, &together);
  std::vector<int> sockets;
  Status status;
  char name[k_name_bytes] = "";
  int listening = -1;
  if (rank == leader) {
    random_name().copy(name, sizeof name - 1);
    const std::string whole = "tutti-actors-" + std::string(name);
    auto made = listen_at(whole, count);
    if (made)
      listening = *made;
    else
      status = made.status();
  }
  PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, together);
  PMPI_Comm_free(&together);
  if (!status) return status;
  if (rank != leader) {
    auto socket = connect_to("tutti-actors-" + std::string(name));
    if (!socket) return socket.status();
    return std::vector<int>{*socket};
  }
  for (int i = 1; i < count; ++i) {
    const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return Status::system("a rank's socket", errno);
    sockets.push_back(socket);
  }
  close(listening);
  return sockets;
}

}  // namespace tutti::actors
