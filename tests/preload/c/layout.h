// Datatypes with a known map: where each basic item of an element lies, worked out without MPI.
//
// All layouts of one unit have the same type signature (k_units items of that unit), so any may be
// used at one rank to receive what another sent. A Buffer is the memory for `count` elements with a
// margin on both sides; comparing it as a whole also shows writes into gaps and margins.
#pragma once

#include "check.h"

enum {
  k_units = 6,
  k_most_elements = 1000,  // of one buffer: interleaved columns have room for so many
};

typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t unit_bytes;           // 1 for MPI_CHAR, 4 for MPI_INT
  ptrdiff_t offsets[k_units];  // bytes from the element's address, in the order of the signature
  ptrdiff_t extent;            // may be negative
} Layout;

// Makes the layouts over MPI_CHAR or MPI_INT, on request one whose elements lie in descending order.
// Free with layouts_free.
Layout* layouts_make(MPI_Datatype unit, bool negative_extents, int* layout_count);
void layouts_free(Layout* layouts, int layout_count);

typedef struct {
  char* memory;
  size_t bytes;
  char* origin;  // what the program passes to MPI
  const Layout* layout;
} Buffer;

// Gaps and margins, and items not put yet, hold a canary.
Buffer buffer_make(const Layout* layout, size_t element_count);
void buffer_free(Buffer* buffer);
// Puts the k_units items of the element: value_of(rank, index * k_units + item, salt).
void buffer_put(Buffer* buffer, size_t element, int rank, size_t index, unsigned salt);
bool buffer_equal(const Buffer* a, const Buffer* b);
// Address of an element.
void* buffer_at(const Buffer* buffer, size_t element);
