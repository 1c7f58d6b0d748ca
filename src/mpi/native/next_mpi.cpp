#include "mpi/native/next_mpi.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "base/standard_error.hpp"

namespace tutti::mpi {

namespace {

struct Definition {
  const void* module = nullptr;
  std::string_view file;
};

Definition definition_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0) return {};
  return {info.dli_fbase, info.dli_fname};
}

/// True for another build of Tutti, if both are preloaded.
bool is_tutti(std::string_view file) {
  const size_t slash = file.rfind('/');
  return file.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with("libtutti");
}

std::atomic<Between> between{nullptr};

}  // namespace

void stand_between(Between what) {
  between.store(what, std::memory_order_release);
}

void* with_what_stands_between(const char* name, void* next) {
  const Between what = between.load(std::memory_order_acquire);
  return what == nullptr || next == nullptr ? next : what(name, next);
}

void* tools_function(const char* name, const void* native) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next == nullptr) return nullptr;
  const Definition its = definition_of(next);
  const bool is_the_mpis = its.module == definition_of(native).module;
  return its.module == nullptr || is_the_mpis || is_tutti(its.file) ? nullptr : next;
}

int refuse_missing_function(const char* name) {
  base::log("the program calls " + std::string(name) + ", which its MPI does not have");
  int is_initialised = 0, is_finalised = 0;
  PMPI_Initialized(&is_initialised);
  PMPI_Finalized(&is_finalised);
  if (is_initialised != 0 && is_finalised == 0)
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_UNSUPPORTED_OPERATION);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

std::vector<std::string> tools_behind() {
  struct NativeFunction {
    const char* name;
    const void* native;
  };
  const NativeFunction native_functions[] = {
      {"MPI_Init", reinterpret_cast<const void*>(PMPI_Init)},
      {"MPI_Finalize", reinterpret_cast<const void*>(PMPI_Finalize)},
      {"MPI_Barrier", reinterpret_cast<const void*>(PMPI_Barrier)},
      {"MPI_Allreduce", reinterpret_cast<const void*>(PMPI_Allreduce)},
      {"MPI_Send", reinterpret_cast<const void*>(PMPI_Send)},
      {"MPI_File_open", reinterpret_cast<const void*>(PMPI_File_open)}};
  std::vector<std::string> files;
  for (const auto& [name, native] : native_functions) {
    const void* const function = tools_function(name, native);
    const std::string file(function == nullptr ? std::string_view() : definition_of(function).file);
    if (!file.empty() && std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

}  // namespace tutti::mpi
