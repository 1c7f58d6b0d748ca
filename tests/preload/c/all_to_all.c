// Allgather, Allgatherv, Alltoall, Alltoallv and Alltoallw of contiguous data: many counts, uneven and
// empty shares, displacements in any order, MPI_IN_PLACE, on several communicators.
#include "check.h"

#include <stdlib.h>

enum { k_canary = -77 };

// The data from `from` to `to`: differs for every pair.
static int pair_value(int from, int to, int i) {
  return value_of(from, (size_t)i, 101u + (unsigned)to);
}

static bool holds_pair(const int* data, int count, int from, int to) {
  for (int i = 0; i < count; ++i)
    if (data[i] != pair_value(from, to, i)) return false;
  return true;
}

static void fill_pair(int* data, int count, int from, int to) {
  for (int i = 0; i < count; ++i) data[i] = pair_value(from, to, i);
}

static void check_allgather(MPI_Comm comm, int rank, int size, int count, bool in_place) {
  int* mine = allocate_ints((size_t)count, k_canary);
  int* all = allocate_ints((size_t)count * (size_t)size + 1, k_canary);
  fill_pair(mine, count, rank, 0);
  if (in_place) {
    fill_pair(all + (size_t)rank * (size_t)count, count, rank, 0);
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, count, MPI_INT, comm);
  } else {
    MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, comm);
  }
  for (int peer = 0; peer < size; ++peer)
    CHECK(holds_pair(all + (size_t)peer * (size_t)count, count, peer, 0), "allgather of %d: block of %d%s",
          count, peer, in_place ? ", in place" : "");
  CHECK(all[(size_t)count * (size_t)size] == k_canary, "allgather of %d wrote past its end", count);
  free(all);
  free(mine);
}

static void check_allgatherv(MPI_Comm comm, int rank, int size, int count, bool in_place) {
  int* counts = allocate_ints((size_t)size, 0);
  int* displacements = allocate_ints((size_t)size, 0);
  int total = size > 1 ? 1 : 0;  // a gap before the first share; see allgatherv_alone.c for one rank
  for (int peer = size - 1; peer >= 0; --peer) {
    counts[peer] = peer % 3 == 2 ? 0 : count + 2 * peer;
    displacements[peer] = total;
    total += counts[peer] + peer % 2;
  }
  int* mine = allocate_ints((size_t)counts[rank], k_canary);
  int* all = allocate_ints((size_t)total, k_canary);
  fill_pair(mine, counts[rank], rank, 0);
  if (in_place) {
    fill_pair(all + displacements[rank], counts[rank], rank, 0);
    MPI_Allgatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all, counts, displacements, MPI_INT, comm);
  } else {
    MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, displacements, MPI_INT, comm);
  }
  int gaps = total;
  for (int peer = 0; peer < size; ++peer) {
    CHECK(holds_pair(all + displacements[peer], counts[peer], peer, 0), "allgatherv: share of %d%s", peer,
          in_place ? ", in place" : "");
    gaps -= counts[peer];
  }
  for (int i = 0; i < total; ++i) gaps -= all[i] == k_canary ? 1 : 0;
  CHECK(gaps == 0, "allgatherv wrote into a gap");
  free(all);
  free(mine);
  free(displacements);
  free(counts);
}

static void check_alltoall(MPI_Comm comm, int rank, int size, int count, bool in_place) {
  const size_t total = (size_t)count * (size_t)size;
  int* outgoing = allocate_ints(total, k_canary);
  int* incoming = allocate_ints(total + 1, k_canary);
  int* source = in_place ? incoming : outgoing;
  for (int peer = 0; peer < size; ++peer) fill_pair(source + (size_t)peer * (size_t)count, count, rank, peer);
  if (in_place)
    MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, incoming, count, MPI_INT, comm);
  else
    MPI_Alltoall(outgoing, count, MPI_INT, incoming, count, MPI_INT, comm);
  for (int peer = 0; peer < size; ++peer)
    CHECK(holds_pair(incoming + (size_t)peer * (size_t)count, count, peer, rank),
          "alltoall of %d: block of %d%s", count, peer, in_place ? ", in place" : "");
  CHECK(incoming[total] == k_canary, "alltoall of %d wrote past its end", count);
  free(incoming);
  free(outgoing);
}

// The exchange of one rank in elements of MPI_INT. Peers appear in memory in descending order.
typedef struct {
  int* send_counts;
  int* send_displacements;
  int* recv_counts;
  int* recv_displacements;
  int send_total;
  int recv_total;
} Exchange;

