// Messages of more than 2^31 bytes: a datatype of 1 MiB in counts above 2048, and on MPI 4 the calls with
// MPI_Count. Needs about 5 GiB for two ranks, so the runner asks for TUTTI_TEST_LARGE=1.
#include "check.h"

#include <stdlib.h>

static const size_t k_bytes = ((size_t)1 << 31) + 3 * ((size_t)1 << 20);

static uint64_t word(size_t i, unsigned salt) {
  return (i + salt) * 0x9e3779b97f4a7c15u;
}

static void fill(uint64_t* data, size_t words, unsigned salt) {
  for (size_t i = 0; i < words; ++i) data[i] = word(i, salt);
}

static bool holds(const uint64_t* data, size_t words, unsigned salt) {
  for (size_t i = 0; i < words; ++i)
    if (data[i] != word(i, salt)) return false;
  return true;
}

static void clear(uint64_t* data, size_t words) {
  for (size_t i = 0; i < words; ++i) data[i] = 0;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const size_t words = k_bytes / sizeof(uint64_t);
  const int root = g_size - 1;
  uint64_t* data = allocate(k_bytes);
  MPI_Datatype mebibyte;
  MPI_Type_contiguous(1 << 17, MPI_UINT64_T, &mebibyte);
  MPI_Type_commit(&mebibyte);

  if (g_rank == root)
    fill(data, words, 1);
  else
    clear(data, words);
  MPI_Bcast(data, (int)(k_bytes >> 20), mebibyte, root, MPI_COMM_WORLD);
  CHECK(holds(data, words, 1), "bcast of %zu bytes", k_bytes);

  // Blocks of 2^31 / ranks bytes and more: the total is beyond 2^31.
  const int block = (int)((k_bytes >> 20) / (size_t)g_size);
  const size_t block_words = (size_t)block << 17;
  clear(data, words);
  fill(data + (size_t)g_rank * block_words, block_words, 10u + (unsigned)g_rank);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, block, mebibyte, MPI_COMM_WORLD);
  for (int peer = 0; peer < g_size; ++peer)
    CHECK(holds(data + (size_t)peer * block_words, block_words, 10u + (unsigned)peer),
          "allgather: block of %d", peer);

#if MPI_VERSION >= 4
  if (g_rank == 0)
    fill(data, words, 2);
  else
    clear(data, words);
  MPI_Bcast_c(data, (MPI_Count)k_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(holds(data, words, 2), "MPI_Bcast_c of %zu bytes", k_bytes);

  for (size_t i = 0; i < words; ++i) data[i] = (uint64_t)g_rank + i;
  MPI_Allreduce_c(MPI_IN_PLACE, data, (MPI_Count)words, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  bool good = true;
  const uint64_t ranks = (uint64_t)g_size;
  for (size_t i = 0; good && i < words; ++i) good = data[i] == ranks * i + ranks * (ranks - 1) / 2;
  CHECK(good, "MPI_Allreduce_c of %zu bytes", k_bytes);
#endif
  MPI_Type_free(&mebibyte);
  free(data);
  return check_finish("large_counts");
}
