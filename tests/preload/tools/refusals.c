// Makes checks of local data fail at random, independently on every rank (src/collective/mpi/data/local_check.hpp), as
// TUTTI_TEST_REFUSE=SEED:PERMILLE says. Preloaded beside the library.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t g_seed, g_permille;
static atomic_bool g_has_begun;
static atomic_ulong g_count;

__attribute__((constructor)) static void begin(void) {
  const char* const text = getenv("TUTTI_TEST_REFUSE");
  char* rest = NULL;
  if (text != NULL) g_seed = strtoull(text, &rest, 10);
  if (rest != NULL && *rest == ':') g_permille = strtoull(rest + 1, NULL, 10);
  g_seed += (uint64_t)getpid() * 0x9E3779B97F4A7C15u;  // different on every rank
}

static uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 32);
}

// Tutti has started: an earlier refusal would only leave all calls to the native MPI.
void tutti_test_begin_refusals(void) {
  g_has_begun = true;
}

bool tutti_test_refuses(void) {
  enum { k_all = 1000 };
  return g_permille > 0 && g_has_begun && mixed(g_seed + g_count++) % k_all < g_permille;
}
