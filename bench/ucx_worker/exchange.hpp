#pragma once
// Two ranks that send each other a message of the same size at the same time.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tutti::bench {

/// Used by one thread at a time.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void start() = 0;
  /// Moves what can be moved; true once both messages have arrived.
  virtual bool is_done() = 0;
};

struct Messages {
  explicit Messages(size_t bytes) : out(bytes, std::byte{1}), in(bytes) {}
  std::vector<std::byte> out, in;
};

/// Over a UCX worker that nobody else uses. Collective over the two ranks of `comm`. nullptr when UCX
/// refuses.
std::unique_ptr<Exchange> make_ucx_exchange(Messages& messages, int peer, MPI_Comm comm);

}  // namespace tutti::bench
