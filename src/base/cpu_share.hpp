#pragma once
// What a waiting thread has of the machine's processing units (topology/cpu_shares.hpp decides).

#include <cstdint>
#include <string_view>

namespace tutti::base {

enum class CpuShare : uint8_t {
  own,      // a core, with all its hardware threads, for each thread of the process
  crowded,  // a hardware thread at least: its core, or itself, also serves threads that may compute meanwhile
  shared,   // less: a thread that polls takes time from ranks, and perhaps from the one that it waits for
};

constexpr std::string_view to_string(CpuShare share) {
  switch (share) {
    case CpuShare::own:
      return "own";
    case CpuShare::crowded:
      return "crowded";
    case CpuShare::shared:
      break;
  }
  return "shared";
}

}  // namespace tutti::base
