#pragma once
// The required part of the PMIx ABI, stable in the PMIx standard since version 3, so that neither the build nor the
// library needs PMIx. A unit test compares it with <pmix.h> if that is installed.

#include <cstddef>
#include <cstdint>

namespace tutti::mpi::pmix {

struct Process {
  char name_space[256];
  uint32_t rank;
};

struct Value {
  uint16_t type;
  union {
    bool flag;
    char* string;
    struct {
      char* name;
      char* value;
      char separator;
    } largest;
  };
};

struct Info {
  char key[512];
  uint32_t flags;
  Value value;
};

/// A key to look up; receives the value and the process that published it.
struct Lookup {
  Process process;
  char key[512];
  Value value;
};

constexpr int k_success = 0;
constexpr int k_not_found = -46;
constexpr int k_not_supported = -47;
constexpr uint8_t k_global = 3;  // a scope
constexpr uint16_t k_bool = 1;   // types
constexpr uint16_t k_string = 3;
constexpr const char* k_library = "libpmix.so.2";
constexpr const char* k_immediate = "pmix.immediate";

using GetVersion = const char*();
using Init = int(Process* self, Info* info, size_t info_count);
using Put = int(uint8_t scope, const char* key, Value* value);
using Get = int(const Process* process, const char* key, const Info* info, size_t info_count, Value** value);
using Publish = int(const Info* info, size_t info_count);
using LookUp = int(Lookup* lookups, size_t lookup_count, const Info* info, size_t info_count);
using Finalize = int(const Info* info, size_t info_count);

}  // namespace tutti::mpi::pmix
