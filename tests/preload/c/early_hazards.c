// Actions of a program right after a collective, one hazard after the other: under TUTTI_OVERLAP the data may still
// be in flight (docs/overlap.md). Buffers consist of whole pages, and one rank is late for each exchange, so that the
// others return before it has sent anything.
//
//   early_hazards [HAZARD…]        all by default, three times each

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { k_page = 4096, k_block = 20 * k_page, k_tag = 3, k_late_us = 5000 };

typedef unsigned char byte;

static byte *g_sent, *g_received, *g_other;
static unsigned g_round;

static size_t all_bytes(void) {
  return (size_t)k_block * (size_t)g_size;
}

static byte pattern(int from, int to, size_t i) {
  return (byte)((unsigned)(from * 37 + to * 11) + g_round * 13 + (unsigned)(i * 7 + i / k_page));
}

static byte* pages(size_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// A new exchange, whose data has not been read yet.
static void exchange_on(MPI_Comm comm) {
  ++g_round;
  for (int to = 0; to < g_size; ++to)
    for (size_t i = 0; i < k_block; ++i) g_sent[(size_t)to * k_block + i] = pattern(g_rank, to, i);
  if (g_rank == (int)(g_round % (unsigned)g_size)) usleep(k_late_us);
  MPI_Alltoall(g_sent, k_block, MPI_BYTE, g_received, k_block, MPI_BYTE, comm);
}

static void exchange(void) {
  exchange_on(MPI_COMM_WORLD);
}

static bool is_right(const byte* data, size_t begin, size_t bytes) {
  for (size_t i = begin; i < begin + bytes; ++i)
    if (data[i - begin] != pattern((int)(i / k_block), g_rank, i % k_block)) return false;
  return true;
}

static void check_all(const char* what) {
  CHECK(is_right(g_received, 0, all_bytes()), "%s: the data is wrong", what);
}

/// A long message that was begun before, to a peer that waits for it before it calls the collective.
static void rendezvous(void) {
  const int bytes = 8 << 20;
  byte* const message = allocate((size_t)bytes);
  memset(message, g_rank, (size_t)bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (g_rank == 0) MPI_Isend(message, bytes, MPI_BYTE, 1, k_tag, MPI_COMM_WORLD, &request);
  if (g_rank == 1) MPI_Recv(message, bytes, MPI_BYTE, 0, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exchange();
  check_all("a rendezvous");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(message);
}

/// A nonblocking collective that others wait for before they call the one that returns early.
static void nonblocking_first(void) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  byte* const more = allocate(all_bytes());
  for (int turn = 0; turn < 6; ++turn) {  // so that run-time selection tries several ways
    MPI_Request request;
    MPI_Iallgather(g_other, k_block, MPI_BYTE, more, k_block, MPI_BYTE, other, &request);
    if (g_rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange();
    check_all("after a nonblocking one");
    if (g_rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(more);
  MPI_Comm_free(&other);
}

static void sent_on(void) {
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  MPI_Request requests[2];
  exchange();
  MPI_Isend(g_received, k_block, MPI_BYTE, next, k_tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(g_other, k_block, MPI_BYTE, before, k_tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  bool is_good = true;
  for (size_t i = 0; i < k_block; ++i) is_good = is_good && g_other[i] == pattern(0, before, i);
  CHECK(is_good, "the data was sent on before it was there");
  check_all("sent on");
}

static void received_over(void) {
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  const size_t begin = 2 * k_page, bytes = k_block - 3 * k_page;
  MPI_Request request;
  memset(g_other, 0x77, bytes);
  exchange();
  MPI_Irecv(g_received + begin, (int)bytes, MPI_BYTE, before, k_tag, MPI_COMM_WORLD, &request);
  MPI_Send(g_other, (int)bytes, MPI_BYTE, next, k_tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(memcmp(g_received + begin, g_other, bytes) == 0, "what was received later is gone");
  CHECK(is_right(g_received, 0, begin), "the data in front is wrong");
}

static void packed(void) {
  int place = 0;
  exchange();
  MPI_Pack(g_received, k_block, MPI_BYTE, g_other, k_block, &place, MPI_COMM_SELF);
  CHECK(place == k_block && is_right(g_other, 0, k_block), "a pack");
  memset(g_other, 0x55, k_block);
  place = 0;
  exchange();
  MPI_Unpack(g_other, k_block, &place, g_received, k_block, MPI_BYTE, MPI_COMM_SELF);
  CHECK(memcmp(g_other, g_received, k_block) == 0, "what was unpacked is gone");
  CHECK(is_right(g_received + k_block, k_block, all_bytes() - k_block), "the data behind is wrong");
}

static void reduced_here(void) {
  memset(g_other, 0, all_bytes());
  exchange();
  MPI_Reduce_local(g_received, g_other, (int)all_bytes(), MPI_BYTE, MPI_BOR);
  CHECK(is_right(g_other, 0, all_bytes()), "a local reduction");
}

static void forked(void) {
  exchange();
  const pid_t child = fork();
  if (child == 0) _exit(is_right(g_received, 0, all_bytes()) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0, "a child has other data (%d)", status);
  check_all("in the parent");
}

static void persistent_send(void) {
  MPI_Request requests[2];
  MPI_Send_init(g_received, k_block, MPI_BYTE, 0, k_tag, MPI_COMM_SELF, &requests[0]);
  MPI_Recv_init(g_other, k_block, MPI_BYTE, 0, k_tag, MPI_COMM_SELF, &requests[1]);
  exchange();
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(is_right(g_other, 0, k_block), "a persistent send");
  exchange();
  MPI_Start(&requests[1]);
  MPI_Start(&requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(is_right(g_other, 0, k_block), "a persistent send that is started alone");
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void derived_type(void) {
  MPI_Datatype strided;
  MPI_Type_vector(k_block / 20, 10, 20, MPI_BYTE, &strided);
  MPI_Type_commit(&strided);
  exchange();
  MPI_Sendrecv(g_received, 1, strided, 0, k_tag, g_other, 1, strided, 0, k_tag, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  bool is_good = true;
  for (size_t i = 0; i < k_block / 2; ++i)
    if (i % 20 < 10) is_good = is_good && g_other[i] == pattern(0, g_rank, i);
  CHECK(is_good, "a derived type");
  MPI_Type_free(&strided);
}

static void next_collective(void) {
  exchange();
  const unsigned first = g_round;
  MPI_Alltoall(g_received, k_block, MPI_BYTE, g_other, k_block, MPI_BYTE, MPI_COMM_WORLD);
  bool is_good = true;
  for (int from = 0; from < g_size; ++from)
    for (size_t i = 0; i < k_block; i += 97)
      is_good = is_good && g_other[(size_t)from * k_block + i] == pattern(g_rank, from, i);
  CHECK(is_good, "what was exchanged again");
  exchange();
  exchange();  // into the same buffer
  check_all("exchanged twice");
  CHECK(g_round == first + 2, "rounds");
  MPI_Allreduce(MPI_IN_PLACE, g_received, 1000, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD);
  exchange();
  MPI_Request request;
  MPI_Ibcast(g_received, k_block, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(is_right(g_received + k_block, k_block, all_bytes() - k_block), "beside a nonblocking one");
}

/// The name of a file that is shared by all ranks of this job, and by no other job.
static void shared_name(char* name, size_t bytes, const char* of) {
  const char* const folder = getenv("TMPDIR");
  snprintf(name, bytes, "%s/%s.%d", folder != NULL ? folder : ".", of, g_round);
}

/// The collective says that all ranks have come as far: a file that another rank wrote before is there.
static void files(void) {
  char name[400];
  shared_name(name, sizeof name, "early_hazards");
  const int writer = g_size / 2;
  if (g_rank == writer) {
    usleep(30000);
    FILE* const file = fopen(name, "w");
    if (file != NULL) fputs("there", file);
    if (file != NULL) fclose(file);
  }
  exchange();
  FILE* const file = fopen(name, "r");
  CHECK(file != NULL, "the file is not there yet");
  if (file != NULL) fclose(file);
  check_all("a file");
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == writer) unlink(name);
}

static void parallel_files(void) {
  char name[400];
  shared_name(name, sizeof name, "early_hazards_mpi");
  MPI_File file;
  exchange();
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    CHECK(true, "no file");
    CHECK(true, "no file");
    return;
  }
  exchange();
  const MPI_Offset place = (MPI_Offset)g_rank * k_block;
  MPI_File_write_at(file, place, g_received, k_block, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, place, g_other, k_block, MPI_BYTE, MPI_STATUS_IGNORE);
  CHECK(is_right(g_other, 0, k_block), "a parallel file");
  exchange();
  MPI_File_read_at_all(file, place, g_received, k_block, MPI_BYTE, MPI_STATUS_IGNORE);
  CHECK(memcmp(g_received, g_other, k_block) == 0, "read over data on its way");
  MPI_File_close(&file);
}

static void communicators(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  exchange_on(copy);
  MPI_Comm_free(&copy);
  check_all("a communicator that is gone");
}

/// The stack of a function that has returned is used again.
static void __attribute__((noinline)) receive_on_stack(void) {
  volatile byte frame[64 * 1024];
  MPI_Bcast((void*)(uintptr_t)frame, sizeof frame, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static bool __attribute__((noinline)) use_stack(void) {
  volatile byte frame[64 * 1024];
  for (size_t i = 0; i < sizeof frame; ++i) frame[i] = (byte)(i * 7);
  usleep(3000);
  for (size_t i = 0; i < sizeof frame; ++i)
    if (frame[i] != (byte)(i * 7)) return false;
  return true;
}

static void stack(void) {
  receive_on_stack();
  CHECK(use_stack(), "the stack has changed");
}

/// The sent data lies between received blocks.
static void interleaved(void) {
  enum { k_part = k_block / 2 };
  byte* const sent = g_other + k_part;
  int* const counts = allocate((size_t)g_size * sizeof *counts);
  int* const places = allocate((size_t)g_size * sizeof *places);
  ++g_round;
  for (int peer = 0; peer < g_size; ++peer) {
    counts[peer] = k_part;
    places[peer] = 2 * peer * k_part;
    for (int i = 0; i < k_part; ++i) sent[places[peer] + i] = pattern(g_rank, peer, (size_t)i);
  }
  MPI_Alltoallv(sent, counts, places, MPI_BYTE, g_other, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  bool is_good = true;
  for (int peer = 0; peer < g_size; ++peer)
    for (int i = 0; i < k_part; ++i)
      is_good = is_good && g_other[places[peer] + i] == pattern(peer, g_rank, (size_t)i) &&
                sent[places[peer] + i] == pattern(g_rank, peer, (size_t)i);
  CHECK(is_good, "buffers that lie in each other");
  free(counts);
  free(places);
}

static byte* g_last;
static size_t g_last_bytes;

static void look_at_exit(void) {
  bool is_good = true;
  for (size_t i = 0; i < g_last_bytes; ++i) is_good = is_good && g_last[i] == (byte)(i * 3);
  if (!is_good) {
    printf("at exit the data is wrong\n");
    fflush(stdout);
    _exit(9);
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} k_hazards[] = {
    {"rendezvous", rendezvous},
    {"nonblocking_first", nonblocking_first},
    {"sent_on", sent_on},
    {"received_over", received_over},
    {"packed", packed},
    {"reduced_here", reduced_here},
    {"persistent_send", persistent_send},
    {"derived_type", derived_type},
    {"next_collective", next_collective},
    {"files", files},
    {"parallel_files", parallel_files},
    {"communicators", communicators},
    {"forked", forked},
    {"stack", stack},
    {"interleaved", interleaved},
};

static bool is_wanted(const char* name, int argc, char** argv) {
  bool is_named = argc <= 1;
  for (int i = 1; i < argc; ++i) is_named = is_named || strcmp(argv[i], name) == 0;
  return is_named;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_sent = pages(all_bytes());
  g_received = pages(all_bytes());
  g_other = pages(all_bytes());
  for (int turn = 0; turn < 3; ++turn)
    for (size_t i = 0; i < sizeof k_hazards / sizeof *k_hazards; ++i)
      if (is_wanted(k_hazards[i].name, argc, argv)) k_hazards[i].run();
  const int status = check_report("early_hazards");
  g_last_bytes = 300000;
  g_last = allocate(g_last_bytes);
  if (g_rank == 0)
    for (size_t i = 0; i < g_last_bytes; ++i) g_last[i] = (byte)(i * 3);
  atexit(look_at_exit);
  MPI_Bcast(g_last, (int)g_last_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
