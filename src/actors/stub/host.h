#pragma once
// Access of the stub library to the container. Loaded once for each rank, with that rank's variables.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "call_table.h"

#define EXPORTED __attribute__((visibility("default")))

/// The first members of tutti::actors::GuestHost.
struct tutti_host {
  const void* calls;
  void* rank;
  const void** caller;
};

/// Defined by the guest, the first library of every rank.
extern const struct tutti_host* tutti_guest_host(void);

static const struct tutti_host* host;

static inline const struct tutti_calls* calls(void) {
  if (host == NULL) host = tutti_guest_host();
  return (const struct tutti_calls*)host->calls;
}

/// Call before a collective, with the address to which its entry point returns.
static inline void called_from(const void* address) {
  calls();
  *host->caller = address;
}

static inline void* own_rank(void) {
  calls();
  return host->rank;
}

/// For calls that ranks as threads do not support: ends the job. The first rank of a container does; the others wait.
static _Noreturn inline void uncovered(const char* name) {
  const struct timespec until_said = {.tv_sec = 0, .tv_nsec = 200000000};  // launchers may drop the end
  while (!calls()->begins_refusal()) pause();
  fprintf(stderr, "tutti: ranks as threads do not have %s (run the program without --actors)\n", name);
  nanosleep(&until_said, NULL);
  const struct tutti_calls* table = calls();
  table->Abort(host->rank, MPI_COMM_WORLD, 1);
  abort();
}
