// Datatypes made with MPI 4's large counts, alone and inside others, in collectives of every kind.
#include "check.h"

#include <stdio.h>
#include <string.h>

#if MPI_VERSION >= 4

enum { k_count = 3000, k_rounds = 12 };

static int g_data[2 * k_count];
static int g_all[64 * k_count];

static void fill(bool is_source, int round) {
  for (int i = 0; i < k_count; ++i) g_data[i] = is_source ? value_of(0, (size_t)i, (unsigned)round) : -1;
}

static void check(const char* what, int round, const int* data, int from) {
  bool is_right = true;
  for (int i = 0; i < k_count; ++i)
    is_right = is_right && data[i] == value_of(from, (size_t)i, (unsigned)round);
  CHECK(is_right, "%s, round %d", what, round);
}

static void try_type(const char* what, MPI_Datatype type, int count) {
  for (int round = 0; round < k_rounds; ++round) {
    fill(g_rank == 0, round);
    MPI_Bcast(g_data, count, type, 0, MPI_COMM_WORLD);
    check(what, round, g_data, 0);
    fill(g_rank == 0, round);
    MPI_Request request;
    MPI_Ibcast(g_data, count, type, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(what, round, g_data, 0);
    for (int i = 0; i < k_count; ++i) g_data[i] = value_of(g_rank, (size_t)i, (unsigned)round);
    memset(g_all, 0, sizeof g_all);
    MPI_Allgather(g_data, count, type, g_all, k_count, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < g_size; ++r) check(what, round, g_all + r * k_count, r);
  }
}

static void try_and_free(const char* what, MPI_Datatype type, int count) {
  MPI_Type_commit(&type);
  try_type(what, type, count);
  MPI_Type_free(&type);
}

static void try_all(void) {
  MPI_Datatype type, inner;
  MPI_Type_contiguous_c(k_count, MPI_INT, &type);
  try_and_free("contiguous_c", type, 1);
  MPI_Type_vector_c(k_count / 2, 2, 2, MPI_INT, &type);
  try_and_free("vector_c", type, 1);
  const MPI_Count lengths[] = {1000, 2000}, places[] = {0, 4000};
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &type);
  try_and_free("hindexed_c", type, 1);
  MPI_Type_contiguous_c(100, MPI_INT, &inner);
  MPI_Type_contiguous(k_count / 100, inner, &type);
  MPI_Type_free(&inner);
  try_and_free("contiguous of contiguous_c", type, 1);
  MPI_Type_contiguous_c(10, MPI_INT, &inner);
  MPI_Datatype pair;
  const int one[] = {1, 1};
  const MPI_Aint at[] = {0, 40};
  const MPI_Datatype types[] = {inner, inner};
  MPI_Type_create_struct(2, one, at, types, &pair);
  MPI_Type_free(&inner);
  try_and_free("struct of contiguous_c", pair, k_count / 20);
}

#else

static void try_all(void) {}

#endif

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  try_all();
  return check_finish("large_types");
}
