#include "calls.hpp"

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace torture {

Doing torture_doing;

namespace {

Random g_random(0);
int g_permille = 1000;

void sleep_us(int64_t us) {
  us = us * g_permille / 1000;
  const timespec time{us / 1'000'000, us % 1'000'000 * 1000};
  nanosleep(&time, nullptr);
}

}  // namespace

void seed_naps(uint64_t seed, int permille) {
  g_random = Random(seed);
  g_permille = permille;
}

void nap() {
  const int kind = g_random.below(1000);
  if (g_permille == 0 || kind < 750) return;
  if (kind < 992) return sleep_us(g_random.below(3000));
  sleep_us(g_random.between(50'000, 400'000));
}

void fail(const std::string& what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "FAILED rank %d, operation %d: %s\n", rank, torture_doing.operation, what.c_str());
  std::fflush(stderr);
  sleep_us(300'000);  // for the same of other ranks
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::_Exit(3);
}

void check_code(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(std::string(call) + " returned " + text);
}

}  // namespace torture
