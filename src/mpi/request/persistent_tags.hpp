#pragma once
// Which of one communicator's persistent collectives a message belongs to.

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace tutti::mpi {

/// Numbers of the persistent collectives of one communicator. MPI lets every rank start them in an order of
/// its own, so a number is given away by the initialisation, whose order is the same on all ranks, and kept
/// by all starts. (Starts of one request cannot be confused: messages of one tag do not overtake each other.)
///
/// A number is free again once every rank has freed its request. That is asked for when all have been given
/// away once, by a reduction: the initialisation of a persistent collective may wait for the other ranks
/// (MPI 4.0, section 6.13).
class PersistentTags {
 public:
  static constexpr uint32_t k_count = uint32_t{1} << 15;

  /// Collective over `comm`, as the initialisation that calls it. The next number; none when all are in use.
  std::optional<uint16_t> take(MPI_Comm comm);
  /// Collective: an initialisation that went native counts too, perhaps on this rank alone.
  void skip(MPI_Comm comm);
  /// This rank uses a number no more. Any thread.
  void give_back(uint16_t number);

 private:
  using Bits = std::vector<uint64_t>;
  bool find_next();
  void agree(MPI_Comm comm);

  uint32_t next_ = 0;  // none below is free
  Bits taken_;         // on some rank, when the ranks agreed; empty: none
  std::mutex mutex_;   // of what follows
  Bits mine_;
};

}  // namespace tutti::mpi
