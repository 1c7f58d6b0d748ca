#pragma once
// Reading another process's memory without a copy in between (process_vm_readv, "CMA").
//
// Whether the kernel allows it depends on Yama, user namespaces, seccomp filters and container rights, and
// can be found out only by trying. Each process publishes the address of a random value; a peer that reads
// exactly this value really reaches this process. (A process id alone could name a stranger in another pid
// namespace.) Under Yama's ptrace_scope 1 a process has to allow its readers (node/readers.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.hpp"
#include "node/arena.hpp"

namespace tutti::node {

enum class Reach : uint8_t {
  same_process,  // a thread of this process: plain memcpy
  readable,      // process_vm_readv works
  none,          // copy through shared memory
};

/// One rank's view of the memory of the other ranks of its node. Safe to use from several threads.
class OneCopy {
 public:
  /// Tells the others the process id of this rank: by all ranks, before any of them makes its OneCopy. A rank
  /// that comes later may not be allowed to read those who were not told of it.
  static void announce(const Arena& arena, uint32_t process);

  /// Publishes this rank as process number `process` (below arena.process_count()) of the arena. Each rank
  /// does so once, before it acquires its first region. The arena outlives this object. `allowed` false:
  /// other processes are not read, and no process is allowed to read this one.
  OneCopy(const Arena& arena, uint32_t process, bool allowed = true);

  OneCopy(const OneCopy&) = delete;
  OneCopy& operator=(const OneCopy&) = delete;

  uint32_t process() const { return process_; }
  /// Probes at the first call for this peer and remembers; the peer has published itself.
  Reach reach(uint32_t peer);
  /// Copies from the peer's memory; reach(peer) was not none. When it fails (a filter installed since, a page
  /// that the reader may not touch) the peer counts as out of reach from then on; `target` is undefined.
  base::Status read(uint32_t peer, uint64_t address, std::span<std::byte> target);

 private:
  Reach probe(uint32_t peer) const;

  const Arena& arena_;
  uint32_t process_;
  bool allowed_;
  std::unique_ptr<std::atomic<uint8_t>[]> known_;  // per peer: 0 not probed, otherwise Reach + 1
};

}  // namespace tutti::node
