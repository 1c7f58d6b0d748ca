#pragma once
// The collectives under test: how each is called, natively (PMPI_*) and through what is preloaded (MPI_*),
// with data that is checked against what every rank can compute alone.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tutti::bench {

enum class Side { native, tutti };

struct World {
  MPI_Comm comm;
  int rank = 0, size = 1;
};

/// The block arguments of MPI_Gatherv and similar calls: all blocks are equal, as in the OSU benchmarks.
struct BlockVectors {
  std::vector<int> bytes, places;  // of a block of the case's size
  std::vector<int> elements;       // doubles of one share of a vector of that size
  std::vector<MPI_Datatype> types;
};

/// Page-aligned memory. A copy takes several times as long on AMD Zen 3 if its destination is 16 bytes behind its
/// source inside a page, and addresses of the C library's heap depend on the libraries that are loaded.
template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::align_val_t k_page_bytes{4096};

  PageAllocator() = default;
  template <class Other>
  explicit PageAllocator(const PageAllocator<Other>&) {}
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), k_page_bytes)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory, k_page_bytes); }
  bool operator==(const PageAllocator&) const = default;
};
using PageBuffer = std::vector<unsigned char, PageAllocator<unsigned char>>;

/// The data of a case: two buffers of bytes or of doubles, and their size.
struct Buffers {
  World world;
  uint64_t bytes;
  PageBuffer in, out;
  BlockVectors blocks;

  /// Doubles in `bytes`.
  int element_count() const { return static_cast<int>(bytes / sizeof(double)); }
  int byte_count() const { return static_cast<int>(bytes); }
};

/// The rank that has or gets the data where one rank does.
inline constexpr int k_root = 0;

/// One collective at one size. Size means what the OSU benchmarks mean: the message of bcast, the vector of
/// the reductions, of reduce_scatter and of scan, one block of gather, scatter, allgather and alltoall.
class Case {
 public:
  virtual ~Case() = default;
  /// Collective. Error: the MPI error code.
  virtual int call(Side side) = 0;
  /// Prepares the buffers so that a call that does nothing is noticed.
  virtual void reset() = 0;
  /// True when this rank's result is right.
  virtual bool is_right() const = 0;
  /// Bytes of traffic that the busiest direction of a node's link must carry at least, for nodes with these
  /// numbers of ranks; 0 where no useful bound is known.
  virtual double least_link_bytes(const std::vector<int>& ranks_of_node) const = 0;
  virtual Buffers& buffers() = 0;
};

/// The case of that name, one of case_names(), or nullptr when `bytes` cannot be divided as it needs (then
/// the size is left out).
std::unique_ptr<Case> make_case(const std::string& name, uint64_t bytes, MPI_Comm comm);

}  // namespace tutti::bench
