#pragma once
// The notification of a container to the process that the launcher started for a rank.

#include <cstdint>

namespace tutti::actors {

struct ContainerNotice {
  enum class Kind : uint8_t {
    finalised,  // all ranks of the container are done with MPI
    ended,      // the program has ended with this status
    killed,     // the program was killed by this signal
  };
  Kind kind = Kind::ended;
  int32_t value = 0;
};

}  // namespace tutti::actors
