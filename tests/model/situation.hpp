#pragma once
// One situation of the model grid: what every rank asks for, where the ranks are, and how the algorithm is
// set.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "topology/topology.hpp"

namespace tutti::model {

using algorithm::Collective;
using algorithm::Request;
using schedule::Rank;

/// The ranks that call with MPI_IN_PLACE.
enum class InPlace : uint8_t { nobody, root, everybody, odd_ranks };

/// How the blocks of a collective with per-rank sizes lie.
enum class Layout : uint8_t {
  uniform,             // equal blocks in rank order
  uneven,              // different sizes, some zero, in rank order
  gaps,                // different sizes with unused bytes between them
  reversed,            // the same in descending rank order
  one_rank,            // only the last rank has data
  every_rank_its_own,  // offsets differ from rank to rank
};

/// The numbers that make a situation; everything else follows from them.
struct Situation {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank root = 0;
  uint64_t count = 0;  // elements of the vector, or of one block
  uint64_t element_bytes = 1;
  InPlace in_place = InPlace::nobody;
  Layout layout = Layout::uniform;
  bool sizes_known_everywhere = true;  // gatherv, scatterv: otherwise only at the root
  bool commutative = true;
};

std::vector<InPlace> in_place_of(Collective collective);
std::vector<Layout> layouts_of(Collective collective);
std::string describe(const Situation& situation);

/// The requests of all ranks; owns the arrays they point to.
class Requests {
 public:
  explicit Requests(const Situation& situation);
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  std::span<const Request> every_rank() const { return requests_; }

 private:
  void fill_blocks(Request& request, Rank me);
  void fill_alltoall(Request& request, Rank me);
  algorithm::Blocks blocks_with(std::vector<uint64_t> sizes, Rank me);
  uint64_t block_bytes(Rank r) const;
  uint64_t message_bytes(Rank from, Rank to) const;

  Situation situation_;
  std::vector<Request> requests_;
  std::deque<std::vector<uint64_t>> arrays_;
};

}  // namespace tutti::model
