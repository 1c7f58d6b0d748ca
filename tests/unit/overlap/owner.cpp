#include "owner.hpp"

#include <algorithm>
#include <chrono>

namespace tutti::overlap::guard::test {

Owner::Owner() : thread_([this] { run(); }) {}

Owner::~Owner() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Owner::later(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push(std::move(work));
    ++left_;
  }
  changed_.notify_all();
}

void Owner::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return left_ == 0; });
}

void Owner::run() {
  prepare_owner();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_ending_ || !work_.empty(); });
    if (work_.empty()) return;
    const auto work = std::move(work_.front());
    work_.pop();
    lock.unlock();
    work();
    lock.lock();
    --left_;
    changed_.notify_all();
  }
}

void pause_shortly() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::string name_of(const testing::TestParamInfo<Mechanism>& info) {
  std::string name(to_string(info.param));
  std::ranges::replace(name, ':', '_');
  return name;
}

}  // namespace tutti::overlap::guard::test
