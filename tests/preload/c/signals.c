// The signal settings of a program from before MPI_Init stay in effect: its handlers stay, and a signal that it has
// blocked stays pending until it is accepted. Its thread has the same signal stack as natively.
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void handler(int number) {
  (void)number;
  _exit(3);
}

static const int k_signals[] = {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGUSR2};
enum { k_signal_count = sizeof k_signals / sizeof k_signals[0], k_count = 20000 };

int main(int argc, char** argv) {
  sigset_t usr2;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  for (int i = 0; i < k_signal_count; ++i) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(k_signals[i], &action, NULL);
  }
  sigprocmask(SIG_BLOCK, &usr2, NULL);
  check_init(&argc, &argv);
  int* sums = allocate_ints(k_count, 0);
  int* ones = allocate_ints(k_count, 1);
  MPI_Request request;
  MPI_Iallreduce(ones, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 20; ++i) {
    const struct timespec patience = {10, 0};
    kill(getpid(), SIGUSR2);
    CHECK(sigtimedwait(&usr2, NULL, &patience) == SIGUSR2, "signal %d is taken by who asks for it", i);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sums[k_count - 1] == g_size, "sum %d", sums[k_count - 1]);
  for (int i = 0; i < k_signal_count; ++i) {
    struct sigaction action;
    sigaction(k_signals[i], NULL, &action);
    CHECK(action.sa_handler == handler, "the handler of signal %d", k_signals[i]);
  }
  stack_t stack;
  sigaltstack(NULL, &stack);
  if (g_rank == 0) printf("a stack for signals: %s\n", stack.ss_flags & SS_DISABLE ? "no" : "yes");
  free(ones);
  free(sums);
  return check_finish("signals");
}
