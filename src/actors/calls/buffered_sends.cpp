// Sends that complete immediately, with a copy of their data (MPI 4.0, §3.6).

#include <utility>

#include "actors/calls/point_to_point.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"
#include "collective/mpi/data/staging.hpp"

namespace tutti::actors {

namespace {

/// A message that was copied from the program's buffer. The attached buffer's size is accounted, but its
/// memory is not used.
class BufferedMessage final : public Request {
 public:
  BufferedMessage(Rank& owner, Communicator& on)
      : Request(owner, &on), send_(owner, on, SendKind::standard) {}

  /// Returns an error class.
  int begin(const MessageArguments& arguments) {
    mpi::Type type;
    if (arguments.count < 0) return MPI_ERR_COUNT;
    if (arguments.type == MPI_DATATYPE_NULL || !mpi::describe(arguments.type, &type)) return MPI_ERR_TYPE;
    copy_.resize(static_cast<uint64_t>(arguments.count) * type.size);
    Rank::Buffer& buffer = owner_.buffer();
    const int64_t needed = static_cast<int64_t>(copy_.size()) + MPI_BSEND_OVERHEAD;
    if (arguments.peer != MPI_PROC_NULL && needed > buffer.bytes - buffer.used_bytes) return MPI_ERR_BUFFER;
    if (!mpi::pack(arguments.address, arguments.count, type, copy_.data())) return MPI_ERR_OTHER;
    MessageArguments of_copy = arguments;
    of_copy.address = copy_.data();
    of_copy.count = static_cast<int64_t>(copy_.size());
    of_copy.type = MPI_BYTE;
    if (const int code = send_.bind(of_copy, false); code != MPI_SUCCESS) return code;
    used_bytes_ = arguments.peer == MPI_PROC_NULL ? 0 : needed;
    buffer.used_bytes += used_bytes_;
    return send_.start();
  }
  bool is_done() const override { return send_.is_done(); }
  int finish(MPI_Status* status) override {
    owner_.buffer().used_bytes -= used_bytes_;
    return send_.finish(status);
  }

 private:
  std::vector<std::byte> copy_;
  SendRequest send_;
  int64_t used_bytes_ = 0;
};

int send_buffered(Rank& me, Communicator& on, const MessageArguments& arguments) {
  auto message = std::make_unique<BufferedMessage>(me, on);
  const int code = message->begin(arguments);
  if (code == MPI_SUCCESS) me.orphan(std::move(message));
  return code;
}

/// Done as soon as it has started.
class BufferedSend final : public Request {
 public:
  BufferedSend(Rank& owner, Communicator& on, const MessageArguments& arguments)
      : Request(owner, &on), arguments_(arguments) {}
  int start() override { return send_buffered(owner_, *communicator(), arguments_); }
  bool is_done() const override { return true; }
  int finish(MPI_Status* status) override {
    set_empty(status);
    return MPI_SUCCESS;
  }

 private:
  MessageArguments arguments_;
};

int begin(Rank& me, const MessageArguments& arguments, MPI_Comm comm, bool is_persistent,
          MPI_Request* handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto request = std::make_unique<BufferedSend>(me, *on, arguments);
  request->is_persistent = is_persistent;
  request->is_active = !is_persistent;
  const int code = is_persistent ? MPI_SUCCESS : request->start();
  if (code == MPI_SUCCESS) *handle = me.give(std::move(request));
  return me.result(on, code);
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Bsend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  me.progress();  // frees buffer space of sent messages
  return me.result(on, send_buffered(me, *on, {buf, count, type, dest, tag}));
}
int Ibsend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  me.progress();
  return begin(me, {buf, count, type, dest, tag}, comm, false, request);
}
int Bsend_init(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return begin(me, {buf, count, type, dest, tag}, comm, true, request);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
