// Every predefined operator on every predefined C type that the standard allows, through Allreduce, Reduce,
// Reduce_scatter_block, Scan and Exscan. The expected result is folded in rank order by plain C. Inputs
// are small whole numbers, so floating-point results are exact in any order.
//
// Open MPI 4.1.4's AVX reductions are wrong for byte types; the runner switches them off (op=^avx).
#include "check.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { k_count = 137, k_most_bytes = 32 };

// Fills one item of a type from a small number, and applies an operator to two of them.
typedef void (*Store)(void* item, int number);
typedef void (*Fold)(void* result, const void* next, MPI_Op op);

#define STORE(name, type)                            \
  static void store_##name(void* item, int number) { \
    *(type*)item = (type)number;                     \
  }

#define FOLD_ARITHMETIC(name, type)                                    \
  static void fold_##name(void* result, const void* next, MPI_Op op) { \
    type* a = result;                                                  \
    const type b = *(const type*)next;                                 \
    if (op == MPI_SUM) *a = (type)(*a + b);                            \
    if (op == MPI_PROD) *a = (type)(*a * b);                           \
    if (op == MPI_MAX) *a = *a > b ? *a : b;                           \
    if (op == MPI_MIN) *a = *a < b ? *a : b;                           \
  }

#define FOLD_INTEGER(name, type)                                       \
  static void fold_##name(void* result, const void* next, MPI_Op op) { \
    type* a = result;                                                  \
    const type b = *(const type*)next;                                 \
    if (op == MPI_SUM) *a = (type)(*a + b);                            \
    if (op == MPI_PROD) *a = (type)(*a * b);                           \
    if (op == MPI_MAX) *a = *a > b ? *a : b;                           \
    if (op == MPI_MIN) *a = *a < b ? *a : b;                           \
    if (op == MPI_LAND) *a = *a && b;                                  \
    if (op == MPI_LOR) *a = *a || b;                                   \
    if (op == MPI_LXOR) *a = !*a != !b;                                \
    if (op == MPI_BAND) *a = (type)(*a & b);                           \
    if (op == MPI_BOR) *a = (type)(*a | b);                            \
    if (op == MPI_BXOR) *a = (type)(*a ^ b);                           \
  }

#define FOLD_COMPLEX(name, type)                                       \
  static void store_##name(void* item, int number) {                   \
    *(type*)item = (type)(number + (number % 3 - 1) * I);              \
  }                                                                    \
  static void fold_##name(void* result, const void* next, MPI_Op op) { \
    type* a = result;                                                  \
    const type b = *(const type*)next;                                 \
    if (op == MPI_SUM) *a = *a + b;                                    \
    if (op == MPI_PROD) *a = *a * b;                                   \
  }

#define FOLD_PAIR(name, type)                                                         \
  typedef struct {                                                                    \
    type value;                                                                       \
    int index;                                                                        \
  } Pair_##name;                                                                      \
  static void store_##name(void* item, int number) {                                  \
    Pair_##name* pair = item;                                                         \
    pair->value = (type)(number / 2 - 1);                                             \
    pair->index = (number * 7) % 11;                                                  \
  }                                                                                   \
  static void fold_##name(void* result, const void* next, MPI_Op op) {                \
    Pair_##name* a = result;                                                          \
    const Pair_##name* b = next;                                                      \
    const bool better = op == MPI_MAXLOC ? b->value > a->value : b->value < a->value; \
    if (better || (b->value == a->value && b->index < a->index)) *a = *b;             \
  }

#define INTEGER(name, type) STORE(name, type) FOLD_INTEGER(name, type)
#define REAL(name, type) STORE(name, type) FOLD_ARITHMETIC(name, type)

INTEGER(schar, signed char)
INTEGER(uchar, unsigned char)
INTEGER(short, short)
INTEGER(ushort, unsigned short)
INTEGER(int, int)
INTEGER(unsigned, unsigned)
INTEGER(long, long)
INTEGER(ulong, unsigned long)
INTEGER(llong, long long)
INTEGER(ullong, unsigned long long)
REAL(float, float)
REAL(double, double)
REAL(ldouble, long double)
FOLD_COMPLEX(cfloat, float complex)
FOLD_COMPLEX(cdouble, double complex)
FOLD_COMPLEX(cldouble, long double complex)
FOLD_PAIR(pair_float, float)
FOLD_PAIR(pair_double, double)
FOLD_PAIR(pair_long, long)
FOLD_PAIR(pair_int, int)
FOLD_PAIR(pair_short, short)
FOLD_PAIR(pair_ldouble, long double)

