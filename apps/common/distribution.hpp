// Rows of an N-row object distributed over ranks in contiguous blocks.
//
// Every rank gets ceil(N / ranks) rows, except that the last ranks may get fewer, or none: N need not be a
// multiple of the number of ranks.
#pragma once

#include <algorithm>

namespace apps {

class BlockRows {
 public:
  BlockRows(int row_count, int rank_count)
      : row_count_(row_count), block_((row_count + rank_count - 1) / rank_count) {}

  // Rows of a full block; also the distance between the first rows of adjacent ranks.
  int block() const { return block_; }
  int first(int rank) const {
    return static_cast<int>(std::min<long long>(row_count_, static_cast<long long>(rank) * block_));
  }
  int count(int rank) const { return first(rank + 1) - first(rank); }
  int owner(int row) const { return row / block_; }

 private:
  int row_count_;
  int block_;
};

}  // namespace apps
