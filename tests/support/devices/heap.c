#define _GNU_SOURCE
#include "heap.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_most_blocks = 256 };

__thread void* device_heap_context;
__thread void* device_heap_place;

static struct device_block g_blocks[k_most_blocks];
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t whole_pages(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

static bool map(struct device_block* block, bool is_reachable) {
  const int memory = memfd_create("device", MFD_CLOEXEC);
  if (memory < 0) return false;
  bool good = ftruncate(memory, (off_t)block->bytes) == 0;
  if (good) {
    const int at_device = is_reachable ? PROT_READ | PROT_WRITE : PROT_NONE;
    const int fixed = device_heap_place != NULL ? MAP_FIXED_NOREPLACE : 0;
    block->begin = mmap(device_heap_place, block->bytes, at_device, MAP_SHARED | fixed, memory, 0);
    device_heap_place = NULL;
    block->shadow = mmap(NULL, block->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    good = block->begin != MAP_FAILED && block->shadow != MAP_FAILED;
  }
  close(memory);
  return good;
}

void* device_heap_take(const char* driver, enum device_memory memory, size_t bytes) {
  struct device_block block = {.bytes = whole_pages(bytes), .driver = driver, .memory = memory};
  if (!map(&block, memory == k_managed_memory || memory == k_host_memory)) return NULL;
  pthread_mutex_lock(&g_lock);
  struct device_block* free_block = NULL;
  for (size_t i = 0; free_block == NULL && i < k_most_blocks; ++i)
    if (g_blocks[i].begin == NULL) free_block = &g_blocks[i];
  if (free_block != NULL) *free_block = block;
  pthread_mutex_unlock(&g_lock);
  return free_block != NULL ? block.begin : NULL;
}

static struct device_block* find(const char* driver, const void* address) {
  const uintptr_t at = (uintptr_t)address;
  for (size_t i = 0; i < k_most_blocks; ++i) {
    struct device_block* const block = &g_blocks[i];
    if (block->begin == NULL || (driver != NULL && strcmp(driver, block->driver) != 0)) continue;
    if (at >= (uintptr_t)block->begin && at < (uintptr_t)block->begin + block->bytes) return block;
  }
  return NULL;
}

bool device_heap_give_back(void* address) {
  pthread_mutex_lock(&g_lock);
  struct device_block* const found = find(NULL, address);
  if (found != NULL) {
    munmap(found->begin, found->bytes);
    munmap(found->shadow, found->bytes);
    *found = (struct device_block){0};
  }
  pthread_mutex_unlock(&g_lock);
  return found != NULL;
}

bool device_heap_find(const char* driver, const void* address, struct device_block* block) {
  pthread_mutex_lock(&g_lock);
  const struct device_block* const found = find(driver, address);
  if (found != NULL) *block = *found;
  pthread_mutex_unlock(&g_lock);
  return found != NULL;
}

void* device_heap_shadow(const void* address) {
  struct device_block block;
  if (!device_heap_find(NULL, address, &block)) return (void*)address;
  // Like CUDA's copies: a thread without a context cannot access device memory.
  if (strcmp(block.driver, "cuda") == 0 && device_heap_context == NULL) {
    fprintf(stderr, "device memory of CUDA: the thread has no context\n");
    abort();
  }
  return block.shadow + ((const char*)address - block.begin);
}
