#include "record/modules.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace tutti::record {

namespace {

/// In the dynamic linker's list the program itself has an empty name, and other names may be relative.
std::string full_path(const char* name) {
  std::error_code error;
  if (name == nullptr || *name == '\0')
    return std::filesystem::read_symlink("/proc/self/exe", error).string();
  const auto path = std::filesystem::absolute(name, error);
  return error ? name : path.string();
}

}  // namespace

CodeLocation Modules::place_of(const void* address) const {
  Dl_info info{};
  link_map* map = nullptr;
  if (address == nullptr || dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return {};
  const char* const listed = map == nullptr ? info.dli_fname : map->l_name;
  const bool is_program = listed != nullptr && *listed != '\0' && listed == program_.listed;
  return {.module = is_program ? program_.file : full_path(listed),
          .function = info.dli_sname == nullptr ? "" : info.dli_sname,
          .offset = reinterpret_cast<uintptr_t>(address) - (map == nullptr ? 0 : map->l_addr)};
}

uint32_t Modules::number_of(const void* address) {
  const auto [found, is_new] = numbers_.try_emplace(address, static_cast<uint32_t>(places_.size()));
  if (is_new)
    places_.push_back(place_of(address == nullptr ? nullptr : static_cast<const char*>(address) - 1));
  return found->second;
}

}  // namespace tutti::record
