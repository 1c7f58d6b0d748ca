#pragma once
// Tags that distinguish the messages of one communicator's persistent collectives.

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace tutti::mpi {

/// Numbers of the persistent collectives of one communicator. MPI permits every rank to start them in a different
/// order, so the initialisation, whose order is the same on all ranks, assigns a number that all starts use. (Starts of
/// one request cannot be confused, because messages with one tag do not overtake each other.)
///
/// A number is free again when every rank has freed its request. When all numbers have been assigned once, a reduction
/// determines the free ones: the initialisation of a persistent collective may wait for the other ranks (MPI 4.0,
/// section 6.13).
class PersistentTags {
 public:
  static constexpr uint32_t k_count = uint32_t{1} << 15;

  /// Takes the next number; nullopt: all are in use. Collective over `comm`, as the initialisation that calls it.
  std::optional<uint16_t> take(MPI_Comm comm);
  /// Collective: counts an initialisation that went native, possibly on this rank only.
  void skip(MPI_Comm comm);
  /// This rank no longer uses a number. Any thread.
  void give_back(uint16_t number);

 private:
  using Bits = std::vector<uint64_t>;
  bool find_next();
  void agree(MPI_Comm comm);

  uint32_t next_ = 0;  // no lower number is free
  Bits taken_;         // in use on some rank at the latest agreement; empty: none
  std::mutex mutex_;   // protects mine_
  Bits mine_;
};

}  // namespace tutti::mpi
