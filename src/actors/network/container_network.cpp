#include "actors/network/container_network.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "actors/network/head.hpp"
#include "base/helper_thread.hpp"
#include "engine/parking.hpp"

namespace tutti::actors {

namespace {

/// Longer messages wait for their receive, and are then sent from buffer to buffer.
constexpr uint64_t k_eager_bytes = 8192;
constexpr int k_head_tag = 0;
/// Each pending long message has its own tag for its data.
constexpr int k_first_data_tag = 1, k_data_tags = 30000;  // MPI_TAG_UB is 32767 at least
constexpr size_t k_posted_heads = 16;
/// Maximum size of a part of a long message, which fits in an int.
constexpr uint64_t k_piece_bytes = uint64_t{1} << 30;
/// Number of empty polls before a nap, and its length.
constexpr int k_polls = 50;
constexpr uint64_t k_nap_ns = 50'000;

std::vector<std::byte> packet_of(const Head& head, std::span<const std::byte> data = {}) {
  std::vector<std::byte> packet(sizeof head + data.size());
  std::memcpy(packet.data(), &head, sizeof head);
  if (!data.empty()) std::memcpy(packet.data() + sizeof head, data.data(), data.size());
  return packet;
}

}  // namespace

class ContainerNetwork::Thread final : public Keeper {
 public:
  Thread(Receivers& receivers, std::vector<int> processes, MPI_Group world);
  ~Thread();

  void send(Mailbox& sender, const Destination& to, const Envelope& envelope, std::span<const std::byte> data,
            SendMode mode, SendOperation* operation);
  void keep(std::shared_ptr<const DetachedCopy> copy, SendOperation& operation) override;
  /// The message `number` of `process` has matched its receive. Any thread.
  void fetch(int process, uint64_t number, const Delivery& delivery, std::span<std::byte> buffer,
             ReceiveOperation* operation);

 private:
  /// A transfer that the thread has to start.
  struct Order {
    int process = 0;
    Head head;
    std::vector<std::byte> packet;  // empty: a receive
    std::span<std::byte> buffer = {};
    Delivery delivery = {};
    ReceiveOperation* received = nullptr;
  };
  /// A long message of this process, until its data have been sent.
  struct Waiting {
    Envelope envelope;
    std::span<const std::byte> data;
    SendOperation* operation = nullptr;  // nullptr: detached
    std::shared_ptr<const DetachedCopy> kept = {};
  };
  /// Shared state of the pieces of one message; completes the operations when the last piece is released.
  struct Delivering {
    SendOperation* sent = nullptr;
    ReceiveOperation* received = nullptr;
    Delivery delivery;
    std::shared_ptr<const DetachedCopy> kept;
    ~Delivering() {
      if (sent != nullptr) Mailbox::finish(*sent, delivery);
      if (received != nullptr) Mailbox::finish(*received, delivery);
    }
  };
  /// Kept until a request of the native MPI has completed.
  struct Transfer {
    std::vector<std::byte> packet;
    std::shared_ptr<Delivering> part_of;
  };

  void run();
  bool obey_orders();
  bool take_heads();
  bool end_transfers();
  void nap();
  void give(Order order);
  void post_head(size_t place);
  void arrive(int process, std::span<const std::byte> packet);
  void send_packet(int process, std::vector<std::byte> packet);
  void receive_data(Order& order);
  void send_data(int process, const Head& answer);
  template <class Begin>
  void in_pieces(uint64_t bytes, const std::shared_ptr<Delivering>& whole, Begin begin);
  Mailbox& mailbox_of(const Head& head);
  int place_of(int process) const { return places_.at(process); }

  Receivers& receivers_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::map<int, int> places_;  // world rank of a container -> rank in comm_
  std::vector<int> leaders_;   // the reverse

  std::mutex mutex_;  // protects orders_ and waiting_
  std::vector<Order> orders_;
  std::map<uint64_t, Waiting> waiting_;
  uint64_t next_number_ = 0;
  engine::Parking parking_;
  std::atomic<bool> is_ending_{false};

  // Used by the thread only.
  int next_data_tag_ = 0;
  std::vector<std::vector<std::byte>> heads_;
  std::vector<MPI_Request> head_requests_;
  size_t next_head_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<int> done_;
  pthread_t thread_{};
};

namespace {

/// A long message of another process.
template <class Thread>
class RemoteData final : public DistantData {
 public:
  RemoteData(Thread& thread, int process, const Head& head)
      : thread_(thread), process_(process), head_(head) {}
  void fetch(std::span<std::byte> buffer, ReceiveOperation* operation) override {
    const Delivery delivery{
        .envelope = head_.envelope, .bytes = head_.bytes, .is_truncated = head_.bytes > buffer.size()};
    thread_.fetch(process_, head_.number, delivery, buffer.subspan(0, std::min(buffer.size(), head_.bytes)),
                  operation);
  }

