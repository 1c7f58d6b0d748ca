#include "actors/process/launched.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include "actors/process/tunables.hpp"
#include "base/executable.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

struct Sizes {
  int32_t rank = 0;
  uint32_t argument_count = 0, environment_count = 0;
  uint64_t bytes = 0;  // of all strings, each null-terminated
  Affinity affinity;
};

Status write_all(int socket, const void* data, size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = send(socket, at, bytes, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Status::system("a rank's socket", errno);
    at += count;
    bytes -= static_cast<size_t>(count);
  }
  return {};
}

Status read_all(int socket, void* data, size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t count = recv(socket, at, bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Status::system("a rank's socket", count == 0 ? ECONNRESET : errno);
    at += count;
    bytes -= static_cast<size_t>(count);
  }
  return {};
}

constexpr size_t k_files = std::extent_v<decltype(Launched::files)>;

/// The sizes, together with the file descriptors.
struct Packet {
  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(k_files * sizeof(int))] = {};
  msghdr message{};
  explicit Packet(Sizes* sizes) : part{sizes, sizeof *sizes} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
};

}  // namespace

Affinity Affinity::here() {
  Affinity affinity;
  syscall(SYS_sched_getaffinity, 0, sizeof affinity.words_, affinity.words_.data());
  return affinity;
}

Affinity Affinity::of_all(std::span<const Launched> launched) {
  Affinity all;
  for (const Launched& one : launched)
    for (size_t i = 0; i < k_words; ++i) all.words_[i] |= one.affinity.words_[i];
  return all;
}

/// If refused, the thread keeps its affinity.
void Affinity::apply() const {
  syscall(SYS_sched_setaffinity, 0, sizeof words_, words_.data());
}

void Launched::close_files() {
  for (int& file : files) {
    if (file >= 0) close(file);
    file = -1;
  }
}

Result<Launched> launched_here(const std::vector<std::string>& arguments) {
  Launched launched;
  launched.arguments = arguments;
  const auto program = base::find_executable(arguments[0]);
  if (!program) return Status::not_found(arguments[0] + ": no such program, or not executable");
  launched.program = std::filesystem::absolute(*program).string();
  launched.environment = environment_without_tunables();
  launched.affinity = Affinity::here();
  for (int i = 0; i < 3; ++i) launched.files[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
  launched.files[3] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return launched;
}

Status send_launched(int socket, const Launched& launched) {
  std::string texts = launched.program + '\0';
  for (const auto* const list : {&launched.arguments, &launched.environment})
    for (const std::string& text : *list) texts += text + '\0';
  Sizes sizes{.rank = launched.rank,
              .argument_count = static_cast<uint32_t>(launched.arguments.size()),
              .environment_count = static_cast<uint32_t>(launched.environment.size()),
              .bytes = texts.size(),
              .affinity = launched.affinity};
  Packet packet(&sizes);
  int files[k_files];
  size_t count = 0;  // a closed file is replaced: otherwise the later ones would move up
  for (const int file : launched.files) files[count++] = file >= 0 ? file : launched.files[k_files - 1];
  cmsghdr* const header = CMSG_FIRSTHDR(&packet.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  if (sendmsg(socket, &packet.message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof sizes))
    return Status::system("a rank's files", errno);
  return write_all(socket, texts.data(), texts.size());
}

Result<Launched> receive_launched(int socket) {
  Sizes sizes;
  Packet packet(&sizes);
  const ssize_t count = recvmsg(socket, &packet.message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  if (count != static_cast<ssize_t>(sizeof sizes))
    return Status::system("a rank's files", count < 0 ? errno : EPROTO);
  Launched launched;
  launched.rank = sizes.rank;
  launched.affinity = sizes.affinity;
  const cmsghdr* const header = CMSG_FIRSTHDR(&packet.message);
  if (header != nullptr && header->cmsg_len == CMSG_LEN(sizeof launched.files))
    std::memcpy(launched.files, CMSG_DATA(header), sizeof launched.files);
  std::string texts(sizes.bytes, '\0');
  if (Status status = read_all(socket, texts.data(), texts.size()); !status) return status;
  size_t at = 0;
  const auto next = [&texts, &at] {
    std::string text(texts.c_str() + at);
    at += text.size() + 1;
    return text;
  };
  launched.program = next();
  for (uint32_t i = 0; i < sizes.argument_count; ++i) launched.arguments.push_back(next());
  for (uint32_t i = 0; i < sizes.environment_count; ++i) launched.environment.push_back(next());
  return launched;
}

}  // namespace tutti::actors
