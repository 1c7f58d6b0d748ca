#include "mpi/bootstrap/thread_level.hpp"

#include <mpi.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "mpi/native/library_version.hpp"

namespace tutti::mpi {

namespace {

constexpr int k_untold = -1;
std::atomic<int> g_told{k_untold};

#ifdef OPEN_MPI

/// OMPI_MPI_THREAD_LEVEL, interpreted as by Open MPI.
std::optional<int> level_of_environment() {
  const char* const text = std::getenv("OMPI_MPI_THREAD_LEVEL");
  if (text == nullptr) return {};
  const int level = std::atoi(text);
  return is_thread_level(level) ? level : MPI_THREAD_MULTIPLE;
}

#else

struct LevelName {
  const char* text;
  int level;
};
constexpr std::array<LevelName, 4> k_level_names = {{{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                                                     {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                                                     {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                                     {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}}};

std::optional<int> level_of_environment() {
  const char* const text = std::getenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL");
  const auto* const found = std::ranges::find_if(k_level_names, [text](const LevelName& name) {
    return text != nullptr && strcasecmp(name.text, text) == 0;
  });
  return found == k_level_names.end() ? std::optional<int>() : found->level;
}

/// With this setting MPICH has a progress thread and raises every level to MPI_THREAD_MULTIPLE. MPICH reads the oldest
/// name first, so the newest name takes precedence.
bool has_async_progress() {
  const char* last = nullptr;
  for (const char* name : {"MPICH_ASYNC_PROGRESS", "MPIR_PARAM_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS"})
    if (const char* const text = std::getenv(name)) last = text;
  if (last == nullptr) return false;
  constexpr std::array k_words = {"yes", "true", "on"};
  return std::atoi(last) != 0 ||
         std::ranges::any_of(k_words, [last](const char* word) { return strcasecmp(last, word) == 0; });
}

#endif

}  // namespace

bool is_thread_level(int level) {
  return level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE;
}

int level_of_init() {
#ifndef OPEN_MPI
  if (has_async_progress()) return MPI_THREAD_MULTIPLE;
#endif
  return level_of_environment().value_or(MPI_THREAD_SINGLE);
}

int level_of_init_thread(int required) {
#ifdef OPEN_MPI
  if (library_version().is("Open MPI", 5)) return level_of_environment().value_or(required);
#else
  if (has_async_progress()) return MPI_THREAD_MULTIPLE;
#endif
  return required;
}

int tell_level(int wanted, int granted) {
  const int told = is_thread_level(wanted) ? std::min(wanted, granted) : granted;
  g_told.store(told, std::memory_order_relaxed);
  return told;
}

int told_level(int native) {
  const int told = g_told.load(std::memory_order_relaxed);
  return told == k_untold ? native : told;
}

}  // namespace tutti::mpi
