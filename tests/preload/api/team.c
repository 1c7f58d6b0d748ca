// The hints by which the OpenMP team is one smaller while a collective is under way. This program has an
// OpenMP run-time of its own, as far as Tutti can see.
#include <tutti/tutti.h>

#include "../c/check.h"

static int g_team = 1;

int omp_get_max_threads(void) {
  return g_team;
}

void omp_set_num_threads(int count) {
  g_team = count;
}

enum { k_threads = 4, k_count = 1000 };

static int threads_under_way(tutti_request* first, tutti_request* second) {
  tutti_start(first);
  tutti_start(second);
  const int threads = omp_get_max_threads();
  tutti_wait(first);
  CHECK(omp_get_max_threads() == threads, "one of two is still under way");
  tutti_wait(second);
  CHECK(omp_get_max_threads() == k_threads, "the team is back: %d threads", omp_get_max_threads());
  return threads;
}

static void with_hints(const char* progress, const char* openmp_threads, int expected) {
  int mine[k_count] = {0}, sums[2][k_count];
  tutti_request requests[2];
  tutti_hint("progress", progress);
  tutti_hint("openmp_threads", openmp_threads);
  for (int i = 0; i < 2; ++i)
    tutti_allreduce_init(mine, sums[i], k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
  const int threads = threads_under_way(&requests[0], &requests[1]);
  CHECK(threads == expected, "%s, %s: %d threads instead of %d", progress, openmp_threads, threads, expected);
  for (int i = 0; i < 2; ++i) tutti_request_free(&requests[i]);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  tutti_init();
  omp_set_num_threads(k_threads);
  with_hints("auto", "fixed", k_threads);
  with_hints("thread_spare", "fixed", k_threads);
  with_hints("thread_shared", "may_change", k_threads);
  with_hints("thread_spare", "may_change", k_threads - 1);
  tutti_hint("progress", "thread_spare");
  tutti_hint("openmp_threads", "may_change");
  omp_set_num_threads(1);
  tutti_request request;
  tutti_barrier_init(MPI_COMM_WORLD, &request);
  tutti_start(&request);
  CHECK(omp_get_max_threads() == 1, "one thread is not lent");
  tutti_wait(&request);
  tutti_request_free(&request);
  tutti_finalize();
  return check_finish("team");
}
