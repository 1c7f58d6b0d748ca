// Buffers that the processor cannot reach, as those of accelerators under an MPI that takes them. The program stands in
// for the accelerator: it says that the MPI takes device memory, answers the driver's question about a pointer, and
// lets only MPI_Pack and MPI_Unpack reach that memory; everything else that touches it ends with a signal.
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { k_count = 1 << 16, k_parts = 2, k_rounds = 3 };

static char* g_device;  // k_parts buffers of k_count integers for each rank
static size_t g_device_bytes;

// Exported, so that it is found in place of the MPI's own.
int MPIX_Query_cuda_support(void) {
  return 1;
}

// The driver's question: CU_POINTER_ATTRIBUTE_MEMORY_TYPE (2) is CU_MEMORYTYPE_DEVICE (2), and nothing is managed (8).
int cuPointerGetAttribute(void* answer, int attribute, uintptr_t address) {
  const uintptr_t begin = (uintptr_t)g_device;
  if (address < begin || address >= begin + g_device_bytes) return 1;  // CUDA_ERROR_INVALID_VALUE
  *(unsigned*)answer = attribute == 2 ? 2 : 0;
  return 0;
}

static void let_reach(bool may) {
  mprotect(g_device, g_device_bytes, may ? PROT_READ | PROT_WRITE : PROT_NONE);
}

typedef int Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
typedef int Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);

static void* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

int PMPI_Pack(const void* data, int count, MPI_Datatype type, void* packed, int bytes, int* position,
              MPI_Comm comm) {
  static Pack* real;
  if (real == NULL) *(void**)&real = next("PMPI_Pack");
  let_reach(true);
  const int code = real(data, count, type, packed, bytes, position, comm);
  let_reach(false);
  return code;
}

int PMPI_Unpack(const void* packed, int bytes, int* position, void* data, int count, MPI_Datatype type,
                MPI_Comm comm) {
  static Unpack* real;
  if (real == NULL) *(void**)&real = next("PMPI_Unpack");
  let_reach(true);
  const int code = real(packed, bytes, position, data, count, type, comm);
  let_reach(false);
  return code;
}

static int* part(int number) {
  return (int*)g_device + (size_t)number * k_count * (size_t)g_size;
}

static void fill(int* data, int count, int first) {
  let_reach(true);
  for (int i = 0; i < count; ++i) data[i] = first + i;
  let_reach(false);
}

static bool holds(const int* data, int count, int first, int step) {
  bool good = true;
  let_reach(true);
  for (int i = 0; i < count; ++i) good = good && data[i] == first + i * step;
  let_reach(false);
  return good;
}

static void try_collectives(int round) {
  const int root = round % g_size, ranks = g_size * (g_size - 1) / 2;
  fill(part(0), k_count, g_rank == root ? round : -1000);
  MPI_Bcast(part(0), k_count, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(holds(part(0), k_count, round, 1), "round %d: bcast", round);

  fill(part(0), k_count, g_rank);
  MPI_Allreduce(part(0), part(1), k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds(part(1), k_count, ranks, g_size), "round %d: allreduce", round);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, part(0), k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(holds(part(0), k_count, ranks, g_size), "round %d: iallreduce in place", round);

  fill(part(0), k_count, g_rank * k_count);
  MPI_Allgather(part(0), k_count, MPI_INT, part(1), k_count, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds(part(1), k_count * g_size, 0, 1), "round %d: allgather", round);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_device_bytes = (size_t)k_parts * k_count * (size_t)g_size * sizeof(int);
  g_device = mmap(NULL, g_device_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(g_device != MAP_FAILED, "no memory");
  for (int round = 0; round < k_rounds; ++round) try_collectives(round);
  munmap(g_device, g_device_bytes);
  return check_finish("device_memory");
}
