#pragma once
// Shared by the programs of this layer: a team of ranks, data that every rank can compute for every other one, and
// buffers that detect every unexpected change of a byte.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tutti::test {

/// The receiver of what goes to all, where blocks are told apart by sender and receiver.
inline constexpr int k_everybody = 99;

/// A communicator and what is being tried on it.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  uint32_t seed = 0;  // of the case; the same on all ranks
  bool reduces_with_bine = false;

  static Team of(MPI_Comm comm) {
    Team team{.comm = comm};
    MPI_Comm_rank(comm, &team.rank);
    MPI_Comm_size(comm, &team.size);
    return team;
  }
};

/// Failures of this process.
int& failure_count();

/// Reports a failure; the first few are printed.
void check(bool is_right, const Team& team, const char* what);

/// The same number on every rank for the same arguments.
inline uint32_t hash(uint32_t a, uint32_t b, uint32_t c = 0, uint32_t d = 0) {
  uint64_t h = (uint64_t{a} << 32 | b) * 0x9E3779B97F4A7C15u;
  h = (h ^ (h >> 29) ^ (uint64_t{c} << 32 | d)) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 32)) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>(h >> 32);
}

/// A datatype of two 32-bit integers per element, in one of several layouts. All have the same signature, so
/// every rank of a call may use another one.
class Layout {
 public:
  static constexpr int k_kinds = 5;
  static constexpr int k_words = 2;

  explicit Layout(int kind);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  MPI_Datatype type() const { return type_; }
  /// Bytes from the start of element 0 to word `word` of element `element`.
  ptrdiff_t place(int64_t element, int word) const { return element * extent_ + offsets_[word]; }
  ptrdiff_t extent() const { return extent_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  ptrdiff_t offsets_[k_words] = {0, 4};
  ptrdiff_t extent_ = 8;
};

/// `elements` elements in a layout between guards, and the picture of what they should become.
class Buffer {
 public:
  Buffer(const Layout& layout, int64_t elements);
  void* data() { return memory_.data() + k_guard_bytes; }

  /// Sets an element now, and expects it to stay.
  void set(int64_t element, const uint32_t (&words)[Layout::k_words]);
  /// Expects an element to become this.
  void expect(int64_t element, const uint32_t (&words)[Layout::k_words]);
  bool is_as_expected() const { return memory_ == expected_; }

 private:
  static constexpr size_t k_guard_bytes = 64;
  void put(std::vector<unsigned char>& memory, int64_t element, const uint32_t (&words)[Layout::k_words]);

  const Layout& layout_;
  std::vector<unsigned char> memory_, expected_;
};

void try_data_movement(Team team);
void try_vectors(Team team);
void try_reductions(Team team);

}  // namespace tutti::test
