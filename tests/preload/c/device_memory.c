// Buffers that the processor cannot access, like those of accelerators under an MPI that supports them. The choice
// for a call does not depend on the location of one rank's data: ranks mix device memory, managed memory and host
// memory. The drivers and the MPI that supports their memory are those of tests/support/devices.
//
//   device_memory cuda|hip|ze early|late: which driver, and whether it is loaded before MPI_Init
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap.h"
#include "persistent.h"

enum { k_count = 1 << 14, k_rounds = 2, k_wide = 3, k_buffers = 2 };

extern unsigned long device_mpi_collectives;

static const char* g_driver;
static void* g_library;
static int* g_buffers[k_buffers];  // what the program sees
static size_t g_bytes;

static void* function(const char* name) {
  void* const found = dlsym(g_library, name);
  CHECK(found != NULL, "%s", name);
  return found;
}

/// Loads the driver like an accelerator run-time from a Python library would.
static void load_driver(void) {
  const char* path = TUTTI_LIBZE_LOADER;
  if (strcmp(g_driver, "cuda") == 0) path = TUTTI_LIBCUDA;
  if (strcmp(g_driver, "hip") == 0) path = TUTTI_LIBAMDHIP64;
  g_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(g_library != NULL, "%s", dlerror());
}

static void* take_from_cuda(enum device_memory memory, size_t bytes) {
  int (*retain)(void**, int) = (int (*)(void**, int))function("cuDevicePrimaryCtxRetain");
  int (*set)(void*) = (int (*)(void*))function("cuCtxSetCurrent");
  int (*take)(uintptr_t*, size_t) = (int (*)(uintptr_t*, size_t))function("cuMemAlloc_v2");
  int (*take_managed)(uintptr_t*, size_t, unsigned) =
      (int (*)(uintptr_t*, size_t, unsigned))function("cuMemAllocManaged");
  int (*take_from_pool)(uintptr_t*, size_t, void*) =
      (int (*)(uintptr_t*, size_t, void*))function("cuMemAllocAsync");
  void* context = NULL;
  uintptr_t address = 0;
  CHECK(retain(&context, 0) == 0 && set(context) == 0, "no context");
  const int error = memory == k_managed_memory ? take_managed(&address, bytes, 1)
                    : memory == k_pool_memory  ? take_from_pool(&address, bytes, NULL)
                                               : take(&address, bytes);
  CHECK(error == 0, "no memory of CUDA: %d", error);
  return (void*)address;
}

static void* take_from_hip(enum device_memory memory, size_t bytes) {
  int (*take)(void**, size_t) = (int (*)(void**, size_t))function("hipMalloc");
  int (*take_managed)(void**, size_t, unsigned) =
      (int (*)(void**, size_t, unsigned))function("hipMallocManaged");
  void* address = NULL;
  const int error = memory == k_managed_memory ? take_managed(&address, bytes, 1) : take(&address, bytes);
  CHECK(error == 0, "no memory of HIP: %d", error);
  return address;
}

static void* take_from_ze(enum device_memory memory, size_t bytes) {
  int (*init)(uint32_t) = (int (*)(uint32_t))function("zeInit");
  int (*drivers)(uint32_t*, void**) = (int (*)(uint32_t*, void**))function("zeDriverGet");
  int (*make)(void*, void*, void**) = (int (*)(void*, void*, void**))function("zeContextCreate");
  int (*take)(void*, void*, size_t, size_t, void*, void**) =
      (int (*)(void*, void*, size_t, size_t, void*, void**))function("zeMemAllocDevice");
  int (*take_shared)(void*, void*, void*, size_t, size_t, void*, void**) =
      (int (*)(void*, void*, void*, size_t, size_t, void*, void**))function("zeMemAllocShared");
  struct {
    int type;
    const void* next;
    uint32_t flags;
  } description = {.type = 0xd};
  uint32_t count = 1;
  void *driver = NULL, *context = NULL, *address = NULL;
  CHECK(init(0) == 0 && drivers(&count, &driver) == 0 && make(driver, &description, &context) == 0,
        "no context");
  const int error = memory == k_managed_memory ? take_shared(context, NULL, NULL, bytes, 64, NULL, &address)
                                               : take(context, NULL, bytes, 64, NULL, &address);
  CHECK(error == 0, "no memory of Level Zero: %d", error);
  return address;
}

