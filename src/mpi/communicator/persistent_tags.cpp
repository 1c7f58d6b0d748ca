#include "mpi/communicator/persistent_tags.hpp"

#include "mpi/communicator/native_collective.hpp"

namespace tutti::mpi {

namespace {

constexpr uint32_t k_word_bits = 64;
constexpr uint32_t k_tag_words = PersistentTags::k_count / k_word_bits;

constexpr uint64_t bit_of(uint32_t number) {
  return uint64_t{1} << number % k_word_bits;
}

}  // namespace

bool PersistentTags::find_next() {
  while (next_ < k_count && !taken_.empty() && (taken_[next_ / k_word_bits] & bit_of(next_)) != 0) ++next_;
  return next_ < k_count;
}

void PersistentTags::agree(MPI_Comm comm) {
  {
    const std::lock_guard lock(mutex_);
    taken_ = mine_;
  }
  taken_.resize(k_tag_words);
  const NativeCollective whole(comm);
  // If the reduction fails, the communicator's error handler has been called, and no more numbers are assigned.
  if (PMPI_Allreduce(MPI_IN_PLACE, taken_.data(), static_cast<int>(k_tag_words), MPI_UINT64_T, MPI_BOR,
                     comm) != MPI_SUCCESS)
    taken_.assign(k_tag_words, ~uint64_t{0});
  next_ = 0;
}

std::optional<uint16_t> PersistentTags::take(MPI_Comm comm) {
  if (!find_next()) {
    agree(comm);
    if (!find_next()) return std::nullopt;
  }
  const uint32_t number = next_++;
  const std::lock_guard lock(mutex_);
  mine_.resize(k_tag_words);
  mine_[number / k_word_bits] |= bit_of(number);
  return static_cast<uint16_t>(number);
}

void PersistentTags::skip(MPI_Comm comm) {
  if (const auto number = take(comm)) give_back(*number);
}

void PersistentTags::give_back(uint16_t number) {
  const std::lock_guard lock(mutex_);
  mine_[number / k_word_bits] &= ~bit_of(number);
}

}  // namespace tutti::mpi
