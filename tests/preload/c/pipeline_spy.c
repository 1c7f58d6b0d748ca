// Preloaded under Open MPI: tells when coll/base carries a broadcast out along a pipeline, which is what Open
// MPI calls a single chain. Nothing of Tutti.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int Pipeline(void* buffer, int count, void* datatype, int root, void* comm, void* module,
                     uint32_t segment_bytes);

int ompi_coll_base_bcast_intra_pipeline(void* buffer, int count, void* datatype, int root, void* comm,
                                        void* module, uint32_t segment_bytes) {
  static Pipeline* real;
  static uint32_t told_bytes;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "ompi_coll_base_bcast_intra_pipeline");
  if (real == NULL) abort();
  if (segment_bytes != told_bytes)
    fprintf(stderr, "spy: pipeline with segments of %u bytes\n", segment_bytes);
  told_bytes = segment_bytes;
  return real(buffer, count, datatype, root, comm, module, segment_bytes);
}
