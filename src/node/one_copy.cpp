#include "node/one_copy.hpp"

#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "node/arena_control.hpp"
#include "node/readers.hpp"

namespace tutti::node {
namespace {

struct Probe {
  uint64_t value = 0;
  pid_t pid = 0;
};

/// The value that identifies this process to peers. All ranks of a process share it; a forked child creates
/// its own.
const Probe& own_probe() {
  static std::mutex mutex;
  static Probe probe;
  const std::lock_guard<std::mutex> lock(mutex);
  if (probe.pid != getpid()) {
    if (getrandom(&probe.value, sizeof probe.value, 0) != sizeof probe.value) {
      // Without randomness two processes differ at least in pid or address, which the reader compares as
      // well.
      probe.value = static_cast<uint64_t>(getpid()) << 32 ^ reinterpret_cast<uint64_t>(&probe);
    }
    probe.pid = getpid();
  }
  return probe;
}

/// Reads exactly target.size() bytes; returns 0 or the errno.
int read_process(pid_t pid, uint64_t address, std::span<std::byte> target) {
  while (!target.empty()) {
    iovec to{target.data(), target.size()};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of other processes travel as numbers
    iovec from{reinterpret_cast<void*>(address), target.size()};
    const ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    if (got < 0) return errno;
    if (got == 0) return EFAULT;
    address += static_cast<uint64_t>(got);
    target = target.subspan(static_cast<size_t>(got));
  }
  return 0;
}

/// Process ids of the ranks; 0: not announced.
std::vector<int32_t> announced(const Arena& arena) {
  std::vector<int32_t> pids;
  for (uint32_t process = 0; process < arena.process_count(); ++process)
    pids.push_back(arena.process(process).pid.load(std::memory_order_relaxed));
  return pids;
}

}  // namespace

void OneCopy::announce(const Arena& arena, uint32_t process) {
  arena.process(process).pid.store(getpid(), std::memory_order_relaxed);
}

OneCopy::OneCopy(const Arena& arena, uint32_t process, bool allowed)
    : arena_(arena),
      process_(process),
      allowed_(allowed),
      known_(std::make_unique<std::atomic<uint8_t>[]>(arena.process_count())) {
  announce(arena, process);
  if (allowed) permit_readers(announced(arena));
  const Probe& own = own_probe();
  ProcessRecord& record = arena.process(process);
  record.probe_address = reinterpret_cast<uint64_t>(&own.value);
  record.probe_value = own.value;
  record.published.store(1, std::memory_order_release);
}

Reach OneCopy::reach(uint32_t peer) {
  std::atomic<uint8_t>& known = known_[peer];
  const uint8_t before = known.load(std::memory_order_relaxed);
  if (before != 0) return static_cast<Reach>(before - 1);
  const Reach found = probe(peer);
  known.store(static_cast<uint8_t>(static_cast<uint8_t>(found) + 1), std::memory_order_relaxed);
  return found;
}

Reach OneCopy::probe(uint32_t peer) const {
  const ProcessRecord& record = arena_.process(peer);
  if (!allowed_ || record.published.load(std::memory_order_acquire) == 0) return Reach::none;
  const Probe& own = own_probe();
  if (record.pid.load(std::memory_order_relaxed) == own.pid && record.probe_value == own.value)
    return Reach::same_process;
  uint64_t value = 0;
  if (read_process(record.pid, record.probe_address, std::as_writable_bytes(std::span(&value, 1))) != 0) {
    return Reach::none;
  }
  return value == record.probe_value ? Reach::readable : Reach::none;
}

base::Status OneCopy::read(uint32_t peer, uint64_t address, std::span<std::byte> target) {
  if (reach(peer) == Reach::same_process) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a number, like those of other processes
    std::memcpy(target.data(), reinterpret_cast<const void*>(address), target.size());
    return {};
  }
  const int error = read_process(arena_.process(peer).pid, address, target);
  if (error == 0) return {};
  known_[peer].store(static_cast<uint8_t>(Reach::none) + 1, std::memory_order_relaxed);
  return base::Status::system("one-copy read from another process of this node", error);
}

}  // namespace tutti::node
