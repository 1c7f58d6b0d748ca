#pragma once
// One point-to-point message.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "data.hpp"
#include "plan.hpp"

namespace torture {

/// Known to both sides.
struct MessageSpec {
  int source = 0, target = 0;  // in the communicator
  int tag = 0;
  int64_t elements = 0;
  Element element = Element::int32;

  /// `first_half` is the smaller id of the operations that are its sides.
  MessageSpec(const Op& op, int first_half, int size);
};

/// One side of it.
class Message {
 public:
  Message(const MessageSpec& spec, bool is_receiver, Random& random);

  void* data() { return buffer_.data(); }
  int count() const { return static_cast<int>(layout_.count_for(spec_.elements)); }
  MPI_Datatype type() const { return layout_.type(); }
  void drop_type() { layout_.drop(); }
  const MessageSpec& spec() const { return spec_; }
  /// Ends the job when the message is not what it should be. Returns a digest.
  uint64_t check(const MPI_Status& status) const;
  uint64_t check_sent() const;

 private:
  const MessageSpec spec_;
  Layout layout_;
  std::vector<Block> blocks_;
  Buffer buffer_;
};

}  // namespace torture
