#pragma once
// The header of every message between containers.

#include <cstdint>

#include "actors/container/container_group.hpp"
#include "actors/messages/envelope.hpp"

namespace tutti::actors {

struct Head {
  enum class Kind : uint8_t {
    eager,      // the data follow the head
    announced,  // a long or synchronous message: its data wait for the reply
    wanted,     // the reply: send the data, `bytes` bytes with tag `data_tag`
  };
  Kind kind = Kind::eager;
  int32_t rank = -1;  // destination in MPI_COMM_WORLD; -1: the group
  ContainerGroupKey group = 0;
  Envelope envelope = {};
  uint64_t bytes = 0;
  uint64_t number = 0;  // the sender's number of an announced message
  int32_t data_tag = 0;
};

}  // namespace tutti::actors
