#pragma once
// The program's buffers as the dense bytes that schedules work on.

#include <cstdint>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "mpi/data/arguments.hpp"
#include "mpi/data/datatype.hpp"
#include "mpi/data/operator.hpp"
#include "mpi/data/staging.hpp"

namespace tutti::mpi {

/// Bytes of `count` elements of a described type by its signature; false on negative counts, on overflow, or
/// where the handle is not usable. No element needs no type: programs give MPI_DATATYPE_NULL then.
bool measure(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes);

/// The same of a type that is not described: what is left to the native MPI needs no more.
bool measure(int64_t count, MPI_Datatype handle, uint64_t* bytes);

/// The same of elements that are reduced, which travel whole, padding included, because operators see them so.
bool measure_vector(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes);

/// A null pointer is an address only for types that carry absolute addresses (MPI_BOTTOM).
inline bool is_missing(const void* buffer, const Type& type, uint64_t bytes) {
  return buffer == nullptr && bytes > 0 && type.is_predefined;
}

/// How long a call's buffers are used. What is used after the call has returned keeps types that the program
/// may free meanwhile.
enum class Lifetime : uint8_t { call, operation };

/// Derived types that are needed until the operation has ended.
class KeptTypes {
 public:
  KeptTypes() = default;
  ~KeptTypes();
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;
  /// Replaces the handle by one of our own.
  base::Status keep(Type* type);

 private:
  std::vector<MPI_Datatype> own_;
};

/// `count` elements in a row: used where they are when their bytes are dense and the processor can reach
/// them, staged otherwise.
class Message {
 public:
  explicit Message(Lifetime lifetime = Lifetime::call) : lifetime_(lifetime) {}
  /// What the program gives may have fewer than `least_bytes`: then it is staged, and zeros follow it.
  base::Status bind(StagingBuffer::Slot slot, const void* user, int64_t count, const Type& type,
                    uint64_t least_bytes = 0);
  std::byte* data() const { return data_; }
  bool is_staged() const { return is_staged_; }
  /// Program -> staging, and back; nothing to do for dense buffers.
  base::Status load() const { return load_part(0, count_); }
  base::Status store() const;
  /// A packed copy of the program's elements, for `dense` to hold.
  base::Status pack_into(std::byte* dense) const { return pack(user_, count_, type_, dense); }
  /// Only `count` elements from number `first` on.
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
};

/// One block per rank, as the v- and w-collectives have them. Used where they are when every block is dense,
/// otherwise staged one behind the other. The arrays behind blocks() are the calling thread's, one set per
/// slot, unless they outlive the call.
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
  /// True when the program gave no address for blocks that need one.
  bool is_missing() const { return user_ == nullptr && needs_address_; }

  /// Gets memory where staging is needed, or always when `force_staging`. After this, blocks() and data()
  /// hold.
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

/// What a collective works on from the program's arguments to its end; each uses some of it.
struct Buffers {
  explicit Buffers(Lifetime lifetime)
      : input(lifetime), output(lifetime), input_blocks(lifetime), output_blocks(lifetime) {}
  Message input, output;
  MessageBlocks input_blocks, output_blocks;
  StagingBuffer copy;  // of what lies in place
  MpiReducer reducer;

  /// Brings what arrived to the program.
  base::Status store() const;
  /// The address is that of memory that is not the program's.
  bool is_own(const std::byte* data) const;
};

}  // namespace tutti::mpi