 private:
  Thread& thread_;
  const int process_;
  const Head head_;
};

}  // namespace

ContainerNetwork::Thread::Thread(Receivers& receivers, std::vector<int> processes, MPI_Group world)
    : receivers_(receivers), leaders_(std::move(processes)) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Group_incl(world, static_cast<int>(leaders_.size()), leaders_.data(), &group);
  PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm_);
  PMPI_Group_free(&group);
  for (size_t i = 0; i < leaders_.size(); ++i) places_[leaders_[i]] = static_cast<int>(i);
  heads_.assign(k_posted_heads, std::vector<std::byte>(sizeof(Head) + k_eager_bytes));
  head_requests_.assign(k_posted_heads, MPI_REQUEST_NULL);
  for (size_t i = 0; i < k_posted_heads; ++i) post_head(i);
  const auto body = [](void* self) -> void* {
    static_cast<Thread*>(self)->run();
    return nullptr;
  };
  if (!base::start_helper_thread("tutti-network", nullptr, body, this, &thread_))
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

ContainerNetwork::Thread::~Thread() {
  is_ending_.store(true);
  static_cast<void>(parking_.wake());
  pthread_join(thread_, nullptr);
  for (MPI_Request& request : head_requests_) {
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  PMPI_Comm_free(&comm_);
}

void ContainerNetwork::Thread::send(Mailbox& sender, const Destination& to, const Envelope& envelope,
                                    std::span<const std::byte> data, SendMode mode,
                                    SendOperation* operation) {
  sender.begin(*operation, mode == SendMode::standard ? this : nullptr, data);
  Head head{.kind = Head::Kind::eager,
            .rank = to.rank,
            .group = to.group,
            .envelope = envelope,
            .bytes = data.size()};
  if (mode == SendMode::standard && data.size() <= k_eager_bytes) {
    give({.process = to.process, .head = head, .packet = packet_of(head, data)});
    Mailbox::finish(*operation, {.envelope = envelope, .bytes = data.size()});
    return;
  }
  head.kind = Head::Kind::announced;
  {
    const std::lock_guard lock(mutex_);
    head.number = next_number_++;
    waiting_.emplace(head.number, Waiting{.envelope = envelope, .data = data, .operation = operation});
  }
  give({.process = to.process, .head = head, .packet = packet_of(head)});
}

void ContainerNetwork::Thread::keep(std::shared_ptr<const DetachedCopy> copy, SendOperation& operation) {
  Delivery delivery;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(waiting_, [&](const auto& one) { return one.second.operation == &operation; });
    if (found == waiting_.end()) return;
    Waiting& message = found->second;
    delivery = {.envelope = message.envelope, .bytes = message.data.size()};
    message.data = copy->data();
    message.kept = std::move(copy);
    message.operation = nullptr;
  }
  Mailbox::finish(operation, delivery);
}

void ContainerNetwork::Thread::fetch(int process, uint64_t number, const Delivery& delivery,
                                     std::span<std::byte> buffer, ReceiveOperation* operation) {
  give({.process = process,
        .head = {.kind = Head::Kind::wanted,
                 .envelope = delivery.envelope,
                 .bytes = buffer.size(),
                 .number = number},
        .packet = {},
        .buffer = buffer,
        .delivery = delivery,
        .received = operation});
}

void ContainerNetwork::Thread::give(Order order) {
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  static_cast<void>(parking_.wake());
}

void ContainerNetwork::Thread::run() {
  int empty_polls = 0;
  for (;;) {
    const bool is_ending = is_ending_.load();  // all orders have been given by then
    const bool has_obeyed = obey_orders();
    const bool has_heard = take_heads();
    const bool has_ended = end_transfers();
    if (has_obeyed || has_heard || has_ended) {
      empty_polls = 0;
      continue;
    }
    if (is_ending && requests_.empty()) return;
    if (++empty_polls < k_polls)
      std::this_thread::yield();
    else
      nap();
  }
}

void ContainerNetwork::Thread::nap() {
  parking_.prepare();
  bool is_idle;
  {
    const std::lock_guard lock(mutex_);
    is_idle = orders_.empty();
  }
  if (is_idle && !is_ending_.load())
    parking_.park_for(k_nap_ns);
  else
    parking_.cancel();
}

bool ContainerNetwork::Thread::obey_orders() {
  std::vector<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
  }
  for (Order& order : orders) {
    if (order.packet.empty()) receive_data(order);
    send_packet(order.process, order.packet.empty() ? packet_of(order.head) : std::move(order.packet));
  }
  return !orders.empty();
}

