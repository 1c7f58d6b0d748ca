// An allocator of the program's own stands in front of the C library's, and in front of a preloaded library: blocks are
// its alone, and none else may be asked about them (docs/overlap.md).

#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { k_align = 64, k_block = 300000, k_late_us = 10000, k_rounds = 4 };

/// Lies in front of a block, which begins where another allocator looks for its own notes.
struct Header {
  size_t bytes;
  size_t mapped_bytes;
  void* mapping;
  char garbage[k_align - 24];
};

static size_t rounded(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Compilers know what malloc() is, and that nothing lies in front of a block.
__attribute__((noinline)) static struct Header* header_of(void* block) {
  return (struct Header*)((char*)block - sizeof(struct Header));
}

static void* make(size_t alignment, size_t bytes) {
  const size_t align = alignment < k_align ? k_align : alignment;
  const size_t all = rounded(bytes + sizeof(struct Header) + align, 4096);
  char* const mapping = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return NULL;
  char* const block = (char*)rounded((size_t)mapping + sizeof(struct Header), align);
  *header_of(block) = (struct Header){.bytes = bytes, .mapped_bytes = all, .mapping = mapping};
  memset(header_of(block)->garbage, 0x55, sizeof header_of(block)->garbage);
  return block;
}

void* malloc(size_t bytes) {
  return make(k_align, bytes);
}
void* calloc(size_t count, size_t bytes) {
  return make(k_align, count * bytes);  // of fresh pages
}
void free(void* block) {
  if (block != NULL) munmap(header_of(block)->mapping, header_of(block)->mapped_bytes);
}
void* realloc(void* block, size_t bytes) {
  void* const grown = make(k_align, bytes);
  if (block == NULL || grown == NULL) return grown;
  const size_t kept = header_of(block)->bytes < bytes ? header_of(block)->bytes : bytes;
  memcpy(grown, block, kept);
  free(block);
  return grown;
}
void* memalign(size_t alignment, size_t bytes) {
  return make(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return make(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = make(alignment, bytes);
  return *block == NULL ? ENOMEM : 0;
}

size_t malloc_usable_size(void* block) {
  return block == NULL ? 0 : header_of(block)->bytes;
}

static unsigned char pattern(int round, size_t i) {
  return (unsigned char)(round * 31 + (int)(i * 7));
}

static bool is_right(const unsigned char* data, int round) {
  for (size_t i = 0; i < k_block; ++i)
    if (data[i] != pattern(round, i)) return false;
  return true;
}

static unsigned char* received(int round) {
  unsigned char* const data = allocate(k_block);
  if (g_rank == 0) {
    for (size_t i = 0; i < k_block; ++i) data[i] = pattern(round, i);
    usleep(k_late_us);
  }
  MPI_Bcast(data, k_block, MPI_BYTE, 0, MPI_COMM_WORLD);
  return data;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int round = 0; round < k_rounds; ++round) {
    unsigned char* data = reallocarray(received(round), 3, k_block);
    CHECK(data != NULL && is_right(data, round), "grown by reallocarray");
    free(data);
    data = realloc(received(round), 2 * k_block);
    CHECK(data != NULL && is_right(data, round), "grown by realloc");
    free(data);
    free(received(round));
  }
  return check_finish("early_allocator");
}
