// What a process has of memory, to see what calls leave behind.

#pragma once

#include <stddef.h>

typedef struct {
  size_t mappings, writable_bytes, heap_bytes;
} Footprint;

/// When nothing is on its way. Collective over MPI_COMM_WORLD.
Footprint footprint(void);

/// Between the two a hundred calls or more have left nothing behind. Prepared schedules are kept up to
/// TUTTI_PLAN_CACHE, which has to be small.
void check_footprint(Footprint before, Footprint after);
