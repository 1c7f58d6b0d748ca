// The key-value space of Hydra. MPICH's own client is inside libmpich and cannot be called, but the protocol has one
// request and one answer at a time on a socket that every process inherits, so this client can use it before MPICH's
// client starts, and again while that is idle.

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "mpi/bootstrap/launcher_keys.hpp"
#include "mpi/bootstrap/pmi_wire.hpp"

namespace tutti::mpi {

using base::Result;
using base::Status;

namespace {

std::string key_of(const std::string& rank) {
  return "tutti-" + rank;
}

class PmiKeys final : public LauncherKeys {
 public:
  PmiKeys(int socket, std::string rank) : socket_(socket), rank_(std::move(rank)) {}

  /// Hydra accepts repeated initialisation of the protocol. It has to precede the put, because the first initialisation
  /// of any rank clears the proxy's list of keys.
  Status put(const std::string& word) override {
    Status status = tell("init pmi_version=1 pmi_subversion=1", "response_to_init");
    if (!status) return status;
    const Result<std::string> name = ask("get_my_kvsname");
    if (!name) return name.status();
    if (status = check_pmi_answer(*name, "my_kvsname"); !status) return status;
    space_ = pmi_value(*name, "kvsname").value_or("");
    if (space_.empty()) return Status::not_supported("the process manager has no key-value space");
    return tell("put kvsname=" + space_ + " key=" + key_of(rank_) + " value=" + word, "put_result");
  }

  Result<std::optional<std::string>> get(int rank) override {
    const Result<std::string> answer = ask("get kvsname=" + space_ + " key=" + key_of(std::to_string(rank)));
    if (!answer) return answer.status();
    return pmi_get_result(*answer);
  }

 private:
  Status tell(const std::string& command, std::string_view answer) {
    const Result<std::string> line = ask(command);
    return line ? check_pmi_answer(*line, answer) : line.status();
  }

  /// Has no time-out: MPICH's client would take an unread answer for that to its own request.
  Result<std::string> ask(const std::string& command) {
    if (Status status = send("cmd=" + command + "\n"); !status) return status;
    return receive();
  }

  Status send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent >= 0)
        text.remove_prefix(static_cast<size_t>(sent));
      else if (!may_go_on(POLLOUT))
        return Status::system("the process manager cannot be reached", errno);
    }
    return {};
  }

  /// Receives one line. Hydra sends only answers, so no data follows the line.
  Result<std::string> receive() {
    std::string line;
    char bytes[1024];
    while (!line.ends_with('\n')) {
      const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
      if (got == 0) return Status::system("the process manager has gone", ECONNRESET);
      if (got < 0 && !may_go_on(POLLIN)) return Status::system("the process manager cannot be heard", errno);
      if (got > 0) line.append(bytes, static_cast<size_t>(got));
      if (line.size() > k_longest_line)
        return Status::not_supported("the process manager does not speak PMI-1");
    }
    return line;
  }

  /// Called after a failed system call; preserves its errno.
  bool may_go_on(short event) const {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd waited{.fd = socket_, .events = event, .revents = 0};
      return poll(&waited, 1, -1) >= 0 || errno == EINTR;
    }
    return errno == EINTR;
  }

  static constexpr size_t k_longest_line = size_t{64} * 1024;

  const int socket_;
  const std::string rank_;
  std::string space_;
};

bool is_socket(int number) {
  struct stat what {};
  return fstat(number, &what) == 0 && S_ISSOCK(what.st_mode);
}

}  // namespace

/// Slurm uses PMI through the same variable but rejects a second initialisation. It is recognised by PMI_JOBID and by
/// the missing MPI_LOCALNRANKS.
std::unique_ptr<LauncherKeys> open_pmi_keys() {
  const char* const number = std::getenv("PMI_FD");
  const char* const rank = std::getenv("PMI_RANK");
  if (number == nullptr || rank == nullptr || std::getenv("PMI_SIZE") == nullptr) return nullptr;
  if (std::getenv("MPI_LOCALNRANKS") == nullptr || std::getenv("PMI_JOBID") != nullptr) return nullptr;
  const auto socket = base::parse_count(number);
  if (!socket || *socket > INT32_MAX || !base::parse_count(rank)) return nullptr;
  if (!is_socket(static_cast<int>(*socket))) return nullptr;
  return std::make_unique<PmiKeys>(static_cast<int>(*socket), rank);
}

}  // namespace tutti::mpi
