// Collectives at random, each followed at once by what a program may do with its buffers: nothing here is allowed to
// see data that has not arrived, or to lose a write. Under TUTTI_OVERLAP most of it happens while data is on its way.
//
//   early_checks [ROUNDS [SEED]]        300 rounds by default; both are the same on all ranks
//
// Every rank draws the collectives from one sequence of random numbers, and what it does with the data from its own.

#include "check.h"
#include "footprint.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  k_most_ranks = 64,
  k_static_bytes = 1 << 20,
  k_page = 4096,
  k_reads = 16,
};

/// Bytes of a block: few pages, some, many.
static const uint32_t k_mosts[] = {2 * k_page, 4 * k_page, 48 << 10};

typedef unsigned char byte;
static uint64_t g_shared, g_own;  // states of the two sequences

static uint32_t draw(uint64_t* state, uint32_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % below);
}

// ---------------------------------------------------------------------------------------------- memory of all kinds

static byte g_static[k_static_bytes];

typedef enum { k_heap, k_fresh_heap, k_mapped, k_static_memory, k_kinds } Kind;

typedef struct {
  Kind kind;
  byte *base, *data;
  size_t base_bytes;
} Memory;

static Memory acquire(size_t bytes, bool may_be_static) {
  Memory memory = {.kind = (Kind)draw(&g_own, may_be_static ? k_kinds : k_static_memory)};
  const size_t skip = draw(&g_own, 3) == 0 ? 0 : draw(&g_own, k_page);
  memory.base_bytes = bytes + skip + 1;
  if (memory.kind == k_static_memory && memory.base_bytes > k_static_bytes) memory.kind = k_heap;
  switch (memory.kind) {
    case k_heap:
      memory.base = allocate(memory.base_bytes);
      memset(memory.base, 0x5A, memory.base_bytes);
      break;
    case k_fresh_heap:
      memory.base = calloc(1, memory.base_bytes);
      break;
    case k_mapped:
      memory.base = mmap(NULL, memory.base_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      break;
    default:
      memory.base = g_static;
      break;
  }
  memory.data = memory.base + skip;
  return memory;
}

static void give_back(Memory* memory) {
  if (memory->kind == k_mapped) {
    munmap(memory->base, memory->base_bytes);
  } else if (memory->kind != k_static_memory) {
    if (draw(&g_own, 4) == 0) memory->base = realloc(memory->base, memory->base_bytes / 2 + 1);
    free(memory->base);
  }
}

// ------------------------------------------------------------------------------------- a buffer and what it must hold

typedef struct {
  byte *data, *expected;
  size_t bytes;
} Buffer;

static byte pattern(int from, int to, unsigned round, size_t index) {
  return (byte)value_of(from * k_most_ranks + to, index >> 2, round) + (byte)index;
}

static void fill(byte* target, size_t bytes, int from, int to, unsigned round) {
  for (size_t i = 0; i < bytes; ++i) target[i] = pattern(from, to, round, i);
}

typedef struct {
  size_t begin, bytes;
} Range;

static Range some_range(const Buffer* buffer, size_t most) {
  Range range = {.begin = draw(&g_own, (uint32_t)buffer->bytes)};
  const size_t rest = buffer->bytes - range.begin;
  range.bytes = 1 + draw(&g_own, (uint32_t)(rest < most ? rest : most));
  if (range.bytes > rest) range.bytes = rest;
  return range;
}

static void check_range(const Buffer* buffer, Range range, const byte* found, const char* what) {
  for (size_t i = 0; i < range.bytes; ++i)
    if (found[i] != buffer->expected[range.begin + i]) {
      CHECK(false, "%s: byte %zu of %zu is %d, not %d", what, range.begin + i, buffer->bytes, found[i],
            buffer->expected[range.begin + i]);
      return;
    }
  CHECK(true, "%s", what);
}

// ------------------------------------------------------------------------------------------- what a program may do

static void read_some(const Buffer* buffer) {
  for (int i = 0; i < k_reads; ++i) {
    const Range range = {draw(&g_own, (uint32_t)buffer->bytes), 1};
    check_range(buffer, range, buffer->data + range.begin, "read");
  }
}

static void write_some(const Buffer* buffer) {
  for (int i = 0; i < k_reads; ++i) {
    const size_t place = draw(&g_own, (uint32_t)buffer->bytes);
    buffer->data[place] = buffer->expected[place] = (byte)draw(&g_own, 256);
  }
}

typedef struct {
  const Buffer* buffer;
  uint64_t state;
  bool is_right;
} Reader;

static void* read_on_thread(void* argument) {
  Reader* const reader = argument;
  reader->is_right = true;
  for (int i = 0; i < k_reads; ++i) {
    const size_t place = draw(&reader->state, (uint32_t)reader->buffer->bytes);
    if (((volatile byte*)reader->buffer->data)[place] != reader->buffer->expected[place])
      reader->is_right = false;
  }
  return NULL;
}

static void read_on_new_thread(const Buffer* buffer) {
  Reader reader = {buffer, g_own, false};
  pthread_t thread;
  pthread_create(&thread, NULL, read_on_thread, &reader);
  read_some(buffer);
  pthread_join(thread, NULL);
  CHECK(reader.is_right, "a new thread has read something else");
}

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static Reader* g_work;
static bool g_is_ending;

static void* old_thread(void* unused) {
  pthread_mutex_lock(&g_mutex);
  for (;;) {
    while (g_work == NULL && !g_is_ending) pthread_cond_wait(&g_changed, &g_mutex);
    if (g_is_ending) break;
    Reader* const work = g_work;
    pthread_mutex_unlock(&g_mutex);
    read_on_thread(work);
    pthread_mutex_lock(&g_mutex);
    g_work = NULL;
    pthread_cond_broadcast(&g_changed);
  }
  pthread_mutex_unlock(&g_mutex);
  return unused;
}

static void read_on_old_thread(const Buffer* buffer) {
  Reader reader = {buffer, g_own, false};
  pthread_mutex_lock(&g_mutex);
  g_work = &reader;
  pthread_cond_broadcast(&g_changed);
  while (g_work != NULL) pthread_cond_wait(&g_changed, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  CHECK(reader.is_right, "an old thread has read something else");
}

static void write_to_pipe(const Buffer* buffer) {
  byte copy[k_page];
  int ends[2];
  const Range range = some_range(buffer, sizeof copy);
  if (pipe(ends) != 0) return;
  const struct iovec halves[2] = {
      {buffer->data + range.begin, range.bytes / 2},
      {buffer->data + range.begin + range.bytes / 2, range.bytes - range.bytes / 2}};
  const ssize_t written = draw(&g_own, 2) == 0 ? write(ends[1], buffer->data + range.begin, range.bytes)
                                               : writev(ends[1], halves, 2);
  CHECK(written == (ssize_t)range.bytes, "write: %zd of %zu, %s", written, range.bytes, strerror(errno));
  if (written > 0) {
    CHECK(read(ends[0], copy, (size_t)written) == written, "the pipe has less");
    check_range(buffer, (Range){range.begin, (size_t)written}, copy, "write");
  }
  close(ends[0]);
  close(ends[1]);
}

static void read_from_pipe(const Buffer* buffer) {
  byte copy[k_page];
  int ends[2];
  const Range range = some_range(buffer, sizeof copy);
  if (pipe(ends) != 0) return;
  for (size_t i = 0; i < range.bytes; ++i) copy[i] = (byte)draw(&g_own, 256);
  CHECK(write(ends[1], copy, range.bytes) == (ssize_t)range.bytes, "the pipe takes less");
  const ssize_t count = read(ends[0], buffer->data + range.begin, range.bytes);
  CHECK(count == (ssize_t)range.bytes, "read: %zd of %zu, %s", count, range.bytes, strerror(errno));
  if (count > 0) memcpy(buffer->expected + range.begin, copy, (size_t)count);
  close(ends[0]);
  close(ends[1]);
}

static void through_a_file(const Buffer* buffer) {
  FILE* const file = tmpfile();
  if (file == NULL) return;
  const Range range = some_range(buffer, buffer->bytes), into = some_range(buffer, range.bytes);
  const size_t written = fwrite(buffer->data + range.begin, 1, range.bytes, file);
  CHECK(written == range.bytes, "fwrite: %zu of %zu", written, range.bytes);
  byte* const copy = allocate(range.bytes);
  rewind(file);
  CHECK(fread(copy, 1, range.bytes, file) == range.bytes, "the file has less");
  check_range(buffer, range, copy, "fwrite");
  rewind(file);
  const size_t most = into.bytes < range.bytes ? into.bytes : range.bytes;
  CHECK(fread(buffer->data + into.begin, 1, most, file) == most, "fread");
  memcpy(buffer->expected + into.begin, copy, most);
  free(copy);
  fclose(file);
}

static void send_to_myself(const Buffer* buffer) {
  const Range range = some_range(buffer, buffer->bytes);
  byte* const copy = allocate(range.bytes);
  MPI_Sendrecv(buffer->data + range.begin, (int)range.bytes, MPI_BYTE, 0, 5, copy, (int)range.bytes, MPI_BYTE,
               0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  check_range(buffer, range, copy, "MPI_Sendrecv");
  free(copy);
}

static void receive_from_myself(const Buffer* buffer) {
  const Range range = some_range(buffer, k_page);
  byte copy[k_page];
  for (size_t i = 0; i < range.bytes; ++i) copy[i] = (byte)draw(&g_own, 256);
  MPI_Request requests[2];
  MPI_Irecv(buffer->data + range.begin, (int)range.bytes, MPI_BYTE, 0, 6, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(copy, (int)range.bytes, MPI_BYTE, 0, 6, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  memcpy(buffer->expected + range.begin, copy, range.bytes);
}

static void pack(const Buffer* buffer) {
  const Range range = some_range(buffer, k_page);
  byte packed[2 * k_page];
  int place = 0;
  MPI_Pack(buffer->data + range.begin, (int)range.bytes, MPI_BYTE, packed, sizeof packed, &place,
           MPI_COMM_SELF);
  check_range(buffer, range, packed, "MPI_Pack");
}

static void reduce_here(const Buffer* buffer) {
  const Range range = some_range(buffer, k_page);
  byte copy[k_page] = {0};
  MPI_Reduce_local(buffer->data + range.begin, copy, (int)range.bytes, MPI_BYTE, MPI_BOR);
  check_range(buffer, range, copy, "MPI_Reduce_local");
}

static void let_child_read(const Buffer* buffer) {
  Reader reader = {buffer, g_own, false};
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    read_on_thread(&reader);
    _exit(reader.is_right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0, "a child has read something else (%d)", status);
}

static void change_rights(const Buffer* buffer) {
  byte* const page = (byte*)(((uintptr_t)buffer->data + k_page - 1) / k_page * k_page);
  if (page + k_page > buffer->data + buffer->bytes) {
    for (int i = 0; i < 3; ++i) CHECK(true, "as many checks wherever the buffer lies");
    return;
  }
  CHECK(mprotect(page, k_page, PROT_READ) == 0, "mprotect: %s", strerror(errno));
  const Range range = {(size_t)(page - buffer->data), k_page};
  check_range(buffer, range, page, "mprotect");
  CHECK(mprotect(page, k_page, PROT_READ | PROT_WRITE) == 0, "mprotect: %s", strerror(errno));
}

typedef void (*Action)(const Buffer*);
static const Action k_actions[] = {read_some,      write_some,          read_some,      read_on_new_thread,
                                   write_to_pipe,  read_from_pipe,      through_a_file, read_on_old_thread,
                                   send_to_myself, receive_from_myself, pack,           reduce_here,
                                   let_child_read, change_rights,       write_some,     write_some};
enum { k_action_count = sizeof k_actions / sizeof *k_actions };

static void use(const Buffer* buffer) {
  if (buffer->bytes == 0) return;
  const uint32_t count = draw(&g_own, 4);
  for (uint32_t i = 0; i < count; ++i) k_actions[draw(&g_own, k_action_count)](buffer);
  if (draw(&g_own, 8) == 0) return;  // given back while data may still be on its way
  check_range(buffer, (Range){0, buffer->bytes}, buffer->data, "the whole");
}

// ------------------------------------------------------------------------------------------------- the collectives

typedef struct {
  unsigned round;
  size_t block;  // bytes
  int root;
} Call;

/// Simulates a program that overwrites its send buffer after the call.
static void spoil(Memory* sent, size_t bytes) {
  memset(sent->data, 0xEE, bytes / (1 + draw(&g_own, 4)));
  give_back(sent);
}

static void finish(Memory* received, byte* expected, size_t bytes) {
  const Buffer buffer = {received->data, expected, bytes};
  use(&buffer);
  give_back(received);
  free(expected);
}

static void alltoall(const Call* call) {
  const size_t n = call->block, bytes = n * (size_t)g_size;
  Memory sent = acquire(bytes, false), received = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  for (int r = 0; r < g_size; ++r) {
    fill(sent.data + n * (size_t)r, n, g_rank, r, call->round);
    fill(expected + n * (size_t)r, n, r, g_rank, call->round);
  }
  MPI_Alltoall(sent.data, (int)n, MPI_BYTE, received.data, (int)n, MPI_BYTE, MPI_COMM_WORLD);
  spoil(&sent, bytes);
  finish(&received, expected, bytes);
}

static size_t length(const Call* call, int from, int to) {
  return (size_t)value_of(from * k_most_ranks + to, call->round, 77) % (call->block + 1);
}

/// Blocks of all lengths, with gaps between them, in an order of this rank's own.
static void alltoallv(const Call* call) {
  int *counts = allocate_ints(4 * (size_t)g_size, 0), *displacements = counts + g_size;
  int *send_counts = displacements + g_size, *send_displacements = send_counts + g_size;
  size_t sent_bytes = 0, bytes = 0;
  const int first = (int)draw(&g_own, (uint32_t)g_size);
  for (int i = 0; i < g_size; ++i) {
    const int r = (first + i) % g_size;
    send_counts[r] = (int)length(call, g_rank, r);
    send_displacements[r] = (int)sent_bytes;
    sent_bytes += (size_t)send_counts[r];
    counts[r] = (int)length(call, r, g_rank);
    bytes += draw(&g_own, 2) == 0 ? 0 : draw(&g_own, 2 * k_page);
    displacements[r] = (int)bytes;
    bytes += (size_t)counts[r];
  }
  Memory sent = acquire(sent_bytes, false), received = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  memset(expected, 0xA5, bytes);
  memset(received.data, 0xA5, bytes);
  for (int r = 0; r < g_size; ++r) {
    fill(sent.data + send_displacements[r], (size_t)send_counts[r], g_rank, r, call->round);
    fill(expected + displacements[r], (size_t)counts[r], r, g_rank, call->round);
  }
  MPI_Alltoallv(sent.data, send_counts, send_displacements, MPI_BYTE, received.data, counts, displacements,
                MPI_BYTE, MPI_COMM_WORLD);
  free(counts);
  spoil(&sent, sent_bytes);
  finish(&received, expected, bytes);
}

static void bcast(const Call* call) {
  const size_t bytes = call->block * 4;
  Memory memory = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  fill(expected, bytes, call->root, 0, call->round);
  if (g_rank == call->root) memcpy(memory.data, expected, bytes);
  MPI_Bcast(memory.data, (int)bytes, MPI_BYTE, call->root, MPI_COMM_WORLD);
  finish(&memory, expected, bytes);
}

static void allgather(const Call* call) {
  const size_t n = call->block, bytes = n * (size_t)g_size;
  const bool in_place = call->round % 2 == 0;
  Memory sent = acquire(n, false), received = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  for (int r = 0; r < g_size; ++r) fill(expected + n * (size_t)r, n, r, 0, call->round);
  fill(in_place ? received.data + n * (size_t)g_rank : sent.data, n, g_rank, 0, call->round);
  MPI_Allgather(in_place ? MPI_IN_PLACE : sent.data, (int)n, MPI_BYTE, received.data, (int)n, MPI_BYTE,
                MPI_COMM_WORLD);
  spoil(&sent, n);
  finish(&received, expected, bytes);
}

static void gather(const Call* call) {
  const size_t n = call->block, bytes = g_rank == call->root ? n * (size_t)g_size : 0;
  Memory sent = acquire(n, false), received = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  for (int r = 0; bytes > 0 && r < g_size; ++r) fill(expected + n * (size_t)r, n, r, 0, call->round);
  fill(sent.data, n, g_rank, 0, call->round);
  MPI_Gather(sent.data, (int)n, MPI_BYTE, received.data, (int)n, MPI_BYTE, call->root, MPI_COMM_WORLD);
  spoil(&sent, n);
  finish(&received, expected, bytes);
}

static void scatter(const Call* call) {
  const size_t n = call->block, all = g_rank == call->root ? n * (size_t)g_size : 0;
  Memory sent = acquire(all, false), received = acquire(n, true);
  byte* const expected = allocate(n);
  for (int r = 0; all > 0 && r < g_size; ++r) fill(sent.data + n * (size_t)r, n, call->root, r, call->round);
  fill(expected, n, call->root, g_rank, call->round);
  MPI_Scatter(sent.data, (int)n, MPI_BYTE, received.data, (int)n, MPI_BYTE, call->root, MPI_COMM_WORLD);
  spoil(&sent, all);
  finish(&received, expected, n);
}

/// Whole numbers, so that the order of the sums does not matter.
static void allreduce(const Call* call) {
  const size_t count = call->block / sizeof(int), bytes = count * sizeof(int);
  const bool in_place = call->round % 2 == 0;
  Memory sent = acquire(bytes, false), received = acquire(bytes, true);
  int* const numbers = allocate_ints(count, 0);
  byte* const expected = allocate(bytes);
  for (size_t i = 0; i < count; ++i) {
    int sum = 0;
    for (int r = 0; r < g_size; ++r) sum += value_of(r, i, call->round) >> 8;
    numbers[i] = sum;
  }
  memcpy(expected, numbers, bytes);
  for (size_t i = 0; i < count; ++i) numbers[i] = value_of(g_rank, i, call->round) >> 8;
  memcpy(in_place ? received.data : sent.data, numbers, bytes);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : sent.data, received.data, (int)count, MPI_INT, MPI_SUM,
                MPI_COMM_WORLD);
  free(numbers);
  spoil(&sent, bytes);
  finish(&received, expected, bytes);
}

/// Every other byte of the receive buffer.
static void bcast_strided(const Call* call) {
  const size_t n = call->block, bytes = 2 * n;
  Memory memory = acquire(bytes, true);
  byte* const expected = allocate(bytes);
  memset(expected, 0x3C, bytes);
  memset(memory.data, 0x3C, bytes);
  for (size_t i = 0; i < n; ++i) expected[2 * i] = pattern(call->root, 0, call->round, i);
  if (g_rank == call->root) memcpy(memory.data, expected, bytes);
  MPI_Datatype strided;
  MPI_Type_vector((int)n, 1, 2, MPI_BYTE, &strided);
  MPI_Type_commit(&strided);
  MPI_Bcast(memory.data, 1, strided, call->root, MPI_COMM_WORLD);
  MPI_Type_free(&strided);
  finish(&memory, expected, bytes);
}

typedef void (*Collective)(const Call*);
static const Collective k_collectives[] = {alltoall,  alltoall, alltoallv, alltoallv, bcast,
                                           allgather, gather,   scatter,   allreduce, bcast_strided};
enum { k_collective_count = sizeof k_collectives / sizeof *k_collectives };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 300;
  g_shared = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  g_own = g_shared * 1000003 + (uint64_t)g_rank;
  pthread_t helper;
  pthread_create(&helper, NULL, old_thread, NULL);
  Footprint half = {0};
  for (int round = 0; round < rounds; ++round) {
    if (round == rounds / 2) half = footprint();
    const uint32_t most = k_mosts[draw(&g_shared, 3)];
    const Call call = {(unsigned)round, 1 + draw(&g_shared, most), (int)draw(&g_shared, (uint32_t)g_size)};
    k_collectives[draw(&g_shared, k_collective_count)](&call);
  }
  check_footprint(half, footprint());
  pthread_mutex_lock(&g_mutex);
  g_is_ending = true;
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_mutex);
  pthread_join(helper, NULL);
  return check_finish("early_checks");
}
