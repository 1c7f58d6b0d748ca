#pragma once
// Hints of the program about the requests that it will create (paper 001, section 3.1.2).

#include <cstdint>
#include <string>

#include "select/candidate.hpp"

namespace tutti::mpi::api {

struct Hints {
  uint64_t calls = 0;              // approximate number of starts of each request; 0: unknown
  std::string algorithm = "auto";  // or "native", or an argument of algorithm::parse_choice()
  select::ProgressMode progress = select::ProgressMode::automatic;
  bool is_off = false;  // "progress": "off"
  bool team_may_change = false;
};

/// The current hints. Any thread.
Hints current_hints();
void forget_hints();

/// Result: a code of the C API.
int set_hint(const char* key, const char* value);

}  // namespace tutti::mpi::api
