#include "agent/announcements.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tutti::agent {

using base::Status;

namespace {

constexpr uint64_t k_receive = uint64_t{1} << 32;  // in cookies

transport::Bytes bytes_of(Announcement& announcement) {
  return std::as_writable_bytes(std::span(&announcement, 1));
}

}  // namespace

Announcements::Announcements(transport::Endpoint& endpoint, int32_t node, int32_t node_count,
                             transport::Tag tag)
    : endpoint_(endpoint), node_(node), node_count_(node_count), tag_(tag) {
  for (int32_t distance = 1; distance < node_count; distance *= 2)
    receives_.push_back({.from = (node - distance + node_count) % node_count});
  post_receives();
}

Announcements::~Announcements() {
  is_closing_ = true;
  for (size_t i = 0; i < receives_.size(); ++i)
    if (receives_[i].state == Receive::State::posted) endpoint_.cancel(k_receive | i);
  while (sends_in_flight_ > 0 || is_receiving()) progress();
}

bool Announcements::is_receiving() const {
  return std::ranges::find(receives_, Receive::State::posted, &Receive::state) != receives_.end();
}

/// A receive that the endpoint refuses now (back-pressure) is retried.
bool Announcements::post_receives() {
  bool has_posted = false;
  for (size_t i = 0; i < receives_.size() && !is_closing_; ++i) {
    Receive& receive = receives_[i];
    if (receive.state != Receive::State::unposted) continue;
    const Status posted = endpoint_.recv(schedule::Peer::rank(receive.from), tag_,
                                         bytes_of(receive.announcement), k_receive | i);
    if (transport::is_try_again(posted)) continue;
    receive.state = posted ? Receive::State::posted : Receive::State::failed;
    if (!posted && status_) status_ = posted;
    has_posted = true;
  }
  return has_posted;
}

void Announcements::forward(const Announcement& announcement, int32_t root_node) {
  const int32_t relative = (node_ - root_node + node_count_) % node_count_;
  for (int32_t distance = 1; distance < node_count_; distance *= 2) {
    if (distance <= relative || relative + distance >= node_count_) continue;
    if (free_sends_.empty()) {
      free_sends_.push_back(sends_.size());
      sends_.push_back(std::make_unique<Send>());
    }
    const size_t number = free_sends_.back();
    free_sends_.pop_back();
    *sends_[number] = {.to = (node_ + distance) % node_count_, .announcement = announcement};
    to_send_.push_back(number);
  }
  post_sends();
}

bool Announcements::post_sends() {
  size_t taken = 0;
  for (; taken < to_send_.size(); ++taken) {
    const size_t number = to_send_[taken];
    Send& send = *sends_[number];
    const Status posted =
        endpoint_.send(schedule::Peer::rank(send.to), tag_, bytes_of(send.announcement), number);
    if (transport::is_try_again(posted)) break;
    if (posted) {
      ++sends_in_flight_;
    } else {
      free_sends_.push_back(number);
      if (status_) status_ = posted;
    }
  }
  to_send_.erase(to_send_.begin(), to_send_.begin() + static_cast<ptrdiff_t>(taken));
  return taken > 0;
}

bool Announcements::progress() {
  bool has_moved = post_sends();
  has_moved |= post_receives();
  std::array<transport::Completion, 16> done;
  const size_t count = endpoint_.poll(done);
  for (const transport::Completion& completion : std::span(done).first(count)) end(completion);
  return has_moved || count > 0;
}

void Announcements::end(const transport::Completion& completion) {
  const auto number = static_cast<size_t>(completion.cookie & (k_receive - 1));
  const bool is_good = completion.code == base::Code::ok;
  if (!is_good && !is_closing_ && status_)
    status_ = {completion.code, "an announcement between agents was lost", completion.native};
  if ((completion.cookie & k_receive) == 0) {
    --sends_in_flight_;
    free_sends_.push_back(number);
    return;
  }
  receives_[number].state = is_good ? Receive::State::arrived : Receive::State::failed;
  if (is_good) ++arrived_count_;
}

}  // namespace tutti::agent
