// Collectives between two groups of different sizes: even against odd ranks, and the first rank against
// all others. Data go from one group to the other; MPI_ROOT and MPI_PROC_NULL mark the sending side.
#include "check.h"

#include <stdlib.h>

enum { k_count = 300 };

typedef struct {
  MPI_Comm comm;
  bool left;  // this rank is in the left group
  int rank;   // in its own group
  int size;   // of its own group
  int others;
} Side;

// Group 0 is the left one.
static int item(int group, int rank, int to, size_t i) {
  return value_of(group * 1000 + rank, i, 61u + (unsigned)to);
}
static int own_group(const Side* s) {
  return s->left ? 0 : 1;
}
static int other_group(const Side* s) {
  return s->left ? 1 : 0;
}

static bool holds(const int* data, int group, int rank, int to) {
  for (size_t i = 0; i < k_count; ++i)
    if (data[i] != item(group, rank, to, i)) return false;
  return true;
}

static void fill(int* data, int group, int rank, int to) {
  for (size_t i = 0; i < k_count; ++i) data[i] = item(group, rank, to, i);
}

// The root argument of this rank when rank `root` of the left group (or right, if !from_left) is the root.
static int root_argument(const Side* s, bool root_left, int root) {
  if (s->left != root_left) return root;
  return s->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void check_bcast(const Side* s, bool from_left, int root) {
  int data[k_count] = {0};
  const int argument = root_argument(s, from_left, root);
  if (argument == MPI_ROOT) fill(data, own_group(s), s->rank, 0);
  MPI_Bcast(data, k_count, MPI_INT, argument, s->comm);
  if (s->left != from_left) CHECK(holds(data, other_group(s), root, 0), "bcast from %d", root);
}

static void check_gather_scatter(const Side* s, bool root_left, int root) {
  const int argument = root_argument(s, root_left, root);
  int* all = allocate_ints((size_t)s->others * k_count, 0);
  int mine[k_count] = {0};
  fill(mine, own_group(s), s->rank, 1);
  MPI_Gather(mine, k_count, MPI_INT, all, k_count, MPI_INT, argument, s->comm);
  for (int peer = 0; argument == MPI_ROOT && peer < s->others; ++peer)
    CHECK(holds(all + peer * k_count, other_group(s), peer, 1), "gather: block of %d", peer);
  for (int peer = 0; argument == MPI_ROOT && peer < s->others; ++peer)
    fill(all + peer * k_count, own_group(s), s->rank, peer);
  MPI_Scatter(all, k_count, MPI_INT, mine, k_count, MPI_INT, argument, s->comm);
  if (s->left != root_left) CHECK(holds(mine, other_group(s), root, s->rank), "scatter from %d", root);
  free(all);
}

static int sum_of(int group, int ranks, size_t i) {
  unsigned sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += (unsigned)item(group, rank, 2, i);
  return (int)sum;
}

static bool holds_sum(const Side* s, const int* data) {
  for (size_t i = 0; i < k_count; ++i)
    if (data[i] != sum_of(other_group(s), s->others, i)) return false;
  return true;
}

static void check_reductions(const Side* s, bool root_left, int root) {
  int mine[k_count];
  int sum[k_count] = {0};
  const int argument = root_argument(s, root_left, root);
  fill(mine, own_group(s), s->rank, 2);
  MPI_Reduce(mine, sum, k_count, MPI_INT, MPI_SUM, argument, s->comm);
  if (argument == MPI_ROOT) CHECK(holds_sum(s, sum), "reduce at %d", root);
  MPI_Allreduce(mine, sum, k_count, MPI_INT, MPI_SUM, s->comm);
  CHECK(holds_sum(s, sum), "allreduce");
}

static void check_exchange(const Side* s) {
  int mine[k_count];
  int* all = allocate_ints((size_t)s->others * k_count, 0);
  int* outgoing = allocate_ints((size_t)s->others * k_count, 0);
  fill(mine, own_group(s), s->rank, 3);
  MPI_Allgather(mine, k_count, MPI_INT, all, k_count, MPI_INT, s->comm);
  for (int peer = 0; peer < s->others; ++peer)
    CHECK(holds(all + peer * k_count, other_group(s), peer, 3), "allgather: block of %d", peer);
  for (int peer = 0; peer < s->others; ++peer) fill(outgoing + peer * k_count, own_group(s), s->rank, peer);
  MPI_Alltoall(outgoing, k_count, MPI_INT, all, k_count, MPI_INT, s->comm);
  for (int peer = 0; peer < s->others; ++peer)
    CHECK(holds(all + peer * k_count, other_group(s), peer, s->rank), "alltoall: block of %d", peer);
  free(outgoing);
  free(all);
}

static void check_split(bool left, int right_leader) {
  MPI_Comm group;
  Side s;
  s.left = left;
  MPI_Comm_split(MPI_COMM_WORLD, left, g_rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, left ? right_leader : 0, 9, &s.comm);
  MPI_Comm_rank(s.comm, &s.rank);
  MPI_Comm_size(s.comm, &s.size);
  MPI_Comm_remote_size(s.comm, &s.others);
  MPI_Barrier(s.comm);
  for (int root_left = 0; root_left < 2; ++root_left) {
    const int last = ((root_left == 1) == left ? s.size : s.others) - 1;
    for (int root = 0; root <= last; root += last > 0 ? last : 1) {
      check_bcast(&s, root_left, root);
      check_gather_scatter(&s, root_left, root);
      check_reductions(&s, root_left, root);
    }
  }
  check_exchange(&s);

  MPI_Comm merged;
  int total = 0;
  int one = 1;
  MPI_Intercomm_merge(s.comm, !left, &merged);
  MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, merged);
  CHECK(total == g_size, "the merged communicator has %d ranks", total);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&s.comm);
  MPI_Comm_free(&group);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  check_split(g_rank % 2 == 0, 1);
  check_split(g_rank == 0, 1);
  return check_finish("intercommunicator");
}
