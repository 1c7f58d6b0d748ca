#pragma once
// What the program has said about the requests that it will make (paper 001, section 3.1.2).

#include <cstdint>
#include <string>

#include "select/candidate.hpp"

namespace tutti::mpi::api {

struct Hints {
  uint64_t calls = 0;              // starts of each request, about; 0: unknown
  std::string algorithm = "auto";  // or "native", or as algorithm::parse_choice() reads it
  select::ProgressMode progress = select::ProgressMode::automatic;
  bool is_off = false;  // "progress": "off"
  bool team_may_change = false;
};

/// The hints as they stand. Any thread.
Hints current_hints();
void forget_hints();

/// Result: a code of the C API.
int set_hint(const char* key, const char* value);

}  // namespace tutti::mpi::api
