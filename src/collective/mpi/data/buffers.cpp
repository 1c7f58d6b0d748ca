#include "collective/mpi/data/buffers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/per_thread.hpp"
#include "collective/mpi/data/device_memory.hpp"
#include "collective/mpi/data/local_check.hpp"
#include "collective/mpi/data/operands.hpp"

namespace tutti::mpi {

using base::Status;

bool measure(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes) {
  *bytes = 0;
  if (count == 0) return true;
  if (count < 0 || !describe(handle, type)) return false;
  return !__builtin_mul_overflow(static_cast<uint64_t>(count), type->size, bytes);
}

bool measure(int64_t count, MPI_Datatype handle, uint64_t* bytes) {
  *bytes = 0;
  if (count == 0) return true;
  uint64_t size = 0;
  return count > 0 && find_size(handle, &size) &&
         !__builtin_mul_overflow(static_cast<uint64_t>(count), size, bytes);
}

bool measure_vector(int64_t count, MPI_Datatype handle, Type* type, uint64_t* bytes) {
  return count >= 0 && describe(handle, type) &&
         !__builtin_mul_overflow(static_cast<uint64_t>(count), static_cast<uint64_t>(type->extent), bytes);
}

Status KeptTypes::keep(Type* type) {
  if (type->is_predefined || type->handle == MPI_DATATYPE_NULL) return {};
  const int code = keep_datatype(type->handle, &type->handle);
  if (code != MPI_SUCCESS) return {base::Code::mpi, "cannot keep a datatype", code};
  own_.push_back(type->handle);
  return {};
}

KeptTypes::~KeptTypes() {
  for (MPI_Datatype& type : own_) PMPI_Type_free(&type);
}

Status BoundMessage::bind(StagingBuffer::Slot slot, const void* user, int64_t count, const Type& type,
                          uint64_t least_bytes) {
  user_ =
      const_cast<void*>(user);  // load() only reads; store() is called on buffers that the program may write
  count_ = count;
  type_ = type;
  const uint64_t bytes = static_cast<uint64_t>(count) * type.size;
  is_staged_ =
      bytes < least_bytes || !local_check(type.is_dense(count) && !is_device_memory(first_byte(user, type)));
  if (!is_staged_) {
    data_ = first_byte(user, type);
    return {};
  }
  Status status = staging_.acquire(slot, std::max(bytes, least_bytes));
  data_ = staging_.data();
  if (status && bytes < least_bytes) std::memset(data_ + bytes, 0, least_bytes - bytes);
  if (status && lifetime_ == Lifetime::operation) status = kept_types_.keep(&type_);
  return status;
}

Status BoundMessage::bind_operands(StagingBuffer::Slot slot, const void* user, int64_t count,
                                   const Type& type) {
  keeps_layout_ = !type.is_predefined;
  if (!keeps_layout_) {
    Type byte;
    return describe(MPI_BYTE, &byte) ? bind(slot, user, count * type.extent, byte)
                                     : Status::internal("MPI_BYTE is not known");
  }
  user_ = const_cast<void*>(user);  // as in bind()
  count_ = count;
  type_ = type;
  is_staged_ = true;
  Status status = staging_.acquire(slot, operand_memory(count, type));
  data_ = staging_.data();
  if (status && lifetime_ == Lifetime::operation) status = kept_types_.keep(&type_);
  return status;
}

Status BoundMessage::load() const {
  return keeps_layout_ ? load_operands(user_, count_, type_, data_) : load_part(0, count_);
}

Status BoundMessage::load_part(int64_t first, int64_t count) const {
  if (!is_staged_) return {};
  return pack(static_cast<std::byte*>(user_) + first * type_.extent, count, type_,
              data_ + static_cast<uint64_t>(first) * type_.size);
}

Status BoundMessage::store() const {
  if (keeps_layout_) return store_operands(data_, user_, count_, type_);
  return is_staged_ ? unpack(data_, user_, count_, type_) : Status{};
}

MessageBlocks::Arrays& MessageBlocks::arrays(StagingBuffer::Slot slot) {
  if (lifetime_ == Lifetime::operation) return own_arrays_;
  return base::PerThread<std::array<Arrays, 2>>::get()[static_cast<size_t>(slot)];
}

void MessageBlocks::begin(StagingBuffer::Slot slot, const void* user) {
  slot_ = slot;
  user_ = static_cast<std::byte*>(const_cast<void*>(user));  // written by store() only
  arrays_ = &arrays(slot);
  is_dense_ = true;
  knows_memory_ = false;
  arrays_->blocks.clear();
  arrays_->sizes.clear();
}

/// True if a block is in device memory. With a buffer address, all blocks are in one object of the program, so only the
/// first is checked; with MPI_BOTTOM, each block may be in a different one.
bool MessageBlocks::is_new_device_memory(int64_t place, const Type& type) {
  const bool is_known = knows_memory_ && user_ != nullptr;
  knows_memory_ = true;
  return !is_known && is_device_memory(first_byte(user_ + place, type));
}

#ifdef MPICH_VERSION
constexpr bool k_bottom_needs_type = true;
#else
/// In Open MPI, displacements from MPI_BOTTOM may be addresses themselves.
constexpr bool k_bottom_needs_type = false;
#endif

bool MessageBlocks::add(int64_t count, int64_t place, const Type& type) {
  uint64_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(static_cast<uint64_t>(count), type.size, &bytes)) return false;
  if (__builtin_add_overflow(total_bytes_, bytes, &total_bytes_)) return false;
  if (bytes > 0) {
    is_dense_ = is_dense_ && local_check(type.is_dense(count)) && !is_new_device_memory(place, type);
    needs_address_ = needs_address_ || (type.is_predefined && (k_bottom_needs_type || place == 0));
  }
  arrays_->blocks.push_back({count, bytes > 0 ? place : 0, type});
  arrays_->sizes.push_back(bytes);
  return true;
}

