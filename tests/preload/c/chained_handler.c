// Handlers of SIGTERM that a program installs after MPI_Init, as frameworks do: each calls the one that was there
// before, if there was one, and goes on.
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t g_seen;
static struct sigaction g_before;
static void (*g_before_signal)(int);

static void chain(int number) {
  ++g_seen;
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) g_before.sa_handler(number);
}

static void chain_signal(int number) {
  ++g_seen;
  if (g_before_signal != SIG_DFL && g_before_signal != SIG_IGN && g_before_signal != SIG_ERR)
    g_before_signal(number);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const bool by_signal = argc > 1 && strcmp(argv[1], "signal") == 0;
  if (by_signal) {
    g_before_signal = signal(SIGTERM, chain_signal);
    CHECK(g_before_signal == SIG_DFL, "signal() tells of a handler that is not the program's");
  } else {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    CHECK(sigaction(SIGTERM, NULL, &action) == 0 && action.sa_handler == SIG_DFL && action.sa_flags == 0,
          "sigaction() tells of a handler that is not the program's");
    action.sa_handler = chain;
    sigaction(SIGTERM, &action, &g_before);
    CHECK(g_before.sa_handler == SIG_DFL, "sigaction() gives back a handler that is not the program's");
  }
  raise(SIGTERM);
  raise(SIGTERM);
  CHECK(g_seen == 2, "%d of 2 signals", (int)g_seen);
  return check_finish("chained_handler");
}
