// A send and a receive in one call (MPI 4.0, §3.10).

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/calls/point_to_point.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"
#include "calls.hpp"
#include "collective/mpi/data/staging.hpp"

namespace tutti::actors {

namespace {

class Exchange final : public Request {
 public:
  Exchange(Rank& owner, Communicator& on)
      : Request(owner, &on), sent_(owner, on, SendKind::standard), received_(owner, on) {}

  /// Returns an error class, as the functions below. `is_kept`: the call returns before this is done.
  int bind(const MessageArguments& sent, const MessageArguments& received, bool is_kept) {
    const int code = sent_.bind(sent, is_kept);
    return code == MPI_SUCCESS ? received_.bind(received, is_kept) : code;
  }
  /// Sends a copy and receives into the same buffer.
  int replace(const MessageArguments& received, int dest, int tag, bool is_kept) {
    mpi::Type type;
    if (received.count < 0) return MPI_ERR_COUNT;
    if (received.type == MPI_DATATYPE_NULL || !mpi::describe(received.type, &type)) return MPI_ERR_TYPE;
    copy_.resize(static_cast<uint64_t>(received.count) * type.size);
    if (!mpi::pack(received.address, received.count, type, copy_.data())) return MPI_ERR_OTHER;
    return bind({copy_.data(), static_cast<int64_t>(copy_.size()), MPI_BYTE, dest, tag}, received, is_kept);
  }
  int start() override {
    const int code = received_.start();
    return code == MPI_SUCCESS ? sent_.start() : code;
  }
  bool is_done() const override { return sent_.is_done() && received_.is_done(); }
  int finish(MPI_Status* status) override { return received_.finish(status); }
  std::vector<int> awaited_peers() const override {
    std::vector<int> sources = received_.awaited_peers();
    return sources.empty() ? sent_.awaited_peers() : sources;
  }

 private:
  std::vector<std::byte> copy_;
  SendRequest sent_;
  ReceiveRequest received_;
};

/// `bind(exchange)` returns an error class.
template <class Bind>
int blocking(Rank& me, const std::string& name, MPI_Comm comm, MPI_Status* status, Bind bind) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  Exchange exchange(me, *on);
  int code = bind(exchange);
  if (code == MPI_SUCCESS) code = exchange.start();
  if (code != MPI_SUCCESS) return me.result(on, code);
  RecordedWait waiting(me, record::MessageCall::exchange, name);
  waiting.begin(exchange);
  me.wait_until([&exchange] { return exchange.is_done(); });
  waiting.end(exchange);
  return me.result(on, exchange.finish(status));
}

template <class Bind>
int nonblocking(Rank& me, MPI_Comm comm, MPI_Request* request, Bind bind) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto exchange = std::make_unique<Exchange>(me, *on);
  int code = bind(*exchange);
  if (code == MPI_SUCCESS) code = exchange->start();
  if (code != MPI_SUCCESS) return me.result(on, code);
  *request = me.give(std::move(exchange));
  return MPI_SUCCESS;
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Sendrecv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Status* status) {
  static const std::string name = "MPI_Sendrecv";
  return blocking(me, name, comm, status, [&](Exchange& exchange) {
    return exchange.bind({sendbuf, sendcount, sendtype, dest, sendtag},
                         {recvbuf, recvcount, recvtype, source, recvtag}, false);
  });
}
int Isendrecv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
              void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
              MPI_Request* request) {
  return nonblocking(me, comm, request, [&](Exchange& exchange) {
    return exchange.bind({sendbuf, sendcount, sendtype, dest, sendtag},
                         {recvbuf, recvcount, recvtype, source, recvtag}, true);
  });
}

int Sendrecv_replace(Rank& me, void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status) {
  static const std::string name = "MPI_Sendrecv_replace";
  return blocking(me, name, comm, status, [&](Exchange& exchange) {
    return exchange.replace({buf, count, type, source, recvtag}, dest, sendtag, false);
  });
}
int Isendrecv_replace(Rank& me, void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                      int recvtag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking(me, comm, request, [&](Exchange& exchange) {
    return exchange.replace({buf, count, type, source, recvtag}, dest, sendtag, true);
  });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
