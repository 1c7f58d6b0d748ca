// Programs that end while collectives that have returned are still under way. Argument: exit (without MPI_Finalize;
// handlers of atexit look at the data) or finalize.

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_bytes = 1 << 20, k_late_us = 400000 };

static unsigned char* g_data;

static void look(void) {
  for (size_t i = 0; i < k_bytes; ++i)
    if (g_data[i] != (unsigned char)(i * 3 + i / 4096)) {
      printf("at exit the data is wrong\n");
      fflush(stdout);
      _exit(9);
    }
}

int main(int argc, char** argv) {
  const bool finalizes = argc > 1 && strcmp(argv[1], "finalize") == 0;
  g_data = mmap(NULL, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  atexit(look);  // after all that MPI_Init may register
  check_init(&argc, &argv);
  if (g_rank == 0)
    for (size_t i = 0; i < k_bytes; ++i) g_data[i] = (unsigned char)(i * 3 + i / 4096);
  if (g_rank == 0) usleep(k_late_us);  // longer than any wait that does not depend on the data
  MPI_Bcast(g_data, k_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (finalizes) MPI_Finalize();
  return 0;
}