static void* take(enum device_memory memory, size_t bytes) {
  if (strcmp(g_driver, "cuda") == 0) return take_from_cuda(memory, bytes);
  return strcmp(g_driver, "hip") == 0 ? take_from_hip(memory, bytes) : take_from_ze(memory, bytes);
}

/// The buffers of all ranks in this round: of any kind, with host memory that becomes a device's at the same address.
static void take_buffers(int round) {
  for (int i = 0; i < k_buffers; ++i) {
    if ((g_rank + round) % 3 == 2) {
      g_buffers[i] = mmap(NULL, g_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      continue;
    }
    const enum device_memory kinds[] = {k_device_memory, k_managed_memory, k_pool_memory};
    g_buffers[i] = take(kinds[(g_rank + round + i) % 3], g_bytes);
  }
}

static void give_back(void) {
  for (int i = 0; i < k_buffers; ++i)
    if (!device_heap_give_back(g_buffers[i])) munmap(g_buffers[i], g_bytes);
}

static void fill(int buffer, int count, int first, int step) {
  int* const data = device_heap_shadow(g_buffers[buffer]);
  for (int i = 0; i < count; ++i) data[i] = first + i * step;
}

static bool holds(int buffer, int count, int first, int step) {
  const int* const data = device_heap_shadow(g_buffers[buffer]);
  bool good = true;
  for (int i = 0; i < count; ++i) good = good && data[i] == first + i * step;
  return good;
}

static void try_movement(int round) {
  const int root = round % g_size;
  fill(0, k_count, g_rank == root ? round : -1000, 1);
  MPI_Bcast(g_buffers[0], k_count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(holds(0, k_count, round, 1), "round %d: bcast", round);

  fill(0, k_count, g_rank * k_count, 1);
  MPI_Allgather(g_buffers[0], k_count, MPI_INT, g_buffers[1], k_count, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds(1, k_count * g_size, 0, 1), "round %d: allgather", round);

  int counts[64], places[64];
  for (int i = 0; i < g_size; ++i) counts[i] = k_count, places[i] = i * k_count;
  fill(0, k_count, g_rank * k_count, 1);
  fill(1, k_count * g_size, -1, 0);
  MPI_Allgatherv(g_buffers[0], k_count, MPI_INT, g_buffers[1], counts, places, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds(1, k_count * g_size, 0, 1), "round %d: allgatherv", round);
  for (int i = 0; i < g_size; ++i) counts[i] = k_wide, places[i] = i * k_wide;
  fill(0, k_wide * g_size, g_rank, 0);
  MPI_Alltoallv(g_buffers[0], counts, places, MPI_INT, g_buffers[1], counts, places, MPI_INT, MPI_COMM_WORLD);
  const int* const got = device_heap_shadow(g_buffers[1]);
  for (int i = 0; i < k_wide * g_size; ++i) CHECK(got[i] == i / k_wide, "round %d: alltoallv", round);
}

static void try_layouts(int round) {
  MPI_Datatype every_other;
  MPI_Type_vector(k_count / 2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  fill(0, k_count, g_rank == 0 ? round : -1, g_rank == 0);
  MPI_Bcast(g_buffers[0], 1, every_other, 0, MPI_COMM_WORLD);
  const int* const data = device_heap_shadow(g_buffers[0]);
  for (int i = 0; i < k_count; i += 2) CHECK(data[i] == round + i, "round %d: every other", round);
  MPI_Type_free(&every_other);

  // The data at an absolute address, which breaks an MPI that classifies by the pointer. Only Tutti handles it.
  if (dlsym(RTLD_DEFAULT, "tutti_init") == NULL) return;
  MPI_Datatype there;
  MPI_Aint address;
  int count = k_count;
  MPI_Get_address(g_buffers[0], &address);
  MPI_Type_create_hindexed(1, &count, &address, MPI_INT, &there);
  MPI_Type_commit(&there);
  fill(0, k_count, g_rank == 0 ? round : -1000, 1);
  MPI_Bcast(MPI_BOTTOM, 1, there, 0, MPI_COMM_WORLD);
  CHECK(holds(0, k_count, round, 1), "round %d: at an absolute address", round);
  MPI_Type_free(&there);
}

static void try_reductions(int round) {
  const int ranks = g_size * (g_size - 1) / 2;
  fill(0, k_count, g_rank, 1);
  MPI_Allreduce(g_buffers[0], g_buffers[1], k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds(1, k_count, ranks, g_size), "round %d: allreduce", round);
  MPI_Request requests[2];
  MPI_Iallreduce(MPI_IN_PLACE, g_buffers[0], k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  fill(1, k_count, g_rank == 0 ? round : -1000, 1);
  MPI_Ibcast(g_buffers[1], k_count, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(holds(0, k_count, ranks, g_size), "round %d: iallreduce in place", round);
  CHECK(holds(1, k_count, round, 1), "round %d: ibcast", round);
}

/// Natively not: the MPI of the tests takes device memory in functions that every version of the MPI has.
static void try_persistent(int round) {
  if (dlsym(RTLD_DEFAULT, "tutti_init") == NULL) return;
  MPI_Request request;
  MPI_Allreduce_init(g_buffers[0], g_buffers[1], k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  for (int start = 0; start < 2; ++start) {
    fill(0, k_count, g_rank + start, 1);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(holds(1, k_count, g_size * (g_size - 1) / 2 + start * g_size, g_size), "round %d: start %d", round,
          start);
  }
  MPI_Request_free(&request);
}

/// An address that was the host's, and is a device's for the next call.
static void try_other_memory_at_one_address(void) {
  int* const host = mmap(NULL, g_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_buffers[0] = host;
  fill(0, k_count, g_rank == 0 ? 7 : -1000, 1);
  MPI_Bcast(g_buffers[0], k_count, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(holds(0, k_count, 7, 1), "in the host");
  munmap(host, g_bytes);
  device_heap_place = host;
  g_buffers[0] = take(k_device_memory, g_bytes);
  CHECK(g_buffers[0] == host, "the address is taken");
  fill(0, k_count, g_rank == 0 ? 9 : -1000, 1);
  MPI_Bcast(g_buffers[0], k_count, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(holds(0, k_count, 9, 1), "on the device");
  device_heap_give_back(host);
}

int main(int argc, char** argv) {
  g_driver = argc > 1 ? argv[1] : "cuda";
  const bool is_early = argc < 3 || strcmp(argv[2], "early") == 0;
  if (is_early) load_driver();
  check_init(&argc, &argv);
  if (!is_early) load_driver();
  g_bytes = (size_t)k_count * (size_t)g_size * sizeof(int);
  for (int round = 0; round < k_rounds; ++round) {
    take_buffers(round);
    try_movement(round);
    try_layouts(round);
    try_reductions(round);
    try_persistent(round);
    give_back();
  }
  try_other_memory_at_one_address();
  if (strcmp(g_driver, "hip") == 0) {
    int (*last_error)(void) = (int (*)(void))function("hipGetLastError");
    CHECK(last_error() == 0, "an error of HIP that the program has not made");
  }
  // The settings leave no call to the native MPI.
  const bool is_served = dlsym(RTLD_DEFAULT, "tutti_init") != NULL && g_size > 1;
  CHECK(!is_served || device_mpi_collectives == 0, "%lu calls went native", device_mpi_collectives);
  return check_finish("device_memory");
}
