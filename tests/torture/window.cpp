#include "window.hpp"

#include <algorithm>
#include <numeric>

#include "calls.hpp"

namespace torture {

Window::Window(const Op& op, MPI_Comm comm, int me, int size) : me_(me), size_(size) {
  const int count = (size + 1) * k_count;
  const auto bytes = static_cast<MPI_Aint>(count * sizeof(int64_t));
  if (Random(op.seed).percent(50)) {
    own_memory_.resize(static_cast<size_t>(count));
    memory_ = own_memory_.data();
    CALL(MPI_Win_create(memory_, bytes, sizeof(int64_t), MPI_INFO_NULL, comm, &window_));
  } else {
    CALL(MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, comm, &memory_, &window_));
  }
  std::fill_n(memory_, count, int64_t{0});
}

int64_t Window::put_value(const Op& op, int source, int i) const {
  return static_cast<int64_t>(op.id) * 1000 + source * 100 + i % 97;
}

uint64_t Window::epoch(const Op& op) {
  Random random(op.seed);
  const int shift = random.below(size_), target = random.below(size_);
  const int from = (me_ + size_ - shift) % size_;
  std::vector<int64_t> sent(k_count), ones(k_count, me_ + 1), got(k_count, -1);
  for (int i = 0; i < k_count; ++i) sent[static_cast<size_t>(i)] = put_value(op, me_, i);
  CALL(MPI_Win_fence(0, window_));
  CALL(MPI_Put(sent.data(), k_count, MPI_INT64_T, (me_ + shift) % size_, me_ * k_count, k_count, MPI_INT64_T,
               window_));
  CALL(MPI_Accumulate(ones.data(), k_count, MPI_INT64_T, target, size_ * k_count, k_count, MPI_INT64_T,
                      MPI_SUM, window_));
  CALL(MPI_Win_fence(0, window_));
  CALL(MPI_Get(got.data(), k_count, MPI_INT64_T, (me_ + shift) % size_, me_ * k_count, k_count, MPI_INT64_T,
               window_));
  CALL(MPI_Win_fence(0, window_));
  if (me_ == target) expected_sum_ += size_ * (size_ + 1) / 2;
  for (int i = 0; i < k_count; ++i) {
    if (slot(from, i) != put_value(op, from, i)) fail("MPI_Put did not arrive");
    if (sum(i) != expected_sum_) fail("MPI_Accumulate: wrong sum");
    if (got[static_cast<size_t>(i)] != sent[static_cast<size_t>(i)]) fail("MPI_Get: wrong value");
  }
  return mix(static_cast<uint64_t>(op.id), static_cast<uint64_t>(expected_sum_ + slot(from, 0)));
}

void Window::free() {
  CALL(MPI_Win_free(&window_));
}

}  // namespace torture
