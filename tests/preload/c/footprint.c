#include "footprint.h"

#include "check.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum { k_more_mappings = 60, k_more_mapped = 32 << 20, k_more_heap = 1 << 20 };

Footprint footprint(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct mallinfo2 heap = mallinfo2();
  Footprint found = {.heap_bytes = heap.uordblks + heap.hblkhd};
  FILE* const maps = fopen("/proc/self/maps", "r");
  unsigned long begin = 0, end = 0;
  for (char line[512]; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
    if (sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    ++found.mappings;
    found.mapped_bytes += end - begin;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

void check_footprint(Footprint before, Footprint after) {
  CHECK(after.mappings <= before.mappings + k_more_mappings, "%zu mappings, then %zu", before.mappings,
        after.mappings);
  CHECK(after.mapped_bytes <= before.mapped_bytes + k_more_mapped, "%zu bytes of address space, then %zu",
        before.mapped_bytes, after.mapped_bytes);
  CHECK(after.heap_bytes <= before.heap_bytes + k_more_heap, "%zu bytes of heap, then %zu", before.heap_bytes,
        after.heap_bytes);
}
