#pragma once
// What a container tells the process that the launcher has started for a rank.

#include <cstdint>

namespace tutti::actors {

struct News {
  enum class Kind : uint8_t {
    finalised,  // the ranks of the container are done with MPI
    ended,      // the program has ended, with this status
    killed,     // by this signal
  };
  Kind kind = Kind::ended;
  int32_t value = 0;
};

}  // namespace tutti::actors
