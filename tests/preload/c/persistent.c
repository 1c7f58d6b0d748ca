// Every persistent collective, started several times with new data, against the blocking one of the MPI
// itself (by its profiling name); in place, and with a layout that has to be packed.
#include "persistent.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { k_count = 700, k_starts = 4, k_cases = 17 };

typedef struct {
  MPI_Comm comm;
  int rank, size, root;
  bool in_place;
  MPI_Datatype type;  // k_count ints of one block, whatever their layout
  int stride;         // ints from one block to the next
  int* sent;
  int* received;
  int* expected;
  int *counts, *places, *byte_places;  // one per rank: all blocks, in reverse order
  MPI_Datatype* types;
} Case;

static size_t ints_of(const Case* c) {
  return (size_t)c->stride * (size_t)c->size;
}

// The `input` argument of a rank that contributes its data in place.
static const void* input_of(const Case* c, bool has_choice) {
  return c->in_place && has_choice ? MPI_IN_PLACE : c->sent;
}

// The persistent collective `number`; its buffers are sent and received.
static void initialise(int number, const Case* c, MPI_Request* request) {
  const bool is_root = c->rank == c->root;
  const int n = c->stride;
  switch (number) {
    case 0:
      MPI_Barrier_init(c->comm, MPI_INFO_NULL, request);
      break;
    case 1:
      MPI_Bcast_init(c->received, 1, c->type, c->root, c->comm, MPI_INFO_NULL, request);
      break;
    case 2:
      MPI_Reduce_init(input_of(c, is_root), c->received, n, MPI_INT, MPI_SUM, c->root, c->comm, MPI_INFO_NULL,
                      request);
      break;
    case 3:
      MPI_Allreduce_init(input_of(c, true), c->received, n, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL,
                         request);
      break;
    case 4:
      MPI_Reduce_scatter_init(input_of(c, true), c->received, c->counts, MPI_INT, MPI_SUM, c->comm,
                              MPI_INFO_NULL, request);
      break;
    case 5:
      MPI_Reduce_scatter_block_init(input_of(c, true), c->received, k_count, MPI_INT, MPI_MAX, c->comm,
                                    MPI_INFO_NULL, request);
      break;
    case 6:
      MPI_Scan_init(input_of(c, true), c->received, n, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL, request);
      break;
    case 7:
      MPI_Exscan_init(input_of(c, true), c->received, n, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL, request);
      break;
    case 8:
      MPI_Allgather_init(input_of(c, true), 1, c->type, c->received, 1, c->type, c->comm, MPI_INFO_NULL,
                         request);
      break;
    case 9:
      MPI_Allgatherv_init(input_of(c, true), k_count, MPI_INT, c->received, c->counts, c->places, MPI_INT,
                          c->comm, MPI_INFO_NULL, request);
      break;
    case 10:
      MPI_Gather_init(input_of(c, is_root), 1, c->type, c->received, 1, c->type, c->root, c->comm,
                      MPI_INFO_NULL, request);
      break;
    case 11:
      MPI_Gatherv_init(input_of(c, is_root), k_count, MPI_INT, c->received, c->counts, c->places, MPI_INT,
                       c->root, c->comm, MPI_INFO_NULL, request);
      break;
    case 12:
      MPI_Scatter_init(c->sent, 1, c->type, c->in_place && is_root ? MPI_IN_PLACE : c->received, 1, c->type,
                       c->root, c->comm, MPI_INFO_NULL, request);
      break;
    case 13:
      MPI_Scatterv_init(c->sent, c->counts, c->places, MPI_INT,
                        c->in_place && is_root ? MPI_IN_PLACE : c->received, k_count, MPI_INT, c->root,
                        c->comm, MPI_INFO_NULL, request);
      break;
    case 14:
      MPI_Alltoall_init(input_of(c, true), 1, c->type, c->received, 1, c->type, c->comm, MPI_INFO_NULL,
                        request);
      break;
    case 15:
      MPI_Alltoallv_init(input_of(c, true), c->counts, c->places, MPI_INT, c->received, c->counts, c->places,
                         MPI_INT, c->comm, MPI_INFO_NULL, request);
      break;
    default:
      MPI_Alltoallw_init(input_of(c, true), c->counts, c->byte_places, c->types, c->received, c->counts,
                         c->byte_places, c->types, c->comm, MPI_INFO_NULL, request);
  }
}

