#include "agent/heralds.hpp"

#include <array>
#include <bit>
#include <span>

namespace tutti::agent {

namespace {

constexpr uint64_t k_ear = uint64_t{1} << 32;  // in the cookies of receives

transport::Bytes bytes_of(Heralds::News& news) {
  return std::as_writable_bytes(std::span(&news, 1));
}

}  // namespace

Heralds::Heralds(transport::Endpoint& endpoint, int32_t node, int32_t node_count, transport::Tag tag)
    : endpoint_(endpoint), node_(node), node_count_(node_count), tag_(tag) {
  for (int32_t distance = 1; distance < node_count; distance *= 2)
    ears_.push_back({.from = (node - distance + node_count) % node_count});
  for (size_t ear = 0; ear < ears_.size(); ++ear) listen(ear);
}

Heralds::~Heralds() {
  for (size_t ear = 0; ear < ears_.size(); ++ear)
    if (ears_[ear].is_posted) endpoint_.cancel(k_ear | ear);
  const auto is_listening = [this] {
    for (const Ear& ear : ears_)
      if (ear.is_posted) return true;
    return false;
  };
  while (sends_in_flight_ > 0 || is_listening()) progress();
}

void Heralds::listen(size_t ear) {
  Ear& one = ears_[ear];
  one.is_posted =
      endpoint_.recv(schedule::Peer::rank(one.from), tag_, bytes_of(one.news), k_ear | ear).is_ok();
}

void Heralds::announce(const News& news, int32_t root_node) {
  const int32_t relative = (node_ - root_node + node_count_) % node_count_;
  for (int32_t distance = 1; distance < node_count_; distance *= 2) {
    if (distance <= relative || relative + distance >= node_count_) continue;
    if (free_messages_.empty()) {
      free_messages_.push_back(messages_.size());
      messages_.push_back(std::make_unique<Message>());
    }
    const size_t number = free_messages_.back();
    free_messages_.pop_back();
    *messages_[number] = {.to = (node_ + distance) % node_count_, .news = news};
    to_send_.push_back(number);
  }
  send();
}

bool Heralds::send() {
  size_t sent = 0;
  for (; sent < to_send_.size(); ++sent) {
    Message& message = *messages_[to_send_[sent]];
    if (!endpoint_.send(schedule::Peer::rank(message.to), tag_, bytes_of(message.news), to_send_[sent]))
      break;
    ++sends_in_flight_;
  }
  to_send_.erase(to_send_.begin(), to_send_.begin() + static_cast<ptrdiff_t>(sent));
  return sent > 0;
}

bool Heralds::progress() {
  bool has_moved = !to_send_.empty() && send();
  std::array<transport::Completion, 16> done;
  const size_t count = endpoint_.poll(done);
  for (const transport::Completion& one : std::span(done).first(count)) {
    const auto number = static_cast<size_t>(one.cookie & (k_ear - 1));
    if ((one.cookie & k_ear) == 0) {
      --sends_in_flight_;
      free_messages_.push_back(number);
    } else {
      ears_[number].is_posted = false;
      ears_[number].has_heard = one.code == base::Code::ok;
      if (one.code == base::Code::ok) ++heard_count_;
    }
    has_moved = true;
  }
  return has_moved;
}

}  // namespace tutti::agent
