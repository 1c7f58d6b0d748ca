#include "actors/calls/point_to_point.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"
#include "calls.hpp"
#include "collective/mpi/data/staging.hpp"

namespace tutti::actors {

namespace {

/// The value of MPI_TAG_UB.
constexpr int k_highest_tag = INT_MAX;

int check_destination(const Communicator& communicator, int peer, int tag) {
  if (peer != MPI_PROC_NULL && !communicator.has_rank(peer)) return MPI_ERR_RANK;
  return tag < 0 || tag > k_highest_tag ? MPI_ERR_TAG : MPI_SUCCESS;
}

}  // namespace

int check_source(const Communicator& communicator, int source, int tag) {
  if (source != MPI_PROC_NULL && source != MPI_ANY_SOURCE && !communicator.has_rank(source))
    return MPI_ERR_RANK;
  return tag < 0 && tag != MPI_ANY_TAG ? MPI_ERR_TAG : MPI_SUCCESS;
}

Pattern pattern_of(const Communicator& communicator, int source, int tag, Traffic traffic) {
  return {.context = communicator.context(traffic),
          .source = source == MPI_ANY_SOURCE ? k_any : source,
          .tag = tag == MPI_ANY_TAG ? k_any : tag};
}

void describe(const Delivery& delivery, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = delivery.envelope.source;
  status->MPI_TAG = delivery.envelope.tag;
  PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(delivery.bytes));
  PMPI_Status_set_cancelled(status, delivery.is_cancelled ? 1 : 0);
}

int MessageData::bind(const void* address, int64_t count, MPI_Datatype type, bool is_kept) {
  if (count < 0) return MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL || !mpi::describe(type, &type_)) return MPI_ERR_TYPE;
  address_ = const_cast<void*>(address);  // written only for received messages
  count_ = count;
  bytes_ = static_cast<uint64_t>(count) * type_.size;
  if (bytes_ > 0 && address == nullptr && type_.is_predefined) return MPI_ERR_BUFFER;
  is_packed_ = bytes_ > 0 && !type_.is_dense(count);
  if (is_packed_) {
    packed_.resize(bytes_);
    data_ = packed_.data();
  } else {
    data_ = mpi::first_byte(address, type_);
  }
  is_own_type_ =
      is_kept && !type_.is_predefined && mpi::keep_datatype(type_.handle, &type_.handle) == MPI_SUCCESS;
  return MPI_SUCCESS;
}

MessageData::~MessageData() {
  if (is_own_type_) PMPI_Type_free(&type_.handle);
}

