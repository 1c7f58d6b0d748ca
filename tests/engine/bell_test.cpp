// A rank whose policy says that it naps sleeps where its node can wake it.

#include "contract.hpp"

namespace tutti::test {
namespace {

/// Scripts the rank's actions at the bell, and concurrent events.
class ScriptedBell final : public engine::Doorbell {
 public:
  explicit ScriptedBell(ScriptedEndpoint& endpoint) : endpoint_(endpoint) {}

  void prepare() override {
    polls_at_prepare_ = endpoint_.poll_count;
    log += 'p';
    if (at_prepare) at_prepare();
  }
  void cancel() override { log += 'c'; }
  void sleep(uint64_t most_ns) override {
    EXPECT_GT(endpoint_.poll_count, polls_at_prepare_) << "what came before prepare() rings no bell";
    EXPECT_GT(most_ns, 0u);
    log += 's';
    if (while_asleep) while_asleep();
  }

  std::function<void()> at_prepare, while_asleep;
  std::string log;

 private:
  ScriptedEndpoint& endpoint_;
  decltype(ScriptedEndpoint::poll_count) polls_at_prepare_ = 0;
};

class Bell : public testing::Test {
 protected:
  /// Waits for one message. Returns what the rank did at the bell.
  std::string log_of_wait(engine::WaitPolicy policy, base::CpuShare share = base::CpuShare::own) {
    engine::CpuEngine engine({.networks = {&network_}, .local = &network_, .bell = &bell_}, policy, share);
    ScheduleBuilder builder;
    builder.recv(Peer::rank(1), output(0, 8));
    const auto plan = plan_of(builder);
    auto operation = engine.start(*plan, {.output = out_.data()});
    EXPECT_TRUE(operation) << operation.status().message();
    EXPECT_TRUE(engine.wait(*operation).is_ok());
    return bell_.log;
  }

  ScriptedEndpoint network_;
  ScriptedBell bell_{network_};
  std::vector<std::byte> out_ = numbered(8);
};

TEST_F(Bell, ARankThatNapsSleepsThere) {
  bell_.while_asleep = [&] {
    if (bell_.log == "psps") network_.end(0);
  };
  const uint64_t naps = engine::nap_count();
  EXPECT_EQ(log_of_wait(engine::WaitPolicy::sleep), "psps");
  EXPECT_EQ(engine::nap_count() - naps, 2u);
}

TEST_F(Bell, ARankThatSharesItsCoreSleepsThere) {
  bell_.while_asleep = [&] { network_.end(0); };
  EXPECT_EQ(log_of_wait(engine::WaitPolicy::automatic, base::CpuShare::shared), "ps");
}

TEST_F(Bell, NewsThatCameMeanwhileEndTheWaitAtOnce) {
  bell_.at_prepare = [&] { network_.end(0); };
  EXPECT_EQ(log_of_wait(engine::WaitPolicy::sleep), "pc");
}

TEST_F(Bell, ARankWithACoreOfItsOwnNeverGoesThere) {
  network_.at_poll = [&] {
    if (network_.poll_count == 5'000) network_.end(0);
  };
  EXPECT_EQ(log_of_wait(engine::WaitPolicy::automatic), "");
}

}  // namespace
}  // namespace tutti::test
