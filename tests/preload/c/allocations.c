// The path of a small message allocates nothing. Counted is what the preloaded library asks malloc for,
// itself or through the C++ library, in collectives that it has served before; what the MPI takes for its
// messages is its own business. Natively there is nothing to count.
#include "check.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { k_most_parts = 16, k_warm_rounds = 3, k_counted_rounds = 20, k_most_ranks = 64 };

static struct { uintptr_t first, end; } g_parts[k_most_parts];
static int g_part_count;
static bool g_is_loaded;
static atomic_long g_count;

// glibc's allocator under its internal names; free() stays as it is.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

static void note(const void* caller) {
  for (int i = 0; i < g_part_count; ++i)
    if ((uintptr_t)caller >= g_parts[i].first && (uintptr_t)caller < g_parts[i].end)
      atomic_fetch_add(&g_count, 1);
}

void* malloc(size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
  note(__builtin_return_address(0));
  *result = __libc_memalign(alignment, bytes);
  return *result == NULL ? ENOMEM : 0;
}

static int find_parts(struct dl_phdr_info* object, size_t size, void* nothing) {
  (void)size, (void)nothing;
  const bool is_library = strstr(object->dlpi_name, "/libtutti-") != NULL;
  if (!is_library && strstr(object->dlpi_name, "/libstdc++.") == NULL) return 0;
  g_is_loaded = g_is_loaded || is_library;
  for (int i = 0; i < object->dlpi_phnum && g_part_count < k_most_parts; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
    g_parts[g_part_count].first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    g_parts[g_part_count].end = g_parts[g_part_count].first + object->dlpi_phdr[i].p_memsz;
    ++g_part_count;
  }
  return 0;
}

static int g_one[k_most_ranks], g_all[k_most_ranks], g_ones[k_most_ranks];

static void barrier(MPI_Comm comm) {
  MPI_Barrier(comm);
}
static void bcast(MPI_Comm comm) {
  MPI_Bcast(g_one, 2, MPI_INT, 0, comm);
}
static void reduce(MPI_Comm comm) {
  MPI_Reduce(g_one, g_all, 2, MPI_INT, MPI_SUM, 0, comm);
}
static void allreduce(MPI_Comm comm) {
  MPI_Allreduce(g_one, g_all, 2, MPI_INT, MPI_SUM, comm);
}
static void allreduce_in_place(MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, g_all, 2, MPI_INT, MPI_MAX, comm);
}
static void reduce_scatter(MPI_Comm comm) {
  MPI_Reduce_scatter(g_one, g_all, g_ones, MPI_INT, MPI_SUM, comm);
}
static void reduce_scatter_block(MPI_Comm comm) {
  MPI_Reduce_scatter_block(g_one, g_all, 1, MPI_INT, MPI_SUM, comm);
}
static void allgather(MPI_Comm comm) {
  MPI_Allgather(g_one, 1, MPI_INT, g_all, 1, MPI_INT, comm);
}
static void alltoall(MPI_Comm comm) {
  MPI_Alltoall(g_one, 1, MPI_INT, g_all, 1, MPI_INT, comm);
}
static void gather(MPI_Comm comm) {
  MPI_Gather(g_one, 1, MPI_INT, g_all, 1, MPI_INT, 0, comm);
}
static void scatter(MPI_Comm comm) {
  MPI_Scatter(g_one, 1, MPI_INT, g_all, 1, MPI_INT, 0, comm);
}
static void scan(MPI_Comm comm) {
  MPI_Scan(g_one, g_all, 2, MPI_INT, MPI_SUM, comm);
}
static void exscan(MPI_Comm comm) {
  MPI_Exscan(g_one, g_all, 2, MPI_INT, MPI_SUM, comm);
}

static const struct {
  const char* name;
  void (*call)(MPI_Comm comm);
} k_calls[] = {
    {"barrier", barrier},
    {"bcast", bcast},
    {"reduce", reduce},
    {"allreduce", allreduce},
    {"allreduce in place", allreduce_in_place},
    {"reduce_scatter", reduce_scatter},
    {"reduce_scatter_block", reduce_scatter_block},
    {"allgather", allgather},
    {"alltoall", alltoall},
    {"gather", gather},
    {"scatter", scatter},
    {"scan", scan},
    {"exscan", exscan},
};

static void count(const char* name, void (*call)(MPI_Comm comm), MPI_Comm comm, int size) {
  const long cold = g_count;
  for (int i = 0; i < k_warm_rounds; ++i) call(comm);
  const long warm = g_count;
  for (int i = 0; i < k_counted_rounds; ++i) call(comm);
  const long taken = g_count - warm;
  CHECK(!g_is_loaded || size == 1 || warm > cold, "%s: the first calls make a plan; is nothing counted?",
        name);
  CHECK(taken == 0, "%s: %ld allocations in %d calls", name, taken, k_counted_rounds);
}

static void visit(MPI_Comm comm, int rank, int size) {
  (void)rank;
  for (size_t i = 0; i < sizeof k_calls / sizeof k_calls[0]; ++i)
    count(k_calls[i].name, k_calls[i].call, comm, size);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int i = 0; i < k_most_ranks; ++i) g_ones[i] = 1;
  dl_iterate_phdr(find_parts, NULL);
  for_each_communicator(visit);
  return check_finish("allocations");
}
