#pragma once
// A common view of arrays that are int in MPI's calls and MPI_Count or MPI_Aint in the large-count variants.

#include <cstdint>
#include <cstring>

namespace tutti::mpi {

/// Counts or displacements of a call, read as 64-bit numbers. Does not own the array.
class Numbers {
 public:
  Numbers(const int* array) : array_(array) {}  // NOLINT: implicit on purpose
  template <class Wide>
  requires(sizeof(Wide) == sizeof(int64_t)) Numbers(const Wide* array)
      : array_(array), is_wide_(true) {}  // NOLINT: implicit on purpose

  bool is_null() const { return array_ == nullptr; }
  bool is_same_array(const Numbers& other) const { return array_ == other.array_; }
  int64_t operator[](int i) const {
    if (!is_wide_) return static_cast<const int*>(array_)[i];
    int64_t value;
    std::memcpy(&value, static_cast<const char*>(array_) + sizeof value * static_cast<size_t>(i),
                sizeof value);
    return value;
  }

 private:
  const void* array_;
  bool is_wide_ = false;
};

}  // namespace tutti::mpi
