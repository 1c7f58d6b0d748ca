// Gives each node of the virtual cluster a clock of its own: offset and drift, from its number (the digits that end its
// host name). What the test knows of them: skew(n) = 3 s * n + (1 + 20e-6 * n) * truth.
//
// Preloaded in front of the C library. CLOCK_MONOTONIC alone is skewed; nothing here sleeps until a time of it.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long g_node = -1;

static long long node(void) {
  if (g_node >= 0) return g_node;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const char* digit = name + strlen(name);
  while (digit > name && digit[-1] >= '0' && digit[-1] <= '9') --digit;
  g_node = atoll(digit);
  return g_node;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_MONOTONIC) return result;
  const long long truth = time->tv_sec * 1000000000LL + time->tv_nsec;
  const long long skewed = truth + node() * 3000000000LL + truth / 1000000 * 20 * node();
  time->tv_sec = skewed / 1000000000LL;
  time->tv_nsec = skewed % 1000000000LL;
  return 0;
}
