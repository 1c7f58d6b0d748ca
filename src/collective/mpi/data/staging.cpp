#include "collective/mpi/data/staging.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/per_thread.hpp"
#include "collective/mpi/data/device_memory.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

struct CachedMemory {
  std::byte* data = nullptr;
  uint64_t bytes = 0;
  ~CachedMemory() { std::free(data); }
};

CachedMemory& cached_memory(StagingBuffer::Slot slot) {
  return base::PerThread<std::array<CachedMemory, 2>>::get()[static_cast<size_t>(slot)];
}

Status failed(const char* what, int code) {
  return {base::Code::mpi, what, code};
}

/// Calls `piece(first element, number of elements)` for parts of up to INT_MAX bytes, because the counts of PMPI_Pack
/// and PMPI_Unpack are int.
template <class Piece>
Status in_pieces(int64_t count, const Type& type, Piece piece) {
  const int64_t most = std::max<int64_t>(1, INT_MAX / static_cast<int64_t>(type.size));
  for (int64_t at = 0; at < count; at += most) {
    const int64_t now = std::min(most, count - at);
    if (Status status = piece(at, static_cast<int>(now)); !status) return status;
  }
  return {};
}

/// Copies one element of more than INT_MAX bytes by a message to this process, which has no such limit.
Status copy_through_mpi(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type) {
  const int code =
      PMPI_Sendrecv(from, 1, from_type, 0, 0, to, 1, to_type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? Status{} : failed("cannot copy a datatype", code);
}

/// A type of any number of contiguous bytes.
class ByteRun {
 public:
  explicit ByteRun(uint64_t bytes) {
    constexpr uint64_t k_chunk_bytes = uint64_t{1} << 30;
    MPI_Datatype chunk = MPI_DATATYPE_NULL, chunks = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(static_cast<int>(k_chunk_bytes), MPI_BYTE, &chunk);
    PMPI_Type_contiguous(static_cast<int>(bytes / k_chunk_bytes), chunk, &chunks);
    PMPI_Type_contiguous(static_cast<int>(bytes % k_chunk_bytes), MPI_BYTE, &rest);
    int lengths[] = {1, 1};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / k_chunk_bytes * k_chunk_bytes)};
    MPI_Datatype types[] = {chunks, rest};
    PMPI_Type_create_struct(2, lengths, places, types, &handle_);
    PMPI_Type_commit(&handle_);
    for (MPI_Datatype* type : {&chunk, &chunks, &rest}) PMPI_Type_free(type);
  }
  ~ByteRun() { PMPI_Type_free(&handle_); }
  MPI_Datatype handle() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// Replaces the null pointer of a type with absolute addresses by a pointer to its first byte and a shifted type:
/// MPICH's MPI_Pack refuses the null pointer, which is its MPI_BOTTOM, and an MPI that accepts device memory examines
/// the pointer.
class FromElsewhere {
 public:
  FromElsewhere(const void* user, const Type& type) : user_(const_cast<void*>(user)), type_(type.handle) {
    if (user != nullptr) return;
    user_ = type.true_lb != 0 ? first_byte(user, type) : reinterpret_cast<std::byte*>(this);
    int one = 1;
    MPI_Aint back = -static_cast<MPI_Aint>(reinterpret_cast<intptr_t>(user_));
    PMPI_Type_create_struct(1, &one, &back, &type_, &shifted_);
    PMPI_Type_commit(&shifted_);
    type_ = shifted_;
  }
  ~FromElsewhere() {
    if (shifted_ != MPI_DATATYPE_NULL) PMPI_Type_free(&shifted_);
  }
  FromElsewhere(const FromElsewhere&) = delete;
  FromElsewhere& operator=(const FromElsewhere&) = delete;

  void* user() const { return user_; }
  MPI_Datatype type() const { return type_; }

 private:
  void* user_;
  MPI_Datatype type_;
  MPI_Datatype shifted_ = MPI_DATATYPE_NULL;
};

bool is_huge(const Type& type) {
  return type.size > static_cast<uint64_t>(INT_MAX);
}

}  // namespace

Status StagingBuffer::acquire(Slot slot, uint64_t bytes) {
  slot_ = slot;
  CachedMemory& mine = cached_memory(slot);
  if (mine.bytes >= bytes && mine.data != nullptr) {
    data_ = std::exchange(mine.data, nullptr);
    bytes_ = std::exchange(mine.bytes, 0);
    return {};
  }
  data_ = static_cast<std::byte*>(std::aligned_alloc(64, (std::max<uint64_t>(bytes, 1) + 63) / 64 * 64));
  if (data_ == nullptr)
    return {base::Code::out_of_memory, "no memory to pack " + std::to_string(bytes) + " bytes"};
  bytes_ = bytes;
  return {};
}

StagingBuffer::~StagingBuffer() {
  if (data_ == nullptr) return;
  CachedMemory& mine = cached_memory(slot_);
  if (bytes_ > k_kept_bytes || bytes_ <= mine.bytes) {
    std::free(data_);
    return;
  }
  std::free(mine.data);
  mine.data = data_;
  mine.bytes = bytes_;
}

Status pack(const void* user, int64_t count, const Type& type, std::byte* dense) {
  if (count <= 0 || type.size == 0) return {};
  const DeviceAccess access(first_byte(user, type));
  if (type.is_dense(count) && !access.is_device_memory()) {
    std::memcpy(dense, first_byte(user, type), static_cast<uint64_t>(count) * type.size);
    return {};
  }
  return in_pieces(count, type, [&](int64_t at, int now) -> Status {
    const auto* from = static_cast<const std::byte*>(user) + at * type.extent;
    std::byte* to = dense + static_cast<uint64_t>(at) * type.size;
    if (is_huge(type)) return copy_through_mpi(from, type.handle, to, ByteRun(type.size).handle());
    int position = 0;
    const int bytes = static_cast<int>(static_cast<uint64_t>(now) * type.size);
    const FromElsewhere seen(from, type);
    const int code = PMPI_Pack(seen.user(), now, seen.type(), to, bytes, &position, MPI_COMM_SELF);
    return code == MPI_SUCCESS ? Status{} : failed("cannot pack a datatype", code);
  });
}

Status unpack(const std::byte* dense, void* user, int64_t count, const Type& type) {
  if (count <= 0 || type.size == 0) return {};
  const DeviceAccess access(first_byte(user, type));
  if (type.is_dense(count) && !access.is_device_memory()) {
    std::memcpy(first_byte(user, type), dense, static_cast<uint64_t>(count) * type.size);
    return {};
  }
  return in_pieces(count, type, [&](int64_t at, int now) -> Status {
    const std::byte* from = dense + static_cast<uint64_t>(at) * type.size;
    auto* to = static_cast<std::byte*>(user) + at * type.extent;
    if (is_huge(type)) return copy_through_mpi(from, ByteRun(type.size).handle(), to, type.handle);
    int position = 0;
    const int bytes = static_cast<int>(static_cast<uint64_t>(now) * type.size);
    const FromElsewhere seen(to, type);
    const int code = PMPI_Unpack(from, bytes, &position, seen.user(), now, seen.type(), MPI_COMM_SELF);
    return code == MPI_SUCCESS ? Status{} : failed("cannot unpack a datatype", code);
  });
}

}  // namespace tutti::mpi
