// Calls in which one rank contributes or receives nothing: no buffer for a result that does not exist, no datatype
// for elements that do not exist.
#include "check.h"

#include <string.h>

enum { k_rounds = 20, k_count = 5000, k_ranks = 64 };

static int g_in[k_count], g_out[k_count];

// Rank 0 has no result.
static void exscan(int round) {
  for (int i = 0; i < k_count; ++i) g_in[i] = g_rank + i + round;
  MPI_Exscan(g_in, g_rank == 0 ? NULL : g_out, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  bool is_right = true;
  for (int i = 0; g_rank > 0 && i < k_count; ++i)
    is_right = is_right && g_out[i] == g_rank * (g_rank - 1) / 2 + g_rank * (i + round);
  CHECK(is_right, "exscan, round %d", round);
}

// Every rank sends to its right neighbour alone. Only some ranks name no type for what they do not send.
static void alltoallw(int round) {
  int send_counts[k_ranks], receive_counts[k_ranks], places[k_ranks];
  MPI_Datatype send_types[k_ranks], receive_types[k_ranks];
  const int right = (g_rank + 1) % g_size, left = (g_rank + g_size - 1) % g_size;
  const MPI_Datatype none = g_rank % 2 == 0 ? MPI_DATATYPE_NULL : MPI_INT;
  for (int r = 0; r < g_size; ++r) {
    send_counts[r] = r == right ? k_count : 0;
    receive_counts[r] = r == left ? k_count : 0;
    places[r] = 0;
    send_types[r] = r == right ? MPI_INT : none;
    receive_types[r] = r == left ? MPI_INT : none;
  }
  for (int i = 0; i < k_count; ++i) g_in[i] = value_of(g_rank, (size_t)i, (unsigned)round);
  memset(g_out, 0, sizeof g_out);
  MPI_Alltoallw(g_in, send_counts, places, send_types, g_out, receive_counts, places, receive_types,
                MPI_COMM_WORLD);
  bool is_right = true;
  for (int i = 0; i < k_count; ++i)
    is_right = is_right && g_out[i] == value_of(left, (size_t)i, (unsigned)round);
  CHECK(is_right, "alltoallw, round %d", round);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const bool has_scan = argc < 2 || strcmp(argv[1], "exscan") == 0;
  const bool has_exchange = argc < 2 || strcmp(argv[1], "alltoallw") == 0;
  for (int round = 0; round < k_rounds; ++round) {
    if (has_scan) exscan(round);
    if (has_exchange) alltoallw(round);
  }
  return check_finish("empty_parts");
}