bool MessageBlocks::describe(StagingBuffer::Slot slot, int rank_count, const void* user, Numbers counts,
                             Numbers displacements, MPI_Datatype type) {
  Type described;
  if (counts.is_null() || displacements.is_null()) return false;
  bool is_empty = true;
  for (int r = 0; r < rank_count; ++r) is_empty = is_empty && counts[r] == 0;
  if (!is_empty && !mpi::describe(type, &described)) return false;
  begin(slot, user);
  for (int r = 0; r < rank_count; ++r)
    if (!add(counts[r], displacements[r] * described.extent, described)) return false;
  return true;
}

bool MessageBlocks::describe(StagingBuffer::Slot slot, int rank_count, const void* user, Numbers counts,
                             Numbers byte_displacements, const MPI_Datatype* types) {
  if (counts.is_null() || byte_displacements.is_null() || types == nullptr) return false;
  begin(slot, user);
  for (int r = 0; r < rank_count; ++r) {
    Type described;
    if (counts[r] != 0 && !mpi::describe(types[r], &described)) return false;
    if (!add(counts[r], byte_displacements[r], described)) return false;
  }
  return true;
}

void MessageBlocks::place_in_program() {
  // Displacements may be negative, so offsets are relative to the lowest byte of all blocks.
  const auto first_byte_of = [](const Block& block) { return block.place + block.type.true_lb; };
  int64_t lowest = INT64_MAX;
  for (const Block& block : arrays_->blocks)
    if (block.count > 0) lowest = std::min(lowest, first_byte_of(block));
  if (lowest == INT64_MAX) lowest = 0;
  arrays_->offsets.clear();
  for (const Block& block : arrays_->blocks)
    arrays_->offsets.push_back(block.count > 0 ? static_cast<uint64_t>(first_byte_of(block) - lowest) : 0);
  data_ = user_ + lowest;
}

void MessageBlocks::place_in_staging() {
  arrays_->offsets.clear();
  uint64_t at = 0;
  for (const uint64_t size : arrays_->sizes) {
    arrays_->offsets.push_back(at);
    at += size;
  }
  data_ = staging_.data();
}

Status MessageBlocks::bind(bool force_staging) {
  is_staged_ = force_staging || !is_dense_;
  if (!is_staged_) {
    place_in_program();
    return {};
  }
  Status status = staging_.acquire(slot_, total_bytes_);
  place_in_staging();
  for (Block& block : arrays_->blocks)
    if (status && lifetime_ == Lifetime::operation) status = kept_types_.keep(&block.type);
  return status;
}

algorithm::Blocks MessageBlocks::blocks() const {
  return {.sizes = arrays_->sizes, .offsets = arrays_->offsets};
}

Status MessageBlocks::load_block(int rank) const {
  if (!is_staged_) return {};
  const auto r = static_cast<size_t>(rank);
  const Block& block = arrays_->blocks[r];
  return pack(user_ + block.place, block.count, block.type, data_ + arrays_->offsets[r]);
}

Status MessageBlocks::load() const {
  Status status;
  for (size_t r = 0; status && r < arrays_->blocks.size(); ++r) status = load_block(static_cast<int>(r));
  return status;
}

Status MessageBlocks::store() const {
  Status status;
  if (arrays_ == nullptr) return status;
  for (size_t r = 0; is_staged_ && status && r < arrays_->blocks.size(); ++r) {
    const Block& block = arrays_->blocks[r];
    status = unpack(data_ + arrays_->offsets[r], user_ + block.place, block.count, block.type);
  }
  return status;
}

bool Buffers::is_own(const std::byte* data) const {
  const auto holds = [data](const auto& part) { return part.is_staged() && part.data() == data; };
  return holds(input) || holds(output) || holds(input_blocks) || holds(output_blocks) ||
         (data != nullptr && copy.data() == data);
}

Status Buffers::store() const {
  Status status = output.store();
  return status ? output_blocks.store() : status;
}

}  // namespace tutti::mpi
