// Resources opened for a program that calls blocking and nonblocking collectives: rank 0 prints the number of its
// Tutti threads, and whether the second network has been loaded.
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_count = 1 << 18, k_calls = 40 };

static int threads_of_tutti(void) {
  DIR* const tasks = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent* task = readdir(tasks); task != NULL; task = readdir(tasks)) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL && strncmp(name, "tutti", 5) == 0) ++count;
    fclose(file);
  }
  closedir(tasks);
  return count;
}

static bool has_second_network(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[1024];
  bool is_there = false;
  while (fgets(line, sizeof line, maps) != NULL) is_there = is_there || strstr(line, "libtutti-ucx") != NULL;
  fclose(maps);
  return is_there;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* const numbers = allocate_ints(k_count, 0);
  for (int call = 0; call < k_calls; ++call) {
    const int expected = value_of(0, (size_t)call, 1);
    numbers[k_count - 1] = g_rank == 0 ? expected : -1;
    if (call % 2 == 0) {
      MPI_Bcast(numbers, k_count, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Ibcast(numbers, k_count, MPI_INT, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK(numbers[k_count - 1] == expected, "call %d", call);
  }
  if (g_rank == 0) printf("threads=%d second_network=%d\n", threads_of_tutti(), has_second_network());
  free(numbers);
  return check_finish("opened");
}
