// Measures the memory of a process, to detect leaks of calls.

#pragma once

#include <stddef.h>

typedef struct {
  size_t mappings, writable_bytes, heap_bytes;
} Footprint;

/// Call it when no operation is pending. Collective over MPI_COMM_WORLD.
Footprint footprint(void);

/// Checks that a hundred or more calls between the two have leaked nothing. Prepared schedules are kept up to
/// TUTTI_PLAN_CACHE, which has to be small.
void check_footprint(Footprint before, Footprint after);
