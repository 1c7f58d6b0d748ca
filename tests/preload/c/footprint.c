#include "footprint.h"

#include "check.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

/// A thread or a network that starts late maps some memory once.
enum { k_more_mappings = 150, k_more_writable = 64 << 20, k_more_heap = 1 << 20 };

Footprint footprint(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct mallinfo2 heap = mallinfo2();
  Footprint found = {.heap_bytes = heap.uordblks + heap.hblkhd};
  FILE* const maps = fopen("/proc/self/maps", "r");
  unsigned long begin = 0, end = 0;
  char rights[5] = "";
  for (char line[512]; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    ++found.mappings;
    if (strcmp(rights, "rw-p") == 0) found.writable_bytes += end - begin;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

void check_footprint(Footprint before, Footprint after) {
  CHECK(after.mappings <= before.mappings + k_more_mappings, "%zu mappings, then %zu", before.mappings,
        after.mappings);
  CHECK(after.writable_bytes <= before.writable_bytes + k_more_writable,
        "%zu bytes of writable memory of its own, then %zu", before.writable_bytes, after.writable_bytes);
  CHECK(after.heap_bytes <= before.heap_bytes + k_more_heap, "%zu bytes of heap, then %zu", before.heap_bytes,
        after.heap_bytes);
}
