// SIGTERM with work left to be done: it is done, the process still ends by the signal, and nothing delays
// that for long.

#include "base/termination.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizer.hpp"

namespace tutti::base {
namespace {

constexpr uint64_t k_for_ever_ns = 1'000'000'000'000;

/// A child that says what it does, a byte at a time.
class Child {
 public:
  /// `body` gets the descriptor to say something on; when it returns, the child exits with 0.
  explicit Child(const std::function<void(int)>& body) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    fflush(nullptr);
    id_ = fork();
    if (id_ == 0) {
      close(ends[0]);
      alarm(60);
      body(ends[1]);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    close(ends[1]);
    ear_ = ends[0];
  }
  ~Child() { close(ear_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void tell() const { kill(id_, SIGTERM); }
  /// The next character; 0 when it has ended.
  char hear() const {
    char said = 0;
    return ::read(ear_, &said, 1) == 1 ? said : '\0';
  }
  int status() const {
    int status = 0;
    EXPECT_EQ(waitpid(id_, &status, 0), id_);
    return status;
  }
  bool has_ended_by_signal() const {
    const int ended = status();
    return WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM;
  }

 private:
  pid_t id_ = 0;
  int ear_ = -1;
};

void say(int fd, char word) {
  EXPECT_EQ(::write(fd, &word, 1), 1);
}

[[noreturn]] void live_on() {
  for (;;) pause();
}

TEST(OnTermination, TheWorkIsDoneAndTheSignalHasItsEffect) {
  const Child child([](int fd) {
    const auto last = OnTermination::install([fd] { say(fd, 'w'); }, k_for_ever_ns);
    EXPECT_NE(last, nullptr);
    EXPECT_EQ(OnTermination::install([] {}), nullptr) << "one at a time";
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_EQ(child.hear(), 'w');
  EXPECT_EQ(child.hear(), '\0');
  EXPECT_TRUE(child.has_ended_by_signal());
}

TEST(OnTermination, InterruptsAnything) {
  for (int run = 0; run < 20; ++run) {
    const Child child([](int fd) {
      const auto last = OnTermination::install(
          [fd] {
            const std::string text(10000, 'w');
            say(fd, text[77]);
          },
          k_for_ever_ns);
      say(fd, 'r');
      for (std::vector<std::string> all;; all.clear())
        for (size_t i = 0; i < 100; ++i) all.emplace_back(i * 10, 'x');
    });
    EXPECT_EQ(child.hear(), 'r');
    child.tell();
    EXPECT_EQ(child.hear(), 'w');
    EXPECT_TRUE(child.has_ended_by_signal());
  }
}

TEST(OnTermination, WorkThatCannotBeDoneDelaysTheEndForAWhileOnly) {
  if (test::k_delays_signals) GTEST_SKIP() << "the thread sanitizer delays signals";
  const Child child([](int fd) {
    std::mutex held;
    held.lock();
    const auto last = OnTermination::install([&] { const std::lock_guard lock(held); }, 10'000'000);
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_TRUE(child.has_ended_by_signal());
}

TEST(OnTermination, ASecondSignalEndsAtOnce) {
  const Child child([](int fd) {
    const auto last = OnTermination::install(
        [fd] {
          say(fd, 'w');
          live_on();
        },
        k_for_ever_ns);
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_EQ(child.hear(), 'w');
  child.tell();
  EXPECT_TRUE(child.has_ended_by_signal());
}

TEST(OnTermination, AProgramsHandlerIsNotReplaced) {
  for (void (*const handler)(int) : {SIG_IGN, +[](int) { _exit(5); }}) {
    const Child child([&](int) {
      signal(SIGTERM, handler);
      EXPECT_EQ(OnTermination::install([] {}), nullptr);
      struct sigaction present {};
      sigaction(SIGTERM, nullptr, &present);
      EXPECT_EQ(present.sa_handler, handler);
    });
    EXPECT_EQ(child.status(), 0);
  }
  const Child child([](int fd) {
    const auto last = OnTermination::install([fd] { say(fd, 'w'); }, k_for_ever_ns);
    signal(SIGTERM, [](int) { _exit(5); });  // later
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_EQ(child.hear(), '\0');
  EXPECT_EQ(WEXITSTATUS(child.status()), 5);
}

TEST(OnTermination, NothingIsLeftBehind) {
  const Child child([](int fd) {
    for (int i = 0; i < 3; ++i) EXPECT_NE(OnTermination::install([fd] { say(fd, 'w'); }), nullptr);
    struct sigaction present {};
    sigaction(SIGTERM, nullptr, &present);
    EXPECT_EQ(present.sa_handler, SIG_DFL);
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_EQ(child.hear(), '\0');
  EXPECT_TRUE(child.has_ended_by_signal());
}

TEST(OnTermination, AForkedChildEndsAtOnceAndMayDestroyItsCopy) {
  if (test::k_delays_signals) GTEST_SKIP() << "the thread sanitizer delays signals";
  const Child child([](int fd) {
    auto last = OnTermination::install([fd] { say(fd, 'w'); }, k_for_ever_ns);
    for (const bool destroys : {true, false}) {
      const pid_t grandchild = fork();
      if (grandchild == 0) {
        if (destroys) last.reset();
        raise(SIGTERM);
        _exit(9);
      }
      int status = 0;
      EXPECT_EQ(waitpid(grandchild, &status, 0), grandchild);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    }
    last.reset();
  });
  EXPECT_EQ(child.hear(), '\0') << "no work";
  EXPECT_EQ(child.status(), 0);
}

TEST(OnTermination, ThreadsOfTheProgramMayBlockTheSignal) {
  const Child child([](int fd) {
    std::thread other([] { live_on(); });
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const auto last = OnTermination::install([fd] { say(fd, 'w'); }, k_for_ever_ns);
    say(fd, 'r');
    live_on();
  });
  EXPECT_EQ(child.hear(), 'r');
  child.tell();
  EXPECT_EQ(child.hear(), 'w');
  EXPECT_TRUE(child.has_ended_by_signal());
}

}  // namespace
}  // namespace tutti::base
