#pragma once
// What stands in front of every message between containers.

#include <cstdint>

#include "actors/container/team.hpp"
#include "actors/messages/envelope.hpp"

namespace tutti::actors {

struct Head {
  enum class Kind : uint8_t {
    eager,      // the data follows
    announced,  // a long message, or a synchronous one: its data waits for the answer
    wanted,     // the answer: the data may come, as many bytes as the head says, with its tag
  };
  Kind kind = Kind::eager;
  int32_t rank = -1;  // for whom, in MPI_COMM_WORLD; -1: the team
  TeamKey team = 0;
  Envelope envelope = {};
  uint64_t bytes = 0;
  uint64_t number = 0;  // by which the sender knows an announced message
  int32_t data_tag = 0;
};

}  // namespace tutti::actors
