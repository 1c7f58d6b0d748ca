// User-defined operators: 2 x 2 matrices modulo a prime (associative, not commutative), joined intervals
// (fails at once when the order of ranks or a rank is lost or doubled), and an operator on a derived
// datatype with gaps. Through Reduce (every root), Allreduce, Reduce_scatter, Reduce_scatter_block, Scan
// and Exscan, also in place.
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { k_prime = 30011, k_safe_in_place_bytes = 2000, k_canary = 0x7f };

typedef struct {
  int a, b, c, d;
} Matrix;

typedef struct {
  int first;
  int last;
  int broken;
  int salt;
} Interval;

// One family: how to make rank r's item i, and how to join two in order. All items are 16 bytes.
typedef struct {
  const char* name;
  void (*make)(void* item, int rank, size_t i);
  void (*join)(void* left_and_result, const void* right);
  MPI_Op op;
  MPI_Datatype type;
} Family;

enum { k_item_bytes = 16 };

static void make_matrix(void* item, int rank, size_t i) {
  Matrix* m = item;
  *m = (Matrix){value_of(rank, i, 1) % k_prime, value_of(rank, i, 2) % k_prime,
                value_of(rank, i, 3) % k_prime, value_of(rank, i, 4) % k_prime};
}

static void join_matrices(void* left_and_result, const void* right) {
  Matrix* x = left_and_result;
  const Matrix* y = right;
  *x = (Matrix){(x->a * y->a + x->b * y->c) % k_prime, (x->a * y->b + x->b * y->d) % k_prime,
                (x->c * y->a + x->d * y->c) % k_prime, (x->c * y->b + x->d * y->d) % k_prime};
}

static void make_interval(void* item, int rank, size_t i) {
  Interval* interval = item;
  *interval = (Interval){rank, rank, 0, (int)(i % 1000)};
}

static void join_intervals(void* left_and_result, const void* right) {
  Interval* x = left_and_result;
  const Interval* y = right;
  x->broken = x->broken || y->broken || x->last + 1 != y->first || x->salt != y->salt;
  x->last = y->last;
}

// The standard's operator: inout = in op inout, `in` being the part of the lower ranks.
static void apply(const Family* family, const char* in, char* inout, int length) {
  for (int i = 0; i < length; ++i) {
    char left[k_item_bytes];
    memcpy(left, in + (size_t)i * k_item_bytes, sizeof left);
    family->join(left, inout + (size_t)i * k_item_bytes);
    memcpy(inout + (size_t)i * k_item_bytes, left, sizeof left);
  }
}

static Family g_matrices = {"matrices", make_matrix, join_matrices, MPI_OP_NULL, MPI_DATATYPE_NULL};
static Family g_intervals = {"intervals", make_interval, join_intervals, MPI_OP_NULL, MPI_DATATYPE_NULL};

// The number of calls of an operator is implementation-defined: only a fault counts as a check.
static void check_call(MPI_Datatype type, const Family* family) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  if (bytes != k_item_bytes)
    CHECK(false, "operator on %s called with a datatype of %d bytes", family->name, bytes);
}

static void multiply_matrices(void* in, void* inout, int* length, MPI_Datatype* type) {
  check_call(*type, &g_matrices);
  apply(&g_matrices, in, inout, *length);
}

static void append_intervals(void* in, void* inout, int* length, MPI_Datatype* type) {
  check_call(*type, &g_intervals);
  apply(&g_intervals, in, inout, *length);
}

static char* make_input(const Family* family, int rank, size_t count) {
  char* data = allocate(count * k_item_bytes + 1);
  for (size_t i = 0; i < count; ++i) family->make(data + i * k_item_bytes, rank, i);
  data[count * k_item_bytes] = k_canary;
  return data;
}

// `count` items from `first` on hold the join of ranks [0, ranks).
static bool holds(const Family* family, const char* data, size_t first, size_t count, int ranks) {
  for (size_t i = 0; i < count; ++i) {
    char expected[k_item_bytes];
    char next[k_item_bytes];
    family->make(expected, 0, first + i);
    for (int rank = 1; rank < ranks; ++rank) {
      family->make(next, rank, first + i);
      family->join(expected, next);
    }
    if (memcmp(expected, data + i * k_item_bytes, k_item_bytes) != 0) return false;
  }
  return data[count * k_item_bytes] == k_canary;
}

static void check_reduce(const Family* f, MPI_Comm comm, int rank, int size, int count, int root) {
  const bool in_place = root == 0 || (size_t)count * k_item_bytes < k_safe_in_place_bytes;
  char* mine = make_input(f, rank, (size_t)count);
  char* result = make_input(f, rank, (size_t)count);
  MPI_Reduce(rank == root && in_place ? MPI_IN_PLACE : mine, rank == root ? result : NULL, count, f->type,
             f->op, root, comm);
  if (rank == root)
    CHECK(holds(f, result, 0, (size_t)count, size), "reduce of %d %s at %d", count, f->name, root);
  free(result);
  free(mine);
}

