#include "actors/loader/guest/threads.hpp"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>

#include <atomic>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

using Destructor = void (*)(void*);

/// Odd numbers mean that a key is in use. Values of an earlier use of the key are ignored.
struct Key {
  std::atomic<uintptr_t> number{0};
  std::atomic<Destructor> destructor{nullptr};
};
Key g_keys[PTHREAD_KEYS_MAX];

struct Value {
  uintptr_t number;
  void* value;
};

/// Data of one thread. Unused pages are not allocated.
struct Thread {
  void* at_host;
  Value values[PTHREAD_KEYS_MAX];
};

// The C library's functions.
decltype(&pthread_getspecific) g_get;
decltype(&pthread_setspecific) g_set;

bool is_used(uintptr_t number) {
  return number % 2 == 1;
}

Thread* this_thread() {
  return static_cast<Thread*>(g_get(k_guest_slot));
}

/// nullptr: out of memory.
Thread* enter_thread(bool is_expected = false) {
  if (Thread* const thread = this_thread(); thread != nullptr) return thread;
  void* const memory =
      mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const thread = static_cast<Thread*>(memory);
  g_set(k_guest_slot, thread);
  if (!is_child()) thread->at_host = own_host().thread_begins(own_host().actor, is_expected);
  return thread;
}

/// Destructors may set values again (POSIX: pthread_key_create).
void run_destructors(Thread& thread) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool has_called = false;
    for (int i = 0; i < PTHREAD_KEYS_MAX; ++i) {
      Value& one = thread.values[i];
      if (one.value == nullptr) continue;
      void* const value = one.value;
      one.value = nullptr;
      const Destructor destructor = g_keys[i].destructor.load();
      if (one.number != g_keys[i].number.load() || destructor == nullptr) continue;
      destructor(value);
      has_called = true;
    }
    if (!has_called) return;
  }
}

/// The C library calls it when a thread ends, after C++ destructors.
void leave_thread(void* value) {
  auto* const thread = static_cast<Thread*>(value);
  g_set(k_guest_slot, thread);
  run_destructors(*thread);
  if (thread->at_host != nullptr && !is_child()) own_host().thread_ends(own_host().actor, thread->at_host);
  g_set(k_guest_slot, nullptr);
  munmap(thread, sizeof(Thread));
}

/// The start routine of a new thread and its argument.
template <class Function>
struct Work {
  Function function;
  void* argument;
  bool is_expected;
};

template <class Function>
Function begin_work(void* given, void** argument) {
  auto* const work = static_cast<Work<Function>*>(given);
  const Function function = work->function;
  const bool is_expected = work->is_expected;
  *argument = work->argument;
  free(work);
  enter_thread(is_expected);
  return function;
}

template <class Function>
Work<Function>* make_work(Function function, void* argument) {
  auto* const work = static_cast<Work<Function>*>(malloc(sizeof(Work<Function>)));
  if (work == nullptr) return nullptr;
  *work = {function, argument, !is_child()};
  if (work->is_expected) own_host().thread_is_expected(own_host().actor);
  return work;
}

template <class Function>
void give_up(Work<Function>* work) {
  if (work->is_expected) own_host().thread_is_given_up(own_host().actor);
  free(work);
}

using StartOfPosix = void* (*)(void*);

void* begin_of_posix(void* given) {
  void* argument = nullptr;
  return begin_work<StartOfPosix>(given, &argument)(argument);
}

int begin_of_c(void* given) {
  void* argument = nullptr;
  return begin_work<thrd_start_t>(given, &argument)(argument);
}

int create_key(pthread_key_t* key, Destructor destructor) {
  for (unsigned i = 0; i < PTHREAD_KEYS_MAX; ++i) {
    uintptr_t number = g_keys[i].number.load();
    if (is_used(number) || !g_keys[i].number.compare_exchange_strong(number, number + 1)) continue;
    g_keys[i].destructor.store(destructor);
    *key = i;
    return 0;
  }
  return EAGAIN;
}

int delete_key(pthread_key_t key) {
  if (key >= PTHREAD_KEYS_MAX) return EINVAL;
  uintptr_t number = g_keys[key].number.load();
  return is_used(number) && g_keys[key].number.compare_exchange_strong(number, number + 1) ? 0 : EINVAL;
}

