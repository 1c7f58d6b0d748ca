// Broadcast, gather, scatter, allgather and alltoall with blocks of one size.

#include "team.hpp"

namespace tutti::test {

namespace {

/// The value of element `index` of the block from `from` to `to`.
struct Words {
  uint32_t words[Layout::k_words];
  Words(const Team& team, int from, int to, int64_t index)
      : words{hash(team.seed, static_cast<uint32_t>(from), static_cast<uint32_t>(to),
                   static_cast<uint32_t>(2 * index)),
              hash(team.seed, static_cast<uint32_t>(from), static_cast<uint32_t>(to),
                   static_cast<uint32_t>(2 * index + 1))} {}
};

int layout_kind(const Team& team, uint32_t side) {
  return static_cast<int>(hash(team.seed, static_cast<uint32_t>(team.rank), side) >> 8);
}

void set_block(Buffer& buffer, const Team& team, int block, int from, int to, int count) {
  for (int i = 0; i < count; ++i) buffer.set(int64_t{block} * count + i, Words(team, from, to, i).words);
}

void expect_block(Buffer& buffer, const Team& team, int block, int from, int to, int count) {
  for (int i = 0; i < count; ++i) buffer.expect(int64_t{block} * count + i, Words(team, from, to, i).words);
}

void try_bcast(const Team& team, int count, int root) {
  const Layout layout(layout_kind(team, 0));
  Buffer buffer(layout, count);
  if (team.rank == root)
    set_block(buffer, team, 0, root, k_everybody, count);
  else
    expect_block(buffer, team, 0, root, k_everybody, count);
  MPI_Bcast(buffer.data(), count, layout.type(), root, team.comm);
  check(buffer.is_as_expected(), team, "bcast");
}

void try_gather(const Team& team, int count, int root, bool in_place) {
  const Layout send_layout(layout_kind(team, 0)), receive_layout(layout_kind(team, 1));
  Buffer own(send_layout, count), all(receive_layout, int64_t{count} * team.size);
  set_block(own, team, 0, team.rank, root, count);
  if (team.rank == root)
    for (int r = 0; r < team.size; ++r) expect_block(all, team, r, r, root, count);
  if (team.rank == root && in_place) {
    set_block(all, team, root, root, root, count);
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, receive_layout.type(), root, team.comm);
  } else if (team.rank == root) {
    MPI_Gather(own.data(), count, send_layout.type(), all.data(), count, receive_layout.type(), root,
               team.comm);
  } else {
    MPI_Gather(own.data(), count, send_layout.type(), nullptr, 0, MPI_DATATYPE_NULL, root, team.comm);
  }
  check(own.is_as_expected() && all.is_as_expected(), team, "gather");
}

void try_scatter(const Team& team, int count, int root, bool in_place) {
  const Layout send_layout(layout_kind(team, 0)), receive_layout(layout_kind(team, 1));
  Buffer own(receive_layout, count), all(send_layout, int64_t{count} * team.size);
  if (team.rank == root)
    for (int r = 0; r < team.size; ++r) set_block(all, team, r, root, r, count);
  if (team.rank != root || !in_place) expect_block(own, team, 0, root, team.rank, count);
  if (team.rank == root)
    MPI_Scatter(all.data(), count, send_layout.type(), in_place ? MPI_IN_PLACE : own.data(), count,
                receive_layout.type(), root, team.comm);
  else
    MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, own.data(), count, receive_layout.type(), root, team.comm);
  check(own.is_as_expected() && all.is_as_expected(), team, "scatter");
}

void try_allgather(const Team& team, int count, bool in_place) {
  const Layout send_layout(layout_kind(team, 0)), receive_layout(layout_kind(team, 1));
  Buffer own(send_layout, count), all(receive_layout, int64_t{count} * team.size);
  set_block(own, team, 0, team.rank, k_everybody, count);
  for (int r = 0; r < team.size; ++r) expect_block(all, team, r, r, k_everybody, count);
  if (in_place) {
    set_block(all, team, team.rank, team.rank, k_everybody, count);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, receive_layout.type(), team.comm);
  } else {
    MPI_Allgather(own.data(), count, send_layout.type(), all.data(), count, receive_layout.type(), team.comm);
  }
  check(own.is_as_expected() && all.is_as_expected(), team, "allgather");
}

void try_alltoall(const Team& team, int count, bool in_place) {
  const Layout send_layout(layout_kind(team, 0)), receive_layout(layout_kind(team, 1));
  Buffer sent(send_layout, int64_t{count} * team.size), received(receive_layout, int64_t{count} * team.size);
  for (int r = 0; r < team.size; ++r) {
    if (in_place)
      set_block(received, team, r, team.rank, r, count);
    else
      set_block(sent, team, r, team.rank, r, count);
  }
  for (int r = 0; r < team.size; ++r) expect_block(received, team, r, r, team.rank, count);
  if (in_place)
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received.data(), count, receive_layout.type(),
                 team.comm);
  else
    MPI_Alltoall(sent.data(), count, send_layout.type(), received.data(), count, receive_layout.type(),
                 team.comm);
  check(sent.is_as_expected() && received.is_as_expected(), team, "alltoall");
}

}  // namespace

void try_data_movement(Team team) {
  const int counts[] = {0, 1, team.size - 1, team.size + 1, 100, 1500};
  for (const int count : counts) {
    ++team.seed;
    const int root = static_cast<int>(hash(team.seed, 1) % static_cast<uint32_t>(team.size));
    const bool in_place = hash(team.seed, 2) % 2 == 0;
    MPI_Barrier(team.comm);
    try_bcast(team, count, root);
    try_gather(team, count, root, in_place);
    try_scatter(team, count, root, in_place);
    try_allgather(team, count, in_place);
    try_alltoall(team, count, in_place);
  }
  ++team.seed;
  try_bcast(team, 40000, team.size - 1);
}

}  // namespace tutti::test
