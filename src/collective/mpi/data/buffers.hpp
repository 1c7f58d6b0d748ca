#pragma once
// Presents the program's buffers as the dense bytes that schedules work on.

#include <cstdint>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/mpi/data/arguments.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "collective/mpi/data/operator.hpp"
#include "collective/mpi/data/staging.hpp"

namespace tutti::mpi {

/// Describes the type and computes the bytes of `count` elements by its signature. False: the count is negative, the
/// result overflows, or the handle is unusable. Without elements no type is needed: programs may pass
/// MPI_DATATYPE_NULL.
bool measure(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes);

/// The same for elements that are reduced: they are sent including their padding, because operators expect it.
bool measure_vector(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes);

/// The same without a description of the type, which calls that go to the native MPI do not need.
bool measure(int64_t count, MPI_Datatype handle, uint64_t* bytes);

/// A null pointer is an address only for types that carry absolute addresses (MPI_BOTTOM).
inline bool is_missing(const void* buffer, const Type& type, uint64_t bytes) {
  return buffer == nullptr && bytes > 0 && type.is_predefined;
}

/// Time for which a call's buffers are used. With `operation`, buffers keep the types that the program may free after
/// the call has returned.
enum class Lifetime : uint8_t { call, operation };

/// Keeps derived types until the operation has ended.
class KeptTypes {
 public:
  KeptTypes() = default;
  ~KeptTypes();
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;
  /// Replaces the handle by one that this object owns.
  base::Status keep(Type* type);

 private:
  std::vector<MPI_Datatype> own_;
};

/// `count` consecutive elements: used in place if their bytes are dense and the processor can access them, staged
/// otherwise.
class BoundMessage {
 public:
  explicit BoundMessage(Lifetime lifetime = Lifetime::call) : lifetime_(lifetime) {}
  /// If the program's buffer has fewer than `least_bytes`, it is staged and padded with zeros.
  base::Status bind(StagingBuffer::Slot slot, const void* user, int64_t count, const Type& type,
                    uint64_t least_bytes = 0);
  /// Operands of a reduction: whole elements of a type with a positive extent, in their layout
  /// (collective/mpi/data/operands.hpp).
  base::Status bind_operands(StagingBuffer::Slot slot, const void* user, int64_t count, const Type& type);
  std::byte* data() const { return data_; }
  bool is_staged() const { return is_staged_; }
  /// Copies from the program's buffer to staging, and back; no operation for dense buffers.
  base::Status load() const;
  base::Status store() const;
  /// Packs the program's elements into `dense`.
  base::Status pack_into(std::byte* dense) const { return pack(user_, count_, type_, dense); }
  /// As load(), for `count` elements from index `first` on.
  base::Status load_part(int64_t first, int64_t count) const;

 private:
  Lifetime lifetime_;
  KeptTypes kept_types_;
  StagingBuffer staging_;
  void* user_ = nullptr;
  int64_t count_ = 0;
  Type type_;
  std::byte* data_ = nullptr;
  bool is_staged_ = false;
  bool keeps_layout_ = false;  // staged operands
};

/// One block per rank, for the v- and w-collectives. Used in place if every block is dense, otherwise staged one after
/// the other. The arrays of blocks() belong to the calling thread, one set per slot, unless they outlive the call.
class MessageBlocks {
 public:
  explicit MessageBlocks(Lifetime lifetime = Lifetime::call) : lifetime_(lifetime) {}

  /// Describes the blocks: false on a negative count, an unusable type or sizes beyond 64 bits.
  /// `displacements` are in elements.
  bool describe(StagingBuffer::Slot slot, int rank_count, const void* user, Numbers counts,
                Numbers displacements, MPI_Datatype type);
  /// The same with a type per block; displacements are in bytes.
  bool describe(StagingBuffer::Slot slot, int rank_count, const void* user, Numbers counts,
                Numbers byte_displacements, const MPI_Datatype* types);

  /// Sum of all sizes.
  uint64_t bytes() const { return total_bytes_; }
  /// True if the program passed no address for blocks that need one.
  bool is_missing() const { return user_ == nullptr && needs_address_; }

  /// Acquires memory if staging is needed, or if `force_staging`. Afterwards blocks() and data() are valid.
  base::Status bind(bool force_staging = false);
  algorithm::Blocks blocks() const;
  std::byte* data() const { return data_; }
  bool is_staged() const { return is_staged_; }

  base::Status load() const;
  base::Status load_block(int rank) const;
  base::Status store() const;

 private:
  struct Block {
    int64_t count = 0;
    int64_t place = 0;  // bytes from the program's address to the first element
    Type type;
  };
  struct Arrays {
    std::vector<Block> blocks;
    std::vector<uint64_t> sizes, offsets;
  };
  Arrays& arrays(StagingBuffer::Slot slot);
  void begin(StagingBuffer::Slot slot, const void* user);
  bool add(int64_t count, int64_t place, const Type& type);
  bool is_new_device_memory(int64_t place, const Type& type);
  void place_in_program();
  void place_in_staging();

  Lifetime lifetime_;
  KeptTypes kept_types_;
  Arrays own_arrays_;  // of blocks that outlive the call
  Arrays* arrays_ = nullptr;
  StagingBuffer::Slot slot_ = StagingBuffer::Slot::input;
  StagingBuffer staging_;
  std::byte* user_ = nullptr;
  std::byte* data_ = nullptr;
  uint64_t total_bytes_ = 0;
  bool needs_address_ = false;
  bool is_dense_ = true;
  bool knows_memory_ = false;
  bool is_staged_ = false;
};

/// All buffers of a collective, from the program's arguments to its end; each collective uses some of them.
struct Buffers {
  explicit Buffers(Lifetime lifetime)
      : input(lifetime), output(lifetime), input_blocks(lifetime), output_blocks(lifetime) {}
  BoundMessage input, output;
  MessageBlocks input_blocks, output_blocks;
  StagingBuffer copy;  // copy of an in-place input, or temporary output
  MpiReducer reducer;

  /// Copies received data to the program's buffers.
  base::Status store() const;
  /// True if the address is that of a temporary buffer, not of the program's memory.
  bool is_own(const std::byte* data) const;
};

}  // namespace tutti::mpi