void ContainerNetwork::Thread::send_packet(int process, std::vector<std::byte> packet) {
  transfers_.push_back({.packet = std::move(packet), .part_of = nullptr});
  requests_.push_back(MPI_REQUEST_NULL);
  const std::vector<std::byte>& kept = transfers_.back().packet;
  PMPI_Isend(kept.data(), static_cast<int>(kept.size()), MPI_BYTE, place_of(process), k_head_tag, comm_,
             &requests_.back());
}

template <class Begin>
void ContainerNetwork::Thread::in_pieces(uint64_t bytes, const std::shared_ptr<Delivering>& whole,
                                         Begin begin) {
  for (uint64_t at = 0; at < bytes; at += k_piece_bytes) {
    transfers_.push_back({.packet = {}, .part_of = whole});
    requests_.push_back(MPI_REQUEST_NULL);
    begin(at, static_cast<int>(std::min(k_piece_bytes, bytes - at)), &requests_.back());
  }
}

/// Posts the receive before it tells the sender to send the data.
void ContainerNetwork::Thread::receive_data(Order& order) {
  order.head.data_tag = k_first_data_tag + next_data_tag_;
  next_data_tag_ = (next_data_tag_ + 1) % k_data_tags;
  const auto whole = std::make_shared<Delivering>();
  whole->received = order.received;
  whole->delivery = order.delivery;
  in_pieces(order.buffer.size(), whole, [&](uint64_t at, int bytes, MPI_Request* request) {
    PMPI_Irecv(order.buffer.data() + at, bytes, MPI_BYTE, place_of(order.process), order.head.data_tag, comm_,
               request);
  });
}

void ContainerNetwork::Thread::send_data(int process, const Head& answer) {
  const auto whole = std::make_shared<Delivering>();
  std::span<const std::byte> data;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(answer.number);
    data = found->second.data;
    whole->sent = found->second.operation;
    whole->kept = std::move(found->second.kept);
    whole->delivery = {.envelope = found->second.envelope, .bytes = data.size()};
    waiting_.erase(found);
  }
  in_pieces(answer.bytes, whole, [&](uint64_t at, int bytes, MPI_Request* request) {
    PMPI_Isend(data.data() + at, bytes, MPI_BYTE, place_of(process), answer.data_tag, comm_, request);
  });
}

bool ContainerNetwork::Thread::end_transfers() {
  if (requests_.empty()) return false;
  done_.resize(requests_.size());
  int count = 0;
  PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(),
                MPI_STATUSES_IGNORE);
  if (count <= 0) return false;
  std::sort(done_.begin(), done_.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<ptrdiff_t>(done_[static_cast<size_t>(i)]);
    requests_.erase(requests_.begin() + place);
    transfers_.erase(transfers_.begin() + place);
  }
  return true;
}

void ContainerNetwork::Thread::post_head(size_t place) {
  PMPI_Irecv(heads_[place].data(), static_cast<int>(heads_[place].size()), MPI_BYTE, MPI_ANY_SOURCE,
             k_head_tag, comm_, &head_requests_[place]);
}

/// In posting order, which is the message order of each process.
bool ContainerNetwork::Thread::take_heads() {
  bool has_taken = false;
  for (;;) {
    int flag = 0;
    MPI_Status status;
    PMPI_Test(&head_requests_[next_head_], &flag, &status);
    if (flag == 0) return has_taken;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    arrive(leaders_[static_cast<size_t>(status.MPI_SOURCE)],
           std::span(heads_[next_head_]).subspan(0, static_cast<size_t>(bytes)));
    post_head(next_head_);
    next_head_ = (next_head_ + 1) % k_posted_heads;
    has_taken = true;
  }
}

Mailbox& ContainerNetwork::Thread::mailbox_of(const Head& head) {
  return head.rank < 0 ? receivers_.mailbox_of(head.group) : receivers_.mailbox_of(head.rank);
}

void ContainerNetwork::Thread::arrive(int process, std::span<const std::byte> packet) {
  Head head;
  std::memcpy(&head, packet.data(), sizeof head);
  switch (head.kind) {
    case Head::Kind::eager:
      mailbox_of(head).arrive(head.envelope, packet.subspan(sizeof head));
      break;
    case Head::Kind::announced:
      mailbox_of(head).arrive(head.envelope, head.bytes,
                              std::make_unique<RemoteData<Thread>>(*this, process, head));
      break;
    case Head::Kind::wanted:
      send_data(process, head);
      break;
  }
}

ContainerNetwork::ContainerNetwork(Receivers& receivers, std::vector<int> processes, MPI_Group world)
    : thread_(std::make_unique<Thread>(receivers, std::move(processes), world)) {}

ContainerNetwork::~ContainerNetwork() = default;

void ContainerNetwork::send(Mailbox& sender, const Destination& to, const Envelope& envelope,
                            std::span<const std::byte> data, SendMode mode, SendOperation* operation) {
  thread_->send(sender, to, envelope, data, mode, operation);
}

}  // namespace tutti::actors