// Symmetric in its first two arguments, as an exchange in place requires; empty for some pairs.
static int share_of(int a, int b, int count) {
  return (a + b) % 4 == 3 ? 0 : count + (a + b) % 5;
}

static Exchange make_exchange(int rank, int size, int count, bool symmetric) {
  Exchange x = {allocate_ints((size_t)size, 0),
                allocate_ints((size_t)size, 0),
                allocate_ints((size_t)size, 0),
                allocate_ints((size_t)size, 0),
                0,
                0};
  for (int peer = size - 1; peer >= 0; --peer) {
    x.send_counts[peer] = share_of(rank, peer, count) + (symmetric ? 0 : rank);
    x.recv_counts[peer] = share_of(rank, peer, count) + (symmetric ? 0 : peer);
    x.send_displacements[peer] = x.send_total;
    x.recv_displacements[peer] = x.recv_total;
    x.send_total += x.send_counts[peer] + 1;
    x.recv_total += x.recv_counts[peer] + 1;
  }
  return x;
}

static void free_exchange(Exchange* x) {
  free(x->send_counts);
  free(x->send_displacements);
  free(x->recv_counts);
  free(x->recv_displacements);
}

static void check_received(const Exchange* x, const int* incoming, int rank, int size, const char* call) {
  for (int peer = 0; peer < size; ++peer) {
    const int* share = incoming + x->recv_displacements[peer];
    CHECK(holds_pair(share, x->recv_counts[peer], peer, rank), "%s: share of %d", call, peer);
    CHECK(share[x->recv_counts[peer]] == k_canary, "%s wrote past the share of %d", call, peer);
  }
}

static void alltoallw(const Exchange* x, const int* outgoing, int* incoming, int size, MPI_Comm comm) {
  int* send_bytes = allocate_ints((size_t)size, 0);
  int* recv_bytes = allocate_ints((size_t)size, 0);
  MPI_Datatype* types = allocate((size_t)size * sizeof *types);
  for (int peer = 0; peer < size; ++peer) {
    send_bytes[peer] = x->send_displacements[peer] * (int)sizeof(int);
    recv_bytes[peer] = x->recv_displacements[peer] * (int)sizeof(int);
    types[peer] = MPI_INT;
  }
  if (outgoing == NULL)
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, incoming, x->recv_counts, recv_bytes, types, comm);
  else
    MPI_Alltoallw(outgoing, x->send_counts, send_bytes, types, incoming, x->recv_counts, recv_bytes, types,
                  comm);
  free(types);
  free(recv_bytes);
  free(send_bytes);
}

static void check_alltoallvw(MPI_Comm comm, int rank, int size, int count, bool in_place, bool w) {
  Exchange x = make_exchange(rank, size, count, in_place);
  int* outgoing = allocate_ints((size_t)x.send_total, k_canary);
  int* incoming = allocate_ints((size_t)x.recv_total, k_canary);
  for (int peer = 0; peer < size; ++peer)
    fill_pair((in_place ? incoming : outgoing) + x.send_displacements[peer], x.send_counts[peer], rank, peer);
  if (w)
    alltoallw(&x, in_place ? NULL : outgoing, incoming, size, comm);
  else if (in_place)
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, incoming, x.recv_counts, x.recv_displacements,
                  MPI_INT, comm);
  else
    MPI_Alltoallv(outgoing, x.send_counts, x.send_displacements, MPI_INT, incoming, x.recv_counts,
                  x.recv_displacements, MPI_INT, comm);
  check_received(&x, incoming, rank, size, w ? "alltoallw" : "alltoallv");
  free(incoming);
  free(outgoing);
  free_exchange(&x);
}

static void check_all(MPI_Comm comm, int rank, int size) {
  const int counts[] = {0, 1, size - 1, size, size + 1, 17, 1000, 4097};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    for (int in_place = 0; in_place < 2; ++in_place) {
      check_allgather(comm, rank, size, counts[i], in_place);
      check_allgatherv(comm, rank, size, counts[i], in_place);
      check_alltoall(comm, rank, size, counts[i], in_place);
      check_alltoallvw(comm, rank, size, counts[i], in_place, false);
      check_alltoallvw(comm, rank, size, counts[i], in_place, true);
      MPI_Barrier(comm);
    }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(check_all);
  return check_finish("all_to_all");
}
