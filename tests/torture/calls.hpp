#pragma once
// The program's calls of MPI: a nap before some of them, and the end of the job when a call fails.

#include <mpi.h>

#include <cstdint>
#include <string>

#include "random.hpp"

namespace torture {

/// The current operation of this rank, for SIGUSR2 or a debugger.
struct Doing {
  volatile int operation;
  const char* volatile call;
};
extern "C" Doing torture_doing;

/// Naps of this rank from here on come from this seed; `permille` stretches them.
void seed_naps(uint64_t seed, int permille);
void nap();

[[noreturn]] void fail(const std::string& what);

#define CALL(...)                                       \
  do {                                                  \
    ::torture::torture_doing.call = #__VA_ARGS__;       \
    ::torture::nap();                                   \
    ::torture::check_code((__VA_ARGS__), #__VA_ARGS__); \
    ::torture::torture_doing.call = "";                 \
  } while (false)

void check_code(int code, const char* call);

}  // namespace torture
