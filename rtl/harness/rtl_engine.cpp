#include "rtl_engine.hpp"

#include <Vbe_engine___024root.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tutti::rtl {

using offload::nic::EngineConfiguration;

namespace {

AssertionFailures failures;

}  // namespace

base::Status check(const EngineConfiguration& configuration) {
  const EngineConfiguration built;  // the defaults are those of be_engine's parameters
  const auto sizes = [](const EngineConfiguration& of) {
    return std::array{of.contexts,  of.rounds,   of.peers,     of.value_words, of.ids,       of.hdq_words,
                      of.sdq_depth, of.fw_depth, of.rxq_depth, of.rxp_depth,   of.txq_depth, of.txp_depth,
                      of.wr_depth,  of.lat_copy, of.lat_int,   of.lat_fcmp,    of.lat_fadd};
  };
  if (sizes(configuration) != sizes(built))
    return base::Status::invalid_argument(
        "the RTL is built with the default sizes of the engine, and no others");
  if (configuration.damq_depth < 1 || configuration.damq_depth > built.damq_depth)
    return base::Status::invalid_argument(
        fmt::format("the RTL has 1 to {} entries in the request DAMQ, not {}", built.damq_depth,
                    configuration.damq_depth));
  return {};
}

// A register of context N of TE; visible.vlt makes it accessible.
#define TUTTI_RTL_TE(N, REGISTER) \
  root.be_engine__DOT__transmit__DOT__g_context__BRA__##N##__KET____DOT__state__DOT__##REGISTER
#define TUTTI_RTL_TIMERS(N)                                                                   \
  {                                                                                           \
    TUTTI_RTL_TE(N, armed) != 0, TUTTI_RTL_TE(N, unacked) != 0, TUTTI_RTL_TE(N, backoff_due), \
        TUTTI_RTL_TE(N, timeout_due)                                                          \
  }

/// Checks module by module for an action in the next cycle; then returns the time until the next timer.
uint64_t Sleep<Vbe_engine>::cycles(const Vbe_engine& rtl) {
  const Vbe_engine___024root& root = *rtl.rootp;
  constexpr uint32_t k_drain = 2;  // OF's states up to here wait for words: IDLE, WORDS, DRAIN
  const bool is_fetching =
      root.be_engine__DOT__fetch__DOT__state == 0 && root.be_engine__DOT__fetch__DOT__sdq_valid != 0;
  const bool is_dispatching = root.be_engine__DOT__hdq_valid != 0 || root.be_engine__DOT__fw_valid != 0 ||
                              root.be_engine__DOT__dispatch__DOT__state > k_drain;
  const bool is_receiving =
      root.be_engine__DOT__rxq_out != 0 || root.be_engine__DOT__receive__DOT__busy != 0 ||
      root.be_engine__DOT__receive__DOT__look != 0 || root.be_engine__DOT__receive__DOT__retire_found != 0;
  const bool is_sending = root.be_engine__DOT__rxp_out != 0 ||
                          root.be_engine__DOT__transmit__DOT__new_found != 0 ||
                          root.be_engine__DOT__transmit__DOT__passing != 0;
  const bool is_completing = root.be_engine__DOT__wr_in != 0 ||
                             root.be_engine__DOT__completion__DOT__found != 0 ||
                             root.be_engine__DOT__refusal_valid != 0 || rtl.irq != 0;
  if (is_fetching || is_dispatching || is_receiving || is_sending || is_completing) return 0;

  struct Timers {
    bool is_armed, is_waiting;
    uint32_t backoff_due, timeout_due;
  };
  const Timers timers[] = {TUTTI_RTL_TIMERS(0), TUTTI_RTL_TIMERS(1), TUTTI_RTL_TIMERS(2),
                           TUTTI_RTL_TIMERS(3)};
  uint64_t wait = k_for_ever;
  const auto consider = [&](uint32_t due) {
    const auto left = static_cast<int32_t>(due - root.be_engine__DOT__now);
    wait = std::min(wait, left > 0 ? static_cast<uint64_t>(left) : 0);
  };
  for (uint32_t c = 0; c < std::size(timers); ++c) {
    if ((root.be_engine__DOT__active >> c & 1) == 0) continue;
    if (timers[c].is_armed) consider(timers[c].backoff_due);
    if (timers[c].is_waiting) consider(timers[c].timeout_due);
  }
  return wait;
}

void Sleep<Vbe_engine>::skip(Vbe_engine& rtl, uint64_t cycles) {
  rtl.rootp->be_engine__DOT__now += static_cast<uint32_t>(cycles);
}

AssertionFailures assertion_failures() {
  return failures;
}

void forget_assertion_failures() {
  failures = {};
}

}  // namespace tutti::rtl

/// Verilator calls it after an assertion has failed and printed its message.
void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  std::string name = file != nullptr ? file : "";
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  ++tutti::rtl::failures.count;
  tutti::rtl::failures.last = fmt::format("{}:{}", name, line);
}