static void check_symmetric(const Family* f, MPI_Comm comm, int rank, int size, int count, bool in_place) {
  const size_t n = (size_t)count;
  char* mine = make_input(f, rank, n);
  const void* source = in_place ? MPI_IN_PLACE : mine;
  char* result = make_input(f, rank, n);
  MPI_Allreduce(source, result, count, f->type, f->op, comm);
  CHECK(holds(f, result, 0, n, size), "allreduce of %d %s", count, f->name);
  free(result);
  result = make_input(f, rank, n);
  MPI_Scan(source, result, count, f->type, f->op, comm);
  CHECK(holds(f, result, 0, n, rank + 1), "scan of %d %s", count, f->name);
  free(result);
  result = make_input(f, rank, n);
  MPI_Exscan(source, result, count, f->type, f->op, comm);
  if (rank > 0) CHECK(holds(f, result, 0, n, rank), "exscan of %d %s", count, f->name);
  free(result);
  free(mine);
}

static void check_scattered(const Family* f, MPI_Comm comm, int rank, int size, int count) {
  const size_t total = (size_t)count * (size_t)size;
  char* mine = make_input(f, rank, total);
  char* result = make_input(f, rank, (size_t)count);
  MPI_Reduce_scatter_block(mine, result, count, f->type, f->op, comm);
  CHECK(holds(f, result, (size_t)rank * (size_t)count, (size_t)count, size), "reduce_scatter_block of %d %s",
        count, f->name);
  free(result);
  free(mine);

  int* counts = allocate_ints((size_t)size, 0);
  size_t first = 0;
  size_t sum = 0;
  for (int peer = 0; peer < size; ++peer) {
    counts[peer] = peer % 2 ? count + peer : count / 2;
    if (peer < rank) first += (size_t)counts[peer];
    sum += (size_t)counts[peer];
  }
  mine = make_input(f, rank, sum);
  result = make_input(f, rank, (size_t)counts[rank]);
  MPI_Reduce_scatter(mine, result, counts, f->type, f->op, comm);
  CHECK(holds(f, result, first, (size_t)counts[rank], size), "reduce_scatter of %d %s", count, f->name);
  free(result);
  free(mine);
  free(counts);
}

static void check_family(const Family* f, MPI_Comm comm, int rank, int size) {
  const int counts[] = {0, 1, size + 1, 100, 3000};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    for (int root = 0; root < size; ++root) check_reduce(f, comm, rank, size, counts[i], root);
    check_symmetric(f, comm, rank, size, counts[i], i % 2);
    check_scattered(f, comm, rank, size, counts[i]);
  }
}

static void check_all(MPI_Comm comm, int rank, int size) {
  check_family(&g_matrices, comm, rank, size);
  check_family(&g_intervals, comm, rank, size);
}

// Adds the two integers of a derived type that leaves a gap of one between them and one behind.
static void add_with_gaps(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(*type, &lower_bound, &extent);
  if (lower_bound != 0 || extent != 16) CHECK(false, "the operator saw an extent of %ld", (long)extent);
  const int* source = in;
  int* target = inout;
  for (int i = 0; i < *length; ++i) {
    target[4 * i] += source[4 * i];
    target[4 * i + 2] += source[4 * i + 2];
  }
}

static void check_gaps(int count) {
  MPI_Datatype vector;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 16, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_with_gaps, 1, &op);
  int* mine = allocate_ints(4 * (size_t)count, g_rank);
  int* result = allocate_ints(4 * (size_t)count, k_canary);
  MPI_Allreduce(mine, result, count, type, op, MPI_COMM_WORLD);
  const int sum = g_size * (g_size - 1) / 2;
  bool good = true;
  for (int i = 0; i < 4 * count; ++i) good = good && result[i] == (i % 2 == 0 ? sum : k_canary);
  CHECK(good, "allreduce of %d elements with gaps", count);
  free(result);
  free(mine);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&vector);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Datatype four_ints;
  MPI_Type_contiguous(4, MPI_INT, &four_ints);
  MPI_Type_commit(&four_ints);
  g_matrices.type = g_intervals.type = four_ints;
  MPI_Op_create(multiply_matrices, 0, &g_matrices.op);
  MPI_Op_create(append_intervals, 0, &g_intervals.op);
  for_each_communicator(check_all);
  check_gaps(1);
  check_gaps(777);
  MPI_Op_free(&g_matrices.op);
  MPI_Op_free(&g_intervals.op);
  MPI_Type_free(&four_ints);
  return check_finish("user_operators");
}
