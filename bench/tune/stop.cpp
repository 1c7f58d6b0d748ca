#include "bench/tune/stop.hpp"

#include <signal.h>
#include <unistd.h>

namespace tutti::bench {

namespace {

volatile sig_atomic_t is_asked = 0;

void ask_to_stop(int) {
  constexpr unsigned k_patience_s = 10;
  if (is_asked == 0) alarm(k_patience_s);
  is_asked = 1;
}

}  // namespace

void catch_stop() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESTART;  // a launcher may send it more than once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_stop_asked() {
  return is_asked != 0;
}

}  // namespace tutti::bench
