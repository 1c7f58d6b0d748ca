#pragma once
// One collective operation: its arguments, its MPI call in all interfaces, and its result.

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "data.hpp"
#include "plan.hpp"

namespace torture {

/// The memory of one side of a collective.
struct Side {
  Buffer buffer;
  std::vector<Layout> layouts;  // one, or one for each peer
  std::vector<Block> filled;    // before the call
  std::vector<Block> expected;  // after the call
  int64_t bytes = 0;            // that MPI may touch
  int64_t unspecified_from = INT64_MAX;

  // In the form of MPI's arguments. The single ones are those of the first block.
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  void* address = nullptr;
  std::vector<int> counts, displacements;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Aint> large_displacements;
  std::vector<MPI_Datatype> types;
};

class CollectiveCall {
 public:
  /// `me` and `size` are of the communicator; `private_seed` is this rank's own.
  CollectiveCall(const Op& op, int me, int size, uint64_t private_seed);
  ~CollectiveCall();
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;

  /// Writes what round `round` sends. The call must not be under way.
  void fill(int round);
  /// `request` is not used by blocking calls.
  int call(MPI_Comm comm, MPI_Request* request);
  /// Datatypes and operator, as soon as the call has returned.
  void drop_handles();
  /// Ends the job when the round's result is not right. Returns a digest of it.
  uint64_t check(int round);
  /// For the diagnosis of a failure.
  std::string describe() const;

 private:
  enum class Style : uint8_t { uniform, displaced, bytes };

  struct Piece {
    int64_t elements;
    Content content;
  };

  void draw_shape(Random& random);
  void draw_element(Random& random);
  int64_t draw_elements(Random& random, int parts);
  void lay_out(Side& side, const std::vector<Piece>& pieces, std::vector<Block>& into);
  void add_layouts(Side& side, const std::vector<Piece>& pieces);
  void set_arguments(Side& side, const std::vector<Block>& blocks);
  int64_t matrix(int from, int to) const;
  Piece contribution() const;
  Piece reduced(int first, int last, int64_t first_index, int64_t elements) const;
  bool is_reduction() const;
  bool is_vector() const;

  void build();
  void build_bcast();
  void build_reduction();
  void build_reduce_scatter();
  void build_gathering(bool has_root);
  void build_scatter();
  void build_alltoall();
  void spoil_what_is_insignificant();
  void spoil(Side& side);
  int call_plainly(MPI_Comm comm, MPI_Request* request);
  int call_with_large_counts(MPI_Comm comm, MPI_Request* request);

  const Op op_;
  const int me_, size_;
  Random private_;
  Style style_ = Style::uniform;
  Element element_ = Element::int32;
  Operator operator_ = Operator::sum;
  MPI_Op mpi_op_ = MPI_OP_NULL;
  int root_ = 0;
  bool in_place_ = false, with_large_counts_ = false, has_gap_ = false, same_layout_ = false;
  uint64_t layout_seed_ = 0;
  std::vector<int64_t> parts_;  // elements for or of each rank
  Side send_, receive_;
};

}  // namespace torture
