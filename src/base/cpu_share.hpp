#pragma once
// Share of the machine's processing units that a waiting thread has (decided in topology/cpu_shares.hpp).

#include <cstdint>
#include <string_view>

namespace tutti::base {

enum class CpuShare : uint8_t {
  own,      // a core, with all its hardware threads, for each thread of the process
  crowded,  // at least a hardware thread, but it or its core also serves threads that may compute meanwhile
  shared,   // less: polling takes time from ranks, possibly from the one that is waited for
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