int MessageData::load() {
  return is_packed_ && !mpi::pack(address_, count_, type_, data_) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int MessageData::store(uint64_t bytes) {
  if (!is_packed_) return MPI_SUCCESS;
  const auto elements = static_cast<int64_t>(std::min(bytes, bytes_) / type_.size);
  if (!mpi::unpack(data_, address_, elements, type_)) return MPI_ERR_OTHER;
  const uint64_t rest = std::min(bytes, bytes_) - static_cast<uint64_t>(elements) * type_.size;
  if (rest == 0) return MPI_SUCCESS;
  // A part of an element was received: the rest of the element stays unchanged.
  std::vector<std::byte> element(type_.size);
  auto* const place = static_cast<std::byte*>(address_) + elements * type_.extent;
  if (!mpi::pack(place, 1, type_, element.data())) return MPI_ERR_OTHER;
  std::copy_n(data_ + static_cast<uint64_t>(elements) * type_.size, rest, element.begin());
  return mpi::unpack(element.data(), place, 1, type_) ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int SendRequest::bind(const MessageArguments& arguments, bool is_kept) {
  peer_ = arguments.peer;
  tag_ = arguments.tag;
  if (const int code = check_destination(*communicator(), peer_, tag_); code != MPI_SUCCESS) return code;
  return data_.bind(arguments.address, arguments.count, arguments.type, is_kept);
}

int SendRequest::start() {
  if (peer_ == MPI_PROC_NULL) return MPI_SUCCESS;
  if (const int code = data_.load(); code != MPI_SUCCESS) return code;
  Communicator& on = *communicator();
  owner_.container().send(owner_, on.members()[static_cast<size_t>(peer_)],
                          {.context = on.context(traffic_), .source = on.rank(), .tag = tag_}, data_.bytes(),
                          kind_ == SendKind::synchronous ? SendMode::synchronous : SendMode::standard,
                          &operation_);
  return MPI_SUCCESS;
}

int SendRequest::finish(MPI_Status* status) {
  set_empty(status);
  return MPI_SUCCESS;
}

int ReceiveRequest::bind(const MessageArguments& arguments, bool is_kept) {
  peer_ = arguments.peer;
  tag_ = arguments.tag;
  if (const int code = check_source(*communicator(), peer_, tag_); code != MPI_SUCCESS) return code;
  return data_.bind(arguments.address, arguments.count, arguments.type, is_kept);
}

int ReceiveRequest::start() {
  is_from_nobody_ = peer_ == MPI_PROC_NULL;
  if (!is_from_nobody_)
    owner_.mailbox().receive(pattern_of(*communicator(), peer_, tag_, traffic_), data_.bytes(), &operation_);
  return MPI_SUCCESS;
}

void ReceiveRequest::start(std::unique_ptr<TakenMessage> message) {
  is_from_nobody_ = message == nullptr;
  if (!is_from_nobody_) owner_.mailbox().receive(std::move(message), data_.bytes(), &operation_);
}

int ReceiveRequest::finish(MPI_Status* status) {
  if (is_from_nobody_) {
    set_no_process(status);
    return MPI_SUCCESS;
  }
  Delivery delivery = operation_.delivery();
  if (delivery.is_cancelled) {
    describe(delivery, status);
    return MPI_SUCCESS;
  }
  const int code = data_.store(delivery.bytes);
  if (delivery.is_truncated) delivery.bytes = data_.bytes().size();
  describe(delivery, status);
  return delivery.is_truncated ? MPI_ERR_TRUNCATE : code;
}

std::vector<int> ReceiveRequest::awaited_peers() const {
  if (is_from_nobody_) return {};
  if (!is_done()) return {peer_};
  const Delivery& delivery = operation_.delivery();
  if (delivery.is_cancelled) return {};
  return {delivery.envelope.source};
}

void ReceiveRequest::cancel() {
  if (!is_from_nobody_) owner_.mailbox().cancel(operation_);
}

namespace calls {

namespace {

const std::string& name_of(SendKind kind) {
  static const std::string standard = "MPI_Send", synchronous = "MPI_Ssend", ready = "MPI_Rsend";
  return kind == SendKind::synchronous ? synchronous : kind == SendKind::ready ? ready : standard;
}

int send(Rank& me, SendKind kind, const MessageArguments& arguments, MPI_Comm comm) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  SendRequest request(me, *on, kind);
  int code = request.bind(arguments, false);
  if (code == MPI_SUCCESS) code = request.start();
  if (code != MPI_SUCCESS) return me.result(on, code);
  RecordedWait waiting(me, record::MessageCall::send, name_of(kind));
  waiting.begin(request);
  me.wait_until([&request] { return request.is_done(); });
  waiting.end(request);
  return MPI_SUCCESS;
}

/// Creates a request, and starts it unless it is persistent.
int begin(Rank& me, std::unique_ptr<Request> request, int code, bool is_persistent, MPI_Request* handle) {
  request->is_persistent = is_persistent;
  request->is_active = !is_persistent;
  if (code == MPI_SUCCESS && !is_persistent) code = request->start();
  if (code != MPI_SUCCESS) return me.result(request->communicator(), code);
  *handle = me.give(std::move(request));
  return code;
}

int start_send(Rank& me, SendKind kind, const MessageArguments& arguments, MPI_Comm comm, bool is_persistent,
               MPI_Request* handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto request = std::make_unique<SendRequest>(me, *on, kind);
  const int code = request->bind(arguments, true);
  return begin(me, std::move(request), code, is_persistent, handle);
}

int start_receive(Rank& me, const MessageArguments& arguments, MPI_Comm comm, bool is_persistent,
                  MPI_Request* handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  auto request = std::make_unique<ReceiveRequest>(me, *on);
  const int code = request->bind(arguments, true);
  return begin(me, std::move(request), code, is_persistent, handle);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Send(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(me, SendKind::standard, {buf, count, type, dest, tag}, comm);
}
int Ssend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(me, SendKind::synchronous, {buf, count, type, dest, tag}, comm);
}
int Rsend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(me, SendKind::ready, {buf, count, type, dest, tag}, comm);
}

int Isend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
  return start_send(me, SendKind::standard, {buf, count, type, dest, tag}, comm, false, request);
}
int Issend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return start_send(me, SendKind::synchronous, {buf, count, type, dest, tag}, comm, false, request);
}
int Irsend(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return start_send(me, SendKind::ready, {buf, count, type, dest, tag}, comm, false, request);
}
int Send_init(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return start_send(me, SendKind::standard, {buf, count, type, dest, tag}, comm, true, request);
}
int Ssend_init(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return start_send(me, SendKind::synchronous, {buf, count, type, dest, tag}, comm, true, request);
}
int Rsend_init(Rank& me, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return start_send(me, SendKind::ready, {buf, count, type, dest, tag}, comm, true, request);
}

int Recv(Rank& me, void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Status* status) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  ReceiveRequest request(me, *on);
  int code = request.bind({buf, count, type, source, tag}, false);
  if (code == MPI_SUCCESS) code = request.start();
  if (code != MPI_SUCCESS) return me.result(on, code);
  static const std::string name = "MPI_Recv";
  RecordedWait waiting(me, record::MessageCall::receive, name);
  waiting.begin(request);
  me.wait_until([&request] { return request.is_done(); });
  waiting.end(request);
  return me.result(on, request.finish(status));
}

int Irecv(Rank& me, void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
          MPI_Request* request) {
  return start_receive(me, {buf, count, type, source, tag}, comm, false, request);
}
int Recv_init(Rank& me, void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return start_receive(me, {buf, count, type, source, tag}, comm, true, request);
}

int Buffer_attach(Rank& me, void* buffer, int size) {
  if (me.buffer().address != nullptr || size < 0) return me.result(nullptr, MPI_ERR_BUFFER);
  me.buffer() = {.address = buffer, .bytes = size};
  return MPI_SUCCESS;
}

int Buffer_detach(Rank& me, void* buffer_address, int* size) {
  me.wait_until([&me] { return me.buffer().used_bytes == 0; });
  *static_cast<void**>(buffer_address) = me.buffer().address;
  *size = static_cast<int>(me.buffer().bytes);
  me.buffer() = {};
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