// The blocking collective of the MPI; its buffers are sent and expected.
static void call_native(int number, const Case* c) {
  const bool is_root = c->rank == c->root;
  const int n = c->stride;
  switch (number) {
    case 0:
      PMPI_Barrier(c->comm);
      break;
    case 1:
      PMPI_Bcast(c->expected, 1, c->type, c->root, c->comm);
      break;
    case 2:
      PMPI_Reduce(input_of(c, is_root), c->expected, n, MPI_INT, MPI_SUM, c->root, c->comm);
      break;
    case 3:
      PMPI_Allreduce(input_of(c, true), c->expected, n, MPI_INT, MPI_SUM, c->comm);
      break;
    case 4:
      PMPI_Reduce_scatter(input_of(c, true), c->expected, c->counts, MPI_INT, MPI_SUM, c->comm);
      break;
    case 5:
      PMPI_Reduce_scatter_block(input_of(c, true), c->expected, k_count, MPI_INT, MPI_MAX, c->comm);
      break;
    case 6:
      PMPI_Scan(input_of(c, true), c->expected, n, MPI_INT, MPI_SUM, c->comm);
      break;
    case 7:
      PMPI_Exscan(input_of(c, true), c->expected, n, MPI_INT, MPI_SUM, c->comm);
      break;
    case 8:
      PMPI_Allgather(input_of(c, true), 1, c->type, c->expected, 1, c->type, c->comm);
      break;
    case 9:
      PMPI_Allgatherv(input_of(c, true), k_count, MPI_INT, c->expected, c->counts, c->places, MPI_INT,
                      c->comm);
      break;
    case 10:
      PMPI_Gather(input_of(c, is_root), 1, c->type, c->expected, 1, c->type, c->root, c->comm);
      break;
    case 11:
      PMPI_Gatherv(input_of(c, is_root), k_count, MPI_INT, c->expected, c->counts, c->places, MPI_INT,
                   c->root, c->comm);
      break;
    case 12:
      PMPI_Scatter(c->sent, 1, c->type, c->in_place && is_root ? MPI_IN_PLACE : c->expected, 1, c->type,
                   c->root, c->comm);
      break;
    case 13:
      PMPI_Scatterv(c->sent, c->counts, c->places, MPI_INT,
                    c->in_place && is_root ? MPI_IN_PLACE : c->expected, k_count, MPI_INT, c->root, c->comm);
      break;
    case 14:
      PMPI_Alltoall(input_of(c, true), 1, c->type, c->expected, 1, c->type, c->comm);
      break;
    case 15:
      PMPI_Alltoallv(input_of(c, true), c->counts, c->places, MPI_INT, c->expected, c->counts, c->places,
                     MPI_INT, c->comm);
      break;
    default:
      PMPI_Alltoallw(input_of(c, true), c->counts, c->byte_places, c->types, c->expected, c->counts,
                     c->byte_places, c->types, c->comm);
  }
}

static void fill(const Case* c, unsigned salt) {
  for (size_t i = 0; i < ints_of(c); ++i) {
    c->sent[i] = value_of(c->rank, i, salt) % 1000;
    c->received[i] = c->expected[i] = value_of(c->rank, i, salt + 1) % 1000;
  }
}

// The memory behind the result of an in-place reduce_scatter is unspecified.
static size_t result_ints(int number, const Case* c) {
  return number == 4 || number == 5 ? k_count : ints_of(c);
}

static void run(int number, const Case* c) {
  MPI_Request request = MPI_REQUEST_NULL;
  fill(c, 0);
  initialise(number, c, &request);
  for (unsigned start = 0; start < k_starts; ++start) {
    fill(c, 100 * start + (unsigned)number);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    call_native(number, c);
    CHECK(memcmp(c->received, c->expected, result_ints(number, c) * sizeof(int)) == 0,
          "collective %d of %d ranks, root %d, start %u%s, stride %d", number, c->size, c->root, start,
          c->in_place ? ", in place" : "", c->stride);
    CHECK(request != MPI_REQUEST_NULL, "a persistent request stays");
  }
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL, "a freed request is null");
}

// Blocks of k_count ints; `stride` 2: with holes.
static Case make_case(MPI_Comm comm, int rank, int size, int stride) {
  Case c = {.comm = comm, .rank = rank, .size = size, .stride = stride * k_count};
  MPI_Datatype vector;
  MPI_Type_vector(k_count, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)(c.stride * (int)sizeof(int)), &c.type);
  MPI_Type_commit(&c.type);
  MPI_Type_free(&vector);
  c.sent = allocate_ints(ints_of(&c), 0);
  c.received = allocate_ints(ints_of(&c), 0);
  c.expected = allocate_ints(ints_of(&c), 0);
  c.counts = allocate_ints((size_t)size, k_count);
  c.places = allocate_ints((size_t)size, 0);
  c.byte_places = allocate_ints((size_t)size, 0);
  c.types = allocate((size_t)size * sizeof *c.types);
  for (int r = 0; r < size; ++r) {
    c.places[r] = (size - 1 - r) * c.stride;
    c.byte_places[r] = c.places[r] * (int)sizeof(int);
    c.types[r] = MPI_INT;
  }
  return c;
}

static void free_case(Case* c) {
  MPI_Type_free(&c->type);
  free(c->sent);
  free(c->received);
  free(c->expected);
  free(c->counts);
  free(c->places);
  free(c->byte_places);
  free(c->types);
}

static void all_collectives(MPI_Comm comm, int rank, int size) {
  for (int stride = 1; stride <= 2; ++stride) {
    Case c = make_case(comm, rank, size, stride);
    for (int number = 0; number < k_cases; ++number)
      for (int in_place = 0; in_place < 2; ++in_place) {
        c.root = number % size;
        c.in_place = in_place != 0;
        run(number, &c);
      }
    free_case(&c);
  }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(all_collectives);
  return check_finish("persistent");
}
