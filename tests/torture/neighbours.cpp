// Collectives among the neighbours of a Cartesian communicator of one dimension, which is open at both ends.
#include <array>
#include <memory>
#include <vector>

#include "calls.hpp"
#include "process.hpp"

namespace torture {

namespace {

constexpr int k_neighbours = 2;  // the rank before, and the rank behind

struct Exchange {
  int count = 0;  // numbers for or of each neighbour
  std::vector<int> mine, theirs;
  /// The seed of the data sent by each neighbour; 0: no neighbour.
  std::array<uint64_t, k_neighbours> sent{};

  uint64_t check() const {
    uint64_t digest = 0;
    for (size_t neighbour = 0; neighbour < k_neighbours; ++neighbour) {
      const int* const block = theirs.data() + neighbour * static_cast<size_t>(count);
      for (int i = 0; i < count; ++i) {
        const uint64_t value =
            sent[neighbour] == 0 ? 0 : mix(sent[neighbour], static_cast<uint64_t>(i)) >> 33;
        if (block[i] != static_cast<int>(value)) fail("a neighbour's data is wrong");
        digest = mix(digest, value);
      }
    }
    return digest;
  }
};

}  // namespace

void Process::among_neighbours(const Op& op) {
  const MPI_Comm comm = communicator(op);
  const int me = rank_in(op), size = size_of(op);
  Random random(op.seed);
  const bool is_alltoall = random.percent(50);
  auto data = std::make_shared<Exchange>();
  data->count = random.between(1, 4000);
  const auto of = [&](int rank, int block) {
    return mix(op.seed, static_cast<uint64_t>(rank * k_neighbours + (is_alltoall ? block : 0)));
  };
  for (int block = 0; block < (is_alltoall ? k_neighbours : 1); ++block)
    for (int i = 0; i < data->count; ++i)
      data->mine.push_back(static_cast<int>(mix(of(me, block), static_cast<uint64_t>(i)) >> 33));
  data->theirs.assign(static_cast<size_t>(data->count) * k_neighbours, 0);
  if (me > 0) data->sent[0] = of(me - 1, 1);
  if (me + 1 < size) data->sent[1] = of(me + 1, 0);
  const int* const mine = data->mine.data();
  int* const theirs = data->theirs.data();
  if (op.interface == Interface::blocking) {
    const auto call = is_alltoall ? MPI_Neighbor_alltoall : MPI_Neighbor_allgather;
    CALL(call(mine, data->count, MPI_INT, theirs, data->count, MPI_INT, comm));
    return note(data->check());
  }
  const auto call = is_alltoall ? MPI_Ineighbor_alltoall : MPI_Ineighbor_allgather;
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(call(mine, data->count, MPI_INT, theirs, data->count, MPI_INT, comm, &request));
  pending_.add({.request = request,
                .operation = op.id,
                .ready = op.ready,
                .end = [this, data](MPI_Request, const MPI_Status&) { note(data->check()); }});
}

}  // namespace torture