static void store_bool(void* item, int number) {
  *(bool*)item = number % 3 == 0;
}
static void fold_bool(void* result, const void* next, MPI_Op op) {
  bool* a = result;
  const bool b = *(const bool*)next;
  if (op == MPI_LAND) *a = *a && b;
  if (op == MPI_LOR) *a = *a || b;
  if (op == MPI_LXOR) *a = *a != b;
}

enum Class { k_integer, k_real, k_complex, k_logical, k_byte, k_pair };

typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t bytes;     // from one item to the next
  size_t compared;  // leading bytes that carry the value; the rest is padding
  enum Class class;
  Store store;
  Fold fold;
} Type;

#define ROW(name, mpi, c, class) \
  { #mpi, mpi, sizeof(c), sizeof(c), class, store_##name, fold_##name }
#define PAIR_ROW(name, mpi)                                                                           \
  {                                                                                                   \
#mpi, mpi, sizeof(Pair_##name), offsetof(Pair_##name, index) + sizeof(int), k_pair, store_##name, \
        fold_##name                                                                                   \
  }

static bool is_class(MPI_Op op, enum Class class) {
  const bool ordered = op == MPI_MAX || op == MPI_MIN;
  const bool arithmetic = op == MPI_SUM || op == MPI_PROD;
  const bool logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
  const bool bitwise = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
  switch (class) {
    case k_integer:
      return ordered || arithmetic || logical || bitwise;
    case k_real:
      return ordered || arithmetic;
    case k_complex:
      return arithmetic;
    case k_logical:
      return logical;
    case k_byte:
      return bitwise;
    case k_pair:
      return op == MPI_MAXLOC || op == MPI_MINLOC;
  }
  return false;
}

// Products stay within a byte and within exact floating point: at most two ranks contribute a factor
// other than 1.
static int number_of(MPI_Op op, int rank, int i) {
  if (op == MPI_PROD) return (rank + i) % 5 == 0 ? 1 + i % 3 : 1;
  return (rank * 5 + i * 3) % 7;
}

static void input(const Type* type, MPI_Op op, int rank, int items, char* out) {
  memset(out, 0, (size_t)items * type->bytes);
  for (int i = 0; i < items; ++i) type->store(out + (size_t)i * type->bytes, number_of(op, rank, i));
}

static void expect(const Type* type, MPI_Op op, int ranks, int items, char* out) {
  char item[k_most_bytes];
  input(type, op, 0, items, out);
  for (int rank = 1; rank < ranks; ++rank)
    for (int i = 0; i < items; ++i) {
      memset(item, 0, sizeof item);
      type->store(item, number_of(op, rank, i));
      type->fold(out + (size_t)i * type->bytes, item, op);
    }
}

// Long doubles have ten bytes of value in sixteen; pairs have a gap between value and index.
static bool same_value(const Type* type, const char* a, const char* b) {
  if (type->type == MPI_LONG_DOUBLE) return *(const long double*)a == *(const long double*)b;
  if (type->type == MPI_C_LONG_DOUBLE_COMPLEX)
    return *(const long double complex*)a == *(const long double complex*)b;
  if (type->type == MPI_LONG_DOUBLE_INT)
    return ((const Pair_pair_ldouble*)a)->value == ((const Pair_pair_ldouble*)b)->value &&
           ((const Pair_pair_ldouble*)a)->index == ((const Pair_pair_ldouble*)b)->index;
  if (type->type == MPI_SHORT_INT)
    return ((const Pair_pair_short*)a)->value == ((const Pair_pair_short*)b)->value &&
           ((const Pair_pair_short*)a)->index == ((const Pair_pair_short*)b)->index;
  return memcmp(a, b, type->compared) == 0;
}

static void compare(const Type* type, const char* op_name, const char* call, const char* got,
                    const char* wanted, int items) {
  int wrong = 0;
  for (int i = 0; i < items; ++i)
    wrong += same_value(type, got + (size_t)i * type->bytes, wanted + (size_t)i * type->bytes) ? 0 : 1;
  CHECK(wrong == 0, "%s of %s with %s: %d of %d wrong", call, type->name, op_name, wrong, items);
}

static void check_pair(const Type* type, MPI_Op op, const char* op_name) {
  const int blocks = 2;  // items of each rank in a reduce_scatter_block
  const int items = blocks * g_size > k_count ? blocks * g_size : k_count;
  char* mine = allocate((size_t)items * type->bytes);
  char* got = allocate((size_t)items * type->bytes);
  char* wanted = allocate((size_t)items * type->bytes);
  input(type, op, g_rank, items, mine);

  expect(type, op, g_size, items, wanted);
  MPI_Allreduce(mine, got, k_count, type->type, op, MPI_COMM_WORLD);
  compare(type, op_name, "allreduce", got, wanted, k_count);
  const int root = g_size / 2;
  MPI_Reduce(mine, got, k_count, type->type, op, root, MPI_COMM_WORLD);
  if (g_rank == root) compare(type, op_name, "reduce", got, wanted, k_count);
  MPI_Reduce_scatter_block(mine, got, blocks, type->type, op, MPI_COMM_WORLD);
  compare(type, op_name, "reduce_scatter_block", got, wanted + (size_t)(blocks * g_rank) * type->bytes,
          blocks);

  expect(type, op, g_rank + 1, items, wanted);
  MPI_Scan(mine, got, k_count, type->type, op, MPI_COMM_WORLD);
  compare(type, op_name, "scan", got, wanted, k_count);
  MPI_Exscan(mine, got, k_count, type->type, op, MPI_COMM_WORLD);
  if (g_rank > 0) {
    expect(type, op, g_rank, items, wanted);
    compare(type, op_name, "exscan", got, wanted, k_count);
  }
  free(wanted);
  free(got);
  free(mine);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const Type types[] = {
      ROW(schar, MPI_SIGNED_CHAR, signed char, k_integer),
      ROW(uchar, MPI_UNSIGNED_CHAR, unsigned char, k_integer),
      ROW(short, MPI_SHORT, short, k_integer),
      ROW(ushort, MPI_UNSIGNED_SHORT, unsigned short, k_integer),
      ROW(int, MPI_INT, int, k_integer),
      ROW(unsigned, MPI_UNSIGNED, unsigned, k_integer),
      ROW(long, MPI_LONG, long, k_integer),
      ROW(ulong, MPI_UNSIGNED_LONG, unsigned long, k_integer),
      ROW(llong, MPI_LONG_LONG, long long, k_integer),
      ROW(ullong, MPI_UNSIGNED_LONG_LONG, unsigned long long, k_integer),
      ROW(schar, MPI_INT8_T, int8_t, k_integer),
      ROW(uchar, MPI_UINT8_T, uint8_t, k_integer),
      ROW(short, MPI_INT16_T, int16_t, k_integer),
      ROW(ushort, MPI_UINT16_T, uint16_t, k_integer),
      ROW(int, MPI_INT32_T, int32_t, k_integer),
      ROW(unsigned, MPI_UINT32_T, uint32_t, k_integer),
      ROW(long, MPI_INT64_T, int64_t, k_integer),
      ROW(ulong, MPI_UINT64_T, uint64_t, k_integer),
      ROW(long, MPI_AINT, MPI_Aint, k_integer),
      ROW(llong, MPI_OFFSET, MPI_Offset, k_integer),
      ROW(llong, MPI_COUNT, MPI_Count, k_integer),
      ROW(float, MPI_FLOAT, float, k_real),
      ROW(double, MPI_DOUBLE, double, k_real),
      ROW(ldouble, MPI_LONG_DOUBLE, long double, k_real),
      ROW(cfloat, MPI_C_FLOAT_COMPLEX, float complex, k_complex),
      ROW(cdouble, MPI_C_DOUBLE_COMPLEX, double complex, k_complex),
      ROW(cldouble, MPI_C_LONG_DOUBLE_COMPLEX, long double complex, k_complex),
      ROW(bool, MPI_C_BOOL, bool, k_logical),
      ROW(uchar, MPI_BYTE, unsigned char, k_byte),
      PAIR_ROW(pair_float, MPI_FLOAT_INT),
      PAIR_ROW(pair_double, MPI_DOUBLE_INT),
      PAIR_ROW(pair_long, MPI_LONG_INT),
      PAIR_ROW(pair_int, MPI_2INT),
      PAIR_ROW(pair_short, MPI_SHORT_INT),
      PAIR_ROW(pair_ldouble, MPI_LONG_DOUBLE_INT),
  };
  const struct {
    const char* name;
    MPI_Op op;
  } ops[] = {{"MPI_SUM", MPI_SUM},   {"MPI_PROD", MPI_PROD},     {"MPI_MAX", MPI_MAX},
             {"MPI_MIN", MPI_MIN},   {"MPI_LAND", MPI_LAND},     {"MPI_LOR", MPI_LOR},
             {"MPI_LXOR", MPI_LXOR}, {"MPI_BAND", MPI_BAND},     {"MPI_BOR", MPI_BOR},
             {"MPI_BXOR", MPI_BXOR}, {"MPI_MAXLOC", MPI_MAXLOC}, {"MPI_MINLOC", MPI_MINLOC}};
  for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; ++o)
      if (is_class(ops[o].op, types[t].class)) check_pair(&types[t], ops[o].op, ops[o].name);
  return check_finish("operators");
}
