#include "base/helper_thread.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <memory>
#include <new>

#include "base/blocked_signals.hpp"

namespace tutti::base {

namespace {

/// Attributes of a thread with affinity `cores`, or that of its creator.
class Attributes {
 public:
  Attributes() { pthread_attr_init(&attributes_); }
  ~Attributes() { pthread_attr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  int set_cores(const CpuSet* cores) {
    return cores == nullptr ? 0 : pthread_attr_setaffinity_np(&attributes_, cores->bytes(), cores->get());
  }
  const pthread_attr_t* get() const { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

struct Start {
  const char* name;
  void* (*body)(void*);
  void* argument;
};

void* run(void* start) {
  const auto [name, body, argument] = *std::unique_ptr<Start>(static_cast<Start*>(start));
  prctl(PR_SET_NAME, name, 0UL, 0UL, 0UL);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  return body(argument);
}

}  // namespace

Status start_helper_thread(const char* name, const CpuSet* cores, void* (*body)(void*), void* argument,
                           pthread_t* thread) {
  std::unique_ptr<Start> start(new (std::nothrow) Start{name, body, argument});
  if (start == nullptr) return {Code::out_of_memory, "no memory for a thread"};
  Attributes attributes;
  if (const int error = attributes.set_cores(cores); error != 0)
    return Status::system("cannot choose the cores of a thread", error);
  const BlockedSignals signals_are_the_programs;
  if (const int error = pthread_create(thread, attributes.get(), run, start.get()); error != 0)
    return Status::system("cannot start a thread", error);
  static_cast<void>(start.release());  // now owned by the thread
  return {};
}

bool join_within(pthread_t thread, uint64_t within_ns) {
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  const auto sum_ns = static_cast<uint64_t>(deadline.tv_nsec) + within_ns % 1'000'000'000;
  deadline.tv_sec += static_cast<time_t>(within_ns / 1'000'000'000 + sum_ns / 1'000'000'000);
  deadline.tv_nsec = static_cast<long>(sum_ns % 1'000'000'000);
  if (pthread_timedjoin_np(thread, nullptr, &deadline) == 0) return true;
  pthread_detach(thread);
  return false;
}

}  // namespace tutti::base
