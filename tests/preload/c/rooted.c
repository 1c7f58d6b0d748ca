// Bcast, Gather, Gatherv, Scatter and Scatterv of contiguous data: every root, small and odd counts,
// MPI_IN_PLACE, on several communicators. Every element received is compared with the value that its
// origin must have sent; what must not be written has a canary.
#include "check.h"

#include <stdlib.h>

enum { k_canary = -77, k_widest_gap = 3 };

static bool holds_block(const int* data, int count, int origin, unsigned salt) {
  for (int i = 0; i < count; ++i)
    if (data[i] != value_of(origin, (size_t)i, salt)) return false;
  return true;
}

static void fill_block(int* data, int count, int origin, unsigned salt) {
  for (int i = 0; i < count; ++i) data[i] = value_of(origin, (size_t)i, salt);
}

static void check_bcast(MPI_Comm comm, int rank, int root, int count) {
  int* data = allocate_ints((size_t)count + 1, k_canary);
  const unsigned salt = 11u + (unsigned)root;
  if (rank == root) fill_block(data, count, root, salt);
  MPI_Bcast(data, count, MPI_INT, root, comm);
  CHECK(holds_block(data, count, root, salt) && data[count] == k_canary, "bcast of %d from %d", count, root);
  free(data);
}

static void check_gather(MPI_Comm comm, int rank, int size, int root, int count, bool in_place) {
  int* mine = allocate_ints((size_t)count, k_canary);
  int* all = allocate_ints((size_t)count * (size_t)size + 1, k_canary);
  const unsigned salt = 23u + (unsigned)count;
  fill_block(mine, count, rank, salt);
  if (rank == root && in_place) {
    fill_block(all + (size_t)rank * (size_t)count, count, rank, salt);
    MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, count, MPI_INT, root, comm);
  } else {
    MPI_Gather(mine, count, MPI_INT, rank == root ? all : NULL, count, MPI_INT, root, comm);
  }
  const size_t total = (size_t)count * (size_t)size;
  if (rank == root) {
    for (int peer = 0; peer < size; ++peer)
      CHECK(holds_block(all + (size_t)peer * (size_t)count, count, peer, salt),
            "gather of %d at %d: block of %d%s", count, root, peer, in_place ? ", in place" : "");
    CHECK(all[total] == k_canary, "gather of %d at %d wrote past its end", count, root);
  }
  free(all);
  free(mine);
}

static void check_scatter(MPI_Comm comm, int rank, int size, int root, int count, bool in_place) {
  int* mine = allocate_ints((size_t)count + 1, k_canary);
  int* all = allocate_ints((size_t)count * (size_t)size, k_canary);
  const unsigned salt = 37u + (unsigned)root;
  if (rank == root)
    for (int peer = 0; peer < size; ++peer)
      for (int i = 0; i < count; ++i)
        all[(size_t)peer * (size_t)count + (size_t)i] = value_of(peer, (size_t)i, salt);
  if (rank == root && in_place) {
    MPI_Scatter(all, count, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, comm);
    CHECK(holds_block(all + (size_t)rank * (size_t)count, count, rank, salt),
          "scatter changed the root's block");
  } else {
    MPI_Scatter(rank == root ? all : NULL, count, MPI_INT, mine, count, MPI_INT, root, comm);
    CHECK(holds_block(mine, count, rank, salt) && mine[count] == k_canary, "scatter of %d from %d", count,
          root);
  }
  free(all);
  free(mine);
}

// Uneven shares, some of them empty, laid out in descending order of rank with gaps between.
typedef struct {
  int* counts;
  int* displacements;
  size_t total;
} Shares;

static Shares make_shares(int size, int count) {
  Shares shares = {allocate_ints((size_t)size, 0), allocate_ints((size_t)size, 0), 0};
  for (int peer = size - 1; peer >= 0; --peer) {
    shares.counts[peer] = peer % 3 == 1 ? 0 : count + peer;
    shares.displacements[peer] = (int)shares.total;
    shares.total += (size_t)shares.counts[peer] + (size_t)(peer % (k_widest_gap + 1));
  }
  return shares;
}

static void free_shares(Shares* shares) {
  free(shares->counts);
  free(shares->displacements);
}

static void check_shares(const int* all, const Shares* shares, int size, unsigned salt, int root) {
  size_t covered = 0;
  size_t untouched = 0;
  for (int peer = 0; peer < size; ++peer) {
    covered += (size_t)shares->counts[peer];
    CHECK(holds_block(all + shares->displacements[peer], shares->counts[peer], peer, salt),
          "gatherv at %d: share of %d", root, peer);
  }
  for (size_t i = 0; i < shares->total; ++i) untouched += all[i] == k_canary ? 1 : 0;
  CHECK(untouched == shares->total - covered, "gatherv at %d wrote into a gap", root);
}

static void check_gatherv(MPI_Comm comm, int rank, int size, int root, int count, bool in_place) {
  Shares shares = make_shares(size, count);
  const int share = shares.counts[rank];
  int* mine = allocate_ints((size_t)share, k_canary);
  int* all = allocate_ints(shares.total, k_canary);
  const unsigned salt = 41u + (unsigned)root;
  fill_block(mine, share, rank, salt);
  if (rank == root && in_place) {
    fill_block(all + shares.displacements[rank], share, rank, salt);
    MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, shares.counts, shares.displacements, MPI_INT, root,
                comm);
  } else if (rank == root) {
    MPI_Gatherv(mine, share, MPI_INT, all, shares.counts, shares.displacements, MPI_INT, root, comm);
  } else {
    MPI_Gatherv(mine, share, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, comm);
  }
  if (rank == root) check_shares(all, &shares, size, salt, root);
  free(all);
  free(mine);
  free_shares(&shares);
}

static void check_scatterv(MPI_Comm comm, int rank, int size, int root, int count, bool in_place) {
  Shares shares = make_shares(size, count);
  const int share = shares.counts[rank];
  int* mine = allocate_ints((size_t)share + 1, k_canary);
  int* all = allocate_ints(shares.total, k_canary);
  const unsigned salt = 53u + (unsigned)root;
  if (rank == root)
    for (int peer = 0; peer < size; ++peer)
      fill_block(all + shares.displacements[peer], shares.counts[peer], peer, salt);
  if (rank == root && in_place) {
    MPI_Scatterv(all, shares.counts, shares.displacements, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root,
                 comm);
    CHECK(holds_block(all + shares.displacements[rank], share, rank, salt),
          "scatterv changed the root's share");
  } else if (rank == root) {
    MPI_Scatterv(all, shares.counts, shares.displacements, MPI_INT, mine, share, MPI_INT, root, comm);
  } else {
    MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, mine, share, MPI_INT, root, comm);
  }
  if (rank != root || !in_place)
    CHECK(holds_block(mine, share, rank, salt) && mine[share] == k_canary, "scatterv of %d from %d", share,
          root);
  free(all);
  free(mine);
  free_shares(&shares);
}

static void check_all(MPI_Comm comm, int rank, int size) {
  const int counts[] = {0, 1, size - 1, size, size + 1, 17, 1000, 4097};
  for (int root = 0; root < size; ++root)
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
      const bool in_place = (root + (int)i) % 2 == 1;
      check_bcast(comm, rank, root, counts[i]);
      check_gather(comm, rank, size, root, counts[i], in_place);
      check_gatherv(comm, rank, size, root, counts[i], !in_place);
      check_scatter(comm, rank, size, root, counts[i], in_place);
      check_scatterv(comm, rank, size, root, counts[i], !in_place);
    }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(check_all);
  CHECK(MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS, "broadcast of nothing");
  return check_finish("rooted");
}
