// A random program of legal MPI calls, on ranks that are late now and then.
//
//     torture --seed N [--operations N] [--keep 3,17-20] [--kinds 0,4] [--naps PERMILLE] [--threads LEVEL] [--verbose]
//
// Prints one line with a number that stands for all results; another run of the same seed prints the same, whatever
// the time does. A wrong result, a call that fails or a plan that cannot be ends the job. SIGUSR2 makes a rank say on
// stderr what it does.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "calls.hpp"
#include "plan.hpp"
#include "process.hpp"

namespace torture {
namespace {

struct Arguments {
  Choice choice;
  Conduct conduct;
  int thread_level = -1;
};

[[noreturn]] void refuse(std::string_view option) {
  std::fprintf(stderr, "torture: '%.*s' is no option, or has no such value\n",
               static_cast<int>(option.size()), option.data());
  std::exit(2);
}

template <typename T>
T number(std::string_view text) {
  T value{};
  const auto end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, value); error != std::errc{} || at != end)
    refuse(text);
  return value;
}

/// Numbers and ranges of numbers, like 3,17-20.
template <typename Visit>
void for_each_in(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    const size_t dash = word.find('-');
    const int first = number<int>(word.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : number<int>(word.substr(dash + 1));
    for (int i = first; i <= last; ++i) visit(i);
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--verbose") {
      arguments.conduct.is_verbose = true;
      continue;
    }
    if (++i == argc) refuse(option);
    const std::string_view value = argv[i];
    if (option == "--seed") {
      arguments.choice.seed = number<uint64_t>(value);
    } else if (option == "--operations") {
      arguments.choice.operations = number<int>(value);
    } else if (option == "--keep") {
      for_each_in(value, [&](int id) { arguments.choice.keep.insert(id); });
    } else if (option == "--kinds") {
      for_each_in(value, [&](int kind) { arguments.choice.kinds.insert(static_cast<Kind>(kind)); });
    } else if (option == "--naps") {
      arguments.conduct.nap_permille = number<int>(value);
    } else if (option == "--threads") {
      arguments.thread_level = number<int>(value);
    } else {
      refuse(option);
    }
  }
  arguments.conduct.seed = arguments.choice.seed;
  return arguments;
}

int g_rank = 0;

void say_what_it_does(int) {
  std::array<char, 300> text;
  const int length =
      std::snprintf(text.data(), text.size(), "rank %d is at operation %d: %.200s\n", g_rank,
                    torture_doing.operation, torture_doing.call == nullptr ? "" : torture_doing.call);
  static_cast<void>(!write(STDERR_FILENO, text.data(), static_cast<size_t>(length)));
}

/// Without --threads, the seed chooses between MPI_Init and the thread levels of MPI_Init_thread.
void start_mpi(int* argc, char*** argv, const Arguments& arguments) {
  constexpr std::array levels = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
  int level = arguments.thread_level, provided = 0;
  if (level < 0) level = Random(mix(arguments.choice.seed, 99)).below(6) - 2;
  if (level < 0) {
    MPI_Init(argc, argv);
  } else {
    MPI_Init_thread(argc, argv, levels[static_cast<size_t>(std::min(level, 3))], &provided);
  }
}

int run(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  start_mpi(&argc, &argv, arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &arguments.choice.ranks);
  std::signal(SIGUSR2, say_what_it_does);
  const Plan plan(arguments.choice);
  Process process(plan, arguments.conduct, g_rank);
  unsigned long digest = process.run();
  // Uses messages, so that a defect of the tested collectives cannot look like a result.
  if (g_rank != 0) {
    MPI_Send(&digest, 1, MPI_UNSIGNED_LONG, 0, 32001, MPI_COMM_WORLD);
  } else {
    for (int rank = 1; rank < arguments.choice.ranks; ++rank) {
      unsigned long other = 0;
      MPI_Recv(&other, 1, MPI_UNSIGNED_LONG, rank, 32001, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      digest = mix(digest, other);
    }
    std::printf("%zu operations, digest %016lx\n", plan.operations().size(), digest);
  }
  torture_doing.operation = 1'000'001;
  nap();
  torture_doing.call = "MPI_Finalize()";
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace torture

int main(int argc, char** argv) {
  return torture::run(argc, argv);
}
