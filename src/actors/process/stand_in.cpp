#include "actors/process/stand_in.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "actors/process/container_notice.hpp"
#include "actors/process/crashes.hpp"

namespace tutti::actors {

namespace {

/// The container is gone: the launcher has noticed it, and ends the job.
[[noreturn]] void wait_for_the_end() {
  constexpr unsigned k_seconds = 10;
  sleep(k_seconds);
  _exit(1);
}

}  // namespace

void stand_in(int socket, Launched launched) {
  if (const base::Status status = send_launched(socket, launched); !status) {
    fmt::print(stderr, "tutti: rank {}: {}\n", launched.rank, status.message());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  launched.close_files();
  bool is_finalised = false;
  for (;;) {
    ContainerNotice notice;
    const ssize_t count = recv(socket, &notice, sizeof notice, MSG_WAITALL);
    if (count < 0 && errno == EINTR) continue;
    if (count != static_cast<ssize_t>(sizeof notice)) wait_for_the_end();
    switch (notice.kind) {
      case ContainerNotice::Kind::finalised:
        PMPI_Finalize();
        is_finalised = true;
        break;
      case ContainerNotice::Kind::ended:
        if (is_finalised) std::exit(notice.value);
        _exit(notice.value);
      case ContainerNotice::Kind::killed:
        die_of(notice.value);
    }
  }
}

}  // namespace tutti::actors
