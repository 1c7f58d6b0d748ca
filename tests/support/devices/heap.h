// Device memory for tests: the processor faults at its addresses, and reaches the same bytes at others, as the engines
// of a device would. One heap for all the drivers that stand in for real ones in a process. Any thread.
#ifndef TUTTI_TEST_DEVICE_HEAP_H
#define TUTTI_TEST_DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

enum device_memory {
  k_device_memory,   // the processor cannot touch it
  k_pool_memory,     // the same, of no context of CUDA's
  k_managed_memory,  // the processor may touch it
  k_host_memory,     // the driver's, in the host
};

struct device_block {
  char *begin, *shadow;  // where the program sees it, and where its bytes can be reached
  size_t bytes;
  const char* driver;
  enum device_memory memory;
};

/// The address that the program wants for this thread's next block, which must be free; NULL: any.
extern __thread void* device_heap_place;

/// NULL: no memory. `driver`: one of the names below, of static storage.
void* device_heap_take(const char* driver, enum device_memory memory, size_t bytes);
/// false: no such block. Its addresses may be given out again, also by mmap().
bool device_heap_give_back(void* address);
/// The block of that driver (NULL: of any) that holds the address; false: there is none. Copied, since another thread
/// may give it back.
bool device_heap_find(const char* driver, const void* address, struct device_block* block);
/// The address at which the processor can access the data of `address`: the address itself if it is not device
/// memory.
void* device_heap_shadow(const void* address);

/// CUDA's current context of this thread.
extern __thread void* device_heap_context;

#endif
