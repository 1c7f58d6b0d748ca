#pragma once
// Reads another process's memory without an intermediate copy (process_vm_readv, "CMA").
//
// Whether the kernel allows it depends on Yama, user namespaces, seccomp filters and container privileges,
// and can be determined only by trying. Each process publishes the address of a random value; a peer that
// reads exactly this value has reached this process. (A process id alone could denote an unrelated process in
// another pid namespace.) Under Yama's ptrace_scope 1 a process must permit its readers (node/readers.hpp).

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

/// One rank's access to the memory of the other ranks of its node. Several threads may use it at the same
/// time.
class OneCopy {
 public:
  /// Publishes the process id of this rank. All ranks call it before any rank constructs its OneCopy: a rank
  /// that announces itself later may lack permission to read the others.
  static void announce(const Arena& arena, uint32_t process);

  /// Publishes this rank as process number `process` (below arena.process_count()) of the arena. Each rank
  /// does so once, before it acquires its first region. The arena must outlive this object. `allowed` false:
  /// does not read other processes, and permits none to read this one.
  OneCopy(const Arena& arena, uint32_t process, bool allowed = true);

  OneCopy(const OneCopy&) = delete;
  OneCopy& operator=(const OneCopy&) = delete;

  uint32_t process() const { return process_; }
  /// Probes at the first call for this peer and caches the result; the peer must have published itself.
  Reach reach(uint32_t peer);
  /// Copies from the peer's memory; requires that reach(peer) is not none. After a failure (a new filter, a
  /// page that the reader may not access) reach(peer) is none, and `target` is undefined.
  base::Status read(uint32_t peer, uint64_t address, std::span<std::byte> target);

 private:
  Reach probe(uint32_t peer) const;

  const Arena& arena_;
  uint32_t process_;
  bool allowed_;
  std::unique_ptr<std::atomic<uint8_t>[]> known_;  // per peer: 0 not probed, otherwise Reach + 1
};

}  // namespace tutti::node
