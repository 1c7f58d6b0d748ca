#pragma once
// The shared-memory object of one node and job; it contains all data that the ranks of a node share (DESIGN
// §5).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.hpp"

namespace tutti::node {

struct ArenaControl;
struct ProcessRecord;

/// A unique name. `token` is random and agreed by all ranks of the job; `node` distinguishes several nodes
/// that are simulated on one machine.
std::string arena_name(uint64_t token, int32_t node);

/// The mapping of one process. Threads of a process may share it; it must outlive all Regions in it.
///
/// Setup by the ranks of a node. No step waits for another rank, so a failing rank blocks no other. Between
/// the steps the caller reaches agreement by other means:
///   1. the node's first rank: create();   agree: success?
///   2. the other ranks:       attach();   agree: success on all ranks?
///   3. the first rank:        unlink().   From here on nothing is left behind, however the job ends.
/// If any step failed, every rank destroys its Arena (the creator's destructor removes the name).
///
/// create() allocates the memory of the whole object, so that no access faults because /dev/shm is full.
class Arena {
 public:
  /// 32 MiB, or 1 MiB per process on nodes with more than 32: mailboxes grow with the square of the members.
  static constexpr uint64_t default_bytes(uint32_t process_count) {
    return process_count <= 32 ? uint64_t{32} << 20 : uint64_t{process_count} << 20;
  }
  static constexpr uint64_t k_min_bytes = 256 << 10;
  static constexpr uint64_t k_max_bytes = uint64_t{4} << 30;

  /// `process_count`: ranks of the job on this node. `bytes` is rounded up to pages. Errors: invalid_argument
  /// (size out of bounds), out_of_memory (/dev/shm is full, or a limit of this process), system.
  static base::Result<std::unique_ptr<Arena>> create(const std::string& name, uint32_t process_count,
                                                     uint64_t bytes);
  /// Errors: not_found, invalid_argument (made by another version of Tutti), system.
  static base::Result<std::unique_ptr<Arena>> attach(const std::string& name);
  /// Removes the name; the memory exists until the last process has unmapped it. Does nothing unless called
  /// by the creator.
  void unlink();

  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  uint32_t process_count() const;
  /// Bytes of the whole object, and bytes that are free for regions.
  uint64_t bytes() const { return bytes_; }
  uint64_t free_bytes() const;
  /// Regions that exist now, including refused ones that are not released yet.
  uint32_t region_count() const;

  /// For the other parts of src/node.
  ArenaControl& control() const { return *control_; }
  ProcessRecord& process(uint32_t index) const;
  std::byte* at(uint64_t offset) const { return base_ + offset; }

 private:
  Arena(std::string name, std::byte* base, uint64_t bytes, bool is_creator);

  std::string name_;
  std::byte* base_;
  uint64_t bytes_;
  ArenaControl* control_;
  int creator_pid_;  // 0: no name to remove. A forked child must not unlink.
};

}  // namespace tutti::node
