#include "command/tool_chain.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tutti::command {

namespace {

/// Whether the library itself defines the function, not one of its dependencies.
bool defines(void* library, const char* function) {
  const link_map* loaded = nullptr;
  Dl_info info{};
  const void* const address = dlsym(library, function);
  return address != nullptr && dladdr(address, &info) != 0 &&
         dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&loaded)) == 0 &&
         std::string_view(info.dli_fname) == loaded->l_name;
}

bool is_tool(const std::string& name) {
  if (std::filesystem::path(name).filename().string().starts_with("libtutti")) return false;
  // The library is already loaded in this process, as in all child processes.
  void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  constexpr const char* k_usual[] = {"MPI_Init",      "MPI_Init_thread", "MPI_Finalize", "MPI_Barrier",
                                     "MPI_Allreduce", "MPI_Send",        "MPI_File_open"};
  const bool stands_in_front =
      std::ranges::any_of(k_usual, [&](const char* function) { return defines(library, function); });
  dlclose(library);
  return stands_in_front;
}

}  // namespace

std::vector<std::string> preloaded_tools() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  std::string words(preloaded == nullptr ? "" : preloaded);
  std::ranges::replace(words, ':', ' ');
  std::vector<std::string> tools;
  std::istringstream stream(words);
  for (std::string word; stream >> word;)
    if (is_tool(word)) tools.push_back(word);
  return tools;
}

}  // namespace tutti::command
