#include "collective/mpi/data/alias.hpp"

#include <cstdlib>

namespace tutti::mpi {

/// MPICH has a setting for programs that depend on aliases.
bool refuses_aliases() {
#ifdef OPEN_MPI
  return false;
#else
  static const bool has = [] {
    const char* value = std::getenv("MPIR_CVAR_COLL_ALIAS_CHECK");
    return value == nullptr || *value != '0';
  }();
  return has;
#endif
}

bool is_refused_alias(const UserBuffer& own, const UserBuffer& all, int64_t displacement) {
  if (own.type.handle != all.type.handle || own.count == 0 || all.count == 0) return false;
  // MPICH uses the size of the type here, not its extent.
  const int64_t offset = displacement * static_cast<int64_t>(all.type.size);
  return own.buffer == static_cast<const char*>(all.buffer) + offset && refuses_aliases();
}

bool is_refused_alias(const void* input, const Numbers& send_counts, const void* output,
                      const Numbers& receive_counts, bool are_same_types) {
  return input == output && are_same_types && send_counts.is_same_array(receive_counts) && refuses_aliases();
}

bool is_refused_alias(const UserBuffer& input, const UserBuffer& output) {
  return input.count == output.count && is_refused_alias(input, output, 0);
}

}  // namespace tutti::mpi
