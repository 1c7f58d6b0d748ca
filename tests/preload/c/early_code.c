// A buffer that is written and executed, like those of just-in-time compilers: a broadcast transfers a function,
// which is called. The permission to execute must remain, whichever thread writes the data.
#include "check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_bytes = 1 << 20, k_rounds = 5 };

// mov $NUMBER, %eax; ret
static void write_function(unsigned char* code, int32_t number) {
  code[0] = 0xb8;
  memcpy(code + 1, &number, sizeof number);
  code[5] = 0xc3;
}

static int call(unsigned char* code) {
  int (*function)(void);
  memcpy(&function, &code, sizeof function);
  return function();
}

static void broadcast_functions(unsigned char* memory, const char* what) {
  const size_t places[] = {0, k_bytes / 2, k_bytes - 6};
  for (int round = 0; round < k_rounds; ++round) {
    const int root = round % g_size;
    for (int i = 0; i < 3; ++i)
      write_function(memory + places[i], g_rank == root ? value_of(root, (size_t)i, (unsigned)round) : -1);
    MPI_Bcast(memory, k_bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i)
      CHECK(call(memory + places[i]) == value_of(root, (size_t)i, (unsigned)round),
            "%s: function %d of round %d", what, i, round);
  }
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  unsigned char* const mapped = mmap(NULL, k_bytes, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapped != MAP_FAILED, "no such mapping");
  broadcast_functions(mapped, "mmap");
  // It may become code after other data has come there.
  unsigned char* const later =
      mmap(NULL, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Bcast(later, k_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(mprotect(later, k_bytes, all) == 0, "mprotect");
  broadcast_functions(later, "mprotect");
  return check_finish("early_code");
}
