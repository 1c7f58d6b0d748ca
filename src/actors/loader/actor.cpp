#include "actors/loader/actor.hpp"

#include <alloca.h>
#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <iterator>
#include <span>
#include <utility>

#include "actors/loader/guest_host.hpp"
#include "actors/loader/link_namespace.hpp"

namespace tutti::actors {

using base::Status;

namespace {

constexpr size_t k_least_stack_bytes = size_t{8} << 20;
constexpr size_t k_most_stack_bytes = size_t{1} << 30;  // if unlimited; only used pages are allocated

/// The stack size of a process's first thread.
size_t stack_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return k_least_stack_bytes;
  return std::clamp<size_t>(limit.rlim_cur, k_least_stack_bytes, k_most_stack_bytes);
}

/// The kernel's initial stack of a new process: argc, argv, envp, an empty auxiliary vector.
std::vector<uintptr_t> first_words(std::span<char* const> arguments, std::span<char* const> environment) {
  std::vector<uintptr_t> words{arguments.size() - 1};
  for (char* const one : arguments) words.push_back(reinterpret_cast<uintptr_t>(one));
  for (char* const one : environment) words.push_back(reinterpret_cast<uintptr_t>(one));
  words.push_back(AT_NULL);
  words.push_back(0);
  return words;
}

/// Jumps to a program's first instruction. Does not return: the program ends in the guest.
[[noreturn]] void jump(uint64_t entry, const uintptr_t* stack) {
#ifdef __x86_64__
  __asm__ volatile(
      "mov %0, %%rsp\n"
      "xor %%edx, %%edx\n"  // no function of the loader to call at exit
      "xor %%ebp, %%ebp\n"
      "jmp *%1"
      :
      : "r"(stack), "r"(entry)
      : "memory");
#endif
  __builtin_unreachable();
}

}  // namespace

struct Actor::Resources {
  /// Strings that a program may modify, with a null-terminated pointer array.
  class Texts {
   public:
    explicit Texts(std::vector<std::string> texts) : texts_(std::move(texts)) {
      for (std::string& text : texts_) pointers_.push_back(text.data());
      pointers_.push_back(nullptr);
    }
    std::span<char*> pointers() { return pointers_; }

   private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
  };

  Texts arguments, environment;
  std::string program;  // its absolute path
  GuestHost host;
  struct sigaction actions[std::size(k_crash_signals)] = {};
  volatile sig_atomic_t is_ending = 0;
  std::vector<char*> environment_block = {};  // the host's address, then the environment
};

Actor::Actor(const ProgramCopy& program, ActorOptions options)
    : program_(program),
      options_(std::move(options)),
      resources_(new Resources{.arguments = Resources::Texts(options_.arguments),
                               .environment = Resources::Texts(options_.environment),
                               .program = program_.origin(),
                               .host = {}}) {
  resources_->host = {
      .calls = options_.calls,
      .rank = options_.rank,
      .caller = options_.caller,
      .actor = this,
      .arguments = resources_->arguments.pointers().data(),
      .program = resources_->program.c_str(),
      .leave = [](void* actor, int status) { static_cast<Actor*>(actor)->leave(status); },
      .thread_is_expected = [](void* actor) { static_cast<Actor*>(actor)->threads_.expect(); },
      .thread_is_given_up = [](void* actor) { static_cast<Actor*>(actor)->threads_.give_up(); },
      .thread_begins =
          [](void* actor, bool is_expected) {
            auto& self = *static_cast<Actor*>(actor);
            if (gettid() == self.number_) return static_cast<void*>(nullptr);
            if (self.options_.thread_begins)
              self.options_.thread_begins(self.resources_->actions, &self.resources_->is_ending);
            return self.threads_.begin(is_expected);
          },
      .thread_ends =
          [](void* actor, void* thread) {
            auto& self = *static_cast<Actor*>(actor);
            if (self.options_.thread_ends) self.options_.thread_ends();
            self.threads_.end(thread);  // a thread that waits for these may now destroy the actor
          },
      .wait_for_threads = [](void* actor) { static_cast<Actor*>(actor)->threads_.wait(); },
      .cpu_ns =
          [](void* actor) {
            auto& self = *static_cast<Actor*>(actor);
            return cpu_ns_of(self.number_) + self.threads_.cpu_ns();
          },
      .is_done_with_mpi =
          [](void* actor) {
            const auto& is_done = static_cast<Actor*>(actor)->options_.is_done_with_mpi;
            return !is_done || is_done();
          },
      .actions = resources_->actions,
      .is_ending = &resources_->is_ending,
  };
  auto& block = resources_->environment_block;
  block.push_back(reinterpret_cast<char*>(&resources_->host));
  block.insert(block.end(), resources_->environment.pointers().begin(),
               resources_->environment.pointers().end());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes());
  const auto begin = [](void* self) -> void* {
    static_cast<Actor*>(self)->run();
    return nullptr;
  };
  if (const int error = pthread_create(&thread_, &attributes, begin, this); error != 0) {
    loaded_ = Status::system("a thread for a rank", error);
    thread_ = {};
  }
  pthread_attr_destroy(&attributes);
}

Actor::~Actor() {
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
  }
  changed_.notify_all();
  wait();
  if (!loaded_->is_ok()) return;
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Resources>> kept;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(resources_));
}

Status Actor::loaded() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return loaded_.has_value(); });
  return *loaded_;
}

void Actor::begin() {
  {
    const std::lock_guard lock(mutex_);
    may_begin_ = true;
  }
  changed_.notify_all();
}

int Actor::wait() {
  if (thread_ != pthread_t{}) pthread_join(thread_, nullptr);
  thread_ = {};
  return status_;
}

void Actor::run() {
  number_ = gettid();
  if (options_.prepare) options_.prepare(resources_->actions);
  Status status = load();
  {
    const std::lock_guard lock(mutex_);
    loaded_ = status;
  }
  changed_.notify_all();
  if (options_.loaded) options_.loaded();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return may_begin_ || is_cancelled_; });
    if (!may_begin_ || !status) return;
  }
  call_program();
  if (options_.ended) options_.ended(status_);
}

Status Actor::load() {
  const auto address = load_in_namespace(program_.file_name(), resources_->environment_block.data() + 1);
  if (address) address_ = *address;
  return address.status();
}

void Actor::call_program() {
  const std::vector<uintptr_t> words =
      first_words(resources_->arguments.pointers(), resources_->environment.pointers());
  constexpr size_t k_alignment = 16;
  const size_t bytes = words.size() * sizeof(uintptr_t);
  size_t room = bytes + k_alignment;
  void* place = alloca(room);
  auto* const stack = static_cast<uintptr_t*>(std::align(k_alignment, bytes, place, room));
  std::ranges::copy(words, stack);
  jmp_buf way_back;
  way_back_ = &way_back;
  if (_setjmp(way_back) == 0) jump(address_ + program_.entry(), stack);
  way_back_ = nullptr;
}

void Actor::leave(int status) {
  if (gettid() != number_) {
    std::fputs(
        "tutti: a thread of a rank has called exit(), which only the rank's first thread can do here\n",
        stderr);
    _exit(k_foreign_exit_status);
  }
  status_ = status & 0xff;  // as its parent would see it
  threads_.stop();
  if (way_back_ == nullptr) {
    if (options_.ended) options_.ended(status_);
    for (;;) pause();
  }
  // NOLINTNEXTLINE(cert-err52-cpp): over the frames of a program that knows nothing of us
  std::longjmp(*static_cast<jmp_buf*>(way_back_), 1);
}

}  // namespace tutti::actors
