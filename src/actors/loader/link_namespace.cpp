#include "actors/loader/link_namespace.hpp"

#include <dlfcn.h>
#include <link.h>

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

Status loader_error() {
  const char* const why = dlerror();
  return Status::not_supported(why != nullptr ? why : "the loader does not say why");
}

}  // namespace

/// All that is undefined is found now: no rank ends because a symbol is missing in the middle.
Result<uint64_t> load_in_namespace(const std::string& file_name) {
  void* const handle = dlmopen(LM_ID_NEWLM, file_name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return loader_error();
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return loader_error();
  return map->l_addr;
}

}  // namespace tutti::actors
