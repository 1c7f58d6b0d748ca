#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { k_margin_bytes = 64, k_canary = 0xa5, k_row = k_most_elements };

static void set(Layout* layout, const char* name, MPI_Datatype type, const ptrdiff_t* units,
                ptrdiff_t extent) {
  layout->name = name;
  layout->type = type;
  for (int i = 0; i < k_units; ++i) layout->offsets[i] = units[i] * (ptrdiff_t)layout->unit_bytes;
  layout->extent = extent * (ptrdiff_t)layout->unit_bytes;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype result;
  MPI_Type_create_resized(type, lower_bound, extent, &result);
  MPI_Type_free(&type);
  return result;
}

static void make_contiguous(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  MPI_Type_contiguous(k_units, unit, &type);
  set(layout, "contiguous", type, (ptrdiff_t[]){0, 1, 2, 3, 4, 5}, 6);
}

static void make_vector(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  MPI_Type_vector(3, 2, 3, unit, &type);
  set(layout, "vector", type, (ptrdiff_t[]){0, 1, 3, 4, 6, 7}, 8);
}

// Items in descending order with gaps, below and above the element's address.
static void make_backwards(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  int displacements[k_units] = {7, 5, 4, 1, -1, -3};
  MPI_Type_create_indexed_block(k_units, 1, displacements, unit, &type);
  set(layout, "backwards", type, (ptrdiff_t[]){7, 5, 4, 1, -1, -3}, 11);
}

// Lower bound -5 and an extent of 13 items: neither is where the data begins or ends.
static void make_negative_bound(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  const MPI_Aint bytes = (MPI_Aint)layout->unit_bytes;
  MPI_Type_vector(2, 3, 4, unit, &type);
  type = resized(type, -5 * bytes, 13 * bytes);
  set(layout, "negative bound", type, (ptrdiff_t[]){0, 1, 2, 4, 5, 6}, 13);
}

// A column of a matrix: elements are woven into each other one item apart.
static void make_column(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  MPI_Type_vector(k_units, 1, k_row, unit, &type);
  type = resized(type, 0, (MPI_Aint)layout->unit_bytes);
  set(layout, "column", type, (ptrdiff_t[]){0, k_row, 2 * k_row, 3 * k_row, 4 * k_row, 5 * k_row}, 1);
}

// Each element lies below the one before.
static void make_negative_extent(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  MPI_Type_contiguous(k_units, unit, &type);
  type = resized(type, 0, -7 * (MPI_Aint)layout->unit_bytes);
  set(layout, "negative extent", type, (ptrdiff_t[]){0, 1, 2, 3, 4, 5}, -7);
}

// A structure with an empty block inside and a nested type.
static void make_struct(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype pair;
  MPI_Datatype type;
  const MPI_Aint bytes = (MPI_Aint)layout->unit_bytes;
  MPI_Type_vector(2, 1, 2, unit, &pair);  // items 0 and 2, extent 3
  int lengths[3] = {1, 0, 2};
  MPI_Aint displacements[3] = {2 * bytes, 90 * bytes, 6 * bytes};
  MPI_Datatype types[3] = {pair, unit, pair};
  MPI_Type_create_struct(3, lengths, displacements, types, &type);
  MPI_Type_free(&pair);
  type = resized(type, 0, 15 * bytes);
  set(layout, "struct", type, (ptrdiff_t[]){2, 4, 6, 8, 9, 11}, 15);
}

// A 2 x 3 corner of a 4 x 5 array.
static void make_subarray(Layout* layout, MPI_Datatype unit) {
  MPI_Datatype type;
  int sizes[2] = {4, 5};
  int parts[2] = {2, 3};
  int starts[2] = {1, 2};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, unit, &type);
  set(layout, "subarray", type, (ptrdiff_t[]){7, 8, 9, 12, 13, 14}, 20);
}

Layout* layouts_make(MPI_Datatype unit, bool negative_extents, int* layout_count) {
  static void (*const k_makers[])(Layout*, MPI_Datatype) = {
      make_contiguous, make_vector, make_backwards, make_negative_bound,
      make_column,     make_struct, make_subarray,  make_negative_extent};
  *layout_count = (int)(sizeof k_makers / sizeof k_makers[0]) - (negative_extents ? 0 : 1);
  Layout* layouts = allocate((size_t)*layout_count * sizeof *layouts);
  for (int i = 0; i < *layout_count; ++i) {
    layouts[i].unit_bytes = unit == MPI_CHAR ? 1 : 4;
    k_makers[i](&layouts[i], unit);
    MPI_Type_commit(&layouts[i].type);
  }
  return layouts;
}

void layouts_free(Layout* layouts, int layout_count) {
  for (int i = 0; i < layout_count; ++i) MPI_Type_free(&layouts[i].type);
  free(layouts);
}

Buffer buffer_make(const Layout* layout, size_t element_count) {
  ptrdiff_t low = 0;
  ptrdiff_t high = 0;
  const ptrdiff_t last = element_count > 0 ? (ptrdiff_t)(element_count - 1) * layout->extent : 0;
  for (int i = 0; i < k_units; ++i) {
    const ptrdiff_t first_item = layout->offsets[i] + (last < 0 ? last : 0);
    const ptrdiff_t last_item = layout->offsets[i] + (last > 0 ? last : 0) + (ptrdiff_t)layout->unit_bytes;
    if (first_item < low) low = first_item;
    if (last_item > high) high = last_item;
  }
  Buffer buffer;
  buffer.layout = layout;
  buffer.bytes = (size_t)(high - low) + 2 * k_margin_bytes;
  buffer.memory = allocate(buffer.bytes);
  memset(buffer.memory, k_canary, buffer.bytes);
  // Keeps the origin aligned for the unit.
  buffer.origin = buffer.memory + k_margin_bytes + (-low + 3) / 4 * 4;
  return buffer;
}

void buffer_free(Buffer* buffer) {
  free(buffer->memory);
}

void* buffer_at(const Buffer* buffer, size_t element) {
  return buffer->origin + (ptrdiff_t)element * buffer->layout->extent;
}

void buffer_put(Buffer* buffer, size_t element, int rank, size_t index, unsigned salt) {
  char* base = buffer_at(buffer, element);
  for (int i = 0; i < k_units; ++i) {
    const int32_t value = value_of(rank, index * k_units + (size_t)i, salt);
    memcpy(base + buffer->layout->offsets[i], &value, buffer->layout->unit_bytes);
  }
}

bool buffer_equal(const Buffer* a, const Buffer* b) {
  return a->bytes == b->bytes && memcmp(a->memory, b->memory, a->bytes) == 0;
}
