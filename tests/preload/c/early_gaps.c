// Another operation has its data in a gap of a collective's result, where both share a page, and the rank that is to
// complete it comes to the collective late: what lies in a gap belongs to that operation alone (docs/overlap.md).

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_block = 100000, k_tag = 5, k_late_us = 10000, k_rounds = 2 };
/// Within a page, and so long that a send of it waits for its receiver.
static const int k_gaps[] = {3000, 80000};

typedef unsigned char byte;

static MPI_Comm g_collectives, g_others;
static byte *g_sent, *g_received, *g_message;
static int *g_counts, *g_packed, *g_places;
static int g_late, g_gap_bytes;

static byte pattern(int from, int round, int i) {
  return (byte)(from * 37 + round * 13 + i * 7);
}

static byte* gap(void) {
  return g_received + k_block;
}

enum Operation { k_receive, k_persistent, k_send, k_broadcast };

/// Starts the operation that is pending in the gap before the collective.
static MPI_Request begin(enum Operation operation, int round) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < g_gap_bytes; ++i) g_message[i] = pattern(99, round, i);
  if (operation == k_broadcast) {
    MPI_Ibcast(g_rank == g_late ? g_message : gap(), g_gap_bytes, MPI_BYTE, g_late, g_others, &request);
    return request;
  }
  if (g_rank == g_late) return request;
  if (operation == k_receive) MPI_Irecv(gap(), g_gap_bytes, MPI_BYTE, g_late, k_tag, g_others, &request);
  if (operation == k_persistent) {
    MPI_Recv_init(gap(), g_gap_bytes, MPI_BYTE, g_late, k_tag, g_others, &request);
    MPI_Start(&request);
  }
  if (operation == k_send) {
    memcpy(gap(), g_message, (size_t)g_gap_bytes);
    MPI_Issend(gap(), g_gap_bytes, MPI_BYTE, g_late, k_tag, g_others, &request);
  }
  return request;
}

/// The late rank's part of it, without which it does not end.
static void serve(enum Operation operation, int round) {
  usleep(k_late_us);
  for (int rank = 0; rank < g_size; ++rank) {
    if (rank == g_late || operation == k_broadcast) continue;
    if (operation == k_send) {
      memset(g_message, 0, (size_t)g_gap_bytes);
      MPI_Recv(g_message, g_gap_bytes, MPI_BYTE, rank, k_tag, g_others, MPI_STATUS_IGNORE);
      bool is_right = true;
      for (int i = 0; i < g_gap_bytes; ++i) is_right = is_right && g_message[i] == pattern(99, round, i);
      CHECK(is_right, "what was sent from a gap");
    } else {
      MPI_Send(g_message, g_gap_bytes, MPI_BYTE, rank, k_tag, g_others);
    }
  }
}

static void exchange(void) {
  MPI_Alltoallv(g_sent, g_counts, g_packed, MPI_BYTE, g_received, g_counts, g_places, MPI_BYTE,
                g_collectives);
}
static void gather_for_all(void) {
  MPI_Allgatherv(g_sent, k_block, MPI_BYTE, g_received, g_counts, g_places, MPI_BYTE, g_collectives);
}
static void gather(void) {
  MPI_Gatherv(g_sent, k_block, MPI_BYTE, g_received, g_counts, g_places, MPI_BYTE, 0, g_collectives);
}

static void one_round(enum Operation operation, void (*collective)(void), int round) {
  const int stride = k_block + g_gap_bytes;
  const bool receives = collective != gather || g_rank == 0;
  memset(g_received, 0xaa, (size_t)stride * (size_t)g_size);
  for (int peer = 0; peer < g_size; ++peer) {
    g_places[peer] = peer * stride;
    for (int i = 0; i < k_block; ++i) g_sent[peer * k_block + i] = pattern(g_rank, round, i);
  }
  MPI_Request request = begin(operation, round);
  if (g_rank == g_late) serve(operation, round);
  collective();
  const bool is_persistent = operation == k_persistent && request != MPI_REQUEST_NULL;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (is_persistent) MPI_Request_free(&request);
  bool is_right = true;
  for (int peer = 0; receives && peer < g_size; ++peer)
    for (int i = 0; i < k_block; ++i)
      is_right = is_right && g_received[g_places[peer] + i] == pattern(peer, round, i);
  CHECK(is_right, "the result of operation %d", operation);
  bool is_untouched = true;
  for (int i = 0; g_rank != g_late && i < g_gap_bytes; ++i)
    is_untouched = is_untouched && gap()[i] == pattern(99, round, i);
  CHECK(is_untouched, "the gap with operation %d", operation);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &g_collectives);
  MPI_Comm_dup(MPI_COMM_WORLD, &g_others);
  g_late = g_size - 1;
  const size_t bytes = (size_t)(k_block + k_gaps[1]) * (size_t)g_size;
  g_received = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_sent = allocate((size_t)k_block * (size_t)g_size);
  g_message = allocate((size_t)k_gaps[1]);
  g_counts = allocate_ints((size_t)g_size, k_block);
  g_packed = allocate_ints((size_t)g_size, 0);
  g_places = allocate_ints((size_t)g_size, 0);
  for (int peer = 0; peer < g_size; ++peer) g_packed[peer] = peer * k_block;
  void (*const collectives[])(void) = {exchange, gather_for_all, gather};
  for (size_t length = 0; length < 2; ++length)
    for (size_t i = 0; i < 3; ++i)
      for (enum Operation operation = k_receive; operation <= k_broadcast; ++operation)
        for (int round = 0; round < k_rounds; ++round) {
          g_gap_bytes = k_gaps[length];
          one_round(operation, collectives[i], round);
        }
  free(g_places);
  free(g_packed);
  free(g_counts);
  free(g_message);
  free(g_sent);
  MPI_Comm_free(&g_others);
  MPI_Comm_free(&g_collectives);
  return check_finish("early_gaps");
}
