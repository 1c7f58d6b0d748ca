#pragma once
// The contents of messages, their layout in memory, and the check of their arrival.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

namespace torture {

/// Pairs are the program's own type, of two numbers of 32 bits; located ones are MPI_2INT.
enum class Element : uint8_t { int32, int64, float64, byte, pair, located };

size_t bytes_of(Element);

/// One MPI datatype and where it has its elements.
class Layout {
 public:
  Layout() = default;
  Layout(Layout&& other) noexcept { *this = std::move(other); }
  Layout& operator=(Layout&& other) noexcept;
  ~Layout() { drop(); }

  /// Contiguous, or with a gap behind it (pairs only): for reductions.
  static Layout plain(Element element, bool has_gap);
  /// Any layout of so many elements.
  static Layout any(Element element, int elements, Random& random);

  MPI_Datatype type() const { return type_; }
  Element element() const { return element_; }
  int64_t extent() const { return extent_; }
  /// The count of this type that holds so many elements.
  int64_t count_for(int64_t elements) const;
  /// The offset of element `index` of a block, in bytes.
  int64_t offset(int64_t index) const {
    const auto size = static_cast<int64_t>(offsets_.size());
    return index / size * extent_ + offsets_[static_cast<size_t>(index % size)];
  }
  /// Gives the datatype back to MPI, whatever is still under way with it.
  void drop();

 private:
  void take(MPI_Datatype made);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_own_ = false;
  Element element_ = Element::int32;
  int64_t extent_ = 0;
  std::vector<int64_t> offsets_;
};

/// A number of elements of which each of `blocks` is a multiple.
int elements_of_type(const std::vector<int64_t>& blocks, Random& random);

enum class Operator : uint8_t { sum, max, bxor, maxloc, add_pairs, compose };

inline bool is_of_program(Operator op) {
  return op == Operator::add_pairs || op == Operator::compose;
}

/// A predefined operator, or a new one of the program.
MPI_Op make_operator(Operator op, bool with_large_count);

/// The contents of a block: the data sent by one rank, or the reduced contributions of ranks `source` to `last`.
struct Content {
  int source = 0;
  int target = 0;
  int64_t first_index = 0;
  int last = -1;  // -1: not reduced
};

struct Block {
  int64_t base = 0;  // bytes from the begin of the buffer
  int64_t elements = 0;
  const Layout* layout = nullptr;
  Content content;
};

/// Memory of one side of an operation, with guards around it.
class Buffer {
 public:
  void resize(int64_t bytes) { bytes_.resize(static_cast<size_t>(bytes) + 2 * k_guard); }
  void* data() { return bytes_.data() + k_guard; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size() - 2 * k_guard); }

  void fill(const std::vector<Block>& blocks, uint64_t key, Operator op);
  /// Empty, or the error. Bytes from `unspecified_from` on may be anything, except the guard.
  std::string compare(const std::vector<Block>& blocks, uint64_t key, Operator op,
                      int64_t unspecified_from) const;
  /// A number that stands for the whole content.
  uint64_t digest(int64_t bytes) const;

 private:
  static constexpr size_t k_guard = 64;
  static void paint(std::vector<std::byte>& image, const std::vector<Block>& blocks, uint64_t key,
                    Operator op);
  std::vector<std::byte> bytes_ = std::vector<std::byte>(2 * k_guard);
};

}  // namespace torture
