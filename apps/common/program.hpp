// The frame of a sample program: MPI_Init, options, the work, MPI_Finalize.
#pragma once

#include "options.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <span>

namespace apps {

// Runs `work(verify)` on every rank once the options are parsed, and returns the exit status of the process:
// that of `work`, 0 after --help, 2 after an error in the options. Exhausted memory ends the whole job with
// one line and status 3.
template <class Work>
int run_program(const char* name, std::span<const Option> options, int argc, char** argv, Work&& work) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  OptionParser parser(name, options);
  int status = 0;
  switch (parser.parse({argv, static_cast<std::size_t>(argc)})) {
    case ParseOutcome::show_help:
      if (rank == 0) parser.print_help(stdout);
      break;
    case ParseOutcome::mistake:
      if (rank == 0) std::fprintf(stderr, "%s\n", parser.mistake().c_str());
      status = 2;
      break;
    case ParseOutcome::run:
      try {
        status = work(parser.verify());
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: rank %d cannot go on: %s; try a smaller size\n", name, rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 3);
      }
      break;
  }
  MPI_Finalize();
  return status;
}

}  // namespace apps
