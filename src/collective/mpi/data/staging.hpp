#pragma once
// Staging memory: the dense bytes that a schedule works on, for data that has any other layout in the program.

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "collective/mpi/data/arguments.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi {

/// Temporary memory of the calling thread. At most one owner per slot at a time. Blocks of up to k_kept_bytes are kept
/// for the next call, so that repeated calls do not allocate.
class StagingBuffer {
 public:
  enum class Slot : uint8_t { input, output };
  static constexpr uint64_t k_kept_bytes = uint64_t{1} << 20;

  StagingBuffer() = default;
  ~StagingBuffer();
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;

  /// Error: out_of_memory.
  base::Status acquire(Slot slot, uint64_t bytes);
  std::byte* data() const { return data_; }

 private:
  Slot slot_ = Slot::input;
  uint64_t bytes_ = 0;
  std::byte* data_ = nullptr;
};

/// Packs `count` elements of `type` at `user` into `dense`, which has count * type.size bytes.
base::Status pack(const void* user, int64_t count, const Type& type, std::byte* dense);
base::Status unpack(const std::byte* dense, void* user, int64_t count, const Type& type);

/// Address of the first byte of a dense layout in the program's memory.
inline std::byte* first_byte(const void* user, const Type& type) {
  return static_cast<std::byte*>(const_cast<void*>(user)) + type.true_lb;
}

}  // namespace tutti::mpi
