#pragma once
// Messages between two ranks (MPI 4.0, chapter 3).

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/calls/communicator.hpp"
#include "actors/calls/request.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::actors {

/// The data of a message: the program's buffer if it is dense, otherwise a packed copy.
class MessageData {
 public:
  /// Returns an error class or MPI_SUCCESS.
  int bind(const void* address, int64_t count, MPI_Datatype type, bool is_kept);
  ~MessageData();
  std::span<std::byte> bytes() { return {data_, bytes_}; }
  int load();
  /// Stores the first `bytes` of a received message.
  int store(uint64_t bytes);

 private:
  void* address_ = nullptr;
  int64_t count_ = 0;
  mpi::Type type_;
  bool is_own_type_ = false, is_packed_ = false;
  std::vector<std::byte> packed_;
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

enum class SendKind : uint8_t { standard, synchronous, ready, buffered };

struct MessageArguments {
  const void* address = nullptr;
  int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = MPI_PROC_NULL;
  int tag = 0;
};

class SendRequest final : public Request {
 public:
  SendRequest(Rank& owner, Communicator& communicator, SendKind kind)
      : Request(owner, &communicator), kind_(kind) {}
  /// Call before bind().
  void set_traffic(Traffic traffic) { traffic_ = traffic; }
  /// Returns an error class. `is_kept`: started later, or repeatedly.
  int bind(const MessageArguments& arguments, bool is_kept);
  int start() override;
  bool is_done() const override { return operation_.is_done(); }
  int finish(MPI_Status* status) override;
  std::vector<int> awaited_peers() const override { return {peer_}; }

 private:
  SendKind kind_;
  Traffic traffic_ = Traffic::point_to_point;
  int peer_ = MPI_PROC_NULL, tag_ = 0;
  MessageData data_;
  SendOperation operation_;
};

class ReceiveRequest final : public Request {
 public:
  ReceiveRequest(Rank& owner, Communicator& communicator) : Request(owner, &communicator) {}
  void set_traffic(Traffic traffic) { traffic_ = traffic; }
  int bind(const MessageArguments& arguments, bool is_kept);
  int start() override;
  /// Receives a message that was taken by a matched probe.
  void start(std::unique_ptr<TakenMessage> message);
  bool is_done() const override { return operation_.is_done(); }
  int finish(MPI_Status* status) override;
  void cancel() override;
  std::vector<int> awaited_peers() const override;

 private:
  Traffic traffic_ = Traffic::point_to_point;
  int peer_ = MPI_PROC_NULL, tag_ = 0;
  bool is_from_nobody_ = false;
  MessageData data_;
  ReceiveOperation operation_;
};

/// Fills a status from a received message.
void describe(const Delivery& delivery, MPI_Status* status);
/// The matching pattern of receives and probes.
Pattern pattern_of(const Communicator& communicator, int source, int tag,
                   Traffic traffic = Traffic::point_to_point);
/// MPI_SUCCESS, or the error class of the arguments.
int check_source(const Communicator& communicator, int source, int tag);

}  // namespace tutti::actors
