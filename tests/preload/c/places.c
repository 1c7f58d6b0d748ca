// Resources that a rank owns as a process and must keep as a thread: variables, arguments, environment, streams,
// working directory, processors, signals, and its kind of exit. The first argument selects one.
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int g_visits;
static int g_rank, g_size;

// Each rank leaves marks that others would see if they shared the resource.
static int has_own_things(void) {
  static int calls;
  char name[64], folder[64], seen[256] = "";
  g_visits += g_rank + 1;
  calls += g_rank + 1;
  snprintf(name, sizeof name, "%d", g_rank);
  setenv("PLACE", name, 1);
  snprintf(folder, sizeof folder, "/proc/self/../../tmp");
  if (g_rank % 2 == 1 && chdir(folder) != 0) return 0;
  FILE* const mine = tmpfile();
  fprintf(mine, "%d", g_rank);
  MPI_Barrier(MPI_COMM_WORLD);
  rewind(mine);
  int read_back = -1;
  if (fscanf(mine, "%d", &read_back) != 1) return 0;
  fclose(mine);
  if (getcwd(seen, sizeof seen) == NULL) return 0;
  const int is_there = strcmp(seen, "/tmp") == 0;
  return g_visits == g_rank + 1 && calls == g_rank + 1 && strcmp(getenv("PLACE"), name) == 0 &&
         read_back == g_rank && is_there == (g_rank % 2);
}

// Until the stack is at its end.
static int deep(int n) {
  volatile char room[4096];
  room[0] = (char)n;
  return n == 0 ? 0 : deep(n + 1) + room[0];
}

static volatile sig_atomic_t g_signal;
static void note_signal(int number) {
  g_signal = number;
}

// The last rank has another handler than the others.
static int has_own_handler(void) {
  if (g_rank != g_size - 1) signal(SIGFPE, note_signal);
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank != g_size - 1) raise(SIGFPE);
  MPI_Barrier(MPI_COMM_WORLD);
  const int is_own = g_rank != g_size - 1;
  return (g_signal == SIGFPE) == is_own && (signal(SIGFPE, SIG_DFL) == note_signal) == is_own;
}

// Acts like a run-time library that prints the position of the program and crashes.
static void tell_and_crash(int number) {
  static const char text[] = "a handler of the program\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
  signal(number, SIG_DFL);
  raise(number);
}

static void say_processors(void) {
  cpu_set_t set;
  char line[256];
  int length = snprintf(line, sizeof line, "rank %d may use", g_rank);
  sched_getaffinity(0, sizeof set, &set);
  for (int i = 0; i < 64; ++i)
    if (CPU_ISSET(i, &set) && length < 250)
      length += snprintf(line + length, sizeof line - (size_t)length, " %d", i);
  puts(line);
}

// Runs before main(), like libraries that give up if their environment is incomplete.
__attribute__((constructor)) static void begin(void) {
  const char* const how = getenv("PLACES_BEGIN");
  if (how == NULL) return;
  if (strcmp(how, "exit") == 0) exit(3);
  raise(SIGSEGV);
}

static int is_last(void) {
  return g_rank == g_size - 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  const char* const what = argc > 1 ? argv[1] : "things";
  if (strcmp(what, "things") == 0) {
    int good = has_own_things(), all = 0;
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (g_rank == 0) printf("%d of %d ranks have their own things\n", all, g_size);
  } else if (strcmp(what, "lines") == 0) {
    printf("out %d\n", g_rank);
    fprintf(stderr, "err %d\n", g_rank);
  } else if (strcmp(what, "crash") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_last()) raise(argc > 2 ? atoi(argv[2]) : SIGSEGV);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "handled_crash") == 0) {
    signal(SIGSEGV, tell_and_crash);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_last()) raise(SIGSEGV);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "handlers") == 0) {
    int good = has_own_handler(), all = 0;
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (g_rank == 0) printf("%d of %d ranks have their own handlers\n", all, g_size);
  } else if (strcmp(what, "processors") == 0) {
    say_processors();
  } else if (strcmp(what, "exec") == 0) {
    MPI_Finalize();
    execlp("sh", "sh", "-c", is_last() ? "exit 7" : "exit 0", (char*)NULL);
  } else if (strcmp(what, "early_exec") == 0) {
    if (is_last()) execlp("true", "true", (char*)NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "overflow") == 0) {
    if (is_last()) g_visits = deep(1);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "status") == 0) {
    MPI_Finalize();
    return is_last() ? 7 : 0;
  } else if (strcmp(what, "leave") == 0) {
    if (is_last()) exit(3);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "input") == 0) {
    char line[64] = "";
    if (g_rank == 0 && fgets(line, sizeof line, stdin) != NULL) printf("got %s", line);
  }
  MPI_Finalize();
  return 0;
}