void* get_value(pthread_key_t key) {
  if (key >= PTHREAD_KEYS_MAX) return nullptr;
  const Thread* const thread = this_thread();
  if (thread == nullptr) return nullptr;
  const Value& one = thread->values[key];
  return one.number == g_keys[key].number.load() ? one.value : nullptr;
}

int set_value(pthread_key_t key, const void* value) {
  if (key >= PTHREAD_KEYS_MAX) return EINVAL;
  const uintptr_t number = g_keys[key].number.load();
  if (!is_used(number)) return EINVAL;
  Thread* const thread = value == nullptr ? this_thread() : enter_thread();
  if (thread == nullptr) return value == nullptr ? 0 : ENOMEM;
  thread->values[key] = {number, const_cast<void*>(value)};
  return 0;
}

}  // namespace

bool prepare_threads() {
  g_get = next(&pthread_getspecific, "pthread_getspecific");
  g_set = next(&pthread_setspecific, "pthread_setspecific");
  const auto create = next(&pthread_key_create, "pthread_key_create");
  const auto remove = next(&pthread_key_delete, "pthread_key_delete");
  pthread_key_t keys[k_guest_slot + 1];
  unsigned count = 0;
  do {
    if (create(&keys[count], leave_thread) != 0) return false;
  } while (keys[count++] < k_guest_slot);
  const pthread_key_t last = keys[--count];
  while (count > 0) remove(keys[--count]);
  return last == k_guest_slot && enter_thread() != nullptr;
}

void end_values() {
  if (Thread* const thread = this_thread(); thread != nullptr) run_destructors(*thread);
}

}  // namespace tutti::actors

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return tutti::actors::create_key(key, destructor);
}

// The name by which run-time libraries detect whether the program has threads.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
EXPORTED int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return tutti::actors::create_key(key, destructor);
}

EXPORTED int pthread_key_delete(pthread_key_t key) noexcept {
  return tutti::actors::delete_key(key);
}

EXPORTED void* pthread_getspecific(pthread_key_t key) noexcept {
  return tutti::actors::get_value(key);
}

EXPORTED int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return tutti::actors::set_value(key, value);
}

EXPORTED int tss_create(tss_t* key, tss_dtor_t destructor) {
  return tutti::actors::create_key(key, destructor) == 0 ? thrd_success : thrd_error;
}

EXPORTED void tss_delete(tss_t key) {
  tutti::actors::delete_key(key);
}

EXPORTED void* tss_get(tss_t key) {
  return tutti::actors::get_value(key);
}

EXPORTED int tss_set(tss_t key, void* value) {
  return tutti::actors::set_value(key, value) == 0 ? thrd_success : thrd_error;
}

EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                            void* argument) noexcept {
  static const auto create = tutti::actors::next(&pthread_create, "pthread_create");
  auto* const work = tutti::actors::make_work(start, argument);
  if (work == nullptr) return EAGAIN;
  const int error = create(thread, attributes, tutti::actors::begin_of_posix, work);
  if (error != 0) tutti::actors::give_up(work);
  return error;
}

EXPORTED int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  static const auto create = tutti::actors::next(&thrd_create, "thrd_create");
  auto* const work = tutti::actors::make_work(start, argument);
  if (work == nullptr) return thrd_nomem;
  const int error = create(thread, tutti::actors::begin_of_c, work);
  if (error != thrd_success) tutti::actors::give_up(work);
  return error;
}

// CPU time of the rank, not of the process.
EXPORTED int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  static const auto get_time = tutti::actors::next(&clock_gettime, "clock_gettime");
  if (clock != CLOCK_PROCESS_CPUTIME_ID || tutti::actors::is_child()) return get_time(clock, time);
  constexpr uint64_t k_ns = 1'000'000'000;
  const tutti::actors::GuestHost& host = tutti::actors::own_host();
  const uint64_t ns = host.cpu_ns(host.actor);
  *time = {.tv_sec = static_cast<time_t>(ns / k_ns), .tv_nsec = static_cast<long>(ns % k_ns)};
  return 0;
}

EXPORTED clock_t clock() noexcept {
  constexpr int64_t k_us = 1'000'000, k_ns_per_us = 1000;
  timespec time;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return -1;
  return time.tv_sec * k_us + time.tv_nsec / k_ns_per_us;
}

}  // extern "C"
